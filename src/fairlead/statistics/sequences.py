"""Random label sequences under each null, and exact outcomes where only counts matter."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fairlead.ragged import Array
from fairlead.types import NOT_APPLICABLE, UNKNOWN

MOST_OUTCOMES = 200_000
_MOST_CELLS = 20_000_000


def palette(groups: int) -> Array:
    """The codes that counts vectors stand for: the groups, unknown, not applicable."""
    return np.array([*range(groups), UNKNOWN, NOT_APPLICABLE], np.int16)


def tally(codes: Array, groups: int) -> Array:
    """(groups + 2,) counts of each group, of unknown and of not applicable."""
    return np.bincount(np.where(codes >= 0, codes, groups - 1 - codes), minlength=groups + 2)


def drawn(counts: Array, size: int, draws: int, rng: np.random.Generator, *, ordered: bool) -> Array:
    """(draws, size) codes drawn without replacement from a pool of the given counts; unordered draws are sorted by code."""
    whole = size == counts.sum()
    taken = np.broadcast_to(counts, (draws, len(counts))) if whole else _hypergeometric(counts, size, draws, rng)
    codes = np.repeat(np.tile(palette(len(counts) - 2), draws), taken.ravel()).reshape(draws, size)
    return rng.permuted(codes, axis=1) if ordered else codes


def _hypergeometric(counts: Array, size: int, draws: int, rng: np.random.Generator) -> Array:
    """(draws, categories) multivariate hypergeometric counts, by conditioning one category at a time."""
    taken = np.zeros((draws, len(counts)), np.int64)
    left, rest = np.full(draws, size), int(counts.sum())
    for category, count in enumerate(counts[:-1]):
        rest -= int(count)
        taken[:, category] = rng.hypergeometric(int(count), rest, left) if count else 0
        left = left - taken[:, category]
    taken[:, -1] = left
    return taken


def independent(target: Array, missing: Array, size: int, draws: int, rng: np.random.Generator) -> Array:
    """(draws, size) codes drawn independently from the target; ``missing`` (unknown, not applicable) keep their counts."""
    codes = np.searchsorted(np.cumsum(target)[:-1], rng.random((draws, size)), side="right").astype(np.int16)
    absent = int(missing.sum())
    if absent:
        where = rng.permuted(np.tile(np.arange(size) < absent, (draws, 1)), axis=1)
        codes[where] = np.tile(np.repeat(np.array([UNKNOWN, NOT_APPLICABLE], np.int16), missing), draws)
    return codes


def within_blocks(values: Array, blocks: Array, draws: int, rng: np.random.Generator) -> Array:
    """(draws, size) indices that permute positions within each block only."""
    order = np.argsort(blocks, kind="stable")
    _, sizes = np.unique(blocks, return_counts=True)
    if (sizes == sizes[0]).all():
        shuffled = rng.permuted(np.tile(order.reshape(-1, sizes[0]), (draws, 1)), axis=1).reshape(draws, len(values))
    else:
        ranks = np.repeat(np.arange(len(sizes)), sizes)
        shuffled = order[np.argsort(ranks + rng.random((draws, len(values))), axis=1)]
    result = np.empty_like(shuffled)
    result[:, order] = shuffled
    return result


def outcomes(limits: Array, size: int) -> Array | None:
    """(outcomes, categories) all counts vectors of ``size`` items within the limits, or None where they are too many."""
    live = np.flatnonzero(limits)
    if not len(live):  # nothing is labelled: there is one outcome, the empty one
        return np.zeros((1, len(limits)), np.int64)
    if math.comb(size + len(live) - 1, len(live) - 1) > MOST_OUTCOMES:
        return None
    found = np.zeros((1, len(limits)), np.int64)
    for category in live[:-1]:
        room = np.minimum(limits[category], size - found.sum(1))
        found = np.repeat(found, room + 1, axis=0)
        found[:, category] = np.concatenate([np.arange(r + 1) for r in room])
    found[:, live[-1]] = size - found.sum(1)
    found = found[found[:, live[-1]] <= limits[live[-1]]]
    return found if len(found) * size <= _MOST_CELLS else None


def hypergeometric_weights(found: Array, counts: Array) -> Array:
    """(outcomes,) probability of each counts vector drawn without replacement from a pool of ``counts``."""
    from scipy.special import gammaln

    ways = gammaln(counts + 1) - gammaln(found + 1) - gammaln(np.maximum(counts - found, 0) + 1)
    logs = ways.sum(1)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def multinomial_weights(found: Array, target: Array) -> Array:
    """(outcomes,) probability of each counts vector of independent draws from ``target``."""
    from scipy.special import gammaln, xlogy

    logs = (xlogy(found, target) - gammaln(found + 1)).sum(1)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def prefix_pmf(counts: Array, size: int, *, target: Array | None = None) -> Iterator[Array]:
    """For each group, (size, size + 1) probability that the first n + 1 items hold c of it.

    Hypergeometric from a pool of ``counts`` or, with ``target``, binomial.
    """
    from scipy.special import gammaln, xlog1py, xlogy

    n, c = np.arange(1, size + 1)[:, None], np.arange(size + 1)[None]
    total = counts.sum()
    for group, count in enumerate(counts):
        with np.errstate(invalid="ignore"):
            choose = gammaln(n + 1) - gammaln(c + 1) - gammaln(np.maximum(n - c, 0) + 1)
            if target is not None:
                logs = choose + xlogy(c, target[group]) + xlog1py(np.maximum(n - c, 0), -target[group])
                possible = c <= n
            else:
                possible = (c <= n) & (c <= count) & (n - c <= total - count)
                logs = (
                    gammaln(count + 1) - gammaln(c + 1) - gammaln(np.maximum(count - c, 0) + 1)
                    + gammaln(total - count + 1) - gammaln(np.maximum(n - c, 0) + 1)
                    - gammaln(np.maximum(total - count - n + c, 0) + 1)
                    - gammaln(total + 1) + gammaln(n + 1) + gammaln(np.maximum(total - n, 0) + 1)
                )  # fmt: skip
        yield np.where(possible, np.exp(np.where(possible, logs, 0.0)), 0.0)
