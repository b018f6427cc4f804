"""``exact``: exhaustive inner-product search, the measure of all others. MaxSim where items have many vectors.

All rows are scored, block by block, by BLAS; a limit per query (and per group of the attribute asked for) drops nearly all of them
at once; what remains is scored again in a fixed order. So scores and order are the same for a query alone, in a batch, and whatever
else is in the collection's blocks. Labels cost one comparison more, so the best of every group cost no more than the best of all, for
any attribute, without a copy of the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.indexes.labels import Labels, refuse_depth, refuse_other_sizes, refuse_rows
from fairlead.indexes.scoring import Asked
from fairlead.indexes.selection import CELLS, Selection, by_cell, keys, places, rows_of, scores_of
from fairlead.indexes.vectors import Block, Vectors
from fairlead.ragged import Array, offsets_of
from fairlead.spec import Configured
from fairlead.types import Embeddings, Groups, Ranking

_SCORES = 1 << 19
"""Scores of a block: 2 MB, so that selecting finds them in the cache."""
_ENTRIES = 1 << 22
"""Entries that are kept at a time; more queries wait for their turn."""


@dataclass(frozen=True)
class Exact(Configured):
    """All rows are scored; ``per_group`` gives the union of the best ``depth`` of each group, unknown being a group of its own."""

    name: ClassVar[str] = "exact"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_vectors", Vectors())
        object.__setattr__(self, "_labels", Labels())

    def __len__(self) -> int:
        return len(_vectors(self))

    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None:
        """Append vectors, which are kept as given (memory-mapped float16 or float32 is not copied), and their labels."""
        refuse_other_sizes(len(embeddings), groups or {})
        _vectors(self).append(embeddings)
        _labels(self).append(len(embeddings), groups)

    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking:
        """The best ``depth`` rows of each query, or of each group of each query."""
        refuse_depth(depth)
        return search(_vectors(self), queries, depth, None if per_group is None else _labels(self).cells(per_group))

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        asked, wanted = Asked.of(queries, _vectors(self).dimensions), refuse_rows(rows, len(self))
        return ranked(asked.precise(_vectors(self).gather(wanted)).T, wanted)


def search(vectors: Vectors, queries: Embeddings, depth: int, cells: tuple[Array, int] | None = None) -> Ranking:
    """The best rows of each query by (-score, row).

    Args:
        vectors: What is searched.
        queries: What is looked for.
        depth: How many of each group.
        cells: (rows,) the group number of each row, and how many groups there are; rows of that number are left out.
    """
    asked, groups = Asked.of(queries, vectors.dimensions), 1 if cells is None else cells[1]
    deep = min(depth, len(vectors))
    step = max(1, min(CELLS // groups, _ENTRIES // max(1, min(deep * groups, len(vectors))), 1024))
    parts = [_found(vectors, asked.part(at, min(at + step, len(asked))), deep, cells) for at in range(0, len(asked), step)]
    sizes, key = (np.concatenate([p[i] for p in parts]) if parts else np.empty(0, np.uint64) for i in (0, 1))
    return ranking(sizes, key)


def ranked(scores: Array, rows: Array) -> Ranking:
    """Scores (queries, rows) of the same rows for every query, each query's best first."""
    order = np.lexsort((np.broadcast_to(rows, scores.shape), -scores), axis=1)
    return Ranking(offsets_of(np.full(len(scores), len(rows))), rows[order].ravel(), np.take_along_axis(scores, order, 1).ravel())


def _found(vectors: Vectors, asked: Asked, depth: int, cells: tuple[Array, int] | None) -> tuple[Array, Array]:
    """(queries,) how many were found for each query, and (entries,) their keys."""
    groups = 1 if cells is None else cells[1]
    if not len(vectors):
        return np.zeros(len(asked), np.int64), np.empty(0, np.uint64)
    precise = 4 * depth * groups >= len(vectors)
    selection = _scanned(vectors, asked, depth, cells, precise=precise)
    if selection.overrun:  # far too many nearly equal scores: only final ones can tell them apart
        precise, selection = True, _scanned(vectors, asked, depth, cells, precise=True)
    query, group, key = selection.found()
    if not precise:
        return settled(asked, lambda rows: vectors.gather(rows, selection.reach), (query, group, rows_of(key)), depth, groups)
    return cut(query, group, key, depth, (len(asked), groups))


def settled(
    asked: Asked, gather: Callable[[Array], Block], candidates: tuple[Array, Array, Array], depth: int, groups: int
) -> tuple[Array, Array]:
    """The best of candidates by their final scores: (queries,) how many for each query, and (entries,) their keys.

    Args:
        asked: The queries.
        gather: Gives the vectors of rows.
        candidates: (entries,) query, group and row of each.
        depth: How many of each query and group.
        groups: How many groups there are.
    """
    query, group, rows = candidates
    order = by_cell(query, rows)  # rows rise, as the vectors lie
    query, group, rows = query[order], group[order], rows[order]
    key = np.empty(len(rows), np.uint64)
    starts = offsets_of(np.bincount(query, minlength=len(asked)))
    for number in np.flatnonzero(np.diff(starts)).tolist():
        own = slice(starts[number], starts[number + 1])
        key[own] = keys(asked.part(number, number + 1).precise(gather(rows[own]))[:, 0], rows[own])
    return cut(query, group, key, depth, (len(asked), groups))


def cut(query: Array, group: Array, key: Array, depth: int, shape: tuple[int, int]) -> tuple[Array, Array]:
    """The first ``depth`` entries of each query and group by key: how many are left of each query, and their keys in order."""
    cell = query.astype(np.int64) * shape[1] + group
    cell = cell.astype(np.uint16) if shape[0] * shape[1] <= CELLS else cell
    order = by_cell(cell, key)
    order = order[places(cell[order], shape[0] * shape[1])[1] < depth]
    query, key = query[order], key[order]
    return np.bincount(query, minlength=shape[0]), key[by_cell(query, key)]


def ranking(sizes: Array, key: Array) -> Ranking:
    """A ranking from how many entries each query has, and their keys."""
    return Ranking(offsets_of(sizes), rows_of(key), scores_of(key))


def _scanned(vectors: Vectors, asked: Asked, depth: int, cells: tuple[Array, int] | None, *, precise: bool) -> Selection:
    selection = Selection(len(asked), 1 if cells is None else cells[1], depth, None if precise else asked.slack)
    for block in vectors.blocks(_block_size(vectors, asked)):
        scores = asked.precise(block) if precise else asked.rough(block)
        groups = None if cells is None else cells[0][block.first : block.first + len(block)]
        selection.offer(scores, block.first, groups, block.reach)
        if selection.overrun:
            break
    return selection


def _block_size(vectors: Vectors, asked: Asked) -> int:
    """Vectors of a block: it is read, widened, scored and selected from before the next one pushes it out of the cache."""
    by_scores, by_values = _SCORES // max(1, len(asked.vectors)), (1 << 21) // max(1, vectors.dimensions)
    return int(np.clip(min(by_scores, by_values), 256, 8192))


def _vectors(index: Exact) -> Vectors:
    return index._vectors  # type: ignore[attr-defined]


def _labels(index: Exact) -> Labels:
    return index._labels  # type: ignore[attr-defined]
