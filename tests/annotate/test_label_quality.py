"""What the quality of labels does to lists: noise, thresholds, sensitivities against the published
ones, and directions.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.benchmarks.phantom.skewed import gallery
from fairlead.commands.simulate_labeller import simulate_labeller
from fairlead.errors import UsageError
from fairlead.protocols import registry
from fairlead.statistics import targets
from fairlead.studies.label_quality import (
    PLAIN,
    TRUE,
    Graded,
    findings,
    log_odds,
    noisy,
    runs,
    sensitivities,
    shifted,
    steps,
)
from fairlead.types import Groups, Ranking, Relevant
from fairlead.types.evidence import Evidence, Labelled

PUBLISHED = (
    Path(__file__).parents[3] / "shared" / "data" / "published" / "pbm_table3_sensitivity.csv"
)
NAMES = ("female", "male")
PBM = {"pbm": registry.make("reranker", "pbm")}
METRIC = registry.make("metric", "AbsBias@10")


def world(seed=0, queries=20, size=60, larger=0.9, strength=3.0):
    """Queries with candidates of their own, a majority in each, and a labeller whose log odds are
    right on the whole.
    """
    rng = np.random.default_rng(seed)
    side = rng.integers(2, size=queries)
    codes = np.concatenate([np.where(rng.random(size) < larger, s, 1 - s) for s in side])
    rows = [np.arange(q * size, (q + 1) * size) for q in range(queries)]
    groups = Groups("gender", NAMES, codes=codes)
    ranking = Ranking.of(rows, [np.sort(rng.random(size))[::-1] for _ in rows])
    everything = Relevant(np.arange(queries + 1) * size, np.arange(queries * size))
    true = Evidence(
        ranking,
        tuple(f"q{q}" for q in range(queries)),
        {"gender": Labelled(groups, targets.uniform(groups))},
        everything,
    )
    odds = strength * (2 * codes - 1) + 2 * rng.standard_normal(len(codes))
    return Graded(true, odds, np.arange(queries), np.full(queries, larger))


def settings_of(worlds, noise=(), threshold=(), prevalence=()):
    told = [("noise", v, worlds) for v in noise] + [("threshold", v, worlds) for v in threshold]
    return told + [("prevalence", m, [world(larger=m)]) for m in prevalence]


def clusters(worlds):
    return dict.fromkeys(
        ("noise", "threshold", "prevalence"), np.concatenate([w.clusters for w in worlds])
    )


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_log_odds_make_the_shares_they_came_from_up_to_what_was_unknown(pairs):
    share = np.array(pairs) / np.maximum(np.sum(pairs, axis=1, keepdims=True), 1)
    groups = Groups("gender", NAMES, soft=share)
    odds, total = log_odds(groups), groups.share.sum(1)
    known = total > 0
    assert np.isnan(odds[~known]).all()
    again = 1 / (1 + np.exp(-odds[known]))
    np.testing.assert_allclose(again, groups.share[known, 1] / total[known], atol=1e-6)


def test_no_noise_and_an_even_threshold_leave_labels_as_they_are():
    one = world()
    np.testing.assert_array_equal(noisy(one, 0.0, np.random.default_rng(0)), one.odds)
    np.testing.assert_allclose(shifted(one, 0.5), one.odds)


def test_threshold_is_the_probability_from_which_on_the_second_group_is_said():
    one = world()
    probability = 1 / (1 + np.exp(-one.odds))
    for threshold in (0.01, 0.3, 0.5, 0.9):
        said = one.told(shifted(one, threshold)).share.argmax(1)
        np.testing.assert_array_equal(said == 1, probability > threshold)


def test_quality_of_a_run_equals_a_slow_count():
    one = world(seed=3)
    found = runs(settings_of([one], threshold=(0.2,)), PBM, METRIC, k=10)[0]
    said = (1 / (1 + np.exp(-one.odds)) > 0.2).astype(int)
    true = one.groups.codes
    recall = [np.mean(said[true == g] == g) for g in (0, 1)]
    precision = [np.mean(true[said == g] == g) for g in (0, 1)]
    assert found.sensitivity == pytest.approx(recall) and found.ratio == pytest.approx(
        recall[1] / recall[0]
    )
    assert found.f1 == pytest.approx(
        np.mean([2 * p * r / (p + r) for p, r in zip(precision, recall, strict=True)])
    )
    plain = [
        abs(2 * true[one.true.ranking.rows[q * 60 : q * 60 + 10]].mean() - 1) for q in range(20)
    ]
    np.testing.assert_allclose(found.bias[PLAIN], plain)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 50))
def test_higher_thresholds_never_raise_the_sensitivity_of_the_second_group(seed):
    found = runs(
        settings_of([world(seed, queries=4)], threshold=(0.01, 0.1, 0.5, 0.9, 0.99)),
        PBM,
        METRIC,
        k=10,
    )
    first, second = np.array([one.sensitivity for one in found]).T
    assert (np.diff(second) <= 0).all() and (np.diff(first) >= 0).all()


def test_labels_that_are_right_do_what_true_labels_do_and_useless_ones_nothing():
    sure = world(strength=40.0)
    right = runs(settings_of([sure], noise=(0.0,)), PBM, METRIC, k=10)[0]
    np.testing.assert_array_equal(right.bias["pbm"], right.bias[f"pbm, {TRUE}"])
    assert right.f1 == 1 and right.bias["pbm"].mean() < 0.5 * right.bias[PLAIN].mean()
    lists = [world(seed) for seed in range(4)]
    useless = runs(settings_of(lists, noise=(1e4,)), PBM, METRIC, k=10)[0]
    assert abs((useless.bias["pbm"] - useless.bias[PLAIN]).mean()) < 0.05 and 0.4 < useless.f1 < 0.6


def test_directions_of_the_paper_and_ours_show_in_a_world_made_for_them():
    worlds = [world(seed) for seed in range(3)]
    told = [*settings_of(worlds, noise=(0.0, 1.0, 100.0), threshold=(1e-4, 0.3, 0.5, 0.7, 0.9999))]
    rising = [("prevalence", m, [world(seed, larger=m) for seed in range(3)]) for m in (0.5, 0.97)]
    found = runs([*told, *rising], PBM, METRIC, k=10)
    claims = findings(found, clusters(worlds), "pbm")
    assert [claim.source for claim in claims] == ["Figure 5"] * 3 + ["Figure 6"] * 2 + ["ours"]
    assert [claim.holds for claim in claims[:2]] == [True, True] and claims[2].holds is not False
    assert claims[3].holds is True and claims[5].holds is True
    rows = steps(found, clusters(worlds))
    assert len(rows) == 10 * 3 and all(row.bias_ci[0] <= row.bias <= row.bias_ci[1] for row in rows)
    assert all(row.over_plain == 0 for row in rows if row.method == PLAIN)


def labels_with(male, female, size=100):
    """Labels of as many of each group, so many of which are right."""
    true = np.repeat([0, 1], size)
    said = np.concatenate(
        [
            np.where(np.arange(size) < round(size * right), g, 1 - g)
            for g, right in ((0, female), (1, male))
        ]
    )
    return (Groups("gender", NAMES, codes=codes) for codes in (true, said))


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published tables are not here")
def test_ratios_of_sensitivities_are_those_of_table_3():
    with PUBLISHED.open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 3
    for row in rows:
        for second, first, ratio in (
            ("male", "female", "rho_gender"),
            ("light", "dark", "rho_race"),
        ):
            found = sensitivities("l", *labels_with(float(row[second]), float(row[first])))
            assert found.sensitivity == pytest.approx((float(row[first]), float(row[second])))
            assert (
                round(found.ratio, 2) == float(row[ratio])
                and found.ratio_ci[0] < found.ratio < found.ratio_ci[1]
            )


def test_interval_of_a_ratio_holds_as_often_as_it_says(count):
    rng, held, trials = np.random.default_rng(0), 0, count(400, 4000)
    for _ in range(trials):
        true, said = labels_with(*rng.binomial(200, [0.95, 0.85]) / 200, size=200)
        low, high = sensitivities("l", true, said).ratio_ci
        held += low <= 0.95 / 0.85 <= high
    assert 0.92 <= held / trials <= 0.98


def test_items_without_an_answer_count_as_missed():
    true = Groups("gender", NAMES, codes=np.array([0, 0, 1, 1]))
    said = Groups("gender", NAMES, codes=np.array([0, -1, -1, -2]))
    found = sensitivities("l", true, said)
    assert found.sensitivity == (0.5, 0) and found.answered == (0.5, 0) and found.ratio == 0


@pytest.mark.parametrize("majority", [0.5, 0.8, 0.95])
def test_gallery_of_a_majority_differs_in_who_is_shown_alone(majority):
    people, usual = gallery(3, majority), gallery(3)
    assert [(p.occupation, p.seed, p.tone) for p in people] == [
        (p.occupation, p.seed, p.tone) for p in usual
    ]
    for occupation in {p.occupation for p in people}:
        own = [p.gender for p in people if p.occupation == occupation]
        assert max(own.count("female"), own.count("male")) / len(own) == pytest.approx(
            majority, abs=0.5 / len(own) + 1e-9
        )


@pytest.mark.parametrize(
    "text",
    ["phantom(majority=0.9)", "phantom:skewed(majority=0.3)", "phantom:skewed(majority=1.0)"],
)
def test_majority_elsewhere_or_impossible_is_refused(text):
    with pytest.raises(UsageError, match="has no such majority"):
        registry.make("benchmark", text)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"analyses": ("noise", "colour")}, "analyses.1 got 'colour'"),
        ({"repeats": 0}, "repeats got 0"),
        ({"labellers": ("zeroshot_prompt",)}, "depend on the query"),
        (
            {"benchmark": "phantom(seeds=1)", "analyses": ("prevalence",)},
            "no such majority|cannot be set",
        ),
        ({"benchmark": "phantom:language"}, "groups|pictures|neutral"),
    ],
)
def test_what_cannot_be_simulated_is_told(choices, said):
    with pytest.raises(UsageError, match=said):
        simulate_labeller(model="phantom_ideal(dose=1)", **choices)


def test_simulation_repeats_itself_and_another_seed_is_another():
    same = {
        "model": "phantom_ideal(dose=1)",
        "analyses": ("noise",),
        "repeats": 1,
        "labellers": ("noisy(soft=true)",),
    }
    first, again, other = (
        simulate_labeller(**same),
        simulate_labeller(**same),
        simulate_labeller(**same, seed=1),
    )
    assert first.to_dict() == again.to_dict() and first.steps != other.steps
    assert not math.isnan(first.chance) and first.methods == ("pbm",)


def test_findings_of_the_paper_on_the_trained_phantom_point_the_same_way(full, bar):
    if not full:
        pytest.skip("draws eighteen galleries: make bars")
    found = simulate_labeller(repeats=3)
    for claim in found.findings:
        low, high = claim.difference_ci
        bar(
            f"label quality: {claim.claim}",
            f"{claim.difference:+.3f} [{low:.3f}, {high:.3f}]",
            "not the other way",
        )
        assert claim.holds is not False
    assert sum(claim.holds is True for claim in found.findings) >= 4
