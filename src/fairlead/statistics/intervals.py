"""Intervals over queries, the sampling unit. Studentised bootstrap by default: the percentile bootstrap undercovers at few queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairlead.ragged import Array

Method = Literal["studentised", "percentile"]
FEW_QUERIES, FEW_FOR_EPSILON = 10, 200
_CELLS = 4_000_000


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
    centre, error = _ratio_and_error(numerator[None], denominator[None])
    ratios, errors = _resampled(numerator, denominator, draws, rng)
    tails = [(1 - level) / 2, (1 + level) / 2]
    note = f"unreliable: only {n} {'queries' if clusters is None else 'clusters'}" if n < FEW_QUERIES else ""
    if method == "percentile":
        low, high = np.nanquantile(ratios, tails)
        return Interval(float(low), float(high), note)
    if error[0] <= 1e-12 * abs(centre[0]):
        return Interval(float(centre[0]), float(centre[0]), "unreliable: every query has the same value")
    varied = errors > 1e-9 * error[0]  # a resample of one query over and over has no spread of its own
    t = (ratios[varied] - centre) / errors[varied]
    t = t[np.isfinite(t)]
    low, high = np.quantile(t, tails) if len(t) else (np.nan, np.nan)
    return Interval(float(centre[0] - high * error[0]), float(centre[0] - low * error[0]), note)


def _resampled(numerator: Array, denominator: Array, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
    n = len(numerator)
    chunk = max(1, _CELLS // n)
    parts = []
    for start in range(0, draws, chunk):
        picks = rng.integers(n, size=(min(chunk, draws - start), n))
        parts.append(_ratio_and_error(numerator[picks], denominator[picks]))
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def _ratio_and_error(numerator: Array, denominator: Array) -> tuple[Array, Array]:
    """(rows,) ratio of sums and its standard error by linearisation, for each row of queries."""
    n = numerator.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = numerator.sum(1) / denominator.sum(1)
        residual = numerator - ratio[:, None] * denominator
        error = np.sqrt((residual**2).sum(1) / (n * (n - 1))) / denominator.mean(1)
    return ratio, error
