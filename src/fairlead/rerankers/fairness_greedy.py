"""Fairness-greedy: the earliest item of the most under-represented group moves up.

R starts with the first item. For each next place, with p the group shares of R and t the target,
groups are visited in increasing order of p_g - t_g (ties: the first listed), and the earliest
remaining item of the first group that has one is taken. Feng, Shah: Has CEO gender bias really been
fixed? (AAAI 2022), Algorithm 2. Items outside the target (unknown, not applicable) count in R but
are never sought: they follow in their own order once no group has an item left.

p_g - t_g = (c_g - n t_g) / n, so the least c_g - n t_g decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.rerankers.bounds import TOLERANCE
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.queues import END, Queues, queue_up, rerank
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

_BATCH = 16
_NONE, _LAST = np.inf, 1e300


@dataclass(frozen=True)
class FairnessGreedy(DescribedReranker):
    """The first item stays; then always the most under-represented group's best item."""

    name: ClassVar[str] = "fairness_greedy"
    summary: ClassVar[str] = (
        "The first item stays; then always the most under-represented group's best item."
    )
    source: ClassVar[str] = (
        "Feng, Shah: Has CEO gender bias really been fixed? (AAAI 2022), Algorithm 2"
    )
    blind_spot: ClassVar[str] = (
        "Ignores scores except within a group; unknown and not-applicable items go to the "
        "end whatever their score; "
        "the first item is never touched. Sees one hard label per item."
    )
    promise: ClassVar[str] = (
        "The first item stays, and the order within each group stays; no promise to "
        "leave a good list alone."
    )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        queues = queue_up(evidence)
        offsets = evidence.ranking.offsets

        def order(first: int, last: int, width: int) -> Array:
            return _order(queues.part(first, last), offsets[first:last], width)

        return rerank(evidence, k, order, columns=queues.sizes.shape[1])


def _order(queues: Queues, first: Array, width: int) -> Array:
    """(queries, width) entries in their new order, padded with ``END``."""
    # The first item is the head of its queue; -1 marks an empty list.
    leads = (
        queues.entries[np.minimum(queues.starts, len(queues.entries) - 1)] == first[:, None]
    ) & (queues.sizes > 0)
    lead = np.where(leads.any(axis=1), leads.argmax(axis=1), -1)
    if len(queues) >= _BATCH:
        columns = _many(queues, lead, width)
    else:
        targets = np.broadcast_to(queues.target, (len(queues), queues.target.shape[1])).tolist()
        sizes = queues.sizes.tolist()
        groups = queues.sizes.shape[1]
        rows = [_one(sizes[q], targets[q], int(lead[q]), width) for q in range(len(queues))]
        columns = np.array([row + [groups] * (width - len(row)) for row in rows])
    return _entries_of(queues, columns)


def _one(sizes: list[int], target: list[float], lead: int, width: int) -> list[int]:
    """The queue to serve at each place of one query."""
    if lead < 0:
        return []
    groups = range(len(target))
    taken = [0] * len(sizes)
    taken[lead] = 1
    served = [lead]
    for n in range(1, width):
        gaps = [taken[g] - n * target[g] if taken[g] < sizes[g] else _NONE for g in groups]
        least = min(gaps)
        if least == _NONE:
            break
        least += TOLERANCE
        g = next(g for g in groups if gaps[g] <= least)
        taken[g] += 1
        served.append(g)
    unknown = len(target)
    return served + [unknown] * min(sizes[unknown] - taken[unknown], width - len(served))


def _many(queues: Queues, lead: Array, width: int) -> Array:
    """(queries, width) the queue to serve at each place.

    It is one past the last queue where there is none.
    """
    queries = np.arange(len(queues))
    sizes = queues.sizes
    columns = queues.sizes.shape[1]
    target = np.append(
        np.broadcast_to(queues.target, (len(queues), columns - 1)),
        np.zeros((len(queues), 1)),
        axis=1,
    )
    taken = np.zeros_like(sizes)
    alive = lead >= 0
    taken[queries[alive], lead[alive]] = 1
    served = np.full((width, len(queues)), columns)
    served[0] = np.where(alive, lead, columns)
    for n in range(1, width):
        gaps = taken - n * target
        # the unknown queue is only served when no group has an item left
        gaps[:, -1] = _LAST
        gaps[taken >= sizes] = _NONE
        least = gaps.min(axis=1)
        choice = (gaps <= least[:, None] + TOLERANCE).argmax(axis=1)
        taken[queries, choice] += 1
        served[n] = np.where(least == _NONE, columns, choice)
    return served.T


def _entries_of(queues: Queues, served: Array) -> Array:
    """The entries of a schedule of queues.

    The i-th time a queue is served, it gives its i-th entry.
    """
    result = np.full(served.shape, END)
    for column in range(queues.sizes.shape[1]):
        here = served == column
        at = queues.starts[:, column, None] + here.cumsum(axis=1) - 1
        result[here] = queues.entries[at[here]]
    return result
