"""Small panels side by side: dots with intervals, or lines of them, over the same axes. One page,
no scripts, nothing from elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fairlead.report.charts import Axis, axis_ticks, upper_end
from fairlead.report.html import as_html
from fairlead.report.wording import number

COLOURS = 6
"""Lines that have a colour of their own; further ones take turns."""
_LETTER, _LINE = 1.9, 6.5
"""The width of a letter and the height of a line of text, in percent of a panel of ordinary size.
"""
_LONG = 28
"""Letters from which on a cell is read as words."""
_SHIFTS = (-6.5, 6.5, -13.0, 13.0)
Span = tuple[float, float]


@dataclass(frozen=True)
class Dot:
    """A value in both directions, with intervals where there are any; ``name`` is written beside it
    where there is room.

    Intervals of a ``shy`` dot are drawn only while it is pointed at, for panels that would drown in
    them. Dots of the colours ``bound`` and ``ideal`` are not drawn: only their line is.
    """

    x: float
    y: float
    x_ci: Span = (math.nan, math.nan)
    y_ci: Span = (math.nan, math.nan)
    colour: int | str = 0
    open: bool = False
    name: str = ""
    words: str = ""
    shy: bool = False


@dataclass(frozen=True)
class Rule:
    """A line across a panel: ``along`` the x axis at a y, or up at an x."""

    at: float
    text: str = ""
    along: bool = True
    dashed: bool = True
    colour: int | str = "rule"


@dataclass(frozen=True)
class Scale:
    """An axis: its label, its ends, whether it is logarithmic."""

    label: str
    low: float
    high: float
    log: bool = False

    def axis(self, *, flip: bool = False) -> Axis:
        """The line values are placed on."""
        return Axis(self._of(self.low), self._of(self.high), flip)

    def at(self, value: float, *, flip: bool = False) -> float:
        """Where a value lies, in percent."""
        return self.axis(flip=flip).at(self._of(value))

    def ticks(self, *, flip: bool = False) -> list[tuple[float, str]]:
        """Round values to write on it."""
        if not self.log:
            return axis_ticks(self.axis(flip=flip), self.low, self.high)
        steps = [m * 10.0**power for power in range(-6, 7) for m in (1, 2, 5)]
        kept = [step for step in steps if self.low * 0.999 <= step <= self.high * 1.001]
        return [(self.at(step, flip=flip), f"{step:g}") for step in kept[:: max(1, len(kept) // 6)]]

    def _of(self, value: float) -> float:
        if not self.log:
            return value
        # 0 has no logarithm: it lies at the lower edge, as all that is outside does.
        return math.log10(max(value, 1e-9))


@dataclass(frozen=True)
class Panel:
    """One panel: lines of dots (a line of one dot each is a scatter), and rules."""

    title: str
    note: str
    x: Scale
    y: Scale
    lines: tuple[tuple[Dot, ...], ...]
    rules: tuple[Rule, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class Page:
    """A page of panels.

    Attributes:
        title: What the page is about, for the tab.
        headline: The one sentence to remember.
        lead: What else to know first.
        panels: The panels.
        legend: Colours and what they stand for; a colour with `` round`` behind it is shown as a
            dot, others as a line.
        tables: Tables below: title, headings, rows of cells; the first cell is a heading. A second
            line of a cell is in small print.
        notes: What must be known before a number is quoted.
        reading: Terms and what they mean.
    """

    title: str
    headline: str
    lead: str
    panels: tuple[Panel, ...]
    legend: tuple[tuple[int | str, str], ...] = ()
    tables: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = ()
    notes: tuple[str, ...] = ()
    reading: tuple[tuple[str, str], ...] = ()


def scale_of(
    label: str, values: Iterable[float], *, least: Span | None = None, log: bool = False
) -> Scale:
    """An axis that holds all finite values, and at least a span."""
    known = [float(v) for v in values if math.isfinite(v) and (v > 0 or not log)]
    known += list(least or ())
    low, high = min(known, default=0.0), max(known, default=1.0)
    if log:
        return Scale(label, low / 1.1, high * 1.1, True)
    return Scale(label, low, upper_end(low, high))


def page(made: Page) -> str:
    """The page as HTML."""
    tables = [(*table, _wordy(table[2])) for table in made.tables]
    return as_html(
        "small_panels.html.j2",
        _minus,
        made=made,
        panels=[_placed(panel) for panel in made.panels],
        tables=tables,
    )


def _minus(text: str) -> str:
    """A number or an interval with minus signs; words keep their hyphens."""
    if text[:1] == "-" or text[:2] in ("[-", "+-"):
        return text.replace("-", "−")
    return text


def _wordy(rows: Sequence[Sequence[str]]) -> frozenset[int]:
    """Columns of a table that hold words, not numbers."""
    return frozenset(at for row in rows for at, cell in enumerate(row) if at and len(cell) > _LONG)


def _placed(panel: Panel) -> dict[str, Any]:
    """A panel in percent of its field."""
    lines = [[_dot(dot, panel) for dot in line] for line in panel.lines]
    dots = [dot for line in lines for dot in line]
    steps = [(a, b) for line in lines for a, b in pairwise(line)]
    # The text of a rule stands on the side where fewer dots are.
    left = sum(dot["x"] < 35 for dot in dots) <= sum(dot["x"] > 65 for dot in dots)
    rules = []
    for r in panel.rules:
        rule = {
            "along": r.along,
            "text": r.text,
            "dashed": r.dashed,
            "colour": r.colour,
            "left": left,
        }
        if r.along:
            rules.append(rule | {"at": panel.y.at(r.at, flip=True)})
        else:
            at = panel.x.at(r.at)
            rules.append(rule | {"at": at} | _beside(r.text, at, dots, steps))
    ticks = {"across": panel.x.ticks(), "along": panel.y.ticks(flip=True)}
    return {
        "panel": panel,
        "dots": dots,
        "steps": steps,
        "rules": rules,
        "labels": _labels(dots),
        **ticks,
    }


def _beside(
    text: str, at: float, dots: Sequence[Mapping[str, Any]], steps: Sequence[Any]
) -> dict[str, Any]:
    """Where the text of an upright rule covers the least: at its foot or its head, right or left of
    it.
    """
    wide = 1.0 + _LETTER * len(text)
    lines = [
        (a["x"] + s * (b["x"] - a["x"]), a["y"] + s * (b["y"] - a["y"]))
        for a, b in steps
        for s in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    spots = [(dot["x"], dot["y"]) for dot in dots]
    # The first of equal places is taken: right of the rule, at its foot.
    options = [(y, right) for right in (True, False) for y in (96.0, 5.0)]

    def covered(option: tuple[float, bool]) -> tuple[bool, int, int]:
        y, right = option
        low = at if right else at - wide
        high = low + wide
        count = [
            sum(low - 2 < x < high + 2 and abs(y - other) < _LINE for x, other in places)
            for places in (spots, lines)
        ]
        # Text outside of the field cannot be read at all, and a covered dot is worse than a line.
        return low < -1 or high > 101, count[0], count[1]

    y, right = min(options, key=covered)
    return {"y": y, "right": right}


def _dot(dot: Dot, panel: Panel) -> dict[str, Any]:
    return {
        "x": panel.x.at(dot.x),
        "y": panel.y.at(dot.y, flip=True),
        "colour": dot.colour,
        "open": dot.open,
        "words": dot.words,
        "across": _reach(panel.x, dot.x_ci, flip=False),
        "along": _reach(panel.y, dot.y_ci, flip=True),
        "name": dot.name,
        "shy": dot.shy,
    }


def _reach(scale: Scale, span: Span, *, flip: bool) -> Span | None:
    if not all(map(math.isfinite, span)):
        return None
    return scale.at(span[0], flip=flip), scale.at(span[1], flip=flip)


def _labels(dots: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Places for the names of dots, above or below, where they cover no other dot or name; those
    without room go without.
    """
    taken = [(dot["x"] - 1.5, dot["y"] - 2.2, dot["x"] + 1.5, dot["y"] + 2.2) for dot in dots]
    labels = []
    for dot in (dot for dot in dots if dot["name"]):
        wide = _LETTER * len(dot["name"])
        options = [
            (dot["y"] + shift, *way) for shift in _SHIFTS for way in _anchors(dot["x"], wide)
        ]
        boxes = [(left, y - _LINE / 2, left + wide, y + _LINE / 2) for y, _, left in options]
        free = (
            n
            for n, box in enumerate(boxes)
            if _inside(box) and not any(_over(box, other) for other in taken)
        )
        if (chosen := next(free, None)) is not None:
            y, anchor, _ = options[chosen]
            labels.append({"text": dot["name"], "x": dot["x"], "y": round(y, 2), "anchor": anchor})
            taken.append(boxes[chosen])
    return labels


def _inside(box: Sequence[float]) -> bool:
    return box[0] >= 0 and box[2] <= 100 and box[1] >= -2 and box[3] <= 100


def _anchors(x: float, wide: float) -> Sequence[tuple[str, float]]:
    return ("middle", x - wide / 2), ("start", x - 1), ("end", x - wide + 1)


def _over(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def words_of(title: str, values: Mapping[str, tuple[float, float]]) -> str:
    """A panel for those who do not see it: every name with both values."""
    return (
        f"{title}. "
        + "; ".join(f"{name}: {number(x)}, {number(y)}" for name, (x, y) in values.items())
        + "."
    )
