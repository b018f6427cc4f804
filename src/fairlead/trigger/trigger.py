"""The trigger: rules in their order of precedence, the first that speaks decides; where none knows a word, the encoder may.

    list > nothing asked > one person > the past > nobody > no person > likeness
         > a range asked for > said > implied > place > hint > neutral

Source: our own rules; the lesson is that a mitigation must know the queries "that should clearly not show a range".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fairlead.errors import UsageError
from fairlead.trigger import explicit
from fairlead.trigger.decision import Decision
from fairlead.trigger.leaving import Leave
from fairlead.trigger.named import first_name, named, perhaps_named
from fairlead.trigger.past import past
from fairlead.trigger.reading import Mark, read
from fairlead.trigger.scene import Scene, is_thing
from fairlead.trigger.tokens import LONGEST, folded
from fairlead.words import LANGUAGES, bank

ATTRIBUTES = {
    "gender": ("gender", "sex", "presentation", "perceived_gender"),
    "skin": ("skin", "skin_tone", "skintone", "tone", "monk", "fitzpatrick", "ethnicity", "race", "nationality"),
    "age": ("age", "age_group", "ages"),
}
"""The attributes that the rules have words for, and the names they go by."""
_ALIASES = {alias: name for name, aliases in ATTRIBUTES.items() for alias in aliases}
_QUOTED = re.compile(r"\"([^\"]*)\"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|「([^」]*)」")
_WHOLE = re.compile(r"\s*(?:\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」|'[^']*'|‘[^’]*’)\s*")
_ASIDE = (
    (re.compile(r"\([mwfhdx](?:/[mwfhdx])+\)", re.IGNORECASE), " all genders "),
    (re.compile(r"\([fw]\)", re.IGNORECASE), " female "),
    (re.compile(r"\(m\)", re.IGNORECASE), " male "),
)
"""Genders in brackets, as in advertisements."""
Said = tuple[str, tuple[str, ...]]
Second = Callable[[Sequence[str], str], Sequence[Said | None]]
"""A second opinion on queries whose words no rule knows: a rule and its evidence for each, or None."""


@dataclass(frozen=True)
class Trigger:
    """Decides when a list may be diversified.

    Attributes:
        leave: The user's own queries to leave alone.
        second: A second opinion where the rules know no word, such as ``geometry.Geometry``.

    >>> [d.decision for d in Trigger()(["female CEO", "nurse", "red sneakers"], "gender")]
    ['leave', 'diversify', 'leave']
    """

    leave: Leave = field(default_factory=Leave)
    second: Second | None = None

    def __call__(self, queries: Sequence[str], attribute: str = "gender", groups: Sequence[str] = ()) -> tuple[Decision, ...]:
        """One decision a query.

        Args:
            queries: Texts.
            attribute: What would be diversified; ``gender*skin`` is left where one of its parts is.
            groups: The names of the groups, for attributes the rules have no words for.
        """
        if isinstance(queries, str):
            raise UsageError("Queries must be a list of texts, not one text.", "Write [query].")
        parts = [part.strip() for part in attribute.split("*")]
        if not all(parts):
            raise UsageError(f"'{attribute}' is no attribute.", "Write gender, skin, age, or gender*skin.")
        columns = [self._decided(queries, attribute, part, groups) for part in parts]
        return tuple(min(row, key=lambda d: _STRICT.index(d.decision)) for row in zip(*columns, strict=True))

    def _decided(self, queries: Sequence[str], attribute: str, part: str, groups: Sequence[str]) -> list[Decision]:
        rules = [self._rule(query, part, groups) for query in queries]
        unknown = [at for at, (rule, _) in enumerate(rules) if rule == "unknown"]
        if self.second is not None and unknown:
            told = self.second([queries[at] for at in unknown], _ALIASES.get(part.casefold(), part))
            for at, said in zip(unknown, told, strict=True):
                rules[at] = said or rules[at]
        return [
            Decision.by(rule, query, attribute, evidence, _more(query, evidence))
            for query, (rule, evidence) in zip(queries, rules, strict=True)
        ]

    def _rule(self, query: str, part: str, groups: Sequence[str]) -> Said:
        if not isinstance(query, str):
            raise UsageError(f"A query must be text, not {type(query).__name__}.")
        listed = self.leave.match(query)
        if listed is not None:
            return "listed", (listed,)
        return _ruled(query, _ALIASES.get(part.casefold(), ""), tuple(groups))


_OF = frozenset(("of", "de", "del", "d", "du", "von", "einer", "eines", "des"))
_STRICT = ("leave", "unsure", "diversify")


@lru_cache(maxsize=4096)
def _ruled(query: str, attribute: str, groups: tuple[str, ...]) -> Said:
    """The rule that decides on one attribute; '' is an attribute without words."""
    if not query.strip():
        return "empty", ()
    scene = _scene(query)
    if not any(t.text[:1].isalpha() or t.kind != "word" for t in scene.reading.tokens):
        return "no-words", ()
    if not attribute:
        return _other(scene, query, groups)
    return _person(scene) or _attribute(scene, attribute)


@lru_cache(maxsize=1024)
def _scene(query: str) -> Scene:
    return Scene(read(_asked(query)))


def _person(scene: Scene) -> Said | None:
    """What is decided by who is asked for, whatever the attribute."""
    found = named(scene) or past(scene)
    if found:
        return found
    reading = scene.reading
    if not scene.persons:
        if nobody := [m.words for m in reading.with_kind("nobody")]:
            return "nobody", tuple(nobody)
        return None if reading.with_kind("skin") else _nobody_asked(scene)
    likeness = tuple(m.words for m in reading.with_kind("depiction") if _of_person(scene, m))
    if likeness:
        return "depiction", likeness
    first = first_name(scene)
    return ("maybe-name", first) if first else None


def _of_person(scene: Scene, likeness: Mark) -> bool:
    """Whether a likeness is one of the people who are asked for: robot nurse, statue of a scientist, scientist doll."""
    reading, place = scene.reading, likeness.last
    firsts, lasts = {m.first for m in scene.persons}, {m.last for m in scene.persons}
    if likeness.first in lasts and reading.touching(likeness.first):
        return True
    if reading.touching(place) and place in firsts:
        return True
    link = reading.at.get(place)
    while link is not None and reading.is_grammar(place) and link.has("function", "link"):
        place = link.last
        if place in firsts:
            return folded(reading.tokens[likeness.last].text)[0] in _OF
        link = reading.at.get(place)
    return False


def _nobody_asked(scene: Scene) -> Said:
    reading = scene.reading
    perhaps = [
        m for m in reading.with_kind("setting", "depiction") if m.first not in _owners(scene) and not is_thing(m) and not _done(scene, m)
    ]
    if perhaps:
        return ("depiction" if all(m.has("depiction") for m in perhaps) else "maybe-person"), tuple(m.words for m in perhaps)
    if scene.things and not _unknown_head(scene):
        return "no-person", tuple(m.words for m in scene.things[:3])
    if perhaps_ := perhaps_named(scene):
        return "maybe-name", perhaps_
    if people := [m.words for m in reading.with_kind("place", "people", "travel")]:
        return "maybe-person", tuple(people)
    return "unknown", ()


def _unknown_head(scene: Scene) -> bool:
    """Whether nobody knows the word that what is asked for hangs on: the last of a bare row, the first of a sentence.

    A parking lot marshal; a quillwright in a room.
    """
    reading = scene.reading
    grammar = [reading.is_grammar(place) for place in range(len(reading.tokens))]
    last = len(grammar) - 1
    if not any(grammar):
        token = reading.tokens[last]
        unknown = token.kind == "word" and last not in reading.at and reading.touching(last) and not token.text.isdigit()
        return unknown and not reading.head_first
    start = grammar.index(False) if False in grammar else 0
    stop = next((place for place in range(start, last + 1) if grammar[place]), last + 1)
    return not any(place in reading.at for place in range(start, stop)) and reading.tokens[start].text.isalpha()


def _done(scene: Scene, setting: Mark) -> bool:
    """Whether a thing goes before, so that the setting is what the thing does or has: dogs running, but not: rock concert."""
    before = [thing.last for thing in scene.things if thing.last <= setting.first]
    compound = setting.first in before and scene.reading.touching(setting.first) and not setting.words.endswith("ing")
    return bool(before) and not compound


def _owners(scene: Scene) -> frozenset[int]:
    """Settings that only describe a thing: a wedding cake."""
    reading = scene.reading
    found = set()
    for mark in reading.with_kind("setting", "depiction"):
        after = reading.at.get(mark.last) if reading.touching(mark.last) else None
        if not reading.head_first and after is not None and after.has("thing"):
            found.add(mark.first)
    return frozenset(found)


def _attribute(scene: Scene, attribute: str) -> Said:
    """What is decided by what is said of the attribute."""
    ranged = explicit.ranged(scene, attribute)
    if ranged:
        return "range-asked", ranged
    words = explicit.said(scene, attribute)
    if words:
        return "explicit", words
    if trait := explicit.implied(scene, attribute):
        return "trait", trait
    if attribute == "skin":
        where, visiting = explicit.places(scene)
        if where:
            return ("place-visited" if visiting else "place"), where
    elif scene.reading.with_kind("skin") and not scene.persons:
        return "maybe-person", tuple(m.words for m in scene.reading.with_kind("skin", "setting"))
    if hint := explicit.hinted(scene, attribute):
        return "hint", hint
    if attribute == "gender" and (both := [m.words for m in scene.reading.with_kind("both")]):
        return "both-named", tuple(both)
    return "neutral", tuple(m.words for m in scene.persons[:3])


def _other(scene: Scene, query: str, groups: tuple[str, ...]) -> Said:
    """An attribute without words of ours: its groups may be named, and people of name or of the past are left alone."""
    asked = {t.text for t in scene.reading.tokens}
    said = [group for group in groups if all(part in asked for word in group.replace("-", " ").split() for part in folded(word))]
    if said and len(said) < len(groups):
        return "group-named", tuple(said)
    return named(scene) or past(scene) or ("other-attribute", ())


def _asked(query: str) -> str:
    """The query without words that are only mentioned: the word "woman" on a poster."""
    if len(query) > LONGEST:
        query = query[:LONGEST]
    if _WHOLE.fullmatch(query):
        return query
    for pattern, word in _ASIDE:
        query = pattern.sub(word, query)
    mentions = _mentions()

    def masked(match: re.Match[str]) -> str:
        before = [folded(w)[-1] for w in re.findall(r"\w+", query[: match.start()])[-2:]]
        return " " if any(word in mentions for word in before) else match[0]

    return _QUOTED.sub(masked, query)


@lru_cache(maxsize=1)
def _mentions() -> frozenset[str]:
    return frozenset(folded(word)[-1] for language in LANGUAGES for word in bank(language).get("mention", ()) if " " not in word)


def _more(query: str, evidence: tuple[str, ...]) -> str:
    return f"only the first {LONGEST:,} characters were read" if len(query) > LONGEST else ""
