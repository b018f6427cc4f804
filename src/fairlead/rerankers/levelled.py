"""Levelled: the plain list, corrected only beyond chance, only at a price worth paying, and no prefix left behind.

*Shares* are expected counts of soft labels, in the light of how common each group is around an item (``prevalence``).
*Short* is a group g of which a list holds fewer than t_g K - b sd_g of its K labelled items, where sd_g is the spread of that count when
K items are drawn by lot toward the target. A list stays as it is where chance explains it (b = ``chance``; 1.645 is one list in twenty) and
every prefix of it (b a fifth more); one that is corrected is corrected up to b = ``band``.
*Set*: every group that is short bids for its items, as little as is enough and at most ``price``: the k items with the largest

    score + sum over g of bid_g share_g

are shown, the score in standard deviations of the candidates'. Items that score alike change places at a low bid, items that do not
belong are bought last or never; and the set is the best one for its bids, so that no exchange in it costs more than the price.
*Order*: where the list or one of its prefixes was short, each item comes in time for its group's share of the target if that costs
little score, and else before a prefix falls short of the list's own shares by more than chance; otherwise by score.

Ours. Bids are an auction in the sense of Bertsekas; the set is optimal for its bids by Lagrangian duality (Everett 1963).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.evidence import Evidence
from fairlead.ragged import Array
from fairlead.rerankers.auction import Auction, scaled
from fairlead.rerankers.merge import Rule, merge, whole
from fairlead.rerankers.prevalence import local_shares
from fairlead.rerankers.queues import END, Queues, hard_codes, queue_up, rerank
from fairlead.spec import Configured
from fairlead.types import Ranking

_DEPTH = 3
"""How many times k items of each group are candidates, if there are so many: those of a group that is sure may lie deep."""
_FORWARD = 1.0
"""Standard deviations of score that an item may be brought forward by for the sake of a prefix; never more than the price."""
_OWN_BAND = 1.0
"""Spreads of chance by which a prefix may fall short of the list's own shares, at least."""
_LEAST = 1e-9


@dataclass(frozen=True)
class Levelled(Configured):
    """The plain list, corrected where it is short of a group beyond chance: by bids for its items, up to a price."""

    price: float = 1.0
    chance: float = 1.645
    band: float = 0.25
    window: int = 40

    name: ClassVar[str] = "levelled"
    summary: ClassVar[str] = "The plain list, corrected where it is short of a group beyond chance: by bids for its items, up to a price."
    source: ClassVar[str] = "ours; the local prevalence is of Saerens, Latinne, Decaestecker (2002)"
    blind_spot: ClassVar[str] = (
        "Scores must mean relevance: where the model ranks a group low for what it is, the price counts that as a loss. "
        "Soft labels are taken as calibrated for groups of equal size. A low price leaves expensive queries as they are."
    )
    promise: ClassVar[str] = (
        "A list within chance at every prefix keeps its plain order; expected shortfall never grows; no exchange costs more score than "
        "the price times the share it brings; price=0 is the plain list."
    )
    uses_target: ClassVar[bool] = True
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = ("price", (0.25, 0.5, 1.0, 1.5, 2.0, 2.25, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0))

    def validate(self) -> None:
        if min(self.price, self.chance, self.band, self.window) < 0:
            raise UsageError(f"{self} needs price, chance, band and window of at least 0.")

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        candidates = _Candidates.of(evidence, k, self.window)

        def order(first: int, last: int, width: int) -> Array:
            entries, scores, shares, codes = candidates.part(first, last)
            target = np.broadcast_to(candidates.target, (len(evidence), shares.shape[2]))[first:last]
            auction = Auction(scaled(scores), shares, target, self.chance, self.band, min(width, scores.shape[1]))
            return _ordered(entries, codes, auction, auction.shown(self.price), self.price)

        return rerank(evidence, k, order, columns=2 * candidates.target.shape[1] * -(-candidates.reach // max(k, 1)))


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The first entries of each list, with what the auction needs of them.

    Attributes:
        at: (entries,) entry numbers, list after list.
        offsets: (queries + 1,) where each list begins in ``at``.
        scores: (entries + 1,) and -inf.
        shares: (entries + 1, groups) in the light of their neighbours, and zeros.
        codes: (entries + 1,) the group each acts as, ``groups`` for unknown.
        target: (queries or 1, groups).
        reach: How many are looked at of each list, at most.
    """

    at: Array
    offsets: Array
    scores: Array
    shares: Array
    codes: Array
    target: Array
    reach: int

    @classmethod
    def of(cls, evidence: Evidence, k: int, window: int) -> _Candidates:
        """So many of each list that every group has its share in them, or the list ends."""
        ranking, queues = evidence.ranking, queue_up(evidence, _DEPTH * max(k, 1))
        wanted = np.minimum(queues.sizes[:, :-1], _DEPTH * k)
        last = queues.entries[np.maximum(queues.starts[:, :-1] + wanted - 1, 0)] - ranking.offsets[:-1, None]
        reach = np.maximum(_DEPTH * k, np.where(wanted > 0, last + 1, 0).max(1, initial=0))
        lengths = np.minimum(ranking.lengths, reach)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        at = np.arange(offsets[-1]) + np.repeat(ranking.offsets[:-1] - offsets[:-1], lengths)
        groups = queues.target.shape[1]
        codes = hard_codes(evidence, at)
        codes = np.where(codes < 0, groups, codes)
        shares = evidence.labels.share[at]
        without = queues.sizes[:, :-1].sum(1) == 0  # no target, or nobody is labelled
        if without.any():
            nobody = np.repeat(without, lengths)
            codes, shares = np.where(nobody, groups, codes), np.where(nobody[:, None], 0.0, shares)
        shares = np.vstack([local_shares(shares, offsets, window), np.zeros((1, groups))])
        scores = np.append(ranking.scores[at].astype(np.float64), -np.inf)
        return cls(np.append(at, END), offsets, scores, shares, np.append(codes, groups), queues.target, int(lengths.max(initial=0)))

    def part(self, first: int, last: int) -> tuple[Array, Array, Array, Array]:
        """Entries, scores, shares and codes of some consecutive queries: (queries, candidates) and groups."""
        lengths = np.diff(self.offsets[first : last + 1])
        places = np.arange(max(int(lengths.max(initial=0)), 1))
        rows = np.where(places < lengths[:, None], self.offsets[first:last, None] + places, len(self.at) - 1)
        return self.at[rows], self.scores[rows], self.shares[rows], self.codes[rows]


def _ordered(entries: Array, codes: Array, auction: Auction, shown: Array, price: float) -> Array:
    """(queries, k) the shown entries by score, but each in time for the prefixes; where no prefix was short, as they stand."""
    width, groups = auction.k, auction.shares.shape[2]
    ranked = np.argsort(~shown, axis=1, kind="stable")[:, :width]
    there = np.take_along_axis(shown, ranked, axis=1)
    code = np.where(there, np.take_along_axis(codes, ranked, axis=1), groups)
    entry = np.where(there, np.take_along_axis(entries, ranked, axis=1), END)
    if price <= 0:
        return entry
    place = np.argsort(code, axis=1, kind="stable")  # by group, and by rank in it
    code = np.take_along_axis(code, place, axis=1)
    cells = np.arange(len(code))[:, None] * (groups + 1) + code
    sizes = np.bincount(cells.ravel(), minlength=len(code) * (groups + 1)).reshape(len(code), groups + 1)
    starts = np.cumsum(sizes, axis=1) - sizes
    due = np.where(auction.calm[:, None], width + 1.0, _deadlines(ranked, place, code, starts, auction, shown, price))
    number = np.arange(width) - np.take_along_axis(starts, code, axis=1)
    table = np.full((len(code), groups + 1, width), width + 1.0)
    table[np.arange(len(code))[:, None], code, number] = due
    filled = np.take_along_axis(entry, place, axis=1)
    even = np.full((1, groups), 1 / max(groups, 1))
    unknown = sizes.copy()
    unknown[:, -1] = (filled < END).sum(1) - sizes[:, :-1].sum(1)
    queues = Queues(np.append(filled.ravel(), END), starts + np.arange(len(code))[:, None] * width, unknown, even)
    return queues.weave(merge(queues, Rule(whole(table[:, :-1], width)), width))


def _deadlines(ranked: Array, place: Array, code: Array, starts: Array, auction: Auction, shown: Array, price: float) -> Array:
    """(queries, k) by which place each shown item, by group, must come.

    In time for its group's share of the target, if it scores little less than what stands there; else for the list's own share.
    """
    rows, groups = np.arange(len(code))[:, None], auction.shares.shape[2]
    own = np.minimum(code, groups - 1)
    candidate = np.take_along_axis(ranked, place, axis=1)
    mass = auction.shares[rows, candidate, own]
    running = np.cumsum(mass, axis=1) - mass
    before = running - np.take_along_axis(running, np.take_along_axis(np.minimum(starts, code.shape[1] - 1), code, axis=1), axis=1)
    held = auction.held(shown)
    share = held / np.maximum(held.sum(1, keepdims=True), _LEAST)
    latest = _due(before, np.take_along_axis(share, own, axis=1), max(auction.band, _OWN_BAND))
    wanted = _due(before, np.take_along_axis(auction.target, own, axis=1), 0.0)
    falling = np.take_along_axis(auction.scores, ranked, axis=1)
    there = np.take_along_axis(falling, np.clip(wanted - 1, 0, code.shape[1] - 1).astype(np.intp), axis=1)
    mine = np.take_along_axis(falling, place, axis=1)
    with np.errstate(invalid="ignore"):
        cheap = there - mine <= min(price, _FORWARD)
    return np.where(cheap, np.minimum(wanted, latest), latest)


def _due(before: Array, share: Array, band: float) -> Array:
    """(queries, items) by which place an item must come: the first n at which its group's lower bound asks for one more.

    The bound is share n - band sd(n), and a group may lag behind it by less than one item.
    """
    wanted = np.maximum(share, _LEAST)
    slack = band * np.sqrt(np.maximum(wanted * (1 - wanted), 0.0))
    root = (slack + np.sqrt(slack**2 + 4 * wanted * (np.maximum(before, 0.0) + 1))) / (2 * wanted)
    return np.ceil(root**2 - 1e-7)
