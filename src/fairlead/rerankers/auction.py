"""The auction of ``levelled``: groups that are short bid for their items.

It decides which k candidates are shown. All arrays are rectangular over the candidates of a slice
of queries, best first; padding stands at -inf and belongs to no group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from fairlead.types.ragged import Array

ROUNDING = 0.1
"""Expected items of a group that may be missing: lists hold whole items."""
# How many times more spreads of chance a prefix may be short by than a list: there are many of them
_PREFIXES = 2.0
# How often groups that others have outbid may join in
_TURNS = 3
# What a rank weighs against a standing, so that of equal items the first is shown
_RANK = 1e-9
NEAR, FAR = (0.0, 2 / 3), (0.7, 0.9)
"""The standing up to which an item is worth nothing, and from which on as much as those shown:
above the average candidate, and above the collection's average.
"""


def lacking(held: Array, target: Array, band: float) -> Array:
    """(..., groups) what lists lack of each group beyond chance.

    ``held`` are their expected counts (..., groups).
    """
    return np.maximum(_least(held, target, band * np.sqrt(target * (1 - target))) - held, 0.0)


def _least(held: Array, target: Array, band: Array) -> Array:
    """(..., groups) the counts below which groups are short.

    ``band`` is a spread of chance over the root of a list's length.
    """
    total = held.sum(-1, keepdims=True)
    return target * total - band * np.sqrt(total)


def standing(scores: Array, k: int, background: Array) -> tuple[Array, Array]:
    """(queries, candidates) how high items stand above the average candidate, and above a score.

    The score is (queries,) ``background``; 1 is the average of the first k. No item stands higher
    than one before it. Of equal ones the first does, by a hair.
    """
    there = np.isfinite(scores)
    full = bool(there.all())
    if full:
        falling = np.minimum.accumulate(scores, axis=1)
    else:
        lowest = np.minimum.accumulate(np.where(there, scores, np.inf), axis=1)
        falling = np.where(there, lowest, 0.0)
    count = np.maximum(there.sum(1, keepdims=True), 1)
    top = falling[:, :k].sum(1, keepdims=True) / np.minimum(count, k)
    hair = _hair(scores.shape[1])

    def above(low: Array) -> Array:
        height = top - low
        rises = height > 0
        level = (falling - low) / np.where(rises, height, 1.0)
        if not rises.all():
            level = np.where(rises, level, 0.0)
        level -= hair
        return level if full else np.where(there, level, -np.inf)

    return above(falling.sum(1, keepdims=True) / count), above(background[:, None])


def worth(level: Array, k: int, step: tuple[float, float] = NEAR) -> Array:
    """(queries, candidates) what it is worth to show items of a standing.

    It is 0 to 1 at the last place, and more where more is looked at.
    """
    share = np.minimum(np.maximum((level - step[0]) / (step[1] - step[0]), 0.0), 1.0)
    value = share * share * (3 - 2 * share)
    value[:, :k] *= _gains(k)[: value.shape[1]]
    return np.where(level > -np.inf, value - _hair(value.shape[1]), -np.inf)


@lru_cache(maxsize=16)
def _gains(k: int) -> Array:
    """(k,) what more is looked at than the last of k places."""
    gains: Array = np.log2(k + 1) / np.log2(np.arange(2, k + 2))
    gains.setflags(write=False)
    return gains


@lru_cache(maxsize=16)
def _hair(size: int) -> Array:
    """(size,) what ranks weigh."""
    hair: Array = _RANK * np.arange(size)
    hair.setflags(write=False)
    return hair


def affordable(value: Array, k: int, price: float) -> Array:
    """(queries,) how many candidates can be shown at all.

    What ranks behind them is not bought in place of the last one at the price.
    """
    return (value >= value[:, k - 1, None] - price).sum(1)


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
        """(queries, candidates) which candidates are shown.

        These are the plain first k, or what the bids bring.
        """
        shown = np.zeros(self.standing.shape, np.bool_)
        shown[:, : self.k] = True
        if price > 0 and not self.calm.all():
            short = np.flatnonzero(~self.calm & self._short(self._plain, self.band).any(1))
            part = self if len(short) == len(self) else self._take(short)
            if len(short):
                shown[short] = part._bought(shown[short], price)
        return shown & np.isfinite(self.standing)

    @cached_property
    def calm(self) -> Array:
        """(queries,) whether chance explains the plain list and every prefix of it."""
        prefixes = max(self.band, _PREFIXES * self.chance)
        whole = max(self.band, self.chance)
        return np.logical_not(
            self._short(self._prefixes, prefixes).any((1, 2))
            | self._short(self._plain, whole).any(1)
        )

    @cached_property
    def _prefixes(self) -> Array:
        """(queries, k, groups) expected counts of the first 1 to k."""
        return self.shares[:, : self.k].cumsum(axis=1)

    @property
    def _plain(self) -> Array:
        """(queries, groups) expected counts of the plain list."""
        return self._prefixes[:, -1]

    def _short(self, held: Array, band: float) -> Array:
        """(queries, ..., groups) whether lists of these expected counts are short of a group."""
        target, spread = (
            part if held.ndim == 2 else part[:, None] for part in (self.target, self._spread)
        )
        return held < _least(held, target, band * spread) - ROUNDING

    @cached_property
    def _spread(self) -> Array:
        """(queries, groups) the spread of chance over the root of a list's length."""
        return np.sqrt(self.target * (1 - self.target))

    def held(self, shown: Array) -> Array:
        """(queries, groups) expected counts of what is shown."""
        return np.matmul(shown[:, None].astype(np.float64), self.shares)[:, 0]

    def _take(self, queries: Array) -> Auction:
        return replace(
            self,
            standing=self.standing[queries],
            worth=self.worth[queries],
            shares=self.shares[queries],
            target=self.target[queries],
        )

    def _bought(self, plain: Array, price: float) -> Array:
        """(queries, candidates) what is shown when groups that are short bid for their items.

        It is the plain list where bidding brings nothing.
        """
        held = self._plain
        least = _least(held, self.target, self.band * self._spread) - ROUNDING
        bidding = held < least
        shown = plain
        before = lacking(held, self.target, self.band)
        for _ in range(_TURNS):
            shown, held = self._filled(least, bidding, price)
            short = (held < least) & ~bidding
            if not short.any():
                break
            bidding |= short
        return np.where(
            (lacking(held, self.target, self.band).sum(1) > before.sum(1) + _RANK)[:, None],
            plain,
            shown,
        )

    def _filled(self, least: Array, bidding: Array, price: float) -> tuple[Array, Array]:
        """The places, filled by what is worth most, bids included; and the counts that follow.

        Counts are (queries, groups). A group bids until it holds its least. Between two such
        moments nothing changes, so all places between them are filled at once.
        """
        (queries, size), groups = self.worth.shape, bidding.shape[1]
        rows = np.arange(queries)
        places = np.arange(self.k)
        first = np.arange(queries)[:, None] * size
        shown = np.zeros(queries * size, np.bool_)
        held = np.zeros((queries, groups))
        left = np.full(queries, self.k)
        shares = self.shares.reshape(-1, groups)
        for _ in range(groups + 1):
            bids = price * (bidding & (held < least))
            value = np.where(
                shown.reshape(queries, size),
                -np.inf,
                self.worth + np.matmul(self.shares, bids[:, :, None])[:, :, 0],
            )
            # at a high price items differ by rank alone
            order = first + (-value).argsort(axis=1, kind="stable")[:, : self.k]
            count = held[:, None] + shares.take(order, axis=0).cumsum(axis=1)
            enough = ((count >= least[:, None]) & (bids > 0)[:, None]).any(2)
            taken = np.minimum(np.where(enough.any(1), enough.argmax(1) + 1, self.k), left)
            shown[order[places < taken[:, None]]] = True
            held = np.where(taken[:, None] > 0, count[rows, np.maximum(taken - 1, 0)], held)
            left = left - taken
            if not left.any():
                break
        return shown.reshape(queries, size), held
