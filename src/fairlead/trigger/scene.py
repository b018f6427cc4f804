"""Who is asked for, and what only describes: in ``women's shoes`` nobody is asked for, in ``doctor
in a white coat`` nobody is white.

A word for people describes a thing where a thing follows it (``police car``, ``men's watch``,
``女鞋``), or, in languages that name the thing first, goes before it (``zapatos de mujer``,
``chaussures femme``). A colour, a people or an age counts where it stands beside a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fairlead.trigger.reading import Mark, Reading

PEOPLE = ("person", "work", "gender", "age", "both")
_ADJECTIVES = ("colour", "people", "age_adjective", "hint", "skin", "trait", "range", "time")
_OWNING = ("zh", "ja", "hi")
"""Languages whose link says that what follows belongs to what goes before."""
_BARE = ("hi",)
"""Languages in which words that only stand side by side describe nothing."""
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
"""Words for people that describe no thing."""
_VERBAL = ("ing", "ed", "s")
"""Endings of words that may be verbs."""
_SKIPPED = 2


@dataclass(frozen=True, eq=False)
class Scene:
    """A reading with its parts told apart."""

    reading: Reading

    @cached_property
    def describing(self) -> frozenset[int]:
        """The first tokens of the marks that only describe a thing."""
        found: set[int] = set()
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
        for mark in reversed(marks):
            if self._before_thing(mark, found) or self._after_thing(mark):
                found.add(mark.first)
        return frozenset(found)

    @cached_property
    def persons(self) -> tuple[Mark, ...]:
        """Marks of people who are asked for."""
        asked = [m for m in self.reading.marks if m.has(*PEOPLE) and m.first not in self.describing]
        if asked or self.reading.with_kind("setting"):
            return tuple(asked)
        skin = [m for m in self.reading.with_kind("skin") if m.first not in self.describing]
        return tuple(skin) or (() if self.things else tuple(self.reading.with_kind("pronoun")))

    @cached_property
    def things(self) -> tuple[Mark, ...]:
        """Marks of things."""
        return tuple(m for m in self.reading.marks if is_thing(m))

    def beside_person(self, mark: Mark) -> Mark | None:
        """The person a colour, a people or an age stands beside."""
        after = self._to_the_right(mark)
        return after or (self._to_the_left(mark) if self.reading.head_first else None)

    def _to_the_right(self, mark: Mark) -> Mark | None:
        place, unknown = mark.last, 0
        while self.reading.touching(place):
            found = self.reading.at.get(place)
            if found is None:
                unknown += 1
                if unknown > 1:
                    return None
                place += 1
            elif found.has(*PEOPLE) and found.first not in self.describing:
                return found
            elif (
                found.has(*_ADJECTIVES)
                or (found.has("setting") and not mark.has("colour"))
                or (found.has("link") and _owning(found))
            ):
                place = found.last
            else:
                return None
        return None

    def _to_the_left(self, mark: Mark) -> Mark | None:
        place, unknown = mark.first, 0
        while self.reading.touching(place):
            found = self.reading.at.get(place - 1)
            if found is None:
                unknown += 1
                if unknown > 1:
                    return None
                place -= 1
            elif found.has(*PEOPLE) and found.first not in self.describing:
                return found
            elif found.has(*_ADJECTIVES):
                place = found.first
            else:
                return None
        return None

    def _before_thing(self, mark: Mark, describing: set[int]) -> bool:
        reading, place = self.reading, mark.last
        owns = reading.tokens[mark.last - 1].possessive
        bare = (
            reading.head_first
            or reading.language in _BARE
            or reading.tokens[mark.first].text in _NEVER
        )
        if bare and not owns and not self._owning_link(place):
            return False
        if self._owning_link(place):
            owns, place = True, reading.at[place].last
        for _ in range(_SKIPPED + 1):
            if not reading.touching(place):
                return False
            found = reading.at.get(place)
            if found is not None:
                if found.first in describing:
                    return True
                if (
                    reading.tokens[mark.last - 1].possessive
                    and found.has(*PEOPLE)
                    and not self._plural(mark)
                ):
                    return found.first not in describing
                if is_thing(found):
                    doing = found.has("verb") and self._is_sentence
                    bare = mark.has("name") or not (
                        found.has("scene") or doing or self._leads_to_person(found, describing)
                    )
                    return owns or bare
                if not (owns and found.has(*_ADJECTIVES)) or mark.has("name"):
                    return False
            elif not owns and not mark.has("name") and self._may_be_verb(place):
                return False
            place += 1
        return False

    @cached_property
    def _is_sentence(self) -> bool:
        """Whether a thing may be a verb instead (a man watches), which three bare words (men watch
        steel) are too few for.
        """
        reading = self.reading
        return len(reading.tokens) > 3 or any(
            m.kinds <= {"function", "split"} for m in reading.marks
        )

    def _may_be_verb(self, place: int) -> bool:
        """Whether an unknown word may be what somebody does; in a bare row of English words most
        are not.
        """
        token = self.reading.tokens[place]
        return self._is_sentence or token.kind != "word" or token.text.endswith(_VERBAL)

    def _plural(self, mark: Mark) -> bool:
        """Whether 's was added to a plural: men's rugby players are men, a best man's audience is
        not.
        """
        word = self.reading.tokens[mark.last - 1].text
        return word.endswith("s") or word in ("men", "women", "children")

    def _leads_to_person(self, thing: Mark, describing: set[int]) -> bool:
        """Whether a thing itself describes a person who comes after it: female floor hockey
        players.
        """
        place = thing.last
        for _ in range(_SKIPPED + 1):
            if not self.reading.touching(place):
                return False
            found = self.reading.at.get(place)
            if found is not None and found.has(*PEOPLE):
                return found.first not in describing
            if found is not None and not (is_thing(found) or found.has("setting")):
                return False
            place += 1
        return False

    def _owning_link(self, place: int) -> bool:
        link = self.reading.at.get(place)
        return link is not None and link.has("link") and _owning(link)

    def _after_thing(self, mark: Mark) -> bool:
        """Whether a thing goes before, directly or by a link: zapatos de mujer, shoes for women,
        chaussures femme.
        """
        reading, place = self.reading, mark.first
        linked = False
        while reading.touching(place):
            found = reading.at.get(place - 1)
            if found is None:
                return False
            if found.has("link") and not _owning(found):
                linked, place = True, found.first
            elif reading.is_grammar(place - 1) and not found.has("split"):
                place = found.first
            else:
                return is_thing(found) and (linked or reading.head_first)
        return False


def is_thing(mark: Mark) -> bool:
    """Whether a mark is a thing and cannot be a person."""
    return mark.has("thing", "scene") and not mark.has(*PEOPLE)


def _owning(link: Mark) -> bool:
    return any(e.kind == "link" and e.language in _OWNING for e in link.entries)
