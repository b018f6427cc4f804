"""Intervals over queries, the sampling unit.

The default is the studentised bootstrap: the percentile bootstrap undercovers with few queries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairlead.types.ragged import Array

Method = Literal["studentised", "percentile"]
FEW_QUERIES, FEW_FOR_EPSILON, FEW_OF_THE_RARE = 10, 200, 3
"""Fewest queries, fewest queries of a metric that eps dominates, and fewest occurrences of whatever
decides its spread: below any of them an interval says too little.
"""
_TAILS, _Z = [0.025, 0.975], 1.959964
# 97.5 % points of Student's t, for so few queries that hardly a resample differs from another
_STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}
# Where more resamples than this pick equal values only, the studentised bootstrap is not to be
# trusted
_MOST_WITHOUT_SPREAD = 0.01
# How many picks are drawn at a time: few enough to stay in the cache
_CELLS = 1 << 18


@dataclass(frozen=True)
class Interval:
    """A confidence interval; ``note`` says why it is unreliable, where it is known to be."""

    low: float
    high: float
    note: str = ""


def aggregate(
    numerator: Array, denominator: Array, how: Literal["mean", "pooled"]
) -> tuple[Array, Array]:
    """Numerators and denominators whose pooled ratio is the aggregate.

    Undefined queries are left out.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        values = numerator / denominator
    if how == "mean":
        defined = ~np.isnan(values)
        return values[defined], np.ones(int(defined.sum()))
    defined = ~(np.isnan(numerator) | np.isnan(denominator))
    return numerator[defined], denominator[defined]


def interval(
    numerator: Array,
    denominator: Array,
    *,
    rng: np.random.Generator,
    method: Method = "studentised",
    clusters: Array | None = None,
    within: tuple[float, float] = (-math.inf, math.inf),
    draws: int = 1_999,
    floor: float = 0.0,
) -> Interval:
    """The 95 % interval of sum(numerator) / sum(denominator) when queries (or clusters of them) are
    resampled.

    ``within`` is the range the ratio can take. Where so many queries have the same value that
    resamples without any spread are common, the bootstrap says nothing; a ratio with a finite range
    then gets Wilson's interval, which is wide enough for any values in that range, and others
    Student's where they are very few, or none.

    ``floor``: a resample's standard error counts as at least this share of the sample's own. Of a
    dozen skewed clusters many resamples leave out the one that lies apart, their own error is then
    close to zero, and the studentised interval runs away from neighbours that differ by little;
    with a floor of 0.5 it does not, and still covers (see ``tests/frontier``). Of many clusters it
    never binds.
    """
    if clusters is not None:
        _, member = np.unique(clusters, return_inverse=True)
        numerator = np.bincount(member, numerator)
        denominator = np.bincount(member, denominator)
    n = len(numerator)
    if n < 2 or not np.isfinite(numerator).all() or denominator.sum() == 0:
        return Interval(
            math.nan, math.nan, "unreliable: needs at least two queries with finite values"
        )
    note = ""
    if n < FEW_QUERIES:
        unit = "queries" if clusters is None else "clusters"
        note = f"unreliable: only {n} {unit}"
    sample = _Sample.of(numerator, denominator)
    # the sample itself is the resample that picks every query once
    itself = sample.ratios(np.arange(n)[None])
    centre = float(itself[0, 0])
    error = float(itself[1, 0])
    ratios, errors = sample.resamples(draws, rng)
    if method == "percentile":
        with np.errstate(invalid="ignore"):  # a resample may have an infinite ratio
            low, high = np.nanquantile(ratios, _TAILS)
        return _clipped(float(low), float(high), within, note)
    # a resample of equal values has no error to divide by
    varied = errors > 1e-9 * error
    if error <= 1e-12 * abs(centre) or np.mean(~varied) > _MOST_WITHOUT_SPREAD:
        # of a pooled ratio, what has nothing below says nothing
        informative = int(np.count_nonzero(denominator))
        sparse_note = "few queries differ, so the interval is Wilson's, wide enough for any values"
        return _sparse(centre, error, informative, within, note or sparse_note)
    t = (ratios[varied] - centre) / np.maximum(errors[varied], floor * error)
    low, high = np.quantile(t[np.isfinite(t)], _TAILS)
    return _clipped(centre - float(high) * error, centre - float(low) * error, within, note)


def _sparse(
    centre: float, error: float, n: int, within: tuple[float, float], note: str
) -> Interval:
    """The interval where the bootstrap fails: Wilson's on a finite range, none elsewhere."""
    bottom, top = within
    if not math.isfinite(top - bottom) and error > 0 and n - 1 in _STUDENT:
        reach = _STUDENT[n - 1] * error
        return _clipped(centre - reach, centre + reach, within, note)
    if not math.isfinite(top - bottom):
        words = "every query has the same value" if error == 0 else "too few queries differ"
        return Interval(math.nan, math.nan, f"unreliable: {words}, so no interval is given")
    share = min(max((centre - bottom) / (top - bottom), 0.0), 1.0)
    scale = 1 + _Z**2 / n
    middle = (share + _Z**2 / (2 * n)) / scale
    reach = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / scale
    low = bottom + (middle - reach) * (top - bottom)
    high = bottom + (middle + reach) * (top - bottom)
    return _clipped(low, high, within, note)


def _clipped(low: float, high: float, within: tuple[float, float], note: str) -> Interval:
    return Interval(max(low, within[0]), min(high, within[1]), note)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Numerators and denominators of queries, and what every resample of them needs.

    Attributes:
        whole: The ratio of their sums.
        deviation: (queries,) numerators less the ratio: small numbers, whose squares do not cancel.
        denominator: (queries,) the denominators.
        even: Whether all denominators are equal.
        floor: A sum of squares below it comes of rounding only.
    """

    whole: float
    deviation: Array
    denominator: Array
    even: bool
    floor: float

    @classmethod
    def of(cls, numerator: Array, denominator: Array) -> _Sample:
        """The sample of some queries."""
        whole = numerator.sum() / denominator.sum()
        deviation = numerator - whole * denominator
        even = bool((denominator == denominator[0]).all())
        # no @: it would wake other threads, which then wait in a busy loop
        floor = 1e-12 * float((deviation * deviation).sum())
        return cls(whole, deviation, denominator, even, floor)

    def resamples(self, draws: int, rng: np.random.Generator) -> Array:
        """(2, draws) ratios and their standard errors in resamples, a part of them at a time."""
        n = len(self.deviation)
        chunk = max(2, _CELLS // n)
        parts = []
        for start in range(0, draws, chunk):
            picks = rng.integers(n, size=(min(chunk, draws - start), n))
            parts.append(self.ratios(picks))
        return np.concatenate(parts, axis=1)

    def ratios(self, picks: Array) -> Array:
        """(2, rows) ratio of sums and its standard error by linearisation.

        Each row of ``picks`` is one resample of the queries.
        """
        n = len(self.deviation)
        residuals = _taken(self.deviation, picks)
        sums = residuals.sum(1)
        squares = np.einsum("rq,rq->r", residuals, residuals)
        if self.even:
            one = self.denominator[0]
            total = np.full(len(picks), n * one)
            cross = one * sums
            power = n * one**2
        else:
            base = _taken(self.denominator, picks)
            total = base.sum(1)
            cross = np.einsum("rq,rq->r", residuals, base)
            power = np.einsum("rq,rq->r", base, base)
        with np.errstate(divide="ignore", invalid="ignore"):
            shift = sums / total
            remaining = squares - 2 * shift * cross + shift**2 * power
            # equal values differ by rounding only
            remaining = np.where(remaining > self.floor, remaining, 0.0)
            error = np.sqrt(remaining / (n * (n - 1))) / (total / n)
            return np.stack([self.whole + shift, error])


def _taken(values: Array, picks: Array) -> Array:
    """The values at some places, all of which exist.

    This is twice as fast as a ``take`` that checks it.
    """
    return np.take(values, picks, out=np.empty(picks.shape, values.dtype), mode="clip")
