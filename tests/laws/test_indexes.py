"""The rules every registered index keeps, on small whole numbers (many ties), against a sort in
plain Python and against ``exact``.

A new index is one line in ``INDEXES``: how to write it, for a folder of its own and the address of
    a PostgreSQL server.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from fairlead.errors import DataError, FairleadError, UsageError
from fairlead.indexes.exact import Exact
from fairlead.protocols import Index, KeptIndex, registry
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Embeddings, Groups, Ranking

INDEXES = {
    "exact": "exact",
    "faiss": "faiss",
    "faiss, a shard per group": "faiss(per_group=a)",
    "faiss ivf": "faiss(kind=ivf)",
    "faiss hnsw": "faiss(kind=hnsw,per_group=b)",
    "pgvector": 'pgvector:"{postgres}"(table={token})',
    "pgvector, half precision": 'pgvector:"{postgres}"(table={token},half=true,kind=hnsw)',
    "qdrant": "qdrant(collection={token})",
}
KEPT = {
    text: name for name, text in INDEXES.items() if name != "exact"
}  # which keeps nothing: adding what is mapped costs nothing
LATE = ["exact", "qdrant"]
NAMES = ("x", "y", "z")
WORLDS = range(6)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads that wait for each other on a busy machine make tiny searches slow."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    yield
    faiss.omp_set_num_threads(before)


@dataclass(frozen=True)
class World:
    """Small data, and the answer by a sort."""

    items: np.ndarray
    queries: np.ndarray
    codes: dict[str, np.ndarray]

    def groups(self, rows: slice = slice(None)) -> dict[str, Groups]:
        return {name: Groups(name, NAMES, codes=codes[rows]) for name, codes in self.codes.items()}

    def answer(self, depth: int, per_group: str | None = None) -> list[list[tuple[int, float]]]:
        codes = [0] * len(self.items) if per_group is None else self.codes[per_group].tolist()
        found = []
        for query in self.queries.tolist():
            scores = [
                sum(a * b for a, b in zip(query, item, strict=True)) for item in self.items.tolist()
            ]
            best = []
            for group in set(codes) - {NOT_APPLICABLE}:
                own = sorted(
                    (r for r, c in enumerate(codes) if c == group), key=lambda r: (-scores[r], r)
                )
                best += own[:depth]
            found.append(
                [(r, float(scores[r])) for r in sorted(best, key=lambda r: (-scores[r], r))]
            )
        return found


def world(seed: int, size: int | None = None) -> World:
    """Whole numbers from -2 to 2; one attribute with unknown and not applicable, one with rare
    groups.
    """
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 60)) if size is None else size
    dimensions = int(rng.integers(1, 5))
    a = rng.integers(NOT_APPLICABLE, len(NAMES), size)
    b = rng.choice([0, 0, 0, 0, 1, UNKNOWN], size)
    items = rng.integers(-2, 3, (size, dimensions)).astype(np.float32)
    return World(items, rng.integers(-2, 3, (5, dimensions)).astype(np.float32), {"b": b, "a": a})


def lists(ranking: Ranking) -> list[list[tuple[int, float]]]:
    cuts = ranking.offsets[1:-1]
    parts = zip(np.split(ranking.rows, cuts), np.split(ranking.scores, cuts), strict=True)
    return [list(zip(r.tolist(), s.tolist(), strict=True)) for r, s in parts]


@pytest.fixture(params=INDEXES.values(), ids=INDEXES.keys())
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Index]]:
    """Makes fresh objects of one index, all at the same address."""
    made, token = [], f"t{secrets.token_hex(6)}"

    def fresh() -> Index:
        postgres = request.getfixturevalue("postgres") if "{postgres}" in request.param else ""
        made.append(
            registry.make(
                "index", request.param.format(folder=tmp_path, postgres=postgres, token=token)
            )
        )
        return made[-1]

    yield fresh
    for index in made:
        getattr(index, "close", lambda: None)()


def filled(index: Index, given: World) -> Index:
    index.add(Embeddings(given.items), given.groups())
    return index


@pytest.mark.parametrize("seed", WORLDS)
def test_search_small_data_equals_a_sort(make: Callable[[], Index], seed: int) -> None:
    given = world(seed)
    index = filled(make(), given)
    assert len(index) == len(given.items)
    for depth in (1, 3, len(given.items), 1000):
        assert lists(index.search(Embeddings(given.queries), depth)) == given.answer(depth)


@pytest.mark.parametrize("seed", WORLDS)
def test_search_per_group_is_the_union_of_each_groups_best(
    make: Callable[[], Index], seed: int
) -> None:
    given = world(seed)
    index = filled(make(), given)
    for attribute in given.codes:
        for depth in (1, 4, 1000):
            assert lists(index.search(Embeddings(given.queries), depth, attribute)) == given.answer(
                depth, attribute
            )


@pytest.mark.parametrize("seed", WORLDS[:3])
def test_search_batch_equals_one_by_one(make: Callable[[], Index], seed: int) -> None:
    given = world(seed)
    index = filled(make(), given)
    for attribute in (None, "a"):
        together = lists(index.search(Embeddings(given.queries), 3, attribute))
        assert together == [
            lists(index.search(Embeddings(q[None]), 3, attribute))[0] for q in given.queries
        ]


def test_search_many_equal_scores_gives_the_first_rows(make: Callable[[], Index]) -> None:
    given = World(
        np.ones((300, 2), np.float32),
        np.ones((2, 2), np.float32),
        {"a": np.arange(300) % 2, "b": np.zeros(300, int)},
    )
    index = filled(make(), given)
    assert lists(index.search(Embeddings(given.queries), 7)) == given.answer(7)
    assert lists(index.search(Embeddings(given.queries), 7, "a")) == given.answer(7, "a")


@pytest.mark.parametrize("seed", WORLDS[:3])
def test_add_in_parts_with_searches_between_equals_at_once(
    make: Callable[[], Index], seed: int
) -> None:
    given = world(seed, 30)
    index = make()
    for rows in (slice(0, 4), slice(4, 5), slice(5, 30)):
        index.add(Embeddings(given.items[rows]), given.groups(rows))
        index.search(Embeddings(given.queries), 2, "a")
    assert lists(index.search(Embeddings(given.queries), 3, "a")) == given.answer(3, "a")


def test_add_labels_that_come_late_or_in_another_order_are_joined_by_name(
    make: Callable[[], Index],
) -> None:
    index = make()
    index.add(Embeddings(np.eye(3, dtype=np.float32)))
    index.add(Embeddings(np.eye(3, dtype=np.float32)), {"a": Groups.of("a", ["p", "q", None])})
    index.add(
        Embeddings(np.eye(3, dtype=np.float32)),
        {"a": Groups.of("a", ["q", "r", "p"], names=["r", "q", "p"])},
    )
    codes = {"a": np.array([-1, -1, -1, 0, 1, -1, 1, 2, 0])}
    given = World(
        np.tile(np.eye(3, dtype=np.float32), (3, 1)), np.array([[3, 2, 1]], np.float32), codes
    )
    assert lists(index.search(Embeddings(given.queries), 1, "a")) == given.answer(1, "a")


def test_search_soft_labels_count_as_their_largest_share(make: Callable[[], Index]) -> None:
    index = make()
    soft = np.array([[0.6, 0.3], [0.2, 0.3], [0.0, 0.0], [0.1, 0.9]])
    absent = np.array([False, False, True, False])
    index.add(
        Embeddings(np.ones((4, 2), np.float32)),
        {"a": Groups("a", ("x", "y"), soft=soft, not_applicable=absent)},
    )
    assert index.search(Embeddings(np.ones((1, 2), np.float32)), 9, "a").rows.tolist() == [0, 1, 3]


def test_search_nothing_added_finds_nothing(make: Callable[[], Index]) -> None:
    index = make()
    assert len(index) == 0
    found = index.search(Embeddings(np.ones((2, 3), np.float32)), 5)
    assert (len(found), len(found.rows)) == (2, 0)


def test_search_without_queries_is_an_empty_ranking(make: Callable[[], Index]) -> None:
    index = filled(make(), world(1, 9))
    assert (
        len(index.search(Embeddings(np.empty((0, world(1, 9).items.shape[1]), np.float32)), 5)) == 0
    )


def test_scores_given_rows_are_scored_and_ranked(make: Callable[[], Index]) -> None:
    given = world(2, 20)
    rows = np.array([17, 3, 9, 4])
    expected = [[pair for pair in found if pair[0] in rows] for found in given.answer(1000)]
    assert lists(filled(make(), given).scores(Embeddings(given.queries), rows)) == expected


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int32])
def test_add_other_number_types_are_the_same_numbers(
    make: Callable[[], Index], dtype: type
) -> None:
    given = world(3, 20)
    index = make()
    index.add(Embeddings(given.items.astype(dtype)), given.groups())
    assert lists(index.search(Embeddings(given.queries.astype(dtype)), 5, "b")) == given.answer(
        5, "b"
    )


def test_refusals_say_what_was_wrong_and_leave_the_index_as_it_was(
    make: Callable[[], Index],
) -> None:
    given = world(4, 12)
    index, wide = filled(make(), given), given.items.shape[1]
    with pytest.raises(DataError, match=f"{wide} dimensions, got {wide + 1}"):
        index.add(Embeddings(np.zeros((1, wide + 1), np.float32)))
    with pytest.raises(DataError, match=f"{wide} dimensions, got {wide + 1}"):
        index.search(Embeddings(np.zeros((1, wide + 1), np.float32)), 1)
    with pytest.raises(DataError, match="'b' labels 12 items, 1 are added"):
        index.add(Embeddings(given.items[:1]), given.groups())
    with pytest.raises(DataError, match="no labels of 'age'"):
        index.search(Embeddings(given.queries), 1, "age")
    with pytest.raises(DataError, match="no row 12"):
        index.scores(Embeddings(given.queries), np.array([0, 12]))
    with pytest.raises(UsageError, match="depth got 0"):
        index.search(Embeddings(given.queries), 0)
    with pytest.raises(DataError, match="items, dimensions"):
        index.add(Embeddings(np.zeros(3, np.float32)))
    assert len(index) == 12
    assert lists(index.search(Embeddings(given.queries), 5, "a")) == given.answer(5, "a")


def test_search_agrees_with_exact_on_real_numbers(make: Callable[[], Index]) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((400, 24)).astype(np.float32)
    vectors = (
        (vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        .astype(np.float16)
        .astype(np.float32)
    )  # as half precision has them
    codes = {"a": rng.choice([0, 1, 2, UNKNOWN], 400, p=[0.7, 0.2, 0.05, 0.05])}
    given, peer = World(vectors, vectors[:10] + np.float32(0.1), codes), Exact()
    index = filled(make(), given)
    filled(peer, given)
    for attribute in (None, "a"):
        found, truth = (i.search(Embeddings(given.queries), 11, attribute) for i in (index, peer))
        assert found.offsets.tolist() == truth.offsets.tolist()
        assert np.abs(found.scores - truth.scores).max() < 1e-6
        assert (found.rows == truth.rows).mean() > 0.99, (
            "rows of scores that differ in their last bit may change places, others not"
        )


@pytest.mark.parametrize("make", KEPT, ids=KEPT.values(), indirect=True)
@pytest.mark.parametrize("kept", [1, 7])
def test_kept_index_is_found_again_by_its_owner_only_and_grows(
    make: Callable[[], Index], tmp_path: Path, kept: int
) -> None:
    given = world(5, 20)
    index = make()
    assert isinstance(index, KeptIndex)
    place = tmp_path / "kept"
    assert index.open(place, "mine") == 0
    for rows in (slice(0, kept), slice(kept, 20)):
        index.add(Embeddings(given.items[rows]), given.groups(rows))
        index.keep(place, "mine")
        index = make()
        assert isinstance(index, KeptIndex)
        assert index.open(place, "mine") == len(index) == rows.stop
    assert lists(index.search(Embeddings(given.queries), 3, "a")) == given.answer(3, "a")
    stranger = make()
    assert isinstance(stranger, KeptIndex)
    with pytest.raises(FairleadError, match="another owner"):
        stranger.open(place, "yours")


@pytest.mark.parametrize("text", LATE)
def test_late_interaction_equals_maxsim_by_hand(text: str) -> None:
    rng = np.random.default_rng(1)
    sizes, asked = rng.integers(1, 6, 40), rng.integers(1, 4, 5)
    items, queries = (rng.integers(-2, 3, (n.sum(), 3)).astype(np.float32) for n in (sizes, asked))
    parts, tokens = np.split(items, np.cumsum(sizes)[:-1]), np.split(queries, np.cumsum(asked)[:-1])
    scores = [
        [sum(max(float(t @ v) for v in part) for t in token) for part in parts] for token in tokens
    ]
    codes = rng.integers(NOT_APPLICABLE, 3, 40)
    index = registry.make("index", text)
    for a, b in ((0, 15), (15, 40)):
        cut = np.concatenate([[0], np.cumsum(sizes[a:b])])
        index.add(
            Embeddings(np.concatenate(parts[a:b]), cut), {"a": Groups("a", NAMES, codes=codes[a:b])}
        )
    found = index.search(Embeddings(queries, np.concatenate([[0], np.cumsum(asked)])), 4, "a")
    for row, one in zip(lists(found), scores, strict=True):
        best = [
            r
            for g in set(codes.tolist()) - {NOT_APPLICABLE}
            for r in sorted(np.flatnonzero(codes == g), key=lambda r: (-one[r], r))[:4]
        ]
        assert row == [(r, one[r]) for r in sorted(best, key=lambda r: (-one[r], r))]
    getattr(index, "close", lambda: None)()
