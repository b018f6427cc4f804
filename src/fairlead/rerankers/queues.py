"""What every reranker shares: a hard group per entry, and a queue of entries per group.

The way back to a ranking is here too. Soft labels act through their most probable group (the first
listed on a tie); an item whose unknown mass exceeds every group's share is unknown. Unknown and
not-applicable items share one queue without bounds. They compete by score: such an item goes first
wherever it ranks above the labelled item that would come next. So bounds count labelled items only.
A query without a target keeps its plain order: all of its items are treated as unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fairlead.errors import UsageError
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

END = (1 << 34) - 1
"""Padding where a queue or a list has no more entries; above every entry number."""

# How many times k entries for each queue are read at first
_REACH = 2
# How many cells (queries x positions x groups) are worked on at once; bounds memory whatever the
# batch
_CELLS = 1 << 21


@dataclass(frozen=True, eq=False)
class Queues:
    """Entries of each query by group, best first.

    Entry numbers rise with the rank, so they compare like ranks.

    Attributes:
        entries: (entries + 1,) entry numbers by group, then query, then rank; the last is ``END``.
        starts: (queries, groups + 1) where each queue begins in ``entries``; the last column is the
            unknown queue.
        sizes: (queries, groups + 1) length of each queue.
        target: (queries or 1, groups) shares; finite.
    """

    entries: Array
    starts: Array
    sizes: Array
    target: Array

    @classmethod
    def of(cls, codes: Array, ranking: Ranking, target: Array, at: Array | None = None) -> Queues:
        """Queues of (entries,) codes in 0..groups, where ``groups`` means unknown.

        ``at`` numbers the entries, all by default.
        """
        columns = target.shape[1] + 1
        # numpy sorts these by radix
        small = codes.astype(np.uint8 if columns <= 255 else np.uint16)
        order = small.argsort(kind="stable")
        entries = np.empty(len(order) + 1, np.int64)
        entries[:-1] = order if at is None else at[order]
        entries[-1] = END
        cells = small
        if len(ranking) > 1:
            owner = ranking.query_of if at is None else ranking.query_of[at]
            cells = owner * columns + small
        sizes = np.bincount(cells, minlength=len(ranking) * columns).reshape(len(ranking), columns)
        ends = sizes.T.ravel().cumsum().reshape(columns, len(ranking)).T
        return cls(entries, ends - sizes, sizes, target)

    def __len__(self) -> int:
        return len(self.sizes)

    def part(self, first: int, last: int) -> Queues:
        """The queues of some consecutive queries."""
        if first == 0 and last == len(self):
            return self
        target = self.target if len(self.target) == 1 else self.target[first:last]
        return replace(
            self, starts=self.starts[first:last], sizes=self.sizes[first:last], target=target
        )

    def heads(self, width: int) -> Array:
        """(queries, groups, width) the first entries of each group's queue, padded with ``END``."""
        return _gather(self.entries, self.starts[:, :-1, None], self.sizes[:, :-1, None], width)

    def unknown(self, width: int) -> Array:
        """(queries, width) the first entries of the unknown queue, padded with ``END``."""
        return _gather(self.entries, self.starts[:, -1:], self.sizes[:, -1:], width)

    def weave(self, known: Array) -> Array:
        """(queries, width) the labelled order with the unknown queue woven in.

        An unknown entry goes first where it ranks higher.
        """
        longest = min(int(self.sizes[:, -1].max(initial=0)), known.shape[1])
        if not longest:
            return known
        unknown = self.unknown(longest)
        # An unknown entry waits for every labelled entry served before a better-ranked one, hence
        # the running maximum.
        keys = np.hstack([np.maximum.accumulate(known, axis=1), unknown])
        order = keys.argsort(axis=1, kind="stable")[:, : known.shape[1]]
        return np.take_along_axis(np.hstack([known, unknown]), order, axis=1)


def _gather(entries: Array, starts: Array, sizes: Array, width: int) -> Array:
    places = np.arange(width)
    return entries[np.where(places < sizes, starts + places, len(entries) - 1)]


def hard_codes(evidence: Evidence, at: Array | None = None) -> Array:
    """(entries,) the group each entry acts as, -1 where it has none.

    It has none where it is unknown or the attribute does not apply. ``at`` selects some entries.
    """
    labelled = evidence.attribute
    groups = labelled.groups
    rows = evidence.ranking.rows
    if groups.codes is not None:
        # aligned labels are one per entry, others one per item
        places = at
        if not labelled.aligned:
            places = rows if at is None else rows[at]
        codes = groups.codes if places is None else groups.codes[places]
        return np.maximum(codes, -1)
    shares = evidence.labels.share
    unknown = evidence.labels.unknown
    shares, unknown = (shares, unknown) if at is None else (shares[at], unknown[at])
    most = shares.argmax(1)
    share = shares[np.arange(len(most)), most]
    return np.where((share > 0) & (unknown <= share), most, -1)


def targets_of(evidence: Evidence) -> Array:
    """(queries or 1, groups) the target shares as stated; NaN where a query has none."""
    return evidence.attribute.target.shares


def queue_up(evidence: Evidence, k: int | None = None, *, targeted: bool = True) -> Queues:
    """The queues of evidence on one attribute.

    With ``targeted``, queries without a target hold unknown entries only. With ``k``, only so much
    of each list is read that every group's queue holds ``k`` entries, or the list ends.
    """
    lengths = evidence.ranking.lengths
    groups = targets_of(evidence).shape[1]
    depth = int(lengths.max(initial=0))
    # long lists are rarely needed to their end: a first stretch of them is usually enough
    reach = depth if k is None else _REACH * k * (groups + 1)
    while reach < depth:
        queues = _queued(evidence, _first(evidence.ranking, reach), targeted)
        if ((queues.sizes[:, :-1] >= k).all(1) | (lengths <= reach)).all():
            return queues
        reach *= 4
    return _queued(evidence, None, targeted)


def _queued(evidence: Evidence, at: Array | None, targeted: bool) -> Queues:
    """The queues of some entries, all by default."""
    target = targets_of(evidence)
    ranking = evidence.ranking
    groups = target.shape[1]
    codes = hard_codes(evidence, at)
    codes = np.where(codes < 0, groups, codes) if codes.size and codes.min() < 0 else codes
    missing = np.isnan(target[:, 0])
    if missing.any():
        if targeted:
            owner = ranking.query_of if at is None else ranking.query_of[at]
            codes = np.where(np.broadcast_to(missing, len(evidence))[owner], groups, codes)
        target = np.where(missing[:, None], 1 / groups, target)
    return Queues.of(codes, ranking, target, at)


def _first(ranking: Ranking, reach: int) -> Array:
    """Entry numbers of the first ``reach`` of each list."""
    if len(ranking) == 1:
        return np.arange(min(reach, int(ranking.lengths[0])))
    places = ranking.offsets[:-1, None] + np.arange(reach)
    if ranking.lengths.min() >= reach:
        return places.ravel()
    return places[np.arange(reach) < ranking.lengths[:, None]]


def rerank(
    evidence: Evidence, k: int, order: Callable[[int, int, int], Array], *, columns: int = 1
) -> Ranking:
    """The ranking made by ``order(first, last, width)``.

    It gives (queries, width) entries of a slice of queries, padded with ``END``. Slices are small
    enough for ``columns`` cells per position; a list never grows beyond its candidates.
    """
    if k < 1:
        raise UsageError(f"k is {k}.", "Show at least one item.")
    ranking = evidence.ranking
    width = min(k, int(ranking.lengths.max(initial=0)))
    step = max(1, _CELLS // max(1, width * columns))
    if not width:
        return ranking.take(np.empty(0, np.int64), np.zeros(len(ranking), np.int64))
    if len(ranking) <= step:
        part = order(0, len(ranking), width)
        mask = part < END
        return ranking.take(part[mask], mask.sum(1))
    parts = [
        order(first, min(first + step, len(ranking)), width)
        for first in range(0, len(ranking), step)
    ]
    masks = [part < END for part in parts]
    entries = [part[mask] for part, mask in zip(parts, masks, strict=True)]
    sizes = [mask.sum(1) for mask in masks]
    return ranking.take(np.concatenate(entries), np.concatenate(sizes))
