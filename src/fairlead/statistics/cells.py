"""Small cells: counts so low that they could point at a person are not shown, and neither is what would give them away."""

from __future__ import annotations

import numpy as np

from fairlead.ragged import Array

SMALLEST = 5
"""The lowest count that is shown; 0 is shown too."""


def hidden(counts: Array, least: int = SMALLEST) -> Array:
    """(cells,) which counts of one table not to show: those from 1 to below ``least`` and, where that is one alone, the next smallest.

    One hidden count could be read off the total; two cannot.

    >>> hidden(np.array([40, 3, 12, 0])).tolist()
    [False, True, True, False]
    """
    counts = np.asarray(counts)
    low = (counts > 0) & (counts < least)
    if low.sum() == 1 and (rest := np.flatnonzero(~low & (counts > 0))).size:
        low[rest[np.argmin(counts[rest])]] = True
    return low
