"""How good the trigger is, measured on labelled queries of our own.

Half of them were never looked at while the rules were written. The precision of a class is counted
over the queries that its rules leave alone, recall over the queries that belong to it, each query
once: a query is right only if all attributes that were left should be. Intervals are Wilson's,
95 %.
"""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from fairlead.errors import unknown_name
from fairlead.trigger.decision import Choice, Decision
from fairlead.trigger.trigger import ATTRIBUTES, Trigger

Half = Literal["development", "test"]
KINDS = ("neutral", "explicit", "named", "historical", "non-person", "ambiguous")
_WANTED: dict[str, Choice] = {"neutral": "diversify", "ambiguous": "unsure"}


@dataclass(frozen=True)
class Case:
    """A labelled query: its set, language and kind, and the wanted decision on each attribute.

    The first set was written before the rules, the second after them, to break them.
    """

    query: str
    part: str
    language: str
    kind: str
    wanted: tuple[tuple[str, Choice], ...]

    @property
    def half(self) -> Half:
        """Decided by a hash of the query, so that it never changes."""
        if hashlib.sha256(self.query.encode()).digest()[0] % 2 == 0:
            return "development"
        return "test"


@cache
def labelled(half: Half | None = None) -> tuple[Case, ...]:
    """The labelled queries, or half of them."""
    if half is not None and half not in get_args(Half):
        raise unknown_name("half of the labelled queries", half, get_args(Half))
    text = (files("fairlead.trigger") / "queries.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    choices: dict[str, Choice] = {choice: choice for choice in get_args(Choice)}
    read = [
        Case(
            r["query"],
            r["set"],
            r["language"],
            r["kind"],
            tuple((a, choices[r[a]]) for a in ATTRIBUTES),
        )
        for r in rows
    ]
    return tuple(one for one in read if half is None or one.half == half)


@dataclass(frozen=True)
class Share:
    """A share of queries with its Wilson interval; NaN where there are none."""

    right: int
    of: int

    @property
    def value(self) -> float:
        """The share."""
        if not self.of:
            return math.nan
        return self.right / self.of

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        if not self.of:
            return math.nan, math.nan
        z2 = 1.959964**2
        scale = 1 + z2 / self.of
        centre = (self.value + z2 / (2 * self.of)) / scale
        variance = self.value * (1 - self.value) / self.of
        half = math.sqrt(z2 * (variance + z2 / (4 * self.of**2))) / scale
        return max(0.0, centre - half), min(1.0, centre + half)

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {"share": self.value, "right": self.right, "of": self.of, "ci": list(self.interval)}


@dataclass(frozen=True)
class DecisionRow:
    """Precision and recall of one decision on some queries."""

    name: str
    decision: Choice
    queries: int
    precision: Share
    recall: Share

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "name": self.name,
            "decision": self.decision,
            "queries": self.queries,
            "precision": self.precision.to_dict(),
            "recall": self.recall.to_dict(),
        }


@dataclass(frozen=True)
class TriggerEvaluation:
    """How a trigger does on labelled queries.

    Attributes:
        queries: How many.
        right: Queries with the wanted decision on every attribute.
        bar: ``leave`` by the rules for explicit and for named queries, together.
        kinds: One row a kind of query.
        languages: Two rows a language: ``leave`` and ``diversify``.
        wrong: Decisions that differ from what was wanted, with what was.
    """

    queries: int
    right: Share
    bar: DecisionRow
    kinds: tuple[DecisionRow, ...]
    languages: tuple[DecisionRow, ...]
    wrong: tuple[tuple[Decision, Choice], ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "queries": self.queries,
            "right": self.right.to_dict(),
            "explicit_and_named": self.bar.to_dict(),
            "kinds": [row.to_dict() for row in self.kinds],
            "languages": [row.to_dict() for row in self.languages],
        }


def evaluate(trigger: Trigger, cases: Sequence[Case]) -> TriggerEvaluation:
    """Hold a trigger against labelled queries."""
    columns = [trigger([c.query for c in cases], attribute) for attribute in ATTRIBUTES]
    decided = [
        _Told(case, decisions)
        for case, decisions in zip(cases, zip(*columns, strict=True), strict=True)
    ]
    languages = tuple(dict.fromkeys(case.language for case in cases))
    choices: tuple[Choice, ...] = ("leave", "diversify")
    by_language = [
        _row(name, choice, [t for t in decided if t.case.language == name])
        for name in languages
        for choice in choices
    ]
    return TriggerEvaluation(
        len(cases),
        Share(sum(not t.wrong for t in decided), len(decided)),
        _row(
            "explicit and named",
            "leave",
            decided,
            families=("explicit", "named"),
            kinds=("explicit", "named"),
        ),
        tuple(
            _row(kind, _WANTED.get(kind, "leave"), decided, families=_families(kind), kinds=(kind,))
            for kind in KINDS
        ),
        tuple(by_language),
        tuple(pair for t in decided for pair in t.wrong),
    )


@dataclass(frozen=True)
class _Told:
    """A labelled query with the decisions on every attribute."""

    case: Case
    decisions: Sequence[Decision]

    @property
    def wrong(self) -> list[tuple[Decision, Choice]]:
        return [
            (d, wanted)
            for d, (_, wanted) in zip(self.decisions, self.case.wanted, strict=True)
            if d.decision != wanted
        ]

    def taken(self, choice: Choice, counts: Callable[[Decision], bool]) -> list[Choice]:
        """What was wanted where a choice was made."""
        return [
            w
            for d, (_, w) in zip(self.decisions, self.case.wanted, strict=True)
            if d.decision == choice and counts(d)
        ]

    def found(self, choice: Choice) -> list[bool]:
        """Where a choice was wanted, whether it was made."""
        return [
            d.decision == choice
            for d, (_, w) in zip(self.decisions, self.case.wanted, strict=True)
            if w == choice
        ]


def _families(kind: str) -> tuple[str, ...] | None:
    if kind in ("neutral", "ambiguous"):
        return None
    return (kind,)


def _row(
    name: str,
    choice: Choice,
    cases: Sequence[_Told],
    *,
    families: tuple[str, ...] | None = None,
    kinds: tuple[str, ...] | None = None,
) -> DecisionRow:
    """Precision and recall of one decision.

    Precision is over the queries that rules of some ``families`` decide this way, recall over those
    of some ``kinds`` for which it is right.
    """
    taken = [
        wanted
        for t in cases
        if (wanted := t.taken(choice, lambda d: families is None or d.family in families))
    ]
    wanted_cases = [
        found for t in cases if kinds is None or t.case.kind in kinds if (found := t.found(choice))
    ]
    queries = sum(kinds is None or t.case.kind in kinds for t in cases)
    precise = Share(sum(all(w == choice for w in wanted) for wanted in taken), len(taken))
    return DecisionRow(
        name, choice, queries, precise, Share(sum(map(all, wanted_cases)), len(wanted_cases))
    )
