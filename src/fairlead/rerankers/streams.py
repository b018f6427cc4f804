"""Random streams named by (seed, query id, spec).

The same query gets the same numbers in any batch, order or sharding. A stream is a 64-bit key; its
number ``c`` is the splitmix64 finaliser of ``key + (c + 1) * golden`` (Steele, Lea, Flood 2014), so
any block of any stream is computed at once, without state.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from fairlead.types.ragged import Array

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = (np.uint64(bits) for bits in (30, 27, 31, 11))


def stream_keys(seed: int, spec: str, queries: Sequence[str]) -> Array:
    """(queries,) the 64-bit key of each query's stream. The length of the spec keeps ``a|b`` and
    ``a`` + ``|b`` apart.
    """
    head = blake2b(f"{seed}|{len(spec)}|{spec}|".encode(), digest_size=8)
    digests = bytearray()
    for query in queries:
        own = head.copy()
        own.update(query.encode())
        digests += own.digest()
    return np.frombuffer(bytes(digests), "<u8").astype(np.uint64)


def uniforms(keys: Array, count: int) -> Array:
    """(streams, count) the first numbers of each stream, uniform in [0, 1)."""
    counters = np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
    bits = keys[:, None] + counters
    bits = (bits ^ (bits >> _30)) * _MIX_1
    bits = (bits ^ (bits >> _27)) * _MIX_2
    return ((bits ^ (bits >> _31)) >> _11) * 2.0**-53


def integers(uniform: Array, bounds: Array) -> Array:
    """Whole numbers in ``0 .. bounds - 1`` from uniforms; 0 where the bound is 0."""
    return np.floor(uniform * bounds).astype(np.int64)
