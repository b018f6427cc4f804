"""The geometry of the page's charts: values become percentages of a width, so that a chart fits any
screen. Right is worse.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairlead.report.wording import SEEN, number, probability, signed, standing, worse_by
from fairlead.words.counts import agreeing, part_of

if TYPE_CHECKING:
    from fairlead.results.score import PerQuery

SHOWN = 20
"""Queries drawn in a forest; the rest are counted."""
_MARGIN = 3.0
_TICKS = 5


@dataclass(frozen=True)
class Axis:
    """A line from low to high that holds zero; ``flip`` puts the low end on the right, where low is
    worse.
    """

    low: float
    high: float
    flip: bool = False

    @classmethod
    def over(cls, values: Iterable[float], *, flip: bool = False) -> Axis:
        """The axis of some values; those that are not finite do not count."""
        finite = [0.0, *(float(v) for v in values if math.isfinite(v))]
        low, high = min(finite), max(finite)
        return cls(low, upper_end(low, high), flip)

    def at(self, value: float) -> float:
        """Where a value lies, in percent of the width; outside values lie on the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        if self.flip:
            share = 1 - share
        return round(_MARGIN + (100 - 2 * _MARGIN) * share, 2)

    @property
    def zero(self) -> float:
        """Where chance, or no difference, lies."""
        return self.at(0.0)

    @property
    def ticks(self) -> list[tuple[float, str, bool]]:
        """Round values on the axis: place, text, and whether a narrow chart leaves it out."""
        step, digits, steps = _steps(self.low, self.high)
        # Zero is chance, or no difference: it is not a measured value and has no digits.
        return [
            (self.at(i * step), signed(i * step, digits) if i else "0", i % 2 == 1) for i in steps
        ]


@dataclass(frozen=True)
class ChartStrip:
    """One estimate with its interval on an axis; None where there is none to draw."""

    zero: float
    point: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Mark:
    """One query of a forest."""

    query: str
    value: str
    chance: str
    excess: str
    q: str
    at: float
    seen: bool


@dataclass(frozen=True)
class Forest:
    """The queries of one metric and attribute by their excess over chance, worst first."""

    metric: str
    attribute: str
    variant: str | None
    marks: tuple[Mark, ...]
    axis: Axis
    found: int
    tested: int
    rest: str
    direction: str

    @property
    def share(self) -> str:
        """How many queries differ from chance, in words."""
        words = ("is worse than", "are worse than")
        if self.direction == "either":
            words = ("differs from", "differ from")
        return f"{part_of(self.found, self.tested, 'query')} {agreeing(self.found, *words)} chance"


def strip(axis: Axis, point: float, interval: Sequence[float]) -> ChartStrip:
    """An estimate and its interval, placed on an axis."""
    low, high = interval
    return ChartStrip(axis.zero, _place(axis, point), _place(axis, low), _place(axis, high))


def _place(axis: Axis, value: float) -> float | None:
    # What is not finite has no place; at the edge it would look like a value.
    if not math.isfinite(value):
        return None
    return axis.at(value)


def upper_end(low: float, high: float) -> float:
    """The upper end of an axis, which is never the lower one: places divide by the length."""
    if high - low > 1e-9:
        return high
    return low + 1.0


def axis_ticks(axis: Axis, low: float, high: float) -> list[tuple[float, str]]:
    """Round values between two ends to write on an axis, without signs of differences: place and
    text.
    """
    step, digits, steps = _steps(low, high)
    return [(axis.at(i * step), number(i * step, digits)) for i in steps]


def _steps(low: float, high: float) -> tuple[float, int, range]:
    """A round step, the digits to write it with, and how often it is taken between two ends."""
    step = _round_step((high - low) / _TICKS)
    digits = max(0, -math.floor(math.log10(step)))
    # Ends that are round but for the last bits of a float keep their tick.
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return step, digits, range(first, last + 1)


def forest(part: PerQuery, queries: Sequence[str], direction: str) -> Forest | None:
    """The forest of one metric and attribute; None where no query has a chance level."""
    stands = standing(part)
    if stands is None or part.null_mean is None or part.q is None or len(queries) < 2:
        return None
    excess = [float(v - m) for v, m in zip(part.value, part.null_mean, strict=True)]
    order = sorted(
        (i for i, e in enumerate(excess) if not math.isnan(e)),
        key=lambda i: (-worse_by(excess[i], direction), queries[i]),
    )
    if not order:
        return None
    shown, rest = order[:SHOWN], order[SHOWN:]
    axis = Axis.over((excess[i] for i in shown), flip=direction == "higher")
    marks = tuple(
        Mark(
            queries[i],
            number(part.value[i]),
            number(part.null_mean[i]),
            signed(excess[i]),
            probability(part.q[i]),
            axis.at(excess[i]),
            bool(part.q[i] < SEEN),
        )
        for i in shown
    )
    left = _rest([excess[i] for i in rest], len(queries) - len(order))
    return Forest(
        part.metric,
        str(part.attribute),
        part.variant,
        marks,
        axis,
        len(stands.found),
        stands.tested,
        left,
        direction,
    )


def _rest(excess: Sequence[float], undefined: int) -> str:
    parts = []
    if excess:
        parts.append(
            f"{len(excess):,} more between {signed(min(excess))} and {signed(max(excess))}"
        )
    if undefined:
        parts.append(f"{undefined:,} undefined")
    return ", ".join(parts)


def _round_step(raw: float) -> float:
    """The round step (1, 2 or 5 times a power of ten) that is at least ``raw``."""
    power = 10.0 ** math.floor(math.log10(raw))
    return next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= raw * (1 - 1e-9))
