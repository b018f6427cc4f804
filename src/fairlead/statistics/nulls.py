"""Chance levels: what a metric reads when nothing but chance decides who is shown. Nulls are named.

``order`` permutes the query's own candidates (within matched sets, where items come in blocks);
``gallery`` draws from the pool's counts without replacement; ``target`` draws independently from
the target; ``roles`` swaps the cultural and the unrelated candidate. A null is taken from the plain
candidates and shared by all variants of a comparison. It is exact where only counts matter and the
outcomes are few enough, else a sample that grows where a tail must be known better.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.protocols import Direction
from fairlead.statistics import sequences
from fairlead.statistics.distributions import Distribution, sums
from fairlead.statistics.hard_nulls import Keys, Kind, asked_targets, extend_together
from fairlead.types import Groups
from fairlead.types.evidence import Evidence, Lists
from fairlead.types.ragged import Array

__all__ = ["Kind", "Null", "default_kind", "null_of"]

_CELLS = 1 << 20
# How many cells of hard labels a cell of soft labels costs
_SOFT_COST = 4


@dataclass
class Null:
    """The null of one metric on one attribute, list by list.

    Attributes:
        kind: Which null.
        direction: Which way is better.
        of: (queries,) which distribution each query has; -1 where the metric is undefined.
        distributions: The distinct distributions.
        sizes: (distributions,) cells one draw costs.
    """

    kind: str
    direction: Direction
    of: Array
    distributions: list[Distribution]
    sizes: Array

    def _each(self, value: Callable[[Distribution], float]) -> Array:
        table = np.array([value(d) for d in self.distributions] + [np.nan])
        return table[self.of]

    @cached_property
    def mean(self) -> Array:
        """(queries,) chance level of each query."""
        return self._each(lambda d: d.moments[0])

    @cached_property
    def sd(self) -> Array:
        """(queries,) spread of each query under the null."""
        return self._each(lambda d: d.moments[1])

    @property
    def degenerate(self) -> Array:
        """(queries,) where the null cannot vary."""
        return self._each(lambda d: float(d.degenerate)) == 1.0

    def rare(self, chance: float) -> float:
        """The share of the variance that comes from each list's highest values.

        Together these have at most this probability.
        """
        at = self.of >= 0
        whole = float(np.sum(self.sd[at] ** 2))
        if whole > 0:
            return float(np.sum(self._each(lambda d: d.variance_above(chance))[at])) / whole
        return 0.0

    def p(self, values: Array, family: int, budget: int = 1_000_000_000) -> Array:
        """(queries,) p of each query's value.

        Samples grow to 20 draws for each test of the family where the tail is thin.

        Args:
            values: (queries,) observed values.
            family: How many tests are corrected together.
            budget: The most cells to draw; what it cannot buy shows as a larger p, never a smaller
                one.
        """
        need = max(20_000, 25 * family)
        # only samples can grow: an exact distribution is as good as it gets
        sampled = np.array([d.weights is None for d in self.distributions] + [False])
        queries = np.flatnonzero(sampled[self.of])
        while True:
            pairs = zip(self.of[queries].tolist(), values[queries].tolist(), strict=True)
            queries = queries[[self._thin(number, value, need) for number, value in pairs]]
            growing = np.unique(self.of[queries]).tolist()
            sizes = {d: len(self.distributions[d].values) for d in growing}
            # eight times as many draws at a time: one step is enough for most tails
            step = {d: min(need, 8 * sizes[d]) for d in growing}
            cost = sum((step[d] - sizes[d]) * int(self.sizes[d]) for d in growing)
            if not growing or cost > budget:
                break
            budget -= cost
            extend_together([(self.distributions[d], step[d]) for d in growing])
        return self.tails(values)

    def settle(self) -> None:
        """Fix the chance levels.

        The noise of a shared sample's mean must be small against the spread of the mean over its
        lists.
        """
        numbers, lists = np.unique(self.of[self.of >= 0], return_counts=True)
        affordable = 50_000_000 // np.maximum(self.sizes[numbers], 1)
        draws = np.minimum(25 * lists, affordable)
        shared = [self.distributions[d] for d in numbers.tolist()]
        extend_together(list(zip(shared, draws.tolist(), strict=True)))
        for distribution in shared:
            # reading the moments now keeps them: whoever extends the sample later cannot move them
            _ = distribution.moments

    def tails(self, values: Array) -> Array:
        """(queries,) p of each query's value from the distributions as they are."""
        at = self.of >= 0
        result = np.full(len(values), np.nan)
        result[at] = [
            self.distributions[d].tail(value, self.direction)
            for d, value in zip(self.of[at].tolist(), values[at].tolist(), strict=True)
        ]
        return result

    def _thin(self, number: int, value: float, need: int) -> bool:
        """Whether a sampled distribution still has fewer than ten draws as bad or worse."""
        d = self.distributions[number]
        return len(d.values) < need and d.exceeding(value, self.direction) < 10

    def covers(self, values: Array) -> Array:
        """(queries,) where both the value and its chance level are known."""
        return (self.of >= 0) & ~np.isnan(values) & ~np.isnan(self.mean)

    def select(self, queries: Array) -> Null:
        """The null of some queries."""
        return replace(self, of=self.of[queries])

    def row(
        self, values: Array, draws: int, rng: np.random.Generator, clusters: Array | None = None
    ) -> tuple[float, float, float]:
        """Mean, spread and p of the mean over queries, against the null distribution of that mean.

        Queries of one of the ``clusters`` (several pictures of one thing) rank the same candidates,
        so chance favours or harms them together: they share one draw. That is right where their
        lists are equal, and cautious where they differ.
        """
        covered = self.covers(values)
        if not covered.any():
            return float("nan"), float("nan"), float("nan")
        of = self.of[covered]
        if clusters is None:
            together = np.arange(len(of))
            numbers, lists = np.unique(of, return_counts=True)
            totals = sums([self.distributions[d] for d in numbers.tolist()], lists, draws, rng)
        else:
            together = np.unique(clusters[covered], return_inverse=True)[1]
            totals = np.zeros(draws)
            for cluster in range(together.max() + 1):
                places = rng.random(draws)
                for d, count in _shared_by(of[together == cluster]):
                    totals += count * self.distributions[d].at(places)
        mean = float(np.mean(self.mean[covered]))
        # within a cluster spreads add up, between clusters their squares do
        squares = np.bincount(together, self.sd[covered]) ** 2
        spread = float(np.sqrt(np.sum(squares)) / len(of))
        if self.degenerate[covered].all():
            return mean, spread, float("nan")
        means = Distribution(np.sort(totals / len(of)))
        return mean, spread, means.tail(float(np.mean(values[covered])), self.direction)


def _shared_by(of: Array) -> Iterator[tuple[int, int]]:
    """Each distribution among (lists,) numbers of distributions, and how many lists share it."""
    return zip(*np.unique(of, return_counts=True), strict=True)


def default_kind(metric: Any, evidence: Evidence) -> Kind:
    """The null that fits what is known.

    It is ``order`` within matched sets where there are any, else ``gallery`` where the pool is
    known, else ``order`` where every list is at least twice as deep as the cut-off, else
    ``target``.
    """
    view = metric.view(evidence)
    if view.blocks is not None:
        return "order"
    if view.pool is not None:
        return "gallery"
    depths = view.ranking.lengths[view.ranking.lengths > 0]
    cut = metric.k if metric.k is not None else depths.max(initial=1)
    if len(depths) and depths.min() >= 2 * cut:
        return "order"
    return "target"


def shown_of(metric: Any, evidence: Evidence) -> Array:
    """(queries,) how many items of each list a metric looks at."""
    lengths = metric.view(evidence).ranking.lengths
    if metric.k is None:
        return lengths
    return np.minimum(lengths, metric.k)


def null_of(
    metric: Any,
    evidence: Evidence,
    kind: Kind,
    *,
    seed: int,
    draws: int = 1_000,
    shown: Array | None = None,
) -> Null:
    """The null of a list metric on plain evidence with one attribute.

    ``shown`` are the lengths of the lists that are measured, where they differ from those of the
    plain lists (a shortened variant). Within matched sets, and for labels that depend on the query,
    ``gallery`` is the order of the candidates, and is named ``order``.
    """
    view = metric.view(evidence)
    if kind == "gallery" and view.pool is None:
        raise DataError(
            "The gallery null needs to know the collection.",
            "Choose --null order or --null target.",
        )
    # drawing across matched sets, or labels of other queries' candidates, would mean nothing
    if kind == "gallery" and (view.blocks is not None or view.attribute.aligned):
        kind = "order"
    shown = shown_of(metric, evidence) if shown is None else shown
    if view.labels.hard and (view.blocks is None or kind == "target"):
        keys, of = Keys.of(metric, view, kind, shown, seed)
        null = Null(kind, metric.direction, of, keys.solve(draws), keys.sizes)
    else:
        null = _by_query(metric, view, kind, shown, seed=seed, draws=draws)
    null.settle()
    return null


def _by_query(
    metric: Any, view: Evidence, kind: Kind, shown: Array, *, seed: int, draws: int
) -> Null:
    """The null of soft labels or matched sets: each query has its own.

    All share one where they draw from the same pool.
    """
    of = np.full(len(view), -1)
    number = dict[Any, int]()
    distributions = list[Distribution]()
    sizes = list[int]()
    targets = asked_targets(metric, view, kind)
    pool = view.pool
    alike = (
        kind == "gallery"
        and pool is not None
        and len(pool) == 1
        and view.blocks is None
        and not view.attribute.aligned
    )
    labels = view.attribute.groups.take(pool.rows) if alike and pool is not None else None
    for q in np.flatnonzero((shown > 0) & ~np.isnan(targets).any(1)).tolist():
        size = int(shown[q])
        key = (view.queries[q], size) if labels is None else (size, targets[q].tobytes())
        if key not in number:
            number[key] = len(distributions)
            null = _Own(metric, view, kind, q, size, targets[q], labels)
            rng = _stream(seed, metric, kind, key)
            distributions.append(Distribution.sampled(partial(null.sample, rng=rng), draws))
            sizes.append(null.size * len(view.labels.names) * _SOFT_COST)
        of[q] = number[key]
    return Null(kind, metric.direction, of, distributions, np.array(sizes))


class _Own:
    """The null of one query whose labels are soft or come in matched sets.

    Rows of its pool are drawn, and labels go with them.
    """

    def __init__(
        self,
        metric: Any,
        view: Evidence,
        kind: Kind,
        query: int,
        size: int,
        target: Array,
        labels: Groups | None = None,
    ) -> None:
        entries = slice(view.ranking.offsets[query], view.ranking.offsets[query + 1])
        self.metric = metric
        self.kind = kind
        self.target = target
        self.size = size
        rows = view.ranking.rows[entries]
        self.blocks: Array | None = None
        if view.blocks is not None and kind != "target":
            self.blocks = view.blocks[rows]
        if labels is not None:
            self.labels = labels
        elif (
            kind == "gallery"
            and view.pool is not None
            and self.blocks is None
            and not view.attribute.aligned
        ):
            self.labels = view.attribute.groups.take(view.pool.of(query))
        else:
            self.labels = view.labels.take(np.arange(entries.start, entries.stop))
        if self.blocks is not None:
            # only items of the matched sets that are shown can take a place in the list
            shown = np.flatnonzero(np.isin(self.blocks, self.blocks[: self.size]))
            self.labels = self.labels.take(shown)
            self.blocks = self.blocks[shown]
        if kind == "target":
            self.labels = _with_pure_items(self.labels)

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        # drawing a few rows does not touch the whole pool, shuffling it does
        pool = 1 if self._sparse else len(self.labels)
        chunk = max(1, _CELLS // max(self.size * len(self.target), pool))
        parts = [self._some(min(chunk, draws - start), rng) for start in range(0, draws, chunk)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _some(self, draws: int, rng: np.random.Generator) -> Array:
        picks = self._picks(draws, rng)[:, : self.size]
        target = np.broadcast_to(self.target, (draws, len(self.target)))
        codes = soft = None
        if self.labels.codes is not None:
            codes = self.labels.codes[picks]
        else:
            soft = self.labels.share[picks]
        numbers = np.arange(draws)
        lengths = np.full(draws, self.size)
        lists = Lists(numbers, lengths, target, self.labels.names, codes=codes, soft=soft)
        numerator, denominator = self.metric.measure(lists)
        with np.errstate(divide="ignore", invalid="ignore"):
            return numerator / denominator

    @property
    def _sparse(self) -> bool:
        """Whether so few rows of the pool are drawn that a row seldom comes twice."""
        return self.size**2 <= 2 * len(self.labels)

    def _picks(self, draws: int, rng: np.random.Generator) -> Array:
        """(draws, size or more) which candidate's labels stand at each position."""
        pool = len(self.labels)
        if self.blocks is not None:
            return sequences.within_blocks(self.blocks, self.size, draws, rng)
        if self.kind == "target":
            return self._toward_target(draws, rng)
        if self._sparse:
            return sequences.distinct(pool, self.size, draws, rng)
        return sequences.shuffled(np.arange(pool), draws, rng)

    def _toward_target(self, draws: int, rng: np.random.Generator) -> Array:
        """A group is drawn from the target, then a candidate by its share of that group.

        Items without a label keep their number and are placed at random.
        """
        candidates = len(self.labels) - len(self.target)
        groups = len(self.target)
        share = self.labels.share[:candidates]
        mass = share.sum(0)
        ladder = np.cumsum(share, axis=0) / np.where(mass > 0, mass, 1.0)
        coins = rng.random((draws, self.size))
        drawn = np.searchsorted(np.cumsum(self.target)[:-1], coins, side="right")
        # a group that no candidate shows is drawn as the item that ``_with_pure_items`` added
        picks = candidates + drawn
        for g in range(groups):
            places = (drawn == g) & (mass[g] > 0)
            coins = rng.random(int(places.sum()))
            rows = np.searchsorted(ladder[:, g], coins, side="right")
            # rounding can leave the last step of the ladder just below 1
            picks[places] = np.minimum(rows, candidates - 1)
        empty = np.flatnonzero(share[: self.size].sum(1) == 0)
        if len(empty):
            blank = np.tile(np.arange(self.size) < len(empty), (draws, 1))
            picks[rng.permuted(blank, axis=1)] = np.tile(empty, draws)
        return picks


def _with_pure_items(labels: Groups) -> Groups:
    """The labels with one more item of each group, so that a group without items can be drawn."""
    groups = len(labels.names)
    assert labels.not_applicable is not None
    return replace(
        labels,
        codes=None,
        soft=np.vstack([labels.share, np.eye(groups)]),
        not_applicable=np.append(labels.not_applicable, np.zeros(groups, np.bool_)),
    )


def _stream(seed: int, metric: Any, kind: str, key: tuple[Any, ...]) -> np.random.Generator:
    """A generator that depends on the question alone.

    So the same list has the same null in any batch.
    """
    question = repr((seed, str(metric), kind, key)).encode()
    digest = hashlib.blake2b(question, digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))
