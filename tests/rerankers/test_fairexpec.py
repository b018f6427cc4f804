"""fairexpec against all sets there are; what the paper says; what HiGHS proves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import UsageError
from fairlead.protocols.registry import make
from fairlead.rerankers.exchanges import Exchange
from fairlead.rerankers.fairexpec import FairExpec, selected
from fairlead.rerankers.selection import select
from fairlead.rerankers.single import SingleLists, one_by_one
from fairlead.testing.worlds import ranked
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

LAW = settings(max_examples=25, deadline=None)
SEEDS = st.integers(0, 1_000_000)


def drawn(seed: int, size: int, groups: int, *, soft: bool) -> Evidence:
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.normal(size=size).astype(np.float32))[::-1].astype(float)
    names = tuple("abcdefgh"[:groups])
    if soft:
        labels = Groups(
            "a",
            names,
            soft=rng.dirichlet(np.full(groups, 0.4), size)
            * rng.choice([1.0, 1.0, 0.5, 0.0], (size, 1)),
        )
    else:
        labels = Groups("a", names, codes=rng.choice(np.arange(-1, groups), size))
    target = Target("given", rng.dirichlet(np.ones(groups))[None])
    return Evidence(
        Ranking.of([range(size)], [scores.tolist()]), ("q",), {"a": Labelled(labels, target)}
    )


def brute(evidence: Evidence, k: int, delta: float, *, whole: bool = False) -> tuple[float, float]:
    """The least slack that some set keeps to, from delta k up, and the largest sum of scores among
    the sets that keep to it.
    """
    shares, target = evidence.labels.share, evidence.attribute.target.shares[0]
    scores = evidence.ranking.scores.astype(float)
    off, worth = [], []
    for places in map(list, combinations(range(len(shares)), k)):
        counts = shares[places].sum(0)
        mass = k if whole else counts.sum()
        off.append(max(delta * k, np.abs(counts - target * mass).max()))
        worth.append(scores[places].sum())
    least = min(off)
    return least, max(w for o, w in zip(off, worth, strict=True) if o <= least + 1e-7)


@pytest.mark.parametrize("soft", [True, False])
@LAW
@given(SEEDS, st.integers(2, 4), st.integers(1, 6), st.sampled_from([0.001, 0.1, 0.3]))
def test_fairexpec_finds_what_a_search_of_all_sets_finds(
    soft: bool, seed: int, groups: int, k: int, delta: float
) -> None:
    evidence = drawn(seed, 11, groups, soft=soft)
    found = FairExpec(delta)(evidence, k, 0)
    least, best = brute(evidence, k, delta)
    counts = evidence.labels.share[found.rows].sum(0)
    assert np.abs(counts - evidence.attribute.target.shares[0] * counts.sum()).max() <= least + 1e-6
    assert found.scores.astype(float).sum() == pytest.approx(best, abs=1e-5)
    assert found.rows.tolist() == sorted(found.rows.tolist())


@pytest.mark.parametrize("soft", [True, False])
@LAW
@given(SEEDS, st.integers(2, 4), st.integers(1, 6), st.sampled_from([0.001, 0.1, 0.3]))
def test_fairexpec_of_the_whole_list_finds_what_a_search_of_all_sets_finds(
    soft: bool, seed: int, groups: int, k: int, delta: float
) -> None:
    evidence = drawn(seed, 11, groups, soft=soft)
    found = FairExpec(delta, mass="k")(evidence, k, 0)
    least, best = brute(evidence, k, delta, whole=True)
    counts = evidence.labels.share[found.rows].sum(0)
    assert np.abs(counts - evidence.attribute.target.shares[0] * k).max() <= least + 1e-6
    assert found.scores.astype(float).sum() == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("letter", "-?")
def test_unlabelled_items_cannot_fill_the_list_of_the_paper(letter: str) -> None:
    evidence = ranked(letter * 6 + "FFFMMM")
    assert FairExpec()(evidence, 6, 0).rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert FairExpec(mass="k")(evidence, 6, 0).rows.tolist() == [6, 7, 8, 9, 10, 11]
    few = ranked(letter * 6 + "FFFM")
    assert FairExpec(mass="k")(few, 6, 0).rows.tolist() == [0, 1, 2, 3, 6, 9]


@LAW
@given(SEEDS, st.integers(2, 4), st.integers(1, 15), st.sampled_from([0.001, 0.1, 0.3]))
def test_counting_hard_labels_equals_the_program_on_them(
    seed: int, groups: int, k: int, delta: float
) -> None:
    evidence = drawn(seed, 30, groups, soft=False)
    case = case_of(evidence, k)
    counted, solved = selected(case, delta * k), select(case, case.excess, delta * k)
    assert counted.slack == pytest.approx(solved.slack, abs=1e-6)
    assert counted.value == pytest.approx(solved.value, abs=1e-6)


def case_of(evidence: Evidence, k: int) -> SingleLists:
    kept: list[SingleLists] = []

    def keep(case: SingleLists) -> np.ndarray:
        kept.append(case)
        return case.plain

    one_by_one(evidence, k, keep)
    return kept[0]


def test_two_equal_groups_give_equal_expected_counts_as_in_the_paper(bar) -> None:
    gaps = []
    for seed in range(1, 4):
        rng = np.random.default_rng(seed)
        told = np.where(rng.random(400) < np.linspace(0.05, 0.6, 400), 0.9, 0.1)
        labels = Groups(
            "g",
            ("f", "m"),
            soft=np.column_stack([told, 1 - told]) + rng.uniform(-0.05, 0.05, (400, 1)) * [1, -1],
        )
        scores = np.sort(rng.normal(size=400))[::-1]
        target = Target("uniform", np.full((1, 2), 0.5))
        evidence = Evidence(
            Ranking.of([range(400)], [scores.tolist()]), ("q",), {"g": Labelled(labels, target)}
        )
        shown = FairExpec()(evidence, 50, 0).rows
        assert np.abs(labels.share[shown].sum(0) - 25).max() <= 0.001 * 50 + 1e-9
        found = selected(case_of(evidence, 50), 0.05)
        gaps.append((found.bound - found.value) / found.bound)
    bar("fairexpec, duality gap, 50 of 400 in two groups", f"{max(gaps):.1e}", "<= 1e-4")
    assert max(gaps) <= 1e-4


def test_long_lists_of_many_groups_keep_to_delta_and_say_how_good_they_are(bar) -> None:
    rng = np.random.default_rng(0)
    shares, relevance = rng.dirichlet(np.full(4, 0.5), 300), np.sort(rng.random(300))[::-1]
    case = SingleLists(relevance, shares, np.full(4, 0.25), 40, 0, False)
    found = select(case, case.excess, 0.05 * 40)
    assert np.abs(case.excess[found.places].sum(0)).max() <= 0.05 * 40 + 1e-9
    gap = (found.bound - found.value) / found.bound
    bar("fairexpec, duality gap, 40 of 300 in four groups", f"{gap:.1e}", "<= 1e-2")
    assert 0 <= gap <= 1e-2


@LAW
@given(SEEDS, st.integers(1, 20))
def test_exchanges_never_lead_away_from_the_target_nor_to_less(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    shares, relevance = rng.dirichlet(np.full(3, 0.5), 40), np.sort(rng.random(40))[::-1]
    exchange = Exchange(relevance, shares - 1 / 3, 0.3, rng.permutation(40))
    start = np.zeros(40, np.bool_)
    start[rng.permutation(40)[:k]] = True
    found = exchange.improved(start)
    assert found.sum() == k
    assert exchange.worth(found) >= exchange.worth(start)


def test_list_that_keeps_to_delta_stays_and_delta_of_one_is_plain() -> None:
    assert FairExpec()(ranked("FMMFFM"), 4, 0).rows.tolist() == [0, 1, 2, 3]
    assert FairExpec(1.0)(ranked("FFFFFM"), 4, 0).rows.tolist() == [0, 1, 2, 3]


def test_odd_number_and_short_supply_are_met_as_nearly_as_can_be() -> None:
    assert FairExpec()(ranked("FFFFFMM"), 3, 0).rows.tolist() == [0, 1, 5]
    assert FairExpec()(ranked("FFFFFFM"), 4, 0).rows.tolist() == [0, 1, 2, 6]


def test_unknown_items_are_neither_counted_nor_shut_out() -> None:
    assert FairExpec()(ranked("?F?FFFM"), 4, 0).rows.tolist() == [0, 1, 2, 6]


def test_one_group_only_leaves_the_plain_list() -> None:
    assert FairExpec()(ranked("F?FF", names="F"), 3, 0).rows.tolist() == [0, 1, 2]


def test_delta_out_of_range_is_refused() -> None:
    with pytest.raises(UsageError, match="not a share"):
        make("reranker", "fairexpec(delta=2)")
