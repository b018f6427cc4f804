"""Intervals over queries, the sampling unit. Studentised bootstrap by default: the percentile bootstrap undercovers at few queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairlead.ragged import Array

Method = Literal["studentised", "percentile"]
FEW_QUERIES, FEW_FOR_EPSILON = 10, 200
_CELLS = 1 << 20


@dataclass(frozen=True)
class Interval:
    """A confidence interval; ``note`` says why it is unreliable, where it is known to be."""

    low: float
    high: float
    note: str = ""


def aggregate(numerator: Array, denominator: Array, how: Literal["mean", "pooled"]) -> tuple[Array, Array]:
    """Numerators and denominators whose pooled ratio is the aggregate; undefined queries are left out."""
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
    level: float = 0.95,
    draws: int = 1_999,
) -> Interval:
    """The interval of sum(numerator) / sum(denominator) when queries (or clusters of them) are resampled."""
    if clusters is not None:
        _, member = np.unique(clusters, return_inverse=True)
        numerator, denominator = np.bincount(member, numerator), np.bincount(member, denominator)
    n = len(numerator)
    if n < 2 or not np.isfinite(numerator).all() or denominator.sum() == 0:
        return Interval(float("nan"), float("nan"), "unreliable: needs at least two queries with finite values")
    centre, error = (float(x[0]) for x in _resampled(numerator, denominator, np.arange(n)[None]))
    chunk = max(1, _CELLS // n)
    picks = (rng.integers(n, size=(min(chunk, draws - start), n)) for start in range(0, draws, chunk))
    ratios, errors = np.concatenate([_resampled(numerator, denominator, p) for p in picks], axis=1)
    tails = [(1 - level) / 2, (1 + level) / 2]
    note = f"unreliable: only {n} {'queries' if clusters is None else 'clusters'}" if n < FEW_QUERIES else ""
    if method == "percentile":
        with np.errstate(invalid="ignore"):  # a resample may have an infinite ratio
            low, high = np.nanquantile(ratios, tails)
        return Interval(float(low), float(high), note)
    if error <= 1e-12 * abs(centre):
        return Interval(centre, centre, "unreliable: every query has the same value")
    varied = errors > 1e-9 * error  # a resample of one query over and over has no spread of its own
    t = (ratios[varied] - centre) / errors[varied]
    t = t[np.isfinite(t)]
    low, high = np.quantile(t, tails) if len(t) else (np.nan, np.nan)
    return Interval(float(centre - high * error), float(centre - low * error), note)


def _resampled(numerator: Array, denominator: Array, picks: Array) -> Array:
    """(2, rows) ratio of sums and its standard error by linearisation, for each row of picked queries."""
    n, even = len(numerator), bool((denominator == denominator[0]).all())
    whole = numerator.sum() / denominator.sum()
    rest = numerator - whole * denominator  # small numbers, whose squares do not cancel
    own = rest.take(picks)
    sums, squares = own.sum(1), np.einsum("rq,rq->r", own, own)
    if even:
        total, cross, power = np.full(len(picks), n * denominator[0]), denominator[0] * sums, n * denominator[0] ** 2
    else:
        base = denominator.take(picks)
        total, cross, power = base.sum(1), np.einsum("rq,rq->r", own, base), np.einsum("rq,rq->r", base, base)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = sums / total
        left = squares - 2 * shift * cross + shift**2 * power
        left = np.where(left > 1e-12 * (rest @ rest), left, 0.0)  # equal values differ by rounding only
        return np.stack([whole + shift, np.sqrt(left / (n * (n - 1))) / (total / n)])
