"""Local prevalence: what soft labels say once it is known how common each group is around an item.

A label of 90 % accuracy is right nine times in ten among equal groups, but only every other time about a group that is one in ten of
what surrounds it. Shares q are taken as calibrated for groups of equal size; the mix pi around each item is estimated from the
shares of its neighbours in the list, and both are brought in line:

    p_ig = q_ig pi_g(i) / sum_h q_ih pi_h(i),    pi(i) = mean of p over about ``window`` entries around i

by a few steps of expectation-maximisation. Saerens, Latinne, Decaestecker: Adjusting the outputs of a classifier to new a priori
probabilities (Neural Computation 2002); here in a moving window, a quarter of it at a time. Hard labels stay as they are, and so does
unknown mass.
"""

from __future__ import annotations

import numpy as np

from fairlead.ragged import Array

_STEPS = 8
_PRIOR = 2.0
"""Entries of an even mix added to every window, so that no group is ever ruled out."""


def local_shares(shares: Array, offsets: Array, window: int) -> Array:
    """(entries, groups) shares in the light of their neighbours; a query's entries are ``offsets[q]:offsets[q + 1]``."""
    known = shares.sum(1, keepdims=True)
    if window < 1 or not len(shares) or not ((shares > 0) & (shares < known)).any():
        return shares
    blocks = _Blocks(offsets, max(1, -(-window // 4)))
    groups = shares.shape[1]
    block = np.full((1, groups), 1 / groups)
    mix, found = block, shares
    for _ in range(_STEPS):
        joint = shares * mix
        total = joint.sum(1, keepdims=True)
        found = joint * (known / np.where(total > 0, total, 1.0))
        mass = blocks.around(found) + _PRIOR / groups
        now = mass / mass.sum(1, keepdims=True)
        leap = now * (now / block)  # twice the step that EM takes, which would creep
        block = leap / leap.sum(1, keepdims=True)
        mix = np.repeat(block, blocks.sizes, axis=0)
    return found


class _Blocks:
    """Entries in blocks of one size, none of which crosses from one list into the next."""

    def __init__(self, offsets: Array, size: int) -> None:
        lengths = np.diff(offsets)
        count = -(-lengths // size)
        ends = np.cumsum(count)
        owner = np.repeat(np.arange(len(lengths)), count)
        number = np.arange(len(owner)) - (ends - count)[owner]
        starts = np.append(offsets[:-1][owner] + number * size, offsets[-1])
        self.sizes = np.diff(starts)
        reach = np.minimum(5, count)[owner]
        low = (ends - count)[owner] + np.clip(number - 2, 0, count[owner] - reach)
        self.low, self.high = starts[low], starts[low + reach]

    def around(self, values: Array) -> Array:
        """(blocks, columns) sums over a block and its two neighbours on either side."""
        running = np.zeros((len(values) + 1, values.shape[1]))
        np.cumsum(values, axis=0, out=running[1:])
        return running[self.high] - running[self.low]
