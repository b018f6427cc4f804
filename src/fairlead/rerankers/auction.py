"""The auction of ``levelled``: which k candidates are shown when groups that are short bid for their items.

All arrays are rectangular over the candidates of a slice of queries, best first; padding stands at -inf and belongs to nobody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairlead.ragged import Array

ROUNDING = 0.1
"""Expected items of a group that may be missing: lists hold whole items."""
_PREFIXES = 2.0
"""How many times more spreads of chance a prefix may be short by than a list: there are many of them."""
_LOWEST, _HALVINGS = 0.02, 8
"""The lowest bid, and how finely the lowest one that is enough is found."""
_SURE = 10.0
"""Times the greatest worth, at which a bid brings every item that surely belongs to a group."""
_TURNS = 3
"""How often groups may outbid each other."""
_RANK = 1e-9
"""What a rank weighs against a standing, so that of equal items the first is shown."""
_ENOUGH = 2 / 3
"""The standing from which on an item is worth as much as those shown anyway."""


def lacking(held: Array, target: Array, band: float) -> Array:
    """(..., groups) what lists that hold expected counts (..., groups) lack of each group beyond chance."""
    return np.maximum(_least(held, target, band * np.sqrt(target * (1 - target))) - held, 0.0)


def _least(held: Array, target: Array, band: Array) -> Array:
    """(..., groups) the counts below which groups are short; ``band`` is a spread of chance over the root of a list's length."""
    total = held.sum(-1, keepdims=True)
    return target * total - band * np.sqrt(total)


def standing(scores: Array, k: int) -> Array:
    """(queries, candidates) how high items stand: 0 as the average candidate, 1 as the average of the first k; of equal ones the first."""
    there = np.isfinite(scores)
    falling = np.minimum.accumulate(np.where(there, scores, np.inf), axis=1)
    falling = np.where(there, falling, 0.0)
    count = np.maximum(there.sum(1, keepdims=True), 1)
    mean = falling.sum(1, keepdims=True) / count
    height = falling[:, :k].sum(1, keepdims=True) / np.minimum(count, k) - mean
    level = np.where(height > 0, (falling - mean) / np.where(height > 0, height, 1.0), 0.0)
    return np.where(there, level - _RANK * np.arange(scores.shape[1]), -np.inf)


def worth(level: Array, k: int) -> Array:
    """(queries, candidates) what it is worth to show items of a standing: 0 to 1 at the last place, and more where more is looked at."""
    share, rank = np.clip(level / _ENOUGH, 0.0, 1.0), np.arange(level.shape[1])
    seen = np.log2(k + 1) / np.log2(np.minimum(rank, k - 1) + 2)
    return np.where(level > -np.inf, share * share * (3 - 2 * share) * seen - _RANK * rank, -np.inf)


def affordable(value: Array, k: int, price: float) -> int:
    """How many candidates of each list can be shown at all: what is behind them is not bought in place of the last one at the price."""
    return int(np.flatnonzero((value >= value[:, k - 1, None] - price).any(0))[-1]) + 1


@dataclass(frozen=True, eq=False)
class Auction:
    """The candidates of a slice of queries.

    Attributes:
        standing: (queries, candidates) as ``standing`` gives it.
        worth: (queries, candidates) as ``worth`` gives it.
        shares: (queries, candidates, groups) expected membership.
        target: (queries, groups).
        chance: Spreads of chance by which a list may be short before anything is done.
        band: Spreads of chance that are left in one that is corrected.
        k: How many are shown.
    """

    standing: Array
    worth: Array
    shares: Array
    target: Array
    chance: float
    band: float
    k: int

    def __len__(self) -> int:
        return len(self.standing)

    def shown(self, price: float) -> Array:
        """(queries, candidates) which candidates are shown: the plain first k, or what the bids bring."""
        shown = np.zeros(self.standing.shape, np.bool_)
        shown[:, : self.k] = True
        if price > 0:
            short = np.flatnonzero(~self.calm & (self._lacking(shown) > ROUNDING).any(1))
            part = self if len(short) == len(self) else self._take(short)
            shown[short] = part._bought(shown[short], price)
        return shown & np.isfinite(self.standing)

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
        return replace(
            self, standing=self.standing[queries], worth=self.worth[queries], shares=self.shares[queries], target=self.target[queries]
        )

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
        most = np.maximum(np.minimum(price, _SURE * self.worth[:, :1]), bids)  # nothing is gained by more
        low, high = np.where(short, np.maximum(bids, np.minimum(_LOWEST, most / 2)), bids), np.where(short, most, bids)
        band = self.band * np.sqrt(self.target * (1 - self.target))
        for _ in range(_HALVINGS):
            middle = np.sqrt(low * high)
            held = self.held(self._best(middle))
            met = held >= _least(held, self.target, band) - ROUNDING
            low, high = np.where(met, low, middle), np.where(met, middle, high)
        return high

    def _best(self, bids: Array) -> Array:
        """(queries, candidates) the k of the largest score and bids; of equal ones the first."""
        value = np.matmul(self.shares, bids[:, :, None])[:, :, 0]
        value += self.worth
        least = np.partition(value, value.shape[1] - self.k, axis=1)[:, -self.k, None]
        shown = value >= least
        if np.count_nonzero(shown) > len(shown) * self.k:
            above, equal = value > least, value == least
            shown = above | (equal & (np.cumsum(equal, axis=1) <= self.k - above.sum(1, keepdims=True)))
        return shown
