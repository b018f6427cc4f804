"""Levelled: the plain list, corrected only beyond chance, only at a price worth paying, and no
prefix left behind.

*Shares* are expected counts of soft labels, in the light of how common each group is around an item
(``prevalence``). *Short* is a group g of which a list holds fewer than t_g K - b sd_g of its K
labelled items, where sd_g is the spread of that count when K items are drawn by lot toward the
target. A list stays as it is where chance explains it (b = ``chance``) and every prefix of it
(twice that: there are many of them); one that is corrected is corrected up to b = ``band``.

*Worth*: an item stands at 0 if it scores as the average candidate, at 1 if as the average of the
plain k. One that stands at 2/3 is as good as those shown: to show it at the last place is worth 1,
to show one at 0 or below nothing, with a smooth step s^2 (3 - 2 s) between. An item of the plain
list at rank r is worth log2(k + 1) / log2(r + 1) times as much, as in DCG, so
that lists are corrected from their end. An item that stands high above the collection's average
score (``Evidence.background``; of all that was fetched where that is unknown) is worth as much,
too, since where all candidates are relevant the average one is no measure. There the step is from
.7 to .9.

*Set*: the places are filled one after the other by the item with the largest

    worth + price * (sum of its shares of the groups that bid).

A group bids if the plain list is short of it, or if others have made it so, and until it holds
enough. Items that belong change places with those that belong little more for a low price; items
that do not belong are bought last or never.

*Order*: where the list or one of its prefixes was short, each item comes in time for its group's
share of the target if it stands little lower than what is there, and else before a prefix falls
short of the list's own shares by more than chance; otherwise by score.

Ours. For labels that are sure this is the best set at the price: greedy filling is exact where
groups are disjoint (a matroid).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.rerankers.auction import FAR, Auction, affordable, standing, worth
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.merge import MergeRule, merge, whole
from fairlead.rerankers.prevalence import local_shares
from fairlead.rerankers.queues import END, Queues, hard_codes, queue_up, rerank, targets_of
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array, offsets_of

_DEPTH = 3
"""How many times k items of each group are candidates, if there are so many: those of a group that
is sure may lie deep.
"""
_FORWARD = 0.4
"""The standing that may be lost where an item is brought forward for the sake of a prefix; never
more than the price.
"""
_OWN_BAND = 1.0
"""Spreads of chance by which a prefix may fall short of the list's own shares, at least."""
_LEAST = 1e-9


@dataclass(frozen=True)
class Levelled(DescribedReranker):
    """The plain list, corrected where it is short of a group beyond chance, at a price."""

    price: float = 0.5
    chance: float = 1.0
    band: float = 0.25
    window: int = 40

    name: ClassVar[str] = "levelled"
    summary: ClassVar[str] = (
        "The plain list, corrected where it is short of a group beyond chance, at a price."
    )
    source: ClassVar[str] = "ours; the local prevalence is of Saerens, Latinne, Decaestecker (2002)"
    blind_spot: ClassVar[str] = (
        "Scores must mean relevance: where the model ranks a group low for what it is, the "
        "price counts that as a loss. Worth is measured "
        "by the candidates: where all of them are relevant and little else was fetched, "
        "their lower half counts as less. Soft labels are "
        "taken as calibrated for groups of equal size. A low price leaves expensive queries "
        "as they are."
    )
    promise: ClassVar[str] = (
        "A list within chance at every prefix keeps its plain order; expected shortfall "
        "never grows; no exchange costs more than the "
        "price times the share it brings, 1 being the worth of an item shown last; price=0 "
        "is the plain list."
    )
    reads_shares: ClassVar[bool] = True
    reads_background: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "price",
        (0.05, 0.1, 0.2, 0.5, 0.8, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0),
    )

    def validate(self) -> None:
        if min(self.price, self.chance, self.band, self.window) < 0:
            raise UsageError(f"{self} needs price, chance, band and window of at least 0.")

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        candidates = _Candidates.of(evidence, k)

        def order(first: int, last: int, width: int) -> Array:
            entries, level, value = candidates.ranked(first, last, width)
            reach = affordable(value, width, self.price)
            codes, shares = candidates.labelled(entries, first, last, reach, self.window)
            entries, codes, level, value, shares = (
                part[:, : reach.max()] for part in (entries, codes, level, value, shares)
            )
            auction = Auction(
                level, value, shares, candidates.target[first:last], self.chance, self.band, width
            )
            return _ordered(entries, codes, auction, auction.shown(self.price), self.price)

        return rerank(
            evidence,
            k,
            order,
            columns=2 * candidates.target.shape[1] * -(-candidates.reach // max(k, 1)),
        )


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The first entries of each list: so many that every group has its share in them, or the list
    ends.

    Attributes:
        evidence: Where they come from.
        lengths: (queries,) how many of each list.
        target: (queries, groups).
        without: (queries,) whether there is no target, or nobody is labelled.
        background: (queries,) mean score of the collection, or of all that was fetched where that
            is unknown.
    """

    evidence: Evidence
    lengths: Array
    target: Array
    without: Array
    background: Array

    @classmethod
    def of(cls, evidence: Evidence, k: int) -> _Candidates:
        ranking, least = evidence.ranking, _DEPTH * max(k, 1)
        background = _means(ranking) if evidence.background is None else evidence.background
        if int(ranking.lengths.max(initial=0)) <= least:
            return cls._all(evidence, background)
        queues = queue_up(evidence, least)
        sizes = queues.sizes[:, :-1]
        wanted = np.minimum(sizes, _DEPTH * k)
        last = (
            queues.entries[np.maximum(queues.starts[:, :-1] + wanted - 1, 0)]
            - ranking.offsets[:-1, None]
        )
        reach = np.maximum(_DEPTH * k, np.where(wanted > 0, last + 1, 0).max(1, initial=0))
        target = np.broadcast_to(queues.target, sizes.shape)
        return cls(
            evidence, np.minimum(ranking.lengths, reach), target, sizes.sum(1) == 0, background
        )

    @classmethod
    def _all(cls, evidence: Evidence, background: Array) -> _Candidates:
        """All entries, of lists so short that none can be left out."""
        ranking, stated = evidence.ranking, targets_of(evidence)
        missing = np.isnan(stated[:, :1])
        target = np.where(missing, 1 / stated.shape[1], stated)
        owner = ranking.query_of[hard_codes(evidence) >= 0]
        without = np.bincount(owner, minlength=len(ranking)) == 0
        if missing.any():
            without |= missing[:, 0]
        if len(target) < len(ranking):
            target = np.broadcast_to(target, (len(ranking), stated.shape[1]))
        return cls(evidence, ranking.lengths, target, without, background)

    @property
    def reach(self) -> int:
        """How many are looked at of each list, at most."""
        return int(self.lengths.max(initial=0))

    def ranked(self, first: int, last: int, k: int) -> tuple[Array, Array, Array]:
        """Entries, standing and worth of some consecutive queries: (queries, candidates), best
        first; padding stands at -inf.
        """
        ranking, lengths = self.evidence.ranking, self.lengths[first:last, None]
        places = np.arange(max(int(lengths.max(initial=0)), k))
        there = places < lengths
        entries = np.where(there, ranking.offsets[first:last, None] + places, END)
        scores = np.where(
            there, ranking.scores.take(entries, mode="clip").astype(np.float64), -np.inf
        )
        level, far = standing(scores, k, self.background[first:last])
        return entries, level, np.maximum(worth(level, k), worth(far, k, FAR))

    def labelled(
        self, entries: Array, first: int, last: int, reach: Array, window: int
    ) -> tuple[Array, Array]:
        """The group each entry acts as, ``groups`` for unknown, and its shares in the light of its
        neighbours; (queries, candidates).
        """
        groups, entries = self.target.shape[1], entries[:, : int(reach.max()) + window]
        there = (entries < END) & (np.arange(entries.shape[1]) < reach[:, None] + window)
        full = bool(there.all())
        at = entries.ravel() if full else entries[there]
        found, mix = hard_codes(self.evidence, at), self.evidence.labels.share.take(at, axis=0)
        if self.without[first:last].any():
            nobody = np.broadcast_to(self.without[first:last, None], entries.shape)[there]
            found, mix = np.where(nobody, -1, found), np.where(nobody[:, None], 0.0, mix)
        mix = local_shares(mix, offsets_of(there.sum(1)), window)
        found = np.where(found < 0, groups, found)
        if full:
            return found.reshape(entries.shape), mix.reshape(*entries.shape, groups)
        codes, shares = np.full(entries.shape, groups), np.zeros((*entries.shape, groups))
        codes[there], shares[there] = found, mix
        return codes, shares


def _means(ranking: Ranking) -> Array:
    """(queries,) mean score of each list, 0 of an empty one."""
    running = np.zeros(len(ranking.scores) + 1)
    np.cumsum(ranking.scores, dtype=np.float64, out=running[1:])
    ends = running[ranking.offsets]
    return (ends[1:] - ends[:-1]) / np.maximum(ranking.lengths, 1)


def _ordered(entries: Array, codes: Array, auction: Auction, shown: Array, price: float) -> Array:
    """(queries, k) the shown entries by score, but each in time for the prefixes; where no prefix
    was short, as they stand.
    """
    width, groups = auction.k, auction.shares.shape[2]
    rows = np.arange(len(shown))[:, None]
    ranked = (
        rows * shown.shape[1] + (~shown).argsort(axis=1, kind="stable")[:, :width]
    )  # cells of (queries, candidates)
    there = shown.ravel()[ranked]
    code = np.where(there, codes.ravel()[ranked], groups)
    entry = np.where(there, entries.ravel()[ranked], END)
    if price <= 0 or auction.calm.all():  # where nothing is due, they come as they stand
        return entry
    place = rows * width + code.argsort(axis=1, kind="stable")  # by group, and by rank in it
    code, filled = code.ravel()[place], entry.ravel()[place]
    cells = rows * (groups + 1) + code
    sizes = np.bincount(cells.ravel(), minlength=len(code) * (groups + 1)).reshape(
        len(code), groups + 1
    )
    starts = sizes.cumsum(axis=1) - sizes
    first = starts.ravel()[cells]
    due = np.where(
        auction.calm[:, None],
        width + 1.0,
        _deadlines(ranked, place, code, first, auction, shown, price),
    )
    deep = int(sizes.max(initial=0)) + 1
    table = np.full((len(code), groups + 1, deep), width + 1, np.int64)
    table.ravel()[cells * deep + np.arange(width) - first] = whole(due, width)
    unknown = sizes.copy()
    unknown[:, -1] = (filled < END).sum(1) - sizes[:, :-1].sum(1)
    even = np.full((1, groups), 1 / max(groups, 1))
    queues = Queues(np.append(filled.ravel(), END), starts + rows * width, unknown, even)
    return queues.weave(merge(queues, MergeRule(table[:, :-1]), width))


def _deadlines(
    ranked: Array,
    place: Array,
    code: Array,
    first: Array,
    auction: Auction,
    shown: Array,
    price: float,
) -> Array:
    """(queries, k) by which place each shown item, by group, must come.

    In time for its group's share of the target, if it stands little lower than what stands there;
    else for the list's own share.
    """
    (queries, width), groups = code.shape, auction.shares.shape[2]
    rows = np.arange(queries)[:, None]
    own = np.minimum(code, groups - 1)
    mass = auction.shares.reshape(-1, groups)[ranked.ravel()[place], own]
    running = mass.cumsum(axis=1) - mass
    before = running - running.ravel()[rows * width + first]
    held = auction.held(shown)
    share = held / np.maximum(held.sum(1, keepdims=True), _LEAST)
    latest = _due(before, share[rows, own], max(auction.band, _OWN_BAND))
    wanted = _due(before, auction.target[rows, own], 0.0)
    falling = auction.standing.ravel()[ranked]
    wished = np.minimum(np.maximum(wanted - 1, 0), width - 1).astype(np.intp)
    there = falling.ravel()[rows * width + wished]
    with np.errstate(invalid="ignore"):
        cheap = there - falling.ravel()[place] <= min(price, _FORWARD)
    return np.where(cheap, np.minimum(wanted, latest), latest)


def _due(before: Array, share: Array, band: float) -> Array:
    """(queries, items) by which place an item must come: the first n at which its group's lower
    bound asks for one more.

    The bound is share n - band sd(n), and a group may lag behind it by less than one item.
    """
    wanted = np.maximum(share, _LEAST)
    room = 4 * wanted * (np.maximum(before, 0.0) + 1)
    if band > 0:
        slack = band * np.sqrt(np.maximum(wanted * (1 - wanted), 0.0))
        root = (slack + np.sqrt(slack**2 + room)) / (2 * wanted)
    else:
        root = np.sqrt(room) / (2 * wanted)
    return np.ceil(root**2 - 1e-7)
