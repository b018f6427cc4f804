"""Faults found in other toolkits' metrics, one test each: what they answer is in the comment, what
is right is asserted.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fairlead.errors import DataError, UsageError
from fairlead.protocols.registry import make
from fairlead.statistics import targets
from fairlead.testing.metrics import value
from fairlead.testing.worlds import ranked
from fairlead.types import Groups, Ranking, Relevant
from fairlead.types.evidence import Evidence, Labelled, Target


def read(spec: str, *lists: str, **more) -> float:
    return float(value(make("metric", spec), ranked(*lists, **more))[0])


def evidence_of(labels, *, names=None, target=None, rows=None, scores=None) -> Evidence:
    groups = Groups.of("attribute", labels, names=names)
    goal = targets.uniform(groups) if target is None else Target("given", np.array(target))
    rows = [list(range(len(labels)))] if rows is None else rows
    return Evidence(
        Ranking.of(rows, scores),
        tuple(f"q{i}" for i in range(len(rows))),
        {"attribute": Labelled(groups, goal)},
    )


# NDKL


def test_ndkl_of_ten_men_is_not_perfect():
    # FairRankTune takes the target from the list itself: an all-male list reads 0.0, the best value
    # there is
    assert read("NDKL", "M" * 10) == pytest.approx(math.log(2), abs=1e-12)
    assert read("NDKL", "M" * 10) != 0.0


def test_ndkl_of_ten_men_knows_the_group_that_never_occurs():
    # a data frame of men alone gives 0.0 in debias-vision-lang: the absent group is invisible
    evidence = evidence_of(["male"] * 10, names=("female", "male"))
    assert value(make("metric", "NDKL"), evidence)[0] == pytest.approx(math.log(2), abs=1e-12)


def test_ndkl_at_k_of_tied_scores_sums_k_terms_over_k_weights():
    # debias-vision-lang keeps all tied rows, sums more than top_n terms and divides by top_n
    # weights: NDKL@5 of ten tied men 1.158
    evidence = evidence_of(["M"] * 10, names=("F", "M"), scores=[[0.5] * 10])
    assert value(make("metric", "NDKL@5"), evidence)[0] == pytest.approx(math.log(2), abs=1e-12)
    assert value(make("metric", "NDKL@5"), evidence)[0] < 1.158


def test_labels_need_not_be_consecutive_numbers():
    # labels {0, 2} raise IndexError in debias-vision-lang; groups coded 0, 1, 2 raise ValueError in
    # AIF360
    sparse = evidence_of(["2", "0", "2", "0"])
    assert value(make("metric", "NDKL"), sparse)[0] == pytest.approx(
        read("NDKL", "FMFM"), abs=1e-12
    )
    three = evidence_of(["0", "1", "2"] * 4)
    assert np.isfinite(value(make("metric", "NDKL"), three)[0])
    assert np.isfinite(value(make("metric", "InfeasibleIndex"), three)[0])


def test_unknown_label_leaves_both_sides_of_the_fraction():
    # reranking counts a label outside the target in the denominator only, so shares sum below one
    # and the value means nothing
    assert read("NDKL", "F?M?") == pytest.approx(
        (math.log(2) * (1 + 1 / math.log2(3)) + 0) / sum(1 / math.log2(n + 1) for n in range(1, 5)),
        abs=1e-12,
    )
    assert read("LBKL", "FF??MM") == pytest.approx(read("LBKL", "FFMM"), abs=1e-12)
    assert read("TV", "F??") == pytest.approx(0.5)
    assert read("MaxSkew", "F???") == pytest.approx(math.log(2))


def test_unknown_label_does_not_become_a_group_by_itself():
    # FairRankTune makes it a group; here that is a policy one has to ask for
    evidence = ranked("F?M")
    assert evidence.labels.names == ("F", "M")
    assert targets.with_unknown(evidence, "own-group").labels.names == ("F", "M", "unknown")


def test_item_of_a_group_with_target_zero_is_infinite_not_six():
    # reranking adds 1e-12 inside the logarithm and returns 5.9, a number like any other
    assert read("NDKL", "FMFM", target=[1.0, 0.0]) == math.inf
    assert math.isfinite(
        read("NDKL(eps=1e-12,smooth=log)", "FMFM", target=[1.0, 0.0])
    )  # the same number, if one asks for it


def test_target_is_the_one_that_was_given():
    # FairRankTune knows no target but the ranking's own mix
    assert read("NDKL", "MMMF", target=[0.25, 0.75]) < read("NDKL", "MMMF")


def test_values_have_no_hidden_epsilon():
    # FairRankTune adds 1e-7 to both shares (an error of up to 2e-6), reranking 1e-12
    assert read("NDKL", "FFMM") == pytest.approx(0.45236883639932524, abs=1e-14)
    assert abs(read("NDKL(eps=1e-7,smooth=add)", "FFMM") - 0.45236883639932524) > 1e-8


def test_cut_off_is_not_overwritten_by_the_length():
    # PBM's copy of NDKL overwrites top_n by the full length
    assert read("NDKL@2", "FFMM") == pytest.approx(math.log(2), abs=1e-12)
    assert read("NDKL@4", "FFMM") == read("NDKL", "FFMM") != read("NDKL@2", "FFMM")


# Skew: the same name for different numbers


@pytest.mark.parametrize(
    ("zero", "men", "women"),
    [
        ("half", math.log(2), math.log((1 / 20) / 0.5)),  # the default here: half an item
        ("one", math.log(2), math.log((1 / 10) / 0.5)),  # debias-vision-lang: 1/k
        ("eps,eps=1e-12", math.log(2), math.log(1e-12 / 0.5)),  # reranking: about -27
        ("eps,eps=1e-10", math.log(2), math.log(1e-10 / 0.5)),  # bend_vlm
        ("infinite", math.log(2), -math.inf),  # the formula as printed
    ],
)
def test_skew_of_a_one_sided_list_under_every_published_rule(zero, men, women):
    text = "M" * 10
    assert read(f"MaxSkew(zero={zero})@10", text) == pytest.approx(men)
    assert read(f"MinSkew(zero={zero})@10", text) == pytest.approx(women)
    assert read(f"Skew(group=F,zero={zero})@10", text) == pytest.approx(women)
    assert (
        read(f"Skew(group=F,zero={zero},floor=true)@10", text) == 0.0
    )  # debias-vision-lang starts its maximum at 0


def test_skew_of_reranking_is_about_minus_27():
    assert f"{read('MinSkew(zero=eps)@10', 'M' * 10):.1f}" == "-26.9"


def test_skew_rule_is_part_of_the_metric_name():
    assert (
        str(make("metric", "MaxSkew(zero=one)@10"))
        == "MaxSkew(zero=one)@10"
        != str(make("metric", "MaxSkew@10"))
    )


def test_skew_at_k_depends_on_the_top_k():
    # debias-vision-lang's default is the whole data set, where MaxSkew no longer depends on the
    # query
    assert read("MaxSkew@2", "MMFF") != read("MaxSkew@2", "MFMF")
    assert read("MaxSkew", "MMFF") == read("MaxSkew", "MFMF")


# InfeasibleIndex


HALVES = {"F": Fraction(1, 2), "M": Fraction(1, 2)}
THIRDS = dict.fromkeys("ABC", Fraction(1, 3))


def infeasible_by_hand(text: str, target: dict[str, Fraction]) -> int:
    return sum(
        any(text[:n].count(g) < math.floor(n * t) for g, t in target.items())
        for n in range(1, len(text) + 1)
    )


def test_infeasible_index_looks_at_the_last_prefix_too():
    # reranking skips k = k_max, AIF360 is off by one (247 instead of 248): the only violated prefix
    # may be the last
    assert read("InfeasibleIndex@4", "FMFF") == 1
    assert read("InfeasibleIndex@3", "FMFF") == 0


def test_infeasible_index_of_a_long_list_is_the_golden_count():
    text = "F" * 249 + "M"
    assert read("InfeasibleIndex", text) == infeasible_by_hand(text, HALVES) == 249


def test_infeasible_index_counts_a_group_that_has_no_item_at_all():
    # reranking leaves groups with count zero out of the index
    assert read("InfeasibleIndex", "FFFF") == 3
    assert (
        read("InfeasibleIndex", "AAAABBBB", names="ABC")
        == infeasible_by_hand("AAAABBBB", THIRDS)
        == 6
    )


def test_infeasible_index_agrees_with_counting_by_hand():
    for order in set(itertools.permutations("AABBCC")):
        text = "".join(order)
        assert read("InfeasibleIndex", text, names="ABC") == infeasible_by_hand(text, THIRDS)


def test_infeasible_index_is_not_fooled_by_rounding():
    # 100 x 0.29 is 29, though binary fractions say 28.999999999999996
    assert math.floor(100 * 0.29) == 28
    target = {"F": Fraction(71, 100), "M": Fraction(29, 100)}
    for text in ("FFMFFMFFFM" * 10, ("FFMFFMF" * 15)[:100], "F" * 72 + "M" * 28):
        assert read("InfeasibleIndex", text, target=[0.71, 0.29]) == infeasible_by_hand(
            text, target
        )


# Exposure


def test_single_group_has_values_not_a_division_by_zero():
    # FairRankTune's ARP divides by zero for one group
    evidence = evidence_of(["only"] * 4)
    expected = {
        "NDKL": 0.0,
        "MaxSkew": 0.0,
        "MinSkew": 0.0,
        "AbsBias": 0.0,
        "ExposureRatio": 1.0,
        "AWRF": 1.0,
        "InfeasibleIndex": 0.0,
    }
    for spec, number in expected.items():
        assert value(make("metric", spec), evidence)[0] == pytest.approx(number, abs=1e-12), spec


def test_exposure_of_more_than_two_groups_is_defined():
    # MAMMOth asserts two groups and is NaN beyond
    shares = [read(f"Exposure(group={g})", "ABCDABCD", names="ABCD") for g in "ABCD"]
    assert sum(shares) == pytest.approx(1.0) and shares == sorted(shares, reverse=True)
    assert 0 < read("ExposureRatio", "ABCDABCD", names="ABCD") < 1


def test_eight_groups_work_everywhere():
    # AIF360 fails with eight groups
    for spec in (
        "NDKL",
        "PrefixKL",
        "MaxSkew",
        "MinSkew",
        "InfeasibleIndex",
        "LBKL",
        "AWRF",
        "AbsBias",
        "JS",
        "TV",
        "ExposureRatio",
    ):
        assert math.isfinite(read(spec, "ABCDEFGH" * 3, names="ABCDEFGH")), spec


def test_list_that_covers_the_whole_catalogue_is_measured():
    # FairRankTune raises IndexError when the labels cover the catalogue, AIF360 when k is the
    # length
    for k in (9, 10, 11, 1000):
        assert math.isfinite(read(f"NDKL@{k}", "FM" * 5))
        assert read(f"AbsBias@{k}", "FM" * 5) == pytest.approx((min(k, 10) % 2) / min(k, 10))


def test_aggregate_looks_at_every_ranking():
    # FairRankTune's IAA returns inside its loop: only the first of N rankings is "amortised"
    evidence = ranked("FFFF", "MMMM", "FMFM")
    values = value(make("metric", "Exposure(group=F,discount=none)"), evidence)
    assert values.tolist() == [1.0, 0.0, 0.5]
    assert values.mean() == 0.5


def test_recall_pools_queries_and_says_so():
    # the mean of per-query recalls is another number
    sets = Relevant([0, 1, 5], [0, 2, 3, 8, 9])
    groups = Groups.of("attribute", ["F"] * 10)
    evidence = Evidence(
        Ranking.of([[0, 1], [2, 3]]),
        ("a", "b"),
        {"attribute": Labelled(groups, targets.uniform(groups))},
        relevant=sets,
    )
    numerator, denominator = make("metric", "Recall@2")(evidence)
    assert numerator.sum() / denominator.sum() == pytest.approx(3 / 5)
    assert value(make("metric", "Recall(average=macro)@2"), evidence).mean() == pytest.approx(0.75)
    assert make("metric", "Recall(average=macro)").aggregate == "mean"


# Nothing is answered in silence


def test_misspelt_group_or_incomplete_target_is_refused():
    # reranking returns its input unchanged if a target group is absent, the target sums above one
    # or a name is misspelt
    groups = Groups.of("gender", ["female", "male"])
    with pytest.raises(UsageError, match="Did you mean female"):
        targets.given(groups, ("q",), {("*", "femal"): 0.5, ("*", "male"): 0.5}, name="t")
    with pytest.raises(DataError, match="lacks group 'male'"):
        targets.given(groups, ("q",), {("*", "female"): 1.0}, name="t")
    with pytest.raises(DataError, match=r"sums to 1\.2"):
        targets.given(groups, ("q",), {("*", "female"): 0.6, ("*", "male"): 0.6}, name="t")
    with pytest.raises(UsageError, match="Groups: female, male"):
        make("metric", "Skew(group=femal)")(evidence_of(["female", "male"]))


def test_invalid_choice_raises_instead_of_passing_an_assert():
    # FairRankTune validates by asserting a non-empty string, which never fires; unknown
    # combinations return None
    with pytest.raises(UsageError, match="Accepted: none, log2, trec"):
        make("metric", "Exposure(group=F,discount=exponential)")
    with pytest.raises(UsageError, match="no metric called"):
        make("metric", "NDKLL")


def test_measuring_leaves_its_input_alone():
    evidence = ranked("FFMM", "?M-F")
    before = [
        evidence.labels.codes.copy(),
        evidence.ranking.rows.copy(),
        evidence.attribute.target.shares.copy(),
    ]
    for spec in (
        "NDKL",
        "PrefixKL",
        "MaxSkew",
        "InfeasibleIndex",
        "LBKL",
        "AWRF",
        "AbsBias",
        "JS",
        "TV",
        "ExposureRatio",
    ):
        value(make("metric", spec), evidence)
    after = [evidence.labels.codes, evidence.ranking.rows, evidence.attribute.target.shares]
    assert all((a == b).all() for a, b in zip(before, after, strict=True))


def test_relevant_items_are_matched_whole_not_by_the_beginning_of_their_name():
    # the SISPI script matches file names by prefix; rows are matched exactly here
    evidence = replace(ranked("FMFM"), relevant=Relevant([0, 1], [1]))
    assert evidence.gains.tolist() == [0, 1, 0, 0]


def test_trec_discount_is_its_own_and_named():
    # TREC weighs ranks 1 and 2 alike: not comparable with the usual discount, so both have a name
    assert read("AWRF(discount=trec)", "FM") != read("AWRF", "FM")
    assert str(make("metric", "AWRF(discount=trec)")) == "AWRF(discount=trec)"
