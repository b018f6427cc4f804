"""``exact``: exhaustive inner-product search, the standard for all others.

Where items have many vectors, it searches by MaxSim.

All rows are scored, block by block, by BLAS; a limit per query (and per group of the attribute
asked for) drops nearly all of them at once; what remains is scored again in a fixed order. So
scores and order are the same for a query alone, in a batch, and whatever else is in the
collection's blocks. Labels cost one comparison more, so the best of every group cost no more than
the best of all, for any attribute, without a copy of the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.indexes.labels import RowLabels, refuse_depth, refuse_other_sizes, refuse_rows
from fairlead.indexes.scoring import QueryVectors
from fairlead.indexes.selection import CELLS, Selection, by_cell, keys, places, rows_of, scores_of
from fairlead.indexes.vectors import Block, VectorParts
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import Embeddings, Groups, Ranking
from fairlead.types.ragged import Array, offsets_of

# Scores of a block: 2 MB, so that they are still in the cache when the best are selected.
_SCORES = 1 << 19
_ENTRIES, _SORTED = 1 << 22, 1 << 23
"""Entries that are kept, and that are sorted, at a time; more queries wait for their turn."""


@dataclass(frozen=True)
class Exact(Configured):
    """Scores all rows; ``per_group`` gives the best ``depth`` of each group, unknown being one."""

    name: ClassVar[str] = "exact"
    reaches: ClassVar[Reach] = Reach()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_vectors", VectorParts())
        object.__setattr__(self, "_labels", RowLabels())

    def __len__(self) -> int:
        return len(_vectors(self))

    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None:
        """Append vectors and their labels. Vectors are kept as given, without a copy where
        possible.
        """
        refuse_other_sizes(len(embeddings), groups or {})
        _vectors(self).append(embeddings)
        _labels(self).append(len(embeddings), groups)

    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking:
        """The best ``depth`` rows of each query, or of each group of each query."""
        refuse_depth(depth)
        return search(_vectors(self), queries, depth, _labels(self).cells_by(per_group))

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        query_vectors = QueryVectors.of(queries, _vectors(self).dimensions)
        rows_wanted = refuse_rows(rows, len(self))
        return ranked(query_vectors.precise(_vectors(self).gather(rows_wanted)).T, rows_wanted)


def search(
    vectors: VectorParts, queries: Embeddings, depth: int, cells: tuple[Array, int] | None = None
) -> Ranking:
    """The best rows of each query by (-score, row).

    Args:
        vectors: What is searched.
        queries: What is looked for.
        depth: How many of each group.
        cells: (rows,) the group number of each row, and how many groups there are; rows of that
            number are left out.
    """
    query_vectors = QueryVectors.of(queries, vectors.dimensions)
    groups = 1 if cells is None else cells[1]
    count = min(depth, len(vectors)) * groups
    if not len(vectors) or not len(query_vectors):
        return Ranking.of([[] for _ in range(len(query_vectors))])
    if 4 * count >= len(vectors):
        return _dense(vectors, query_vectors, depth, cells)
    step = min(CELLS // groups, _ENTRIES // count, 1024)
    return _joined([_selected(vectors, part, depth, cells) for part in _parts(query_vectors, step)])


def settled(
    query_vectors: QueryVectors,
    gather: Callable[[Array], Block],
    candidates: tuple[Array, Array, Array],
    depth: int,
    groups: int,
) -> Ranking:
    """The best of candidates by their final scores.

    Args:
        query_vectors: The queries.
        gather: Gives the vectors of rows.
        candidates: (entries,) query, group and row of each.
        depth: How many of each query and group.
        groups: How many groups there are.
    """
    query, group, rows = candidates
    # rows in rising order are read from memory in the order in which they lie
    order = by_cell(query, rows)
    query, group, rows = query[order], group[order], rows[order]
    key = np.empty(len(rows), np.uint64)
    starts = offsets_of(np.bincount(query, minlength=len(query_vectors)))
    for number in np.flatnonzero(np.diff(starts)).tolist():
        entries = slice(starts[number], starts[number + 1])
        key[entries] = keys(
            query_vectors.part(number, number + 1).precise(gather(rows[entries]))[:, 0],
            rows[entries],
        )
    cell = query.astype(np.int64) * groups + group
    cells = len(query_vectors) * groups
    narrow = cell
    # numbers of 16 bits are sorted without comparing
    if cells <= CELLS:
        narrow = cell.astype(np.uint16)
    order = by_cell(narrow, key)
    order = order[places(cell[order], cells)[1] < depth]
    query, key = query[order], key[order]
    return _ranking(np.bincount(query, minlength=len(query_vectors)), key[by_cell(query, key)])


def ranked(scores: Array, rows: Array) -> Ranking:
    """Scores (queries, rows) of the same rows for every query, each query's best first."""
    key = np.sort(keys(np.ascontiguousarray(scores), rows), axis=1)
    return _ranking(np.full(len(scores), len(rows)), key.ravel())


def _selected(
    vectors: VectorParts, query_vectors: QueryVectors, depth: int, cells: tuple[Array, int] | None
) -> Ranking:
    """A small part of many rows: BLAS and a limit name candidates, which are scored again."""
    groups = 1 if cells is None else cells[1]
    selection = Selection(len(query_vectors), groups, depth, query_vectors.slack)
    for block in vectors.blocks(_block_size(vectors, query_vectors)):
        groups_of_block = None
        if cells is not None:
            groups_of_block = cells[0][block.first : block.first + len(block)]
        selection.offer(query_vectors.rough(block), block.first, groups_of_block, block.reach)
        # far too many scores are nearly equal: only final scores can tell them apart
        if selection.overrun:
            return _dense(vectors, query_vectors, depth, cells)
    return settled(
        query_vectors,
        lambda rows: vectors.gather(rows, selection.reach),
        selection.found(),
        depth,
        groups,
    )


def _dense(
    vectors: VectorParts, query_vectors: QueryVectors, depth: int, cells: tuple[Array, int] | None
) -> Ranking:
    """A large part of the rows: all final scores are computed and sorted, a few queries at once."""
    parts = []
    for some in _parts(query_vectors, _SORTED // len(vectors)):
        key = np.empty((len(some), len(vectors)), np.uint64)
        for block in vectors.blocks(_block_size(vectors, some)):
            rows = slice(block.first, block.first + len(block))
            key[:, rows] = keys(some.precise(block), np.arange(rows.start, rows.stop)[:, None]).T
        keys_of_groups = [key]
        if cells is not None:
            keys_of_groups = [key[:, cells[0] == group] for group in range(cells[1])]
        best = np.concatenate([_least(k, depth) for k in keys_of_groups], axis=1)
        best.sort(axis=1)
        parts.append(_ranking(np.full(len(some), best.shape[1]), best.ravel()))
    return _joined(parts)


def _least(key: Array, depth: int) -> Array:
    """(queries, at most depth) the smallest keys of each query, in any order."""
    if key.shape[1] <= depth:
        return key
    return np.partition(key, depth - 1, axis=1)[:, :depth]


def _parts(query_vectors: QueryVectors, step: int) -> Iterator[QueryVectors]:
    for at in range(0, len(query_vectors), max(1, step)):
        yield query_vectors.part(at, min(at + max(1, step), len(query_vectors)))


def _joined(parts: list[Ranking]) -> Ranking:
    if len(parts) == 1:
        return parts[0]
    sizes, rows, scores = (
        np.concatenate([getattr(p, what) for p in parts]) for what in ("lengths", "rows", "scores")
    )
    return Ranking(offsets_of(sizes), rows, scores)


def _ranking(sizes: Array, key: Array) -> Ranking:
    return Ranking(offsets_of(sizes), rows_of(key), scores_of(key))


def _block_size(vectors: VectorParts, query_vectors: QueryVectors) -> int:
    """Vectors of a block."""
    # a block is read, widened, scored and selected from while it is still in the cache
    by_scores = _SCORES // max(1, len(query_vectors.vectors))
    by_values = (1 << 21) // max(1, vectors.dimensions)
    return int(np.clip(min(by_scores, by_values), 256, 8192))


def _vectors(index: Exact) -> VectorParts:
    return index._vectors  # type: ignore[attr-defined]


def _labels(index: Exact) -> RowLabels:
    return index._labels  # type: ignore[attr-defined]
