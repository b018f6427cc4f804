"""Laws that every index keeps, one function each; a broken law raises AssertionError.

A plug-in's test says how a fresh, empty index is made, and calls ``all_laws``; with ``kept_laws``
for an index that outlives the process, and ``late_laws`` for one that takes many vectors an item.
The data are small whole numbers, so that scores are exact and many of them equal, and the truth is
a sort in plain Python.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError, FairleadError, UsageError
from fairlead.indexes.exact import Exact
from fairlead.protocols import Index, KeptIndex
from fairlead.protocols.registry import make as made_of
from fairlead.protocols.spec import Configured
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Embeddings, Groups, Ranking
from fairlead.types.ragged import Array

Make = Callable[[], Any]
"""Makes an empty index; all of them at the same address, where it has one."""
NAMES = ("x", "y", "z")
TOLERANCE = 1e-6
_SEEDS = range(3)
# A depth beyond the size of every small collection.
_ALL = 1_000


@dataclass(frozen=True, eq=False)
class Shelves:
    """Small data, and the answer by a sort.

    Attributes:
        items: (items, dimensions).
        queries: (queries, dimensions).
        codes: (items,) group numbers of each attribute.
    """

    items: Array
    queries: Array
    codes: dict[str, Array]

    def groups(self, rows: slice = slice(None)) -> dict[str, Groups]:
        """The labels of some items."""
        return {name: Groups(name, NAMES, codes=codes[rows]) for name, codes in self.codes.items()}

    def answer(self, depth: int, per_group: str | None = None) -> list[list[tuple[int, float]]]:
        """The best rows of each query, or of each group of each query, with their scores."""
        codes = [0] * len(self.items) if per_group is None else self.codes[per_group].tolist()
        answers = []
        for query in self.queries.tolist():
            scores = [
                sum(a * b for a, b in zip(query, item, strict=True)) for item in self.items.tolist()
            ]
            answers.append(best_of(scores, codes, depth))
        return answers


def best_of(scores: list[float], codes: list[int], depth: int) -> list[tuple[int, float]]:
    """The best ``depth`` rows of each group by falling score, then by row, in plain Python.

    Items to which an attribute does not apply are left out.
    """
    best: list[int] = []
    for group in set(codes) - {NOT_APPLICABLE}:
        rows = [row for row, code in enumerate(codes) if code == group]
        best += sorted(rows, key=lambda row: (-scores[row], row))[:depth]
    return [(row, float(scores[row])) for row in sorted(best, key=lambda r: (-scores[r], r))]


def shelves(seed: int, size: int | None = None) -> Shelves:
    """Whole numbers from -2 to 2; one attribute has unknown items, one has rare groups."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60)) if size is None else size
    dimensions = int(rng.integers(1, 5))
    a = rng.integers(NOT_APPLICABLE, len(NAMES), count)
    b = rng.choice([0, 0, 0, 0, 1, UNKNOWN], count)
    items = rng.integers(-2, 3, (count, dimensions)).astype(np.float32)
    queries = rng.integers(-2, 3, (5, dimensions)).astype(np.float32)
    return Shelves(items, queries, {"b": b, "a": a})


def all_laws(make: Make) -> None:
    """Every law below that holds for any index."""
    has_a_text_form(make)
    for seed in _SEEDS:
        search_is_a_sort(make, seed)
        groups_are_searched_each(make, seed)
        batch_is_one_by_one(make, seed)
        parts_are_the_whole(make, seed)
    equal_scores_stand_by_row(make)
    labels_are_joined_by_name(make)
    soft_labels_count_as_their_largest(make)
    nothing_finds_nothing(make)
    given_rows_are_scored(make)
    number_types_are_the_same_numbers(make)
    arguments_stay(make)
    refuses_and_stays_as_it_was(make)
    agrees_with_exact(make)


def kept_laws(make: Make, place: Path) -> None:
    """What an index promises that outlives the process; ``place`` is a folder that does not exist
    yet.
    """
    for size in (1, 7):
        is_found_again_and_grows(make, place / str(size), size)
    is_gone_when_dropped(make, place / "dropped")


def late_laws(make: Make) -> None:
    """What an index promises that takes many vectors per item."""
    late_interaction_is_maxsim(make)


def has_a_text_form(make: Make) -> None:
    """The text form builds an equal, equally hashed index; a copy is equal too."""
    with _opened(make) as index:
        if isinstance(index, Configured):
            again = made_of("index", str(index))
            same = again == index and hash(again) == hash(index)
            assert same, f"{index} reads back as {again}"
        assert copy.copy(index) == index
        assert str(index)


def search_is_a_sort(make: Make, seed: int = 0) -> None:
    """The best rows are those of a sort by falling score, equal scores by row, to any depth."""
    data = shelves(seed)
    with _filled(make, data) as index:
        assert len(index) == len(data.items)
        for depth in (1, 3, len(data.items), _ALL):
            assert _lists(index.search(Embeddings(data.queries), depth)) == data.answer(depth)


def groups_are_searched_each(make: Make, seed: int = 0) -> None:
    """A search per group is the union of the best of each group, unknown being one.

    Items to which the attribute does not apply are left out.
    """
    data = shelves(seed)
    with _filled(make, data) as index:
        for attribute in data.codes:
            for depth in (1, 4, _ALL):
                result = index.search(Embeddings(data.queries), depth, attribute)
                assert _lists(result) == data.answer(depth, attribute)


def batch_is_one_by_one(make: Make, seed: int = 0) -> None:
    """The result of a query does not depend on the other queries."""
    data = shelves(seed)
    with _filled(make, data) as index:
        for attribute in (None, "a"):
            together = _lists(index.search(Embeddings(data.queries), 3, attribute))
            alone = [index.search(Embeddings(q[None]), 3, attribute) for q in data.queries]
            assert together == [_lists(one)[0] for one in alone]


def parts_are_the_whole(make: Make, seed: int = 0) -> None:
    """Rows added in parts, with searches in between, are found as if added at once."""
    data = shelves(seed, 30)
    with _opened(make) as index:
        for rows in (slice(0, 4), slice(4, 5), slice(5, 30)):
            index.add(Embeddings(data.items[rows]), data.groups(rows))
            index.search(Embeddings(data.queries), 2, "a")
        result = index.search(Embeddings(data.queries), 3, "a")
        assert _lists(result) == data.answer(3, "a")


def equal_scores_stand_by_row(make: Make) -> None:
    """Among many equal scores the first rows win, over all and in each group."""
    ones = np.ones((300, 2), np.float32)
    codes = {"a": np.arange(300) % 2}
    data = Shelves(ones, ones[:2], codes | {"b": np.zeros(300, np.int64)})
    with _filled(make, data) as index:
        for attribute in (None, "a"):
            result = index.search(Embeddings(data.queries), 7, attribute)
            assert _lists(result) == data.answer(7, attribute)


def labels_are_joined_by_name(make: Make) -> None:
    """Later labels, or groups in another order, are joined by name.

    Rows added without labels are unknown.
    """
    eye = np.eye(3, dtype=np.float32)
    with _opened(make) as index:
        index.add(Embeddings(eye))
        index.add(Embeddings(eye), {"a": Groups.of("a", ["p", "q", None])})
        other = Groups.of("a", ["q", "r", "p"], names=["r", "q", "p"])
        index.add(Embeddings(eye), {"a": other})
        codes = {"a": np.array([-1, -1, -1, 0, 1, -1, 1, 2, 0])}
        data = Shelves(np.tile(eye, (3, 1)), np.array([[3, 2, 1]], np.float32), codes)
        assert _lists(index.search(Embeddings(data.queries), 1, "a")) == data.answer(1, "a")


def soft_labels_count_as_their_largest(make: Make) -> None:
    """A row belongs to the group of its largest share, the unknown mass being one."""
    soft = np.array([[0.6, 0.3], [0.2, 0.3], [0.0, 0.0], [0.1, 0.9]])
    absent = np.array([False, False, True, False])
    labels = Groups("a", ("x", "y"), soft=soft, not_applicable=absent)
    with _opened(make) as index:
        index.add(Embeddings(np.ones((4, 2), np.float32)), {"a": labels})
        result = index.search(Embeddings(np.ones((1, 2), np.float32)), 9, "a")
        assert result.rows.tolist() == [0, 1, 3]


def nothing_finds_nothing(make: Make) -> None:
    """An empty index finds nothing; no queries give an empty ranking."""
    with _opened(make) as index:
        assert len(index) == 0
        result = index.search(Embeddings(np.ones((2, 3), np.float32)), 5)
        assert (len(result), len(result.rows)) == (2, 0)
    data = shelves(1, 9)
    with _filled(make, data) as index:
        assert len(index.search(Embeddings(data.queries[:0]), 5)) == 0


def given_rows_are_scored(make: Make) -> None:
    """Only the rows that are named are scored and ranked."""
    data, rows = shelves(2, 20), np.array([17, 3, 9, 4])
    expected = [[pair for pair in best if pair[0] in rows] for best in data.answer(_ALL)]
    with _filled(make, data) as index:
        assert _lists(index.scores(Embeddings(data.queries), rows)) == expected


def number_types_are_the_same_numbers(make: Make) -> None:
    """Vectors of another type are the same numbers."""
    data = shelves(3, 20)
    for dtype in (np.float16, np.float64, np.int32):
        with _opened(make) as index:
            index.add(Embeddings(data.items.astype(dtype)), data.groups())
            result = index.search(Embeddings(data.queries.astype(dtype)), 5, "b")
            assert _lists(result) == data.answer(5, "b")


def arguments_stay(make: Make) -> None:
    """Arguments are not written into."""
    data = shelves(4, 12)
    before = data.items.tobytes(), data.queries.tobytes(), data.codes["a"].tobytes()
    with _filled(make, data) as index:
        index.search(Embeddings(data.queries), 3, "a")
        index.scores(Embeddings(data.queries), np.arange(3))
    assert before == (data.items.tobytes(), data.queries.tobytes(), data.codes["a"].tobytes())


def refuses_and_stays_as_it_was(make: Make) -> None:
    """A wrong call is refused with the numbers in the message, and changes nothing."""
    data = shelves(4, 12)
    wide, ask = data.items.shape[1], Embeddings(data.queries)
    wider = Embeddings(np.zeros((1, wide + 1), np.float32))
    with _filled(make, data) as index:
        for kind, words, act in (
            (DataError, f"{wide} dimensions, got {wide + 1}", lambda: index.add(wider)),
            (DataError, f"{wide} dimensions, got {wide + 1}", lambda: index.search(wider, 1)),
            (
                DataError,
                "'b' labels 12 items, 1 are added",
                lambda: index.add(Embeddings(data.items[:1]), data.groups()),
            ),
            (DataError, "no labels of 'age'", lambda: index.search(ask, 1, "age")),
            (DataError, "no row 12", lambda: index.scores(ask, np.array([0, 12]))),
            (UsageError, "depth got 0", lambda: index.search(ask, 0)),
            (
                DataError,
                "items, dimensions",
                lambda: index.add(Embeddings(np.zeros(3, np.float32))),
            ),
        ):
            _refused(kind, words, act)
        assert len(index) == 12
        assert _lists(index.search(ask, 5, "a")) == data.answer(5, "a")


def agrees_with_exact(make: Make) -> None:
    """On real numbers it finds what ``exact`` finds, with scores equal to the last bits.

    An approximate index must find all of a few hundred rows.
    """
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((400, 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # numbers that half precision can hold
    vectors = vectors.astype(np.float16).astype(np.float32)
    codes = {"a": rng.choice([0, 1, 2, UNKNOWN], 400, p=[0.7, 0.2, 0.05, 0.05])}
    data = Shelves(vectors, vectors[:10] + np.float32(0.1), codes)
    peer = Exact()
    peer.add(Embeddings(data.items), data.groups())
    with _filled(make, data) as index:
        for attribute in (None, "a"):
            queries = Embeddings(data.queries)
            result, truth = (one.search(queries, 11, attribute) for one in (index, peer))
            assert result.offsets.tolist() == truth.offsets.tolist()
            assert np.abs(result.scores - truth.scores).max() < TOLERANCE
            # rows of scores that differ in their last bit may change places, others not
            assert (result.rows == truth.rows).mean() > 0.99


def is_found_again_and_grows(make: Make, place: Path, kept: int) -> None:
    """A kept index is found again by its owner only, and can grow."""
    data = shelves(5, 20)
    with _opened(make) as index:
        assert isinstance(index, KeptIndex)
        assert index.open(place, "mine") == 0
        first = index
        for rows in (slice(0, kept), slice(kept, 20)):
            first.add(Embeddings(data.items[rows]), data.groups(rows))
            first.keep(place, "mine")
            _close(first)
            first = make()
            assert first.open(place, "mine") == len(first) == rows.stop
        result = first.search(Embeddings(data.queries), 3, "a")
        assert _lists(result) == data.answer(3, "a")
        _close(first)
    with _opened(make) as stranger:
        _refused(FairleadError, "another owner", lambda: stranger.open(place, "yours"))
        _refused(FairleadError, "another owner", lambda: stranger.drop(place, "yours"))
    with _opened(make) as index:
        index.drop(place, "mine")


def is_gone_when_dropped(make: Make, place: Path) -> None:
    """A dropped index is not found again, and none of its vectors is left in a file.

    Its place is free; dropping nothing does nothing.
    """
    # numbers whose bytes are in no file by chance, as those of small whole numbers would be
    data = Shelves(np.arange(24, dtype=np.float32).reshape(6, 4) + 0.25, np.ones((1, 4)), {})
    with _opened(make) as index:
        index.drop(place, "mine")
        assert index.open(place, "mine") == 0
        index.add(Embeddings(data.items))
        index.keep(place, "mine")
    with _opened(make) as index:
        index.drop(place, "mine")
        assert index.open(place, "mine") == 0 and len(index) == 0
        row = data.items[2].tobytes()
        files = [file for file in place.rglob("*") if file.is_file()]
        assert not any(row in file.read_bytes() for file in files)
        index.add(Embeddings(data.items[:2]))
        index.keep(place, "yours")
    with _opened(make) as index:
        assert index.open(place, "yours") == 2
        index.drop(place, "yours")


def late_interaction_is_maxsim(make: Make) -> None:
    """A score adds, over the query's vectors, the best inner product with the item's."""
    rng = np.random.default_rng(1)
    sizes, query_sizes = rng.integers(1, 6, 40), rng.integers(1, 4, 5)
    items, queries = (
        rng.integers(-2, 3, (n.sum(), 3)).astype(np.float32) for n in (sizes, query_sizes)
    )
    parts = np.split(items, np.cumsum(sizes)[:-1])
    tokens = np.split(queries, np.cumsum(query_sizes)[:-1])
    codes = rng.integers(NOT_APPLICABLE, 3, 40)
    with _opened(make) as index:
        for a, b in ((0, 15), (15, 40)):
            cut = np.concatenate([[0], np.cumsum(sizes[a:b])])
            labels = {"a": Groups("a", NAMES, codes=codes[a:b])}
            index.add(Embeddings(np.concatenate(parts[a:b]), cut), labels)
        cuts = np.concatenate([[0], np.cumsum(query_sizes)])
        results = _lists(index.search(Embeddings(queries, cuts), 4, "a"))
    for row, token in zip(results, tokens, strict=True):
        scores = [sum(max(float(t @ v) for v in part) for t in token) for part in parts]
        assert row == best_of(scores, codes.tolist(), 4)


@contextmanager
def _opened(make: Make) -> Iterator[Any]:
    """An empty index, closed at the end if it can be closed."""
    index: Index = make()
    try:
        yield index
    finally:
        _close(index)


@contextmanager
def _filled(make: Make, data: Shelves) -> Iterator[Any]:
    with _opened(make) as index:
        index.add(Embeddings(data.items), data.groups())
        yield index


def _close(index: Any) -> None:
    # no protocol asks for it: only what holds a connection can be closed
    getattr(index, "close", lambda: None)()


def _refused(kind: type[Exception], words: str, act: Callable[[], object]) -> None:
    message = None
    try:
        act()
    except kind as error:
        # looked at below: within the try, what the law asserts could be taken for a refusal
        message = str(error)
    assert message is not None, f"this must be refused: {words}"
    assert words in message, f"'{message}' does not say: {words}"


def _lists(ranking: Ranking) -> list[list[tuple[int, float]]]:
    """Rows with their scores, query by query."""
    cuts = ranking.offsets[1:-1]
    parts = zip(np.split(ranking.rows, cuts), np.split(ranking.scores, cuts), strict=True)
    return [list(zip(r.tolist(), s.tolist(), strict=True)) for r, s in parts]
