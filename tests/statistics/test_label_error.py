"""Label error with known truth: intervals that hold it where the naive one does not, and are not
bought with width.
"""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.statistics.confusion import Confusion
from fairlead.statistics.correction import corrected, ends
from fairlead.statistics.imputation import Imputation, Units
from fairlead.studies.label_trials import local_precision, simulate_labels

POOLS, LABELLERS, SAMPLES = (0.6, 0.9, 0.95, 0.99), ((0.98, 0.97), (0.88, 0.81)), (50, 200, 800)


@pytest.mark.parametrize(
    ("pool", "labeller", "bias"),
    [(0.6, 0, 0.01), (0.9, 0, 0.15), (0.95, 0, 0.28), (0.99, 0, 0.67), (0.9, 1, 0.55)],
)
def test_local_precision_balanced_list_is_truly_off_by_the_known_bias(pool, labeller, bias):
    assert 1 - sum(local_precision(pool, LABELLERS[labeller])) == pytest.approx(bias, abs=0.005)


@pytest.mark.parametrize("labeller", LABELLERS)
@pytest.mark.parametrize("pool", POOLS)
def test_corrected_interval_covers_the_true_bias_where_the_naive_does_not(
    pool, labeller, count, full, bar
):
    found = simulate_labels(
        [pool], [labeller], samples=SAMPLES, trials=count(60, 500), draws=count(400, 1_000)
    )
    low, high = (0.93, 0.98) if full else (0.90, 0.995)
    for row in found.rows:
        what = f"label error: pool {100 * pool:g}, sensitivity {labeller}, {row.sample} labelled"
        figure = f"{row.coverage_corrected:.3f} (naive {row.coverage_naive:.3f}), width {row.width_corrected:.3f}"
        bar(what, figure, f".93-.98, naive below; width <= {row.width_alone:.3f}")
        assert low <= row.coverage_corrected <= high
        assert row.coverage_naive < 0.9
        assert row.width_corrected <= row.width_alone * (1.0 if full else 1.03)
        assert row.coverage_absolute >= low
        assert row.corrected == pytest.approx(row.true_bias, abs=0.04)


def test_simulated_lists_of_another_seed_cover_alike_and_repeat():
    choices = {"samples": [200], "trials": 40, "draws": 400}
    first, again, other = (
        simulate_labels([0.95], LABELLERS[:1], seed=s, **choices) for s in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_sample_without_the_minority_gives_a_finite_flagged_interval():
    table = np.array([[25, 0], [25, 0]])
    found = corrected(np.array([50, 50]), table, rng=np.random.default_rng(0))
    mean, (low, high) = found.gap(0, 1)
    assert 0.9 < mean < 1
    assert low < 0.95
    assert high == 1.0
    flags = list(Confusion(("a", "b"), ("a", "b"), table).flags())
    assert flags == ["no labelled item is truly 'b': its share rests on the prior"]


def test_sample_without_a_prediction_says_anything_and_says_so():
    table = np.array([[25, 0], [0, 0]])
    (low, high) = corrected(np.array([50, 50]), table, rng=np.random.default_rng(0)).gap(0, 1)[1]
    assert low < 0.05
    assert high > 0.95
    assert any(
        "no labelled item among those predicted 'b'" in flag
        for flag in Confusion(("a", "b"), ("a", "b"), table).flags()
    )


def _lists(
    rng: np.random.Generator, pools: np.ndarray, k: int, sample: int
) -> tuple[Units, np.ndarray]:
    """Lists balanced on predictions whose pools differ, a sample of their items labelled; and the
    truth.
    """
    miss, find = np.array([local_precision(1 - p, (0.88, 0.81)) for p in pools]).T
    predicted = np.tile(np.arange(k) % 2, (len(pools), 1))
    truth = (
        rng.random(predicted.shape) < np.where(predicted == 1, find[:, None], miss[:, None])
    ).astype(int)
    labels = np.full(truth.size, -1)
    at = rng.choice(truth.size, sample, replace=False)
    labels[at] = truth.ravel()[at]
    query = np.repeat(np.arange(len(pools)), k)
    return Units(
        predicted.ravel(), labels, query, np.ones(truth.size, bool), 2, 2, len(pools)
    ), truth


def _absolute(codes: np.ndarray, lists: int) -> float:
    return float(np.abs(1 - 2 * codes.reshape(lists, -1).mean(1)).mean())


@pytest.mark.parametrize("lists", [24, 100])
def test_pools_that_differ_are_covered_where_one_precision_for_all_hides_the_bias(
    lists, count, full, bar
):
    rng, trials = np.random.default_rng(lists), count(8, 200)
    held, averaged = 0, 0
    for _ in range(trials):
        units, truth = _lists(rng, rng.beta(1, 1, lists), 20, 200)
        true = _absolute(truth, lists)
        low, high = ends(
            np.array(
                [_absolute(codes, lists) for codes in Imputation.fit(units, 200, rng).draws(rng)]
            )
        )
        held += low <= true <= high
        table = Confusion.of(
            units.predicted[units.labelled],
            units.truth[units.labelled],
            truths="ab",
            predictions="ab",
        )
        shares = table.precision()[0, :, 1][units.predicted]
        low, high = ends(
            np.array([_absolute(rng.random(len(shares)) < shares, lists) for _ in range(100)])
        )
        averaged += low <= true <= high
    bar(
        f"label error: AbsBias over {lists} lists of differing pools",
        f"{held / trials:.3f} (one precision {averaged / trials:.3f})",
        ">= .90",
    )
    assert held / trials >= (0.90 if full else 0.7)
    assert averaged / trials <= 0.4


def test_labelled_items_keep_what_people_said():
    rng = np.random.default_rng(0)
    units, _ = _lists(rng, np.full(3, 0.3), 20, 30)
    for codes in Imputation.fit(units, 20, rng).draws(rng):
        assert (codes[units.labelled] == units.truth[units.labelled]).all()
        assert set(codes.tolist()) <= {0, 1}


def test_top_and_rest_with_labels_each_have_a_precision_of_their_own():
    rng, size = np.random.default_rng(3), 400
    top = np.arange(size) < size // 2
    truth = np.where(top, rng.random(size) < 0.5, rng.random(size) < 0.95).astype(int)
    labels = np.where(np.arange(size) % 2 == 0, truth, -1)
    units = Units(np.ones(size, int), labels, np.zeros(size, int), top, 2, 2, 1)
    assert units.apart
    drawn = np.mean(list(Imputation.fit(units, 200, rng).draws(rng)), axis=0)
    free = labels == -1
    assert drawn[free & top].mean() == pytest.approx(0.5, abs=0.1)
    assert drawn[free & ~top].mean() == pytest.approx(0.95, abs=0.05)
