"""Read-only arrays, and codes as indicators."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairlead.types.ragged import Array


def frozen(values: Any, dtype: Any) -> Array:
    """A read-only array of the given type; the caller's own array is never made read-only."""
    # a view: making the caller's own array read-only would be a side effect
    array = np.asarray(values, dtype).view()
    array.setflags(write=False)
    return array


_EXACT, _MOST_SLACK = 1e-6, 0.05
"""How far sums may be off that nobody rounded, and at most where somebody did."""


def slack_of_rounding(shares: Array, least: int = 2) -> Array:
    """(rows,) how far the sum of each row of shares may be off because they are rounded.

    Each of n shares with d decimals is off by half a unit of the last one at most, so their sum by
    n / 2 * 10^-d. Fewer decimals than ``least`` count as that many: 0.6 beside 0.5 is no rounding.

    >>> slack_of_rounding(np.array([[0.334, 0.334, 0.333], [0.6, 0.5, 0.0]])).tolist()
    [0.0015, 0.015]
    """
    slack = np.full(len(shares), _EXACT)
    for decimals in range(6, least - 1, -1):
        # Shares that were stored in 32 bits are off by up to 3e-8.
        rounded = (np.abs(np.round(shares, decimals) - shares) < 5e-8).all(1)
        slack[rounded] = min(shares.shape[1] / 2 * 10.0**-decimals, _MOST_SLACK)
    return np.maximum(slack, _EXACT)


def one_hot(codes: Array, groups: int) -> Array:
    """(..., groups) float64 indicator of non-negative codes."""
    return (codes[..., None] == np.arange(groups)).astype(np.float64)
