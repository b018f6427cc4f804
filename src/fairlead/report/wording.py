"""Results in words: numbers as people read them, what a row says, the sentence to remember."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fairlead.statistics.intervals import FEW_QUERIES
from fairlead.words.counts import counted, part_of

if TYPE_CHECKING:
    from fairlead.results.score import PairedRow, PerQuery, Row, ScoreResult

SEEN = 0.05
"""Below this q a difference from chance counts as seen."""
MOSTLY = 0.5
"""From this unknown mass on a row says too little for good news."""
WITHHELD = "withheld"
"""What stands in place of a count that could point at a person, or would give such a count away."""

Tone = Literal["worse", "better", "quiet", "caution"]


@dataclass(frozen=True)
class Reading:
    """How a row stands to chance, in a few words, and in which tone to show it."""

    words: str
    tone: Tone


@dataclass(frozen=True)
class Standing:
    """The queries of one metric and attribute that differ from chance after correction: their
    numbers, worst first, of how many.
    """

    found: tuple[int, ...]
    tested: int


def number(value: float | None, digits: int = 3) -> str:
    """A number for people: fixed digits, a dash where undefined."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:,.0f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def withheld_note(least: int) -> str:
    """What ``WITHHELD`` means, below a table."""
    return f"{WITHHELD}: fewer than {least}, or what would give such a count away."


def signed(value: float | None, digits: int = 3) -> str:
    """A difference for people: with its sign."""
    text = number(value, digits)
    return text if text.startswith("-") or not text.strip("0.–") else f"+{text}"


def bounds(pair: Sequence[float | None] | None) -> str:
    """An interval for people."""
    return (
        "–"
        if pair is None or any(v is None or math.isnan(v) for v in pair)
        else f"[{number(pair[0])}, {number(pair[1])}]"
    )


def probability(value: float | None) -> str:
    """A p or q value for people."""
    if value is None or math.isnan(value):
        return "–"
    return "<.001" if value < 0.001 else f"{value:.3f}"


def percent(value: float | None, digits: int = 0) -> str:
    """A share for people."""
    return "–" if value is None or math.isnan(value) else f"{100 * value:.{digits}f} %"


def reading(row: Row) -> Reading | None:
    """One row in words: how it stands to chance; None for relevance, which has no chance level
    here.
    """
    if row.null is None:
        return None
    if math.isnan(row.mean):
        return Reading("undefined", "caution")
    if row.null.get("degenerate"):
        return Reading("no chance level", "caution")
    if row.q < SEEN and row.direction == "either":
        return Reading("above chance" if row.excess > 0 else "below chance", "worse")
    if row.q < SEEN:
        return Reading("worse than chance", "worse")
    if row.unknown_mass > MOSTLY:
        return Reading("mostly unknown", "caution")
    return (
        Reading("closer than chance", "better") if _closer(row) else Reading("at chance", "quiet")
    )


def _closer(row: Row) -> bool:
    """Whether the whole interval of the excess lies on the better side of chance, over enough
    queries to trust it.
    """
    if row.direction == "either" or row.queries < FEW_QUERIES:
        return False
    return row.excess_ci[1] < 0 if row.direction == "lower" else row.excess_ci[0] > 0


def standing(part: PerQuery) -> Standing | None:
    """Which queries differ from chance after correction; None where no query has a chance level."""
    if part.q is None or part.null_mean is None:
        return None
    excess = part.value - part.null_mean
    tested = [i for i, q in enumerate(part.q) if not math.isnan(q)]
    found = sorted((i for i in tested if part.q[i] < SEEN), key=lambda i: (-abs(excess[i]), i))
    return Standing(tuple(found), len(tested)) if tested else None


def notes_of(rows: Iterable[Row | PairedRow]) -> dict[str, str]:
    """Every note of some rows once, with what it is said of."""
    said: dict[str, list[str]] = {}
    for row in rows:
        about = " · ".join(part for part in (row.variant, row.metric, row.attribute) if part)
        about = f"difference of {about}" if hasattr(row, "difference") else about
        for note in row.notes:
            said.setdefault(note, []).append(about)
    return {note: _listed(list(dict.fromkeys(about))) for note, about in said.items()}


def headline(result: ScoreResult) -> str:
    """The one sentence to remember."""
    rows = [row for row in plain_rows(result) if row.null is not None]
    if not rows:
        return _relevance_only(result)
    seen = [row for row in rows if (r := reading(row)) is not None and r.tone == "worse"]
    if seen:
        return _worst(max(seen, key=_strength), result)
    readable = [
        row for row in rows if not math.isnan(row.mean) and not (row.null or {}).get("degenerate")
    ]
    if not readable:
        return (
            f"No chance level could be taken for {_attributes(rows)}, so nothing can be said "
            "about it."
        )
    return _nothing_seen(readable)


def change(result: ScoreResult) -> str:
    """What the variants or the second run change of the strongest row, and of relevance; empty
    where there are none.
    """
    rows = [row for row in plain_rows(result) if row.null is not None]
    if not rows or not result.paired:
        return ""
    key = max(rows, key=_strength)
    pairs = [
        p
        for p in result.paired
        if (p.metric, p.attribute) == (key.metric, key.attribute) and not math.isnan(p.difference)
    ]
    if pairs and pairs[0].variant is None:
        pair = pairs[0]
        return (
            f"Against the second run, {pair.metric} on {pair.attribute} differs by "
            f"{signed(pair.difference)} {bounds(pair.ci)}."
        )
    judged = next((p.metric for p in result.paired if p.attribute is None), None)
    relevance = [p for p in result.paired if p.attribute is None and p.metric == judged]
    moved = [_brought(f"{key.metric} on {key.attribute}", pairs), _brought(str(judged), relevance)]
    return " ".join(sentence for sentence in moved if sentence)


def plain_rows(result: ScoreResult) -> list[Row]:
    """The rows of the ranking as it is: all, or those of the first variant."""
    first = result.rows[0].variant if result.rows else None
    return [row for row in result.rows if row.variant == first]


def _strength(row: Row) -> tuple[bool, float]:
    """How far a row stands from chance, on the worse side, in standard deviations of the null."""
    spread = (row.null or {}).get("sd") or math.nan
    away = (
        abs(row.excess)
        if row.direction == "either"
        else row.excess
        if row.direction == "lower"
        else -row.excess
    )
    strength = away / spread
    return (row.q < SEEN, strength if math.isfinite(strength) else -math.inf)


def _worst(row: Row, result: ScoreResult) -> str:
    null = row.null or {}
    words = (reading(row) or Reading("", "quiet")).words
    start = (
        f"{row.metric} on {row.attribute} is {number(row.mean)} where chance gives "
        f"{number(null.get('mean'))}: {words}"
    )
    part = next(
        (
            v
            for v in result.values
            if (v.metric, v.attribute, v.variant) == (row.metric, row.attribute, row.variant)
        ),
        None,
    )
    stands = None if part is None else standing(part)
    if stands is None or stands.tested < 2:
        return f"{start} (q {_compared(row.q)})."
    if not stands.found:
        return (
            f"{start} over {counted(row.queries, 'query')} together, though no single query "
            "stands out after correction."
        )
    share = part_of(len(stands.found), stands.tested, "query")
    return (
        f"{start} over all, and {share} differ from it."
        if row.direction == "either"
        else f"{start} in {share}."
    )


def _nothing_seen(rows: Sequence[Row]) -> str:
    queries = counted(max(row.queries for row in rows), "query")
    closer = [row for row in rows if (r := reading(row)) is not None and r.tone == "better"]
    if len(closer) == len(rows):
        return (
            f"Every measure on {_attributes(rows)} is closer to its ideal than chance, over "
            f"{queries}."
        )
    start = f"Nothing measured on {_attributes(rows)} is worse than chance over {queries}"
    widest = max(
        (row for row in rows if not math.isnan(row.excess_ci[1])), key=_reach, default=None
    )
    if widest is None or _upper(widest) <= 0:
        return f"{start}."
    return (
        f"{start}, but an excess of {number(_upper(widest))} ({widest.metric} on "
        f"{widest.attribute}) cannot be ruled out."
    )


def _upper(row: Row) -> float:
    """The worst excess that the interval still allows."""
    low, high = row.excess_ci
    return (
        max(abs(low), abs(high))
        if row.direction == "either"
        else high
        if row.direction == "lower"
        else -low
    )


def _reach(row: Row) -> float:
    spread = (row.null or {}).get("sd")
    return _upper(row) / spread if spread else -math.inf


def _relevance_only(result: ScoreResult) -> str:
    rows = plain_rows(result)
    if not rows:
        return "Nothing was measured."
    return (
        "; ".join(f"{row.metric} is {number(row.mean)} {bounds(row.ci)}" for row in rows[:3]) + "."
    )


def _attributes(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(str(row.attribute) for row in rows))
    shown = names[:3] + ([f"{len(names) - 3} more"] if len(names) > 3 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _brought(what: str, pairs: Sequence[PairedRow]) -> str:
    if not pairs:
        return ""
    if all(number(pair.first) == number(pair.second) for pair in pairs):
        return f"{what} stays at {number(pairs[0].second)}."
    ways = [f"{number(pair.first)} by {pair.variant}" for pair in pairs]
    listed = ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])} and {ways[-1]}"
    return f"{what} goes from {number(pairs[0].second)} to {listed}."


def _compared(q: float) -> str:
    return "< .001" if q < 0.001 else f"= {q:.3f}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
