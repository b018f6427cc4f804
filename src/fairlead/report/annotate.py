"""Labels of an annotator in a terminal: what they add up to, and how far they agree with known
ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.terminal import table
from fairlead.report.wording import WITHHELD, bounds, number, percent, withheld_note
from fairlead.statistics.wilson import wilson
from fairlead.words.counts import counted

if TYPE_CHECKING:
    from fairlead.studies.annotation import AccuracyCell, Evaluation, LabelTally

_SHARPEST, _MILDEST = 0.06, 19.0
"""Factors of a temperature beyond which none was found: all shares are right, or say nothing."""
_MOST_LISTS = 20
PERCEIVED = "Labels are perceived presentation, never identity."


def tally_view(found: LabelTally) -> RenderableType:
    """The expected count and share of each group."""
    view = table("", [("group", "left"), ("labels", "right"), ("share", "right")])
    for name, count in found.counts.items():
        shown = WITHHELD if count is None else f"{count:,.1f}" if count % 1 else f"{count:,.0f}"
        view.add_row(name, shown, "" if count is None else percent(count / max(found.labels, 1)))
    head = Text(
        f"{found.attribute} of {counted(found.labels, 'label')}, by {found.source}", style="bold"
    )
    few = [Text(withheld_note(found.least), style="dim")] if None in found.counts.values() else []
    return Group(head, view, *few, Text(PERCEIVED, style="dim"))


def lists_view(lists: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Who labelled how many items of each list."""
    names = list(lists[0]["labels"])
    view = table("", [("list", "left"), *((f"by {name}", "right") for name in names)])
    for one in lists[:_MOST_LISTS]:
        counts = (f"{one['labels'][name]:,}" for name in names)
        view.add_row(one["query"] or "the collection", *counts)
    more = len(lists) - _MOST_LISTS
    rest = [Text(f"and {counted(more, 'more list')}; see --json", style="dim")] if more > 0 else []
    return Group(view, *rest)


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
            percent(cell.answered / cell.n if cell.n else None),
            number(cell.accuracy),
            _interval(cell),
        )
    lines = (
        [f"Lowest and highest cell are {number(found.gap)} apart."] if len(found.cells) > 1 else []
    )
    lines += _ratio(found)
    if found.calibration is not None:
        c = found.calibration
        sure = "too sure" if c.factor > 1 else "not sure enough"
        better = (
            f"; with {number(c.factor, 2)} times the temperature ({sure} as it is) "
            f"{number(c.tempered)}"
        )
        found_one = _SHARPEST < c.factor < _MILDEST and c.tempered < c.error
        lines.append(
            f"Calibration error of the shares {number(c.error)}{better if found_one else ''}."
        )
    head = Text(f"{found.attribute}, by {found.source}", style="bold")
    notes = [Text(f"! {note}", style="yellow") for note in found.notes]
    return Group(head, view, _said(found), *map(Text, lines), *notes, Text(PERCEIVED, style="dim"))


def _interval(cell: AccuracyCell) -> str:
    return bounds(wilson(cell.accuracy, cell.answered))


def _ratio(found: Evaluation) -> list[str]:
    """The mean F1, and the ratio of sensitivities, where there is more than one class."""
    lines = [f"F1, mean of the classes: {number(found.f1)}."] if len(found.classes) > 1 else []
    if found.ratio is not None:
        one = found.ratio
        span = "" if math.isnan(one.ci[0]) else f" {bounds(one.ci)}"
        lines.append(
            f"rho, sensitivity for {one.above} by that for {one.below}: "
            f"{number(one.value)}{span}; 1 errs evenly."
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
