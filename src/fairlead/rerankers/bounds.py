"""Prefix bounds floor(n t) and ceil(n t), and which prefixes break them.

Item j (0-based) of group g is due at the first n with floor(n t_g) > j and may come from the first
n with ceil(n t_g) > j. n counts labelled items. Floors and ceilings allow for floating error: 0.1 *
30 is 3.
"""

from __future__ import annotations

import numpy as np

from fairlead.rerankers.queues import hard_codes, targets_of
from fairlead.types import one_hot
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

TOLERANCE = 1e-9
_CELLS = 1 << 21


def deadlines(target: Array, count: int) -> Array:
    """(..., groups, count) the n at which each item of each group is due.

    It is inf where the share is 0.
    """
    with np.errstate(divide="ignore", over="ignore"):
        return np.ceil((np.arange(1, count + 1) - TOLERANCE) / target[..., None])


def releases(target: Array, count: int) -> Array:
    """(..., groups, count) the n from which each item of each group may come.

    It is inf where the share is 0.
    """
    with np.errstate(divide="ignore", over="ignore"):
        return np.floor((np.arange(count) + TOLERANCE) / target[..., None]) + 1


def violations(evidence: Evidence, k: int | None = None) -> list[Array]:
    """The violated prefixes of each query's list.

    They are positions n <= k (1-based) where some group's count is below floor(m t_g), m being the
    number of labelled items among the first n. This works for any ranking; to ask about a mitigated
    one, pass ``evidence.with_ranking(mitigated)``. A query without a target violates nothing.
    Bounds that the supply could not meet count.
    """
    ranking = evidence.ranking
    target = targets_of(evidence)
    codes = hard_codes(evidence)
    groups = target.shape[1]
    if k is None:
        depth = int(ranking.lengths.max(initial=0))
    else:
        depth = min(k, int(ranking.lengths.max(initial=0)))
    broken_prefixes: list[Array] = []
    step = max(1, _CELLS // max(1, depth * groups))
    places = np.arange(depth)
    for first in range(0, len(ranking), step):
        queries = np.arange(first, min(first + step, len(ranking)))
        inside = places < ranking.lengths[queries, None]
        entries = np.where(inside, ranking.offsets[queries, None] + places, 0)
        if len(codes):
            counts = one_hot(np.where(inside, codes[entries], -1), groups).cumsum(1)
        else:
            counts = np.zeros((*inside.shape, groups))
        least = np.floor(
            counts.sum(-1, keepdims=True) * evidence.attribute.target.rows(queries)[:, None]
            + TOLERANCE
        )
        with np.errstate(invalid="ignore"):
            broken = (counts < least).any(-1) & inside
        broken_prefixes.extend(np.flatnonzero(row) + 1 for row in broken)
    return broken_prefixes
