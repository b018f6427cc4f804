"""Corrections for many looks, paired tests, power."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.statistics.multiplicity import benjamini_hochberg
from fairlead.statistics.paired import paired
from fairlead.statistics.power import queries_needed, visible_difference


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_q_calls_exactly_what_the_step_up_procedure_calls(p: list[float]) -> None:
    q = benjamini_hochberg(np.array(p))
    for level in (0.01, 0.05, 0.2, 0.5):
        ranked = sorted(p)
        passing = [i for i, x in enumerate(ranked, 1) if x <= level * i / len(p) * (1 + 1e-12)]
        cut = ranked[passing[-1] - 1] if passing else -1.0
        for x, value in zip(p, q, strict=True):
            if abs(value - level) > 1e-9:
                assert (value <= level) == (x <= cut)


def test_q_leaves_undefined_tests_out_of_the_count() -> None:
    assert benjamini_hochberg(np.array([0.02, np.nan, 0.5]))[0] == pytest.approx(0.04)


def test_paired_test_equals_all_sign_flips() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.4, 1, 9), rng.normal(0, 1, 9)
    gap = a - b
    flips = [np.mean(gap * s) for s in itertools.product((1, -1), repeat=9)]
    expected = np.mean(np.abs(flips) >= abs(gap.mean()) - 1e-12)
    ones = np.ones(9)
    found = paired((a, ones), (b, ones), rng=rng)
    assert found.p == pytest.approx(expected) and found.difference == pytest.approx(gap.mean())
    many = paired((np.tile(a, 3), np.ones(27)), (np.tile(b, 3), np.ones(27)), rng=rng)
    assert many.p < found.p


def test_paired_leaves_out_queries_undefined_in_either_run() -> None:
    a, b = np.array([1.0, np.nan, 2.0, 3.0]), np.array([0.0, 1.0, np.nan, 1.0])
    ones = np.ones(4)
    found = paired((a, ones), (b, ones), rng=np.random.default_rng(0))
    assert found.queries == 2 and found.difference == pytest.approx(1.5)


def test_paired_of_equal_runs_sees_nothing() -> None:
    x = np.random.default_rng(0).normal(size=30)
    found = paired((x, np.ones(30)), (x, np.ones(30)), rng=np.random.default_rng(0))
    assert found.difference == 0 and found.p == 1.0


def test_paired_p_is_uniform_without_a_difference(count) -> None:
    p = []
    for seed in range(count(200, 1_000)):
        rng = np.random.default_rng(seed)
        a, b = rng.gamma(1, 1, 24), rng.gamma(1, 1, 24)
        p.append(paired((a, np.ones(24)), (b, np.ones(24)), rng=rng, draws=299).p)
    assert np.mean(np.array(p) < 0.05) <= 0.05 + 3 * np.sqrt(0.0475 / len(p))


def test_pooled_ratios_are_compared_by_swapping_whole_queries() -> None:
    rng = np.random.default_rng(0)
    size = rng.integers(10, 50, 25).astype(float)
    a, b = (
        rng.binomial(size.astype(int), 0.6).astype(float),
        rng.binomial(size.astype(int), 0.3).astype(float),
    )
    found = paired((a, size), (b, size), rng=rng)
    assert found.difference == pytest.approx(a.sum() / size.sum() - b.sum() / size.sum())
    assert found.p < 0.001 and found.interval.low > 0


def test_planned_number_of_queries_sees_the_difference_as_often_as_promised(count) -> None:
    n = queries_needed(0.1, 0.05, power=0.8)
    trials = count(400, 4_000)
    rng = np.random.default_rng(0)
    x = rng.normal(0.05, 0.1, (trials, n))
    t = x.mean(1) / (x.std(1, ddof=1) / np.sqrt(n))
    from scipy.stats import t as student

    assert np.mean(np.abs(t) > student.ppf(0.975, n - 1)) == pytest.approx(
        0.8, abs=3 * np.sqrt(0.16 / trials) + 0.01
    )
    assert visible_difference(0.1, n) <= 0.05 * 1.04


@pytest.mark.parametrize(
    "bad", [{"difference": 0.0}, {"spread": -1.0}, {"power": 1.0}, {"alpha": 0.0}]
)
def test_impossible_plans_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        queries_needed(**{"spread": 0.1, "difference": 0.1, **bad})
