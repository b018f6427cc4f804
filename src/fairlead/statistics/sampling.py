"""Which items to label next, for the most certainty a label.

What we want to know is the share of each group in the first k of each query. Its variance has two
parts. An item with answers, which leave group g the probability p_g, adds p_g (1 - p_g). The u
items without answers, assumed to be like the n answered ones of their query, together add
u p (1 - p) (m + u) / (m + 1) with m = n + 2 (a beta-binomial; the 2 are items like those of all
queries).

For every item we compute how far its next answers are expected to lower this, if raters are right
as often as they have been. Then, again and again, the query with the widest interval gets the item
that is expected to narrow it most per label. Ties are broken at random. So labels go where they are
few, where groups are mixed and where raters differ, and an item that stands in many lists counts in
each. Other plans: ``top`` (best ranks first), ``disputed`` (least certain first), ``random``.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from fairlead.types import Ranking
from fairlead.types.ragged import Array, offsets_of

By = Literal["interval", "top", "disputed", "random"]
SURE = 0.9
"""An item that has its answers is asked about again only where no value is as sure as this."""
_AHEAD = 3
_Z = 1.959964
# Look ahead by so many answers; 97.5 % point of the normal; items a query starts with
_PRIOR_ITEMS = 2.0


@dataclass(frozen=True, eq=False)
class Known:
    """What is known so far.

    Attributes:
        share: (items, values) shares of the groups and of not applicable, from the answers so far;
            0 where there are none.
        given: (items,) how many answers each item has.
        unsure: (items,) share of its answers that were unsure: so often another one will be.
        accuracy: How often a rater is right.
    """

    share: Array
    given: Array
    unsure: Array
    accuracy: float


@dataclass(frozen=True, eq=False)
class Chosen:
    """Items to label next, in order.

    Attributes:
        rows: (chosen,) the items.
        labels: (chosen,) how many answers each is to get.
        before: (queries,) half the width of the 95 % interval of the least certain value's share,
            now.
        after: (queries,) the same as expected once the labels are there.
    """

    rows: Array
    labels: Array
    before: Array
    after: Array


def choose(
    lists: Ranking,
    known: Known,
    *,
    raters: int,
    budget: int | None,
    by: By,
    rng: np.random.Generator,
) -> Chosen:
    """Choose the items to label next.

    Args:
        lists: The first k of each query; rows below ``len(known.share)``.
        known: What is known so far.
        raters: Answers an item is to have.
        budget: How many labels may be asked for; all that are missing by default.
        by: The plan.
        rng: Draws among equal items.
    """
    work = _Work.of(lists, known, raters)
    state = _Uncertainty.of(work)
    before = state.spread()
    if by == "interval":
        chosen = _by_interval(work, state, rng, budget)
    else:
        chosen = _by_key(work, by, rng, budget)
    state = _Uncertainty.of(work)
    for item in chosen:
        state.take(item)
    return Chosen(work.rows[chosen], work.labels[chosen], before, state.spread())


@dataclass(frozen=True, eq=False)
class _Work:
    """The items of the lists, each once.

    Attributes:
        lists: The lists.
        rows: (items,) their rows.
        at: (entries,) the item of each entry of the lists.
        labels: (items,) answers each would get.
        open: (items,) whether to ask about it.
        fresh: (items,) whether nobody has said anything of it.
        variance: (items, values) what it adds now, if it has answers.
        expected: (items, values) what it is expected to add with its next answers, if it has some.
        heard: (items,) how often its next answers will be sure ones.
        prior: (queries, values) what an item of the query is before anybody looks.
        first: (answers, queries, values) what such an item is expected to add after its first
            answers, 0, 1, 2, ...
    """

    lists: Ranking
    rows: Array
    at: Array
    labels: Array
    open: Array
    fresh: Array
    variance: Array
    expected: Array
    heard: Array
    prior: Array
    first: Array

    @classmethod
    def of(cls, lists: Ranking, known: Known, raters: int) -> _Work:
        rows, at = np.unique(lists.rows, return_inverse=True)
        sums = known.share.sum(1)
        shares = np.zeros_like(known.share)
        np.divide(known.share, sums[:, None], out=shares, where=sums[:, None] > 0)
        shares = shares[rows]
        fresh = sums[rows] == 0
        given = known.given[rows]
        overall = (known.share.sum(0) + 1) / (sums.sum() + known.share.shape[1])
        prior = _priors(lists, shares[at], ~fresh[at], overall)
        labels = np.maximum(raters - given, 1)
        variance = shares * (1 - shares)
        heard = 1 - known.unsure[rows]
        steps = np.minimum(labels, _AHEAD)
        ahead = range(_AHEAD + 1)
        by_step = np.stack([_expected(shares, known.accuracy, step) for step in ahead])
        after = by_step[steps, np.arange(len(rows))]
        missing = (given < raters) | (shares.max(1, initial=0.0) < SURE)
        first = np.stack([_expected(prior, known.accuracy, step) for step in ahead])
        expected = variance + heard[:, None] * (after - variance)
        return cls(lists, rows, at, labels, missing, fresh, variance, expected, heard, prior, first)

    def first_of(self, item: int, queries: Array) -> Array:
        """(queries, values) what an unanswered item is expected to add to each query.

        That is after its first answers.
        """
        now = self.first[0, queries]
        then = self.first[min(int(self.labels[item]), _AHEAD), queries]
        return now + self.heard[item] * (then - now)

    @cached_property
    def homes(self) -> tuple[Array, Array]:
        """The queries each item stands in: flat, and (items + 1,) where each item's start."""
        order = np.argsort(self.at, kind="stable")
        counts = np.bincount(self.at, minlength=len(self.rows))
        return self.lists.query_of[order], offsets_of(counts)


@dataclass(eq=False)
class _Uncertainty:
    """How uncertain each query is.

    ``answered`` is the (queries, values) variance of items with answers, ``left`` the (queries,)
    items without, and ``weight`` the m of the formula above.
    """

    work: _Work
    answered: Array
    left: Array
    weight: Array

    @classmethod
    def of(cls, work: _Work) -> _Uncertainty:
        query = work.lists.query_of
        queries = len(work.lists)
        answered = np.zeros((queries, work.variance.shape[1]))
        fresh = work.fresh[work.at]
        np.add.at(answered, query[~fresh], work.variance[work.at[~fresh]])
        left = np.bincount(query[fresh], minlength=queries).astype(np.float64)
        return cls(work, answered, left, work.lists.lengths - left + _PRIOR_ITEMS)

    def variance(self, queries: Array) -> Array:
        """(queries, values) variance of the shares of some queries."""
        left = self.left[queries][:, None]
        weight = self.weight[queries][:, None]
        among = self.work.prior[queries] * (1 - self.work.prior[queries])
        lengths = np.maximum(self.work.lists.lengths[queries], 1)[:, None]
        return (self.answered[queries] + left * among * (weight + left) / (weight + 1)) / lengths**2

    def spread(self) -> Array:
        """(queries,) half the width of the interval of the least certain value's share."""
        return _Z * np.sqrt(self.variance(np.arange(len(self.left))).max(1, initial=0.0))

    def take(self, item: int) -> Array:
        """Count an item as labelled, and return the queries it stands in."""
        flat, starts = self.work.homes
        homes = flat[starts[item] : starts[item + 1]]
        if self.work.fresh[item]:
            self.left[homes] -= 1
            self.weight[homes] += 1
            self.answered[homes] += self.work.first_of(item, homes)
        else:
            self.answered[homes] += self.work.expected[item] - self.work.variance[item]
        return homes

    def gain(self, query: int, item: int) -> float:
        """How much labelling an item narrows a query, per label."""
        work = self.work
        left = float(self.left[query])
        weight = float(self.weight[query])
        labels = int(work.labels[item])
        if not work.fresh[item]:
            return float((work.variance[item] - work.expected[item]).sum()) / labels
        among = work.prior[query] * (1 - work.prior[query]) * (weight + left)
        # one item fewer without answers, and one more that the others are guessed from
        gone = among * (left / (weight + 1) - (left - 1) / (weight + 2))
        added = work.first_of(item, np.array([query]))[0]
        return float((gone - added).sum()) / labels


def _by_key(work: _Work, by: By, rng: np.random.Generator, budget: int | None) -> list[int]:
    """Items sorted by one number each, equal ones by lot."""
    key = np.zeros(len(work.rows))
    if by == "top":
        key = np.full(len(work.rows), np.iinfo(np.int64).max, np.int64)
        np.minimum.at(key, work.at, work.lists.ranks)
    elif by == "disputed":
        guessed = _mean_over(work.at, work.first[0, work.lists.query_of], len(work.rows))
        key = -np.where(work.fresh, guessed.sum(1), work.variance.sum(1))
    order = np.lexsort([rng.random(len(key)), key])
    order = order[work.open[order]]
    if budget is not None:
        spent = np.cumsum(work.labels[order])
        order = order[: int(np.searchsorted(spent, budget, side="right"))]
    return [int(item) for item in order]


def _by_interval(
    work: _Work, state: _Uncertainty, rng: np.random.Generator, budget: int | None
) -> list[int]:
    """Always the query with the widest interval, and in it the most useful item a label."""
    lot = rng.random(len(work.rows))
    gain = (work.variance - work.expected).sum(1) / work.labels
    again = _queues(work, ~work.fresh, np.lexsort([lot, -gain]))
    fresh = _queues(work, work.fresh, np.argsort(lot))
    turn = rng.permutation(len(work.lists))
    width = state.spread()
    heap = [(-float(width[q]), int(turn[q]), q) for q in range(len(work.lists))]
    heapq.heapify(heap)
    used = np.zeros(len(work.rows), np.bool_)
    chosen = []
    spent = 0
    while heap:
        wide, order, q = heapq.heappop(heap)
        # an item that it shares has narrowed it in the meantime: its turn comes later
        if -float(width[q]) > wide + 1e-15:
            heapq.heappush(heap, (-float(width[q]), order, q))
            continue
        queues = (_passed(fresh[q], used), _passed(again[q], used))
        items = [queue[-1] for queue in queues if queue]
        if not items:
            continue
        item = max(items, key=lambda item: state.gain(q, item))
        spent += int(work.labels[item])
        if budget is not None and spent > budget:
            break
        used[item] = True
        chosen.append(item)
        homes = state.take(item)
        width[homes] = _Z * np.sqrt(np.maximum(state.variance(homes), 0).max(1))
        heapq.heappush(heap, (-float(width[q]), order, q))
    return chosen


def _queues(work: _Work, which: Array, order: Array) -> list[list[int]]:
    """For each query, its open items of a kind, with the first in the order at the end."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    open_entries = (which & work.open)[work.at]
    entries = np.flatnonzero(open_entries)[
        np.lexsort([-place[work.at[open_entries]], work.lists.query_of[open_entries]])
    ]
    ends = np.cumsum(np.bincount(work.lists.query_of[open_entries], minlength=len(work.lists)))
    return [part.tolist() for part in np.split(work.at[entries], ends[:-1])]


def _passed(queue: list[int], taken: Array) -> list[int]:
    """The queue without the items at its end that were taken for other queries."""
    while queue and taken[queue[-1]]:
        queue.pop()
    return queue


def _priors(lists: Ranking, own: Array, answered: Array, overall: Array) -> Array:
    """(queries, values) the mean of what is answered in each query.

    Some items like those of all queries are mixed in.
    """
    seen = np.zeros((len(lists), own.shape[1]))
    np.add.at(seen, lists.query_of[answered], own[answered])
    count = np.bincount(lists.query_of[answered], minlength=len(lists))[:, None]
    return (seen + _PRIOR_ITEMS * overall) / (count + _PRIOR_ITEMS)


def _mean_over(at: Array, values: Array, size: int) -> Array:
    """(size, columns) the mean of the values at each place."""
    sums = np.zeros((size, values.shape[1]))
    np.add.at(sums, at, values)
    return sums / np.maximum(np.bincount(at, minlength=size), 1)[:, None]


def _expected(chance: Array, accuracy: float, answers: int) -> Array:
    """(items, values) the variance expected after this many more answers.

    Errors are spread evenly over the other values.
    """
    if answers == 0:
        return chance * (1 - chance)
    values = chance.shape[1]
    likely = np.full((values, values), (1 - accuracy) / (values - 1))
    np.fill_diagonal(likely, accuracy)
    total = np.zeros_like(chance)
    for answer in range(values):
        joint = chance * likely[:, answer]
        heard = joint.sum(1, keepdims=True)
        total += heard * _expected(
            np.divide(joint, heard, out=np.zeros_like(joint), where=heard > 0),
            accuracy,
            answers - 1,
        )
    return total
