"""The order of a run: by score, best first, and a fair coin where scores are equal.

Item ids often spell the group (``female_0017.jpg``), and so does the order of a file, so neither
may decide between equal scores. A hash of (seed, query id, item id) does: the same on every
machine, whatever the order of the lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from fairlead.types.ragged import Array

_WEYL, _MIX_1, _MIX_2 = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


def descending(query: Array, scores: Array, ranks: Array | None) -> Array:
    """(entries,) entry numbers by query, then score falling, then rank rising; equal ones in their
    given order.
    """
    keys = (-scores, query) if ranks is None else (ranks, -scores, query)
    return np.lexsort(keys)


def tied(query: Array, *values: Array | None) -> Array:
    """(entries,) of sorted entries: whether an entry equals the one before it in query and all
    values.
    """
    same = np.zeros(len(query), np.bool_)
    same[1:] = query[1:] == query[:-1]
    for value in values:
        if value is not None:
            same[1:] &= value[1:] == value[:-1]
    return same


def share_tied(same: Array) -> float:
    """Share of entries equal to a neighbour; ``same`` says which equal the one before."""
    if not len(same):
        return 0.0
    either = same.copy()
    either[:-1] |= same[1:]
    return float(either.mean())


def shuffled(
    same: Array,
    query: Array,
    item: Array,
    *,
    queries: Sequence[str],
    items: Sequence[str],
    seed: int,
) -> Array:
    """(entries,) an order that mixes each run of tied sorted entries by the hash of its ids and
    moves nothing else.
    """
    order = np.arange(len(same))
    either = same.copy()
    either[:-1] |= same[1:]
    places = np.flatnonzero(either)
    if not len(places):
        return order
    runs = np.cumsum(~same)[places]
    coins = _coins(query[places], queries, b"query", seed)
    coins ^= _splitmix(_coins(item[places], items, b"item", seed))
    order[places] = places[np.lexsort((_splitmix(coins), runs))]
    return order


def _coins(rows: Array, ids: Sequence[str], kind: bytes, seed: int) -> Array:
    """(rows,) uint64 hash of the id behind each row; every distinct id is hashed once."""
    distinct, where = np.unique(rows, return_inverse=True)
    key = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
    base = hashlib.blake2b(key=key, person=kind, digest_size=8)
    hashes = bytearray()
    names = (
        ids.take(distinct).to_pylist() if hasattr(ids, "take") else [ids[row] for row in distinct]
    )
    for name in names:
        one = base.copy()
        one.update(name.encode())
        hashes += one.digest()
    return np.frombuffer(bytes(hashes), np.uint64)[where]


def _splitmix(x: Array) -> Array:
    """The splitmix64 finaliser: spreads every input bit over all output bits."""
    x = x + _WEYL
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))
