r"""Corrected shares: what a list truly shows, given a labeller's labels and its errors.

With c the counts of predictions in the list, P[p, t] the precision (share of truth t among the
items predicted p) and S[t, p] the sensitivity (share of prediction p among the items of truth t):

    direct        share_t = sum_p c_p P[p, t] / sum c
                  post-stratified; needs labelled items of *this kind of list*
    rogan-gladen  (c_1 / c + S[2, 2] - 1) / (S[1, 1] + S[2, 2] - 1)
                  two groups (Rogan, Gladen 1978), cut off at 0 and 1
    matrix        the least-squares solution of S' share = c / |c|, projected to the simplex
                  any number of groups
    em            argmax sum_p c_p log sum_t share_t S[t, p]
                  label shift (Saerens et al. 2002; here on hard labels)

The last three carry the labeller's sensitivities over from the sample to the list. That is right
where the list was *not* chosen by the predictions. A list that a mitigation has balanced on
predictions was: for it only the direct one holds.

The uncertainty comes from two sources. The sample: a table is drawn from its posterior. The list:
``direct`` draws the truth of every item, so its interval is of **the true shares of this very
list**. The others resample the counts of the list: theirs is of the shares of lists of this kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairlead.errors import UsageError, unknown_name
from fairlead.statistics.confusion import PRIOR, shares_drawn
from fairlead.types.ragged import Array

Way = Literal["direct", "rogan-gladen", "matrix", "em"]
WAYS: tuple[Way, ...] = ("direct", "rogan-gladen", "matrix", "em")
_TAILS = (0.025, 0.975)
_ROUNDS = 100


@dataclass(frozen=True, eq=False)
class Corrected:
    """Shares of the true groups with draws that hold their uncertainty.

    Attributes:
        shares: (truths,) expected shares.
        draws: (draws, truths).
    """

    shares: Array
    draws: Array

    def gap(self, first: int, second: int) -> tuple[float, tuple[float, float]]:
        """Expected difference of two shares, and its 95 % interval."""
        values = self.draws[:, first] - self.draws[:, second]
        return float(values.mean()), ends(values)

    def absolute(self) -> tuple[float, tuple[float, float]]:
        """Expected gap between the most and the least shown group, and its 95 % interval.

        The interval starts at 0 where no two groups are surely ordered.
        """
        values = np.ptp(self.draws, axis=1)
        low, high = ends(values)
        ahead = (self.draws[:, :, None] > self.draws[:, None, :]).mean(0)
        return float(values.mean()), (low if ahead.max() >= _TAILS[1] else 0.0, high)


def ends(values: Array) -> tuple[float, float]:
    """The 95 % interval of draws, with equal tails.

    Both ends are draws themselves, so that the steps a list can take are kept.
    """
    low, high = np.quantile(values, _TAILS, method="inverted_cdf")
    return float(low), float(high)


def corrected(
    counts: Array,
    table: Array,
    *,
    way: Way = "direct",
    draws: int = 2_000,
    rng: np.random.Generator,
    prior: float = PRIOR,
) -> Corrected:
    """The true shares of a list.

    Args:
        counts: (predictions,) how often the list shows each prediction.
        table: (predictions, truths) labelled items of lists of this kind.
        way: ``direct``, ``rogan-gladen``, ``matrix`` or ``em``.
        draws: How many draws hold the uncertainty.
        rng: Source of the draws.
        prior: Items in each cell of the table before any is labelled.
    """
    counts = np.asarray(counts)
    table = np.asarray(table, np.float64)
    if way not in WAYS:
        raise unknown_name("way to correct shares", way, WAYS)
    if not counts.sum():
        raise UsageError("A list without any item has no shares to correct.")
    if way == "direct":
        precision = shares_drawn(table, draws, rng, prior)
        true = rng.multinomial(counts, precision).sum(1)
        return Corrected(direct(counts, _rows(table + prior)), true / counts.sum())
    rule = {"rogan-gladen": rogan_gladen, "matrix": inverted, "em": expected}[way]
    resampled = rng.multinomial(int(counts.sum()), counts / counts.sum(), size=draws)
    return Corrected(
        rule(counts, _rows(table.T + prior)),
        rule(resampled, shares_drawn(table.T, draws, rng, prior)),
    )


def direct(counts: Array, precision: Array) -> Array:
    """(..., truths) shares from (..., predictions) counts and their precision.

    ``precision`` is (..., predictions, truths).
    """
    return np.einsum("...p,...pt->...t", counts / counts.sum(-1, keepdims=True), precision)


def rogan_gladen(counts: Array, sensitivity: Array) -> Array:
    """(..., 2) shares of two groups from (..., 2) counts and their sensitivity.

    ``sensitivity`` is (..., 2, 2), truth by prediction. Other predictions are left out.

    A labeller no better than a coin says nothing: then the shares are even.
    """
    if sensitivity.shape[-2] != 2:
        raise UsageError(
            f"Rogan and Gladen correct two groups, got {sensitivity.shape[-2]}.",
            "Take matrix or em.",
        )
    predicted = counts[..., :2] / np.maximum(counts[..., :2].sum(-1, keepdims=True), 1)
    rates = sensitivity[..., :2] / sensitivity[..., :2].sum(-1, keepdims=True)
    youden = rates[..., 0, 0] + rates[..., 1, 1] - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.clip((predicted[..., 0] + rates[..., 1, 1] - 1) / youden, 0, 1)
    first = np.where(youden > 0, first, 0.5)
    return np.stack([first, 1 - first], axis=-1)


def inverted(counts: Array, sensitivity: Array) -> Array:
    """(..., truths) the least-squares solution of the mixture, projected to the simplex."""
    told = counts / counts.sum(-1, keepdims=True)
    solved = np.einsum("...tp,...p->...t", np.linalg.pinv(np.swapaxes(sensitivity, -1, -2)), told)
    return _on_simplex(solved)


def expected(counts: Array, sensitivity: Array) -> Array:
    """(..., truths) the shares under which the counts are likeliest, by expectation and
    maximisation from even shares.
    """
    told = counts / counts.sum(-1, keepdims=True)
    shares = np.full((*told.shape[:-1], sensitivity.shape[-2]), 1 / sensitivity.shape[-2])
    for _ in range(_ROUNDS):
        joint = shares[..., None] * sensitivity
        now = np.einsum("...p,...tp->...t", told / np.maximum(joint.sum(-2), 1e-300), joint)
        if np.abs(now - shares).max() < 1e-6:
            return now
        shares = now
    return shares


def _on_simplex(values: Array) -> Array:
    """The nearest point whose parts are not negative and sum to 1 (by sorting; Held, Wolfe, Crowder
    1974).
    """
    falling = -np.sort(-values, axis=-1)
    excess = (np.cumsum(falling, axis=-1) - 1) / np.arange(1, values.shape[-1] + 1)
    kept = (falling > excess).sum(-1, keepdims=True)
    return np.maximum(values - np.take_along_axis(excess, kept - 1, axis=-1), 0)


def _rows(cells: Array) -> Array:
    return cells / cells.sum(-1, keepdims=True)
