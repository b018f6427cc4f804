"""What is searched: items, their vectors in an index, and the labels they are fetched by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairlead.protocols import Index
from fairlead.types import Collection, Embeddings, Groups, Ranking, Sets
from fairlead.types.ragged import Array, locate

_SAMPLE = 128
"""Items whose scores tell the collection's average."""


@dataclass(frozen=True, eq=False)
class Shelf:
    """What is searched.

    Attributes:
        collection: The items.
        index: Their vectors, with the labels that candidates are fetched by.
        blocks: (items,) matched set of each item, where there are any.
        nulls: Chance levels so far: they depend on what is searched alone, so the next search need
            not draw them again.
    """

    collection: Collection
    index: Index
    blocks: Array | None = None
    nulls: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def pool(self) -> Sets:
        """All rows: what chance draws from."""
        return Sets(np.array([0, len(self.collection)]), np.arange(len(self.collection)))

    def background(self, queries: Embeddings) -> Array:
        """(queries,) mean score of the collection, over items spread evenly over it."""
        rows = np.unique(np.linspace(0, len(self.collection) - 1, _SAMPLE).astype(np.intp))
        scores = self.index.scores(queries, rows).scores.reshape(len(queries), len(rows))
        return scores.mean(1, dtype=np.float64)


def for_retrieval(groups: Groups) -> Groups:
    """Labels as an index needs them: one group for each item.

    Soft labels become the likeliest group. What the attribute does not apply to is fetched beside
    the unknown.
    """
    absent = groups.not_applicable
    assert absent is not None
    # An index leaves out what an attribute does not apply to, but a reranker may show it.
    if groups.codes is not None:
        codes = np.where(absent, -1, groups.codes)
    else:
        share = np.column_stack([groups.share, groups.unknown])
        best = share.argmax(1)
        codes = np.where(absent | (best == len(groups.names)), -1, best)
    return replace(groups, codes=codes, soft=None, not_applicable=None)


def recall(ranking: Ranking, truth: Ranking, groups: Groups | None = None, group: int = 0) -> float:
    """The share of the true entries that were found for the same query; NaN without any.

    With groups, only the true entries of one group count.
    """
    place = locate(ranking.offsets, ranking.rows, truth.offsets, truth.rows)
    if groups is not None:
        assert groups.codes is not None
        place = place[groups.codes[truth.rows] == group]
    if not len(place):
        return float("nan")
    return float((place >= 0).mean())
