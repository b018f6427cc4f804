"""The null distribution of one metric on one list: exact, or a growing sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairlead.protocols import Direction
from fairlead.types.ragged import Array

TOLERANCE = 1e-9
"""Values this close count as equal: a null value equal to the observed one is as extreme."""
# How many values are drawn at a time, and the most outcomes to be looked up step by step
_CELLS, _MOST_STEPS = 1 << 17, 64
# How many cells (draws x lists or values) of a sum are held at a time. A slice is a multiple of so
# many draws: products of matrices round each row as they would in one go only where rows stand at
# the same place of a block
_SUM_CELLS, _ROWS = 1 << 22, 64


@dataclass(slots=True)
class Distribution:
    """Values of a statistic under the null.

    They come with probabilities where these are known exactly, else as a sample that can be
    extended.

    Attributes:
        values: Sorted values.
        weights: Probabilities of the values; None for a sample.
        sampler: Draws more values, given how many; None where exact.
        centre: The exact mean of a sampled distribution, where a formula gives it.
    """

    values: Array
    weights: Array | None = None
    sampler: Callable[[int], Array] | None = None
    centre: float | None = None
    _moments: tuple[float, float] | None = field(default=None, repr=False)

    @classmethod
    def exact(cls, values: Array, weights: Array) -> Distribution:
        """From outcomes and their probabilities; equal outcomes are merged."""
        return cls.exacts(values, weights[None])[0]

    @classmethod
    def exacts(cls, values: Array, weights: Array) -> list[Distribution]:
        """From the same outcomes with different probabilities.

        ``values`` are (outcomes,), ``weights`` are (distributions, outcomes).
        """
        order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
        if not len(order):
            return [cls(np.array([np.nan]), np.ones(1)) for _ in weights]
        # equal infinities differ by NaN, which starts no new outcome
        with np.errstate(invalid="ignore"):
            first = np.flatnonzero(np.append(True, np.diff(values[order]) > TOLERANCE))
        merged = np.add.reduceat(weights[:, order], first, axis=1)
        merged /= merged.sum(1, keepdims=True)
        return [cls(values[order][first], row) for row in merged]

    @classmethod
    def sampled(
        cls, sampler: Callable[[int], Array], draws: int, centre: float | None = None
    ) -> Distribution:
        """From a first sample, extended later where a tail must be known better.

        Draws with nothing to measure are left out.
        """
        return cls.grown(sampler, sampler(draws), centre)

    @classmethod
    def grown(
        cls, sampler: Callable[[int], Array], first: Array, centre: float | None = None
    ) -> Distribution:
        """The same from a sample already drawn."""
        first = _defined(first)
        if len(first):
            return cls(first, None, sampler, centre)
        return cls(np.array([np.nan]), np.ones(1))

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        # a metric that can be infinite has no mean to compare with
        if self._moments is None and not np.isfinite(self.values).all():
            self._moments = (float("nan"), float("nan"))
        if self._moments is None:
            weights = 1 / len(self.values) if self.weights is None else self.weights
            # no @: so short a product is not worth waking other threads for
            mean = float((self.values * weights).sum())
            spread = math.sqrt(float(((self.values - mean) ** 2 * weights).sum()))
            self._moments = (mean if self.centre is None else self.centre, spread)
        return self._moments

    def variance_above(self, chance: float) -> float:
        """The part of the variance that comes from the highest values.

        These are so few that together they have at most this probability.
        """
        if self.weights is None:
            weights = np.full(len(self.values), 1 / len(self.values))
        else:
            weights = self.weights
        few = weights[::-1].cumsum()[::-1] <= chance
        return float((self.values[few] - self.moments[0]) ** 2 @ weights[few])

    @property
    def degenerate(self) -> bool:
        """Whether the null cannot vary, so that no observation can be surprising."""
        least, most = float(self.values[0]), float(self.values[-1])
        return math.isnan(least) or most <= least + TOLERANCE

    def extend(self, draws: int) -> None:
        """Grow a sample to at least ``draws`` values.

        Moments stay as they were first read, so that a chance level never depends on who asked
        next.
        """
        if self.sampler is not None and draws > len(self.values):
            self.add(self.sampler(draws - len(self.values)))

    def add(self, values: Array) -> None:
        """Take in more values of a sample; those with nothing to measure are left out."""
        self.values = _defined(np.concatenate([self.values, values]))

    def tail(self, observed: float, direction: Direction) -> float:
        """P(as bad or worse) under the null; NaN where it is degenerate.

        It is two-sided where either side is worse.
        """
        if self.degenerate or math.isnan(observed):
            return math.nan
        if direction == "lower":
            return self._above(observed)
        if direction == "higher":
            return self._below(observed)
        return min(1.0, 2 * min(self._above(observed), self._below(observed)))

    def exceeding(self, observed: float, direction: Direction) -> int:
        """How many sampled values are as bad or worse: the precision of the tail."""
        p = self.tail(observed, direction)
        if self.weights is not None or np.isnan(p):
            return int(1e9)
        return round(p * (len(self.values) + 1)) - 1

    def _above(self, observed: float) -> float:
        start = int(self.values.searchsorted(observed - TOLERANCE))
        return self._probability(
            len(self.values) - start, None if self.weights is None else self.weights[start:]
        )

    def _below(self, observed: float) -> float:
        end = int(self.values.searchsorted(observed + TOLERANCE, side="right"))
        return self._probability(end, None if self.weights is None else self.weights[:end])

    def _probability(self, count: int, weights: Array | None) -> float:
        # a sample counts the observation itself, so that p is never 0 (Phipson & Smyth 2010)
        if weights is None:
            return (1 + count) / (len(self.values) + 1)
        return float(min(1.0, weights.sum()))

    def at(self, places: Array) -> Array:
        """The values at some places in [0, 1) of the distribution.

        The same place goes to values that correspond from one distribution to another.
        """
        if self.weights is not None:
            return self.values[
                np.minimum(
                    np.searchsorted(np.cumsum(self.weights), places, side="right"),
                    len(self.values) - 1,
                )
            ]
        return self.values[(places * len(self.values)).astype(np.int64)] + self.shift

    @property
    def shift(self) -> float:
        """What moves the sample's mean to the exact one, where that is known."""
        if self.weights is not None or self.centre is None:
            return 0.0
        return self.centre - float(self.values.mean())

    def sums(self, lists: int, draws: int, rng: np.random.Generator) -> Array:
        """(draws,) sums of ``lists`` independent values."""
        # how often each value occurs is cheaper to draw than the values themselves
        counted = lists > len(self.values)
        one = self._counted if counted else self._picked
        width = min(lists, len(self.values))
        step = _ROWS * max(1, _SUM_CELLS // (_ROWS * max(width, 1)))
        parts = [
            one(lists, min(step, draws - start), rng) for start in range(0, max(draws, 1), step)
        ]
        return np.concatenate(parts) + lists * self.shift

    def _counted(self, lists: int, draws: int, rng: np.random.Generator) -> Array:
        """(draws,) sums from how often each value occurs."""
        if self.weights is None:
            weights = np.full(len(self.values), 1 / len(self.values))
        else:
            weights = self.weights
        return rng.multinomial(lists, weights, size=draws) @ self.values

    def _picked(self, lists: int, draws: int, rng: np.random.Generator) -> Array:
        """(draws,) sums of values that are drawn one by one."""
        if self.weights is None:
            picks = rng.integers(len(self.values), size=(draws, lists))
        else:
            picks = np.minimum(
                np.searchsorted(np.cumsum(self.weights), rng.random((draws, lists))),
                len(self.values) - 1,
            )
        return self.values[picks].sum(1)


def sums(
    distributions: Sequence[Distribution], lists: Array, draws: int, rng: np.random.Generator
) -> Array:
    """(draws,) sums of ``lists`` (distributions,) independent values of each distribution.

    Neighbours of one kind are drawn together, from the same random numbers as one after the other:
    a long run has tens of thousands of distributions with a handful of values each.
    """
    totals = np.zeros(draws)
    start = 0
    while start < len(distributions):
        stop = _like_end(distributions, lists, draws, start)
        if stop == start + 1:
            totals += distributions[start].sums(int(lists[start]), draws, rng)
        else:
            totals += _sums_of_like(distributions[start:stop], lists[start:stop], draws, rng)
        start = stop
    return totals


def _like_end(distributions: Sequence[Distribution], lists: Array, draws: int, start: int) -> int:
    """Where the neighbours end that can be drawn together with the first of them."""
    first = distributions[start]
    exact = first.weights is not None
    size = len(first.values)
    if exact and size > _MOST_STEPS:
        return start + 1
    room = _CELLS // draws
    stop = start
    while stop < len(distributions):
        one = distributions[stop]
        room -= int(lists[stop])
        alike = (one.weights is not None) == exact and len(one.values) == size
        if not alike or lists[stop] > size or room < 0:
            break
        stop += 1
    return max(stop, start + 1)


def _sums_of_like(
    distributions: Sequence[Distribution], lists: Array, draws: int, rng: np.random.Generator
) -> Array:
    """(draws,) the same of distributions with equally many values, all exact or all sampled."""
    values = np.stack([one.values for one in distributions])
    size = values.shape[1]
    ends = draws * np.cumsum(lists)
    number = int(ends[-1])
    exact = distributions[0].weights is not None
    random: Array
    if exact:
        random = rng.random(number)
        ladders = np.cumsum([one.weights for one in distributions], axis=1)
    else:
        random = rng.integers(size, size=number)
        ladders = np.empty(0)
    totals = np.zeros(draws)
    for count in np.unique(lists).tolist():
        # distributions with as many lists are added up in one go
        some = np.flatnonzero(lists == count)
        width = draws * count
        drawn = random[(ends[some] - width)[:, None] + np.arange(width)]
        picks = _rungs(drawn, ladders[some]) if exact else drawn
        picks += size * some[:, None]
        totals += values.ravel()[picks].sum(0).reshape(draws, count).sum(1)
    shifts = [count * one.shift for one, count in zip(distributions, lists.tolist(), strict=True)]
    return totals + sum(shifts)


def _rungs(places: Array, ladders: Array) -> Array:
    """(rows, places) how many steps of its row's ladder lie below each place.

    It is never beyond the last step.
    """
    rungs = np.zeros(places.shape, np.uint8)
    for step in ladders.T[:-1]:
        rungs += (places > step[:, None]).view(np.uint8)
    return rungs.astype(np.intp)


def _defined(values: Array) -> Array:
    return np.sort(values[~np.isnan(values)])
