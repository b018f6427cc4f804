"""Bounds: the most relevance at each level of bias, by trying all lists of a kind.

These lists take each of two groups' items from the top by score, 0 to k of the first one. An item's
group is its likelier label. One list is chosen for each query. No choice does better at the same
mean bias than the one that is best at some price of bias (Everett 1963). Lists of another kind may:
a method that passes over items with doubtful labels makes lists that are not among these, and can
lie above *same labels*, above all near chance.

*true labels*: lists are made with the true labels, and chosen knowing what they bring.
*in hindsight*: lists are made with the labels that methods see, and chosen knowing what they bring.
    Nobody can know which label is wrong.
*same labels*: lists are made with these labels, and chosen knowing what is relevant, how often
    labels err and how common each group truly is around each item, but not which label is wrong.
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

# What a unit of bias is worth
_PRICES = np.concatenate([[0.0], np.geomspace(1e-3, 30, 240)])
# Entries over which the true mix around an item is counted; the best of these windows is the bound
_WINDOWS = (20, 40, 80)
Measure = Callable[[Evidence], Array]
"""(queries,) values of evidence."""


@dataclass(frozen=True, eq=False)
class Options:
    """Bias and relevance of the lists with 0 .. k items of the first group, (queries, k + 1).

    ``expected`` holds the bias to be expected of them, once for each window.
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
    """The lists that labels allow, measured with the true ones.

    None where there are not exactly two groups.
    """
    if len(labels.attribute.groups.names) != 2:
        return None
    labels = _joined(labels, true)
    ranking = labels.ranking
    codes = hard_codes(labels)
    spans = list(pairwise(ranking.offsets.tolist()))
    queues = [
        # Whoever is not of the first group fills the other queue, the unknown too: a list needs
        # k items wherever they come from.
        [np.flatnonzero((codes[a:b] == 0) == first) + a for first in (True, False)]
        for a, b in spans
    ]
    measured = []
    for count in range(k + 1):
        entries = [
            np.sort(np.concatenate([f[:count], o[: k - min(count, len(f))]])) for f, o in queues
        ]
        part = true.with_ranking(
            ranking.take(np.concatenate(entries), np.array([len(e) for e in entries]))
        )
        measured.append((bias(part), relevance(part)))
    expected: tuple[Array, ...] = ()
    if guess:
        expected = tuple(_expected(labels, true, queues, k, window) for window in _WINDOWS)
    return Options(
        np.stack([b for b, _ in measured], axis=1),
        np.stack([r for _, r in measured], axis=1),
        expected,
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
    """(points, 2) mean bias and mean relevance of the best choice of lists: the upper hull.

    The choice is made in hindsight or, with ``guess``, by the bias to be expected.
    """
    known = [part for part in parts if part is not None]
    # A bound over some of the galleries would be no bound for a method measured in all.
    if not known or len(known) < len(parts):
        return None
    bias, relevance = (
        np.concatenate([getattr(p, name) for p in known]) for name in ("bias", "relevance")
    )
    if guess:
        criteria = [
            np.concatenate([p.expected[w] for p in known]) for w in range(len(known[0].expected))
        ]
    else:
        criteria = [bias]
    # a query without anything relevant, or without labels, has no best list
    defined = ~np.isnan(bias + relevance).any(1)
    if not defined.any():
        return None
    bias = bias[defined]
    relevance = relevance[defined]
    criteria = [seen[defined] for seen in criteria]
    rows = np.arange(len(bias))
    points = set()
    for seen in criteria:
        # At one price for all, the best list of each query by itself is the best choice for all of
        # them together: combinations need not be tried.
        for price in _PRICES:
            chosen = (relevance - price * seen).argmax(1)
            mean_bias = float(bias[rows, chosen].mean())
            points.add((mean_bias, float(relevance[rows, chosen].mean())))
    return _hull(np.array(sorted(points)))


def _hull(points: Array) -> Array:
    """The upper hull of points sorted by bias, up to the highest relevance."""
    corners: list[Array] = []
    for point in points:
        while len(corners) > 1 and _below(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    hull = np.array(corners)
    return hull[: int(hull[:, 1].argmax()) + 1]


def _below(a: Array, b: Array, c: Array) -> bool:
    """Whether b lies on or below the line from a to c."""
    across, up = b - a
    far_across, far_up = c - a
    # slopes compared crosswise: two points may have the same bias
    return bool(across * far_up >= up * far_across)


def _expected(
    labels: Evidence, true: Evidence, queues: Sequence[Sequence[Array]], k: int, window: int
) -> Array:
    """(queries, k + 1) the gap |n_1 - n_2| / n to be expected of each list.

    The true mix around each item is known, but not its label.
    """
    shares = labels.labels.share[:, 0]
    real = (hard_codes(true) == 0).astype(float)
    spans = pairwise(labels.ranking.offsets.tolist())
    # window by window within each query: the mix differs from query to query
    chance = np.concatenate([_posterior(shares[a:b], real[a:b], window) for a, b in spans])
    gaps = np.zeros((len(queues), k + 1))
    for q, (first, other) in enumerate(queues):
        firsts = _counts(chance[first[:k]])
        others = _counts(chance[other[:k]])
        for count in range(k + 1):
            taken = min(count, len(first))
            mass = np.convolve(firsts[taken], others[min(k - taken, len(other))])
            held = np.arange(len(mass))
            gap = np.abs(2 * held - held[-1])
            gaps[q, count] = float((mass * gap).sum() / max(held[-1], 1))
    return gaps


def _posterior(share: Array, real: Array, window: int) -> Array:
    """(entries,) chance that an item is of the first group.

    It is the item's label in the light of the true mix around it.
    """
    size = len(share)
    low = np.clip(np.arange(size) - window // 2, 0, max(size - window, 0))
    high = np.minimum(low + window, size)
    running = np.concatenate([[0.0], np.cumsum(real)])
    mix = (running[high] - running[low]) / (high - low)
    # half an item at least: a window without a group does not rule it out
    mix = np.clip(mix, 0.5 / window, 1 - 0.5 / window)
    first = share * mix
    return first / (first + (1 - share) * (1 - mix))


def _counts(chance: Array) -> list[Array]:
    """The distribution of how many of the first 0, 1, 2, ... items are of the first group."""
    distributions = [np.ones(1)]
    for p in chance:
        distributions.append(np.convolve(distributions[-1], [1 - p, p]))
    return distributions
