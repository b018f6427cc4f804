"""Chance levels against enumeration of everything that could have happened."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from fairlead.errors import DataError
from fairlead.protocols import registry
from fairlead.statistics import targets
from fairlead.statistics.distributions import Distribution
from fairlead.statistics.nulls import default_kind, null_of
from fairlead.statistics.roles import RoleNull
from fairlead.types import Groups, Ranking, Relevant, Sets
from fairlead.types.evidence import Evidence, Labelled, Lists, Target

SET_METRICS = [
    "AbsBias@3",
    "TV@3",
    "JS@3",
    "MaxSkew@3",
    "MinSkew@3",
    "Skew(group=a)@3",
    "Bias(positive=a)@3",
    "LBKL@3",
]
ORDER_METRICS = [
    "NDKL@4",
    "NDKL",
    "AWRF@4",
    "PrefixKL@4",
    "DLBKL@4",
    "InfeasibleIndex@4",
    "Exposure(group=b)@4",
]


def evidence_of(
    codes: list[list[int]],
    names: str = "ab",
    pool: list[int] | None = None,
    target: list[float] | None = None,
) -> Evidence:
    """One item per entry; a pool adds items that no query retrieved."""
    flat = [c for row in codes for c in row]
    rows = np.split(np.arange(len(flat)), np.cumsum([len(r) for r in codes])[:-1])
    groups = Groups("g", tuple(names), codes=np.array(flat + (pool or [])))
    shares = targets.uniform(groups) if target is None else Target("given", np.array(target))
    sets = None if pool is None else Sets(np.array([0, len(groups)]), np.arange(len(groups)))
    return Evidence(
        Ranking.of([r.tolist() for r in rows]),
        tuple(f"q{i}" for i in range(len(codes))),
        {"g": Labelled(groups, shares)},
        pool=sets,
    )


def value_of(metric, codes: tuple[int, ...], target: np.ndarray, names: str) -> float:
    lists = Lists(
        np.arange(1),
        np.array([len(codes)]),
        target[None],
        tuple(names),
        codes=np.array([codes], np.int16),
    )
    numerator, denominator = metric.measure(lists)
    return float(numerator[0] / denominator[0])


def enumerated(metric, sequences, target, names):
    """Mean, sd and the values with probabilities of a metric over weighted sequences."""
    cut = metric.k or 10**9
    values = Counter()
    for sequence, weight in sequences:
        values[round(value_of(metric, sequence[:cut], target, names), 9)] += weight
    total = sum(values.values())
    mean = sum(v * w for v, w in values.items()) / total
    return mean, np.sqrt(sum((v - mean) ** 2 * w for v, w in values.items()) / total), values, total


@pytest.mark.parametrize("spec", SET_METRICS + ORDER_METRICS)
@pytest.mark.parametrize("codes", [[0, 0, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1], [0, 0, 1, 1, -1, 0]])
def test_order_null_equals_all_permutations(spec: str, codes: list[int]) -> None:
    metric = registry.make("metric", spec)
    evidence = evidence_of([codes])
    null = null_of(metric, evidence, "order", seed=1, draws=6_000)
    sequences = [(p, 1) for p in itertools.permutations(codes)]
    mean, sd, values, total = enumerated(metric, sequences, np.array([0.5, 0.5]), "ab")
    sampled = null.distributions[0].weights is None
    exact_mean = null.distributions[0].centre is not None or not sampled
    assert null.mean[0] == pytest.approx(
        mean, abs=1e-9 if exact_mean else 6 * sd / 6_000**0.5 + 1e-12
    )
    assert null.sd[0] == pytest.approx(sd, abs=0.05 * sd + 1e-9 if sampled else 1e-9)
    assert sampled == (spec in ORDER_METRICS)
    for observed in values:
        worse = [
            w
            for v, w in values.items()
            if (v >= observed - 1e-9 if metric.direction == "lower" else v <= observed + 1e-9)
        ]
        if metric.direction != "either" and sd > 0:
            expected = sum(worse) / total
            assert null.tails(np.array([observed]))[0] == pytest.approx(
                expected, abs=0.03 if sampled else 1e-9
            )


@pytest.mark.parametrize("spec", SET_METRICS + ["NDKL@3"])
def test_gallery_null_equals_all_draws_from_the_pool(spec: str) -> None:
    metric = registry.make("metric", spec)
    evidence = evidence_of([[0, 1, 2]], "abc", pool=[0, 0, 1, 2, 2, -1], target=[0.5, 0.25, 0.25])
    null = null_of(metric, evidence, "gallery", seed=1, draws=20_000)
    pool = [0, 1, 2, 0, 0, 1, 2, 2, -1]
    sequences = [
        (tuple(pool[i] for i in p), 1) for p in itertools.permutations(range(len(pool)), 3)
    ]
    defined = [(s, w) for s, w in sequences if any(c >= 0 for c in s)]
    mean, sd, _, _ = enumerated(metric, defined, np.array([0.5, 0.25, 0.25]), "abc")
    assert null.mean[0] == pytest.approx(
        mean, abs=1e-9 if metric.shape == "set" else 5 * sd / 20_000**0.5
    )


@pytest.mark.parametrize("spec", [*SET_METRICS, "NDKL@3", "AWRF@3"])
def test_target_null_equals_all_independent_draws(spec: str) -> None:
    metric = registry.make("metric", spec)
    target = np.array([0.6, 0.3, 0.1])
    null = null_of(
        metric,
        evidence_of([[0, 1, 2]], "abc", target=target.tolist()),
        "target",
        seed=1,
        draws=20_000,
    )
    sequences = [
        (s, float(np.prod(target[list(s)]))) for s in itertools.product(range(3), repeat=3)
    ]
    mean, sd, _, _ = enumerated(metric, sequences, target, "abc")
    exact = metric.shape == "set" or null.distributions[0].centre is not None
    assert null.mean[0] == pytest.approx(mean, abs=1e-9 if exact else 5 * sd / 20_000**0.5)


@pytest.mark.parametrize(
    ("groups", "mean", "sd"), [(2, 0.0347, 0.014), (4, 0.0866, 0.0191), (8, 0.163, 0.0225)]
)
def test_ndkl_random_order_of_256_reads_the_published_floor(
    groups: int, mean: float, sd: float
) -> None:
    # the random levels of SISPI's lists of 256, from 2,000 draws: two standard errors of those
    # draws and their rounding
    names = "abcdefgh"[:groups]
    null = null_of(
        registry.make("metric", "NDKL"),
        evidence_of([np.repeat(np.arange(groups), 256 // groups).tolist()], names),
        "order",
        seed=0,
    )
    assert null.distributions[0].centre is not None
    assert null.mean[0] == pytest.approx(mean, abs=2 * sd / 2_000**0.5 + 5e-5)
    assert null.sd[0] == pytest.approx(sd, rel=0.08)


def test_null_is_computed_once_for_each_distinct_key() -> None:
    rng = np.random.default_rng(0)
    lists = [rng.permutation([0] * 8 + [1] * 8).tolist() for _ in range(50)] + [[0] * 10 + [1] * 6]
    null = null_of(registry.make("metric", "NDKL@10"), evidence_of(lists), "order", seed=0)
    assert len(null.distributions) == 2


def test_null_of_a_query_does_not_depend_on_the_batch() -> None:
    rng = np.random.default_rng(3)
    evidence = evidence_of([rng.integers(0, 2, 12).tolist() for _ in range(6)])
    metric = registry.make("metric", "AWRF@6")
    whole = null_of(metric, evidence, "order", seed=7)
    for q in range(6):
        alone = null_of(metric, evidence.select(np.array([q])), "order", seed=7)
        assert alone.mean[0] == whole.mean[q]


def test_degenerate_null_gives_no_p() -> None:
    null = null_of(
        registry.make("metric", "AbsBias@6"), evidence_of([[0, 0, 1, 1, 1, 0]]), "order", seed=0
    )
    assert null.degenerate[0]
    assert np.isnan(null.p(np.array([0.0]), family=1)[0])
    assert np.isnan(null.row(np.array([0.0]), 99, np.random.default_rng(0))[2])


def test_sampled_p_counts_the_observation_and_is_never_zero() -> None:
    distribution = Distribution.sampled(lambda n: np.zeros(n) + np.arange(n) / n, 99)
    assert distribution.tail(5.0, "lower") == 1 / 100
    assert distribution.tail(-5.0, "lower") == 1.0
    assert distribution.tail(-5.0, "higher") == 1 / 100


def test_thin_tail_draws_at_least_twenty_for_each_test() -> None:
    evidence = evidence_of([[0] * 20 + [1] * 20])
    null = null_of(registry.make("metric", "NDKL@20"), evidence, "order", seed=0)
    p = null.p(np.array([0.69]), family=1_000)
    assert len(null.distributions[0].values) >= 20_000
    assert p[0] <= 1 / 20_001


def test_default_null_follows_what_is_known() -> None:
    metric, whole = registry.make("metric", "NDKL@5"), registry.make("metric", "NDKL")
    assert default_kind(metric, evidence_of([[0, 1] * 5], pool=[0, 1, 1])) == "gallery"
    assert default_kind(metric, evidence_of([[0, 1] * 5])) == "order"
    assert default_kind(metric, evidence_of([[0, 1] * 5, [0, 1] * 4])) == "target"
    assert default_kind(whole, evidence_of([[0, 1] * 5])) == "target"
    with pytest.raises(DataError, match="collection"):
        null_of(metric, evidence_of([[0, 1] * 5]), "gallery", seed=0)


def test_ndkl_over_relevant_is_held_against_an_order_of_the_relevant_items() -> None:
    evidence = evidence_of([[0, 0, 1, 1, 0, 1, 1, 1]])
    relevant = Relevant(np.array([0, 4]), np.array([0, 2, 4, 6]))
    evidence = Evidence(evidence.ranking, evidence.queries, evidence.attributes, relevant)
    metric = registry.make("metric", "NDKL(over=relevant)")
    assert default_kind(metric, evidence) == "gallery"
    null = null_of(metric, evidence, "gallery", seed=0)
    mean, *_ = enumerated(
        metric, [(p, 1) for p in itertools.permutations([0, 1, 0, 1])], np.array([0.5, 0.5]), "ab"
    )
    assert null.mean[0] == pytest.approx(mean, abs=1e-9)


def test_matched_sets_are_permuted_within_their_blocks_only() -> None:
    # two blocks of four at opposite ends: within-block orders are 6 x 6, all equally likely
    codes, blocks = [0, 0, 1, 1, 0, 0, 1, 1], np.repeat([5, 9], 4)
    base = evidence_of([codes])
    evidence = Evidence(base.ranking, base.queries, base.attributes, blocks=blocks)
    metric = registry.make("metric", "NDKL")
    null = null_of(metric, evidence, "order", seed=0, draws=4_000)
    halves = list(itertools.permutations([0, 0, 1, 1]))
    mean, sd, _, _ = enumerated(
        metric, [(a + b, 1) for a in halves for b in halves], np.array([0.5, 0.5]), "ab"
    )
    assert null.mean[0] == pytest.approx(mean, abs=5 * sd / 4_000**0.5)
    plain = null_of(metric, base, "order", seed=0)
    assert null.mean[0] < plain.mean[0] - 0.01


def test_unequal_blocks_are_permuted_within_too() -> None:
    base = evidence_of([[0, 1, 0, 1, 1]])
    evidence = Evidence(
        base.ranking, base.queries, base.attributes, blocks=np.array([1, 1, 2, 2, 2])
    )
    null = null_of(registry.make("metric", "Bias(positive=a)@2"), evidence, "order", seed=0)
    assert null.mean[0] == 0.0
    assert null.degenerate[0]


def test_soft_labels_are_permuted_with_their_rows() -> None:
    rng = np.random.default_rng(0)
    soft = rng.dirichlet([1, 1], 6) * rng.uniform(0.5, 1, (6, 1))
    groups = Groups("g", ("a", "b"), soft=soft)
    evidence = Evidence(
        Ranking.of([list(range(6))]), ("q",), {"g": Labelled(groups, targets.uniform(groups))}
    )
    metric = registry.make("metric", "TV@3")
    null = null_of(metric, evidence, "order", seed=0, draws=5_000)
    values = []
    for p in itertools.permutations(range(6), 3):
        share = soft[list(p)].sum(0)
        values.append(np.abs(share / share.sum() - 0.5).sum() / 2)
    assert null.mean[0] == pytest.approx(np.mean(values), abs=5 * np.std(values) / 5_000**0.5)


def test_soft_labels_under_target_and_gallery_have_a_chance_level() -> None:
    rng = np.random.default_rng(0)
    groups = Groups("g", ("a", "b", "c"), soft=rng.dirichlet([0.5] * 3, 40))
    pool = Sets(np.array([0, 40]), np.arange(40))
    evidence = Evidence(
        Ranking.of([list(range(10)), list(range(5, 20))]),
        ("p", "q"),
        {"g": Labelled(groups, targets.uniform(groups))},
        pool=pool,
    )
    for kind in ("target", "gallery"):
        null = null_of(registry.make("metric", "NDKL@5"), evidence, kind, seed=0, draws=500)
        assert (null.mean > 0).all() and (null.sd > 0).all()


def test_p_values_of_chance_lists_are_not_too_small(count) -> None:
    rng = np.random.default_rng(5)
    lists = [
        rng.permutation([0] * 20 + [1] * 12 + [2] * 8).tolist() for _ in range(count(400, 4_000))
    ]
    evidence = evidence_of(lists, "abc")
    for spec in ("NDKL@10", "AbsBias@10", "AWRF@15"):
        metric = registry.make("metric", spec)
        p = null_of(metric, evidence, "order", seed=1).tails(metric(evidence)[0])
        for level in (0.01, 0.05, 0.2):
            limit = level + 3.5 * np.sqrt(level * (1 - level) / len(p)) + 0.003
            assert np.mean(p <= level) <= limit


def roles(wins: str) -> Evidence:
    """Trials won by s(em), c(ul) or n(on)."""
    names = {"s": 0, "c": 1, "n": 2}
    order = [[names[w], *(x for x in (0, 1, 2) if x != names[w])] for w in wins]
    groups = Groups(
        "role", ("sem", "cul", "non"), codes=np.array([c for row in order for c in row])
    )
    ranking = Ranking.of(np.arange(3 * len(wins)).reshape(-1, 3).tolist())
    labelled = Labelled(groups, targets.uniform(groups), aligned=True)
    return Evidence(ranking, tuple(f"t{i}" for i in range(len(wins))), {"role": labelled})


def test_self_preference_null_swaps_the_two_wrong_roles() -> None:
    from scipy.stats import binomtest

    evidence = roles("s" * 50 + "c" * 30 + "n" * 20)
    metric = registry.make("metric", "SelfPreference")
    mean, sd, p = RoleNull.of(metric, evidence).row(20_000, np.random.default_rng(0))
    assert mean == pytest.approx(25 / 50, abs=0.002)
    assert sd == pytest.approx(np.sqrt(50 * 0.25) / 50, rel=0.03)
    assert p == pytest.approx(binomtest(30, 50, 0.5, alternative="greater").pvalue, abs=0.012)


def test_self_preference_without_errors_has_a_degenerate_null() -> None:
    metric = registry.make("metric", "SelfPreference")
    assert all(np.isnan(RoleNull.of(metric, roles("ssss")).row(99, np.random.default_rng(0))))


def test_log_factorial_equals_the_gamma_function() -> None:
    from scipy.special import gammaln

    from fairlead.statistics.sequences import log_factorial

    n = np.concatenate([np.arange(300), np.array([1_000, 12_345, 10**6, 10**8])])
    assert log_factorial(n) == pytest.approx(gammaln(n + 1.0), rel=1e-14, abs=1e-13)


def test_matched_sets_below_the_cut_off_cost_nothing() -> None:
    codes, blocks = [0, 1, 1, 0] + [0, 1] * 500, np.repeat(np.arange(502), 2)
    base = evidence_of([codes])
    evidence = Evidence(base.ranking, base.queries, base.attributes, blocks=blocks)
    null = null_of(
        registry.make("metric", "Bias(positive=a)@3"), evidence, "order", seed=0, draws=2_000
    )
    assert null.distributions[0].values.shape[0] >= 2_000
    assert set(np.round(null.distributions[0].values * 3).tolist()) == {-1.0, 1.0}
    from fairlead.statistics.nulls import _Own

    own = _Own(
        registry.make("metric", "Bias(positive=a)@3"), evidence, "order", 0, 3, np.array([0.5, 0.5])
    )
    assert len(own.labels) == 4
