"""The geometry of relevance against bias: where every variant lies by both, and the way from plain
to it. Right is worse, up is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.report.charts import Axis, axis_ticks, upper_end
from fairlead.report.wording import UNREAD, bounds, number, reading, shortened

if TYPE_CHECKING:
    from fairlead.results.score import Row, ScoreResult

MOST = 4
"""Measures drawn; the table has them all."""
_LEAST_SPAN = 0.1
"""Relevance is drawn over at least so much, so that a difference in the third digit does not look
like a cliff.
"""
_LETTER, _LINE = 2.5, 7.6
"""The width of a letter and the height of a line of text, in percent of a chart on a telephone."""
_OFFSETS = (-7.2, 7.2, -15.0, 15.0, -23.0, 23.0, -31.0, 31.0, -39.0, 39.0)
_LONGEST = 30
_FAR, _SAME = 10.0, 0.5
_NEAR = (6.0, 8.0)
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Label:
    """Where a dot's name stands, in percent; ``leader`` where a thin line must lead to it."""

    text: str
    x: float
    y: float
    anchor: str
    leader: bool


@dataclass(frozen=True)
class FrontierDot:
    """One variant: its place in percent of the field, its intervals (None where there are none) and
    its name.
    """

    name: str
    x: float
    y: float
    across: tuple[float, float] | None
    along: tuple[float, float] | None
    tone: str
    plain: bool
    arrow: bool
    label: Label


@dataclass(frozen=True)
class Field:
    """Relevance against one measure on one attribute."""

    metric: str
    attribute: str
    relevance: str
    dots: tuple[FrontierDot, ...]
    chance: float | None
    chance_text: str
    across: tuple[tuple[float, str], ...]
    along: tuple[tuple[float, str], ...]
    words: str


def fields(result: ScoreResult) -> list[Field]:
    """Every measure of the result against its first relevance metric; none without variants or
    without relevance.

    Signed measures are left out: their mean may be at chance where lists lean to both sides.
    """
    rows = [row for row in result.rows if row.tag is None]
    variants = list(dict.fromkeys(row.variant for row in rows))
    judged = next(
        (row.metric for row in rows if row.attribute is None and row.direction == "higher"), None
    )
    useful = {
        row.variant: row
        for row in rows
        if row.metric == judged and row.attribute is None and math.isfinite(row.mean)
    }
    if judged is None or len(variants) < 2:
        return []
    keys = dict.fromkeys(
        (row.metric, row.attribute)
        for row in rows
        if row.null is not None and row.direction != "either"
    )
    drawn = []
    for key in keys:
        own = {
            row.variant: row
            for row in rows
            if (row.metric, row.attribute) == key and math.isfinite(row.mean)
        }
        both = [(own[v], useful[v]) for v in variants if v in own and v in useful]
        if len(both) > 1 and both[0][0].variant == variants[0]:
            drawn.append(_field(both))
    return drawn


def _field(pairs: Sequence[tuple[Row, Row]]) -> Field:
    """The field of one measure, plain first."""
    first, judged = pairs[0]
    chance = float((first.null or {}).get("mean", math.nan))
    across, along = _across([bias for bias, _ in pairs], chance), _along([use for _, use in pairs])
    line = None
    if math.isfinite(chance):
        line = across.at(chance)
    places = [(across.at(bias.mean), along.at(use.mean)) for bias, use in pairs]
    names = [str(bias.variant) for bias, _ in pairs]
    labels = _labels(names, places)
    dots = []
    for (bias, use), name, (x, y), label in zip(pairs, names, places, labels, strict=True):
        # Between dots as near as this there is no room for an arrow.
        away = abs(x - places[0][0]) > _NEAR[0] or abs(y - places[0][1]) > _NEAR[1]
        dots.append(
            FrontierDot(
                name,
                x,
                y,
                _reach(across, bias.ci),
                _reach(along, use.ci),
                (reading(bias) or UNREAD).tone,
                name == names[0],
                away,
                label,
            )
        )
    return Field(
        metric=first.metric,
        attribute=str(first.attribute),
        relevance=judged.metric,
        dots=tuple(dots),
        chance=line,
        chance_text=number(chance),
        across=tuple(axis_ticks(across, across.low, across.high)),
        along=tuple(axis_ticks(along, along.low, max(_finite([use for _, use in pairs])))),
        words=_words(pairs, chance),
    )


def _across(rows: Sequence[Row], chance: float) -> Axis:
    """The axis of the measure: worse on the right, with chance on it, and with 0 where that is the
    best value.
    """
    values = _finite(rows)
    if math.isfinite(chance):
        values.append(chance)
    if rows[0].direction == "lower":
        values.append(0.0)
    low, high = min(values), max(values)
    return Axis(low, upper_end(low, high), flip=rows[0].direction == "higher")


def _along(rows: Sequence[Row]) -> Axis:
    """The axis of relevance, from below: a little room for names above the highest value."""
    values = _finite(rows)
    high = max(values)
    low = min(min(values), high - _LEAST_SPAN)
    return Axis(low, high + 0.16 * (high - low), flip=True)


def _finite(rows: Iterable[Row]) -> list[float]:
    return [v for row in rows for v in (row.mean, *row.ci) if math.isfinite(v)]


def _reach(axis: Axis, interval: Sequence[float]) -> tuple[float, float] | None:
    if not all(map(math.isfinite, interval)):
        return None
    return axis.at(interval[0]), axis.at(interval[1])


def _labels(names: Sequence[str], places: Sequence[tuple[float, float]]) -> list[Label]:
    """A place for every name: beside its dot where there is room, else farther off with a line that
    leads to it.
    """
    taken = [(x - 2.5, y - 3.2, x + 2.5, y + 3.2) for x, y in places] + list(_ways(places))
    labels = []
    for text, (x, y) in zip(_merged(names, places), places, strict=True):
        wide = _LETTER * len(text)
        options = [
            (
                _cost(box := _box(x, y + off, wide, side), taken)
                + abs(off) / 10
                + dislike
                + (off > 0) / 4,
                off,
                side,
                box,
            )
            for off in _OFFSETS
            for side, dislike in _sides(x)
        ]
        _, off, side, box = min(options, key=lambda option: option[0])
        # Names that stand at another dot of the same place take no room here.
        if text:
            taken.append(box)
        labels.append(Label(text, x, round(y + off, 2), side, bool(text) and abs(off) > _FAR))
    return labels


def _merged(names: Sequence[str], places: Sequence[tuple[float, float]]) -> list[str]:
    """Names cut to a length that fits; those of dots in the same place stand together at the first
    of them where they fit.
    """
    texts = [shortened(name, _LONGEST) for name in names]
    for at, (x, y) in enumerate(places):
        for first in range(at):
            joined = f"{texts[first]}, {texts[at]}"
            near = abs(x - places[first][0]) < _SAME and abs(y - places[first][1]) < _SAME
            if near and texts[first] and len(joined) <= _LONGEST:
                texts[first], texts[at] = joined, ""
                break
    return texts


def _ways(places: Sequence[tuple[float, float]]) -> Iterable[Box]:
    """Small boxes along every arrow, which a name should not cover."""
    (x, y), steps = places[0], 20
    for to_x, to_y in places[1:]:
        for step in range(1, steps):
            at_x, at_y = x + (to_x - x) * step / steps, y + (to_y - y) * step / steps
            yield at_x - 0.8, at_y - 0.8, at_x + 0.8, at_y + 0.8


def _sides(x: float) -> tuple[tuple[str, float], ...]:
    """How a name may stand to its dot, and how much less each is liked: towards the middle of the
    field, outwards, or centred.
    """
    if x <= 50:
        return ("start", 0.0), ("end", 0.1), ("middle", 0.2)
    return ("end", 0.0), ("start", 0.1), ("middle", 0.2)


def _box(x: float, y: float, wide: float, side: str) -> Box:
    left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[side]
    return left, y - _LINE / 2, left + wide, y + _LINE / 2


def _cost(box: Box, taken: Sequence[Box]) -> float:
    """How much of a name would lie on something else, or outside of the field."""
    left, top, right, bottom = box
    outside = max(0.0, -left) + max(0.0, right - 100) + max(0.0, -top) + max(0.0, bottom - 100)
    over = [
        (min(right, r) - max(left, a)) * (min(bottom, b) - max(top, t))
        for a, t, r, b in taken
        if a < right and r > left and t < bottom and b > top
    ]
    # What leaves the field is lost, what lies on something can still be read: hence the 20.
    return 20 * outside + sum(over)


def _words(pairs: Sequence[tuple[Row, Row]], chance: float) -> str:
    """The chart for those who do not see it."""
    told = [
        (
            f"{b.variant}: {b.metric} {number(b.mean)} {bounds(b.ci)}, {u.metric} "
            f"{number(u.mean)} {bounds(u.ci)}"
        )
        for b, u in pairs
    ]
    return "; ".join(told) + f". Chance of {pairs[0][0].metric}: {number(chance)}."
