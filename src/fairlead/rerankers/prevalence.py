"""Local prevalence: what soft labels say once it is known how common each group is around an item.

A label of 90 % accuracy is right nine times in ten among equal groups, but only every other time about a group that is one in ten of
what surrounds it. Shares q are taken as calibrated for groups of equal size; the mix pi around each item is estimated from the
shares of its neighbours in the list, and both are brought in line:

    p_ig = q_ig pi_g(i) / sum_h q_ih pi_h(i),    pi(i) = mean of p over the ``window`` entries around i

by a few steps of expectation-maximisation. Saerens, Latinne, Decaestecker: Adjusting the outputs of a classifier to new a priori
probabilities (Neural Computation 2002); here in a moving window. Hard labels stay as they are, and so does unknown mass.
"""

from __future__ import annotations

import numpy as np

from fairlead.ragged import Array

_STEPS = 12
_PRIOR = 2.0
"""Entries of an even mix added to every window, so that no group is ever ruled out."""


def local_shares(shares: Array, offsets: Array, window: int) -> Array:
    """(entries, groups) shares in the light of their neighbours; a query's entries are ``offsets[q]:offsets[q + 1]``."""
    known = shares.sum(1, keepdims=True)
    if window < 1 or not len(shares) or not ((shares > 0) & (shares < known)).any():
        return shares
    lengths, groups = np.diff(offsets), shares.shape[1]
    owner = np.repeat(np.arange(len(lengths)), lengths)
    size = np.minimum(window, lengths)[owner]
    place = np.arange(len(shares)) - offsets[:-1][owner]
    low = offsets[:-1][owner] + np.clip(place - size // 2, 0, lengths[owner] - size)
    mix, found = np.full_like(shares, 1 / groups), shares
    for _ in range(_STEPS):
        joint = shares * mix
        total = joint.sum(1, keepdims=True)
        found = np.divide(joint * known, total, out=np.zeros_like(joint), where=total > 0)
        running = np.concatenate([np.zeros((1, groups)), np.cumsum(found, axis=0)])
        mass = running[low + size] - running[low] + _PRIOR / groups
        mix = mass / mass.sum(1, keepdims=True)
    return found
