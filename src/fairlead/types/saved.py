"""A run with all that is needed to measure and to mitigate it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairlead.types.evidence import Labelled
from fairlead.types.ragged import Array, offsets_of
from fairlead.types.ranking import Ranking, Relevant, Sets


@dataclass(frozen=True, eq=False)
class SavedRun:
    """The lists of several variants, and what they were made from.

    Attributes:
        queries: Query ids.
        words: (queries,) what was asked in words; None where it had none.
        items: Item ids, by row: all that could be ranked.
        lists: The lists that were measured, by variant; the plain one is the first.
        attributes: What metrics saw: labels of the items, or of the fixed candidates where they
            depend on the query, with their targets.
        mitigate: What the first reranker saw of its attribute; None where lists were only measured.
        candidates: What rerankers chose from; None where that was not kept.
        background: (queries,) mean score of the collection; None where it was not looked up.
        relevant: Relevant rows of each query, where judged.
        fixed: Candidates that a protocol fixed.
        blocks: (items,) matched set of each item, where there are any.
        clusters: (queries,) queries of one number do not stand for themselves.
        by: Tags by whose values results are also told apart.
        manifest: How the lists came about.
        labelled: Whether labels of single items are in it; else the labels are all unknown, and
            their sources say where to read them again.
        silent: The rule for queries without words: they were pictures, or ids that say nothing.
    """

    queries: tuple[str, ...]
    words: tuple[str | None, ...]
    items: Any
    lists: Mapping[str, Ranking]
    attributes: Mapping[str, Labelled]
    mitigate: tuple[str, Labelled] | None = None
    candidates: Ranking | None = None
    background: Array | None = None
    relevant: Relevant | None = None
    fixed: Sets | None = None
    blocks: Array | None = None
    clusters: Array | None = None
    by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)
    labelled: bool = True
    silent: str = "no-words"

    def without(self, items: Array, queries: Array) -> SavedRun:
        """The run without some items and queries, (items,) and (queries,): they are neither ranked
        nor judged, nor part of what chance draws from.
        """
        if not (items.any() or queries.any()):
            return self
        kept = np.flatnonzero(~queries)
        plain = next(iter(self.lists.values()))
        every = Sets(np.array([0, len(self.items)]), np.arange(len(self.items)))
        mitigate = self.mitigate
        if mitigate is not None:
            name, seen = mitigate
            mitigate = name, _kept_labels(seen, self.candidates or plain, items, queries)
        return replace(
            self,
            queries=tuple(self.queries[query] for query in kept),
            words=tuple(self.words[query] for query in kept),
            lists={name: _kept_list(one, items, queries) for name, one in self.lists.items()},
            attributes={
                name: _kept_labels(one, plain, items, queries)
                for name, one in self.attributes.items()
            },
            mitigate=mitigate,
            candidates=_optional(_kept_list, self.candidates, items, queries),
            background=None if self.background is None else self.background[kept],
            relevant=_optional(_kept_sets, self.relevant, items, queries),
            fixed=_kept_sets(self.fixed or every, items, queries),
            clusters=None if self.clusters is None else self.clusters[kept],
            by={tag: tuple(values[query] for query in kept) for tag, values in self.by.items()},
        )


def _optional(cut: Any, part: Any, items: Array, queries: Array) -> Any:
    return None if part is None else cut(part, items, queries)


def _entries(sets: Sets, items: Array, queries: Array) -> Array:
    """Numbers of the entries that stay; one set for all queries stays with any of them."""
    owner = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))
    stays = ~items[sets.rows]
    if len(sets) == len(queries):
        stays &= ~queries[owner]
    return np.flatnonzero(stays)


def _offsets(sets: Sets, entries: Array, queries: Array) -> Array:
    owner = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))
    sizes = np.bincount(owner[entries], minlength=len(sets))
    if len(sets) == len(queries):
        sizes = sizes[~queries]
    return offsets_of(sizes)


def _kept_sets(sets: Sets, items: Array, queries: Array) -> Sets:
    entries = _entries(sets, items, queries)
    offsets = _offsets(sets, entries, queries)
    if isinstance(sets, Relevant):
        return Relevant(offsets, sets.rows[entries], sets.gains[entries])
    return Sets(offsets, sets.rows[entries])


def _kept_list(ranking: Ranking, items: Array, queries: Array) -> Ranking:
    # What follows moves up, so that places told before no longer hold.
    entries = np.flatnonzero(~items[ranking.rows] & ~queries[ranking.query_of])
    sizes = np.bincount(ranking.query_of[entries], minlength=len(queries))[~queries]
    return Ranking(offsets_of(sizes), ranking.rows[entries], ranking.scores[entries])


def _kept_labels(one: Labelled, ranking: Ranking, items: Array, queries: Array) -> Labelled:
    groups = one.groups
    if one.aligned:
        entries = np.flatnonzero(~items[ranking.rows] & ~queries[ranking.query_of])
        groups = groups.take(entries)
    target = replace(one.target, shares=one.target.rows(np.flatnonzero(~queries)))
    return replace(one, groups=groups, target=target)
