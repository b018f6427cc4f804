"""The order of a run: by score, best first, and by a fair coin where scores are equal.

Item ids often spell the group (``female_0017.jpg``), and so does the order of a file, so neither
may decide between equal scores. A hash of (seed, query id, item id) does: the same on every
machine, whatever the order of the lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from fairlead.types.ragged import Array

_WEYL = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def descending(query: Array, scores: Array, ranks: Array | None) -> Array:
    """(entries,) entry numbers by query, falling score, then rising rank. The sort is stable."""
    if _in_order(query, scores, ranks):
        return np.arange(len(query))
    keys = _rough_keys(query, scores)
    entries = np.argsort(keys)
    keys = keys[entries]
    # A key holds only the first bits of a score, and the sort is not stable. Where keys are
    # equal, the scores themselves decide.
    open_ = np.flatnonzero(_either(keys[1:] == keys[:-1]))
    some = entries[open_]
    exact = [keys[open_], -scores[some], *([] if ranks is None else [ranks[some]]), some]
    entries[open_] = some[np.lexsort(exact[::-1])]
    return entries


def _in_order(query: Array, scores: Array, ranks: Array | None) -> bool:
    """Whether the entries are in order already, as in most runs."""
    if (query[1:] < query[:-1]).any():
        return False
    fine = (query[1:] > query[:-1]) | (scores[1:] < scores[:-1])
    equal = scores[1:] == scores[:-1]
    fine |= equal if ranks is None else equal & (ranks[1:] >= ranks[:-1])
    return bool(fine.all())


def _rough_keys(query: Array, scores: Array) -> Array:
    """(entries,) one whole number per entry that rises with the query, then with falling scores."""
    # one sort of whole numbers is several times faster than a sort by two keys
    falling = (0.0 - scores.astype(np.float64)).view(np.int64)
    # the bits of floats order like whole numbers once those of negative ones are flipped;
    # subtracting from 0.0 leaves a single zero
    bits = (falling ^ ((falling >> 63) | np.int64(-(2**63)))).view(np.uint64)
    width = int(query.max(initial=0)).bit_length()
    if not width:
        return bits
    return (query.astype(np.uint64) << np.uint64(64 - width)) | (bits >> np.uint64(width))


def _either(same: Array) -> Array:
    """(entries,) whether an entry equals a neighbour, from (entries - 1,) whether two are equal."""
    either = np.zeros(len(same) + 1, np.bool_)
    either[1:] = same
    either[:-1] |= same
    return either


def tied(query: Array, *values: Array | None) -> Array:
    """(entries,) whether a sorted entry equals the one before it in query and all values."""
    same = np.zeros(len(query), np.bool_)
    same[1:] = query[1:] == query[:-1]
    for value in values:
        if value is not None:
            same[1:] &= value[1:] == value[:-1]
    return same


def share_tied(same: Array) -> float:
    """Share of entries equal to a neighbour; ``same`` says which equal the entry before."""
    if not len(same):
        return 0.0
    return float(_either(same[1:]).mean())


def shuffled(
    same: Array,
    query: Array,
    item: Array,
    *,
    queries: Sequence[str],
    items: Sequence[str],
    seed: int,
) -> Array:
    """(entries,) an order that mixes each run of tied entries by the hash of its ids.

    Entries are sorted; nothing else moves.
    """
    order = np.arange(len(same))
    places = np.flatnonzero(_either(same[1:]))
    if not len(places):
        return order
    runs = np.cumsum(~same[places])
    coins = _coins(query[places], queries, b"query", seed)
    coins ^= _splitmix(_coins(item[places], items, b"item", seed))
    order[places] = places[np.lexsort((_splitmix(coins), runs))]
    return order


def _coins(rows: Array, ids: Sequence[str], kind: bytes, seed: int) -> Array:
    """(rows,) uint64 hash of the id of each row; every distinct id is hashed once."""
    distinct, where = np.unique(rows, return_inverse=True)
    key = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
    base = hashlib.blake2b(key=key, person=kind, digest_size=8)
    hashes = bytearray()
    if hasattr(ids, "take"):
        names = ids.take(distinct).to_pylist()
    else:
        names = [ids[row] for row in distinct]
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
