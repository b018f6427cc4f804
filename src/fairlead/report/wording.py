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


UNREAD = Reading("", "quiet")
"""Stands in for the reading of a row that has none."""


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
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    text = f"{value:.{digits}f}"
    # What rounds to zero has no sign: "-0.000" would tell of a difference that is not shown.
    if not text.strip("-0."):
        return text.lstrip("-")
    return text


def withheld_note(least: int) -> str:
    """What ``WITHHELD`` means, below a table."""
    return f"{WITHHELD}: fewer than {least}, or what would give such a count away."


def signed(value: float | None, digits: int = 3) -> str:
    """A difference for people: with its sign."""
    text = number(value, digits)
    if text.startswith("-") or not text.strip("0.–"):
        return text
    return f"+{text}"


def bounds(pair: Sequence[float | None] | None) -> str:
    """An interval for people."""
    if pair is None or any(v is None or math.isnan(v) for v in pair):
        return "–"
    return f"[{number(pair[0])}, {number(pair[1])}]"


def range_of(low: int, high: int) -> str:
    """Counts from the least to the most; one number where all are the same."""
    if low == high:
        return f"{high:,}"
    return f"{low:,}–{high:,}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = names
    if not first:
        return last
    return f"{', '.join(first)} and {last}"


def shortened(text: str, most: int) -> str:
    """A text of at most so many letters, with an ellipsis for what is cut off.

    >>> shortened("nurse", 5), shortened("nurses", 5)
    ('nurse', 'nurs…')
    """
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…"


def probability(value: float | None) -> str:
    """A p or q value for people."""
    if value is None or math.isnan(value):
        return "–"
    # A sample counts the observation itself, so that p is never 0; three digits would say it is.
    if value < 0.001:
        return "<.001"
    return f"{value:.3f}"


def percent(value: float | None, digits: int = 0) -> str:
    """A share for people."""
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.{digits}f} %"


def worse_by(difference: float, direction: str) -> float:
    """A difference turned so that more of it is worse: signed metrics are worse on both sides."""
    if direction == "either":
        return abs(difference)
    if direction == "lower":
        return difference
    return -difference


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
    # A difference that is seen is told first: unknown labels only take good news away.
    if row.q < SEEN and row.direction == "either":
        return Reading("above chance" if row.excess > 0 else "below chance", "worse")
    if row.q < SEEN:
        return Reading("worse than chance", "worse")
    if row.unknown_mass > MOSTLY:
        return Reading("mostly unknown", "caution")
    if _closer(row):
        return Reading("closer than chance", "better")
    return Reading("at chance", "quiet")


def _closer(row: Row) -> bool:
    """Whether the whole interval of the excess lies on the better side of chance, over enough
    queries to trust it.
    """
    # The mean of a signed metric is near chance too where lists lean to both sides.
    if row.direction == "either" or row.queries < FEW_QUERIES:
        return False
    low, high = row.excess_ci
    if row.direction == "lower":
        return high < 0
    return low > 0


def standing(part: PerQuery) -> Standing | None:
    """Which queries differ from chance after correction; None where no query has a chance level."""
    if part.q is None or part.null_mean is None:
        return None
    excess = part.value - part.null_mean
    tested = [i for i, q in enumerate(part.q) if not math.isnan(q)]
    if not tested:
        return None
    found = sorted((i for i in tested if part.q[i] < SEEN), key=lambda i: (-abs(excess[i]), i))
    return Standing(tuple(found), len(tested))


def notes_of(rows: Iterable[Row | PairedRow]) -> dict[str, str]:
    """Every note of some rows once, with what it is said of."""
    said: dict[str, list[str]] = {}
    for row in rows:
        about = " · ".join(part for part in (row.variant, row.metric, row.attribute) if part)
        if hasattr(row, "difference"):
            about = f"difference of {about}"
        for note in row.notes:
            said.setdefault(note, []).append(about)
    return {note: _first_few(list(dict.fromkeys(about))) for note, about in said.items()}


def headline(result: ScoreResult) -> str:
    """The one sentence to remember."""
    rows = [row for row in plain_rows(result) if row.null is not None]
    if not rows:
        return _relevance_only(result)
    seen = [row for row in rows if _tone(row) == "worse"]
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
    # The first relevance metric that was asked for speaks for all of them.
    judged = next((p.metric for p in result.paired if p.attribute is None), None)
    relevance = [p for p in result.paired if p.attribute is None and p.metric == judged]
    moved = [_brought(f"{key.metric} on {key.attribute}", pairs), _brought(str(judged), relevance)]
    return " ".join(sentence for sentence in moved if sentence)


def plain_rows(result: ScoreResult) -> list[Row]:
    """The rows of the ranking as it is: all, or those of the first variant."""
    if not result.rows:
        return []
    first = result.rows[0].variant
    return [row for row in result.rows if row.variant == first]


def _tone(row: Row) -> Tone:
    return (reading(row) or UNREAD).tone


def _strength(row: Row) -> tuple[bool, float]:
    """How far a row stands from chance, on the worse side, in standard deviations of the null."""
    spread = (row.null or {}).get("sd") or math.nan
    strength = worse_by(row.excess, row.direction) / spread
    # NaN is neither more nor less than anything: max() would depend on the order of the rows.
    if not math.isfinite(strength):
        strength = -math.inf
    return (row.q < SEEN, strength)


def _worst(row: Row, result: ScoreResult) -> str:
    null = row.null or {}
    words = (reading(row) or UNREAD).words
    start = (
        f"{row.metric} on {row.attribute} is {number(row.mean)} where chance gives "
        f"{number(null.get('mean'))}: {words}"
    )
    stands = next(
        (
            standing(v)
            for v in result.values
            if (v.metric, v.attribute, v.variant) == (row.metric, row.attribute, row.variant)
        ),
        None,
    )
    # "1 of 1 queries" would repeat the row itself; its q says more.
    if stands is None or stands.tested < 2:
        return f"{start} (q {_compared(row.q)})."
    if not stands.found:
        return (
            f"{start} over {counted(row.queries, 'query')} together, though no single query "
            "stands out after correction."
        )
    share = part_of(len(stands.found), stands.tested, "query")
    # A signed mean says one side, while single queries may lean to the other.
    if row.direction == "either":
        return f"{start} over all, and {share} differ from it."
    return f"{start} in {share}."


def _nothing_seen(rows: Sequence[Row]) -> str:
    queries = counted(max(row.queries for row in rows), "query")
    closer = [row for row in rows if _tone(row) == "better"]
    if len(closer) == len(rows):
        return (
            f"Every measure on {_attributes(rows)} is closer to its ideal than chance, over "
            f"{queries}."
        )
    start = f"Nothing measured on {_attributes(rows)} is worse than chance over {queries}"
    # Nothing seen is no promise of absence: the largest excess still possible is named.
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
    return max(worse_by(end, row.direction) for end in row.excess_ci)


def _reach(row: Row) -> float:
    spread = (row.null or {}).get("sd")
    if not spread:
        return -math.inf
    return _upper(row) / spread


def _relevance_only(result: ScoreResult) -> str:
    rows = plain_rows(result)
    if not rows:
        return "Nothing was measured."
    said = "; ".join(f"{row.metric} is {number(row.mean)} {bounds(row.ci)}" for row in rows[:3])
    return f"{said}."


def _attributes(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(str(row.attribute) for row in rows))
    shown = names[:3]
    if len(names) > 3:
        shown.append(f"{len(names) - 3} more")
    return listed(shown)


def _brought(what: str, pairs: Sequence[PairedRow]) -> str:
    if not pairs:
        return ""
    # Compared as they are printed: "goes from 0.250 to 0.250" would be nonsense.
    if all(number(pair.first) == number(pair.second) for pair in pairs):
        return f"{what} stays at {number(pairs[0].second)}."
    ways = [f"{number(pair.first)} by {pair.variant}" for pair in pairs]
    return f"{what} goes from {number(pairs[0].second)} to {listed(ways)}."


def _compared(q: float) -> str:
    if q < 0.001:
        return "< .001"
    return f"= {q:.3f}"


def _first_few(names: Sequence[str]) -> str:
    said = ", ".join(names[:4])
    if len(names) > 4:
        said += f" and {len(names) - 4} more"
    return said
