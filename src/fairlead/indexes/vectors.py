"""Vectors of items in the order they were added, kept as given.

Memory-mapped arrays are neither copied nor loaded, and half precision is widened a block at a time.
With offsets (late interaction) an item has many vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from fairlead.errors import DataError
from fairlead.types import Embeddings
from fairlead.types.ragged import Array, offsets_of

_LARGEST_HALF = 65504.0
_WRITTEN = 1 << 16
# The first block is small: no score can be dropped before some have been seen.
_FIRST = 256


@dataclass(frozen=True, eq=False)
class Block:
    """Some items, one after the other.

    Attributes:
        first: The row of the first item.
        vectors: (vectors, dimensions) float32; valid until the next block is read.
        offsets: (items + 1,) the vectors of each item; None where each has one.
        reach: The largest length of a vector.
    """

    first: int
    vectors: Array
    offsets: Array | None
    reach: float

    def __len__(self) -> int:
        if self.offsets is None:
            return len(self.vectors)
        return len(self.offsets) - 1


class VectorParts:
    """Vectors in parts, float16 or float32, as they were given."""

    def __init__(self) -> None:
        self._parts: list[Embeddings] = []
        self._starts = np.zeros(1, np.int64)
        self._reach: dict[tuple[int, int, int], float] = {}

    def __len__(self) -> int:
        return int(self._starts[-1])

    @property
    def dimensions(self) -> int:
        """The length of a vector; 0 while there is none."""
        if self._parts:
            return self._parts[0].vectors.shape[1]
        return 0

    @property
    def late(self) -> bool:
        """Whether items have many vectors."""
        return bool(self._parts) and self._parts[0].offsets is not None

    def append(self, embeddings: Embeddings) -> None:
        """Add items at the end.

        Raises:
            DataError: If their vectors do not fit those that are here.
        """
        new = checked(embeddings)
        if self._parts:
            refuse_other_dimensions(self.dimensions, new)
            refuse_mixing(self.late, new)
        if len(new):
            self._parts.append(new)
            self._starts = np.append(self._starts, len(self) + len(new))

    def blocks(self, size: int, first_row: int = 0) -> Iterator[Block]:
        """Yield the items, or those of the parts from a row on, in blocks of about ``size``
        vectors.
        """
        room = np.empty((0, 0), np.float32)
        for number, part in enumerate(self._parts):
            if self._starts[number] < first_row:
                continue
            for start, stop in _cuts(part, size, grow=number == 0):
                first, last, offsets = start, stop, None
                if part.offsets is not None:
                    first, last = int(part.offsets[start]), int(part.offsets[stop])
                    offsets = part.offsets[start : stop + 1] - first
                stored = vectors = part.vectors[first:last]
                if vectors.dtype == np.float16:
                    # one array serves all blocks
                    if len(room) < len(vectors):
                        room = np.empty(vectors.shape, np.float32)
                    vectors = widened(vectors, room[: len(vectors)])
                row = int(self._starts[number]) + start
                key = (number, start, stop)
                # measuring a block means reading it once more, so the result is kept
                if key not in self._reach:
                    # a message can name the row only where each item has one vector
                    named = None
                    if part.offsets is None:
                        named = row
                    self._reach[key] = reach(stored, vectors, named)
                yield Block(row, vectors, offsets, self._reach[key])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Half precision where all parts have it, else single."""
        halves = bool(self._parts) and all(part.vectors.dtype == np.float16 for part in self._parts)
        return np.dtype(np.float16 if halves else np.float32)

    def write(self, stream: BinaryIO) -> None:
        """Write all vectors one after the other, in their own precision."""
        for part in self._parts:
            for at in range(0, len(part.vectors), _WRITTEN):
                part.vectors[at : at + _WRITTEN].astype(self.dtype, copy=False).tofile(stream)

    def gather(self, rows: Array, longest: float | None = None) -> Block:
        """Some items, in the order asked for; ``longest`` is their reach, where it is known."""
        owner = np.searchsorted(self._starts, rows, side="right") - 1
        if not self.late:
            vectors = np.empty((len(rows), self.dimensions), np.float32)
            for number in np.unique(owner):
                entries = np.flatnonzero(owner == number)
                part = self._parts[number].vectors
                at = rows[entries] - self._starts[number]
                if len(entries) == len(rows) and part.dtype == np.float32:
                    # straight into the result, without a copy in between
                    np.take(part, at, axis=0, out=vectors, mode="clip")
                else:
                    vectors[entries] = _wide(part[at])
            return _gathered(vectors, None, longest)
        parts = []
        for number, row in zip(owner.tolist(), (rows - self._starts[owner]).tolist(), strict=True):
            part = self._parts[number]
            parts.append(_wide(part.vectors[part.offsets[row] : part.offsets[row + 1]]))
        sizes = np.array([len(p) for p in parts], np.int64)
        # an empty one in front, so that no items give no vectors of the same dimensions
        vectors = np.concatenate([np.empty((0, self.dimensions), np.float32), *parts])
        return _gathered(vectors, offsets_of(sizes), longest)


def _gathered(vectors: Array, offsets: Array | None, longest: float | None) -> Block:
    """Items from here and there, with their reach, measured where nobody knows it."""
    if longest is None:
        longest = reach(vectors, vectors)
    return Block(-1, vectors, offsets, longest)


def checked(embeddings: Embeddings) -> Embeddings:
    """The same embeddings as plain float16 or float32 arrays, refused where malformed."""
    vectors = np.asarray(embeddings.vectors)
    if vectors.ndim != 2:
        raise DataError(f"Vectors are (items, dimensions), got {vectors.shape}.")
    if vectors.dtype not in (np.float16, np.float32):
        vectors = vectors.astype(np.float32)
    if embeddings.offsets is None:
        return Embeddings(vectors)
    offsets = np.asarray(embeddings.offsets)
    if (
        not len(offsets)
        or offsets[0] != 0
        or offsets[-1] != len(vectors)
        or (np.diff(offsets) < 1).any()
    ):
        raise DataError(
            f"Offsets must rise from 0 to {len(vectors)}, with at least one vector for every item."
        )
    return Embeddings(vectors, offsets)


def refuse_other_dimensions(dimensions: int, embeddings: Embeddings) -> None:
    """Refuse vectors whose length is not that of the index."""
    if embeddings.vectors.shape[1] != dimensions:
        raise DataError(
            (
                f"The index holds vectors of {dimensions} dimensions, got "
                f"{embeddings.vectors.shape[1]}."
            ),
            "Use the encoder it was built with.",
        )


def refuse_mixing(late: bool, embeddings: Embeddings) -> None:
    """Refuse many vectors per item in an index with one, and the other way round."""
    if late != (embeddings.offsets is not None):
        raise DataError(
            "The index holds one vector per item or many, not both.",
            "Encode all items with one model.",
        )


def widened(halves: Array, out: Array) -> Array:
    """Finite float16 values as float32 in a given array, several times as fast as numpy's cast.

    The bits of a half, moved to where a float32 has them, are the same number times 2^-112.
    """
    bits = out.view(np.int32)
    bits[...] = halves.view(np.int16)
    np.left_shift(bits, 13, out=bits)
    # clear the copies of the sign that widening left in the exponent
    np.bitwise_and(bits, np.int32(-0x70002000), out=bits)
    return np.multiply(out, np.float32(2.0**112), out=out)


def _wide(vectors: Array) -> Array:
    if vectors.dtype == np.float32:
        return vectors
    return widened(vectors, np.empty(vectors.shape, np.float32))


def _cuts(part: Embeddings, size: int, *, grow: bool) -> Iterator[tuple[int, int]]:
    start, step = 0, min(size, _FIRST) if grow else size
    while start < len(part):
        if part.offsets is None:
            stop = min(start + step, len(part))
        else:
            stop = max(
                start + 1,
                int(np.searchsorted(part.offsets, part.offsets[start] + step, side="right")) - 1,
            )
        yield start, stop
        start, step = stop, min(size, 2 * step)


def reach(given: Array, vectors: Array, first: int | None = None) -> float:
    """The largest length of some vectors; refuses values that are not finite or too large."""
    squares = np.einsum("ij,ij->i", vectors, vectors)
    longest = float(np.sqrt(squares.max(initial=0)))
    if not np.isfinite(longest) or (longest > _LARGEST_HALF and not np.isfinite(given).all()):
        at = int(np.flatnonzero(~np.isfinite(squares) | ~np.isfinite(given).all(1))[0])
        whose = "" if first is None else f" in row {first + at}"
        raise DataError(
            f"A vector{whose} holds values that are not finite, or too large to multiply.",
            "Embed that item again.",
        )
    return longest
