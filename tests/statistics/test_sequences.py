"""Random sequences: every order equally likely, counts kept, streams of their own; and exact means
against enumeration.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from fairlead.statistics import sequences


def even(counts: Counter, outcomes: int, draws: int) -> bool:
    """Whether all outcomes occur about equally often (chi square within five standard deviations)."""
    expected = draws / outcomes
    chi = (
        sum((n - expected) ** 2 / expected for n in counts.values())
        + (outcomes - len(counts)) * expected
    )
    return len(counts) <= outcomes and chi < outcomes - 1 + 5 * math.sqrt(2 * (outcomes - 1))


@pytest.mark.parametrize("codes", [[0, 1, 2, 3], [0, 0, 1, 1, -1], [5, -2, 5, 300]])
def test_shuffled_every_order_is_equally_likely(codes: list[int]) -> None:
    draws = sequences.shuffled(np.array(codes, np.int16), 24_000, np.random.default_rng(0))
    assert draws.dtype == np.int16
    assert even(
        Counter(map(tuple, draws.tolist())), len(set(itertools.permutations(codes))), 24_000
    )


def test_shuffled_rows_keep_their_own_codes() -> None:
    codes = np.random.default_rng(0).integers(-2, 9, (50, 700)).astype(np.int16)
    draws = sequences.shuffled(codes, 50, np.random.default_rng(1))
    assert (np.sort(draws, axis=1) == np.sort(codes, axis=1)).all()
    assert (draws != codes).mean() > 0.5


@pytest.mark.parametrize(
    ("counts", "size"), [([2, 2, 0, 0], 3), ([1, 2, 1, 1], 2), ([3, 1, 0, 0], 4)]
)
def test_drawn_equals_all_draws_without_replacement(counts: list[int], size: int) -> None:
    pool = np.repeat(sequences.palette(2), counts).tolist()
    weights = Counter(p[:size] for p in itertools.permutations(pool))
    draws = sequences.drawn(np.array([counts]), size, 40_000, [np.random.default_rng(0)])[0]
    found = Counter(map(tuple, draws.tolist()))
    assert set(found) <= set(weights)
    for order, weight in weights.items():
        expected = weight / sum(weights.values())
        assert found[order] / 40_000 == pytest.approx(
            expected, abs=5 * math.sqrt(expected / 40_000)
        )


def test_drawn_from_many_pools_equals_one_by_one() -> None:
    counts = np.array([[5, 9, 1, 0], [7, 0, 0, 3], [2, 2, 9, 9]])
    streams = lambda: [np.random.default_rng(s) for s in range(3)]  # noqa: E731
    together = sequences.drawn(counts, 6, 20, streams())
    for pool, rng in enumerate(streams()):
        assert (sequences.drawn(counts[pool : pool + 1], 6, 20, [rng])[0] == together[pool]).all()
        assert all(
            (together[pool] == code).sum(1).max() <= n
            for code, n in zip(sequences.palette(2), counts[pool], strict=True)
        )


def test_distinct_every_ordered_sample_is_equally_likely() -> None:
    draws = sequences.distinct(5, 3, 30_000, np.random.default_rng(0))
    assert even(Counter(map(tuple, draws.tolist())), 60, 30_000)
    assert all(len(set(row)) == 3 for row in draws.tolist())


@pytest.mark.parametrize("groups", [2, 3, 30])
def test_independent_keeps_what_is_missing_and_follows_the_target(groups: int) -> None:
    target = np.arange(1, groups + 1) / (groups * (groups + 1) / 2)
    codes = sequences.independent(target, np.array([2, 1]), 9, 20_000, np.random.default_rng(0))
    assert ((codes == -1).sum(1) == 2).all() and ((codes == -2).sum(1) == 1).all()
    assert np.bincount(codes[codes >= 0], minlength=groups) / (codes >= 0).sum() == pytest.approx(
        target, abs=0.01
    )
    assert (codes[:, 0] == -1).mean() == pytest.approx(2 / 9, abs=0.02)


def test_means_of_counts_equal_enumeration() -> None:
    pools, size = np.array([[3, 7], [0, 5], [6, 6], [2, 40]]), 5
    functions = np.stack([np.arange(size + 1.0) ** 2, np.sqrt(np.arange(size + 1.0))])
    means = sequences.hypergeometric_means(functions, pools[:, 0], pools[:, 1], size)
    shares = np.array([0.0, 0.3, 1.0])
    binomial = sequences.binomial_means(functions, shares, size)
    for n, (f, values) in itertools.product(range(1, size + 1), enumerate(functions)):
        for pool, (count, total) in enumerate(pools.tolist()):
            ways = [math.comb(count, c) * math.comb(total - count, n - c) for c in range(n + 1)]
            assert means[f, pool, n - 1] == pytest.approx(
                np.dot(ways, values[: n + 1]) / math.comb(total, n), abs=1e-12
            )
        for at, share in enumerate(shares):
            weights = [math.comb(n, c) * share**c * (1 - share) ** (n - c) for c in range(n + 1)]
            assert binomial[f, at, n - 1] == pytest.approx(
                np.dot(weights, values[: n + 1]), abs=1e-12
            )


@pytest.mark.parametrize(
    ("blocks", "orders"), [([7, 7, 7], 6), ([2, 0, 2, 0, 0], 12), ([0, 1, 1], 2)]
)
def test_within_blocks_every_order_of_each_block_is_equally_likely(
    blocks: list[int], orders: int
) -> None:
    of = np.array(blocks)
    draws = sequences.within_blocks(of, len(of), 24_000, np.random.default_rng(0))
    assert (of[draws] == of).all() and (np.sort(draws, axis=1) == np.arange(len(of))).all()
    assert even(Counter(map(tuple, draws.tolist())), orders, 24_000)


def test_within_blocks_of_a_long_list_gives_its_head() -> None:
    blocks = np.random.default_rng(0).integers(0, 3_000, 9_000)
    whole, head = (
        sequences.within_blocks(blocks, size, 4, np.random.default_rng(1)) for size in (9_000, 20)
    )
    assert (blocks[whole] == blocks).all() and (np.sort(whole, axis=1) == np.arange(9_000)).all()
    assert (whole[:, :20] == head).all()
