"""The auction of ``levelled``: which k candidates are shown when groups that are short bid for their items.

All arrays are rectangular over the candidates of a slice of queries, best first; padding scores -inf and belongs to nobody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairlead.ragged import Array

ROUNDING = 0.1
"""Expected items of a group that may be missing: lists hold whole items."""
_PREFIXES = 1.2
"""How many times more spreads of chance a prefix may be short by than a list: there are many of them."""
_LOWEST, _HALVINGS = 0.02, 10
"""The lowest bid, and how finely the lowest one that is enough is found."""
_SURE = 10.0
"""Times the span of scores, at which a bid brings every item that surely belongs to a group."""
_TURNS = 3
"""How often groups may outbid each other."""
_RANK = 1e-12
"""What a rank weighs against a score, so that of equal items the first is shown."""


def lacking(held: Array, target: Array, band: float) -> Array:
    """(..., groups) what lists that hold expected counts (..., groups) lack of each group beyond chance."""
    total = held.sum(-1, keepdims=True)
    spread = np.sqrt(np.maximum(total * target * (1 - target), 0.0))
    return np.maximum(target * total - band * spread - held, 0.0)


def scaled(scores: Array) -> Array:
    """(queries, candidates) scores that never rise, in standard deviations of each query's own; of equal ones the first is above."""
    there = np.isfinite(scores)
    falling = np.where(there, np.minimum.accumulate(np.where(there, scores, np.inf), axis=1), 0.0)
    count = np.maximum(there.sum(1, keepdims=True), 1)
    mean = falling.sum(1, keepdims=True) / count
    spread = np.sqrt((np.where(there, falling - mean, 0.0) ** 2).sum(1, keepdims=True) / count)
    level = np.where(spread > 0, (falling - mean) / np.where(spread > 0, spread, 1.0), 0.0)
    return np.where(there, level - _RANK * np.arange(scores.shape[1]), -np.inf)


@dataclass(frozen=True, eq=False)
class Auction:
    """The candidates of a slice of queries.

    Attributes:
        scores: (queries, candidates) as ``scaled`` gives them.
        shares: (queries, candidates, groups) expected membership.
        target: (queries, groups).
        chance: Spreads of chance by which a list may be short before anything is done.
        band: Spreads of chance that are left in one that is corrected.
        k: How many are shown.
    """

    scores: Array
    shares: Array
    target: Array
    chance: float
    band: float
    k: int

    def __len__(self) -> int:
        return len(self.scores)

    def shown(self, price: float) -> Array:
        """(queries, candidates) which candidates are shown: the plain first k, or what the bids bring."""
        shown = np.zeros(self.scores.shape, np.bool_)
        shown[:, : self.k] = True
        if price > 0:
            short = np.flatnonzero(~self.calm & (self._lacking(shown) > ROUNDING).any(1))
            part = self if len(short) == len(self) else self._take(short)
            shown[short] = part._bought(shown[short], price)
        return shown & np.isfinite(self.scores)

    @cached_property
    def calm(self) -> Array:
        """(queries,) whether chance explains the plain list and every prefix of it."""
        held = np.cumsum(self.shares[:, : self.k], axis=1)
        prefix = lacking(held, self.target[:, None], max(self.band, _PREFIXES * self.chance)) > ROUNDING
        whole = lacking(held[:, -1], self.target, max(self.band, self.chance)) > ROUNDING
        return np.logical_not(prefix.any((1, 2)) | whole.any(1))

    def held(self, shown: Array) -> Array:
        """(queries, groups) expected counts of what is shown."""
        return np.matmul(shown[:, None].astype(np.float64), self.shares)[:, 0]

    def _lacking(self, shown: Array) -> Array:
        return lacking(self.held(shown), self.target, self.band)

    def _take(self, queries: Array) -> Auction:
        return replace(self, scores=self.scores[queries], shares=self.shares[queries], target=self.target[queries])

    def _bought(self, plain: Array, price: float) -> Array:
        """(queries, candidates) what is shown when groups that are short bid for their items, up to the price."""
        before = self._lacking(plain)
        bids, shown, short_of = np.zeros_like(before), plain, before
        for _ in range(_TURNS):  # a group that is short of what others have bought bids in the next turn
            short = (short_of > ROUNDING) & (bids < price)
            if not short.any():
                break
            bids = self._raised(bids, short, price)
            shown = self._best(bids)
            short_of = self._lacking(shown)
        return np.where((short_of.sum(1) > before.sum(1))[:, None], plain, shown)

    def _raised(self, bids: Array, short: Array, price: float) -> Array:
        """(queries, groups) the lowest bids, up to the price, at which groups that were short are so no more; found by halving."""
        span = self.scores[:, :1] - np.where(np.isfinite(self.scores), self.scores, np.inf).min(1, keepdims=True)
        most = np.maximum(np.minimum(price, _SURE * span), bids)  # nothing is gained by more
        low, high = np.where(short, np.maximum(bids, np.minimum(_LOWEST, most / 2)), bids), np.where(short, most, bids)
        for _ in range(_HALVINGS):
            middle = np.sqrt(low * high)
            met = self._lacking(self._best(middle)) <= ROUNDING
            low, high = np.where(met, low, middle), np.where(met, middle, high)
        return high

    def _best(self, bids: Array) -> Array:
        """(queries, candidates) the k of the largest score and bids; of equal ones the first."""
        value = np.matmul(self.shares, bids[:, :, None])[:, :, 0]
        value += self.scores
        least = np.partition(value, value.shape[1] - self.k, axis=1)[:, -self.k, None]
        shown = value >= least
        if np.count_nonzero(shown) > len(shown) * self.k:
            above, equal = value > least, value == least
            shown = above | (equal & (np.cumsum(equal, axis=1) <= self.k - above.sum(1, keepdims=True)))
        return shown
