"""The laws of the metric protocol, over every registered metric, with parameters and evidence drawn
at random.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.metrics import prefix
from fairlead.metrics.divergence import kl
from fairlead.metrics.listwise import discounts
from fairlead.metrics.ndkl import NDKL
from fairlead.protocols import Metric, registry
from fairlead.statistics import targets
from fairlead.testing import metrics as laws
from fairlead.testing.worlds import NAMES, crossed, small_evidence
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Lists, Target

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
METRICS = {name: registry.load("metric", name) for name in registry.entries("metric")}
SET_METRICS = [
    "AbsBias",
    "Bias",
    "Skew",
    "MaxSkew",
    "MinSkew",
    "LBKL",
    "DLBKL",
    "AWRF",
    "ExposureRatio",
    "JS",
    "TV",
]
AT_TARGET = {"AWRF": 1.0, "ExposureRatio": 1.0}

seeds = st.integers(0, 2**32 - 1)


def varied(examples: int):
    return settings(
        max_examples=examples * (10 if FULL else 1), deadline=None, derandomize=not FULL
    )


def any_setting(name: str):
    options = laws.options(METRICS[name], NAMES)
    return st.fixed_dictionaries(
        {field: st.sampled_from(values) for field, values in options.items()}
    )


@pytest.mark.parametrize("name", METRICS)
@varied(40)
@given(data=st.data(), seed=seeds)
def test_metric_on_random_evidence_keeps_every_law(name, data, seed):
    metric = METRICS[name](**data.draw(any_setting(name)))
    laws.all_laws(metric, small_evidence(seed, least_groups=3))


@pytest.mark.parametrize("name", METRICS)
def test_metric_card_is_complete(name):
    options = laws.options(METRICS[name], NAMES)
    metric = METRICS[name](**{field: values[0] for field, values in options.items()})
    assert isinstance(metric, Metric)
    assert metric.name == name
    assert metric.direction in ("lower", "higher", "either")
    assert metric.aggregate in ("mean", "pooled")
    assert metric.range[0] < metric.range[1]
    assert metric.needs <= {"groups", "target", "relevant"} and metric.needs
    assert metric.formula and metric.source and metric.blind_spot.endswith(".")
    if "groups" in metric.needs:
        assert metric.shape in ("set", "order", "roles")
        assert isinstance(metric.epsilon_dominated, bool)


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if hasattr(m, "measure")])
@varied(20)
@given(data=st.data(), seed=seeds)
def test_metric_on_intersection_keeps_every_law(name, data, seed):
    evidence = crossed(small_evidence(seed, least_groups=2, most_groups=5), seed)
    names = evidence.labels.names
    options = laws.options(METRICS[name], names)
    metric = METRICS[name](
        **data.draw(st.fixed_dictionaries({f: st.sampled_from(v) for f, v in options.items()}))
    )
    laws.all_laws(metric, evidence)


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if hasattr(m, "measure")])
@varied(20)
@given(data=st.data(), seed=seeds, k=st.integers(1, 12))
def test_metric_at_k_is_metric_of_the_first_k(name, data, seed, k):
    evidence = small_evidence(seed, least_groups=3)
    parameters = data.draw(any_setting(name))
    if parameters.get("over") == "relevant":
        return
    first = evidence.only(evidence.ranking.ranks <= k)
    at_k, whole = (
        METRICS[name](**{**parameters, "k": k}),
        METRICS[name](**{**parameters, "k": None}),
    )
    np.testing.assert_array_equal(np.stack(at_k(evidence)), np.stack(whole(first)))


@pytest.mark.parametrize("name", SET_METRICS)
@varied(20)
@given(data=st.data(), seed=seeds)
def test_set_metric_ignores_the_order_of_a_list(name, data, seed):
    parameters = {**data.draw(any_setting(name)), "k": None}
    if "discount" in parameters:
        parameters["discount"] = "none"
    metric = METRICS[name](**parameters)
    assert metric.shape == "set"
    evidence = small_evidence(seed, least_groups=3)
    entries = np.concatenate(
        [np.arange(a, b)[::-1] for a, b in itertools.pairwise(evidence.ranking.offsets)]
    )
    turned = evidence.with_ranking(
        evidence.ranking.take(entries.astype(np.intp), evidence.ranking.lengths)
    )
    np.testing.assert_allclose(
        np.stack(metric(turned)), np.stack(metric(evidence)), rtol=1e-12, atol=1e-12
    )


def counted(counts, order, target=None) -> Evidence:
    """One list with the given counts of each group, in a given order."""
    codes = np.repeat(np.arange(len(counts)), counts)[order]
    groups = Groups("attribute", NAMES[: len(counts)], codes=codes)
    goal = targets.uniform(groups) if target is None else Target("given", target)
    return Evidence(Ranking.of([range(len(codes))]), ("q",), {"attribute": Labelled(groups, goal)})


@pytest.mark.parametrize("name", SET_METRICS)
@varied(40)
@given(
    data=st.data(),
    counts=st.lists(st.integers(1, 6), min_size=2, max_size=5),
    other=st.lists(st.integers(1, 6), min_size=5, max_size=5),
)
def test_set_metric_exactly_at_the_target_reads_its_best(name, data, counts, other):
    parameters = {**data.draw(any_setting(name)), "k": None}
    if "discount" in parameters:
        parameters["discount"] = "none"
    metric = METRICS[name](**parameters)
    if name in ("AbsBias", "Bias"):  # their ideal is equal counts
        counts = [counts[0]] * (2 if name == "Bias" else len(counts))
    target = np.array(counts) / sum(counts)
    order = np.random.default_rng(0).permutation(sum(counts))
    best = metric(counted(counts, order, target))[0][0]
    slack = 1e-12 + (
        2 * len(counts) * metric.eps if name in ("LBKL", "DLBKL") else 0.0
    )  # smoothing moves the ideal by its own order
    assert best == pytest.approx(AT_TARGET.get(name, 0.0), abs=slack)
    rival = counted(other[: len(counts)], np.arange(sum(other[: len(counts)])), target)
    value = metric(rival)[0][0]
    if metric.direction != "either":
        assert value >= best - slack if metric.direction == "lower" else value <= best + slack


@pytest.mark.parametrize("name", ["NDKL", "PrefixKL", "InfeasibleIndex"])
def test_prefix_metric_of_the_best_order_is_the_least_of_all_orders(name):
    metric = METRICS[name]()
    values = {}
    for order in itertools.permutations(range(6)):
        evidence = counted([3, 3], np.array(order))
        values[tuple(evidence.labels.codes.tolist())] = metric(evidence)[0][0]
    best = min(values.values())
    assert values[(0, 1, 0, 1, 0, 1)] == pytest.approx(best, abs=1e-12)
    assert values[(0, 0, 0, 1, 1, 1)] == pytest.approx(max(values.values()), abs=1e-12)


# The fast counted path of NDKL against the general path written out


def slow_ndkl(lists: Lists, discount: str = "log2") -> np.ndarray:
    """The general path on the same lists given as shares."""
    soft = replace(lists, codes=None, soft=lists.share)
    return prefix.prefix_kl(
        soft, toward="target", eps=0.0, smooth="replace", base="e", discount=discount
    )


def fast_ndkl(lists: Lists, discount: str = "log2") -> np.ndarray:
    return prefix.prefix_kl(
        lists, toward="target", eps=0.0, smooth="replace", base="e", discount=discount
    )


def hard_lists(rng, queries, width, groups, *, lowest=0, never=None, target=None) -> Lists:
    codes = rng.integers(lowest, groups, (queries, width)).astype(np.int16)
    if never is not None:
        codes[codes == never] = (never + 1) % groups
    shares = np.full((queries, groups), 1 / groups) if target is None else target
    return Lists(
        np.arange(queries),
        np.full(queries, width),
        shares,
        tuple(f"g{g}" for g in range(groups)),
        codes=codes,
    )


@pytest.mark.parametrize("groups", [1, 2, 3, 7, 8, 9, 16, 17, 40])
@pytest.mark.parametrize("width", [1, 2, 3, 255, 256, 257, 300])
@pytest.mark.parametrize("discount", ["log2", "none", "trec"])
def test_counted_path_equals_general_path(groups, width, discount):
    rng = np.random.default_rng([groups, width])
    own = rng.dirichlet(np.ones(groups), 5)
    for target in (None, own, np.repeat(own[:1], 5, axis=0)):
        lists = hard_lists(rng, 5, width, groups, target=target)
        np.testing.assert_allclose(
            fast_ndkl(lists, discount), slow_ndkl(lists, discount), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("groups", [2, 4, 5, 8, 30])
def test_counted_path_of_long_lists_equals_general_path(groups):
    lists = hard_lists(np.random.default_rng(groups), 3, 5_000, groups, never=groups - 1)
    np.testing.assert_allclose(fast_ndkl(lists), slow_ndkl(lists), rtol=1e-12, atol=1e-12)


def test_counted_path_of_one_sided_long_list_counts_to_the_end():
    lists = hard_lists(np.random.default_rng(0), 1, 4_096, 8)
    lists.codes[:] = 3  # type: ignore[index]
    assert fast_ndkl(lists)[0] == pytest.approx(np.log(8), abs=1e-12)


@varied(40)
@given(seed=seeds, width=st.integers(1, 40), groups=st.integers(1, 9))
def test_counted_path_with_gaps_and_ragged_lists_equals_general_path(seed, width, groups):
    rng = np.random.default_rng(seed)
    target = rng.dirichlet(np.ones(groups), 6)
    if groups > 1:
        target[0, 0] = 0.0
        target[0] /= target[0].sum()
    target[1] = np.nan
    lists = hard_lists(rng, 6, width, groups, lowest=-2, target=target)
    lengths = rng.integers(0, width + 1, 6)
    codes = np.where(np.arange(width) < lengths[:, None], lists.codes, -2)
    ragged = replace(lists, lengths=lengths, codes=codes)
    np.testing.assert_allclose(fast_ndkl(ragged), slow_ndkl(ragged), rtol=1e-12, atol=1e-12)


def test_general_path_in_small_blocks_gives_the_same(monkeypatch):
    lists = hard_lists(np.random.default_rng(1), 7, 30, 4, lowest=-1)
    arguments = {
        "toward": "prefix",
        "eps": 1e-4,
        "smooth": "replace",
        "base": "e",
        "discount": "none",
    }
    whole = prefix.prefix_kl(lists, **arguments)
    monkeypatch.setattr(prefix, "_BLOCK_CELLS", 150)
    monkeypatch.setattr(prefix, "_FAST_CELLS", 64)
    np.testing.assert_array_equal(prefix.prefix_kl(lists, **arguments), whole)
    complete = hard_lists(np.random.default_rng(1), 7, 30, 4)
    np.testing.assert_allclose(fast_ndkl(complete), slow_ndkl(complete), rtol=1e-12, atol=1e-12)


def test_earlier_counts_items_of_the_same_group_before():
    rng = np.random.default_rng(0)
    for groups, width in [(1, 1), (2, 5), (9, 70), (40, 300)]:
        codes = rng.integers(0, groups, (3, width)).astype(np.int16)
        expected = [[list(row[:i]).count(row[i]) for i in range(width)] for row in codes.tolist()]
        assert prefix.earlier(codes, groups).tolist() == expected


# The exact chance level of NDKL


@pytest.mark.parametrize("parameters", [{}, {"base": "2"}, {"discount": "none"}])
def test_ndkl_null_mean_is_the_mean_over_all_orders(parameters):
    metric, counts = NDKL(**parameters), [3, 2, 1]
    orders = sorted(set(itertools.permutations([0, 0, 0, 1, 1, 2])))
    target = np.array([0.5, 0.3, 0.2])
    size = len(orders[0])
    pmf = np.zeros((3, size, size + 1))
    for order in orders:
        for g, n in itertools.product(range(3), range(size)):
            pmf[g, n, order[: n + 1].count(g)] += 1 / len(orders)
    groups = Groups("attribute", NAMES[:3], codes=np.array(orders).ravel())
    rows = np.arange(groups.codes.size).reshape(len(orders), size)  # type: ignore[union-attr]
    evidence = Evidence(
        Ranking.of(rows.tolist()),
        tuple(map(str, range(len(orders)))),
        {"a": Labelled(groups, Target("given", target))},
    )
    levels = metric.null_mean(lambda f: np.einsum("gnc,fc->fgn", pmf, f), size, target)
    assert levels[-1] == pytest.approx(metric(evidence)[0].mean(), abs=1e-12)
    assert levels[2] == pytest.approx(replace(metric, k=3)(evidence)[0].mean(), abs=1e-12)
    assert sum(counts) == size


def test_ndkl_null_mean_is_told_to_be_unavailable_where_the_formula_does_not_hold():
    means = lambda f: np.ones((len(f), 2, 3))  # noqa: E731
    assert NDKL(toward="prefix").null_mean(means, 3, np.array([0.5, 0.5])) is None
    assert NDKL(eps=1e-4).null_mean(means, 3, np.array([0.5, 0.5])) is None
    assert np.isnan(NDKL().null_mean(means, 3, np.array([1.0, 0.0]))).all()


# Divergences


@varied(40)
@given(seed=seeds, groups=st.integers(1, 8))
def test_kl_without_smoothing_is_never_negative_and_zero_at_itself(seed, groups):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.full(groups, 0.3), (2, 50))
    assert (kl(p, q) >= 0).all()
    np.testing.assert_array_equal(kl(p, p), 0.0)
    np.testing.assert_allclose(kl(p, q, base="2"), kl(p, q) / np.log(2))


def test_discounts_follow_their_published_forms():
    np.testing.assert_allclose(discounts("none", 3), [1, 1, 1])
    np.testing.assert_allclose(discounts("log2", 3), [1, 1 / np.log2(3), 0.5])
    np.testing.assert_allclose(discounts("trec", 4), [1, 1, 1 / np.log2(3), 0.5])
