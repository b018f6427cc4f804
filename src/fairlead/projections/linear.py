"""A fitted linear map, folded into the query where the method maps items too.

    <M q, A v + b> = <A' M q, v> + a constant of the query

So the order over the stored index is exactly that over mapped items, for any M, A and b. For an
orthogonal projection P, symmetric and idempotent, A' M = P P = P: mapping the query is enough. Only
a map that is not linear in the items (such as a new unit length for each) would need a new index.
None of ours is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairlead.errors import UsageError
from fairlead.types import Embeddings
from fairlead.types.ragged import Array


@dataclass(frozen=True, eq=False)
class Linear:
    """q -> M q for queries, v -> A v + b for items. A matrix of one dimension is a diagonal.

    Attributes:
        on_queries: (dimensions, dimensions) M.
        on_items: (dimensions, dimensions) A; None where items stay as they are.
        offset: (dimensions,) b.
        unit: Whether queries have unit length afterwards.
        notes: What a reader must know.
    """

    on_queries: Array
    on_items: Array | None = None
    offset: Array | None = None
    unit: bool = False
    notes: tuple[str, ...] = ()

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return len(self.on_queries)

    def __call__(self, queries: Embeddings, variants: Array | None = None) -> Embeddings:
        """Queries for the stored items.

        Their order is exactly that of ``asked`` queries over mapped ``items``.
        """
        mapped = self._mapped(queries, self.on_queries)
        folded = mapped if self.on_items is None else _times(mapped, self.on_items.T)
        return _like(queries, _unit(folded) if self.unit else folded)

    def asked(self, queries: Embeddings) -> Embeddings:
        """Queries for mapped items."""
        mapped = self._mapped(queries, self.on_queries)
        return _like(queries, _unit(mapped) if self.unit else mapped)

    def items(self, items: Embeddings) -> Embeddings:
        """Items as the method maps them, for an index of their own."""
        if self.on_items is None:
            return items
        mapped = self._mapped(items, self.on_items)
        return _like(items, mapped if self.offset is None else mapped + self.offset)

    def arrays(self) -> dict[str, Array]:
        """The arrays that a file keeps."""
        named = {
            "on_queries": self.on_queries,
            "on_items": self.on_items,
            "offset": self.offset,
            "unit": np.array(self.unit),
        }
        return {name: array for name, array in named.items() if array is not None}

    @classmethod
    def restored(cls, arrays: Mapping[str, Array]) -> Linear:
        """The map that a file keeps."""
        restored = cls(
            arrays["on_queries"], arrays.get("on_items"), arrays.get("offset"), bool(arrays["unit"])
        )
        for array in (restored.on_queries, restored.on_items, restored.offset):
            if array is not None and (
                array.ndim > 2
                or set(array.shape) != {restored.dimensions}
                or not np.isfinite(array).all()
            ):
                raise ValueError("its matrices do not fit together")
        return restored

    def _mapped(self, embeddings: Embeddings, matrix: Array) -> Array:
        refuse_other_dimensions(embeddings, self.dimensions)
        return _times(np.asarray(embeddings.vectors, np.float64), matrix)


def refuse_other_dimensions(embeddings: Embeddings, dimensions: int) -> None:
    """Refuse vectors of another length: they come from another model."""
    length = embeddings.vectors.shape[1]
    if length != dimensions:
        raise UsageError(
            f"The projection was fitted on vectors of {dimensions} numbers, got {length}.",
            "Fit it for this model.",
        )


def _times(vectors: Array, matrix: Array) -> Array:
    """(rows, dimensions) each vector times the matrix.

    It goes row by row, so that a row does not depend on the others.
    """
    if matrix.ndim == 1:
        return vectors * matrix
    if len(vectors):
        # a product of whole batches may add up in another order than one of single rows
        return np.stack([matrix @ row for row in vectors])
    return vectors


def _unit(vectors: Array) -> Array:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def _like(given: Embeddings, vectors: Array) -> Embeddings:
    """The vectors in the number type of the given ones, with at least 32 bits."""
    return Embeddings(
        vectors.astype(np.result_type(given.vectors.dtype, np.float32)), given.offsets
    )
