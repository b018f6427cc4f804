"""Vectors of texts or images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairlead.types.ragged import Array, entries_of, offsets_of


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Vectors of texts or images; with offsets, several vectors an item (late interaction)."""

    vectors: Array
    offsets: Array | None = None

    def __len__(self) -> int:
        if self.offsets is None:
            return len(self.vectors)
        return len(self.offsets) - 1

    def take(self, rows: Array) -> Embeddings:
        """The vectors of some texts or images, in that order."""
        if self.offsets is None:
            return Embeddings(self.vectors[rows])
        entries, sizes = entries_of(self.offsets, np.asarray(rows))
        return Embeddings(self.vectors[entries], offsets_of(sizes))
