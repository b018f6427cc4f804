"""The search use case against brute force: what is fetched, what is in reach, what is measured."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.engine.answers import answers_of, costs_of, label_of
from fairlead.engine.asked import Asked, distinct
from fairlead.engine.candidates import out_of_reach
from fairlead.engine.engine import Engine
from fairlead.engine.live import Depths, Labels, Live
from fairlead.engine.mitigate import Rules, mitigated
from fairlead.engine.mitigations import Mitigation
from fairlead.engine.opened import Opened
from fairlead.engine.setup import Setup
from fairlead.engine.shelf import Shelf, for_retrieval, recall
from fairlead.engine.treatments import PLAIN, Treatment
from fairlead.indexes.exact import Exact
from fairlead.protocols.registry import make
from fairlead.types import Collection, Embeddings, Groups, Queries, Ranking, Study
from fairlead.types.evidence import Evidence, Labelled, Target

FEW = settings(max_examples=40, deadline=None)


@dataclass(frozen=True)
class Ask:
    """How much is asked."""

    k: int
    depth: int
    limit: int


@dataclass(frozen=True, eq=False)
class World:
    """Items in an index, with labels that measure and mitigate."""

    shelf: Shelf
    groups: Groups


def shelf_of(codes: list[int], vectors: np.ndarray) -> World:
    return world_of(Groups("g", ("a", "b"), codes=np.array(codes)), vectors)


def world_of(groups: Groups, vectors: np.ndarray) -> World:
    index = Exact()
    index.add(Embeddings(vectors.astype(np.float32)), {"g": for_retrieval(groups)})
    collection = Collection(tuple(f"i{n}" for n in range(len(groups))), groups={"g": groups})
    return World(Shelf(collection, index), groups)


def search(
    world: World,
    queries: Embeddings,
    names: list[str],
    ask: Ask,
    *,
    treatments: list[Any] = (),
    metrics: list[Any] = (),
) -> Any:
    """The engine over a small world, as a search asks it."""
    setup = Setup(
        model=None,
        index=None,
        groups=None,
        mitigate=(),
        mitigate_groups=None,
        attribute=("g",),
        target="uniform",
        metric=(),
        k=ask.k,
        depth=ask.depth,
        limit=ask.limit,
        unknown="ignore",
        null=None,
        interval="studentised",
        trigger=False,
        leave=None,
        leave_out=None,
        seed=0,
    )
    mitigate = {"g": world.groups} if treatments else {}
    labels = Labels({"g": world.groups}, attribute="g", mitigate=mitigate)
    study = Study("world", world.shelf.collection, Queries(()), ())
    opened = Opened(study, None, None, "world", labels)
    made = tuple(Mitigation(reranker=one) for one in treatments)
    engine = Engine(setup, opened, world.shelf, made, {}, tuple(metrics), None)
    outcome = engine.run(Asked(distinct(names), tuple(names)), queries, paired=False)
    return answers_of(engine, outcome, k=ask.k)


def world(seed: int, size: int, groups: int = 2, rare: float = 0.5) -> tuple[list[int], np.ndarray]:
    rng = np.random.default_rng(seed)
    share = np.array([1 - rare, *([rare / (groups - 1)] * (groups - 1))])
    return rng.choice(groups, size, p=share).tolist(), rng.integers(-3, 4, (size, 3)).astype(float)


def asked(seed: int, count: int) -> Embeddings:
    return Embeddings(
        np.random.default_rng(seed + 1).integers(-3, 4, (count, 3)).astype(np.float32)
    )


@FEW
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 12))
def test_search_plain_variant_equals_a_sort_by_score_then_row(seed: int, size: int, k: int) -> None:
    codes, vectors = world(seed, size)
    queries = asked(seed, 3)
    answers = search(
        shelf_of(codes, vectors),
        queries,
        ["x", "y", "z"],
        Ask(k, k, k),
        treatments=[make("reranker", "pbm")],
    )
    for answer, query in zip(answers, queries.vectors, strict=True):
        scores = vectors @ query
        expected = sorted(range(size), key=lambda row: (-scores[row], row))[:k]
        assert [item.id for item in answer.variants[0].items] == [f"i{row}" for row in expected]
        assert [item.rank for item in answer.variants[0].items] == list(range(1, len(expected) + 1))


@FEW
@given(st.integers(0, 10_000), st.sampled_from(["pbm", "detgreedy", "detconstsort", "interleave"]))
def test_search_in_a_batch_equals_one_by_one(seed: int, spec: str) -> None:
    codes, vectors = world(seed, 60, rare=0.2)
    queries, names, ask = asked(seed, 4), ["p", "q", "r", "s"], Ask(8, 8, 100)
    treatments, metrics = [make("reranker", spec)], [make("metric", "AbsBias@8")]
    together = search(
        shelf_of(codes, vectors), queries, names, ask, treatments=treatments, metrics=metrics
    )
    for number, name in enumerate(names):
        alone = search(
            shelf_of(codes, vectors),
            queries.take(np.array([number])),
            [name],
            ask,
            treatments=treatments,
            metrics=metrics,
        )[0]
        for one, other in zip(alone.variants, together[number].variants, strict=True):
            assert one.items == other.items
            assert [row.mean for row in one.metrics] == [row.mean for row in other.metrics]


def reach_by_brute_force(available: list[int], target: list[float], k: int) -> float:
    """The least total variation between the shares of a list of k (real-valued counts on a fine
    grid) and the target.
    """
    best = math.inf
    for counts in itertools.product(*(range(min(a, k) + 1) for a in available)):
        if sum(counts) <= k:
            best = min(best, sum(max(0.0, t - c / k) for t, c in zip(target, counts, strict=True)))
    return best


@FEW
@given(st.lists(st.integers(0, 5), min_size=2, max_size=3), st.integers(2, 6))
def test_what_is_out_of_reach_equals_an_enumeration_of_lists(available: list[int], k: int) -> None:
    codes = [g for g, count in enumerate(available) for _ in range(count)]
    names = tuple("abc"[: len(available)])
    wanted = np.ones(len(names)) / len(names)
    wanted = np.round(wanted * k) / k  # counts that a list of k can show exactly
    wanted[0] = 1 - wanted[1:].sum()
    ranking = Ranking.of([list(range(len(codes)))])
    labelled = Labelled(
        Groups("g", names, codes=np.array(codes, np.int16)), Target("given", wanted[None])
    )
    found = out_of_reach(Evidence(ranking, ("q",), {"g": labelled}), k)[0]
    assert found == pytest.approx(reach_by_brute_force(available, wanted.tolist(), k), abs=1e-9)


def test_search_fetches_a_minority_that_no_plain_depth_would_show() -> None:
    size = 2_000
    codes = [
        1 if row >= size - 5 else 0 for row in range(size)
    ]  # the five of the minority score lowest of all
    vectors = np.column_stack([np.linspace(1, 0, size), np.zeros(size), np.zeros(size)])
    answer = search(shelf_of(codes, vectors), Embeddings(np.array([[1, 0, 0]], np.float32)), ["q"], Ask(10, 10, 10),
                    treatments=[make("reranker", "detgreedy")])[0]  # fmt: skip
    shown = [item.groups["g"] for item in answer.variants[1].items]
    assert shown.count("b") == 5
    assert (
        answer.reach is not None
        and answer.reach.missing == 0
        and answer.reach.available == {"a": 10.0, "b": 5.0}
    )


def test_search_deepens_where_soft_labels_hide_the_group_and_stops_at_the_limit() -> None:
    size = 400
    soft = np.tile([0.95, 0.05], (size, 1))  # by its likelier group nobody is of the second one
    groups = Groups("g", ("a", "b"), soft=soft)
    shelf = world_of(groups, np.random.default_rng(0).normal(size=(size, 3)))
    deep = search(
        shelf, asked(0, 1), ["q"], Ask(10, 10, 400), treatments=[make("reranker", "pbm")]
    )[0].reach
    cut = search(shelf, asked(0, 1), ["q"], Ask(10, 10, 40), treatments=[make("reranker", "pbm")])[
        0
    ].reach
    assert deep is not None and deep.depth == 160 and deep.missing < 0.1
    assert cut is not None and cut.depth == 40 and cut.missing == pytest.approx(0.3)


def test_search_says_when_the_collection_has_no_more() -> None:
    codes, vectors = [0] * 30 + [1], np.random.default_rng(3).normal(size=(31, 3))
    reach = search(
        shelf_of(codes, vectors),
        asked(1, 1),
        ["q"],
        Ask(10, 10, 10_000),
        treatments=[make("reranker", "pbm")],
    )[0].reach
    assert reach is not None and reach.exhausted and reach.missing == pytest.approx(0.4)


def test_search_chance_level_is_the_mean_over_all_draws_from_the_collection() -> None:
    codes = [0, 0, 0, 0, 1, 1]
    answer = search(shelf_of(codes, np.random.default_rng(4).normal(size=(6, 3))), asked(2, 1), ["q"], Ask(3, 3, 3),
                    metrics=[make("metric", "AbsBias@3")])[0]  # fmt: skip
    row = answer.variants[0].metrics[0]
    expected = np.mean(
        [
            abs(sum(1 - 2 * codes[i] for i in drawn)) / 3
            for drawn in itertools.combinations(range(6), 3)
        ]
    )
    assert row.null is not None and row.null["mean"] == pytest.approx(expected)
    assert row.excess == pytest.approx(row.mean - expected)


def test_search_items_that_an_attribute_does_not_apply_to_stay_in_the_plain_list() -> None:
    codes, vectors = [-2, 0, 1, -1], np.array([[4, 0, 0], [3, 0, 0], [2, 0, 0], [1, 0, 0]])
    answer = search(shelf_of(codes, vectors), Embeddings(np.array([[1, 0, 0]], np.float32)), ["q"], Ask(4, 4, 4),
                    treatments=[make("reranker", "pbm")])[0]  # fmt: skip
    assert [item.groups["g"] for item in answer.variants[0].items] == [
        "not-applicable",
        "a",
        "b",
        None,
    ]


def test_the_same_query_twice_gives_two_answers() -> None:
    codes, vectors = world(5, 20)
    answers = search(
        shelf_of(codes, vectors), asked(5, 1).take(np.array([0, 0])), ["q", "q"], Ask(5, 5, 5)
    )
    assert [a.query for a in answers] == ["q", "q"] and answers[0].variants[0].items == answers[
        1
    ].variants[0].items


@FEW
@given(st.integers(0, 1_000))
def test_recall_counts_what_was_found_for_the_same_query(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true, found = ([rng.permutation(12)[:5].tolist() for _ in range(3)] for _ in range(2))
    codes = rng.integers(0, 2, 12)
    groups = Groups("g", ("a", "b"), codes=codes)
    pairs = [(row, row in mine) for rows, mine in zip(true, found, strict=True) for row in rows]
    assert recall(Ranking.of(found), Ranking.of(true)) == pytest.approx(
        np.mean([hit for _, hit in pairs])
    )
    ours = [hit for row, hit in pairs if codes[row] == 1]
    assert recall(Ranking.of(found), Ranking.of(true), groups, 1) == pytest.approx(
        np.mean(ours) if ours else math.nan, nan_ok=True
    )


def test_soft_labels_are_told_as_shares_and_heads_are_cut() -> None:
    groups = Groups("g", ("a", "b"), soft=np.array([[0.25, 0.5]]))
    assert label_of(groups, 0) == {"a": 0.25, "b": 0.5}
    assert Ranking.of([[3, 1, 2], [0]]).head(2).rows.tolist() == [3, 1, 0]


@FEW
@given(st.integers(0, 10_000))
def test_cost_of_a_mitigated_list_equals_a_count_by_hand_also_where_other_vectors_found_it(
    seed: int,
) -> None:
    codes, vectors = world(seed, 40, rare=0.3)
    queries = asked(seed, 2)
    small, two = shelf_of(codes, vectors), Asked(("p", "q"), ("p", "q"))
    labels = Labels({"g": small.groups}, attribute="g", mitigate={"g": small.groups})
    road = Live(small.shelf, two, queries, labels, Depths(6, 6, 6, 40))
    treatments = [
        Treatment("pbm", make("reranker", "pbm"), labels="g"),
        Treatment("moved", vectors=asked(seed + 7, 2)),
    ]
    lists = mitigated(road, treatments, Rules(k=6))
    for name in ("pbm", "moved"):
        costs = costs_of(small.shelf, lists.plain, lists.shown[name], queries)
        for q, query in enumerate(queries.vectors):
            plain, shown = (lists.shown[n] for n in (PLAIN, name))
            first = set(plain.rows[plain.offsets[q] : plain.offsets[q + 1]].tolist())
            rows = shown.rows[shown.offsets[q] : shown.offsets[q + 1]].tolist()
            scores = [float(vectors[row] @ query) for row in rows]
            assert costs[q].new == len(set(rows) - first)
            assert costs[q].mean_score == pytest.approx(np.mean(scores))
            assert costs[q].lowest_score == pytest.approx(min(scores))


def test_search_that_fetched_everything_says_so_whatever_the_limit() -> None:
    codes, vectors = [0] * 30 + [1], np.random.default_rng(3).normal(size=(31, 3))
    answer = search(
        shelf_of(codes, vectors),
        asked(1, 1),
        ["q"],
        Ask(31, 31, 31),
        treatments=[make("reranker", "pbm")],
    )[0]
    assert answer.reach is not None and answer.reach.exhausted
