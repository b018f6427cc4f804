"""Chance levels: what a metric reads when nothing but chance decides who is shown. Nulls are named.

``order`` permutes the query's own candidates (within matched sets, where items come in blocks);
``gallery`` draws from the pool's counts without replacement; ``target`` draws independently from
the target; ``roles`` swaps the cultural and the unrelated candidate. A null is taken from the plain
candidates and shared by all variants of a comparison. It is exact where only counts matter and the
outcomes are few enough, else a sample that grows where a tail must be known better.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.protocols import Direction
from fairlead.statistics import sequences
from fairlead.statistics.distributions import Distribution, sums
from fairlead.statistics.keyed import Keys, Kind, asked_targets, extend_together
from fairlead.types import Groups
from fairlead.types.evidence import Evidence, Lists
from fairlead.types.ragged import Array

__all__ = ["Kind", "Null", "default_kind", "null_of"]

_CELLS = 1 << 20
_SOFT_COST = 4
"""How many cells of hard labels a cell of soft labels costs."""


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
        """The share of the variance that comes of each list's highest values, which together have
        at most this probability.
        """
        at = self.of >= 0
        whole = float(np.sum(self.sd[at] ** 2))
        return (
            float(np.sum(self._each(lambda d: d.variance_above(chance))[at])) / whole
            if whole > 0
            else 0.0
        )

    def p(self, values: Array, family: int, budget: int = 1_000_000_000) -> Array:
        """(queries,) p of each query's value; samples grow to 20 draws for each test of the family
        where the tail is thin.

        Args:
            values: (queries,) observed values.
            family: How many tests are corrected together.
            budget: The most cells to draw; what it cannot buy shows as a larger p, never a smaller
                one.
        """
        need = max(20_000, 25 * family)
        sampled = np.array([d.weights is None for d in self.distributions] + [False])
        asked = np.flatnonzero(sampled[self.of])
        while True:
            pairs = zip(self.of[asked].tolist(), values[asked].tolist(), strict=True)
            asked = asked[[self._thin(number, value, need) for number, value in pairs]]
            open_ = np.unique(self.of[asked]).tolist()
            step = {d: min(need, 8 * len(self.distributions[d].values)) for d in open_}
            cost = sum(
                (step[d] - len(self.distributions[d].values)) * int(self.sizes[d]) for d in open_
            )
            if not open_ or cost > budget:
                break
            budget -= cost
            extend_together([(self.distributions[d], step[d]) for d in open_])
        return self.tails(values)

    def settle(self) -> None:
        """Fix the chance levels: the noise of a shared sample's mean must be small against the
        spread of the mean over its lists.
        """
        numbers, lists = np.unique(self.of[self.of >= 0], return_counts=True)
        draws = np.minimum(25 * lists, 50_000_000 // np.maximum(self.sizes[numbers], 1))
        read = [self.distributions[d] for d in numbers.tolist()]
        extend_together(list(zip(read, draws.tolist(), strict=True)))
        for distribution in read:
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
        """Mean, spread and p of the mean over queries against the null distribution of that mean.

        Queries of one of the ``clusters`` (several pictures of one thing) rank the same candidates,
        so chance favours or harms them
        together: they share one draw, which is right where their lists are equal and cautious where
            they differ.
        """
        at = self.covers(values)
        if not at.any():
            return float("nan"), float("nan"), float("nan")
        together = (
            np.arange(int(at.sum()))
            if clusters is None
            else np.unique(clusters[at], return_inverse=True)[1]
        )
        if clusters is None:
            numbers, lists = np.unique(self.of[at], return_counts=True)
            read = [self.distributions[d] for d in numbers.tolist()]
            totals = sums(read, lists, draws, rng)
        else:
            totals = np.zeros(draws)
            for cluster in range(together.max() + 1):
                places = rng.random(draws)
                for d, lists in zip(
                    *np.unique(self.of[at][together == cluster], return_counts=True), strict=True
                ):
                    totals += lists * self.distributions[d].at(places)
        means = Distribution(np.sort(totals / at.sum()))
        mean = float(np.mean(self.mean[at]))
        spread = float(np.sqrt(np.sum(np.bincount(together, self.sd[at]) ** 2)) / at.sum())
        p = (
            float("nan")
            if self.degenerate[at].all()
            else means.tail(float(np.mean(values[at])), self.direction)
        )
        return mean, spread, p


def default_kind(metric: Any, evidence: Evidence) -> Kind:
    """``order`` within matched sets where there are any; else ``gallery`` when the pool is known,
    ``order`` when every list is at least twice as deep as the cut-off, and ``target``.
    """
    view = metric.view(evidence)
    if view.blocks is not None:
        return "order"
    if view.pool is not None:
        return "gallery"
    depths = view.ranking.lengths[view.ranking.lengths > 0]
    cut = metric.k if metric.k is not None else depths.max(initial=1)
    return "order" if len(depths) and depths.min() >= 2 * cut else "target"


def shown_of(metric: Any, evidence: Evidence) -> Array:
    """(queries,) how many items of each list a metric looks at."""
    lengths = metric.view(evidence).ranking.lengths
    return lengths if metric.k is None else np.minimum(lengths, metric.k)


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

    ``shown`` are the lengths of the lists that are measured, where they are not those of the plain
    lists (a shortened variant). Within matched sets, and for labels that depend on the query,
    ``gallery`` is the order of the candidates, and is called so.
    """
    view = metric.view(evidence)
    if kind == "gallery" and view.pool is None:
        raise DataError(
            "The gallery null needs to know the collection.",
            "Choose --null order or --null target.",
        )
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
    """Soft labels, or matched sets: each query has its own null, unless all draw from the same
    pool.
    """
    of, number = np.full(len(view), -1), dict[Any, int]()
    distributions, sizes = list[Distribution](), list[int]()
    targets, pool = asked_targets(metric, view, kind), view.pool
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
            own, rng = (
                _Own(metric, view, kind, q, size, targets[q], labels),
                _stream(seed, metric, kind, key),
            )
            distributions.append(Distribution.sampled(partial(own.sample, rng=rng), draws))
            sizes.append(own.size * len(view.labels.names) * _SOFT_COST)
        of[q] = number[key]
    return Null(kind, metric.direction, of, distributions, np.array(sizes))


class _Own:
    """The null of one query whose labels are soft or come in matched sets: rows of its pool are
    drawn, labels go with them.
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
        self.metric, self.kind, self.target, self.size = metric, kind, target, size
        rows = view.ranking.rows[entries]
        self.blocks = None if view.blocks is None or kind == "target" else view.blocks[rows]
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
        if self.blocks is not None:  # labels come from the matched sets that show, and only these
            shown = np.flatnonzero(np.isin(self.blocks, self.blocks[: self.size]))
            self.labels, self.blocks = self.labels.take(shown), self.blocks[shown]
        if kind == "target":  # a group that no candidate shows can still be drawn
            soft = np.vstack([self.labels.share, np.eye(len(target))])
            absent = np.append(self.labels.not_applicable, np.zeros(len(target), np.bool_))  # type: ignore[arg-type]
            self.labels = replace(self.labels, codes=None, soft=soft, not_applicable=absent)

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        chunk = max(
            1, _CELLS // max(self.size * len(self.target), 1 if self._sparse else len(self.labels))
        )
        parts = [self._some(min(chunk, draws - start), rng) for start in range(0, draws, chunk)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _some(self, draws: int, rng: np.random.Generator) -> Array:
        picks = self._picks(draws, rng)[:, : self.size]
        target = np.broadcast_to(self.target, (draws, len(self.target)))
        kind: dict[str, Array] = (
            {"codes": self.labels.codes[picks]}
            if self.labels.codes is not None
            else {"soft": self.labels.share[picks]}
        )
        lists = Lists(
            np.arange(draws), np.full(draws, self.size), target, self.labels.names, **kind
        )
        numerator, denominator = self.metric.measure(lists)
        with np.errstate(divide="ignore", invalid="ignore"):
            return numerator / denominator

    @property
    def _sparse(self) -> bool:
        """Whether so few rows of the pool are drawn that the same one seldom comes twice."""
        return self.size**2 <= 2 * len(self.labels)

    def _picks(self, draws: int, rng: np.random.Generator) -> Array:
        """(draws, size or more) which candidate's labels stand at each position."""
        pool = len(self.labels)
        if self.blocks is not None:
            return sequences.within_blocks(self.blocks, self.size, draws, rng)
        if self.kind == "target":
            return self._toward_target(draws, rng)
        return (
            sequences.distinct(pool, self.size, draws, rng)
            if self._sparse
            else sequences.shuffled(np.arange(pool), draws, rng)
        )

    def _toward_target(self, draws: int, rng: np.random.Generator) -> Array:
        """A group is drawn from the target, then a candidate in proportion to its share of that
        group; items without a label stay.
        """
        candidates, groups = len(self.labels) - len(self.target), len(self.target)
        share = self.labels.share[:candidates]
        mass = share.sum(0)
        ladder = np.cumsum(share, axis=0) / np.where(mass > 0, mass, 1.0)
        drawn = np.searchsorted(
            np.cumsum(self.target)[:-1], rng.random((draws, self.size)), side="right"
        )
        picks = candidates + drawn
        for g in range(groups):
            at = (drawn == g) & (mass[g] > 0)
            picks[at] = np.minimum(
                np.searchsorted(ladder[:, g], rng.random(int(at.sum())), side="right"),
                candidates - 1,
            )
        empty = np.flatnonzero(share[: self.size].sum(1) == 0)
        if len(empty):
            where = rng.permuted(np.tile(np.arange(self.size) < len(empty), (draws, 1)), axis=1)
            picks[where] = np.tile(empty, draws)
        return picks


def _stream(seed: int, metric: Any, kind: str, key: tuple[Any, ...]) -> np.random.Generator:
    """A generator that depends on the question alone, so that the same list has the same null in
    any batch.
    """
    digest = hashlib.blake2b(repr((seed, str(metric), kind, key)).encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))
