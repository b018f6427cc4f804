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
# A depth beyond every small collection.
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
    """The best ``depth`` rows of each group by falling score, equal scores by row, in plain Python;
    what an attribute does not apply to is left out.
    """
    best: list[int] = []
    for group in set(codes) - {NOT_APPLICABLE}:
        rows = [row for row, code in enumerate(codes) if code == group]
        best += sorted(rows, key=lambda row: (-scores[row], row))[:depth]
    return [(row, float(scores[row])) for row in sorted(best, key=lambda r: (-scores[r], r))]


def shelves(seed: int, size: int | None = None) -> Shelves:
    """Whole numbers from -2 to 2; one attribute with unknown and not applicable, one with rare
    groups.
    """
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
    """What an index promises that outlives the process; ``place`` is a folder that is not there."""
    for kept in (1, 7):
        is_found_again_and_grows(make, place / str(kept), kept)
    is_gone_when_dropped(make, place / "dropped")


def late_laws(make: Make) -> None:
    """What an index promises that takes many vectors an item."""
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
    given = shelves(seed)
    with _filled(make, given) as index:
        assert len(index) == len(given.items)
        for depth in (1, 3, len(given.items), _ALL):
            assert _lists(index.search(Embeddings(given.queries), depth)) == given.answer(depth)


def groups_are_searched_each(make: Make, seed: int = 0) -> None:
    """A search per group is the union of the best of each: unknown is a group of its own, and what
    the attribute does not apply to is left out.
    """
    given = shelves(seed)
    with _filled(make, given) as index:
        for attribute in given.codes:
            for depth in (1, 4, _ALL):
                found = index.search(Embeddings(given.queries), depth, attribute)
                assert _lists(found) == given.answer(depth, attribute)


def batch_is_one_by_one(make: Make, seed: int = 0) -> None:
    """What is found for a query does not depend on what is asked with it."""
    given = shelves(seed)
    with _filled(make, given) as index:
        for attribute in (None, "a"):
            together = _lists(index.search(Embeddings(given.queries), 3, attribute))
            alone = [index.search(Embeddings(q[None]), 3, attribute) for q in given.queries]
            assert together == [_lists(one)[0] for one in alone]


def parts_are_the_whole(make: Make, seed: int = 0) -> None:
    """Rows that are added in parts, with searches between, are found as if added at once."""
    given = shelves(seed, 30)
    with _opened(make) as index:
        for rows in (slice(0, 4), slice(4, 5), slice(5, 30)):
            index.add(Embeddings(given.items[rows]), given.groups(rows))
            index.search(Embeddings(given.queries), 2, "a")
        found = index.search(Embeddings(given.queries), 3, "a")
        assert _lists(found) == given.answer(3, "a")


def equal_scores_stand_by_row(make: Make) -> None:
    """Of many equal scores the first rows are found, in all and of each group."""
    ones = np.ones((300, 2), np.float32)
    codes = {"a": np.arange(300) % 2}
    given = Shelves(ones, ones[:2], codes | {"b": np.zeros(300, np.int64)})
    with _filled(make, given) as index:
        for attribute in (None, "a"):
            found = index.search(Embeddings(given.queries), 7, attribute)
            assert _lists(found) == given.answer(7, attribute)


def labels_are_joined_by_name(make: Make) -> None:
    """Labels that come later, or with their groups in another order, are joined by name; rows added
    without labels are unknown.
    """
    eye = np.eye(3, dtype=np.float32)
    with _opened(make) as index:
        index.add(Embeddings(eye))
        index.add(Embeddings(eye), {"a": Groups.of("a", ["p", "q", None])})
        other = Groups.of("a", ["q", "r", "p"], names=["r", "q", "p"])
        index.add(Embeddings(eye), {"a": other})
        codes = {"a": np.array([-1, -1, -1, 0, 1, -1, 1, 2, 0])}
        given = Shelves(np.tile(eye, (3, 1)), np.array([[3, 2, 1]], np.float32), codes)
        assert _lists(index.search(Embeddings(given.queries), 1, "a")) == given.answer(1, "a")


def soft_labels_count_as_their_largest(make: Make) -> None:
    """A row is fetched with the group of its largest share, the unknown mass being one of them."""
    soft = np.array([[0.6, 0.3], [0.2, 0.3], [0.0, 0.0], [0.1, 0.9]])
    absent = np.array([False, False, True, False])
    labels = Groups("a", ("x", "y"), soft=soft, not_applicable=absent)
    with _opened(make) as index:
        index.add(Embeddings(np.ones((4, 2), np.float32)), {"a": labels})
        found = index.search(Embeddings(np.ones((1, 2), np.float32)), 9, "a")
        assert found.rows.tolist() == [0, 1, 3]


def nothing_finds_nothing(make: Make) -> None:
    """An empty index finds nothing; no queries give an empty ranking."""
    with _opened(make) as index:
        assert len(index) == 0
        found = index.search(Embeddings(np.ones((2, 3), np.float32)), 5)
        assert (len(found), len(found.rows)) == (2, 0)
    given = shelves(1, 9)
    with _filled(make, given) as index:
        assert len(index.search(Embeddings(given.queries[:0]), 5)) == 0


def given_rows_are_scored(make: Make) -> None:
    """Rows that are named are scored and ranked, and no others."""
    given, rows = shelves(2, 20), np.array([17, 3, 9, 4])
    expected = [[pair for pair in found if pair[0] in rows] for found in given.answer(_ALL)]
    with _filled(make, given) as index:
        assert _lists(index.scores(Embeddings(given.queries), rows)) == expected


def number_types_are_the_same_numbers(make: Make) -> None:
    """Vectors of another type are the same numbers."""
    given = shelves(3, 20)
    for dtype in (np.float16, np.float64, np.int32):
        with _opened(make) as index:
            index.add(Embeddings(given.items.astype(dtype)), given.groups())
            found = index.search(Embeddings(given.queries.astype(dtype)), 5, "b")
            assert _lists(found) == given.answer(5, "b")


def arguments_stay(make: Make) -> None:
    """What is handed over is not written into."""
    given = shelves(4, 12)
    before = given.items.tobytes(), given.queries.tobytes(), given.codes["a"].tobytes()
    with _filled(make, given) as index:
        index.search(Embeddings(given.queries), 3, "a")
        index.scores(Embeddings(given.queries), np.arange(3))
    assert before == (given.items.tobytes(), given.queries.tobytes(), given.codes["a"].tobytes())


def refuses_and_stays_as_it_was(make: Make) -> None:
    """What cannot be added or asked is refused with the numbers in it, and changes nothing."""
    given = shelves(4, 12)
    wide, ask = given.items.shape[1], Embeddings(given.queries)
    wider = Embeddings(np.zeros((1, wide + 1), np.float32))
    with _filled(make, given) as index:
        for kind, words, act in (
            (DataError, f"{wide} dimensions, got {wide + 1}", lambda: index.add(wider)),
            (DataError, f"{wide} dimensions, got {wide + 1}", lambda: index.search(wider, 1)),
            (
                DataError,
                "'b' labels 12 items, 1 are added",
                lambda: index.add(Embeddings(given.items[:1]), given.groups()),
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
        assert _lists(index.search(ask, 5, "a")) == given.answer(5, "a")


def agrees_with_exact(make: Make) -> None:
    """On real numbers it finds what ``exact`` finds, with scores that agree to the last bits; an
    approximate index must find all of a few hundred rows.
    """
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((400, 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors.astype(np.float16).astype(np.float32)  # as half precision has them
    codes = {"a": rng.choice([0, 1, 2, UNKNOWN], 400, p=[0.7, 0.2, 0.05, 0.05])}
    given = Shelves(vectors, vectors[:10] + np.float32(0.1), codes)
    peer = Exact()
    peer.add(Embeddings(given.items), given.groups())
    with _filled(make, given) as index:
        for attribute in (None, "a"):
            asked = Embeddings(given.queries)
            found, truth = (one.search(asked, 11, attribute) for one in (index, peer))
            assert found.offsets.tolist() == truth.offsets.tolist()
            assert np.abs(found.scores - truth.scores).max() < TOLERANCE
            # rows of scores that differ in their last bit may change places, others not
            assert (found.rows == truth.rows).mean() > 0.99


def is_found_again_and_grows(make: Make, place: Path, kept: int) -> None:
    """What is kept is found again by its owner alone, and can be added to."""
    given = shelves(5, 20)
    with _opened(make) as index:
        assert isinstance(index, KeptIndex)
        assert index.open(place, "mine") == 0
        first = index
        for rows in (slice(0, kept), slice(kept, 20)):
            first.add(Embeddings(given.items[rows]), given.groups(rows))
            first.keep(place, "mine")
            _close(first)
            first = make()
            assert first.open(place, "mine") == len(first) == rows.stop
        found = first.search(Embeddings(given.queries), 3, "a")
        assert _lists(found) == given.answer(3, "a")
        _close(first)
    with _opened(make) as stranger:
        _refused(FairleadError, "another owner", lambda: stranger.open(place, "yours"))
        _refused(FairleadError, "another owner", lambda: stranger.drop(place, "yours"))
    with _opened(make) as index:
        index.drop(place, "mine")


def is_gone_when_dropped(make: Make, place: Path) -> None:
    """What is dropped is not found again, its vectors are in none of its files, and its place is
    free; where nothing is kept, nothing happens.
    """
    given = Shelves(np.arange(24, dtype=np.float32).reshape(6, 4) + 0.25, np.ones((1, 4)), {})
    with _opened(make) as index:
        index.drop(place, "mine")
        assert index.open(place, "mine") == 0
        index.add(Embeddings(given.items))
        index.keep(place, "mine")
    with _opened(make) as index:
        index.drop(place, "mine")
        assert index.open(place, "mine") == 0 and len(index) == 0
        row = given.items[2].tobytes()
        files = [file for file in place.rglob("*") if file.is_file()]
        assert not any(row in file.read_bytes() for file in files)
        index.add(Embeddings(given.items[:2]))
        index.keep(place, "yours")
    with _opened(make) as index:
        assert index.open(place, "yours") == 2
        index.drop(place, "yours")


def late_interaction_is_maxsim(make: Make) -> None:
    """Many vectors an item score by the sum, over the vectors of the query, of the best of the
    item.
    """
    rng = np.random.default_rng(1)
    sizes, asked = rng.integers(1, 6, 40), rng.integers(1, 4, 5)
    items, queries = (rng.integers(-2, 3, (n.sum(), 3)).astype(np.float32) for n in (sizes, asked))
    parts = np.split(items, np.cumsum(sizes)[:-1])
    tokens = np.split(queries, np.cumsum(asked)[:-1])
    codes = rng.integers(NOT_APPLICABLE, 3, 40)
    with _opened(make) as index:
        for a, b in ((0, 15), (15, 40)):
            cut = np.concatenate([[0], np.cumsum(sizes[a:b])])
            labels = {"a": Groups("a", NAMES, codes=codes[a:b])}
            index.add(Embeddings(np.concatenate(parts[a:b]), cut), labels)
        cuts = np.concatenate([[0], np.cumsum(asked)])
        found = _lists(index.search(Embeddings(queries, cuts), 4, "a"))
    for row, token in zip(found, tokens, strict=True):
        scores = [sum(max(float(t @ v) for v in part) for t in token) for part in parts]
        assert row == best_of(scores, codes.tolist(), 4)


@contextmanager
def _opened(make: Make) -> Iterator[Any]:
    """An empty index, closed at the end where it can be."""
    index: Index = make()
    try:
        yield index
    finally:
        _close(index)


@contextmanager
def _filled(make: Make, given: Shelves) -> Iterator[Any]:
    with _opened(make) as index:
        index.add(Embeddings(given.items), given.groups())
        yield index


def _close(index: Any) -> None:
    getattr(index, "close", lambda: None)()


def _refused(kind: type[Exception], words: str, act: Callable[[], object]) -> None:
    message = None
    try:
        act()
    except kind as error:
        message = str(error)
    assert message is not None, f"this must be refused: {words}"
    assert words in message, f"'{message}' does not say: {words}"


def _lists(ranking: Ranking) -> list[list[tuple[int, float]]]:
    """Rows with their scores, query by query."""
    cuts = ranking.offsets[1:-1]
    parts = zip(np.split(ranking.rows, cuts), np.split(ranking.scores, cuts), strict=True)
    return [list(zip(r.tolist(), s.tolist(), strict=True)) for r, s in parts]
