"""Ragged arrays: an ``offsets`` array (parts + 1) and flat values.

The values of part ``q`` are ``flat[offsets[q]:offsets[q + 1]]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# From this many entries a part on, parts are looked at one after the other
_LONG = 500


def offsets_of(sizes: Array) -> Array:
    """Offsets of ragged parts of the given sizes."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def within(offsets: Array) -> Array:
    """(entries,) 0-based place of each entry within its own part."""
    return np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], np.diff(offsets))


def locate(offsets: Array, rows: Array, other_offsets: Array, other_rows: Array) -> Array:
    """Where each entry of the other ragged rows stands in the first ones, or -1.

    It is a join on (query, row).
    """
    span = 1 + max(int(rows.max(initial=0)), int(other_rows.max(initial=0)))
    # long parts are cheaper to mark than to sort
    if len(rows) >= _LONG * len(offsets):
        return _marked(offsets, rows, other_offsets, other_rows, span)
    keys = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * span + rows
    sought = (
        np.repeat(np.arange(len(other_offsets) - 1), np.diff(other_offsets)) * span + other_rows
    )
    if not len(keys):
        return np.full(len(sought), -1)
    order = np.argsort(keys, kind="stable")
    place = np.minimum(np.searchsorted(keys, sought, sorter=order), len(keys) - 1)
    return np.where(keys[order[place]] == sought, order[place], -1)


def _marked(
    offsets: Array, rows: Array, other_offsets: Array, other_rows: Array, span: int
) -> Array:
    """The same for long parts: one part at a time, without sorting."""
    entries = np.full(len(other_rows), -1, np.int64)
    place_of = np.full(span, -1, np.int32)
    for part in range(len(offsets) - 1):
        other = slice(other_offsets[part], other_offsets[part + 1])
        sought = other_rows[other]
        place_of[sought] = np.arange(len(sought))
        part_places = place_of.take(rows[offsets[part] : offsets[part + 1]])
        hits = np.flatnonzero(part_places >= 0)
        entries[other][part_places[hits]] = offsets[part] + hits
        place_of[sought] = -1
    return entries


def entries_of(offsets: Array, parts: Array) -> tuple[Array, Array]:
    """Entry numbers of some parts, in the given order, and the sizes of these parts."""
    sizes = np.diff(offsets)[parts]
    return within(offsets_of(sizes)) + np.repeat(offsets[:-1][parts], sizes), sizes


def places(scores: Array, offsets: Array, columns: Array, *, seed: int) -> Array:
    """(entries,) 1-based place of each entry among all scores of its part, the highest first.

    An entry is a column of (parts, columns). Equal scores stand in a random order of the columns.
    That order is drawn from the seed once, so the ties of one part do not depend on the others.
    """
    result = np.empty(len(columns), np.int64)
    coins = np.random.default_rng(seed).permutation(scores.shape[1])
    for part, row in enumerate(scores):
        part_entries = slice(offsets[part], offsets[part + 1])
        result[part_entries] = _places(row, columns[part_entries], coins)
    return result


def _places(row: Array, wanted: Array, coins: Array) -> Array:
    """The places of some columns of one row.

    Only columns whose scores are close to theirs are sorted; the others are just counted, by
    bucket.
    """
    bucket, sizes = _buckets(row)
    occupied = np.zeros(len(sizes), np.bool_)
    occupied[bucket[wanted]] = True
    close = np.flatnonzero(occupied.take(bucket))
    close = close[np.lexsort((-coins[close], row[close]))]
    rank = np.empty(len(row), np.int64)
    rank[close] = np.arange(len(close), 0, -1)
    higher = np.cumsum(np.where(occupied, 0, sizes)[::-1])[::-1]
    return rank[wanted] + higher[bucket[wanted]]


def _buckets(row: Array) -> tuple[Array, Array]:
    """The bucket of each score, higher for higher scores, and the size of each bucket."""
    count = max(1, len(row) // 4)
    low = row.min()
    high = row.max()
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = np.float32(count) / np.float32(high - low)
    if not 0 < scale < np.inf:  # all scores are equal, or too far apart for buckets
        return np.zeros(len(row), np.intp), np.array([len(row)])
    bucket = ((row - low).astype(np.float32) * scale).astype(np.intp)
    return bucket, np.bincount(bucket)
