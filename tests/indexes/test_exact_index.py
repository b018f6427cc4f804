"""What ``exact`` promises beyond the laws: the same bits whatever the batch, the parts and the
blocks; nothing copied that is mapped.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fairlead.errors import DataError
from fairlead.indexes import selection
from fairlead.indexes.exact import Exact
from fairlead.indexes.selection import keys, rows_of, scores_of
from fairlead.indexes.vectors import widened
from fairlead.types import Embeddings, Groups, Ranking

NAMES = tuple("abcdefgh")


def unit(rng: np.random.Generator, size: int, dimensions: int = 96) -> np.ndarray:
    vectors = rng.standard_normal((size, dimensions)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def built(*parts: np.ndarray, codes: np.ndarray | None = None) -> Exact:
    index, at = Exact(), 0
    for part in parts:
        labels = (
            None if codes is None else {"g": Groups("g", NAMES, codes=codes[at : at + len(part)])}
        )
        index.add(Embeddings(part), labels)
        at += len(part)
    return index


def same(a: Ranking, b: Ranking) -> bool:
    return (
        a.offsets.tolist() == b.offsets.tolist()
        and a.rows.tolist() == b.rows.tolist()
        and a.scores.tobytes() == b.scores.tobytes()
    )


@pytest.fixture(scope="module")
def large() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors, queries and codes: enough that nearly all scores are dropped unseen."""
    rng = np.random.default_rng(0)
    vectors = unit(rng, 12_000)
    vectors[7_000:7_400] = vectors[100:500]  # ties
    return (
        vectors,
        unit(rng, 37),
        rng.choice(10, 12_000, p=[0.5, 0.2, 0.1, 0.08, 0.05, 0.03, 0.01, 0.01, 0.01, 0.01]) - 2,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("per_group", [None, "g"])
def test_search_large_data_equals_a_sort_of_double_sums_rounded_once(
    large, dtype, per_group
) -> None:
    vectors, queries, codes = large
    vectors = vectors.astype(dtype)
    found = built(vectors, codes=codes).search(Embeddings(queries), 20, per_group)
    scores = (
        (queries[:, None, :].astype(np.float64) * vectors.astype(np.float64))
        .sum(2)
        .astype(np.float32)
    )
    for query, rows in enumerate(np.split(found.rows, found.offsets[1:-1])):
        group = np.zeros(len(vectors), int) if per_group is None else codes
        best = [
            r
            for g in np.unique(group[group != -2])
            for r in sorted_rows(scores[query], np.flatnonzero(group == g))[:20]
        ]
        assert rows.tolist() == sorted_rows(scores[query], np.array(best))
    assert found.scores.tolist() == scores[found.query_of, found.rows].tolist()


def sorted_rows(scores: np.ndarray, rows: np.ndarray) -> list[int]:
    return rows[np.lexsort((rows, -scores[rows]))].tolist()


@pytest.mark.parametrize("depth", [10, 4_000])
def test_search_any_batch_any_parts_give_the_same_bits(large, depth: int) -> None:
    vectors, queries, codes = large
    whole = built(vectors, codes=codes)
    split = built(vectors[:1], vectors[1:4_321], vectors[4_321:], codes=codes)
    for per_group in (None, "g"):
        together = whole.search(Embeddings(queries), depth, per_group)
        assert same(together, split.search(Embeddings(queries), depth, per_group))
        for part in (slice(0, 1), slice(5, 6), slice(3, 20)):
            alone = split.search(Embeddings(queries[part]), depth, per_group)
            assert same(alone, together.select(np.arange(len(queries))[part]))


def test_scores_of_given_rows_are_those_of_a_search(large) -> None:
    vectors, queries, _ = large
    index = built(vectors)
    found = index.search(Embeddings(queries[:3]), 50).select(np.array([1]))
    assert same(found, index.scores(Embeddings(queries[1:2]), np.sort(found.rows)))


def test_search_nearly_equal_scores_beyond_all_room_starts_again_with_final_ones(
    monkeypatch,
) -> None:
    monkeypatch.setattr(selection, "_MANY", 1_000)
    monkeypatch.setattr(selection, "_FEW", 100)
    rng = np.random.default_rng(2)
    vectors = np.repeat(unit(rng, 3), 3_000, axis=0)
    found = built(vectors).search(Embeddings(vectors[::3_000]), 5)
    assert found.rows.reshape(3, 5).tolist() == [
        [3_000 * q + r for r in range(5)] for q in range(3)
    ]


def test_search_orthogonal_vectors_tie_at_zero_whatever_the_sign_of_zero() -> None:
    items = np.array([[0, 1], [0, -1], [-0.0, 1], [0, 2]], np.float32)
    found = built(items).search(Embeddings(np.array([[1, 0], [-1, 0]], np.float32)), 4)
    assert found.rows.tolist() == [0, 1, 2, 3] * 2
    assert not np.signbit(found.scores).any()


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_memory_mapped_vectors_are_searched_in_place(tmp_path: Path, dtype: type, large) -> None:
    vectors, queries, codes = large
    vectors.astype(dtype).tofile(tmp_path / "vectors.bin")
    mapped = np.memmap(tmp_path / "vectors.bin", dtype, "r").reshape(vectors.shape)
    index = built(mapped[:9_000], mapped[9_000:], codes=codes)
    assert all(np.shares_memory(part.vectors, mapped) for part in index._vectors._parts)
    assert same(
        index.search(Embeddings(queries), 9, "g"),
        built(vectors.astype(dtype), codes=codes).search(Embeddings(queries), 9, "g"),
    )


def test_late_interaction_any_batch_gives_the_same_bits_and_the_sum_of_the_largest() -> None:
    rng = np.random.default_rng(3)
    sizes, asked = rng.integers(1, 20, 3_000), rng.integers(1, 9, 6)
    items, queries = unit(rng, int(sizes.sum()), 32), unit(rng, int(asked.sum()), 32)
    cuts, starts = (np.concatenate([[0], np.cumsum(n)]) for n in (sizes, asked))
    index = Exact()
    index.add(Embeddings(items.astype(np.float16), cuts))
    together = index.search(Embeddings(queries, starts), 12)
    largest = np.maximum.reduceat(
        items.astype(np.float16).astype(np.float64) @ queries.T.astype(np.float64),
        cuts[:-1],
        axis=0,
    )
    truth = np.add.reduceat(largest, starts[:-1], axis=1).T
    assert together.rows.reshape(6, 12).tolist() == np.argsort(-truth, axis=1)[:, :12].tolist()
    assert np.abs(together.scores - truth[together.query_of, together.rows]).max() < 1e-6
    alone = index.search(Embeddings(queries[starts[2] : starts[3]], np.array([0, asked[2]])), 12)
    assert same(alone, together.select(np.array([2])))


def test_late_interaction_and_single_vectors_do_not_mix() -> None:
    index = built(np.ones((2, 3), np.float32))
    with pytest.raises(DataError, match="not both"):
        index.add(Embeddings(np.ones((2, 3), np.float32), np.array([0, 2])))
    with pytest.raises(DataError, match="at least one vector"):
        Exact().add(Embeddings(np.ones((2, 3), np.float32), np.array([0, 0, 2])))


@pytest.mark.parametrize(
    ("dtype", "wrong"),
    [(np.float32, np.nan), (np.float32, np.inf), (np.float16, np.inf), (np.float16, np.nan)],
)
def test_search_vectors_that_are_no_numbers_are_refused_by_row(dtype: type, wrong: float) -> None:
    vectors = np.ones((900, 4), dtype)
    vectors[700, 2] = wrong
    with pytest.raises(DataError, match="row 700"):
        built(vectors).search(Embeddings(np.ones((1, 4), np.float32)), 3)


def test_widened_every_finite_half_is_the_same_number() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)]
    assert (
        widened(finite, np.empty(len(finite), np.float32)).tobytes()
        == finite.astype(np.float32).tobytes()
    )


@settings(max_examples=200)
@given(
    hnp.arrays(np.float32, st.integers(1, 30), elements=st.floats(-(2.0**99), 2.0**99, width=32)),
    st.randoms(use_true_random=False),
)
def test_keys_sort_by_falling_score_then_row_and_give_both_back(scores: np.ndarray, random) -> None:
    scores = np.concatenate([scores, scores[:5]]) + np.float32(0)
    rows = np.array(random.sample(range(2**31 - 1), len(scores)))
    key = keys(scores, rows)
    assert (scores_of(key) == scores).all()
    assert (rows_of(key) == rows).all()
    assert np.argsort(key).tolist() == sorted(range(len(rows)), key=lambda i: (-scores[i], rows[i]))
