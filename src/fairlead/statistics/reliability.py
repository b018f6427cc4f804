"""Whether shares mean what they say: calibration error, and the temperature that lowers it.

Of the items whose best share is about .8, eight in ten should be right. With bins b of equal width
over the best share,

    ECE = sum over b of (n_b / n) * | mean right in b - mean best share in b |

A temperature T makes shares sharper (T < 1) or milder (T > 1) without changing which is largest:
share^(1/T), scaled to sum to 1. T minimises the negative log likelihood of the true groups (Guo et
al. 2017).
"""

from __future__ import annotations

import numpy as np

from fairlead.types.ragged import Array

BINS = 15
_TINY = 1e-12
_RANGE = (np.log(0.05), np.log(20.0))
_ROUNDS = 40


def calibration_error(share: Array, truth: Array, bins: int = BINS) -> float:
    """The expected calibration error of (items, groups) shares; NaN without items.

    ``truth`` holds the (items,) true groups.

    >>> calibration_error(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1]))
    0.4
    """
    if not len(truth):
        return float("nan")
    best = share.max(1)
    right = share.argmax(1) == truth
    place = np.minimum((best * bins).astype(np.int64), bins - 1)
    gap = np.bincount(place, right - best, bins)
    return float(np.abs(gap).sum() / len(truth))


def tempered(share: Array, temperature: float) -> Array:
    """(items, groups) shares made sharper or milder, with the same sums."""
    total = share.sum(1, keepdims=True)
    logs = np.log(np.maximum(share, _TINY)) / temperature
    powers = np.exp(logs - logs.max(1, keepdims=True)) * (share > 0)
    return total * powers / np.maximum(powers.sum(1, keepdims=True), _TINY)


def best_temperature(share: Array, truth: Array) -> float:
    """The temperature that makes (items,) true groups most likely.

    It is found by golden section on its logarithm.
    """

    def loss(log_t: float) -> float:
        logs = np.log(np.maximum(share, _TINY)) / np.exp(log_t)
        top = logs.max(1)
        return float(
            (
                top
                + np.log(np.exp(logs - top[:, None]).sum(1))
                - logs[np.arange(len(truth)), truth]
            ).mean()
        )

    low, high = _RANGE
    golden = (np.sqrt(5) - 1) / 2
    a = high - golden * (high - low)
    b = low + golden * (high - low)
    at_a = loss(a)
    at_b = loss(b)
    for _ in range(_ROUNDS):
        if at_a <= at_b:
            high = b
            b = a
            at_b = at_a
            a = high - golden * (high - low)
            at_a = loss(a)
        else:
            low = a
            a = b
            at_a = at_b
            b = low + golden * (high - low)
            at_b = loss(b)
    return float(np.exp((low + high) / 2))


def cross_tempered(share: Array, truth: Array) -> tuple[Array, float]:
    """Shares as they would be after calibration, and the temperature fitted to all items.

    Each half of the items is tempered by the temperature of the other half, so that the remaining
    error can be measured on the same items.
    """
    # even and odd items: files are often sorted by group
    halves = np.arange(len(truth)) % 2
    calibrated = share.copy()
    for half in (0, 1):
        if (halves != half).any():
            calibrated[halves == half] = tempered(
                share[halves == half],
                best_temperature(share[halves != half], truth[halves != half]),
            )
    return calibrated, best_temperature(share, truth)
