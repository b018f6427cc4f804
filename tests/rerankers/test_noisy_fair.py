"""noisy_fair: its program against one written out in full, its rounding against the probabilities,
its duality gap; Birkhoff's mixture.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from fairlead.errors import UsageError
from fairlead.protocols.registry import make
from fairlead.rerankers.birkhoff import permutations
from fairlead.rerankers.noisy_fair import Blocks, NoisyFair, _rounded, solved
from fairlead.rerankers.single import SingleLists
from fairlead.testing.worlds import ranked

LAW = settings(max_examples=25, deadline=None)
SEEDS = st.integers(0, 1_000_000)


def drawn(seed: int, size: int, groups: int, k: int) -> SingleLists:
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.random(size))[::-1]
    shares = rng.dirichlet(np.full(groups, 0.4), size) * rng.choice(
        [1.0, 0.6, 0.0], (size, 1), p=[0.7, 0.2, 0.1]
    )
    if rng.random() < 0.3:
        shares = np.eye(groups)[rng.integers(0, groups, size)]
    relevance = (scores - scores[-1]) / (scores[0] - scores[-1])
    return SingleLists(relevance, shares, rng.dirichlet(np.full(groups, 2.0)), k, 0, False)


def in_full(blocks: Blocks) -> float:
    """The worth of the program, row by row, over all items."""
    case, count = blocks.case, len(blocks.sizes)
    size, groups = len(case.relevance), len(case.target)
    cells = size * count
    worth = np.zeros(cells + groups * count)
    less, limits, equal = [], [], []
    for i in range(size):
        row = np.zeros(len(worth))
        row[i * count : (i + 1) * count] = 1
        less.append(row)
        limits.append(1.0)
    for b in range(count):
        row = np.zeros(len(worth))
        for i in range(size):
            row[i * count + b] = 1
            worth[i * count + b] = case.relevance[i] * blocks.weights[b]
        equal.append(row)
    for b in range(count):
        for g in range(groups):
            for sign in (1, -1):
                row = np.zeros(len(worth))
                for i in range(size):
                    row[i * count : i * count + b + 1] = sign * case.excess[i, g]
                row[cells + g * count + b] = -1
                less.append(row)
                limits.append(float(blocks.limits[b]))
    worth[cells:] = -1e3
    return -linprog(-worth, np.array(less), limits, np.array(equal), blocks.sizes, (0, None)).fun


@LAW
@given(
    SEEDS,
    st.integers(2, 4),
    st.integers(1, 9),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([0.0, 0.05, 0.2]),
)
def test_program_over_some_items_is_worth_the_one_over_all(
    seed: int, groups: int, k: int, block: int, slack: float
) -> None:
    blocks = Blocks.of(drawn(seed, 30, groups, k), block, slack)
    _, shares, found = solved(blocks)
    assert found.value == pytest.approx(in_full(blocks), abs=1e-5 * max(1, abs(found.value)))
    assert abs(found.gap) <= 1e-7
    assert shares.sum(0) == pytest.approx(blocks.sizes)
    assert shares.sum(1).max() <= 1 + 1e-7


def test_duality_gap_is_nothing_but_rounding(bar) -> None:
    gaps, undecided = [], []
    for seed in range(4):
        blocks = Blocks.of(drawn(seed, 120, 4, 40), 10, 0.0)
        _, shares, found = solved(blocks)
        gaps.append(abs(found.gap))
        undecided.append(int(((shares > 1e-6) & (shares < 1 - 1e-6)).any(1).sum()))
    bar(
        "noisy_fair, duality gap, 40 of 120 in four groups",
        f"{max(gaps):.1e}, at most {max(undecided)} of 40 places drawn",
        "<= 1e-7",
    )
    assert max(gaps) <= 1e-7
    assert (
        max(undecided) <= 2 * 4 * 4 + 4
    )  # a corner: at most as many items as bounds, and one more for each block


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(2, 3), st.integers(2, 9))
def test_rounding_keeps_every_probability(seed: int, groups: int, k: int) -> None:
    blocks = Blocks.of(drawn(seed, 20, groups, k), 2, 0.0)
    _, shares, _ = solved(blocks)
    coins = (np.arange(400) + 0.5) / 400
    seen = np.zeros((len(shares), len(blocks.sizes) + 1))
    for coin in coins:
        block = _rounded(shares, blocks.sizes, float(coin))
        assert (
            np.bincount(block, minlength=len(blocks.sizes) + 1)[:-1].tolist()
            == blocks.sizes.tolist()
        )
        seen[np.arange(len(block)), block] += 1 / len(coins)
    assert (
        np.abs(seen[:, :-1] - shares).max() <= 0.05
    )  # coins lie on a grid, and a mixture has a few parts


def test_expected_counts_over_draws_keep_to_the_target_at_every_block() -> None:
    evidence = ranked("FFFFFFFFFFMFMFFMMFMMMM")
    codes, counts = evidence.labels.codes, np.zeros(3)
    for seed in range(100):
        rows = NoisyFair(block=3)(evidence, 9, seed).rows
        counts += np.cumsum(codes[rows] == 1)[[2, 5, 8]] / 100
    assert counts == pytest.approx([1.5, 3.0, 4.5], abs=0.2)


def test_list_that_keeps_to_the_bounds_stays_and_one_group_is_left_alone() -> None:
    assert NoisyFair(block=2)(ranked("FMMFFM"), 6, 0).rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert NoisyFair(slack=1.0)(ranked("FFFFM"), 4, 0).rows.tolist() == [0, 1, 2, 3]
    assert NoisyFair()(ranked("F?FF", names="F"), 3, 0).rows.tolist() == [0, 1, 2]


def test_short_supply_is_used_up() -> None:
    assert set(NoisyFair()(ranked("FFFFFFFM"), 6, 0).rows.tolist()) >= {7}
    assert NoisyFair()(ranked("FFFF"), 3, 0).rows.tolist() == [0, 1, 2]


@LAW
@given(SEEDS, st.integers(1, 8))
def test_birkhoff_mixture_adds_up_to_the_matrix(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(5))
    matrix = sum(w * np.eye(size)[rng.permutation(size)] for w in weights)
    parts = list(permutations(np.asarray(matrix)))
    assert sum(w for w, _ in parts) == pytest.approx(1)
    assert sum(w * np.eye(size)[columns] for w, columns in parts) == pytest.approx(matrix, abs=1e-7)


@pytest.mark.parametrize(
    ("text", "said"),
    [("noisy_fair(slack=2)", "not a share"), ("noisy_fair(block=0)", "holds no place")],
)
def test_values_out_of_range_are_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make("reranker", text)
