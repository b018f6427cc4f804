"""One test for each fault measured in another toolkit's reranker, showing that ours does not have
it.
"""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.rerankers.bounds import violations
from fairlead.rerankers.mtables import adjusted_table, failure_probability, mtable
from fairlead.statistics import targets
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

DETERMINISTIC = [
    "detgreedy",
    "detcons",
    "detrelaxed",
    "detconstsort",
    "interleave",
    "fairness_greedy",
    "fair_topk",
    "pbm",
]


def build(
    labels: list[str | None],
    target: dict[str, float] | None = None,
    names: tuple[str, ...] | None = None,
) -> Evidence:
    groups = Groups.of("gender", labels, names=names or tuple(sorted({x for x in labels if x})))
    shares = targets.uniform(groups)
    if target is not None:
        shares = targets.given(
            groups, ("q",), {("*", g): s for g, s in target.items()}, name="given"
        )
    return Evidence(Ranking.of([range(len(labels))]), ("q",), {"gender": Labelled(groups, shares)})


def rerank(text: str, evidence: Evidence, k: int, seed: int = 0) -> list[int]:
    return registry.make("reranker", text)(evidence, k, seed).rows.tolist()


def random_labels(seed: int, size: int, names: str = "fm") -> list[str | None]:
    return np.random.default_rng(seed).choice(list(names), size).tolist()


def test_detconstsort_no_prefix_is_off_by_one() -> None:
    """FairRankTune and reranking: an infeasible prefix in every run of 50 or 60."""
    for seed, names in itertools.product(range(20), ("fm", "abc", "abcdefgh")):
        evidence = build(random_labels(seed, 400, names))
        result = registry.make("reranker", "detconstsort")(evidence, 50, 0)
        assert not len(violations(evidence.with_ranking(result))[0])


def test_detconstsort_takes_each_group_best_first() -> None:
    """Reranking: candidates ordered worst first."""
    labels = random_labels(1, 100)
    order = rerank("detconstsort", build(labels), 60)
    for group in "fm":
        own = [i for i in order if labels[i] == group]
        assert own == [i for i, x in enumerate(labels) if x == group][: len(own)]


@pytest.mark.parametrize("text", DETERMINISTIC)
def test_target_of_one_and_zero_ends_when_the_group_runs_out(text: str) -> None:
    """FairRankTune: an endless loop."""
    evidence = build(["f", "m", "m", "f", "m"], {"f": 1.0, "m": 0.0})
    assert sorted(rerank(text, evidence, 5)) == [0, 1, 2, 3, 4]


def test_running_out_is_reported() -> None:
    evidence = build(["f", "m", "m", "m"], {"f": 0.75, "m": 0.25})
    result = registry.make("reranker", "detgreedy")(evidence, 4, 0)
    assert violations(evidence.with_ranking(result))[0].tolist() == [3, 4]


def test_detcons_takes_the_smallest_ratio() -> None:
    """Reranking: the largest instead."""
    evidence = build(["c", "b", "a", "c", "b", "a", "c", "b", "a"], {"a": 0.5, "b": 0.3, "c": 0.2})
    # All free at n = 1: 1/t is 2, 3.3, 5, so a comes first although c ranks higher; n = 2 has a
    # due.
    assert rerank("detcons", evidence, 3)[0] == 2
    assert rerank("detgreedy", evidence, 3)[0] == 0


@pytest.mark.parametrize(
    "target",
    [{"f": 1.0}, {"f": 0.7, "m": 0.7}, {"f": 0.5, "mael": 0.5}],
    ids=["absent", "above one", "misspelt"],
)
def test_impossible_target_raises_instead_of_the_original_order(target: dict[str, float]) -> None:
    """Reranking: returns the original list without a word."""
    with pytest.raises((DataError, UsageError)):
        build(["f", "m", "m", "f"], target)


def test_misspelt_group_or_reranker_or_parameter_raises() -> None:
    for text in (
        "fair_topk(protected=mael)",
        "detgredy",
        "pbm(thetta=1)",
        "pbm(variant=released,first=mael)",
    ):
        with pytest.raises(UsageError):
            rerank(text, build(["f", "m"]), 2)


def test_violations_include_the_last_prefix_and_groups_with_no_item() -> None:
    """Reranking: skips k_max and zero counts; AIF360: one too few."""
    evidence = build(["m", "m", "m", "m"], names=("f", "m"))
    assert violations(evidence)[0].tolist() == [2, 3, 4]
    assert violations(evidence, 2)[0].tolist() == [2]
    assert violations(build(["f", "m", "m", "m"]))[0].tolist() == [4]


@pytest.mark.parametrize("text", ["detgreedy", "detcons", "detrelaxed"])
def test_no_item_is_returned_twice(text: str) -> None:
    """AIF360: 15 of 60 random runs; 98 duplicates with the first-listed group ahead."""
    for seed in range(60):
        order = rerank(text, build(random_labels(seed, 40)), 20)
        assert len(set(order)) == 20
    labels: list[str | None] = [*["a"] * 100, *["b"] * 100]
    order = rerank(text, build(labels), 100)
    assert len(set(order)) == 100
    assert sum(i < 100 for i in order) == 50


@pytest.mark.parametrize("text", DETERMINISTIC)
@pytest.mark.parametrize("names", ["fm", "abc", "abcdefgh"])
def test_k_equal_to_n_and_any_number_of_groups_with_any_names(text: str, names: str) -> None:
    """AIF360: IndexError at k = n, ValueError for three groups, failure for eight."""
    labels = [f"{x} (perceived)" for x in random_labels(5, 64, names) if x]
    assert sorted(rerank(text, build([*labels]), 64)) == list(range(64))


def test_rerankers_need_neither_pandas_nor_torch_nor_scipy() -> None:
    """fairsearchcore: breaks with every newer pandas; FairDiverse: needs torch and solvers to be
    installed at all.
    """
    code = (
        "import sys; from fairlead.protocols import registry; [registry.load('reranker', n) for n in registry.entries('reranker')];"
        "from fairlead.rerankers.mtables import adjusted_table; adjusted_table(50, .5, .1, 'conservative');"
        "print([m for m in ('pandas', 'torch', 'scipy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("k", "p", "alpha", "exact", "without_last"),
    [(10, 0.5, 0.1, 0.1113, 0.0938), (20, 0.25, 0.1, 0.1469, 0.1152)],
)
def test_failure_probability_counts_the_last_place(
    k: int, p: float, alpha: float, exact: float, without_last: float
) -> None:
    """fairsearchcore: the loop stops one place short."""
    table = adjusted_table(k, p, alpha, "nearest") if k == 10 else mtable(k, p, alpha)
    assert round(failure_probability(table, p), 4) == exact
    assert round(failure_probability(table[:-1], p), 4) == without_last


@pytest.mark.parametrize(
    ("k", "p", "alpha"), [(10, 0.5, 0.1), (20, 0.5, 0.1), (40, 0.4, 0.05), (100, 0.3, 0.1)]
)
def test_default_table_keeps_its_significance(k: int, p: float, alpha: float) -> None:
    """fairsearchcore takes the nearest table, LensKit the mid-point of a bisection: both exceed
    alpha.
    """
    assert registry.make("reranker", "fair_topk").adjust == "conservative"
    assert failure_probability(adjusted_table(k, p, alpha, "conservative"), p) <= alpha


def test_short_pool_gives_the_same_kind_of_answer() -> None:
    """fairsearchcore: a tuple instead of a list."""
    result = registry.make("reranker", "fair_topk")(build(["f", "m", "m"]), 100, 0)
    assert isinstance(result, Ranking)
    assert len(result.rows) == 3


def test_the_order_of_the_list_counts_not_unsorted_scores() -> None:
    """fairsearchcore: accepts unsorted input and returns nonsense."""
    groups = Groups.of("gender", ["f", "m", "f", "m"])
    for text in DETERMINISTIC:
        orders = []
        for scores in ([4.0, 3.0, 2.0, 1.0], [1.0, 4.0, 2.0, 3.0]):
            ranking = Ranking.of([range(4)], [scores])
            orders.append(
                rerank(
                    text,
                    Evidence(
                        ranking, ("q",), {"gender": Labelled(groups, targets.uniform(groups))}
                    ),
                    4,
                )
            )
        assert orders[0] == orders[1]


def test_pbm_gives_k_results_whenever_the_pool_has_k() -> None:
    """PBM's notebook: drops neutral images and ends with the smaller group: 10 of 50."""
    labels: list[str | None] = [*["m"] * 90, *["f"] * 5, *[None] * 5]
    order = rerank("pbm", build(labels), 50)
    assert len(set(order)) == 50
    assert sum(labels[i] == "f" for i in order) == 5
    assert len(rerank("pbm(variant=released)", build(labels), 50)) == 10


def test_pbm_without_neutral_images_and_with_a_remainder_repeats_nothing() -> None:
    """MPR's PBM: IndexError without neutral images; duplicates in 46 of 200 runs (4 classes, k =
    21).
    """
    for seed in range(200):
        labels = random_labels(seed, 100, "abcd")
        order = rerank("pbm", build(labels), 21, seed)
        assert len(set(order)) == 21
        assert max(np.unique([labels[i] or "" for i in order], return_counts=True)[1]) <= 6


def test_given_targets_are_checked_where_they_are_made() -> None:
    """MPR's PBM: AssertionError built but never raised."""
    with pytest.raises(DataError, match="sum to 1"):
        Target("given", np.array([[0.5, 0.2]]))
