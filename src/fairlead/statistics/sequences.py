"""Random label sequences under each null, and exact outcomes where only counts matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from fairlead.types import NOT_APPLICABLE, UNKNOWN
from fairlead.types.ragged import Array

MOST_OUTCOMES = 200_000
_LOG_FACTORIALS = np.array([math.log(math.factorial(n)) for n in range(64)])
_MOST_CELLS = 20_000_000
_MEAN_CELLS = 1 << 20
_FEW_GROUPS = 16


def palette(groups: int) -> Array:
    """The codes that counts vectors stand for: the groups, unknown, not applicable."""
    return np.array([*range(groups), UNKNOWN, NOT_APPLICABLE], np.int16)


def tally(codes: Array, groups: int) -> Array:
    """(groups + 2,) counts of each group, of unknown and of not applicable."""
    return np.bincount(np.where(codes >= 0, codes, groups - 1 - codes), minlength=groups + 2)


def drawn(counts: Array, size: int, draws: int, rngs: Sequence[np.random.Generator]) -> Array:
    """(pools, draws, size) codes in the order of draws without replacement.

    Pools are (pools, groups + 2) counts, each with a random stream of its own.
    """
    codes = palette(counts.shape[1] - 2)
    totals = counts.sum(1)
    # the whole pool is drawn: only the order is random, and shuffling is the faster way
    if (totals == size).all():
        return np.stack(
            [
                shuffled(np.repeat(codes, own), draws, rng)
                for own, rng in zip(counts, rngs, strict=True)
            ]
        )
    uniforms = np.stack([rng.random((size, draws)) for rng in rngs])
    # groups that no pool holds need no rung of the ladder
    live = np.flatnonzero(counts.any(0))
    ladder = counts[:, live].cumsum(1).T[..., None]
    shape = (len(live), len(counts), draws)
    remaining = np.ascontiguousarray(np.broadcast_to(ladder, shape), np.float64)
    picked = np.zeros((size, len(counts), draws), np.int16)
    # Items are drawn one after the other, for all pools and draws at once. A row of ``remaining``
    # counts what is left of its category and of those before it, so the last row need not be looked
    # at: whatever was not drawn before is of its category.
    for n in range(size):
        place = uniforms[:, n] * (totals - n)[:, None]
        for count in remaining[:-1]:
            before = count > place
            count -= before
            picked[n] += ~before
    return codes[live].take(picked.transpose(1, 2, 0))


def shuffled(codes: Array, draws: int, rng: np.random.Generator) -> Array:
    """(draws, size) random orders of the codes.

    These are the same (size,) codes for all draws, or each row of (draws, size). Random words that
    carry the code in their lowest bits are sorted, which is faster than exchanging one item at a
    time. Words are long enough that fewer than one row in a thousand holds two with the same random
    part (such a pair would stand by code).
    """
    size = codes.shape[-1]
    bits = max(1, int(codes.max(initial=0)) - NOT_APPLICABLE).bit_length()
    word = np.uint32 if size * size << bits < 1 << 23 else np.uint64
    words = rng.integers(
        0, 1 << 64, -(-draws * size * np.dtype(word).itemsize // 8), np.uint64
    ).view(word)[: draws * size]
    keys = words.reshape(draws, size)
    mask = word((1 << bits) - 1)
    # the lowest bits of a random word give way to the code
    keys &= ~mask
    keys |= (codes - NOT_APPLICABLE).astype(word)
    keys.sort(axis=1)
    keys &= mask
    result = keys.astype(codes.dtype)
    result += NOT_APPLICABLE
    return result


def distinct(pool: int, size: int, draws: int, rng: np.random.Generator) -> Array:
    """(draws, size) rows of a pool in the order of draws without replacement.

    It is meant for a few rows of a large pool. A draw in which a row is repeated is drawn again as
    a whole, so that every order stays equally likely.
    """
    picks = rng.integers(pool, size=(draws, size))
    again = np.arange(draws)
    while len(again):
        steps = np.diff(np.sort(picks[again], axis=1), axis=1)
        again = again[(steps == 0).any(1)]
        picks[again] = rng.integers(pool, size=(len(again), size))
    return picks


def independent(
    target: Array, missing: Array, size: int, draws: int, rng: np.random.Generator
) -> Array:
    """(draws, size) codes drawn independently from the target.

    ``missing`` (unknown, not applicable) keep their counts.
    """
    uniforms = rng.random((draws, size - int(missing.sum())))
    ladder = np.cumsum(target)[:-1]
    # a few comparisons of whole arrays beat a binary search for each number
    if len(ladder) > _FEW_GROUPS:
        codes = np.searchsorted(ladder, uniforms, side="right").astype(np.int16)
    else:
        codes = np.zeros(uniforms.shape, np.int16)
        for step in ladder:
            codes += uniforms >= step
    if not missing.any():
        return codes
    absent = np.repeat(np.array([UNKNOWN, NOT_APPLICABLE], np.int16), missing)
    absent = np.broadcast_to(absent, (draws, len(absent)))
    return shuffled(np.hstack([codes, absent]), draws, rng)


def within_blocks(blocks: Array, size: int, draws: int, rng: np.random.Generator) -> Array:
    """(draws, size) which position stands at each of the first ``size`` places.

    Positions are only exchanged within their block. As in ``shuffled``, random words are sorted:
    here they carry the block in their highest bits and the position in their lowest.
    """
    of = np.unique(blocks, return_inverse=True)[1]
    length = len(blocks)
    low = length.bit_length()
    high = int(of.max(initial=0)).bit_length()
    word: Any = np.uint32 if 32 - high - low >= 16 else np.uint64
    wide = 8 * np.dtype(word).itemsize
    # enough 64-bit words for all positions, read as shorter words where these suffice
    words = rng.integers(0, 1 << 64, -(-draws * length * wide // 64), np.uint64).view(word)
    random: Array = words[: draws * length].reshape(draws, length)
    random >>= word(high + low)
    random <<= word(low)
    fixed = np.arange(length, dtype=word)
    if high:
        fixed |= of.astype(word) << word(wide - high)
    random |= fixed
    random.sort(axis=1)
    place = np.empty(length, np.intp)
    # blocks come out one after the other; each position reads from its own
    place[np.argsort(of, kind="stable")] = np.arange(length)
    picks = random.take(place[:size], axis=1) & word((1 << low) - 1)
    return picks.astype(np.intp)


def outcomes(limits: Array, size: int, most: int = MOST_OUTCOMES) -> Array | None:
    """(outcomes, categories) all counts vectors of ``size`` items within the limits.

    None where they are more than ``most``.
    """
    live = np.flatnonzero(limits)
    if not len(live):  # nothing is labelled: there is one outcome, the empty one
        return np.zeros((1, len(limits)), np.int64)
    if math.comb(size + len(live) - 1, len(live) - 1) > most:
        return None
    vectors = np.zeros((1, len(limits)), np.int64)
    for category in live[:-1]:
        room = np.minimum(limits[category], size - vectors.sum(1))
        vectors = np.repeat(vectors, room + 1, axis=0)
        vectors[:, category] = np.concatenate([np.arange(r + 1) for r in room])
    vectors[:, live[-1]] = size - vectors.sum(1)
    vectors = vectors[vectors[:, live[-1]] <= limits[live[-1]]]
    if len(vectors) * size <= _MOST_CELLS:
        return vectors
    return None


def hypergeometric_weights(found: Array, counts: Array) -> Array:
    """(..., outcomes) probability of each counts vector, without replacement.

    The pools are (..., categories) counts.
    """
    logs = np.zeros((*counts.shape[:-1], len(found)))
    taken = np.arange(int(found.max(initial=0)) + 1)
    for category in range(found.shape[1]):
        logs += _ways(counts[..., category, None], taken)[..., found[:, category]]
    return _normal(logs)


def multinomial_weights(found: Array, target: Array) -> Array:
    """(outcomes,) probability of each counts vector of independent draws from ``target``."""
    return _normal((_times_log(found, target) - log_factorial(found)).sum(1))


def log_factorial(counts: Array) -> Array:
    """The logarithm of n!, from a table for small n and by Stirling's series beyond."""
    n = np.asarray(counts, np.float64)
    # the series is only used, and only exact enough, beyond the table
    large = np.maximum(n, len(_LOG_FACTORIALS))
    inverse = 1 / large
    series = inverse * (1 / 12 - inverse**2 * (1 / 360 - inverse**2 / 1260))
    stirling = large * np.log(large) - large + 0.5 * np.log(2 * np.pi * large) + series
    return np.where(
        n < len(_LOG_FACTORIALS),
        _LOG_FACTORIALS[np.minimum(n, len(_LOG_FACTORIALS) - 1).astype(np.intp)],
        stirling,
    )


def _times_log(counts: Array, shares: Array) -> Array:
    """Counts times the logarithm of shares, 0 where the count is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counts == 0, 0.0, counts * np.log(shares))


def _normal(logs: Array) -> Array:
    weights = np.exp(logs - logs.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def _ways(items: Array, taken: Array) -> Array:
    """Logarithm of how many ways there are to take some of the items; -inf where there are none."""
    rest = items - taken
    return np.where(
        rest >= 0,
        log_factorial(items) - log_factorial(taken) - log_factorial(np.maximum(rest, 0)),
        -np.inf,
    )


def hypergeometric_means(functions: Array, counts: Array, totals: Array, size: int) -> Array:
    """(functions, pools, size) mean of f(c) under draws without replacement.

    c is the count of a group among the first n + 1 items drawn.

    Args:
        functions: (functions, size + 1) values of each f at 0, 1, 2, ...
        counts: (pools,) how many of the group a pool holds.
        totals: (pools,) how many items it holds; at least ``size``.
        size: Length of the list.
    """
    taken = np.arange(size + 1)
    inside, outside, whole = (
        _ways(items[:, None], taken) for items in (counts, totals - counts, totals)
    )
    return _means(functions, inside, outside, -whole[:, 1:])


def binomial_means(functions: Array, shares: Array, size: int) -> Array:
    """(functions, shares, size) mean of f(c) under independent draws.

    c is the count of a group among the first n + 1 items, each of the group with its share.
    """
    taken = np.arange(size + 1)
    inside = _times_log(taken, shares[:, None]) - log_factorial(taken)
    outside = _times_log(taken, 1 - shares[:, None]) - log_factorial(taken)
    return _means(
        functions, inside, outside, np.broadcast_to(log_factorial(taken[1:]), (len(shares), size))
    )


def _means(functions: Array, inside: Array, outside: Array, whole: Array) -> Array:
    """Means under the weights exp(inside[c] + outside[n - c] + whole[n]).

    A few pools are handled at a time.
    """
    pools, size = whole.shape
    n = np.arange(1, size + 1)[:, None]
    c = np.arange(size + 1)
    rest = np.where(n >= c, n - c, size + 1)
    outside = np.hstack([outside, np.full((pools, 1), -np.inf)])
    result = np.empty((len(functions), pools, size))
    # the group's counts end early: weights beyond are not written out
    most = (inside > -np.inf).sum(1)
    order = np.argsort(most, kind="stable")
    start = 0
    while start < pools:
        wide = most[order[start:]] * size * np.arange(1, pools - start + 1)
        part = order[start : start + max(1, int(np.searchsorted(wide, _MEAN_CELLS, side="right")))]
        width = most[part[-1]]
        weights = outside[part][:, rest[:, :width]]
        weights += inside[part][:, None, :width]
        weights += whole[part][..., None]
        np.exp(weights, out=weights)
        result[:, part] = np.moveaxis(weights @ functions[:, :width].T, -1, 0)
        start += len(part)
    return result
