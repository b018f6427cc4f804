"""DetConstSort: meet every lower bound, then let better-scored items move up.

For n = 1, 2, ... each group whose floor(n t_g) rises puts in its next item, the best-scored first;
the item must stay within the first n places. It then moves up past lower-scored items as long as
each of them may still go down one place. The list ends with the n at which k items are in. Geyik,
Ambler, Kenthapadi (KDD 2019), Algorithm 3. Known copies compare the limit with the 0-based place
and so let items slip one place too far; here an item at place p (1-based) moves to p + 1 only if
its limit is at least p + 1. When all groups with a share have run out, the others follow in score
order under the same rule.

Unknown items have no bounds. They are woven into the finished order by score, and n counts labelled
items, so no bound breaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from fairlead.rerankers.bounds import deadlines
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.queues import END, Queues, queue_up, rerank
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

_ENTRY_BITS = 34
_NEVER = 1 << 28
_PADDING = (_NEVER + 1) << _ENTRY_BITS | END


@dataclass(frozen=True)
class DetConstSort(DescribedReranker):
    """Every lower bound floor(n t) first, then scores as far as the bounds allow."""

    name: ClassVar[str] = "detconstsort"
    summary: ClassVar[str] = (
        "Every lower bound floor(n t) first, then scores as far as the bounds allow."
    )
    source: ClassVar[str] = (
        "Geyik, Ambler, Kenthapadi: Fairness-aware ranking in search and recommendation "
        "systems (KDD 2019)"
    )
    blind_spot: ClassVar[str] = (
        "Lower bounds only: a group may be shown more often than ceil(n t) early on. Sees "
        "one hard label per item; "
        "nothing of relevance beyond the order."
    )
    promise: ClassVar[str] = (
        "floor(n t) at every prefix for any number of groups while the supply lasts; "
        "where k t is whole for every group, a list that meets it stays as it is."
    )
    bounds_prefixes: ClassVar[bool] = True

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        queues = queue_up(evidence, k)

        def order(first: int, last: int, width: int) -> Array:
            part = queues.part(first, last)
            return part.weave(_sorted(part, width))

        return rerank(evidence, k, order, columns=3 * queues.target.shape[1])


def _sorted(queues: Queues, width: int) -> Array:
    """(queries, width) the labelled entries in their final order, padded with ``END``."""
    if len(queues.target) == 1:
        limits = _kept_limits(queues.target.tobytes(), width)
    else:
        limits = _limits(queues.target, width)
    heads = queues.heads(width)
    items = np.where(heads == END, _PADDING, limits | heads).reshape(len(queues), -1)
    items.sort(axis=1)
    # Fewer than width items before the last step; in it one item per group or, of those never due,
    # at most width that can be shown.
    items = items[:, : 2 * width + queues.target.shape[1]]
    result = np.full((len(queues), width), END)
    limit = (items >> _ENTRY_BITS).tolist()
    entry = (items & END).tolist()
    for query in range(len(queues)):
        placed = _insert(limit[query], entry[query], width)[:width]
        result[query, : len(placed)] = placed
    return result


def _insert(limits: list[int], entries: list[int], width: int) -> list[int]:
    """Put items in by limit; each moves up past worse ones that may still go down a place."""
    order: list[int] = []
    last: list[int] = []
    for limit, entry in zip(limits, entries, strict=True):
        if entry == END:
            continue
        place = len(order)
        if place >= width and limit > limits[width - 1]:
            break
        while place and order[place - 1] > entry and last[place - 1] > place:
            place -= 1
        order.insert(place, entry)
        last.insert(place, limit)
    return order


def _limits(target: Array, width: int) -> Array:
    """(queries, groups, width) the last place of each item, in the high bits."""
    return np.minimum(deadlines(target, width), _NEVER).astype(np.int64) << _ENTRY_BITS


@lru_cache(maxsize=32)
def _kept_limits(target: bytes, width: int) -> Array:
    return _limits(np.frombuffer(target)[None], width)
