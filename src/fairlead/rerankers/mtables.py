"""FA*IR's m-tables: the least number of protected items in the first i places.

    m_i = the smallest j with P(Bin(i, p) <= j) >= alpha

A list drawn fairly (each place protected with probability p) breaks some row of the table more
often than alpha, since many rows are tested; the adjustment lowers alpha until the whole table
fails with probability alpha. Zehlike et al.: FA*IR (CIKM 2017). ``nearest`` takes of the two tables
around alpha the one that fails with probability nearest to it (it may exceed alpha; this reproduces
Feng, Shah 2022); ``conservative`` takes the largest one that fails with probability at most alpha.

Tables only grow with alpha, and only at the values P(Bin(i, p) <= j); each computed table knows the
two around it, so the search ends at neighbours instead of a numerical tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

Adjust = Literal["none", "conservative", "nearest"]
Table = tuple[int, ...]

# Relative floating error allowed where a level is compared with P(Bin(i, p) <= j)
_TOLERANCE = 1e-12
# States of less probability are not followed: no sum of a double could show them
_NOTHING = 1e-60


def mtable(k: int, p: float, alpha: float) -> Table:
    """The least number of protected items in the first 1 .. k places, without adjustment.

    ``alpha`` is the significance.

    >>> mtable(10, 0.5, 0.1)
    (0, 0, 0, 1, 1, 1, 2, 2, 3, 3)
    """
    return _table(k, p, alpha * (1 - _TOLERANCE))[0]


def failure_probability(table: Sequence[int], p: float) -> float:
    """Exact probability that a fair list breaks some row of the table.

    Its places are protected with probability ``p``. The number of protected items is followed by
    dynamic programming; a state below the table's row is lost there. Only numbers near the mean are
    likely, a few times sqrt(k) of them, so the work grows as k sqrt(k).
    """
    mass = np.zeros(len(table) + 2)
    mass[0], lost, least, most = 1.0, 0.0, 0, 0
    for i, m in enumerate(table, start=1):
        gained = mass[least : most + 1] * p
        mass[least : most + 1] *= 1 - p
        mass[least + 1 : most + 2] += gained
        most = min(most + 1, i)
        while most > least and mass[most] < _NOTHING:
            mass[most] = 0.0
            most -= 1
        if m > least:
            lost += float(mass[least:m].sum())
            mass[least:m] = 0.0
            least, most = m, max(most, m)
    return lost


@lru_cache(maxsize=4096)
def adjusted_table(k: int, p: float, alpha: float, adjust: Adjust) -> Table:
    """The m-table under a rule of adjustment."""
    if adjust == "none":
        return mtable(k, p, alpha)
    table, larger, level = _neighbours(k, p, alpha)
    if adjust == "conservative" or larger is None or level >= alpha * (1 - _TOLERANCE):
        return table
    below = alpha - failure_probability(table, p)
    above = failure_probability(larger, p) - alpha
    return table if below <= above else larger


def adjusted_alpha(k: int, p: float, alpha: float, adjust: Adjust) -> float:
    """A significance level whose plain m-table is the adjusted one.

    It is just above the least such level.
    """
    if adjust == "none":
        return alpha
    table = adjusted_table(k, p, alpha, adjust)
    low = 0.0
    high = 1.0
    # bisection to the last bit: tables are equal between neighbouring levels
    while high - low > 1e-15:
        middle = (low + high) / 2
        low, high = (low, middle) if mtable(k, p, middle) >= table else (middle, high)
    return high


def _neighbours(k: int, p: float, alpha: float) -> tuple[Table, Table | None, float]:
    """The largest table that fails with probability at most alpha, and the next larger one.

    The level between them comes last.
    """
    # k tests at alpha / k fail with probability at most alpha together.
    best, _, low = _table(k, p, alpha / k)
    high = alpha
    while low < high * (1 - _TOLERANCE):
        table, below, above = _table(k, p, (low + high) / 2)
        if failure_probability(table, p) <= alpha:
            best = table
            low = above
        else:
            high = below
    while low < 1 - _TOLERANCE:
        larger, _, above = _table(k, p, low * (1 + _TOLERANCE))
        if failure_probability(larger, p) > alpha:
            return best, larger, low
        best = larger
        low = above
    return best, None, 1.0


def _table(k: int, p: float, level: float) -> tuple[Table, float, float]:
    """The table of a level, and the levels (excluded, included) between which it is the same.

    It follows the quantile m from i to i + 1 places: P(X <= m) loses p P(X = m), and m grows while
    P(X <= m) is below the level.
    """
    if p <= 0 or p >= 1:
        return (tuple(range(1, k + 1)) if p >= 1 else (0,) * k), 0.0, 1.0
    table: list[int] = []
    m = 0
    at = 1.0
    upto = 1.0
    odds = p / (1 - p)
    below = 0.0
    above = 1.0
    for i in range(1, k + 1):
        upto -= p * at
        at *= (1 - p) * i / (i - m)
        while upto < level and m < i:
            m += 1
            at *= (i - m + 1) / m * odds
            upto += at
        table.append(m)
        above = min(above, upto)
        below = max(below, upto - at)
    return tuple(table), below, above
