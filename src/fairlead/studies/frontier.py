"""The frontier: what each mitigation costs in relevance at each level of bias.

All methods get the same queries and the same labels. A method with a knob is a curve, one without
is a point. Bounds (``bounds``) are the best of lists that take each group's items from the top.
Queries that ask for a group by name are measured beside: with the trigger, which must leave them
alone, and without.

Intervals are studentised bootstraps over clusters of queries. Clusters are few, so the error of a
resample has a floor. All rows of a metric share their resamples: equal values have equal intervals,
and neighbours differ by their values alone.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from fairlead.protocols import Progress, Reranker
from fairlead.results.frontier import Curve, Explicit, Gap, Level, Point, setting
from fairlead.statistics.intervals import interval
from fairlead.statistics.nulls import null_of
from fairlead.studies.bounds import bound, options
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array
from fairlead.words.counts import counted

PLAIN = "plain"
NEAR = 0.1
"""How far above chance a bias still counts as near it."""
FLOOR = 0.5
"""Least error of a resample, as a share of the sample's: see ``statistics.intervals``."""
Span = tuple[float, float]


@dataclass(frozen=True, eq=False)
class World:
    """One gallery with its queries.

    Attributes:
        seen: What methods see: candidates with the labels that mitigate.
        true: The same candidates with the labels that measure, and relevance.
        clusters: (queries,) queries of one number do not stand for themselves.
        left: (queries,) whether the trigger leaves a query alone.
        projected: What methods see after a projection, by its name.
        notes: What a reader must know of who labelled and what was fitted.
    """

    seen: Evidence
    true: Evidence
    clusters: Array
    left: Array
    projected: Mapping[str, Evidence] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def take(self, queries: Array) -> World:
        """A world with some of its queries."""
        projected = {name: seen.select(queries) for name, seen in self.projected.items()}
        seen = self.seen.select(queries)
        true = self.true.select(queries)
        return replace(
            self,
            seen=seen,
            true=true,
            clusters=self.clusters[queries],
            left=self.left[queries],
            projected=projected,
        )


@dataclass(frozen=True)
class MethodSetting:
    """One setting of one mitigation.

    It is a reranker, on candidates that a projection may have ranked anew.
    """

    name: str
    reranker: Reranker | None
    knob: str = ""
    value: float = float("nan")
    projection: str = ""

    def __str__(self) -> str:
        return f"{self.name} {setting(self.knob, self.value)}".rstrip()


@dataclass(frozen=True, eq=False)
class Measured:
    """Values per query by metric, all worlds one after the other; and milliseconds a query."""

    values: Mapping[str, Array]
    ms: float = float("nan")


@dataclass(frozen=True, eq=False)
class Frontier:
    """What was measured: a value per query and metric for every method, and the bounds.

    ``ranges`` are those that a metric's values have.
    """

    methods: tuple[MethodSetting, ...]
    measured: tuple[Measured, ...]
    clusters: Array
    relevance: str
    bias: str
    chance: Array
    bounds: Mapping[str, Array] = field(default_factory=dict)
    explicit: tuple[Explicit, ...] = ()
    seed: int = 0
    ranges: Mapping[str, Span] = field(default_factory=dict)

    @property
    def law(self) -> str:
        """How intervals are made, in words."""
        drawn = counted(len(np.unique(self.clusters)), "cluster")
        return (
            f"studentised bootstrap over {drawn} of queries; the error of a resample counts "
            f"as at least {FLOOR:g} of the sample's"
        )

    def points(self) -> tuple[Point, ...]:
        """Each method at each setting: means with intervals."""
        return tuple(
            self._point(method, one)
            for method, one in zip(self.methods, self.measured, strict=True)
        )

    def curves(self) -> tuple[Curve, ...]:
        """Each method over its knob.

        A curve tells the lowest bias that the method reaches, and its mean relevance over the
        biases that every method reaches.
        """
        curves = {name: self._curve(name) for name in dict.fromkeys(m.name for m in self.methods)}
        lowest = {name: float(curve[:, 0].min()) for name, curve in curves.items()}
        # plain is the end of every curve, so it sets no limit to their common range
        plain = lowest.pop(PLAIN)
        # curves are compared over the biases that all of them reach
        grid = np.linspace(max(lowest.values(), default=plain), plain, 101)
        areas = {
            name: float(np.interp(grid, curve[:, 0], curve[:, 1]).mean())
            for name, curve in curves.items()
            if grid[0] < plain
        }
        return tuple(
            Curve(name, lowest.get(name, plain), areas.get(name, float("nan"))) for name in curves
        )

    def gaps(self, ours: str, by: str = "") -> tuple[Gap, ...]:
        """Our relevance minus that of the other methods, at the bias of each of their points.

        Differences are paired, and the bounds stand beside them. ``by`` is another measure of bias
        than the frontier's; there are no bounds of it.
        """
        return tuple(
            self._gap(ours, method, one, by or self.bias)
            for method, one in zip(self.methods, self.measured, strict=True)
            if method.name not in (ours, PLAIN)
        )

    def level(self, ours: str, theirs: str) -> Level | None:
        """What we keep of the relevance near chance.

        The scale goes from another method's best to plain; what could be kept stands beside it.
        None where the other method is not there.
        """
        others = [
            m
            for method, m in zip(self.methods, self.measured, strict=True)
            if method.name == theirs
        ]
        if not others:
            return None
        # Another method's best in bias, whatever it costs: that is the low end of the scale.
        least = min(others, key=lambda m: self._mean(m, self.bias))
        plain = self._mean(self.measured[0], self.relevance)
        other = self._mean(least, self.relevance)
        bias = float(np.nanmean(self.chance)) + NEAR
        mine = self.at(ours, bias)
        best = {
            name: float(np.interp(bias, curve[:, 0], curve[:, 1], left=np.nan))
            for name, curve in self.bounds.items()
        }
        ours_kept = float("nan")
        if mine is not None:
            ours_kept = float(np.nanmean(mine))
        return Level(
            bias,
            plain,
            theirs,
            self._mean(least, self.bias),
            other,
            (plain + other) / 2,
            ours_kept,
            best,
        )

    def paired(self, number: int, metric: str) -> tuple[float, Span]:
        """How much a method's values differ from plain's, with a paired interval."""
        gap = self.measured[number].values[metric] - self.measured[0].values[metric]
        span = self._interval(gap, metric)
        # Where few queries differ at all, many resamples have no spread to divide by.
        if np.isnan(span).any():
            span = self._interval(gap, metric, method="percentile")
        return float(np.nanmean(gap)), span

    def at(self, name: str, bias: float, by: str = "") -> Array | None:
        """(queries,) relevance of a method at a mean bias.

        The two settings around that bias are mixed. None where it is out of reach.
        """
        settings = [
            m
            for method, m in zip(self.methods, self.measured, strict=True)
            if method.name in (name, PLAIN)
        ]
        settings.sort(key=lambda m: self._mean(m, by or self.bias))
        means = [self._mean(m, by or self.bias) for m in settings]
        if not means[0] <= bias <= means[-1]:
            return None
        over = int(np.searchsorted(means, bias))
        if over == 0:
            return settings[0].values[self.relevance]
        # showing each setting to a share of the users mixes their bias and relevance alike
        share = (bias - means[over - 1]) / max(means[over] - means[over - 1], 1e-12)
        return (
            share * settings[over].values[self.relevance]
            + (1 - share) * settings[over - 1].values[self.relevance]
        )

    def _gap(self, ours: str, method: MethodSetting, one: Measured, by: str) -> Gap:
        bias = self._mean(one, by)
        relevance = self._mean(one, self.relevance)
        mine = self.at(ours, bias, by)
        best: dict[str, float] = {}
        # The lists of a bound were chosen for the frontier's own bias and are best for no other.
        if by == self.bias:
            best = {
                name: float(np.interp(bias, curve[:, 0], curve[:, 1]))
                for name, curve in self.bounds.items()
            }
        if mine is None:
            return Gap(
                method.name,
                method.value,
                bias,
                relevance,
                float("nan"),
                (float("nan"), float("nan")),
                best,
            )
        gap = mine - one.values[self.relevance]
        span = self._interval(gap, self.relevance)
        return Gap(method.name, method.value, bias, relevance, float(np.nanmean(gap)), span, best)

    def _curve(self, name: str) -> Array:
        """(settings, 2) bias and relevance of a method by rising bias, plain being its end."""
        measured = [
            m
            for method, m in zip(self.methods, self.measured, strict=True)
            if method.name in (name, PLAIN)
        ]
        pairs = sorted((self._mean(m, self.bias), self._mean(m, self.relevance)) for m in measured)
        return np.array(pairs)

    def _point(self, method: MethodSetting, one: Measured) -> Point:
        means = {name: float(np.nanmean(values)) for name, values in one.values.items()}
        spans = {
            name: self._within(name, self._interval(values, name))
            for name, values in one.values.items()
        }
        return Point(method.name, method.knob, method.value, means, spans, one.ms)

    def _interval(
        self,
        values: Array,
        metric: str,
        method: Literal["studentised", "percentile"] = "studentised",
    ) -> Span:
        known = ~np.isnan(values)
        # rows of a metric share their resamples
        rng = np.random.default_rng([self.seed, hash_of(metric)])
        bounds = interval(
            values[known],
            np.ones(int(known.sum())),
            rng=rng,
            method=method,
            clusters=self.clusters[known],
            floor=FLOOR,
        )
        return bounds.low, bounds.high

    def _within(self, metric: str, span: Span) -> Span:
        low, high = self.ranges.get(metric, (-np.inf, np.inf))
        # A studentised interval may reach beyond what a metric can read.
        return max(span[0], low), min(span[1], high)

    def _mean(self, one: Measured, metric: str) -> float:
        return float(np.nanmean(one.values[metric]))


def frontier(
    worlds: Sequence[World],
    methods: Sequence[MethodSetting],
    *,
    relevance: Mapping[str, Any],
    bias: Mapping[str, Any],
    k: int,
    explicit: Sequence[World] = (),
    accuracy: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Frontier:
    """Measure every method on every world.

    Args:
        worlds: Galleries; their queries are looked at together.
        methods: Settings to try; the first is plain.
        relevance: Metrics of relevance by name; the first one is the frontier's.
        bias: Metrics of groups by name; the first one is the frontier's, and the others are also
            given as excess over chance.
        k: How many items are shown.
        explicit: The same galleries with queries that ask for a group by name.
        accuracy: What is measured of these, by name.
        seed: Seed of every random choice.
        progress: Told after each method.
    """
    chances = {
        name: np.concatenate([_chance(m, w.true, seed) for w in worlds]) for name, m in bias.items()
    }
    measured = []
    explicit_lists = []
    for done, method in enumerate(methods):
        if progress is not None:
            progress(str(method), done, len(methods))
        measured.append(_measured(method, worlds, {**relevance, **bias}, chances, k, seed))
        if accuracy:
            explicit_lists.append(
                [_shown_to(method, explicit, k, seed, trigger=on) for on in (True, False)]
            )
    clusters = np.concatenate([w.clusters for w in worlds])
    first = next(iter(relevance))
    second = next(iter(bias))
    ranges = {name: metric.range for name, metric in {**relevance, **bias}.items()}
    bounds = _bounds(worlds, relevance, bias, k)
    result = Frontier(
        tuple(methods),
        tuple(measured),
        clusters,
        first,
        second,
        chances[second],
        bounds,
        (),
        seed,
        ranges,
    )
    if accuracy and explicit:
        return replace(result, explicit=_explicit(result, explicit, explicit_lists, accuracy))
    return result


def _bounds(
    worlds: Sequence[World], relevance: Mapping[str, Any], bias: Mapping[str, Any], k: int
) -> dict[str, Array]:
    """The curves of the best lists that take each group's items from the top.

    Empty where there are not exactly two groups.
    """
    useful, gap = (partial(_values, next(iter(table.values()))) for table in (relevance, bias))
    same = [options(w.seen, w.true, useful, gap, k, guess=True) for w in worlds]
    true = [options(w.true, w.true, useful, gap, k) for w in worlds]
    curves = {
        "same labels": bound(same, guess=True),
        "in hindsight": bound(same),
        "true labels": bound(true),
    }
    return {name: curve for name, curve in curves.items() if curve is not None}


def _measured(
    method: MethodSetting,
    worlds: Sequence[World],
    metrics: Mapping[str, Any],
    chances: Mapping[str, Array],
    k: int,
    seed: int,
) -> Measured:
    shown, ms = _shown_to(method, worlds, k, seed, trigger=True)
    parts = [world.true.with_ranking(ranking) for world, ranking in zip(worlds, shown, strict=True)]
    values = {
        name: np.concatenate([_values(metric, part) for part in parts])
        for name, metric in metrics.items()
    }
    excess = {f"{name}_excess": values[name] - chance for name, chance in chances.items()}
    return Measured({**values, **excess}, ms)


def _shown_to(
    method: MethodSetting, worlds: Sequence[World], k: int, seed: int, *, trigger: bool
) -> tuple[list[Ranking], float]:
    """What a method shows in each world, and milliseconds a query."""
    # One query goes first: the first loads kernels and data, which is no cost of the method.
    if worlds and len(worlds[0].true):
        _shown(method, worlds[0].take(np.arange(1)), k, seed, trigger=trigger)
    start = time.perf_counter()
    shown = [_shown(method, world, k, seed, trigger=trigger) for world in worlds]
    return shown, 1e3 * (time.perf_counter() - start) / max(1, sum(len(w.true) for w in worlds))


def _shown(method: MethodSetting, world: World, k: int, seed: int, *, trigger: bool) -> Ranking:
    plain = world.seen.ranking
    seen = world.seen
    if method.projection:
        seen = world.projected[method.projection]
    shown = seen.ranking.head(k)
    if method.reranker is not None:
        shown = method.reranker(seen, k, seed)
    left = np.flatnonzero(world.left)
    if trigger and len(left) and method.name != PLAIN:
        return shown.replaced(left, plain.head(k), left)
    return shown


def _explicit(
    found: Frontier, worlds: Sequence[World], lists: Sequence[Any], accuracy: Mapping[str, Any]
) -> tuple[Explicit, ...]:
    """How good the lists of queries are that ask for a group by name.

    They are measured plain, with the trigger and without it.
    """
    clusters = np.concatenate([w.clusters for w in worlds])

    def values(metric: Any, shown: tuple[list[Ranking], float]) -> Array:
        return np.concatenate(
            [_values(metric, w.true.with_ranking(r)) for w, r in zip(worlds, shown[0], strict=True)]
        )

    rows = []
    for name, metric in accuracy.items():
        plain = values(metric, lists[0][0])
        for method, (on, off) in zip(found.methods, lists, strict=True):
            with_trigger = values(metric, on)
            without = values(metric, off)
            # These queries have clusters of their own; the interval is made as all others are.
            loss = replace(found, clusters=clusters)._interval(with_trigger - plain, name)
            means = [float(np.nanmean(v)) for v in (plain, with_trigger, without)]
            rows.append(
                Explicit(
                    method.name, method.knob, method.value, name, means[0], means[1], means[2], loss
                )
            )
    return tuple(rows)


def _values(metric: Any, evidence: Evidence) -> Array:
    numerator, denominator = metric(evidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        return numerator / denominator


def _chance(metric: Any, evidence: Evidence, seed: int) -> Array:
    # Taken from the collection, which no method changes: all of them have one chance.
    return null_of(metric, evidence, "gallery", seed=seed).mean


def hash_of(text: str) -> int:
    """A number that depends on a text alone."""
    # Python's own hash differs from run to run.
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")
