"""The trigger: rules in order of precedence, of which the first that applies decides.

    list > nothing asked > one person > the past > nobody > no person
         > said > likeness, perhaps a name > a range asked for > implied > place > hint > neutral

What a query says of the attribute comes before any doubt about who is asked for: a statue of a
woman is a woman's. Where no rule knows a word, the encoder may give a second opinion.

Source: our own rules, after the lesson that a mitigation must know the queries "that should clearly
not show a range".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fairlead.errors import UsageError
from fairlead.trigger import explicit
from fairlead.trigger.asking import asked_for
from fairlead.trigger.decision import RULES, Decision, Said
from fairlead.trigger.leaving import Leave
from fairlead.trigger.named import named
from fairlead.trigger.past import past
from fairlead.trigger.reading import read
from fairlead.trigger.scene import QueryScene
from fairlead.trigger.tokens import LONGEST, folded
from fairlead.words import LANGUAGES, bank

ATTRIBUTES = {
    "gender": ("gender", "sex", "presentation", "perceived_gender"),
    "skin": (
        "skin",
        "skin_tone",
        "skintone",
        "tone",
        "monk",
        "fitzpatrick",
        "ethnicity",
        "race",
        "nationality",
    ),
    "age": ("age", "age_group", "ages"),
}
"""The attributes that the rules have words for, and the names they go by."""
_ALIASES = {alias: name for name, aliases in ATTRIBUTES.items() for alias in aliases}
_QUOTED = re.compile(r"\"([^\"]*)\"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|「([^」]*)」")
_WHOLE = re.compile(r"\s*(?:\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」|'[^']*'|‘[^’]*’)\s*")
# Letters before a quotation in which it may be called a word or a sign
_NEAR = 60
# Genders in brackets, as in advertisements
_ASIDE = (
    (re.compile(r"\([mwfhdx](?:/[mwfhdx])+\)", re.IGNORECASE), " all genders "),
    (re.compile(r"\([fw]\)", re.IGNORECASE), " female "),
    (re.compile(r"\(m\)", re.IGNORECASE), " male "),
)
Second = Callable[[Sequence[str], str], Sequence[Said | None]]
"""A second opinion on queries whose words no rule knows: a rule and its evidence for each, or None.
"""


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

    def __call__(
        self, queries: Sequence[str], attribute: str = "gender", groups: Sequence[str] = ()
    ) -> tuple[Decision, ...]:
        """One decision a query.

        Args:
            queries: Texts.
            attribute: What would be diversified; ``gender*skin`` is left where one of its parts is.
            groups: The names of the groups, for attributes the rules have no words for.
        """
        if isinstance(queries, str):
            raise UsageError("Queries must be a list of texts, not one text.", "Write [query].")
        # an intersection is left alone where one of its parts is
        parts = [part.strip() for part in attribute.split("*")]
        if not all(parts):
            raise UsageError(
                f"'{attribute}' is no attribute.", "Write gender, skin, age, or gender*skin."
            )
        columns = [self._decided(queries, attribute, part, groups) for part in parts]
        return tuple(
            min(row, key=lambda d: _STRICT.index(d.decision)) for row in zip(*columns, strict=True)
        )

    def _decided(
        self, queries: Sequence[str], attribute: str, part: str, groups: Sequence[str]
    ) -> list[Decision]:
        ruled = [self._rule(query, part, groups) for query in queries]
        rules = [said for said, _ in ruled]
        unknown = [at for at, (rule, _) in enumerate(rules) if rule in _UNKNOWN]
        # the encoder is only asked where no rule knows a word: rules have reasons that people can
        # read
        if self.second is not None and unknown:
            opinions = self.second(
                [queries[at] for at in unknown], _ALIASES.get(part.casefold(), part)
            )
            for at, said in zip(unknown, opinions, strict=True):
                rules[at] = said or rules[at]
        more = [
            ", ".join(filter(None, (caveat, _more(query))))
            for query, (_, caveat) in zip(queries, ruled, strict=True)
        ]
        return [
            Decision.by(rule, query, attribute, evidence, add)
            for query, (rule, evidence), add in zip(queries, rules, more, strict=True)
        ]

    def _rule(self, query: str, part: str, groups: Sequence[str]) -> tuple[Said, str]:
        if not isinstance(query, str):
            raise UsageError(f"A query must be text, not {type(query).__name__}.")
        listed = self.leave.match(query)
        if listed is not None:
            return ("listed", (listed,)), ""
        return _ruled(query[: LONGEST + 1], _ALIASES.get(part.casefold(), ""), tuple(groups))


_STRICT = ("leave", "unsure", "diversify")
# Rules that a second opinion is asked after
_UNKNOWN = ("unknown", "guess")
# What is added to a reason where a word for a group settles a doubt
_CAVEATS = {
    "depiction": "a likeness",
    "maybe-name": "perhaps a name",
    "past-today": "the past in the present",
}
# Letters of the doubtful word that a caveat shows
_SHOWN = 60


@lru_cache(maxsize=4096)
def _ruled(query: str, attribute: str, groups: tuple[str, ...]) -> tuple[Said, str]:
    """The rule that decides on one attribute, and a caveat; '' is an attribute without words."""
    if not query.strip():
        return ("empty", ()), ""
    scene = _scene(query)
    if not any(t.text[:1].isalpha() or t.kind != "word" for t in scene.reading.tokens):
        return ("no-words", ()), ""
    if not attribute:
        return _other(scene, groups), ""
    asked = asked_for(scene)
    if asked is None:
        return _attribute(scene, attribute), ""
    rule, seen = asked
    # a word for the group settles a doubt, and never what is certain
    words: tuple[str, ...] = ()
    if RULES[rule][0] == "unsure":
        words = explicit.said(scene, attribute)
    if not words:
        return asked, ""
    caveat = ""
    if rule in _CAVEATS:
        caveat = f"{_CAVEATS[rule]}: {seen[0][:_SHOWN]}"
    return ("explicit", words), caveat


@lru_cache(maxsize=1024)
def _scene(query: str) -> QueryScene:
    return QueryScene(read(_asked(query)))


def _attribute(scene: QueryScene, attribute: str) -> Said:
    """The decision that follows from what the query says of the attribute."""
    if words := explicit.said(scene, attribute):
        return "explicit", words
    if ranged := explicit.ranged(scene, attribute):
        return "range-asked", ranged
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


def _other(scene: QueryScene, groups: tuple[str, ...]) -> Said:
    """The decision on an attribute without words of ours.

    Its groups may be named. People of name or of the past are left alone.
    """
    asked = {t.text for t in scene.reading.tokens}
    named_groups = [
        group
        for group in groups
        if all(part in asked for word in group.replace("-", " ").split() for part in folded(word))
    ]
    if named_groups and len(named_groups) < len(groups):
        return "group-named", tuple(named_groups)
    return named(scene) or past(scene) or ("other-attribute", ())


def _asked(query: str) -> str:
    """The query without words that are only mentioned, as in: the word "woman" on a poster."""
    if len(query) > LONGEST:
        query = query[:LONGEST]
    if _WHOLE.fullmatch(query):
        query = query.strip()[1:-1]
    for pattern, word in _ASIDE:
        query = pattern.sub(word, query)
    mentions = _mentions()

    def masked(match: re.Match[str]) -> str:
        before = [
            folded(w)[-1]
            for w in re.findall(r"\w+", query[max(0, match.start() - _NEAR) : match.start()])[-2:]
        ]
        if any(word in mentions for word in before):
            return " "
        return match[0]

    return _QUOTED.sub(masked, query)


@lru_cache(maxsize=1)
def _mentions() -> frozenset[str]:
    return frozenset(
        folded(word)[-1]
        for language in LANGUAGES
        for word in bank(language).get("mention", ())
        if " " not in word
    )


def _more(query: str) -> str:
    if len(query) > LONGEST:
        return f"only the first {LONGEST:,} characters were read"
    return ""
