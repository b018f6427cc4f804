"""Levelled: the plain list, corrected only beyond chance, only at a price worth paying, and no prefix left behind.

*Shares* are expected counts of soft labels, in the light of how common each group is around an item (``prevalence``).
*Short* is a group g of which a list holds fewer than t_g K - band sd_g of its K labelled items, where sd_g is the spread of that count
when K items are drawn by lot toward the target: what chance alone explains is left alone.
*Set*: every group that is short bids for its items, a little more from round to round, up to ``price``: the k items with the largest

    score + sum over g of bid_g share_g

are shown, the score in standard deviations of the candidates'. Items that score alike change places at a low bid, items that do not
belong are bought last or never; and the set is the best one for its bids, so that no exchange in it costs more than the price.
*Order*: by score, but each item of a group comes before a prefix falls short of the list's own shares by more than the chance band.

Ours. Rising bids are an auction in the sense of Bertsekas; the set is optimal for its bids by Lagrangian duality (Everett 1963).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.evidence import Evidence
from fairlead.ragged import Array
from fairlead.rerankers.merge import Rule, merge, whole
from fairlead.rerankers.prevalence import local_shares
from fairlead.rerankers.queues import END, Queues, queue_up, rerank
from fairlead.spec import Configured
from fairlead.types import Ranking

_LOWEST, _RISE, _HALVINGS = 0.05, 1.5, 8
"""The first bid, by how much the next one is higher, and how finely a bid that was enough is lowered again."""
_ROUNDING = 0.5
"""Expected items of a group that may be missing: lists hold whole items."""
_ORDER_BAND = 1.0
"""Spreads of chance by which a prefix may fall short of the list's own shares, at least."""
_LEAST = 1e-9


@dataclass(frozen=True)
class Levelled(Configured):
    """The plain list, corrected where it is short of a group beyond chance: by rising bids, up to a price."""

    price: float = 2.0
    band: float = 0.5
    window: int = 40

    name: ClassVar[str] = "levelled"
    summary: ClassVar[str] = "The plain list, corrected where it is short of a group beyond chance: by rising bids, up to a price."
    source: ClassVar[str] = "ours; the local prevalence is of Saerens, Latinne, Decaestecker (2002)"
    blind_spot: ClassVar[str] = (
        "Scores must mean relevance: where the model ranks a group low for what it is, the price counts that as a loss. "
        "Soft labels are taken as calibrated for groups of equal size. A low price leaves expensive queries as they are."
    )
    promise: ClassVar[str] = (
        "A list within the chance band keeps its plain order; expected shortfall never grows; no exchange costs more score than the price "
        "times the share it brings; price=0 is the plain list."
    )
    uses_target: ClassVar[bool] = True
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = ("price", (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0))

    def validate(self) -> None:
        if self.price < 0 or self.band < 0 or self.window < 0:
            raise UsageError(f"{self} needs price, band and window of at least 0.")

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        ranking, queues = evidence.ranking, queue_up(evidence)
        shares = local_shares(evidence.labels.share, ranking.offsets, self.window)
        shares = np.vstack([shares, np.zeros((1, shares.shape[1]))])
        scores = np.append(ranking.scores.astype(np.float64), -np.inf)

        def order(first: int, last: int, width: int) -> Array:
            part = queues.part(first, last)
            heads = np.concatenate([part.heads(width), part.unknown(width)[:, None]], axis=1)
            entries = np.sort(heads.reshape(len(part), -1), axis=1)
            at = np.minimum(entries, len(scores) - 1)
            target = np.broadcast_to(part.target, (len(part), shares.shape[1]))
            auction = _Auction(_scaled(scores[at]), shares[at], target, self.band, min(width, entries.shape[1]))
            shown = auction.shown(self.price)
            return _ordered(heads, entries, shown, auction)

        groups = queues.target.shape[1]
        return rerank(evidence, k, order, columns=2 * (groups + 1) * groups)


@dataclass(frozen=True, eq=False)
class _Auction:
    """The candidates of a slice of queries, best first.

    Attributes:
        scores: (queries, candidates) in standard deviations; -inf where there is none.
        shares: (queries, candidates, groups) expected membership.
        target: (queries, groups).
        band: Spreads of chance that are left alone.
        k: How many are shown.
    """

    scores: Array
    shares: Array
    target: Array
    band: float
    k: int

    def lacking(self, held: Array, target: Array) -> Array:
        """(..., groups) what lists that hold expected counts (..., groups) lack of each group beyond chance."""
        total = held.sum(-1, keepdims=True)
        spread = np.sqrt(np.maximum(total * target * (1 - target), 0.0))
        return np.maximum(target * total - self.band * spread - held, 0.0)

    def shown(self, price: float) -> Array:
        """(queries, candidates) which candidates are shown: the plain first k, or what the bids bring."""
        plain = np.zeros(self.scores.shape, np.bool_)
        plain[:, : self.k] = True
        shown, bids = plain.copy(), np.zeros_like(self.target)
        lacking = self.lacking(self.held(shown), self.target)
        before = lacking.sum(1)
        for bid in _bids(price):
            short = np.flatnonzero((lacking > _ROUNDING).any(1))
            if not len(short):
                break
            was, former = lacking[short] > _ROUNDING, bids[short]
            bids[short] = np.where(was, bid, former)
            shown[short] = self._best(short, bids[short])
            lacking[short] = self.lacking(self.held(shown[short], short), self.target[short])
            met = (was & (lacking[short] <= _ROUNDING)).any(1)
            if met.any():
                at = short[met]
                bids[at] = self._lowered(at, former[met], bids[at], was[met] & (lacking[at] <= _ROUNDING))
                shown[at] = self._best(at, bids[at])
                lacking[at] = self.lacking(self.held(shown[at], at), self.target[at])
        worse = lacking.sum(1) > before
        shown[worse] = plain[worse]
        return shown

    def _lowered(self, queries: Array, low: Array, high: Array, met: Array) -> Array:
        """(queries, groups) the lowest bids between two at which the groups that were met still are."""
        few, enough = np.zeros(len(queries)), np.ones(len(queries))
        for _ in range(_HALVINGS):
            middle = (few + enough) / 2
            held = self.held(self._best(queries, low + middle[:, None] * (high - low)), queries)
            fine = ((self.lacking(held, self.target[queries]) <= _ROUNDING) | ~met).all(1)
            few, enough = np.where(fine, few, middle), np.where(fine, middle, enough)
        return low + enough[:, None] * (high - low)

    def held(self, shown: Array, queries: Array | None = None) -> Array:
        """(queries, groups) expected counts of what is shown."""
        shares = self.shares if queries is None else self.shares[queries]
        return np.matmul(shown[:, None].astype(np.float64), shares)[:, 0]

    def _best(self, queries: Array, bids: Array) -> Array:
        """(queries, candidates) the k of the largest score and bids; of equal ones the first."""
        value = self.scores[queries] + np.matmul(self.shares[queries], bids[:, :, None])[:, :, 0]
        least = np.partition(value, value.shape[1] - self.k, axis=1)[:, -self.k, None]
        above, equal = value > least, value == least
        return above | (equal & (np.cumsum(equal, axis=1) <= self.k - above.sum(1, keepdims=True)))


def _bids(price: float) -> list[float]:
    """Rising bids up to the price."""
    if price <= 0:
        return []
    rounds = max(1, int(np.ceil(np.log(max(price / _LOWEST, 1.0)) / np.log(_RISE))) + 1)
    return np.geomspace(min(_LOWEST, price), price, rounds).tolist()


def _ordered(heads: Array, entries: Array, shown: Array, auction: _Auction) -> Array:
    """(queries, width) the shown entries by score, each before its group's share of a prefix falls below the list's own and chance."""
    queries, columns, width = heads.shape
    chosen = np.where(shown, entries, END)
    kept = np.isin(heads.reshape(-1), chosen).reshape(heads.shape) & (heads < END)
    mass = np.zeros((queries, columns - 1, width))
    place = np.minimum(_places(entries, heads[:, :-1]), entries.shape[1] - 1)
    own = np.arange(columns - 1)[None, :, None]
    mass = np.where(kept[:, :-1], auction.shares[np.arange(queries)[:, None, None], place, own], 0.0)
    packed = np.argsort(~kept, axis=2, kind="stable")
    queue = np.take_along_axis(np.where(kept, heads, END), packed, axis=2)
    mass = np.take_along_axis(mass, packed[:, :-1], axis=2)
    held = auction.held(shown)
    share = held / np.maximum(held.sum(1, keepdims=True), _LEAST)
    due = _due(np.cumsum(mass, axis=2) - mass, share, max(auction.band, _ORDER_BAND))
    queues = _queues(queue)
    return queues.weave(merge(queues, Rule(whole(due, width)), width))


def _due(before: Array, share: Array, band: float) -> Array:
    """(queries, groups, width) by which place an item must come: the first n at which its group's lower bound asks for one more.

    The bound is share n - band sd(n), and a group may lag behind it by less than one item.
    """
    wanted = np.maximum(share, _LEAST)[:, :, None]
    slack = band * np.sqrt(np.maximum(wanted * (1 - wanted), 0.0))
    root = (slack + np.sqrt(slack**2 + 4 * wanted * (np.maximum(before, 0.0) + 1))) / (2 * wanted)
    return np.ceil(root**2 - 1e-7)


def _places(entries: Array, sought: Array) -> Array:
    """(queries, groups, width) where each sought entry stands among the sorted entries of its query."""
    queries, size = entries.shape
    span = np.int64(END) + 1
    flat = (entries + span * np.arange(queries)[:, None]).ravel()
    found = np.searchsorted(flat, (sought + span * np.arange(queries)[:, None, None]).ravel())
    return (found - size * np.repeat(np.arange(queries), sought[0].size)).reshape(sought.shape)


def _queues(queue: Array) -> Queues:
    """Queues of (queries, groups + 1, width) entries, padded with ``END``; the last one is unknown."""
    queries, columns, width = queue.shape
    starts = (np.arange(queries)[:, None] * columns + np.arange(columns)) * width
    even = np.full((1, columns - 1), 1 / max(columns - 1, 1))
    return Queues(np.append(queue.ravel(), END), starts, (queue < END).sum(2), even)


def _scaled(scores: Array) -> Array:
    """(queries, candidates) scores that never rise, in standard deviations of each query's own."""
    there = np.isfinite(scores)
    falling = np.where(there, np.minimum.accumulate(np.where(there, scores, np.inf), axis=1), 0.0)
    count = np.maximum(there.sum(1, keepdims=True), 1)
    mean = falling.sum(1, keepdims=True) / count
    spread = np.sqrt((np.where(there, falling - mean, 0.0) ** 2).sum(1, keepdims=True) / count)
    return np.where(there, np.where(spread > 0, (falling - mean) / np.where(spread > 0, spread, 1.0), 0.0), -np.inf)
