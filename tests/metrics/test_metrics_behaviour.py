"""What metrics refuse, what they leave undefined, and the numbers their own cards state."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fairlead.errors import DataError, UsageError
from fairlead.metrics.self_preference import SelfPreference
from fairlead.protocols.registry import make
from fairlead.statistics import targets
from fairlead.testing.metrics import value
from fairlead.testing.worlds import ranked
from fairlead.types import Groups, Ranking, Relevant
from fairlead.types.evidence import Evidence, Labelled


def read(spec: str, evidence: Evidence) -> list[float]:
    return value(make("metric", spec), evidence).tolist()


# What is refused


@pytest.mark.parametrize("name", ["NDKL", "AbsBias", "Recall", "nDCG"])
def test_cut_off_below_one_is_refused(name):
    with pytest.raises(UsageError, match=f"{name}@0: the cut-off counts from 1"):
        make("metric", f"{name}@0")


@pytest.mark.parametrize(
    "name", ["NDKL", "PrefixKL", "LBKL", "DLBKL", "Skew", "MaxSkew", "MinSkew"]
)
@pytest.mark.parametrize("eps", [-1e-4, 0.5, 2])
def test_epsilon_that_is_no_small_share_is_refused(name, eps):
    with pytest.raises(UsageError, match=r"from 0 .* to below 0\.5"):
        make("metric", f"{name}(eps={eps})")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("Bias", r"Bias\(positive=...\) must name a group. Groups: F, M"),
        ("Bias(positive=G)", r"got 'G'. Groups: F, M"),
        ("Bias(positive=F,negative=X)", r"Bias\(negative=...\) got 'X'"),
        ("Skew(group=f)", r"got 'f'. Groups: F, M"),
        ("Exposure", r"Exposure\(group=...\) must name a group"),
        ("SelfPreference", r"SelfPreference got 'sem'"),
    ],
)
def test_misspelt_group_is_refused_with_the_groups_there_are(spec, message):
    with pytest.raises(UsageError, match=message):
        make("metric", spec)(ranked("FM"))


def test_comparison_of_a_group_with_itself_is_refused():
    with pytest.raises(UsageError, match="got 'F' twice"):
        make("metric", "Bias(positive=F,negative=F)")
    with pytest.raises(UsageError, match="three different roles"):
        make("metric", "SelfPreference(semantic=cul)")


@pytest.mark.parametrize(
    "spec",
    [
        "NDKL(over=relevnt)",
        "AbsBias(denominator=all)",
        "NDKL(discount=log)",
        "MaxSkew(zero=two)",
        "JS(base=10)",
    ],
)
def test_word_that_is_not_accepted_is_refused(spec):
    with pytest.raises(UsageError, match="Accepted: "):
        make("metric", spec)


@pytest.mark.parametrize(
    "text",
    ["NDKL(base=2)", "NDKL(discount=none)", "LBKL(eps=0)", "Bias(positive=F,discount=trec)@3"],
)
def test_parameters_as_people_write_them_are_read(text):
    assert make("metric", str(make("metric", text))) == make("metric", text)


@pytest.mark.parametrize(
    "spec", ["Recall", "P@3", "Hit", "MRR", "AP", "nDCG", "NDKL(over=relevant)"]
)
def test_relevance_without_judgements_is_refused(spec):
    metric = make("metric", spec)
    assert "relevant" in metric.needs
    with pytest.raises(DataError, match="needs relevance judgements"):
        metric(ranked("FM"))


def test_labels_of_a_partly_stored_list_are_refused_but_its_relevant_items_are_not():
    ranking = Ranking([0, 3], [0, 1, 2], [3.0, 2.0, 1.0], positions=[1, 2, 9])
    groups = Groups.of("attribute", ["F", "M", "F"])
    evidence = Evidence(
        ranking, ("q",), {"a": Labelled(groups, targets.uniform(groups))}, Relevant([0, 2], [0, 2])
    )
    with pytest.raises(DataError, match="needs whole lists"):
        make("metric", "NDKL")(evidence)
    assert read("NDKL(over=relevant)", evidence) == pytest.approx([math.log(2)])
    assert read("AP", evidence) == pytest.approx([(1 + 2 / 9) / 2])
    assert read("MRR", evidence) == [1.0]
    assert read("P@2", evidence) == [0.5]


# What is undefined, what is not


@pytest.mark.parametrize(
    "spec",
    [
        "NDKL",
        "PrefixKL",
        "MaxSkew",
        "MinSkew",
        "LBKL",
        "DLBKL",
        "JS",
        "TV",
        "AWRF",
        "ExposureRatio",
        "InfeasibleIndex",
        "Exposure(group=F)",
    ],
)
def test_list_without_a_known_label_is_undefined(spec):
    assert np.isnan(read(spec, ranked("??", "--", "", "?-"))).all()


def test_unknown_items_count_in_the_published_denominator_only():
    evidence = ranked("FF??", "F?-M", "????")
    assert read("AbsBias", evidence) == [0.5, 0.0, 0.0]
    assert read("AbsBias(denominator=known)", evidence) == pytest.approx(
        [1.0, 0.0, math.nan], nan_ok=True
    )
    assert read("Bias(positive=M)", evidence) == [-0.5, 0.0, 0.0]
    assert read("Bias(positive=M,denominator=known)", evidence) == [-1.0, 0.0, 0.0]


def test_group_with_target_zero_that_appears_is_infinitely_far():
    evidence = ranked("FM", "FF", target=[1.0, 0.0])
    assert read("NDKL", evidence) == [math.inf, 0.0]
    assert read("MaxSkew", evidence) == [math.inf, 0.0]
    assert read("JS", evidence)[1] == 0.0 and 0 < read("JS", evidence)[0] < 1
    assert read("LBKL", evidence) == pytest.approx([math.log(2), 0.0])


def test_query_without_a_target_is_undefined_and_leaves_the_others_alone():
    evidence = ranked("FM", "FM", target=[[math.nan, math.nan], [0.5, 0.5]])
    for spec in (
        "NDKL",
        "PrefixKL",
        "MaxSkew",
        "LBKL",
        "JS",
        "TV",
        "AWRF",
        "ExposureRatio",
        "InfeasibleIndex",
    ):
        first, second = read(spec, evidence)
        assert math.isnan(first) and not math.isnan(second), spec
        assert second == pytest.approx(read(spec, ranked("FM"))[0])


def test_only_groups_with_target_zero_shown_leave_the_exposure_ratio_undefined():
    assert math.isnan(read("ExposureRatio", ranked("FF", target=[0.0, 1.0]))[0])


def test_soft_labels_of_little_known_mass_do_not_turn_a_zero_share_into_more_than_a_half():
    groups = Groups("attribute", ("F", "M"), soft=np.array([[0.1, 0.0]]))
    evidence = Evidence(Ranking.of([[0]]), ("q",), {"a": Labelled(groups, targets.uniform(groups))})
    assert read("Skew(group=M)", evidence) == pytest.approx([0.0])
    assert read("Skew(group=M,zero=one)", evidence) == pytest.approx([math.log(2)])


def test_relevance_of_an_empty_list_is_nothing_found():
    evidence = replace(ranked("", "F"), relevant=Relevant([0, 1, 1], [0]))
    for spec in ("Recall", "P@3", "Hit", "MRR", "AP", "nDCG"):
        first, second = read(spec, evidence)
        assert first == 0.0 and math.isnan(second), spec
    assert math.isnan(read("P", evidence)[0])


def test_precision_of_a_short_list_still_divides_by_the_cut_off():
    evidence = replace(ranked("FM"), relevant=Relevant([0, 2], [0, 1]))
    assert read("P@10", evidence) == pytest.approx([0.2])
    assert read("P", evidence) == [1.0]


# Self-preference


def trial(*rounds: str, ties=None) -> Evidence:
    """Each text ranks three candidates: s semantic, c cultural, n unrelated."""
    return ranked(*rounds, names="scn", scores=ties)


ROLES = {"semantic": "s", "cultural": "c", "unrelated": "n"}


def test_self_preference_is_pooled_over_trials():
    evidence = trial("scn", "scn", "csn", "nsc")
    for part, expected in {
        "sp": 0.5,
        "sem": 0.5,
        "cul": 0.25,
        "non": 0.25,
        "errors": 0.5,
        "nearer": 0.75,
    }.items():
        metric = SelfPreference(part=part, **ROLES)
        numerator, denominator = metric(evidence)
        assert metric.aggregate == "pooled"
        assert numerator.sum() / np.nansum(denominator) == pytest.approx(expected), part


def test_self_preference_nearer_sees_what_stands_behind_the_meaning():
    evidence = trial("scn", "snc", "s?c", "", "cns")
    numerator, denominator = SelfPreference(part="nearer", **ROLES)(evidence)
    assert numerator[[0, 1, 4]].tolist() == [1, 0, 1] and denominator[[0, 1, 4]].tolist() == [
        1,
        1,
        1,
    ]
    assert np.isnan(numerator[2:4]).all() and np.isnan(denominator[2:4]).all()
    assert SelfPreference(part="nearer", **ROLES).swapped(evidence)[0][[0, 1, 4]].tolist() == [
        0,
        1,
        0,
    ]


def test_self_preference_ties_count_for_every_best_where_asked():
    evidence = trial("scn", "csn", ties=[[-1.0, -1.0, -2.0], [-1.0, -3.0, -3.0]])
    assert SelfPreference(**ROLES)(evidence)[0].tolist() == [0, 1]
    both = SelfPreference(ties="all", **ROLES)(evidence)
    assert both[0].tolist() == [1, 1] and both[1].tolist() == [1, 0]


def test_self_preference_finds_the_best_of_the_last_trial_among_negative_scores():
    evidence = trial("scn", ties=[[-5.0, -6.0, -7.0]])
    assert SelfPreference(part="sem", ties="all", **ROLES)(evidence)[0].tolist() == [1.0]


def test_self_preference_swapped_exchanges_cultural_and_unrelated():
    evidence = trial("scn", "csn", "nsc")
    metric = SelfPreference(part="cul", **ROLES)
    assert metric(evidence)[0].tolist() == [0, 1, 0]
    assert metric.swapped(evidence)[0].tolist() == [0, 0, 1]


def test_self_preference_without_a_known_winner_is_undefined():
    evidence = trial("?sc", "", "scn")
    numerator, denominator = SelfPreference(part="sem", **ROLES)(evidence)
    assert np.isnan(numerator[:2]).all() and np.isnan(denominator[:2]).all() and numerator[2] == 1


def test_self_preference_direction_follows_its_part():
    assert SelfPreference(part="sem").direction == "higher"
    assert SelfPreference(part="sp").direction == "lower"


# What the cards say of themselves


def test_abs_bias_of_a_fair_coin_is_what_its_card_says():
    for k, stated in ((10, 0.25), (100, 0.08)):
        expected = sum(math.comb(k, h) / 2**k * abs(2 * h - k) / k for h in range(k + 1))
        assert expected == pytest.approx(stated, abs=0.005)
        assert f"{stated:.2f}".lstrip("0") in make("metric", "AbsBias").blind_spot


def test_prefix_kl_is_set_by_eps_as_its_card_says():
    evidence = ranked("F" * 100 + "M" * 100)
    card = make("metric", "PrefixKL").blind_spot
    for eps, stated in ((1e-2, "0.89"), (1e-4, "2.05"), (1e-6, "3.20")):
        assert f"{read(f'PrefixKL(eps={eps})', evidence)[0]:.2f}" == stated
        assert stated in card


def test_ndkl_of_fewer_items_or_more_groups_is_larger_by_chance():
    short, long = read("NDKL", ranked("FMFMFMFM"))[0], read("NDKL", ranked("FM" * 50))[0]
    assert short > long
    assert read("NDKL", ranked("ABCDABCD", names="ABCD"))[0] > short


def test_min_skew_of_a_very_short_list_may_read_above_zero_as_its_card_says():
    assert read("MinSkew", ranked("A", names="ABCD"))[0] == pytest.approx(math.log(2))
    assert "above 0" in make("metric", "MinSkew").blind_spot
