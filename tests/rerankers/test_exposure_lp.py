"""exposure_lp against the linear program over doubly stochastic matrices, and its draws against the
mixture it promises.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from fairlead.errors import UsageError
from fairlead.protocols.registry import make
from fairlead.rerankers.exposure_lp import ExposureLP, Mixture, _Corners, _generated, mixture
from fairlead.rerankers.single import SingleLists
from fairlead.testing.worlds import ranked
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

LAW = settings(max_examples=25, deadline=None)
SEEDS = st.integers(0, 1_000_000)


def drawn(seed: int, size: int, groups: int, k: int) -> SingleLists:
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.random(size))[::-1]
    shares = rng.dirichlet(np.full(groups, 0.4), size) * rng.choice(
        [1.0, 0.7, 0.0], (size, 1), p=[0.6, 0.2, 0.2]
    )
    if rng.random() < 0.4:
        shares = np.eye(groups)[rng.integers(0, groups, size)]
    relevance = (scores - scores[-1]) / (scores[0] - scores[-1])
    return SingleLists(relevance, shares, rng.dirichlet(np.full(groups, 2.0)), k, 0, False)


def dense(case: SingleLists, delta: float) -> tuple[float, float]:
    """The least delta over all doubly stochastic matrices, and the largest expected discounted
    relevance at it.
    """
    size, k, groups = len(case.relevance), case.k, len(case.target)
    weight = np.append(1 / np.log2(np.arange(2, k + 2)), np.zeros(size - k))
    places = np.vstack([np.kron(np.eye(size), np.ones(size)), np.kron(np.ones(size), np.eye(size))])
    off = np.stack([np.kron(case.excess[:, g], weight) for g in range(groups)])
    limits = np.column_stack([np.vstack([off, -off]), -np.full(2 * groups, weight.sum())])
    equal = np.column_stack([places, np.zeros(2 * size)])
    nearest = np.append(np.zeros(size * size), 1.0)
    bounds = [(0, 1)] * size**2
    found = linprog(
        nearest, limits, np.zeros(2 * groups), equal, np.ones(2 * size), [*bounds, (delta, None)]
    )
    least = max(found.fun, delta) + 1e-10
    best = linprog(np.append(-np.kron(case.relevance, weight), 0.0), limits, np.zeros(2 * groups), equal, np.ones(2 * size),
                   [*bounds, (0, least)])  # fmt: skip
    return least, -best.fun


def exposure(case: SingleLists, found: Mixture) -> tuple[np.ndarray, float]:
    """(groups,) by how much expected exposure is off, as a share of all exposure, and the expected
    discounted relevance.
    """
    weight = 1 / np.log2(np.arange(2, case.k + 2))
    off = sum(
        w * (weight @ case.excess[places])
        for w, places in zip(found.weights, found.lists, strict=True)
    )
    worth = sum(
        w * float(weight @ case.relevance[places])
        for w, places in zip(found.weights, found.lists, strict=True)
    )
    return off / weight.sum(), worth


@LAW
@given(SEEDS, st.integers(2, 4), st.integers(1, 7), st.sampled_from([0.0, 0.05, 0.2]))
def test_mixture_is_worth_what_the_program_over_matrices_is(
    seed: int, groups: int, k: int, delta: float
) -> None:
    case = drawn(seed, 8, groups, k)
    found = mixture(case, delta)
    least, best = dense(case, delta)
    off, worth = exposure(case, found)
    assert found.weights.sum() == pytest.approx(1)
    assert np.abs(off).max() <= least + 1e-6
    assert worth == pytest.approx(best, abs=1e-5 if least <= delta + 1e-9 else 1e-3)
    assert found.bound - found.value <= 1e-6 * max(1, abs(found.value))


@LAW
@given(SEEDS, st.integers(1, 10), st.sampled_from([0.0, 0.1]))
def test_two_groups_by_the_chord_equal_the_program(seed: int, k: int, delta: float) -> None:
    case = drawn(seed, 20, 2, k)
    corners = _Corners(case, delta)
    plain = corners.best(np.zeros(2))
    if np.abs(plain.off).max() > corners.most:
        one, other = mixture(case, delta), _generated(corners, plain)
        assert exposure(case, one)[1] == pytest.approx(exposure(case, other)[1], abs=1e-6)
        assert exposure(case, one)[0] == pytest.approx(exposure(case, other)[0], abs=1e-6)


@pytest.mark.parametrize("groups", [2, 3])
def test_draws_over_seeds_have_the_exposure_of_the_program(groups: int) -> None:
    rng = np.random.default_rng(5)
    codes = rng.choice(groups, 30, p=[0.8, *[0.2 / (groups - 1)] * (groups - 1)])
    labels, target = Groups("a", tuple("abc"[:groups]), codes=codes), np.full(groups, 1 / groups)
    scores = np.sort(rng.random(30))[::-1]
    evidence = Evidence(
        Ranking.of([range(30)], [scores.tolist()]),
        ("q",),
        {"a": Labelled(labels, Target("u", target[None]))},
    )
    weight, total, draws = (
        1 / np.log2(np.arange(2, 12)),
        np.zeros(groups),
        1_000 if groups == 2 else 80,
    )
    reranker = ExposureLP()
    for seed in range(draws):
        np.add.at(total, codes[reranker(evidence, 10, seed).rows], weight)
    assert total / total.sum() == pytest.approx(target, abs=0.03 if groups == 2 else 0.1)


def test_list_that_keeps_to_delta_stays_and_one_group_is_left_alone() -> None:
    assert ExposureLP(0.4)(ranked("FMFM"), 4, 0).rows.tolist() == [0, 1, 2, 3]
    assert ExposureLP(1.0)(ranked("FFFM"), 4, 0).rows.tolist() == [0, 1, 2, 3]
    assert ExposureLP()(ranked("F?FF", names="F"), 3, 0).rows.tolist() == [0, 1, 2]


def test_target_out_of_reach_gives_the_nearest_there_is() -> None:
    assert ExposureLP()(ranked("FFFFM"), 3, 0).rows.tolist()[0] == 4
    assert ExposureLP()(ranked("FFFF"), 3, 0).rows.tolist() == [0, 1, 2]


def test_delta_out_of_range_is_refused() -> None:
    with pytest.raises(UsageError, match="not a share"):
        make("reranker", "exposure_lp(delta=2)")
