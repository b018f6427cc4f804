"""Published numbers and hand values of the metrics, each with its source. Nothing is looked up:
what is compared is written here.
"""

from __future__ import annotations

import itertools
import math
import os
from dataclasses import replace

import numpy as np
import pytest

from fairlead.metrics.ndkl import NDKL
from fairlead.metrics.self_preference import SelfPreference
from fairlead.protocols.registry import make
from fairlead.statistics.targets import uniform
from fairlead.testing.metrics import value
from fairlead.testing.worlds import ranked
from fairlead.types import Groups, Ranking, Relevant
from fairlead.types.evidence import Evidence, Labelled, Lists
from fairlead.types.ragged import offsets_of

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
HEAVY_HEADED, HEAVY_TAILED, ALTERNATING = "F" * 100 + "M" * 100, "M" * 100 + "F" * 100, "FM" * 100


def read(spec: str, *lists: str, **more) -> float:
    return float(value(make("metric", spec), ranked(*lists, **more)).mean())


# Feng & Shah (AAAI 2022), Equation 1 and Table 1 (synthetic lists of 200, half of them F, target
# .5/.5)


def test_prefix_kl_of_the_synthetic_lists_is_table_1():
    assert f"{read('PrefixKL', HEAVY_HEADED):.3f}" == "2.046"  # Table 1, heavy-headed, original
    assert f"{read('PrefixKL', HEAVY_TAILED):.3f}" == "2.046"  # Table 1, heavy-tailed, original
    assert (
        f"{read('PrefixKL', ALTERNATING):.3f}" == "0.020"
    )  # Table 1, fairness-greedy on every list


def test_prefix_kl_has_all_digits_of_an_independent_computation():
    assert read("PrefixKL", HEAVY_HEADED) == pytest.approx(2.0462599852323775, abs=1e-13)
    assert read("PrefixKL", HEAVY_TAILED) == pytest.approx(2.0462599852323775, abs=1e-13)
    assert read("PrefixKL", ALTERNATING) == pytest.approx(0.02015777624135783, abs=1e-14)
    assert read("PrefixKL", "FFMM") == pytest.approx(1.9707343821711212, abs=1e-13)


@pytest.mark.parametrize("smooth", ["replace", "second", "log", "normalise", "clip"])
def test_prefix_kl_under_five_flavours_of_the_epsilon_prints_table_1(smooth):
    # the flavour is not published; these print the two numbers and cannot be told apart
    assert f"{read(f'PrefixKL(smooth={smooth})', HEAVY_HEADED):.3f}" == "2.046"
    assert f"{read(f'PrefixKL(smooth={smooth})', ALTERNATING):.3f}" == "0.020"


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        ("PrefixKL(eps=0.01)", "0.895"),
        ("PrefixKL(eps=0.001)", "1.471"),
        ("PrefixKL(eps=1e-5)", "2.622"),
        ("PrefixKL(eps=1e-6)", "3.198"),
        ("PrefixKL(smooth=add)", "2.047"),
        ("PrefixKL(base=2)", "2.952"),
        ("PrefixKL(toward=target,eps=0)", "0.410"),
    ],
)
def test_prefix_kl_under_other_conventions_is_not_table_1(spec, printed):
    assert f"{read(spec, HEAVY_HEADED):.3f}" == printed


def test_prefix_kl_of_the_first_item_alone_is_the_floor():
    # a single item of two equal groups costs ln .5 - .5 ln 1e-4 = 3.912, so 3.912 / 200 = 0.0196 of
    # the 0.020 cannot be removed
    assert read("PrefixKL@1", ALTERNATING) == pytest.approx(
        math.log(0.5) - 0.5 * math.log(1e-4), abs=1e-12
    )
    assert f"{read('PrefixKL@1', ALTERNATING):.3f}" == "3.912"
    assert f"{read('PrefixKL@1', ALTERNATING) / 200:.4f}" == "0.0196"


# PBM (Kong et al., NeurIPS 2023)


@pytest.mark.parametrize("k", [1, 2, 5, 10, 101])
def test_abs_bias_runs_from_k_mod_2_over_k_to_one(k):
    balanced = ("FM" * k)[:k]
    assert read(f"AbsBias@{k}", balanced) == pytest.approx((k % 2) / k)
    assert read(f"AbsBias@{k}", "M" * k) == 1.0


def test_abs_bias_divides_by_k_with_neutral_images_and_bias_by_either():
    # formula of the paper: (1/K) |sum g|, g = 0 for N/A; the code of Table 2: (M - F) / (M + F), 0
    # without either
    assert read("AbsBias@10", "MMMMF-----") == pytest.approx(0.3)
    assert read("Bias(positive=M)@10", "MMMMF-----") == pytest.approx(0.3)
    assert read("Bias(positive=M,denominator=known)@10", "MMMMF-----") == pytest.approx(0.6)
    assert read("Bias(positive=M,denominator=known)@5", "-----") == 0.0
    assert read("Bias(positive=M)@4", "FFFM") == pytest.approx(-0.5)


def test_bias_weighted_as_in_the_notebook():
    # mean over K of w_i b_i with w = 1, 1, 1/log2 3, 1/log2 4, not divided by the sum of w
    expected = (1 - 1 + 1 / math.log2(3) + 1 / math.log2(4)) / 4
    assert read("Bias(positive=M,discount=trec)@4", "MFMM") == pytest.approx(expected, abs=1e-15)
    assert expected == pytest.approx(0.28273, abs=5e-6)
    assert read("Bias(positive=M,discount=trec)@4", "M-MF") == pytest.approx(
        (1 + 1 / math.log2(3) - 1 / math.log2(4)) / 4, abs=1e-15
    )


@pytest.mark.parametrize(
    ("found", "precision", "published"), [(1902, 0.422667, "58.3"), (1642, 0.364889, "50.3")]
)
def test_recall_is_micro_and_gives_the_published_percentages(found, precision, published):
    # 45 queries, 3,262 relevant images, mP@100 of the released notebook: Table 1 prints 58.3 (CLIP)
    # and 50.3
    sizes = np.full(45, 3262 // 45)
    sizes[: 3262 - sizes.sum()] += 1
    hits = np.full(45, found // 45)
    hits[: found - hits.sum()] += 1
    ids = itertools.count()
    rows, relevant = [], []
    for size, hit in zip(sizes, hits, strict=True):
        right, wrong, missed = ([next(ids) for _ in range(n)] for n in (hit, 100 - hit, size - hit))
        rows.append(right + wrong)
        relevant += right + missed
    evidence = Evidence(
        Ranking.of(rows), tuple(map(str, range(45))), relevant=Relevant(offsets_of(sizes), relevant)
    )
    assert value(make("metric", "P@100"), evidence).mean() == pytest.approx(precision, abs=5e-7)
    numerator, denominator = make("metric", "Recall@100")(evidence)
    assert make("metric", "Recall@100").aggregate == "pooled"
    assert (numerator.sum(), denominator.sum()) == (found, 3262)
    assert f"{100 * numerator.sum() / denominator.sum():.1f}" == published
    assert (
        f"{100 * numerator.sum() / denominator.sum():.2f}"
        == {"58.3": "58.31", "50.3": "50.34"}[published]
    )


# SISPI (Gomez, SIGIR 2025): NDKL, natural logarithm inside, log2 discount; hand values of an
# independent computation


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("MF", "FM", 0.42500124793362276),
        ("FMFM", "FM", 0.2816450300785086),
        ("FFMM", "FM", 0.45236883639932524),
        ("F" * 128 + "M" * 128, "FM", 0.4667505121150335),
        ("FM" * 128, "FM", 0.017632080477802622),
        ("".join(g * 64 for g in "ABCD"), "ABCD", 0.7859843192173),
        ("".join(g * 32 for g in "ABCDEFGH"), "ABCDEFGH", 1.000249474871433),
    ],
    ids=["MF", "FMFM", "FFMM", "sorted 2", "alternating 2", "sorted 4", "sorted 8"],
)
def test_ndkl_has_all_digits_of_an_independent_computation(text, names, expected):
    assert read("NDKL", text, names=names) == pytest.approx(expected, abs=1e-12)


def test_ndkl_of_256_images_has_the_reference_levels():
    # spec of the benchmark's shape: round robin is the best practical order, fully sorted the worst
    for names, best, worst in (
        ("AB", "0.0176", "0.4668"),
        ("ABCD", "0.0490", "0.7860"),
        ("ABCDEFGH", "0.1005", "1.0002"),
    ):
        size = 256 // len(names)
        assert f"{read('NDKL', names * size, names=names):.4f}" == best
        assert f"{read('NDKL', ''.join(g * size for g in names), names=names):.4f}" == worst
        assert read("NDKL", names[0] * 256, names=names) == pytest.approx(
            math.log(len(names)), abs=1e-12
        )  # the most: ln G


@pytest.mark.parametrize(
    ("groups", "mean", "sd", "upper"),
    [(2, 0.0347, 0.0140, 0.063), (4, 0.0866, 0.0191, 0.123), (8, 0.1630, 0.0225, 0.204)],
)
def test_ndkl_of_random_orders_has_the_published_chance_level(groups, mean, sd, upper):
    # means and standard deviations of 2,000 orders, and the 95 percent point of a single query;
    # within three standard errors of both sides
    draws = 20_000 if FULL else 2_000
    rng = np.random.default_rng(groups)
    codes = rng.permuted(np.tile(np.arange(256) % groups, (draws, 1)).astype(np.int16), axis=1)
    names = tuple(map(str, range(groups)))
    lists = Lists(
        np.arange(draws),
        np.full(draws, 256),
        np.full((draws, groups), 1 / groups),
        names,
        codes=codes,
    )
    values = NDKL().measure(lists)[0]
    error = sd * math.sqrt(1 / draws + 1 / 2_000)
    assert abs(values.mean() - mean) < 3 * error + 5e-5
    assert abs(values.std() - sd) < 3 * error + 5e-4
    assert np.quantile(values, 0.95) == pytest.approx(upper, abs=0.003)


def test_ndkl_with_the_epsilon_of_the_released_script_is_the_same_number():
    # the script's package computes p ln((p + 1e-12) / (q + 1e-12))
    for text in ("FFMM", "FMFM", "F" * 128 + "M" * 128):
        assert read("NDKL(eps=1e-12,smooth=log)", text) == pytest.approx(
            read("NDKL", text), abs=1e-11
        )


# Perspectival biases (Saengsuksiran et al., arXiv 2510.26861)


def test_lbkl_and_dlbkl_of_figure_12():
    # two groups, High and Medium together against Low, P = (.5, .5)
    first, second = "HHHHL", "LLLHH"
    assert f"{read('LBKL@5', first, names='HL'):.4f}" == "0.2231"
    assert f"{read('DLBKL@5', first, names='HL'):.4f}" == "0.3927"
    assert f"{read('LBKL@5', second, names='HL'):.4f}" == "0.0204"
    assert f"{read('DLBKL@5', second, names='HL'):.4f}" == "0.1106"
    assert read("LBKL@5", first, names="HL") == pytest.approx(0.22314355131420982, abs=1e-14)
    assert read("DLBKL@5", first, names="HL") == pytest.approx(0.39267375782571223, abs=1e-14)
    assert read("LBKL@5", second, names="HL") == pytest.approx(0.020410997260127586, abs=1e-14)
    assert read("DLBKL@5", second, names="HL") == pytest.approx(0.1105905544876247, abs=1e-14)


def test_lbkl_under_other_readings_is_not_figure_12():
    assert (
        f"{read('LBKL@5', 'HHHHL', names='HL', target=[15 / 36, 21 / 36]):.4f}" == "0.3526"
    )  # P = gallery shares
    assert f"{read('LBKL@5', 'LLLHL', names='HL'):.4f}" == "0.2231"  # Medium counted with Low
    assert f"{read('LBKL@5', 'LLLHM', names='HML'):.4f}" == "0.1446"  # three groups, P = 1/3


@pytest.mark.parametrize(
    ("eps", "expected"),
    [
        ("1e-6", 6.214608098422191),
        ("1e-7", 7.365900644919215),
        ("1e-8", 8.517193191416238),
        ("1e-9", 9.668485737913262),
        ("1e-10", 10.819778284410283),
        ("1e-12", 13.12236337740433),
    ],
)
def test_lbkl_of_a_single_group_is_set_by_eps(eps, expected):
    assert read(f"LBKL(eps={eps})@5", "HHHHH", names="HL") == pytest.approx(expected, abs=1e-12)
    assert read(f"DLBKL(eps={eps})@5", "HHHHH", names="HL") == pytest.approx(expected, abs=1e-12)
    assert read("LBKL@5", "HHHHH", names="HL") == pytest.approx(
        8.517193191416238, abs=1e-12
    )  # the default is 1e-8


def language_blind(k: int, eps: str, pmf) -> float:
    """Expected LBKL@k of a retriever that ignores language: High + Medium are 15 of 36 languages."""
    lists = ["H" * h + "L" * (k - h) for h in range(k + 1)]
    return float(
        sum(
            p * v
            for p, v in zip(
                map(pmf, range(k + 1)),
                value(make("metric", f"LBKL(eps={eps})"), ranked(*lists, names="HL")),
                strict=True,
            )
        )
    )


@pytest.mark.parametrize(
    ("k", "eps", "printed"),
    [
        (5, "1e-7", "0.676"),
        (10, "1e-7", "0.109"),
        (25, "1e-7", "0.037"),
        (50, "1e-7", "0.025"),
        (99, "1e-7", "0.020"),
        (5, "1e-8", "0.768"),
        (10, "1e-8", "0.114"),
        (5, "1e-10", "0.952"),
        (10, "1e-10", "0.125"),
    ],
)
def test_lbkl_of_a_language_blind_retriever_is_far_from_zero(k, eps, printed):
    share = 15 / 36
    assert (
        f"{language_blind(k, eps, lambda h: math.comb(k, h) * share**h * (1 - share) ** (k - h)):.3f}"
        == printed
    )


@pytest.mark.parametrize(
    ("k", "eps", "printed"),
    [
        (5, "1e-7", "0.607"),
        (5, "1e-8", "0.689"),
        (5, "1e-10", "0.852"),
        (10, "1e-7", "0.087"),
        (10, "1e-8", "0.090"),
        (10, "1e-10", "0.097"),
    ],
)
def test_lbkl_of_a_language_blind_retriever_over_72_captions(k, eps, printed):
    pmf = lambda h: math.comb(30, h) * math.comb(42, k - h) / math.comb(72, k)  # noqa: E731
    assert f"{language_blind(k, eps, pmf):.3f}" == printed


def test_lbkl_of_a_perfectly_proportional_list_never_reaches_zero():
    assert read("LBKL", "H" * 15 + "L" * 21, names="HL") == pytest.approx(
        0.014085438483348117, abs=1e-14
    )


# Table 11 of the same paper (win percentages of CLIP-L/14 by country, with the number of trials;
# Japan's percentages are whole win
# counts only for 943 trials), Table 2 (pooled) and Table 8 (SP by country)
CLIP = {
    "USA": (609, 95.73, 1.31, 2.96, 0.01),
    "UK": (644, 94.57, 2.02, 3.42, 0.02),
    "AUS": (721, 94.73, 2.22, 3.05, 0.02),
    "GER": (744, 52.42, 39.65, 7.93, 0.76),
    "CHN": (727, 25.17, 66.16, 8.67, 2.63),
    "JPN": (943, 31.07, 60.34, 8.59, 1.94),
    "FRA": (760, 75.53, 18.29, 6.18, 0.24),
    "ESP": (841, 78.00, 15.10, 6.90, 0.19),
    "ARG": (771, 69.65, 23.61, 6.74, 0.34),
    "PRT": (824, 65.78, 25.85, 8.37, 0.39),
    "BRA": (724, 61.33, 31.35, 7.32, 0.51),
    "SAU": (619, 7.75, 83.04, 9.21, 10.71),
    "THA": (649, 10.48, 84.75, 4.78, 8.09),
    "IND": (774, 5.56, 88.24, 6.20, 15.88),
    "KEN": (600, 27.83, 56.67, 15.50, 2.04),
    "NGA": (773, 24.19, 54.85, 20.96, 2.27),
}
ROLES = {"semantic": "s", "cultural": "c", "unrelated": "n"}


def trials(sem: int, cul: int, non: int) -> Evidence:
    return ranked(*["scn"] * sem, *["csn"] * cul, *["nsc"] * non, names="scn")


def pooled(evidence: Evidence, part: str) -> float:
    numerator, denominator = SelfPreference(part=part, **ROLES)(evidence)
    return float(numerator.sum() / denominator.sum())


def test_self_preference_pooled_over_countries_is_table_2():
    wins = np.array([[round(n * x / 100) for x in shares] for n, *shares, _ in CLIP.values()])
    sem, cul, non = wins.sum(0).tolist()
    evidence = trials(sem, cul, non)
    assert len(evidence) == 11_723
    assert [f"{100 * pooled(evidence, part):.2f}" for part in ("sem", "cul", "non")] == [
        "51.24",
        "40.78",
        "7.98",
    ]
    assert f"{pooled(evidence, 'sp'):.2f}" == "0.80"
    assert pooled(evidence, "errors") == pytest.approx(cul / (cul + non), abs=1e-15)


def test_self_preference_by_country_is_table_8_and_its_mean_is_not_table_2():
    values = []
    for n, *shares, printed in CLIP.values():
        values.append(pooled(trials(*(round(n * x / 100) for x in shares)), "sp"))
        assert values[-1] == pytest.approx(printed, abs=0.011)
    assert f"{np.mean(values):.2f}" == "2.88"


def test_self_preference_of_a_random_guesser_is_one_and_without_a_semantic_win_infinite():
    assert pooled(trials(5, 5, 5), "sp") == 1.0
    assert pooled(trials(5, 5, 5), "errors") == 0.5
    numerator, denominator = SelfPreference(**ROLES)(trials(0, 3, 0))
    assert numerator.sum() == 3 and denominator.sum() == 0


def test_self_preference_counts_a_tie_for_every_best_as_published():
    evidence = ranked("scn", "scn", names="scn", scores=[[1.0, 1.0, 0.0], [1.0, 0.5, 0.0]])
    shares = [
        SelfPreference(part=p, ties="all", **ROLES)(evidence)[0].mean()
        for p in ("sem", "cul", "non")
    ]
    assert shares == [1.0, 0.5, 0.0]  # the shares sum above one
    assert [SelfPreference(part=p, **ROLES)(evidence)[0].mean() for p in ("sem", "cul", "non")] == [
        1.0,
        0.0,
        0.0,
    ]


# Attention-weighted rank fairness, TREC's discount against the usual one


def test_awrf_of_a_hand_list_under_both_discounts():
    # exposure of FM: 1 : 1/log2 3 with the usual discount, 1 : 1 with TREC's, where a pair of one
    # each is exactly at the target
    assert read("AWRF(discount=trec)", "FM") == pytest.approx(1.0, abs=1e-15)
    share = 1 / (1 + 1 / math.log2(3))
    middle = ((share + 0.5) / 2, (1.5 - share) / 2)
    divergence = 0.5 * (
        share * math.log2(share / middle[0])
        + (1 - share) * math.log2((1 - share) / middle[1])
        + 0.5 * math.log2(0.5 / middle[0])
        + 0.5 * math.log2(0.5 / middle[1])
    )
    assert read("AWRF", "FM") == pytest.approx(1 - divergence, abs=1e-14)
    assert read("AWRF", "FF", target=[0.0, 1.0]) == pytest.approx(0.0, abs=1e-15)


def test_infeasible_index_of_hand_lists():
    # target .5/.5: FFMM lacks M at n = 2 alone, FFFM at 2, 3 and (by one) at 4; FMFM lacks nothing
    assert read("InfeasibleIndex", "FFMM") == 1
    assert read("InfeasibleIndex", "FFFM") == 3
    assert read("InfeasibleIndex", "FMFM") == 0
    assert read("InfeasibleIndex", "FFFF") == 3
    assert read("InfeasibleIndex(share=true)", "FFFF") == 0.75


def test_relevance_of_a_hand_list():
    # relevant at ranks 1, 3 and one not found: AP = (1 + 2/3) / 3, nDCG@3 = (1 + 1/2) / (1 + 1/log2
    # 3 + 1/2)
    groups = Groups.of("attribute", ["F"] * 9)
    evidence = Evidence(
        Ranking.of([[0, 1, 2, 3]]),
        ("q",),
        {"attribute": Labelled(groups, uniform(groups))},
        Relevant([0, 3], [0, 2, 8]),
    )
    expected = {
        "AP": (1 + 2 / 3) / 3,
        "nDCG@3": 1.5 / (1.5 + 1 / math.log2(3)),
        "nDCG(discount=trec)@3": (1 + 1 / math.log2(3)) / (2 + 1 / math.log2(3)),
        "Recall@3": 2 / 3,
        "P@4": 0.5,
        "Hit@1": 1.0,
        "MRR": 1.0,
    }
    for spec, number in expected.items():
        assert value(make("metric", spec), evidence)[0] == pytest.approx(number, abs=1e-15), spec
    graded = replace(evidence, relevant=Relevant([0, 3], [0, 2, 8], [1.0, 3.0, 2.0]))
    assert value(make("metric", "nDCG(gain=exponential)@3"), graded)[0] == pytest.approx(
        (1 + 3.5) / (7 + 3 / math.log2(3) + 0.5), abs=1e-15
    )
