"""Who is asked for, and which words only describe.

In ``women's shoes`` nobody is asked for, in ``doctor in a white coat`` nobody is white. A word
for people describes a thing where a thing follows it (``police car``, ``men's watch``, ``女鞋``),
or, in languages that name the thing first, where a thing comes before it (``zapatos de mujer``,
``chaussures femme``). A colour, a people or an age counts where it stands beside a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fairlead.trigger.reading import Phrase, QueryReading

PEOPLE = ("person", "work", "gender", "age", "both")
_ADJECTIVES = ("colour", "people", "age_adjective", "hint", "skin", "trait", "range", "time")
# Languages whose link says that what follows belongs to what goes before
_OWNING = ("zh", "ja", "hi")
# Languages in which words that only stand side by side describe nothing
_BARE = ("hi",)
# Words for people that describe no thing
_NEVER = frozenset(
    (
        "person",
        "people",
        "persons",
        "someone",
        "somebody",
        "everyone",
        "everybody",
        "anyone",
        "anybody",
    )
)
# Endings of words that may be verbs
_VERBAL = ("ing", "ed", "s")
_SKIPPED = 2


@dataclass(frozen=True, eq=False)
class QueryScene:
    """A query as it is read, with its parts told apart: people, things, descriptions."""

    reading: QueryReading

    @cached_property
    def describing(self) -> frozenset[int]:
        """The first tokens of the marks that only describe a thing."""
        firsts: set[int] = set()
        marks = [
            m
            for m in self.reading.marks
            if m.has(
                *PEOPLE,
                "skin",
                "name",
                "given",
                "role",
                "time",
                "people",
                "colour",
                "age_adjective",
            )
        ]
        # from right to left: a word may describe a word that itself describes a thing
        for mark in reversed(marks):
            if self._before_thing(mark, firsts) or self._after_thing(mark):
                firsts.add(mark.first)
        return frozenset(firsts)

    @cached_property
    def persons(self) -> tuple[Phrase, ...]:
        """Marks of people who are asked for."""
        people = [
            m for m in self.reading.marks if m.has(*PEOPLE) and m.first not in self.describing
        ]
        if people or self.reading.with_kind("setting"):
            return tuple(people)
        skin = [m for m in self.reading.with_kind("skin") if m.first not in self.describing]
        return tuple(skin) or (() if self.things else tuple(self.reading.with_kind("pronoun")))

    @cached_property
    def things(self) -> tuple[Phrase, ...]:
        """Marks of things."""
        return tuple(m for m in self.reading.marks if is_thing(m))

    def beside_person(self, mark: Phrase) -> Phrase | None:
        """The person a colour, a people or an age stands beside."""
        after = self._to_the_right(mark)
        return after or (self._to_the_left(mark) if self.reading.head_first else None)

    def _to_the_right(self, mark: Phrase) -> Phrase | None:
        place = mark.last
        unknown = 0
        while self.reading.touching(place):
            neighbour = self.reading.at.get(place)
            if neighbour is None:
                unknown += 1
                if unknown > 1:
                    return None
                place += 1
            elif neighbour.has(*PEOPLE) and neighbour.first not in self.describing:
                return neighbour
            elif (
                neighbour.has(*_ADJECTIVES)
                or (neighbour.has("setting") and not mark.has("colour"))
                or (neighbour.has("link") and _owning(neighbour))
            ):
                place = neighbour.last
            else:
                return None
        return None

    def _to_the_left(self, mark: Phrase) -> Phrase | None:
        place = mark.first
        unknown = 0
        while self.reading.touching(place):
            neighbour = self.reading.at.get(place - 1)
            if neighbour is None:
                unknown += 1
                if unknown > 1:
                    return None
                place -= 1
            elif neighbour.has(*PEOPLE) and neighbour.first not in self.describing:
                return neighbour
            elif neighbour.has(*_ADJECTIVES):
                place = neighbour.first
            else:
                return None
        return None

    def _before_thing(self, mark: Phrase, describing: set[int]) -> bool:
        reading = self.reading
        place = mark.last
        owns = reading.tokens[mark.last - 1].possessive
        bare = (
            reading.head_first
            or reading.language in _BARE
            or reading.tokens[mark.first].text in _NEVER
        )
        if bare and not owns and not self._owning_link(place):
            return False
        if self._owning_link(place):
            owns = True
            place = reading.at[place].last
        for _ in range(_SKIPPED + 1):
            if not reading.touching(place):
                return False
            neighbour = reading.at.get(place)
            if neighbour is not None:
                if neighbour.first in describing:
                    return True
                if (
                    reading.tokens[mark.last - 1].possessive
                    and neighbour.has(*PEOPLE)
                    and not self._plural(mark)
                ):
                    return neighbour.first not in describing
                if is_thing(neighbour):
                    doing = neighbour.has("verb") and self._is_sentence
                    bare = mark.has("name") or not (
                        neighbour.has("scene")
                        or doing
                        or self._leads_to_person(neighbour, describing)
                    )
                    return owns or bare
                if not (owns and neighbour.has(*_ADJECTIVES)) or mark.has("name"):
                    return False
            elif not owns and not mark.has("name") and self._may_be_verb(place):
                return False
            place += 1
        return False

    @cached_property
    def _is_sentence(self) -> bool:
        """Whether a thing may be a verb instead, as in: a man watches.

        Three bare words (men watch steel) are too few for that.
        """
        reading = self.reading
        return len(reading.tokens) > 3 or any(
            m.kinds <= {"function", "split"} for m in reading.marks
        )

    def _may_be_verb(self, place: int) -> bool:
        """Whether an unknown word may be what somebody does.

        In a bare row of English words most are not.
        """
        token = self.reading.tokens[place]
        return self._is_sentence or token.kind != "word" or token.text.endswith(_VERBAL)

    def _plural(self, mark: Phrase) -> bool:
        """Whether 's was added to a plural.

        Men's rugby players are men, a best man's audience is not.
        """
        word = self.reading.tokens[mark.last - 1].text
        return word.endswith("s") or word in ("men", "women", "children")

    def _leads_to_person(self, thing: Phrase, describing: set[int]) -> bool:
        """Whether a thing describes a person after it, as in: female floor hockey players."""
        place = thing.last
        for _ in range(_SKIPPED + 1):
            if not self.reading.touching(place):
                return False
            neighbour = self.reading.at.get(place)
            if neighbour is not None and neighbour.has(*PEOPLE):
                return neighbour.first not in describing
            if neighbour is not None and not (is_thing(neighbour) or neighbour.has("setting")):
                return False
            place += 1
        return False

    def _owning_link(self, place: int) -> bool:
        link = self.reading.at.get(place)
        return link is not None and link.has("link") and _owning(link)

    def _after_thing(self, mark: Phrase) -> bool:
        """Whether a thing comes before the mark, directly or by a link.

        Examples: zapatos de mujer, shoes for women, chaussures femme.
        """
        reading = self.reading
        place = mark.first
        linked = False
        while reading.touching(place):
            neighbour = reading.at.get(place - 1)
            if neighbour is None:
                return False
            if neighbour.has("link") and not _owning(neighbour):
                linked = True
                place = neighbour.first
            elif reading.is_grammar(place - 1) and not neighbour.has("split"):
                place = neighbour.first
            else:
                return is_thing(neighbour) and (linked or reading.head_first)
        return False


def is_thing(mark: Phrase) -> bool:
    """Whether a mark is a thing and cannot be a person."""
    return mark.has("thing", "scene") and not mark.has(*PEOPLE)


def _owning(link: Phrase) -> bool:
    return any(e.kind == "link" and e.language in _OWNING for e in link.entries)
