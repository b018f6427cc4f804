"""Kernels over all prefixes of a list: their divergence from the target, averaged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairlead.metrics.divergence import Base, Smooth, kl
from fairlead.metrics.listwise import Discount, discounts
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array

# How many cells (queries x positions x groups) the general path holds at a time
_BLOCK_CELLS = 1 << 20
# How many cells (queries x positions) the fast path works on at a time: arrays that stay in the
# cache and are not given back to the system in between make it four times faster
_FAST_CELLS = 1 << 14


def prefix_kl(
    lists: Lists, *, toward: str, eps: float, smooth: Smooth, base: Base, discount: Discount
) -> Array:
    """(q,) discount-weighted mean over prefixes of KL between prefix and target.

    ``toward`` names the second argument: ``target`` is KL(prefix || target), ``prefix`` is
    KL(target || prefix). The shares of a prefix are taken over what is known in it, its weight from
    its full length. Prefixes with nothing known are left out.
    """
    weights = discounts(discount, lists.width)
    if not lists.width:
        values = np.full(len(lists.lengths), np.nan)
    elif toward == "target" and eps == 0 and lists.codes is not None:
        # counts alone decide here, which is many times faster than writing out every prefix
        values = _of_hard(lists, weights)
    else:
        rows = max(1, _BLOCK_CELLS // (lists.width * len(lists.names)))
        parts = [_general(part, weights, toward, eps, smooth) for part in _blocks(lists, rows)]
        values = np.concatenate(parts)
    return values / np.log(2) if base == "2" else values


def _of_hard(lists: Lists, weights: Array) -> Array:
    """KL(prefix || target) of hard lists."""
    if lists.complete:
        return _counted(lists, weights)
    rows = max(1, _FAST_CELLS // lists.width)
    return np.concatenate([_running(part, weights) for part in _blocks(lists, rows)])


def _general(lists: Lists, weights: Array, toward: str, eps: float, smooth: Smooth) -> Array:
    """Any labels and any smoothing: the shares of every prefix, written out."""
    counts = lists.share.cumsum(1)
    known = counts.sum(-1)
    inside = (known > 0) & (np.arange(lists.width) < lists.lengths[:, None])
    target = lists.target[:, None]
    with np.errstate(invalid="ignore"):
        prefix = np.where(inside[..., None], counts / known[..., None], target)
    if toward == "target":
        values = kl(prefix, target, eps=eps, smooth=smooth)
    else:
        values = kl(target, prefix, eps=eps, smooth=smooth)
    return _mean(values, weights, inside)


def _counted(lists: Lists, weights: Array) -> Array:
    """KL(prefix || target) of complete hard lists, from counts alone.

    With c_g of group g in the first n, KL_n = (1/n) sum_g (c_g ln c_g - c_g ln t_g) - ln n. An item
    that is the c-th of its group adds c ln c - (c-1) ln(c-1) - ln t_g to every later sum, so the
    weighted mean over prefixes is one dot product.
    """
    assert lists.codes is not None
    n = np.arange(1, lists.width + 1)
    # what one unit added at position i contributes over prefixes n >= i
    later = np.cumsum((weights / n)[::-1])[::-1]
    steps = _steps(lists.width)
    rows = max(1, _FAST_CELLS // lists.width)
    blocks = [lists.codes[start : start + rows] for start in range(0, len(lists.codes), rows)]
    gains = np.concatenate(
        [steps.take(earlier(codes, len(lists.names))) @ later for codes in blocks]
    )
    with np.errstate(divide="ignore"):
        log_target = np.log(lists.target)
    # a uniform target is the same for every item: no look-up by group is needed
    if (log_target == log_target[0, 0]).all():
        expected = later.sum() * log_target[:, 0]
    else:
        expected = np.take_along_axis(log_target, lists.codes.astype(np.intp), 1) @ later
    sizes = (weights * np.log(n)).sum()
    return np.maximum((gains - expected - sizes) / weights.sum(), 0.0)


def _running(lists: Lists, weights: Array) -> Array:
    """KL(prefix || target) of hard lists with gaps (unknown, not applicable, ragged).

    A running sum replaces the dot product of ``_counted``.
    """
    assert lists.codes is not None
    labelled = lists.codes >= 0
    groups = len(lists.names)
    codes = np.maximum(lists.codes, 0)  # gaps are not counted, and what they add is left out
    with np.errstate(divide="ignore"):
        log_target = np.log(lists.target)
    gains = _steps(lists.width).take(earlier(codes, groups, labelled))
    if (log_target == log_target[0, 0]).all():
        gains -= log_target[0, 0]
    else:
        gains -= np.take_along_axis(log_target, codes.astype(np.intp), 1)
    gains[~labelled] = 0.0
    known = labelled.cumsum(1)
    number = np.maximum(np.arange(lists.width + 1), 1)
    values = gains.cumsum(1)
    values *= (1 / number).take(known)
    values -= np.log(number).take(known)
    np.maximum(values, 0.0, out=values)
    if (lists.lengths < lists.width).any():
        values[np.arange(lists.width) >= lists.lengths[:, None]] = 0.0
    upto = np.concatenate([[0.0], np.cumsum(weights)])
    # prefixes count from the first known item on
    weight_inside = upto[lists.lengths] - upto[labelled.argmax(1)]
    return np.where(
        known[:, -1] > 0, values @ weights / np.maximum(weight_inside, weights[-1]), np.nan
    )


def _mean(values: Array, weights: Array, inside: Array) -> Array:
    """(q,) weighted mean of the values inside; NaN where there are none."""
    with np.errstate(invalid="ignore"):
        return np.where(inside, weights * values, 0.0).sum(1) / (weights * inside).sum(1)


def _steps(size: int) -> Array:
    """(size,) what the next item of a group adds to c ln c, by how many stand before it."""
    counts = np.arange(1, size + 1)
    return np.diff(counts * np.log(counts), prepend=0.0)


def _blocks(lists: Lists, rows: int) -> Iterator[Lists]:
    """The lists in blocks of ``rows`` lists."""
    for start in range(0, len(lists.lengths), rows):
        part = slice(start, start + rows)
        codes, soft = (None if x is None else x[part] for x in (lists.codes, lists.soft))
        yield Lists(
            lists.queries[part],
            lists.lengths[part],
            lists.target[part],
            lists.names,
            codes=codes,
            soft=soft,
        )


def earlier(codes: Array, groups: int, counted: Array | None = None) -> Array:
    """(q, m) how many items of the same group stand before each position of its list.

    Codes are >= 0; where ``counted`` is False an item does not count.

    The counters of several groups share one 64-bit word, so that one running sum counts them all.
    The sum includes the item itself, which may carry over into the next counter. Taking the item
    off again undoes that, because the counts before an item always fit.
    """
    bits = max(1, (codes.shape[1] - 1).bit_length())
    per_word = 64 // bits
    shifts = (codes if groups <= per_word else codes % per_word).astype(np.uint64)
    shifts *= np.uint64(bits)
    units = np.uint64(1) << shifts
    if counted is not None:
        units *= counted
    if groups <= per_word:
        running = np.cumsum(units, axis=1)
    else:
        running = np.zeros_like(units)
        word = codes // per_word
        for w in range(-(-groups // per_word)):
            running += np.cumsum(units * (word == w), axis=1) * (word == w)
    running -= units
    running >>= shifts
    running &= np.uint64((1 << bits) - 1)
    return running.view(np.int64)
