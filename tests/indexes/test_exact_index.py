"""The exact index against a sort in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.errors import DataError
from fairlead.indexes.exact import Exact
from fairlead.types import Embeddings, Groups

VECTORS = st.integers(1, 40).flatmap(lambda n: st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=n, max_size=n))


def built(vectors: list[tuple[int, int]], groups: Groups | None = None) -> Exact:
    index = Exact()
    index.add(Embeddings(np.array(vectors, np.float32)), groups)
    return index


@settings(max_examples=60, deadline=None)
@given(VECTORS, st.tuples(st.integers(-2, 2), st.integers(-2, 2)), st.integers(1, 50))
def test_search_equals_a_sort_by_score_then_row(vectors: list[tuple[int, int]], query: tuple[int, int], depth: int) -> None:
    found = built(vectors).search(Embeddings(np.array([query], np.float32)), depth)
    scores = [v[0] * query[0] + v[1] * query[1] for v in vectors]
    assert found.rows.tolist() == sorted(range(len(vectors)), key=lambda r: (-scores[r], r))[:depth]


@settings(max_examples=60, deadline=None)
@given(VECTORS, st.tuples(st.integers(-2, 2), st.integers(-2, 2)), st.integers(1, 10), st.randoms(use_true_random=False))
def test_per_group_search_is_the_union_of_each_groups_best(vectors, query, depth, random) -> None:
    codes = [random.choice([0, 1, 2, -1, -2]) for _ in vectors]
    found = built(vectors, Groups("g", ("a", "b", "c"), codes=np.array(codes))).search(
        Embeddings(np.array([query], np.float32)), depth, "g"
    )
    scores = [v[0] * query[0] + v[1] * query[1] for v in vectors]
    best = [r for g in (0, 1, 2, -1) for r in sorted((r for r, c in enumerate(codes) if c == g), key=lambda r: (-scores[r], r))[:depth]]
    assert found.rows.tolist() == sorted(best, key=lambda r: (-scores[r], r))


def test_given_rows_are_scored_and_ranked() -> None:
    found = built([(1, 0), (3, 0), (2, 0)]).scores(Embeddings(np.array([[1, 0], [-1, 0]], np.float32)), np.array([0, 2]))
    assert found.rows.tolist() == [2, 0, 0, 2]


def test_late_additions_are_found() -> None:
    index = built([(1, 0)])
    index.add(Embeddings(np.array([[5, 0]], np.float32)))
    assert index.search(Embeddings(np.array([[1, 0]], np.float32)), 1).rows.tolist() == [1]


def test_wrong_dimensions_and_unknown_labels_are_refused() -> None:
    index = built([(1, 0)])
    with pytest.raises(DataError, match="2 dimensions"):
        index.add(Embeddings(np.zeros((1, 3), np.float32)))
    with pytest.raises(DataError, match="no labels of 'gender'"):
        index.search(Embeddings(np.array([[1, 0]], np.float32)), 1, "gender")
