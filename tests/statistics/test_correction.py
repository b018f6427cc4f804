"""Corrected shares: each way against its formula and an independent reference, and partial pooling
against numerical integration.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import beta, norm

from fairlead.errors import DataError, FairleadError, UsageError
from fairlead.statistics.confusion import PRIOR, Confusion
from fairlead.statistics.correction import (
    Corrected,
    _on_simplex,
    corrected,
    direct,
    expected,
    inverted,
    rogan_gladen,
)
from fairlead.statistics.pooling import SPREAD, LabelCounts, Pooled

RATES = np.array([[0.9, 0.1], [0.2, 0.8]])
shares = st.floats(0.02, 0.98)


def test_confusion_of_codes_counts_strata_predictions_and_truths():
    found = Confusion.of(
        [0, 1, 1, 2],
        [0, 0, 1, 1],
        truths="fm",
        predictions="fmu",
        stratum=[0, 0, 1, 1],
        strata=("top", "rest"),
    )
    assert found.counts.tolist() == [[[1, 0], [1, 0], [0, 0]], [[0, 0], [0, 1], [0, 1]]]
    assert found.labelled == 4
    assert found.precision(prior=1)[0, 0].tolist() == [2 / 3, 1 / 3]
    assert found.sensitivity(prior=0.5)[1, 1].tolist() == pytest.approx(
        [0.5 / 3.5, 1.5 / 3.5, 1.5 / 3.5]
    )
    assert np.allclose(found.precision().sum(2), 1)


@pytest.mark.parametrize("counts", [np.zeros((2, 3)), -np.ones((2, 2))])
def test_confusion_of_wrong_counts_is_refused(counts):
    with pytest.raises(DataError):
        Confusion(("a", "b"), ("a", "b"), counts)


@given(shares)
def test_every_way_finds_the_share_behind_exact_counts(share):
    mix = np.array([share, 1 - share])
    told = 1e6 * mix @ RATES
    for rule in (rogan_gladen, inverted):
        assert rule(told, RATES) == pytest.approx(mix, abs=1e-9)
    assert expected(told, RATES) == pytest.approx(mix, abs=1e-3)
    precision = (mix[:, None] * RATES / (mix @ RATES)).T
    assert direct(told, precision) == pytest.approx(mix, abs=1e-9)


def test_rogan_gladen_out_of_range_is_cut_off_and_a_coin_says_nothing():
    assert rogan_gladen(np.array([5, 95]), RATES).tolist() == [0, 1]
    assert rogan_gladen(np.array([30, 70]), np.full((2, 2), 0.5)).tolist() == [0.5, 0.5]
    with pytest.raises(UsageError, match="two groups"):
        rogan_gladen(np.ones(3), np.eye(3))


@given(st.lists(st.integers(1, 60), min_size=3, max_size=3), st.integers(0, 1000))
def test_em_of_three_groups_is_the_likeliest_mix(counts, seed):
    rng = np.random.default_rng(seed)
    rates = rng.dirichlet(np.ones(3), 3) * 0.3 + 0.7 * np.eye(3)

    def fit(free):
        mix = np.exp(np.append(free, 0)) / np.exp(np.append(free, 0)).sum()
        return -np.array(counts) @ np.log(mix @ rates)

    best = minimize(
        fit,
        np.zeros(2),
        method="Nelder-Mead",
        options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 4000},
    )
    own = expected(np.array(counts), rates)
    assert own.sum() == pytest.approx(1)
    assert -np.array(counts) @ np.log(own @ rates) <= best.fun + 1e-3 * sum(counts)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=6))
def test_projection_to_the_simplex_is_the_nearest_point(values):
    values = np.array(values)
    found = _on_simplex(values)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    rng = np.random.default_rng(0)
    others = rng.dirichlet(np.ones(len(values)), 200)
    assert ((found - values) ** 2).sum() <= ((others - values) ** 2).sum(1).min() + 1e-9


@pytest.mark.parametrize("way", ["direct", "rogan-gladen", "matrix", "em"])
def test_every_way_holds_the_truth_of_plain_lists(way, count):
    """Lists that no one chose by predictions: here sensitivities carry over, so that every way is
    right.
    """
    rng, trials, held = np.random.default_rng(5), count(60, 400), 0
    for _ in range(trials):
        truth = rng.random(400) < 0.3
        predicted = (rng.random(400) < np.where(truth, RATES[1, 1], RATES[0, 1])).astype(int)
        own, other = slice(0, 100), slice(100, 400)
        table = Confusion.of(
            predicted[other], truth[other].astype(int), truths="ab", predictions="ab"
        ).table
        found = corrected(
            np.bincount(predicted[own], minlength=2), table, way=way, draws=400, rng=rng
        )
        low, high = found.gap(0, 1)[1]
        held += low <= 1 - 2 * truth[own].mean() <= high
    assert held / trials >= 0.9


def test_corrected_of_three_groups_and_unknown_sums_to_one():
    table = np.array([[30, 2, 1], [1, 20, 3], [0, 2, 9], [3, 3, 3]])
    for way in ("direct", "matrix", "em"):
        found = corrected(
            np.array([50, 30, 15, 5]), table, way=way, draws=300, rng=np.random.default_rng(1)
        )
        assert found.shares.sum() == pytest.approx(1)
        assert np.allclose(found.draws.sum(1), 1)
        assert found.shares[0] > found.shares[2]


def test_corrected_with_nothing_to_correct_is_refused():
    with pytest.raises(UsageError, match="without any item"):
        corrected(np.zeros(2), np.ones((2, 2)), rng=np.random.default_rng(0))
    with pytest.raises(FairleadError, match="way to correct"):
        corrected(np.ones(2), np.ones((2, 2)), way="guess", rng=np.random.default_rng(0))


def test_absolute_gap_without_a_sure_order_starts_at_zero():
    rng = np.random.default_rng(0)
    first = rng.normal(0.5, 0.05, 2000)
    near = Corrected(np.full(2, 0.5), np.stack([first, 1 - first], 1))
    assert near.absolute()[1][0] == 0
    far = Corrected(np.array([0.8, 0.2]), np.stack([first + 0.3, 0.7 - first], 1))
    assert far.absolute()[1] == pytest.approx(far.gap(0, 1)[1])


def test_pooled_precision_equals_numerical_integration():
    """Two truths, one prediction: the posterior of the mean share and of the spread, by quadrature."""
    counts = np.array([[8, 2], [5, 5], [9, 0], [1, 3], [0, 6]])
    labelled = LabelCounts(counts, np.arange(5), np.zeros(5, int), 5, 1)
    found = Pooled.fit_of(labelled, 3_000, np.random.default_rng(0))
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    centre, spread = np.linspace(-12, 12, 481), np.linspace(0.02, 6, 150)
    prior = (
        np.log(beta.pdf(1 / (1 + np.exp(-centre)), PRIOR, PRIOR))
        - centre
        - 2 * np.log1p(np.exp(-centre))
    )
    logs = prior[None] + norm.logpdf(spread / SPREAD)[:, None]
    for a, b in counts:
        # the difference of two pools' parts has the spread times the root of two
        eta = centre[None, :, None] + np.sqrt(2) * spread[:, None, None] * nodes
        chance = np.exp(-a * np.log1p(np.exp(-eta)) - b * np.log1p(np.exp(eta)))
        logs = logs + np.log((chance * weights).sum(2))
    post = np.exp(logs - logs.max())
    post /= post.sum()
    share = (post.sum(0) / (1 + np.exp(-centre))).sum()
    gap = found.labeller[:, 0, 0] - found.labeller[:, 0, 1]
    assert (1 / (1 + np.exp(-gap))).mean() == pytest.approx(share, abs=0.03)
    assert found.spread.mean() == pytest.approx((post.sum(1) * spread).sum(), rel=0.1)


def test_pooled_query_without_labels_is_a_draw_of_its_own():
    counts = np.array([[20, 0], [0, 20], [20, 0], [0, 20]])
    rng = np.random.default_rng(0)
    found = Pooled.fit_of(LabelCounts(counts, np.arange(4), np.zeros(4, int), 4, 1), 300, rng)
    drawn = np.array(
        [found.shares(d, np.zeros(5, int), np.arange(5), rng)[:, 0] for d in range(300)]
    )
    assert drawn[:, 0].mean() > 0.9
    assert drawn[:, 1].mean() < 0.1
    assert drawn[:, 4].std() > 0.3
