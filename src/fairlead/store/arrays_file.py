"""Arrays in files (``.npz``, ``.npy``), read under limits: nothing is unpickled, and no more is
unpacked than the size of a file makes likely.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.store.limits import MEMBERS, check_growth
from fairlead.store.opening import opened
from fairlead.types.ragged import Array

_HEADERS: dict[tuple[int, int], Callable[[Any], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_arrays(path: str | Path) -> dict[str, Array]:
    """All arrays of an ``.npz`` file.

    Raises:
        OSError: Where it cannot be read.
        ValueError: Where it is none, or an array claims to be larger than its bytes.
        DataError: Where it unpacks to very many times its size.
    """
    place = Path(path)
    with opened(place) as stream, zipfile.ZipFile(stream) as archive:
        entries = archive.infolist()
        MEMBERS.check(len(entries), place.name)
        # the sum: entries may share their bytes
        check_growth(sum(e.file_size for e in entries), place.stat().st_size, place.name)
        return {e.filename.removesuffix(".npy"): _array(archive, e) for e in entries}


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Array:
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"{entry.filename} is of an unknown version")
        shape, by_column, dtype = _HEADERS[version](stream)
        # numpy would make room for what a header claims before it reads
        size = math.prod(shape) * dtype.itemsize
        if dtype.hasobject or size > entry.file_size:
            raise ValueError("it is no file of plain arrays")
        array = np.frombuffer(stream.read(size), dtype)
        if stream.read(1):
            raise ValueError(f"{entry.filename} holds more than its array")
    return array.reshape(shape, order="F" if by_column else "C").copy("K")


def mapped_array(path: str | Path) -> Any:
    """The array of an ``.npy`` file, memory-mapped. Of a damaged file, numpy raises anything."""
    # opened first: numpy would wait for a pipe
    with opened(path):
        return np.load(path, mmap_mode="r", allow_pickle=False)
