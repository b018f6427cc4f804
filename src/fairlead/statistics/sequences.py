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
    """(pools, draws, size) codes in the order of draws without replacement, each pool of (pools,
    groups + 2) counts with its stream.
    """
    codes, totals = palette(counts.shape[1] - 2), counts.sum(1)
    if (totals == size).all():
        return np.stack(
            [
                shuffled(np.repeat(codes, own), draws, rng)
                for own, rng in zip(counts, rngs, strict=True)
            ]
        )
    uniforms = np.stack([rng.random((size, draws)) for rng in rngs])
    live = np.flatnonzero(counts.any(0))
    left = np.ascontiguousarray(
        np.broadcast_to(counts[:, live].cumsum(1).T[..., None], (len(live), len(counts), draws)),
        np.float64,
    )
    picked = np.zeros((size, len(counts), draws), np.int16)
    for n in range(
        size
        # one item after the other; ``left`` counts what remains of this category and of those before it
    ):
        at = uniforms[:, n] * (totals - n)[:, None]
        for count in left[:-1]:
            before = count > at
            count -= before
            picked[n] += ~before
    return codes[live].take(picked.transpose(1, 2, 0))


def shuffled(codes: Array, draws: int, rng: np.random.Generator) -> Array:
    """(draws, size) random orders of the codes: of the same (size,) codes, or of each row of
    (draws, size).

    Random words that carry the code in their lowest bits are sorted, which is faster than
    exchanging one item at a time. Words are long enough that fewer than one row in a thousand holds
    two with the same random part (such a pair would stand by code).
    """
    size, bits = codes.shape[-1], max(1, int(codes.max(initial=0)) - NOT_APPLICABLE).bit_length()
    word = np.uint32 if size * size << bits < 1 << 23 else np.uint64
    words = rng.integers(
        0, 1 << 64, -(-draws * size * np.dtype(word).itemsize // 8), np.uint64
    ).view(word)[: draws * size]
    keys, mask = words.reshape(draws, size), word((1 << bits) - 1)
    keys &= ~mask
    keys |= (codes - NOT_APPLICABLE).astype(word)
    keys.sort(axis=1)
    keys &= mask
    result = keys.astype(codes.dtype)
    result += NOT_APPLICABLE
    return result


def distinct(pool: int, size: int, draws: int, rng: np.random.Generator) -> Array:
    """(draws, size) rows of a pool in the order of draws without replacement; draws with a repeated
    row are drawn again.

    Meant for a few rows of a large pool: the whole of a draw is repeated, so that every order stays
        equally likely.
    """
    picks = rng.integers(pool, size=(draws, size))
    again = np.arange(draws)
    while len(again := again[(np.diff(np.sort(picks[again], axis=1), axis=1) == 0).any(1)]):
        picks[again] = rng.integers(pool, size=(len(again), size))
    return picks


def independent(
    target: Array, missing: Array, size: int, draws: int, rng: np.random.Generator
) -> Array:
    """(draws, size) codes drawn independently from the target; ``missing`` (unknown, not
    applicable) keep their counts.
    """
    uniforms, ladder = rng.random((draws, size - int(missing.sum()))), np.cumsum(target)[:-1]
    if len(ladder) > _FEW_GROUPS:
        codes = np.searchsorted(ladder, uniforms, side="right").astype(np.int16)
    else:
        codes = np.zeros(uniforms.shape, np.int16)
        for step in ladder:
            codes += uniforms >= step
    if not missing.any():
        return codes
    absent = np.repeat(np.array([UNKNOWN, NOT_APPLICABLE], np.int16), missing)
    return shuffled(np.hstack([codes, np.broadcast_to(absent, (draws, len(absent)))]), draws, rng)


def within_blocks(blocks: Array, size: int, draws: int, rng: np.random.Generator) -> Array:
    """(draws, size) which of the positions stands at each of the first ``size``, positions being
    exchanged within each block only.

    As in ``shuffled``, random words are sorted: here they carry the block in their highest bits and
        the position in their lowest.
    """
    of, length = np.unique(blocks, return_inverse=True)[1], len(blocks)
    low, high = length.bit_length(), int(of.max(initial=0)).bit_length()
    word: Any = np.uint32 if 32 - high - low >= 16 else np.uint64
    wide = 8 * np.dtype(word).itemsize
    random: Array = (
        rng.integers(0, 1 << 64, -(-draws * length * wide // 64), np.uint64)
        .view(word)[: draws * length]
        .reshape(draws, length)
    )
    random >>= word(high + low)
    random <<= word(low)
    random |= (
        (of.astype(word) << word(wide - high)) | np.arange(length, dtype=word)
        if high
        else np.arange(length, dtype=word)
    )
    random.sort(axis=1)
    place = np.empty(length, np.intp)
    place[np.argsort(of, kind="stable")] = np.arange(
        length
    )  # blocks come out one after the other; each position reads from its own
    return (random.take(place[:size], axis=1) & word((1 << low) - 1)).astype(np.intp)


def outcomes(limits: Array, size: int, most: int = MOST_OUTCOMES) -> Array | None:
    """(outcomes, categories) all counts vectors of ``size`` items within the limits, or None where
    they are more than ``most``.
    """
    live = np.flatnonzero(limits)
    if not len(live):  # nothing is labelled: there is one outcome, the empty one
        return np.zeros((1, len(limits)), np.int64)
    if math.comb(size + len(live) - 1, len(live) - 1) > most:
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
    """(..., outcomes) probability of each counts vector drawn without replacement from pools of
    (..., categories) counts.
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
    """The logarithm of n! of whole numbers from 0: a table at first, Stirling's series beyond."""
    n = np.asarray(counts, np.float64)
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
    left = items - taken
    return np.where(
        left >= 0,
        log_factorial(items) - log_factorial(taken) - log_factorial(np.maximum(left, 0)),
        -np.inf,
    )


def hypergeometric_means(functions: Array, counts: Array, totals: Array, size: int) -> Array:
    """(functions, pools, size) mean of f(c), c of a group among the first n + 1 drawn without
    replacement.

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
    """(functions, shares, size) mean of f(c), c of a group among the first n + 1 drawn
    independently with the group's share.
    """
    taken = np.arange(size + 1)
    inside = _times_log(taken, shares[:, None]) - log_factorial(taken)
    outside = _times_log(taken, 1 - shares[:, None]) - log_factorial(taken)
    return _means(
        functions, inside, outside, np.broadcast_to(log_factorial(taken[1:]), (len(shares), size))
    )


def _means(functions: Array, inside: Array, outside: Array, whole: Array) -> Array:
    """Means under the weights exp(inside[c] + outside[n - c] + whole[n]), a few pools at a time."""
    pools, size = whole.shape
    n, c = np.arange(1, size + 1)[:, None], np.arange(size + 1)
    rest = np.where(n >= c, n - c, size + 1)
    outside = np.hstack([outside, np.full((pools, 1), -np.inf)])
    result = np.empty((len(functions), pools, size))
    most = (inside > -np.inf).sum(
        1
    )  # the group's counts end early: weights beyond are not written out
    order, start = np.argsort(most, kind="stable"), 0
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
