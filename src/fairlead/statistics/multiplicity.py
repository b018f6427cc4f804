"""Correction for the number of looks."""

from __future__ import annotations

import numpy as np

from fairlead.types.ragged import Array


def benjamini_hochberg(p: Array) -> Array:
    """q-values: the smallest false discovery rate at which each test is significant.

    NaN stays NaN and does not count as a test.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, np.nan])).round(3).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    q = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    scaled = p[order] * len(order) / np.arange(1, len(order) + 1)
    # a larger p never gets a smaller q
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q
