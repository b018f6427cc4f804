"""Levelled: the plain list, corrected only beyond chance, only at a price worth paying, and no prefix left behind.

*Shares* are expected counts of soft labels, in the light of how common each group is around an item (``prevalence``).
*Shortfall* of a list that holds E_g of group g, K in all: sum over g of max(0, t_g K - band sd_g - E_g), where sd_g is the spread of
a count of group g when K items are drawn by lot toward the target: what chance alone explains is left alone.
*Set*: from the plain first k, one item is exchanged for another, the cheapest first, while an exchange lowers the shortfall and costs
at most ``price`` for each item of shortfall; the cost is the score given up, in standard deviations of the candidates' scores. Of
each group the best come first.
*Order*: by score, but no prefix of the list falls short of the list's own shares by more than the same chance band.

So a list within the band stays as it is; exchanges between items that score alike are almost free and come first; items that do not
belong are shown only when nothing else helps and the price allows it. Ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.evidence import Evidence
from fairlead.ragged import Array
from fairlead.rerankers.prevalence import local_shares
from fairlead.rerankers.queues import END, queue_up, rerank
from fairlead.spec import Configured
from fairlead.types import Ranking

_SPREAD_OVER = 10
"""The spread of scores is taken over this many times k candidates."""
_LEAST = 1e-9


@dataclass(frozen=True)
class Levelled(Configured):
    """The plain list, corrected where it is short of a group beyond chance, cheapest exchanges first, up to a price."""

    price: float = 2.0
    band: float = 0.5
    window: int = 40

    name: ClassVar[str] = "levelled"
    summary: ClassVar[str] = (
        "The plain list, corrected where it is short of a group beyond chance, cheapest exchanges first, up to a price."
    )
    source: ClassVar[str] = "ours; the local prevalence is of Saerens, Latinne, Decaestecker (2002)"
    blind_spot: ClassVar[str] = (
        "Scores must mean relevance: where the model ranks a group low for what it is, the price counts that as a loss. "
        "Soft labels are taken as calibrated for groups of equal size. A price that is too low leaves expensive queries as they are."
    )
    promise: ClassVar[str] = (
        "A list within the chance band keeps its plain order; the expected shortfall never grows; no exchange costs more than the price; "
        "price=0 is the plain list."
    )
    uses_target: ClassVar[bool] = True

    def validate(self) -> None:
        if self.price < 0 or self.band < 0 or self.window < 0:
            raise UsageError(f"{self} needs price, band and window of at least 0.")

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        ranking, queues = evidence.ranking, queue_up(evidence)
        shares = local_shares(evidence.labels.share, ranking.offsets, self.window)
        shares = np.vstack([shares, np.zeros((1, shares.shape[1]))])
        scores = _scaled(ranking, _SPREAD_OVER * k)

        def order(first: int, last: int, width: int) -> Array:
            part = queues.part(first, last)
            entries = np.concatenate([part.heads(width), part.unknown(width)[:, None]], axis=1)
            at = np.minimum(entries, len(scores) - 1)
            counts = (entries < (ranking.offsets[first:last] + width)[:, None, None]).sum(2)
            target = np.broadcast_to(part.target, (len(part), shares.shape[1]))
            lists = _Lists(scores[at], shares[at], target, self.band, self.price)
            return _ordered(entries, lists, lists.exchanged(counts))

        return rerank(evidence, k, order, columns=8 * (queues.target.shape[1] + 1) * queues.target.shape[1])


@dataclass(frozen=True, eq=False)
class _Lists:
    """Queues of a slice of queries: what each holds at each place.

    Attributes:
        scores: (queries, queues, width) in standard deviations; -inf where a queue has ended.
        shares: (queries, queues, width, groups) expected membership.
        target: (queries, groups).
    """

    scores: Array
    shares: Array
    target: Array
    band: float
    price: float

    def shortfall(self, held: Array, target: Array) -> Array:
        """(...) what lists that hold expected counts (..., groups) lack beyond chance."""
        total = held.sum(-1, keepdims=True)
        spread = np.sqrt(np.maximum(total * target * (1 - target), 0.0))
        return np.maximum(target * total - self.band * spread - held, 0.0).sum(-1)

    def exchanged(self, counts: Array) -> Array:
        """(queries, queues) how many of each queue are shown, starting from the plain counts."""
        counts, width = counts.copy(), self.scores.shape[2]
        held = np.where((np.arange(width) < counts[:, :, None])[..., None], self.shares, 0.0).sum((1, 2))
        open_ = np.flatnonzero(self.shortfall(held, self.target) > _LEAST) if self.price > 0 else np.empty(0, np.intp)
        while len(open_):
            out, into, now = self._best(open_, counts, held)
            kept = out >= 0
            open_, out, into, now = open_[kept], out[kept], into[kept], now[kept]
            counts[open_, out] -= 1
            counts[open_, into] += 1
            held[open_] = now
            open_ = open_[self.shortfall(now, self.target[open_]) > _LEAST]
        return counts

    def _best(self, queries: Array, counts: Array, held: Array) -> tuple[Array, Array, Array]:
        """The cheapest exchange of each query: the queue that gives, -1 for none, the one that takes, and what is then held."""
        width, at = self.scores.shape[2], counts[queries]
        rows, queues = queries[:, None], np.arange(at.shape[1])
        last, following = np.maximum(at - 1, 0), np.minimum(at, width - 1)
        given, taken = self.scores[rows, queues, last], self.scores[rows, queues, following]
        lost = np.where(at > 0, given, np.inf)[:, :, None] - np.where(at < width, taken, -np.inf)[:, None, :]
        moved = self.shares[rows, queues, following][:, None, :] - self.shares[rows, queues, last][:, :, None]
        target = self.target[queries]
        after = held[queries][:, None, None] + moved
        gain = self.shortfall(held[queries], target)[:, None, None] - self.shortfall(after, target[:, None, None])
        fine = np.isfinite(lost) & (gain > _LEAST) & (lost <= self.price * gain)
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(fine, np.maximum(lost, 0.0) / np.where(fine, gain, 1.0), np.inf)
        best = rate.reshape(len(queries), -1).argmin(1)
        out, into = np.divmod(best, at.shape[1])
        number = np.arange(len(queries))
        return np.where(np.isfinite(rate[number, out, into]), out, -1), into, after[number, out, into]


def _ordered(entries: Array, lists: _Lists, counts: Array) -> Array:
    """(queries, width) the shown entries by score, with no prefix short of the list's own shares beyond the chance band."""
    queries, _, width = entries.shape
    shown = np.arange(width) < counts[:, :, None]
    flat = np.where(shown, entries, END).reshape(queries, -1)
    plain = np.sort(flat, axis=1)[:, :width]
    place = np.argsort(flat, axis=1, kind="stable")[:, :width]
    rows = np.arange(queries)[:, None]
    held = np.cumsum(np.where((plain < END)[..., None], lists.shares.reshape(queries, -1, lists.shares.shape[3])[rows, place], 0.0), axis=1)
    own = held[:, -1] / np.maximum(held[:, -1].sum(-1, keepdims=True), _LEAST)
    late = np.flatnonzero((lists.shortfall(held, own[:, None]) > _LEAST).any(1))
    for query in late.tolist():
        plain[query] = _merged(entries[query], lists, query, counts[query], own[query])
    return plain


def _merged(entries: Array, lists: _Lists, query: int, counts: Array, own: Array) -> Array:
    """(width,) one list: at each place the best-scored head, unless its prefix would fall short and another head does better."""
    width, place = entries.shape[1], np.zeros(len(counts), np.intp)
    order, held = np.full(width, END), np.zeros(len(own))
    queues = np.arange(len(counts))
    for n in range(int(counts.sum())):
        at = np.minimum(place, width - 1)
        head = np.where(place < counts, entries[queues, at], END)
        lacking = np.where(head < END, lists.shortfall(held + lists.shares[query, queues, at], own), np.inf)
        allowed = lacking <= max(float(lacking.min()), _LEAST)
        chosen = int(np.where(allowed, head, END).argmin())
        order[n] = head[chosen]
        held = held + lists.shares[query, chosen, at[chosen]]
        place[chosen] += 1
    return order


def _scaled(ranking: Ranking, depth: int) -> Array:
    """(entries + 1,) scores that never rise within a list, in standard deviations of its first ``depth``; -inf behind the last."""
    scores = ranking.scores.astype(np.float64)
    scaled = np.empty(len(scores) + 1)
    scaled[-1] = -np.inf
    for query in range(len(ranking)):
        own = slice(int(ranking.offsets[query]), int(ranking.offsets[query + 1]))
        falling = np.minimum.accumulate(scores[own]) if own.stop > own.start else scores[own]
        spread = float(falling[: max(depth, 2)].std()) if len(falling) > 1 else 0.0
        scaled[own] = falling / spread if spread > 0 else 0.0
    return scaled
