"""Joins of ragged rows, short parts and long ones."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.types.ragged import locate, offsets_of


@pytest.mark.parametrize("longest", [0, 3, 40, 2_000])
def test_locate_equals_a_search_by_hand(longest: int) -> None:
    rng = np.random.default_rng(longest)
    for _ in range(20):
        queries = int(rng.integers(1, 6))
        sizes, others = rng.integers(0, longest + 1, queries), rng.integers(0, 12, queries)
        rows = np.concatenate([rng.permutation(3_000)[:n] for n in sizes]).astype(np.int32)
        sought = np.concatenate([rng.permutation(3_000)[:n] for n in others]).astype(np.int32)
        offsets, ends = offsets_of(sizes), offsets_of(others)
        hand = []
        for q in range(queries):
            own = rows[offsets[q] : offsets[q + 1]].tolist()
            hand += [
                offsets[q] + own.index(row) if row in own else -1
                for row in sought[ends[q] : ends[q + 1]].tolist()
            ]
        assert locate(offsets, rows, ends, sought).tolist() == hand
