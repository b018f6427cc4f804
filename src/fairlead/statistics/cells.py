"""Small cells: counts so low that they could point at a person are hidden.

So is whatever would give them away. One rule holds for every table of counts by group: low counts
are hidden together with the smallest count that is not low, ties included. Where no count is high
enough to hide them behind, nothing of the table is shown. What is hidden depends on the values
alone, never on their order. So a reader who knows the total, the shown counts and this rule still
cannot tell which hidden cell has which count.
"""

from __future__ import annotations

import numpy as np

from fairlead.errors import UsageError
from fairlead.types.ragged import Array

SMALLEST = 5
"""The lowest count that is shown; 0 is shown too, where other counts are."""
LOWEST_LIMIT = 3
"""A limit of 2 would hide nothing but ones, and say so."""


def limit(least: int) -> int:
    """The limit as given, if it hides what it promises to; 0 (or 1) turns hiding off.

    Raises:
        UsageError: For a limit that cannot be kept.
    """
    if least < 0 or 1 < least < LOWEST_LIMIT:
        raise UsageError(
            f"Counts below {least} cannot be hidden.",
            f"Give {LOWEST_LIMIT} or more, or 0 to show every count.",
        )
    return least


def hidden(counts: Array, least: int = SMALLEST) -> Array:
    """(cells,) which counts of a table to hide from a reader who knows its total.

    >>> hidden(np.array([40, 3, 12, 0])).tolist(), hidden(np.array([2, 3, 0])).tolist()
    ([False, True, True, False], [True, True, True])
    """
    counts = np.asarray(counts)
    low = (counts > 0) & (counts < least)
    high = counts >= least
    if not low.any():
        return low
    if high.any():
        return (counts > 0) & (counts <= counts[high].min())
    return np.ones(len(counts), np.bool_)


def alone(sizes: Array, least: int = SMALLEST) -> Array:
    """(queries,) which queries' own values to hide from a reader who sees their mean.

    Hidden are values about 1 to ``least - 1`` people, and never just one of them, which the mean
    would give away. Values are not counts: two of them cannot be told from their sum, whatever they
    are. With a single query the mean is its value, and nothing can be withheld.

    >>> alone(np.array([10, 3, 8, 10])).tolist(), alone(np.array([3])).tolist()
    ([False, True, True, False], [False])
    """
    sizes = np.asarray(sizes)
    low = (sizes > 0) & (sizes < least)
    others = np.flatnonzero(~low & (sizes > 0))
    if low.sum() != 1:
        return low
    if not len(others):
        return np.zeros(len(sizes), np.bool_)
    low[others[np.argmin(sizes[others])]] = True
    return low
