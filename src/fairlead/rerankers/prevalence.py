"""Local prevalence: soft labels, corrected by how common each group is around an item.

A label of 90 % accuracy is right nine times in ten among equal groups, but only every other time
about a group that is one in ten of what surrounds it. Shares q are taken as calibrated for groups
of equal size. The mix pi around each item is estimated from the shares of its neighbours in the
list, and both are brought in line:

    p_ig  = q_ig pi_g(i) / sum_h q_ih pi_h(i)
    pi(i) = mean of p over about ``window`` entries around i

by a few steps of expectation-maximisation. Saerens, Latinne, Decaestecker: Adjusting the outputs of
a classifier to new a priori probabilities (Neural Computation 2002); here in a moving window, a
quarter of it at a time. Hard labels stay as they are, and so does unknown mass.
"""

from __future__ import annotations

import numpy as np

from fairlead.types.ragged import Array

_STEPS = 5
_LEAST = 1e-300
# Entries of an even mix added to every window, so that no group is ever ruled out
_PRIOR = 2.0


def local_shares(shares: Array, offsets: Array, window: int) -> Array:
    """(entries, groups) shares in the light of their neighbours.

    A query's entries are ``offsets[q]:offsets[q + 1]``.
    """
    if window < 1 or not len(shares) or not ((shares > 0) & (shares < 1)).any():
        return shares
    blocks = _Blocks(offsets, max(1, -(-window // 4)))
    groups = shares.shape[1]
    cut = blocks.cut(shares)
    known = cut.sum(0)
    mix = np.full((groups, cut.shape[2]), 1 / groups)
    corrected = cut
    for step in range(_STEPS):
        total = np.einsum("gsb,gb->sb", cut, mix)
        weight = known / np.maximum(total, _LEAST)
        if step == _STEPS - 1:
            corrected = cut * mix[:, None] * weight
            break
        mass = blocks.around(mix * np.einsum("gsb,sb->gb", cut, weight)) + _PRIOR / groups
        leap = mass * (mass / mix)  # twice the step that EM takes, which would creep
        mix = leap / leap.sum(0)
    return blocks.whole(corrected)


class _Blocks:
    """Entries in blocks of one size, none of which crosses from one list into the next.

    Values are cut into (columns, size, blocks): long rows, so that every step runs at the
    speed of memory.
    """

    def __init__(self, offsets: Array, size: int) -> None:
        lengths = np.diff(offsets)
        count = -(-lengths // size)
        ends = np.cumsum(count)
        self.size, self.blocks = size, int(ends[-1])
        gaps = (ends - count) * size - offsets[:-1]  # what was padded before each list
        if (lengths == count * size).all():
            self.slots = None
        else:
            self.slots = np.arange(offsets[-1]) + np.repeat(gaps, lengths)
        owner = np.repeat(np.arange(len(lengths)), count)
        first = (ends - count)[owner]
        reach = np.minimum(5, count)[owner]
        self.low = np.clip(np.arange(len(owner)) - 2, first, first + count[owner] - reach)
        self.high = self.low + reach

    def cut(self, values: Array) -> Array:
        """(columns, size, blocks) the values of (entries, columns); zero where a list has ended."""
        if self.slots is not None:
            padded = np.zeros((self.blocks * self.size, values.shape[1]))
            padded[self.slots] = values
            values = padded
        return np.ascontiguousarray(
            values.reshape(self.blocks, self.size, -1).transpose(2, 1, 0), np.float64
        )

    def whole(self, cut: Array) -> Array:
        """(entries, columns) what was cut."""
        padded = cut.transpose(2, 1, 0).reshape(self.blocks * self.size, -1)
        if self.slots is None:
            return padded
        return padded[self.slots]

    def around(self, sums: Array) -> Array:
        """(columns, blocks) sums over a block and its two neighbours on either side."""
        running = np.zeros((len(sums), sums.shape[1] + 1))
        np.cumsum(sums, axis=1, out=running[:, 1:])
        return running.take(self.high, axis=1) - running.take(self.low, axis=1)
