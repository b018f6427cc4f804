"""PBM's steps: a round of one item per group, or the best neutral item.

The one that scores higher on average is taken. Both kernels take (queries, groups + 1, width)
entries and scores of each queue, best first, the neutral queue last; entries are padded with
``END`` and scores with -inf. With ``fill`` a round holds the groups that still have items, else it
needs all of them.
"""

from __future__ import annotations

from math import inf
from typing import Literal

import numpy as np

from fairlead.rerankers.queues import END
from fairlead.types.ragged import Array

Last = Literal["random", "neutral", "overshoot"]
"""What becomes of a round that does not fit: some of its groups, neutral items, or all of it."""


def fair_steps(heads: Array, values: Array, draws: Array, *, fill: bool) -> Array:
    """(queries, width) entries when every step is fair: round i then holds the i-th item of every
    group, so all can be sorted at once.

    ``draws`` (queries, groups) choose the groups of a round that does not fit.
    """
    groups = heads.shape[1] - 1
    width = heads.shape[2]
    there = heads[:, :-1] < END
    neutral = heads[:, -1]
    live = there.sum(axis=1)
    formed = live > 0 if fill else live == groups
    mean = np.where(
        formed, np.where(there, values[:, :-1], 0).sum(axis=1) / np.maximum(live, 1), -inf
    )
    # Rounds come in turn: one that scores below its successor holds it back, hence the running
    # minimum. Neutral first: it wins ties.
    keys = np.hstack([values[:, -1], np.minimum.accumulate(mean, axis=1)])
    steps = (-keys).argsort(axis=1, kind="stable")
    size = np.take_along_axis(np.hstack([neutral < END, live * formed]), steps, axis=1)
    start = size.cumsum(axis=1) - size
    places = np.empty_like(start)
    np.put_along_axis(places, steps, start, axis=1)
    rounds = np.where(formed[:, None], heads[:, :-1], END)
    query, step = np.nonzero((start < width) & (start + size > width))
    short = steps[query, step] - width
    room = width - start[query, step]
    rank = np.where(there[query, :, short], draws[query], inf).argsort(axis=1).argsort(axis=1)
    rounds[query, :, short] = np.where(rank < room[:, None], rounds[query, :, short], END)
    rounds.sort(axis=1)
    result = np.full((len(heads), width), END)
    for members, at in (
        (neutral, places[:, :width]),
        *((rounds[:, g], places[:, width:] + g) for g in range(groups)),
    ):
        row, column = np.nonzero((members < END) & (at < width))
        result[row, at[row, column]] = members[row, column]
    return result


def mixed_steps(
    heads: Array,
    values: Array,
    draws: Array,
    *,
    theta: float,
    fill: bool,
    last: Last = "random",
) -> Array:
    """(queries, width or more) entries when a step is fair with probability theta.

    Any other step takes the single best item of any queue. ``draws`` are (queries, groups + width):
    the first choose the groups of a round that does not fit, the others decide on each step.
    ``last`` is what becomes of such a round: ``overshoot`` adds it whole, so that the result is
    wider by groups - 1.
    """
    more = heads.shape[1] - 2 if last == "overshoot" else 0
    result = np.full((len(heads), heads.shape[2] + more), END)
    for query in range(len(heads)):
        order = _mixed(
            heads[query].tolist(), values[query].tolist(), draws[query].tolist(), theta, fill, last
        )
        result[query, : len(order)] = order
    return result


def _mixed(
    heads: list[list[int]],
    scores: list[list[float]],
    draws: list[float],
    theta: float,
    fill: bool,
    last: Last,
) -> list[int]:
    groups = len(heads) - 1
    width = len(heads[0])
    at = [0] * (groups + 1)
    top = [queue[0] for queue in heads]
    live = [g for g in range(groups) if top[g] != END]
    order: list[int] = []
    total: float | None = None
    for coin in draws[groups:]:
        if coin >= theta:
            chosen = [top.index(min(top))]
        else:
            if total is None:  # the sum of the groups' best scores, once per round
                if live and (fill or len(live) == groups):
                    total = sum([scores[g][at[g]] for g in live])
                else:
                    total = -inf
            if total > scores[groups][at[groups]] * len(live):
                room = width - len(order)
                if len(live) <= room or last == "overshoot":
                    chosen = live
                elif last == "neutral" and top[groups] != END:
                    chosen = [groups]
                else:
                    chosen = sorted(live, key=draws.__getitem__)[:room]
            else:
                chosen = [groups]
        served = [top[g] for g in chosen] if len(chosen) == 1 else sorted([top[g] for g in chosen])
        if served[0] == END:
            break
        order += served
        if len(order) >= width:
            break
        for g in chosen:
            at[g] += 1
            top[g] = heads[g][at[g]]
            if top[g] == END and g != groups:
                live = [other for other in live if other != g]
        if chosen[0] != groups:
            total = None
    return order
