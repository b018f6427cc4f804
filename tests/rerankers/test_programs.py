"""The wrapper of HiGHS: optimal by its own bound, whole numbers against a search of all, and what
is said without scipy.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from fairlead.errors import MissingExtra
from fairlead.protocols.registry import entries, make
from fairlead.rerankers.programs import assigned, linear, whole
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

LAW = settings(max_examples=60, deadline=None)
SEEDS = st.integers(0, 1_000_000)


def program(
    seed: int, size: int, rows: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A program that 0 or some whole-numbered point satisfies: equations, bounds on one side and on
    both, variables with upper bounds.
    """
    rng = np.random.default_rng(seed)
    a, c = rng.integers(-3, 4, (rows, size)) + 0.0, rng.normal(size=size)
    at = a @ rng.integers(0, 2, size)
    low, high = at - rng.integers(0, 3, rows), at + rng.integers(0, 3, rows)
    low[rng.random(rows) < 0.3] = -np.inf
    high[rng.random(rows) < 0.3] = np.inf
    return c, a, low, high, np.ones(size)


@LAW
@given(SEEDS, st.integers(1, 12), st.integers(1, 6), st.booleans())
def test_linear_program_meets_its_dual_bound_and_its_rows(
    seed: int, size: int, rows: int, thin: bool
) -> None:
    c, a, low, high, upper = program(seed, size, rows)
    found = linear(c, sparse.csr_matrix(a) if thin else a, low, high, upper)
    assert (a @ found.x <= high + 1e-7).all()
    assert (a @ found.x >= low - 1e-7).all()
    assert abs(found.gap) <= 1e-7
    assert found.spare == pytest.approx(a.T @ found.duals - c)
    taken, left = found.x > 1e-7, found.x < 1 - 1e-7
    assert (found.spare[taken & left] == pytest.approx(0, abs=1e-6)) or not (taken & left).any()


@LAW
@given(SEEDS, st.integers(1, 9), st.integers(1, 4))
def test_whole_numbers_equal_a_search_of_all(seed: int, size: int, rows: int) -> None:
    c, a, low, high, upper = program(seed, size, rows)
    found = whole(c, a, low, high, upper, np.ones(size, np.bool_), gap=0.0)
    points = [np.array(x) for x in product((0, 1), repeat=size)]
    best = max(
        float(c @ x) for x in points if (a @ x <= high + 1e-9).all() and (a @ x >= low - 1e-9).all()
    )
    assert found is not None
    assert found.value == pytest.approx(best, abs=1e-6)
    assert abs(found.gap) <= 1e-6


def test_program_without_an_answer_in_whole_numbers_has_none() -> None:
    half = np.array([0.5])
    assert whole(np.ones(1), np.ones((1, 1)), half, half, np.ones(1), np.ones(1, np.bool_)) is None


@LAW
@given(SEEDS, st.integers(1, 5))
def test_assignment_is_worth_the_most(seed: int, size: int) -> None:
    worth = np.random.default_rng(seed).normal(size=(size, size + 1))
    choices = [p for p in product(range(size + 1), repeat=size) if len(set(p)) == size]
    best = max(sum(worth[row, column] for row, column in enumerate(p)) for p in choices)
    assert worth[np.arange(size), assigned(worth)].sum() == pytest.approx(best)


@pytest.mark.parametrize(
    "name", sorted(name for name, entry in entries("reranker").items() if entry.extra == "lp")
)
def test_without_scipy_the_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [m for m in sys.modules if m == "scipy" or m.startswith("scipy.")]:
        monkeypatch.delitem(sys.modules, module)
    for module in ("scipy", "scipy.optimize", "scipy.sparse", "scipy.spatial"):
        monkeypatch.setitem(sys.modules, module, None)
    shares = np.random.default_rng(0).dirichlet([0.8, 0.1, 0.1], 60)
    labelled = Labelled(
        Groups("x", ("a", "b", "c"), soft=shares), Target("u", np.full((1, 3), 1 / 3))
    )
    evidence = Evidence(Ranking.of([range(60)]), ("q",), {"x": labelled})
    with pytest.raises(MissingExtra, match="needs the extra 'lp'"):
        make("reranker", name)(evidence, 10, 0)
