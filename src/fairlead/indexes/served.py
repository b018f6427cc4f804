"""Vectors on a server, as an array that only fetches the rows somebody looks at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fairlead.types.ragged import Array

Fetch = Callable[[Array], Array]
"""(rows,) numbers to (rows, dimensions) float32."""
_BLOCK = 4_096


class ServedVectors:
    """(rows, dimensions) float32, read like a memory-mapped file: a slice of it is an array."""

    ndim, dtype = 2, np.dtype(np.float32)

    def __init__(self, fetch: Fetch, rows: Array, dimensions: int) -> None:
        self._fetch, self._rows = fetch, rows
        self.shape = (len(rows), dimensions)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: Any) -> Array:
        rows, rest = key, slice(None)
        if isinstance(key, tuple):
            rows, rest = key
        numbers = self._rows[rows]
        vectors = self._read(np.atleast_1d(numbers))
        # as with any array, one row by its number is a vector, not a matrix of one
        if not np.ndim(numbers):
            vectors = vectors[0]
        return vectors[..., rest]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self._read(self._rows).astype(dtype or self.dtype, copy=False)

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """All vectors as an array of another type."""
        return np.asarray(self).astype(dtype, copy=copy)

    def _read(self, rows: Array) -> Array:
        vectors = np.empty((len(rows), self.shape[1]), np.float32)
        for at in range(0, len(rows), _BLOCK):
            vectors[at : at + _BLOCK] = self._fetch(rows[at : at + _BLOCK])
        return vectors
