"""Sequential random swaps: for each place in turn, with a given probability, swap its item with one
further down.

Place i is final once its turn is over, because later turns only touch later places; so k turns are
enough for the first k places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from fairlead.rerankers.queues import END, rerank
from fairlead.rerankers.streams import integers, uniforms
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

Partner = Literal["after", "from"]
"""``after``: a place strictly below (the paper's text); ``from``: the place itself is possible too
(public code).
"""


def swapped(
    evidence: Evidence,
    k: int,
    keys: Array,
    *,
    chance: Callable[[Array, Array], Array],
    partner: Partner,
) -> Ranking:
    """The ranking after one pass of swaps; ``chance(places, lengths)`` gives the (queries, places)
    swap probability, places from 1.
    """
    ranking = evidence.ranking

    def order(first: int, last: int, width: int) -> Array:
        lengths = ranking.lengths[first:last, None]
        places = np.arange(width)
        draws = uniforms(keys[first:last], 2 * width)
        least = places + (partner == "after")
        # Number 2i of the stream decides about place i and number 2i + 1 picks its partner,
        # whatever the width.
        hit = (draws[:, ::2] < chance(places + 1, lengths)) & (least < lengths)
        other = least + integers(draws[:, 1::2], np.maximum(lengths - least, 0))
        inside = places < lengths
        moved = np.where(inside, places, END)
        for query in np.flatnonzero(hit.any(axis=1)):
            _swap(moved[query], hit[query], other[query])
        return np.where(inside, moved + ranking.offsets[first:last, None], END)

    return rerank(evidence, k, order, columns=6)


def _swap(row: Array, hit: Array, other: Array) -> None:
    """Carry out the swaps of one query in place; ``row`` holds the first places, a dict the ones
    further down.
    """
    width = len(row)
    shown = row.tolist()
    below: dict[int, int] = {}
    at = np.flatnonzero(hit)
    for i, j in zip(at.tolist(), other[at].tolist(), strict=True):
        if j < width:
            shown[i], shown[j] = shown[j], shown[i]
        else:
            shown[i], below[j] = below.get(j, j), shown[i]
    row[:] = shown
