"""Bounds: the most relevance at each level of bias of lists that take each group's items from the
top, found by enumeration.

Looked at are the lists that take each of two groups' items from the top, 0 to k of the first one,
by score, where an item's group is its likelier label. One of them is chosen for each query; no
choice of these lists does better at the same mean bias than the one that is best at some price of
bias (Everett 1963). Other lists may: a method that passes over items whose label is doubtful makes
lists that are not among these, and can lie above *same labels*, near chance above all.

*true labels*: the lists are made with the true labels and chosen knowing what they bring.
*in hindsight*: made with the labels that methods see, chosen knowing what they bring. Nobody can
    know which label is wrong.
*same labels*: made with these labels, and chosen by who knows what is relevant, how often labels
    err and how common each group truly is
around each item, but not which label is wrong: the best of lists that take each group's items from
    the top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from fairlead.rerankers.queues import hard_codes
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.joining import joined
from fairlead.types.ragged import Array

_PRICES = np.concatenate([[0.0], np.geomspace(1e-3, 30, 240)])
"""What a unit of bias is worth."""
_WINDOWS = (20, 40, 80)
"""Entries over which the true mix around an item is counted; the best of these windows is the
bound.
"""
Measure = Callable[[Evidence], Array]
"""(queries,) values of evidence."""


@dataclass(frozen=True, eq=False)
class Options:
    """(queries, k + 1) true bias and relevance of the lists with 0 .. k items of the first group;
    and what bias is to be expected.
    """

    bias: Array
    relevance: Array
    expected: tuple[Array, ...] = ()


def options(
    labels: Evidence,
    true: Evidence,
    relevance: Measure,
    bias: Measure,
    k: int,
    *,
    guess: bool = False,
) -> Options | None:
    """The lists that labels allow, measured with the true ones; None where there are other than two
    groups.
    """
    if len(labels.attribute.groups.names) != 2:
        return None
    labels = _joined(labels, true)
    ranking, codes = labels.ranking, hard_codes(labels)
    spans = list(pairwise(ranking.offsets.tolist()))
    queues = [
        [np.flatnonzero((codes[a:b] == 0) == first) + a for first in (True, False)]
        for a, b in spans
    ]
    found = []
    for count in range(k + 1):
        entries = [
            np.sort(np.concatenate([f[:count], o[: k - min(count, len(f))]])) for f, o in queues
        ]
        part = true.with_ranking(
            ranking.take(np.concatenate(entries), np.array([len(e) for e in entries]))
        )
        found.append((bias(part), relevance(part)))
    told = tuple(_expected(labels, true, queues, k, window) for window in _WINDOWS) if guess else ()
    return Options(
        np.stack([b for b, _ in found], axis=1), np.stack([r for _, r in found], axis=1), told
    )


def _joined(labels: Evidence, true: Evidence) -> Evidence:
    """The labels under the names of the true groups."""
    name, labelled = next(iter(labels.attributes.items()))
    known = true.attribute.groups.names
    if labelled.groups.names == known:
        return labels
    groups, _ = joined(labelled.groups, known, whole=True)
    seen = Labelled(groups, true.attribute.target, labelled.aligned)
    return replace(labels, attributes={name: seen})


def bound(parts: Sequence[Options | None], *, guess: bool = False) -> Array | None:
    """(points, 2) mean bias and mean relevance of the best choice, in hindsight or by what is to be
    expected: the upper hull.
    """
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    bias, relevance = (
        np.concatenate([getattr(p, name) for p in known]) for name in ("bias", "relevance")
    )
    told = (
        [np.concatenate([p.expected[w] for p in known]) for w in range(len(known[0].expected))]
        if guess
        else [bias]
    )
    defined = ~np.isnan(bias + relevance).any(
        1
    )  # a query without anything relevant, or without labels, has no best list
    if not defined.any():
        return None
    bias, relevance, told = bias[defined], relevance[defined], [seen[defined] for seen in told]
    rows, found = np.arange(len(bias)), set()
    for seen in told:
        for price in _PRICES:
            chosen = (relevance - price * seen).argmax(1)
            found.add((float(bias[rows, chosen].mean()), float(relevance[rows, chosen].mean())))
    return _hull(np.array(sorted(found)))


def _hull(points: Array) -> Array:
    """The upper hull of points sorted by bias, from the highest relevance down to the lowest bias."""
    kept: list[Array] = []
    for point in points:
        while len(kept) > 1 and _below(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    hull = np.array(kept)
    return hull[: int(hull[:, 1].argmax()) + 1]


def _below(a: Array, b: Array, c: Array) -> bool:
    """Whether b lies on or below the line from a to c."""
    return bool((b[0] - a[0]) * (c[1] - a[1]) >= (b[1] - a[1]) * (c[0] - a[0]))


def _expected(
    labels: Evidence, true: Evidence, queues: Sequence[Sequence[Array]], k: int, window: int
) -> Array:
    """(queries, k + 1) the gap |n_1 - n_2| / n to be expected of each list, if the mix around each
    item is known but not its label.
    """
    shares, real = labels.labels.share[:, 0], (hard_codes(true) == 0).astype(float)
    spans = pairwise(labels.ranking.offsets.tolist())
    chance = np.concatenate([_posterior(shares[a:b], real[a:b], window) for a, b in spans])
    found = np.zeros((len(queues), k + 1))
    for q, (first, other) in enumerate(queues):
        firsts, others = _counts(chance[first[:k]]), _counts(chance[other[:k]])
        for count in range(k + 1):
            own = min(count, len(first))
            mass = np.convolve(firsts[own], others[min(k - own, len(other))])
            held = np.arange(len(mass))
            found[q, count] = float((mass * np.abs(2 * held - held[-1])).sum() / max(held[-1], 1))
    return found


def _posterior(share: Array, real: Array, window: int) -> Array:
    """(entries,) chance that an item is of the first group: its label in the light of the true mix
    around it.
    """
    size = len(share)
    low = np.clip(np.arange(size) - window // 2, 0, max(size - window, 0))
    high = np.minimum(low + window, size)
    running = np.concatenate([[0.0], np.cumsum(real)])
    mix = np.clip((running[high] - running[low]) / (high - low), 0.5 / window, 1 - 0.5 / window)
    return share * mix / (share * mix + (1 - share) * (1 - mix))


def _counts(chance: Array) -> list[Array]:
    """The distribution of how many of the first 0, 1, 2, ... items are of the first group."""
    found = [np.ones(1)]
    for p in chance:
        found.append(np.convolve(found[-1], [1 - p, p]))
    return found
