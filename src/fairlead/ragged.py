"""Ragged arrays: an ``offsets`` array (parts + 1) and flat values; part ``q`` is ``flat[offsets[q]:offsets[q + 1]]``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def offsets_of(sizes: Array) -> Array:
    """Offsets of ragged parts of the given sizes."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def within(offsets: Array) -> Array:
    """(entries,) 0-based place of each entry within its own part."""
    return np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], np.diff(offsets))


def locate(offsets: Array, rows: Array, other_offsets: Array, other_rows: Array) -> Array:
    """For each entry of the other ragged rows, its entry number in the first ones, or -1: a join on (query, row)."""
    span = 1 + max(int(rows.max(initial=0)), int(other_rows.max(initial=0)))
    keys = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * span + rows
    sought = np.repeat(np.arange(len(other_offsets) - 1), np.diff(other_offsets)) * span + other_rows
    if not len(keys):
        return np.full(len(sought), -1)
    order = np.argsort(keys, kind="stable")
    place = np.minimum(np.searchsorted(keys, sought, sorter=order), len(keys) - 1)
    return np.where(keys[order[place]] == sought, order[place], -1)


def entries_of(offsets: Array, parts: Array) -> tuple[Array, Array]:
    """Entry numbers of some parts, in that order, and their sizes."""
    sizes = np.diff(offsets)[parts]
    return within(offsets_of(sizes)) + np.repeat(offsets[:-1][parts], sizes), sizes
