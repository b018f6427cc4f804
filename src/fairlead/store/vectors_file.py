"""Vectors on disk: ``vectors.bin``, raw float16 or float32, appended to and memory-mapped.

``offsets.bin`` is there where items have many vectors.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Literal, cast

import numpy as np

from fairlead.errors import DataError
from fairlead.store.journal import Totals
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

Dtype = Literal["float16", "float32"]
_MOST = float(np.finfo(np.float16).max)
VECTORS, OFFSETS = "vectors.bin", "offsets.bin"


def mapped(folder: Path, totals: Totals, dtype: Dtype) -> Embeddings:
    """The vectors of a folder, memory-mapped.

    Raises:
        DataError: Where the files are shorter than they should be.
    """
    shape = (totals.vectors, totals.dimensions)
    need = totals.vectors * totals.dimensions * np.dtype(dtype).itemsize
    _refuse_short(folder / VECTORS, need)
    vectors: Array = np.empty(shape, dtype)
    # a file without bytes cannot be mapped
    if need:
        vectors = np.memmap(folder / VECTORS, dtype, "r", shape=shape)
    if not totals.many:
        return Embeddings(vectors)
    _refuse_short(folder / OFFSETS, 8 * (totals.items + 1))
    return Embeddings(vectors, np.memmap(folder / OFFSETS, "<i8", "r", shape=(totals.items + 1,)))


def verify(folder: Path, commits: Sequence[Totals], dtype: Dtype) -> None:
    """Compare the vectors of every commit with its checksum.

    Raises:
        DataError: Where they differ: the disk or another program changed them.
    """
    last = Totals()
    if commits:
        last = commits[-1]
    stored, before = mapped(folder, last, dtype), Totals()
    for number, commit in enumerate(commits, 1):
        sums = _checksums(stored, before, commit)
        if commit.crc32 not in sums:
            raise DataError(
                (
                    f"The vectors of commit {number} in {folder / VECTORS} are not those that "
                    "were written."
                ),
                "Delete the folder and embed the collection again.",
            )
        before = commit


def _checksums(stored: Embeddings, before: Totals, commit: Totals) -> tuple[int, ...]:
    """What the checksum of a commit may be."""
    part = np.ascontiguousarray(stored.vectors[before.vectors : commit.vectors])
    own = zlib.crc32(part.view(np.uint8).data)
    if stored.offsets is None:
        return (own,)
    # The first offset belongs to no commit, and is always 0.
    if stored.offsets[0]:
        return ()
    ends = np.ascontiguousarray(stored.offsets[before.items + 1 : commit.items + 1])
    # Of older folders, the vectors alone were summed.
    return zlib.crc32(ends.view(np.uint8).data, own), own


class VectorsFile:
    """Appends to the vectors of a folder after cutting off what an unfinished run left."""

    def __init__(self, folder: Path, totals: Totals, dtype: Dtype) -> None:
        self.dtype, self.totals = dtype, totals
        self._folder = folder
        self._vectors = _opened(
            folder / VECTORS, totals.vectors * totals.dimensions * np.dtype(dtype).itemsize
        )
        self._offsets: BinaryIO | None = None
        if totals.many:
            self._offsets = _opened(folder / OFFSETS, 8 * (totals.items + 1))
        else:
            (folder / OFFSETS).unlink(missing_ok=True)

    def append(self, embeddings: Embeddings | None) -> Totals:
        """Add the vectors of some items, or none, and return the new totals."""
        if embeddings is None or not len(embeddings):
            self.totals = Totals(**(vars(self.totals) | {"crc32": 0}))
            return self.totals
        many, (count, dimensions) = embeddings.offsets is not None, embeddings.vectors.shape
        if self.totals.items and (dimensions, many) != (self.totals.dimensions, self.totals.many):
            raise DataError(
                (
                    f"The model gave vectors of {dimensions} dimensions, "
                    f"{self.totals.dimensions} before."
                ),
                "A model gives vectors of one kind; embed into a new folder.",
            )
        if self.dtype == "float16" and np.abs(embeddings.vectors).max() > _MOST:
            raise DataError(
                "The model's numbers do not fit in half precision.", "Embed without --half."
            )
        content = np.ascontiguousarray(embeddings.vectors, self.dtype).tobytes()
        self._vectors.write(content)
        checksum = zlib.crc32(content)
        if embeddings.offsets is not None:
            if self._offsets is None:
                self._offsets = _opened(self._folder / OFFSETS, 0)
                self._offsets.write(np.zeros(1, "<i8").tobytes())
            ends = (np.asarray(embeddings.offsets[1:], "<i8") + self.totals.vectors).tobytes()
            self._offsets.write(ends)
            checksum = zlib.crc32(ends, checksum)
        self.totals = Totals(
            self.totals.items + len(embeddings),
            self.totals.vectors + count,
            dimensions,
            many,
            checksum,
        )
        return self.totals

    def settle(self) -> None:
        """Make sure that everything appended is on the disk."""
        for file in (self._vectors, self._offsets):
            if file is not None:
                file.flush()
                os.fsync(file.fileno())

    def close(self) -> None:
        """Close the files."""
        try:
            self._vectors.close()
        finally:
            if self._offsets is not None:
                self._offsets.close()


def _opened(path: Path, size: int) -> BinaryIO:
    # before it is cut: a file that is too short would be filled up with zeros
    _refuse_short(path, size)
    return cut_to(path, size)


def cut_to(path: Path, size: int) -> io.BufferedRandom:
    """A file to go on with after so many bytes, without what stood behind them."""
    mode = "r+b"
    # "r+b" makes no file, and "w+b" would empty one that is there
    if not path.exists():
        mode = "w+b"
    file = cast(io.BufferedRandom, path.open(mode))
    file.truncate(size)
    file.seek(size)
    return file


def _refuse_short(path: Path, need: int) -> None:
    size = 0
    if path.exists():
        size = path.stat().st_size
    if size < need:
        raise DataError(
            f"{path} is torn: it has {size:,} of {need:,} bytes.",
            "Delete its folder and embed the collection again.",
        )
