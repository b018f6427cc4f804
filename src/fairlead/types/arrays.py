"""Read-only arrays, and codes as indicators."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairlead.types.ragged import Array


def frozen(values: Any, dtype: Any) -> Array:
    """A read-only array of the given type; the caller's own array is never made read-only."""
    # a view: making the caller's own array read-only would be a side effect
    array = np.asarray(values, dtype).view()
    array.flags.writeable = False
    return array


def one_hot(codes: Array, groups: int) -> Array:
    """(..., groups) float64 indicator of non-negative codes."""
    return (codes[..., None] == np.arange(groups)).astype(np.float64)
