"""Ragged arrays: an ``offsets`` array (parts + 1) and flat values; part ``q`` is
``flat[offsets[q]:offsets[q + 1]]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_LONG = 500
"""From this many entries a part on, parts are looked at one after the other."""


def offsets_of(sizes: Array) -> Array:
    """Offsets of ragged parts of the given sizes."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def within(offsets: Array) -> Array:
    """(entries,) 0-based place of each entry within its own part."""
    return np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], np.diff(offsets))


def locate(offsets: Array, rows: Array, other_offsets: Array, other_rows: Array) -> Array:
    """For each entry of the other ragged rows, its entry number in the first ones, or -1: a join on
    (query, row).
    """
    span = 1 + max(int(rows.max(initial=0)), int(other_rows.max(initial=0)))
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
    """The same for long parts: one after the other, without sorting."""
    found, mark = np.full(len(other_rows), -1, np.int64), np.full(span, -1, np.int32)
    for part in range(len(offsets) - 1):
        other = slice(other_offsets[part], other_offsets[part + 1])
        sought = other_rows[other]
        mark[sought] = np.arange(len(sought))
        which = mark.take(rows[offsets[part] : offsets[part + 1]])
        at = np.flatnonzero(which >= 0)
        found[other][which[at]] = offsets[part] + at
        mark[sought] = -1
    return found


def entries_of(offsets: Array, parts: Array) -> tuple[Array, Array]:
    """Entry numbers of some parts, in that order, and their sizes."""
    sizes = np.diff(offsets)[parts]
    return within(offsets_of(sizes)) + np.repeat(offsets[:-1][parts], sizes), sizes


def places(scores: Array, offsets: Array, columns: Array, *, seed: int) -> Array:
    """(entries,) 1-based place of each entry among all scores of its part, the highest first; an
    entry is a column of (parts, columns).

    Equal scores stand in a random order of the columns that is drawn from the seed once, so that no
    part's ties depend on what other parts there are.
    """
    found, coins = (
        np.empty(len(columns), np.int64),
        np.random.default_rng(seed).permutation(scores.shape[1]),
    )
    for part, row in enumerate(scores):
        own = slice(offsets[part], offsets[part + 1])
        found[own] = _places(row, columns[own], coins)
    return found


def _places(row: Array, own: Array, coins: Array) -> Array:
    """The places of some columns of one row. Sorting is left to the columns near them: the others
    are only counted, by buckets.
    """
    bucket, sizes = _buckets(row)
    wanted = np.zeros(len(sizes), np.bool_)
    wanted[bucket[own]] = True
    near = np.flatnonzero(wanted.take(bucket))
    near = near[np.lexsort((-coins[near], row[near]))]
    rank = np.empty(len(row), np.int64)
    rank[near] = np.arange(len(near), 0, -1)
    higher = np.cumsum(np.where(wanted, 0, sizes)[::-1])[::-1]
    return rank[own] + higher[bucket[own]]


def _buckets(row: Array) -> tuple[Array, Array]:
    """The bucket of each score, higher for higher scores, and how many scores each bucket holds."""
    count, low, high = max(1, len(row) // 4), row.min(), row.max()
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = np.float32(count) / np.float32(high - low)
    if not 0 < scale < np.inf:  # all scores are equal, or too far apart for buckets
        return np.zeros(len(row), np.intp), np.array([len(row)])
    bucket = ((row - low).astype(np.float32) * scale).astype(np.intp)
    return bucket, np.bincount(bucket)
