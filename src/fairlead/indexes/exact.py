"""``exact``: exhaustive inner-product search in memory. Equal scores are ordered by row, so the same vectors give the same ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import DataError
from fairlead.ragged import Array, offsets_of
from fairlead.spec import Configured
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Embeddings, Groups, Ranking

_CELLS = 1 << 24


@dataclass(frozen=True)
class Exact(Configured):
    """All rows are scored; ``per_group`` gives the union of the best ``depth`` of each group, unknown being a group of its own."""

    name: ClassVar[str] = "exact"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_vectors", np.empty((0, 0), np.float32))
        object.__setattr__(self, "_codes", {})

    def add(self, embeddings: Embeddings, groups: Groups | None = None) -> None:
        """Append vectors, and the labels of all rows so far for per-group search."""
        new = np.asarray(embeddings.vectors, np.float32)
        old: Array = self._vectors  # type: ignore[attr-defined]
        if len(old) and old.shape[1] != new.shape[1]:
            raise DataError(f"The index holds vectors of {old.shape[1]} dimensions, got {new.shape[1]}.")
        object.__setattr__(self, "_vectors", np.vstack([old, new]) if len(old) else new)
        if groups is not None:
            self._codes[groups.attribute] = _codes(groups, len(old) + len(new))  # type: ignore[attr-defined]

    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking:
        """The best ``depth`` rows of each query, or of each group of each query."""
        vectors: Array = self._vectors  # type: ignore[attr-defined]
        codes = None
        if per_group is not None:
            if per_group not in self._codes:  # type: ignore[attr-defined]
                raise DataError(f"The index has no labels of '{per_group}'.", f"It has {', '.join(self._codes) or 'none'}.")  # type: ignore[attr-defined]
            codes = self._codes[per_group]  # type: ignore[attr-defined]
        parts: list[tuple[Array, Array]] = []
        step = max(1, _CELLS // max(len(vectors), 1))
        for start in range(0, len(queries.vectors), step):
            scores = np.asarray(queries.vectors[start : start + step], np.float32) @ vectors.T
            parts += [_best(row, depth, codes) for row in scores]
        rows, found = (np.concatenate([p[i] for p in parts]) if parts else np.empty(0) for i in (0, 1))
        return Ranking(offsets_of(np.array([len(p[0]) for p in parts], np.int64)), rows, found)

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        vectors: Array = self._vectors  # type: ignore[attr-defined]
        scores = np.asarray(queries.vectors, np.float32) @ vectors[rows].T
        order = np.argsort(-scores, axis=1, kind="stable")
        sizes = np.full(len(scores), len(rows))
        return Ranking(offsets_of(sizes), np.asarray(rows)[order].ravel(), np.take_along_axis(scores, order, 1).ravel())


def _best(scores: Array, depth: int, codes: Array | None) -> tuple[Array, Array]:
    if codes is None:
        rows = _top(scores, np.arange(len(scores)), depth)
    else:
        rows = np.concatenate([_top(scores, np.flatnonzero(codes == g), depth) for g in np.unique(codes) if g != NOT_APPLICABLE])
        rows = rows[np.lexsort((rows, -scores[rows]))]
    return rows, scores[rows]


def _top(scores: Array, rows: Array, depth: int) -> Array:
    """The best ``depth`` of some rows by (-score, row)."""
    if depth < len(rows):
        least = np.partition(scores[rows], len(rows) - depth)[len(rows) - depth]
        rows = rows[scores[rows] >= least]
    return rows[np.lexsort((rows, -scores[rows]))][:depth]


def _codes(groups: Groups, size: int) -> Array:
    if len(groups) != size:
        raise DataError(f"'{groups.attribute}' labels {len(groups)} items, the index holds {size}.")
    if groups.codes is not None:
        return groups.codes
    share = np.column_stack([groups.share, groups.unknown])
    best = share.argmax(1)
    assert groups.not_applicable is not None
    return np.where(groups.not_applicable, NOT_APPLICABLE, np.where(best == len(groups.names), UNKNOWN, best))
