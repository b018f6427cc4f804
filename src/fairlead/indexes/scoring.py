"""Scores that are the same whatever else is in the batch: inner products, and MaxSim.

BLAS adds in an order that depends on the shapes it is given, so the same pair may differ in its
last bit from batch to batch. ``rough`` is that, in float32, and says how far off it may be.
``precise`` is the promise: the products are added in double precision in an order that depends on
the dimensions alone, and rounded to float32 once. It too asks BLAS first (in double precision), and
adds anew only the pairs whose rounding BLAS's own error could move.

MaxSim (late interaction): s(q, x) = sum over the vectors of q of the largest inner product with a
vector of x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairlead.indexes.vectors import Block, checked, refuse_other_dimensions
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

# So many products are added again at a time.
_PAIRS = 1 << 20


@dataclass(frozen=True, eq=False)
class QueryVectors:
    """Queries: (vectors, dimensions) float32, with offsets where a query has many vectors."""

    vectors: Array
    offsets: Array | None

    @classmethod
    def of(cls, queries: Embeddings, dimensions: int) -> QueryVectors:
        """Queries for items of that many dimensions (0: any)."""
        embeddings = checked(queries)
        if dimensions and len(embeddings):
            refuse_other_dimensions(dimensions, embeddings)
        return cls(embeddings.vectors.astype(np.float32, copy=False), embeddings.offsets)

    def __len__(self) -> int:
        if self.offsets is None:
            return len(self.vectors)
        return len(self.offsets) - 1

    def part(self, first: int, last: int) -> QueryVectors:
        """Some of the queries, as a value of the same kind."""
        if self.offsets is None:
            return QueryVectors(self.vectors[first:last], None)
        a, b = self.offsets[first], self.offsets[last]
        return QueryVectors(self.vectors[a:b], self.offsets[first : last + 1] - a)

    @cached_property
    def lengths(self) -> Array:
        """(queries,) the length of each query's vector, or the sum of its vectors' lengths."""
        lengths = np.linalg.norm(self.vectors.astype(np.float64), axis=1)
        if self.offsets is None:
            return lengths
        return np.add.reduceat(lengths, self.offsets[:-1])

    @cached_property
    def slack(self) -> Array:
        """(queries,) how far a rough score may be from the true one, for items of length 1."""
        return self._rounding(2.0**-24)

    @cached_property
    def _turned(self) -> Array:
        return np.ascontiguousarray(self.vectors.T)

    @cached_property
    def _turned_doubles(self) -> Array:
        return np.ascontiguousarray(self.vectors.T, np.float64)

    def _rounding(self, unit: float) -> Array:
        # Adding n products errs by at most n units of the sum of their sizes, which is at most the
        # product of the lengths.
        most = 1 if self.offsets is None else int(np.diff(self.offsets).max())
        return (self.vectors.shape[1] + most + 2) * unit * 1.01 * self.lengths

    def rough(self, items: Block) -> Array:
        """(items, queries) float32 by BLAS, off by at most ``slack`` times the items' reach."""
        count, dimensions = self.vectors.shape
        # for few queries this runs at the speed of memory, which BLAS does not reach
        if hasattr(np, "vecdot") and (count == 1 or 128 * count <= dimensions):
            return self._summed(items, np.vecdot(items.vectors[:, None, :], self.vectors[None]))
        return self._summed(items, items.vectors @ self._turned)

    def precise(self, items: Block) -> Array:
        """(items, queries) float32; the score of a pair is the same in every batch."""
        sums = self._summed(items, items.vectors.astype(np.float64) @ self._turned_doubles)
        error = 2 * items.reach * self._rounding(2.0**-53)
        lowest = (sums - error).astype(np.float32)
        highest = (sums + error).astype(np.float32)
        # where both ends of the error round alike, so does the true sum
        doubtful = np.nonzero(lowest != highest)
        if len(doubtful[0]):
            sums[doubtful] = self._added_anew(items, *doubtful)
        # adding 0 turns a negative zero into zero, which a sort of bits would put below it
        return sums.astype(np.float32) + np.float32(0)

    def _summed(self, items: Block, products: Array) -> Array:
        if items.offsets is not None:
            products = np.maximum.reduceat(products, items.offsets[:-1], axis=0)
        if self.offsets is None:
            return products
        return np.add.reduceat(products, self.offsets[:-1], axis=1)

    def _added_anew(self, items: Block, rows: Array, queries: Array) -> Array:
        """(pairs,) double sums, in the order in which numpy adds one row of that many values."""
        sums = np.empty(len(rows))
        if items.offsets is None and self.offsets is None:
            step = max(1, _PAIRS // max(1, self.vectors.shape[1]))
            for at in range(0, len(rows), step):
                some = slice(at, at + step)
                sums[some] = (
                    items.vectors[rows[some]].astype(np.float64) * self.vectors[queries[some]]
                ).sum(1)
            return sums
        for at, (row, query) in enumerate(zip(rows.tolist(), queries.tolist(), strict=True)):
            if items.offsets is None:
                item_vectors = items.vectors[row : row + 1]
            else:
                item_vectors = items.vectors[items.offsets[row] : items.offsets[row + 1]]
            query_vectors = self.part(query, query + 1).vectors.astype(np.float64)
            sums[at] = sum(float((item_vectors * vector).sum(1).max()) for vector in query_vectors)
        return sums
