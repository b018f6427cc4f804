"""Kernels over all prefixes of a list: the divergence of each prefix from the target, averaged with a discount."""

from __future__ import annotations

import numpy as np

from fairlead.evidence import Lists
from fairlead.metrics.divergence import Base, Smooth, kl
from fairlead.metrics.listwise import Discount, discounts
from fairlead.ragged import Array


def prefix_kl(lists: Lists, *, toward: str, eps: float, smooth: Smooth, base: Base, discount: Discount) -> Array:
    """(q,) discount-weighted mean over prefixes of KL between prefix and target; prefixes with nothing known are left out.

    ``toward`` names the second argument: ``target`` is KL(prefix || target), ``prefix`` is KL(target || prefix).
    """
    if toward == "target" and eps == 0 and lists.complete and (lists.target > 0).all():
        return _counted(lists, discounts(discount, lists.width)) / (np.log(2) if base == "2" else 1.0)
    counts = lists.share.cumsum(1)
    known = counts.sum(-1)
    inside = (known > 0) & (np.arange(lists.width) < lists.lengths[:, None])
    with np.errstate(invalid="ignore"):
        prefix = np.where(inside[..., None], counts / known[..., None], lists.target[:, None])
    target = np.broadcast_to(lists.target[:, None], prefix.shape)
    first, second = (prefix, target) if toward == "target" else (target, prefix)
    values = kl(first, second, eps=eps, smooth=smooth, base=base)
    weights = discounts(discount, lists.width) * inside
    with np.errstate(invalid="ignore"):
        return np.where(inside, weights * values, 0.0).sum(1) / weights.sum(1)


def _counted(lists: Lists, weights: Array) -> Array:
    """The same for complete hard lists, from counts alone.

    With c_g of group g in the first n, KL_n = (1/n) sum_g (c_g ln c_g - c_g ln t_g) - ln n. An item that is the c-th of its group
    adds f(c) = c ln c - (c-1) ln(c-1) - ln t_g to every later sum, so the weighted mean over prefixes is one dot product.
    """
    assert lists.codes is not None
    n = np.arange(1, lists.width + 1)
    later = np.cumsum((weights / n)[::-1])[::-1]  # what one unit added at position i contributes over prefixes n >= i
    steps = np.zeros(lists.width + 1)
    steps[1:] = np.diff(n * np.log(n), prepend=0.0)
    added = steps[occurrence(lists.codes, lists.target.shape[1])]
    log_target = np.log(lists.target)
    if (log_target == log_target[0]).all():
        against = log_target[0][lists.codes] @ later if np.ptp(log_target[0]) else later.sum() * log_target[0, 0]
    else:
        against = np.take_along_axis(log_target, lists.codes.astype(np.intp), 1) @ later
    return (added @ later - against - (weights * np.log(n)).sum()) / weights.sum()


def occurrence(codes: Array, groups: int) -> Array:
    """(q, m) how many items of the same group stand in the list up to and including each position; codes are >= 0.

    Counters of several groups share one 64-bit word, so one running sum counts them all.
    """
    bits = int(codes.shape[1]).bit_length()
    per_word = 64 // bits
    word, shift = np.arange(groups) // per_word, (np.arange(groups) % per_word * bits).astype(np.uint64)
    mask = np.uint64((1 << bits) - 1)
    shifts = shift[codes]
    if groups <= per_word:
        running = np.cumsum(np.uint64(1) << shifts, axis=1)
        return ((running >> shifts) & mask).astype(np.intp)
    total = np.zeros(codes.shape, np.uint64)
    for w in range(int(word[-1]) + 1):
        here = word == w
        running = np.cumsum(np.where(here, np.uint64(1) << shift, np.uint64(0))[codes], axis=1)
        total |= (running >> shifts) & np.where(here, mask, np.uint64(0))[codes]
    return total.astype(np.intp)
