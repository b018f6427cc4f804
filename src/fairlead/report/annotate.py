"""Labels of an annotator in a terminal: what they add up to, and how far they agree with known
ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.terminal import dim, table, warned
from fairlead.report.wording import WITHHELD, bounds, number, percent, withheld_note
from fairlead.statistics.wilson import wilson
from fairlead.words.counts import counted

if TYPE_CHECKING:
    from fairlead.studies.annotation import AccuracyCell, Evaluation, LabelCalibration, LabelTally

_SHARPEST, _MILDEST = 0.06, 19.0
"""Factors of a temperature beyond which none was found: all shares are right, or say nothing."""
_MOST_LISTS = 20
PERCEIVED = "Labels are perceived presentation, never identity."


def tally_view(found: LabelTally) -> RenderableType:
    """The expected count and share of each group."""
    view = table("", [("group", "left"), ("labels", "right"), ("share", "right")])
    for name, count in found.counts.items():
        view.add_row(name, *_count(count, found.labels))
    head = Text(
        f"{found.attribute} of {counted(found.labels, 'label')}, by {found.source}", style="bold"
    )
    foot = [PERCEIVED]
    if None in found.counts.values():
        foot.insert(0, withheld_note(found.least))
    return Group(head, view, *dim(*foot))


def _count(count: float | None, labels: int) -> tuple[str, str]:
    """The labels of a group, and their share; of soft labels the count is an expected one."""
    # The share would give a withheld count away.
    if count is None:
        return WITHHELD, ""
    share = percent(count / max(labels, 1))
    if count % 1:
        return f"{count:,.1f}", share
    return f"{count:,.0f}", share


def lists_view(lists: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Who labelled how many items of each list."""
    names = list(lists[0]["labels"])
    view = table("", [("list", "left"), *((f"by {name}", "right") for name in names)])
    for one in lists[:_MOST_LISTS]:
        counts = (f"{one['labels'][name]:,}" for name in names)
        view.add_row(one["query"] or "the collection", *counts)
    more = len(lists) - _MOST_LISTS
    if more <= 0:
        return view
    return Group(view, *dim(f"and {counted(more, 'more list')}; see --json"))


def evaluation_view(found: Evaluation) -> RenderableType:
    """Accuracy overall and in every cell, what was said of each group, and calibration."""
    view = table(
        "",
        [
            ("items", "left"),
            ("n", "right"),
            ("answered", "right"),
            ("accuracy", "right"),
            ("95 % interval", "right"),
        ],
    )
    for cell in (found.overall, *found.cells):
        view.add_row(
            cell.group,
            f"{cell.n:,}",
            _answered(cell),
            number(cell.accuracy),
            _interval(cell),
        )
    lines: list[str] = []
    if len(found.cells) > 1:
        lines.append(f"Lowest and highest cell are {number(found.gap)} apart.")
    lines += _ratio(found)
    if found.calibration is not None:
        lines.append(_calibrated(found.calibration))
    head = Text(f"{found.attribute}, by {found.source}", style="bold")
    rest = [*warned(found.notes), *dim(PERCEIVED)]
    return Group(head, view, _said(found), *map(Text, lines), *rest)


def _calibrated(c: LabelCalibration) -> str:
    """How far shares are from frequencies, and what another temperature would make of it."""
    said = f"Calibration error of the shares {number(c.error)}"
    # At either end of the search no temperature was found: nothing is promised of it.
    if not (_SHARPEST < c.factor < _MILDEST and c.tempered < c.error):
        return f"{said}."
    sure = "too sure" if c.factor > 1 else "not sure enough"
    return (
        f"{said}; with {number(c.factor, 2)} times the temperature ({sure} as it is) "
        f"{number(c.tempered)}."
    )


def _answered(cell: AccuracyCell) -> str:
    if not cell.n:
        return percent(None)
    return percent(cell.answered / cell.n)


def _interval(cell: AccuracyCell) -> str:
    return bounds(wilson(cell.accuracy, cell.answered))


def _ratio(found: Evaluation) -> list[str]:
    """The mean F1, and the ratio of sensitivities, where there is more than one class."""
    lines = []
    if len(found.classes) > 1:
        lines.append(f"F1, mean of the classes: {number(found.f1)}.")
    if found.ratio is not None:
        one = found.ratio
        value = number(one.value)
        if not math.isnan(one.ci[0]):
            value = f"{value} {bounds(one.ci)}"
        lines.append(
            f"rho, sensitivity for {one.above} by that for {one.below}: {value}; 1 errs evenly."
        )
    return lines


def _said(found: Evaluation) -> RenderableType:
    """Rows: known classes; columns: what was said of them, and how well each is recognised."""
    names = list(next(iter(found.confusion.values()), {}))
    scores = ("sensitivity", "precision", "F1")
    heads = [*(f"said {name}" for name in names), *scores]
    view = table("", [("known as", "left"), *((head, "right") for head in heads)])
    classes = {one.name: one for one in found.classes}
    for true, row in found.confusion.items():
        one = classes[true]
        counts = (f"{row[name]:,}" for name in names)
        view.add_row(true, *counts, *map(number, (one.sensitivity, one.precision, one.f1)))
    return view
