"""What label error does to a result, in words and cells: for the terminal and the page alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlead.report.wording import Tone, bounds, number, percent, signed, worse_by
from fairlead.words.counts import counted

if TYPE_CHECKING:
    from fairlead.results.score import Row, ScoreResult

CORRECTED_HEAD = (
    "as labelled",
    "corrected",
    "95 % interval",
    "these lists",
    "excess",
    "95 % interval",
)


@dataclass(frozen=True)
class Line:
    """One row of a table: of what, its cells, and the tone of its reading."""

    metric: str
    attribute: str
    cells: tuple[str, ...]
    words: str
    tone: Tone


def corrected_lines(result: ScoreResult) -> list[Line]:
    """Rows that were corrected: as labelled, corrected, intervals, and how the corrected excess
    stands to chance.
    """
    lines = []
    for row in result.rows:
        if row.corrected is None:
            continue
        c = row.corrected
        cells = (
            number(row.mean),
            number(c["mean"]),
            bounds(c["ci"]),
            bounds(c["lists_ci"]),
            signed(c["excess"]),
            bounds(c["excess_ci"]),
        )
        words, tone = _stands(row, c["excess_ci"])
        lines.append(Line(row.metric, row.attribute or "", cells, words, tone))
    return lines


def overturn_lines(result: ScoreResult) -> list[Line]:
    """How wrong labels would have to be for each row to read otherwise."""
    lines = []
    for row in result.rows:
        if row.label_error is None:
            continue
        reads = row.label_error["reads"]
        cells = (_rate(row.label_error["any"]), _sides(row.label_error["one_sided"]))
        tone: Tone = "worse" if reads.startswith("worse") else "quiet"
        lines.append(Line(row.metric, row.attribute or "", cells, reads, tone))
    return lines


def precision_lines(result: ScoreResult) -> list[str]:
    """What the sample says of the labeller, a sentence for each attribute."""
    found = []
    for attribute, about in result.manifest.get("label_sample", {}).items():
        parts = [
            (
                f"{percent(p['precision'])} [{percent(p['ci'][0])}, {percent(p['ci'][1])}] of "
                f"'{name}' ({p['labelled']})"
            )
            for name, p in about["predicted"].items()
        ]
        sample = f"{counted(about['labelled'], 'item')} of {about['sample']}"
        found.append(f"{attribute}: of the {sample}, labels are right in {'; '.join(parts)}.")
    return found


def notes_of(rows: Iterable[Row]) -> dict[str, str]:
    """Every note on a correction once, with the attributes it is said of."""
    said: dict[str, list[str]] = {}
    for row in rows:
        for note in (row.corrected or {}).get("notes", ()):
            said.setdefault(note, []).append(str(row.attribute))
    return {note: ", ".join(dict.fromkeys(names)) for note, names in said.items()}


def _stands(row: Row, interval: Sequence[float]) -> tuple[str, Tone]:
    """How the corrected excess stands to chance, by its interval."""
    low, high = interval
    # Too few queries give NaN for both ends, of which neither is below the other.
    if not low <= high:
        return "too few queries to say", "caution"
    if low <= 0 <= high:
        return "may be chance", "quiet"
    if row.direction == "either":
        return "above chance" if low > 0 else "below chance", "worse"
    # The interval lies on one side of 0 as a whole: either end says on which.
    if worse_by(low, row.direction) > 0:
        return "worse than chance", "worse"
    return "closer than chance", "better"


def _rate(rate: float | None) -> str:
    # No rate is given where half of the labels being wrong would not be enough.
    if rate is None:
        return "over half"
    # Two digits in any case: from 9.95 % on, one after the point would be the third.
    return percent(rate, 1 if rate < 0.0995 else 0)


def _sides(sides: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_rate(rate)}" for name, rate in sides.items())
