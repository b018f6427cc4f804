"""Relevant items at their true positions among dense scores, against the naive way: sort
everything.
"""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.errors import DataError
from fairlead.protocols import registry
from fairlead.statistics import targets
from fairlead.types import Groups, Ranking, Relevant
from fairlead.types.evidence import Evidence, Labelled

QUERIES, ITEMS = 7, 400


def relevant_of(rng: np.random.Generator, most: int = 40) -> Relevant:
    """Some relevant items per query, none for the third."""
    rows = [
        np.sort(rng.choice(ITEMS, 0 if q == 2 else rng.integers(1, most), replace=False))
        for q in range(QUERIES)
    ]
    return Relevant(np.concatenate([[0], np.cumsum([len(r) for r in rows])]), np.concatenate(rows))


def everything() -> Relevant:
    return Relevant(np.arange(QUERIES + 1) * ITEMS, np.tile(np.arange(ITEMS), QUERIES))


def spreads(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Scores that are easy and hard to put into buckets, without ties."""
    plain = rng.permuted(np.tile(np.linspace(-1, 1, ITEMS, dtype=np.float32), (QUERIES, 1)), axis=1)
    outlier, absent = plain.copy(), plain.copy()
    outlier[:, 5], absent[plain < -0.99] = 1e30, -np.inf
    return {
        "plain": plain,
        "double": plain.astype(np.float64),
        "steep": np.sign(plain) * np.abs(plain) ** 9,
        "far from zero": 1e6 + 1_000 * plain.astype(np.float64),
        "whole numbers": np.argsort(plain, axis=1),
        "outlier": outlier,
        "left out": absent,
    }


@pytest.mark.parametrize("name", list(spreads(np.random.default_rng(0))))
def test_positions_without_ties_equal_a_full_sort(name: str) -> None:
    rng = np.random.default_rng(1)
    scores, relevant = spreads(rng)[name], relevant_of(rng)
    if name == "left out":  # of items left out none is relevant
        kept = [relevant.of(q)[np.isfinite(scores[q, relevant.of(q)])] for q in range(QUERIES)]
        relevant = Relevant(
            np.concatenate([[0], np.cumsum([len(r) for r in kept])]), np.concatenate(kept)
        )
    ranking = Ranking.of_relevant(scores, relevant)
    for q in range(QUERIES):
        order = np.argsort(-scores[q].astype(np.float64), kind="stable")
        at = np.flatnonzero(np.isin(order, relevant.of(q)))
        entries = slice(ranking.offsets[q], ranking.offsets[q + 1])
        assert ranking.rows[entries].tolist() == order[at].tolist()
        assert ranking.positions is not None
        assert ranking.positions[entries].tolist() == (at + 1).tolist()
        assert ranking.scores[entries] == pytest.approx(scores[q, order[at]])


@pytest.mark.parametrize("levels", [1, 2, 5, 60])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_tied_items_fill_the_places_of_their_tie(levels: int, dtype: type) -> None:
    rng = np.random.default_rng(levels)
    scores = (rng.integers(0, levels, (QUERIES, ITEMS)) / 8).astype(dtype)
    ranking = Ranking.of_relevant(scores, everything())
    assert ranking.positions is not None
    for q in range(QUERIES):
        places = np.empty(ITEMS, np.int64)
        places[ranking.rows[q * ITEMS : (q + 1) * ITEMS]] = ranking.positions[
            q * ITEMS : (q + 1) * ITEMS
        ]
        assert sorted(places) == list(range(1, ITEMS + 1))
        above = (scores[q] > scores[q][:, None]).sum(1)
        assert (places > above).all() and (
            places <= above + (scores[q] == scores[q][:, None]).sum(1)
        ).all()


def test_ties_are_a_fair_coin_and_the_seed_decides() -> None:
    scores, relevant = np.zeros((1, 2), np.float32), Relevant(np.array([0, 1]), np.array([0]))
    first = [
        int(Ranking.of_relevant(scores, relevant, seed=seed).ranks[0]) == 1 for seed in range(400)
    ]
    assert 160 < sum(first) < 240
    assert (
        Ranking.of_relevant(scores, relevant, seed=3).ranks
        == Ranking.of_relevant(scores, relevant, seed=3).ranks
    )


def test_ties_of_a_query_do_not_depend_on_the_batch_nor_on_what_else_is_relevant() -> None:
    rng = np.random.default_rng(2)
    scores, relevant = rng.integers(0, 9, (QUERIES, ITEMS)).astype(np.float32), relevant_of(rng)
    ranking, whole = (
        Ranking.of_relevant(scores, relevant, seed=5),
        Ranking.of_relevant(scores, everything(), seed=5),
    )
    assert ranking.positions is not None and whole.positions is not None
    for q in range(QUERIES):
        one = Relevant(np.array([0, len(relevant.of(q))]), relevant.of(q))
        alone = Ranking.of_relevant(scores[q : q + 1], one, seed=5)
        entries = slice(ranking.offsets[q], ranking.offsets[q + 1])
        assert alone.ranks.tolist() == ranking.positions[entries].tolist()
        assert (
            whole.rows[q * ITEMS + ranking.positions[entries] - 1].tolist()
            == ranking.rows[entries].tolist()
        )


@pytest.mark.parametrize(
    "spec",
    ["nDCG", "nDCG@10", "AP", "AP@25", "P@10", "Recall@50", "Hit@3", "MRR", "NDKL(over=relevant)"],
)
@pytest.mark.parametrize("levels", [None, 12])
def test_metrics_from_the_relevant_items_equal_those_of_the_whole_lists(
    spec: str, levels: int | None
) -> None:
    rng = np.random.default_rng(3)
    scores = (
        rng.standard_normal((QUERIES, ITEMS))
        if levels is None
        else rng.integers(0, levels, (QUERIES, ITEMS)) / 4
    )
    relevant, metric = relevant_of(rng), registry.make("metric", spec)
    groups = Groups("g", ("a", "b", "c"), codes=rng.integers(-1, 3, ITEMS))
    values = []
    for shown in (relevant, everything()):
        ranking = Ranking.of_relevant(scores.astype(np.float32), shown, seed=1)
        evidence = Evidence(
            ranking,
            tuple(map(str, range(QUERIES))),
            {"g": Labelled(groups, targets.uniform(groups))},
            relevant,
        )
        numerator, denominator = metric(evidence)
        values.append(numerator / denominator)
    assert np.isnan(values[0][2])
    assert values[0] == pytest.approx(values[1], abs=1e-12, nan_ok=True)


def test_metrics_of_whole_lists_refuse_a_part_of_them() -> None:
    rng = np.random.default_rng(4)
    groups = Groups("g", ("a", "b"), codes=rng.integers(0, 2, ITEMS))
    ranking = Ranking.of_relevant(rng.standard_normal((QUERIES, ITEMS)), relevant_of(rng))
    evidence = Evidence(
        ranking, tuple(map(str, range(QUERIES))), {"g": Labelled(groups, targets.uniform(groups))}
    )
    with pytest.raises(DataError, match="whole lists"):
        registry.make("metric", "NDKL@10")(evidence)


def test_scores_that_do_not_fit_are_refused() -> None:
    relevant = Relevant(np.array([0, 1]), np.array([3]))
    with pytest.raises(DataError, match=r"\(queries, items\)"):
        Ranking.of_relevant(np.zeros((2, 5)), relevant)
    with pytest.raises(DataError, match="Row 3 is relevant"):
        Ranking.of_relevant(np.zeros((1, 3)), relevant)
    with pytest.raises(DataError, match="row 1 for query 0 is not a number"):
        Ranking.of_relevant(np.array([[0.0, np.nan, 0.0, 1.0]]), relevant)
    with pytest.raises(DataError, match="finite"):
        Ranking.of_relevant(np.array([[0.0, 1.0, 0.0, np.inf]]), relevant)
