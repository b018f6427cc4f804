"""Two runs over the same queries: the difference, its interval, and a permutation test.

The test swaps the runs query by query.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairlead.statistics.intervals import Interval, Method, interval
from fairlead.types.ragged import Array
from fairlead.words.counts import counted

_EXACT_QUERIES = 14


@dataclass(frozen=True)
class Paired:
    """The difference first minus second over the queries defined in both.

    It comes with its interval and the two-sided p of no difference.
    """

    difference: float
    interval: Interval
    p: float
    queries: int
    first: float = float("nan")
    second: float = float("nan")


def paired(
    first: tuple[Array, Array],
    second: tuple[Array, Array],
    *,
    rng: np.random.Generator,
    method: Method = "studentised",
    clusters: Array | None = None,
    draws: int = 9_999,
) -> Paired:
    """Compare two aggregates given as (numerator, denominator) per query.

    Only queries defined in both count; queries of a cluster stay together.
    """
    both = ~np.isnan(np.stack([*first, *second])).any(0)
    a = first[0][both]
    da = first[1][both]
    b = second[0][both]
    db = second[1][both]
    if not both.any():
        return Paired(
            float("nan"),
            Interval(float("nan"), float("nan"), "unreliable: no query in both runs"),
            float("nan"),
            0,
        )
    infinite = int((~np.isfinite(a) | ~np.isfinite(b)).sum())
    if infinite:
        note = (
            f"unreliable: infinite in {counted(infinite, 'query')}, so no difference can be given"
        )
        unknown = Interval(float("nan"), float("nan"), note)
        return Paired(float("nan"), unknown, float("nan"), int(both.sum()))
    if da.sum() == 0 or db.sum() == 0:
        return Paired(
            float("nan"),
            Interval(float("nan"), float("nan"), "undefined: a ratio with nothing below"),
            float("nan"),
            int(both.sum()),
        )
    if clusters is not None:
        _, member = np.unique(clusters[both], return_inverse=True)
        a, da, b, db = (np.bincount(member, x) for x in (a, da, b, db))
    difference = _gap(a.sum(), da.sum(), b.sum(), db.sum())
    bounds = _interval(a, da, b, db, rng=rng, method=method)
    p = _p(a, da, b, db, difference, draws, rng)
    return Paired(
        float(difference),
        bounds,
        p,
        int(both.sum()),
        float(a.sum() / da.sum()),
        float(b.sum() / db.sum()),
    )


def _gap(a: Array, da: Array, b: Array, db: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return a / da - b / db


def _interval(
    a: Array, da: Array, b: Array, db: Array, *, rng: np.random.Generator, method: Method
) -> Interval:
    """The interval of the difference; ratios are linearised into one value per query."""
    ra = a.sum() / da.sum()
    rb = b.sum() / db.sum()
    pieces = (a - ra * da) / da.mean() - (b - rb * db) / db.mean()
    pieces += ra - rb
    return interval(pieces, np.ones(len(pieces)), rng=rng, method=method)


def _p(
    a: Array, da: Array, b: Array, db: Array, observed: Array, draws: int, rng: np.random.Generator
) -> float:
    """The share of swaps whose difference is at least as large.

    All swaps are tried where queries are few. Otherwise it is a sample, which counts the observed
    difference too.
    """
    n = len(a)
    exact = n <= _EXACT_QUERIES
    count = 2**n if exact else draws
    extreme = 0
    chunk = max(1, 2_000_000 // n)
    for start in range(0, count, chunk):
        size = min(chunk, count - start)
        swap = _swaps(start, size, n) if exact else rng.random((size, n)) < 0.5
        pairs = ((a, b), (da, db), (b, a), (db, da))
        gap = _gap(*(np.where(swap, y, x).sum(1) for x, y in pairs))
        smaller = np.abs(gap) < abs(observed) - 1e-12
        # an undefined swap counts as extreme: p must not profit from it
        extreme += int((~smaller).sum())
    if exact:
        return extreme / count
    return (1 + extreme) / (count + 1)


def _swaps(start: int, size: int, n: int) -> Array:
    """(size, n) the swap patterns numbered from ``start``: the binary digits of each number."""
    numbers = np.arange(start, start + size)[:, None]
    return (numbers >> np.arange(n) & 1).astype(np.bool_)
