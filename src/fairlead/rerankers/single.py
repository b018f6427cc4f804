"""Rerankers that look at one list at a time: what they are given, and the way back to a ranking.

Relevance is the score brought to [0, 1] within its list. A score counts as at most that of the item
ranked above it, so that a list whose scores are not sorted is read in its own order. A query
without a target keeps its plain list, and so does every list with one group only: there is nothing
to balance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairlead.errors import UsageError
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True, eq=False)
class SingleLists:
    """One list.

    Attributes:
        relevance: (n,) in [0, 1], never rising.
        shares: (n, groups) expected membership; what a row lacks to 1 is unknown.
        target: (groups,) sums to 1; even where a reranker does not use it.
        k: How many are shown, at most n.
        number: Which query of the evidence it is.
        hard: Whether every share is 0 or 1.
    """

    relevance: Array
    shares: Array
    target: Array
    k: int
    number: int
    hard: bool

    @cached_property
    def excess(self) -> Array:
        """(n, groups) share_g - t_g (sum of the shares): what an item adds to a group beyond its
        due. Sums to 0 in every row.
        """
        return self.shares - self.shares.sum(1, keepdims=True) * self.target

    @cached_property
    def foremost(self) -> Array:
        """Places of the items that have fewer than k of equal shares before them: no other is ever
        needed.
        """
        kind = kinds(self.shares)
        order = np.argsort(kind, kind="stable")
        starts = np.searchsorted(kind[order], kind[order])
        return np.sort(order[np.arange(len(order)) - starts < self.k])

    @property
    def plain(self) -> Array:
        """The places of the plain list."""
        return np.arange(self.k)


Order = Callable[[SingleLists], Array]
"""Gives the places (0-based, in the plain list) of at most k candidates, in their new order."""


def one_by_one(evidence: Evidence, k: int, order: Order, *, targeted: bool = True) -> Ranking:
    """The ranking made of each list by ``order``."""
    if k < 1:
        raise UsageError(f"k is {k}.", "Show at least one item.")
    ranking = evidence.ranking
    shares = evidence.labels.share
    groups = shares.shape[1]
    targets = evidence.attribute.target.rows(np.arange(len(ranking)))
    relevance = unit_scores(ranking)
    hard = evidence.labels.hard
    entries = [np.empty(0, np.int64)]
    sizes = np.minimum(ranking.lengths, k)
    for query, (first, last) in enumerate(
        zip(ranking.offsets[:-1].tolist(), ranking.offsets[1:].tolist(), strict=True)
    ):
        missing = bool(np.isnan(targets[query, 0]))
        if first == last or groups == 1 or (targeted and missing):
            entries.append(first + np.arange(sizes[query]))
            continue
        # Rounded, so that a target that was divided by its sum once more is the same one: programs
        # have many best answers.
        target = np.round(np.full(groups, 1 / groups) if missing else targets[query], 12)
        case = SingleLists(
            relevance[first:last], shares[first:last], target, int(sizes[query]), query, hard
        )
        entries.append(first + order(case))
    return ranking.take(
        np.concatenate(entries), np.array([len(part) for part in entries[1:]], np.int64)
    )


def kinds(rows: Array) -> Array:
    """(n,) a number for each row, the same for equal rows."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def falling(ranking: Ranking) -> Array:
    """(entries,) scores that never rise within a list."""
    scores = ranking.scores.astype(np.float64)
    rises = np.flatnonzero(scores[1:] > scores[:-1]) + 1
    for query in np.unique(np.searchsorted(ranking.offsets, rises, side="right") - 1):
        own = slice(ranking.offsets[query], ranking.offsets[query + 1])
        scores[own] = np.minimum.accumulate(scores[own])
    return scores


def unit_scores(ranking: Ranking) -> Array:
    """(entries,) falling scores from 1 at the top of each list to 0 at its end; 1 where all are
    equal.
    """
    scores = falling(ranking)
    if not len(scores):
        return scores
    ends = np.minimum(ranking.offsets[:-1], len(scores) - 1), np.maximum(ranking.offsets[1:] - 1, 0)
    high, low = (np.repeat(scores[at], ranking.lengths) for at in ends)
    spread = high - low
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > 0, (scores - low) / spread, 1.0)
