"""Intervals over queries, the sampling unit. Studentised bootstrap by default: the percentile
bootstrap undercovers at few queries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairlead.types.ragged import Array

Method = Literal["studentised", "percentile"]
FEW_QUERIES, FEW_FOR_EPSILON, FEW_OF_THE_RARE = 10, 200, 3
"""Below so many queries, queries of a metric that eps dominates, or occurrences of what decides its
spread, an interval says too little.
"""
_TAILS, _Z = [0.025, 0.975], 1.959964
_STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}
"""97.5 % points of Student's t, for so few queries that hardly a resample differs from another."""
_MOST_WITHOUT_SPREAD = 0.01
"""Where more resamples than this pick equal values only, the studentised bootstrap is not to be
trusted.
"""
_CELLS = 1 << 18
"""How many picks are drawn at a time: few enough to stay in the cache."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval; ``note`` says why it is unreliable, where it is known to be."""

    low: float
    high: float
    note: str = ""


def aggregate(
    numerator: Array, denominator: Array, how: Literal["mean", "pooled"]
) -> tuple[Array, Array]:
    """Numerators and denominators whose pooled ratio is the aggregate; undefined queries are left
    out.
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
        dozen skewed clusters many resamples
    leave out the one that lies apart, their own error is then close to zero, and the studentised
    interval runs away from neighbours that differ by little; with a floor of 0.5 it does not, and
    still covers (see ``tests/frontier``). Of many clusters it never binds.
    """
    if clusters is not None:
        _, member = np.unique(clusters, return_inverse=True)
        numerator, denominator = np.bincount(member, numerator), np.bincount(member, denominator)
    n, unit = len(numerator), "queries" if clusters is None else "clusters"
    if n < 2 or not np.isfinite(numerator).all() or denominator.sum() == 0:
        return Interval(
            math.nan, math.nan, "unreliable: needs at least two queries with finite values"
        )
    note = f"unreliable: only {n} {unit}" if n < FEW_QUERIES else ""
    sample = _Sample.of(numerator, denominator)
    centre, error = (float(x[0]) for x in sample.ratios(np.arange(n)[None]))
    chunk = max(2, _CELLS // n)
    picks = (
        rng.integers(n, size=(min(chunk, draws - start), n)) for start in range(0, draws, chunk)
    )
    ratios, errors = np.concatenate([sample.ratios(p) for p in picks], axis=1)
    if method == "percentile":
        with np.errstate(invalid="ignore"):  # a resample may have an infinite ratio
            low, high = np.nanquantile(ratios, _TAILS)
        return _clipped(float(low), float(high), within, note)
    varied = errors > 1e-9 * error
    if error <= 1e-12 * abs(centre) or np.mean(~varied) > _MOST_WITHOUT_SPREAD:
        counted = int(
            np.count_nonzero(denominator)
        )  # of a pooled ratio, what has nothing below says nothing
        words = "few queries differ, so the interval is Wilson's, wide enough for any values"
        return _sparse(centre, error, counted, within, note or words)
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
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return _clipped(
        bottom + (middle - reach) * (top - bottom),
        bottom + (middle + reach) * (top - bottom),
        within,
        note,
    )


def _clipped(low: float, high: float, within: tuple[float, float], note: str) -> Interval:
    return Interval(max(low, within[0]), min(high, within[1]), note)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Numerators and denominators of queries, and what every resample of them needs.

    Attributes:
        whole: The ratio of their sums.
        rest: (queries,) numerators less the ratio: small numbers, whose squares do not cancel.
        denominator: (queries,) the denominators.
        even: Whether all denominators are equal.
        floor: A sum of squares below it comes of rounding only.
    """

    whole: float
    rest: Array
    denominator: Array
    even: bool
    floor: float

    @classmethod
    def of(cls, numerator: Array, denominator: Array) -> _Sample:
        """The sample of some queries."""
        whole = numerator.sum() / denominator.sum()
        rest = numerator - whole * denominator
        even = bool((denominator == denominator[0]).all())
        # No @: it would wake other threads, which then wait in a busy loop.
        return cls(whole, rest, denominator, even, 1e-12 * float((rest * rest).sum()))

    def ratios(self, picks: Array) -> Array:
        """(2, rows) ratio of sums and its standard error by linearisation, for each row of picked
        queries.
        """
        n, own = len(self.rest), _taken(self.rest, picks)
        sums, squares = own.sum(1), np.einsum("rq,rq->r", own, own)
        if self.even:
            one = self.denominator[0]
            total, cross, power = np.full(len(picks), n * one), one * sums, n * one**2
        else:
            base = _taken(self.denominator, picks)
            total, cross = base.sum(1), np.einsum("rq,rq->r", own, base)
            power = np.einsum("rq,rq->r", base, base)
        with np.errstate(divide="ignore", invalid="ignore"):
            shift = sums / total
            left = squares - 2 * shift * cross + shift**2 * power
            left = np.where(left > self.floor, left, 0.0)
            return np.stack([self.whole + shift, np.sqrt(left / (n * (n - 1))) / (total / n)])


def _taken(values: Array, picks: Array) -> Array:
    """The values at some places, all of which exist: twice as fast as a ``take`` that checks it."""
    return np.take(values, picks, out=np.empty(picks.shape, values.dtype), mode="clip")
