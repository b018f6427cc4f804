"""The frontier: what each mitigation costs in relevance at each level of bias, on the same queries and with the same labels.

A method with a knob is a curve, one without a point. Two bounds show what could be had: the best lists in hindsight that take each
group's items from the top, with the labels the methods see, and with the true ones.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairlead.evidence import Evidence
from fairlead.protocols import Progress, Reranker
from fairlead.ragged import Array
from fairlead.report.frontier import Curve, Gap, Point
from fairlead.rerankers.queues import hard_codes
from fairlead.statistics.intervals import interval
from fairlead.statistics.nulls import null_of
from fairlead.types import Ranking

PLAIN = "plain"
_PRICES = np.concatenate([[0.0], np.geomspace(1e-3, 30, 240)])
"""What a unit of bias is worth, when the best lists in hindsight are found."""


@dataclass(frozen=True, eq=False)
class World:
    """One gallery with its queries.

    Attributes:
        seen: What methods see: candidates with the labels that mitigate.
        true: The same candidates with the labels that measure, and relevance.
        clusters: (queries,) queries of one number do not stand for themselves.
    """

    seen: Evidence
    true: Evidence
    clusters: Array


@dataclass(frozen=True)
class Method:
    """One setting of one mitigation."""

    name: str
    reranker: Reranker | None
    knob: str = ""
    value: float = float("nan")


@dataclass(frozen=True, eq=False)
class Measured:
    """Values per query, all worlds one after the other, by metric; and milliseconds a query."""

    values: Mapping[str, Array]
    ms: float = float("nan")


@dataclass(frozen=True, eq=False)
class Frontier:
    """What was measured: a value per query and metric for every method, and the two bounds."""

    methods: tuple[Method, ...]
    measured: tuple[Measured, ...]
    clusters: Array
    relevance: str
    bias: str
    chance: Array
    bounds: Mapping[str, Array] = field(default_factory=dict)
    seed: int = 0

    def points(self) -> tuple[Point, ...]:
        """Each method at each setting: means with intervals."""
        return tuple(self._point(method, one) for method, one in zip(self.methods, self.measured, strict=True))

    def curves(self) -> tuple[Curve, ...]:
        """Each method over its knob: the lowest bias it reaches, and its mean relevance over the biases that plain and chance span."""
        plain, chance = self._mean(self.measured[0], self.bias), float(np.nanmean(self.chance))
        found = []
        for name in dict.fromkeys(m.name for m in self.methods):
            curve = self._curve(name)
            low = max(float(curve[:, 0].min()), chance)
            grid = np.linspace(low, plain, 101)
            area = float(np.interp(grid, curve[:, 0], curve[:, 1]).mean()) if low < plain else float("nan")
            found.append(Curve(name, float(curve[:, 0].min()), area))
        return tuple(found)

    def gaps(self, ours: str) -> tuple[Gap, ...]:
        """At the bias of each point of the other methods: our relevance there minus theirs, paired, and the bounds."""
        return tuple(
            self._gap(ours, method, one)
            for method, one in zip(self.methods, self.measured, strict=True)
            if method.name not in (ours, PLAIN)
        )

    def at(self, name: str, bias: float) -> Array | None:
        """(queries,) relevance of a method at a mean bias: of the two settings around it, mixed; None out of its reach."""
        settings = [m for method, m in zip(self.methods, self.measured, strict=True) if method.name in (name, PLAIN)]
        settings.sort(key=lambda m: self._mean(m, self.bias))
        means = [self._mean(m, self.bias) for m in settings]
        if not means[0] <= bias <= means[-1]:
            return None
        over = int(np.searchsorted(means, bias))
        if over == 0:
            return settings[0].values[self.relevance]
        share = (bias - means[over - 1]) / max(means[over] - means[over - 1], 1e-12)
        return share * settings[over].values[self.relevance] + (1 - share) * settings[over - 1].values[self.relevance]

    def _gap(self, ours: str, method: Method, one: Measured) -> Gap:
        bias, theirs = self._mean(one, self.bias), one.values[self.relevance]
        mine = self.at(ours, bias)
        best = {name: float(np.interp(bias, curve[:, 0], curve[:, 1])) for name, curve in self.bounds.items()}
        if mine is None:
            return Gap(method.name, method.value, bias, float(theirs.mean()), float("nan"), (float("nan"), float("nan")), best)
        found = self._interval(mine - theirs, "gap", method.name, method.value)
        return Gap(method.name, method.value, bias, float(theirs.mean()), float((mine - theirs).mean()), found, best)

    def _curve(self, name: str) -> Array:
        """(settings, 2) bias and relevance of a method by rising bias, plain being its end."""
        kept = [m for method, m in zip(self.methods, self.measured, strict=True) if method.name in (name, PLAIN)]
        pairs = sorted((self._mean(m, self.bias), self._mean(m, self.relevance)) for m in kept)
        return np.array(pairs)

    def _point(self, method: Method, one: Measured) -> Point:
        means = {name: float(np.nanmean(values)) for name, values in one.values.items()}
        spans = {name: self._interval(values, name, method.name, method.value) for name, values in one.values.items()}
        return Point(method.name, method.knob, method.value, means, spans, one.ms)

    def _interval(self, values: Array, *about: Any) -> tuple[float, float]:
        known = ~np.isnan(values)
        rng = np.random.default_rng([self.seed, *(hash_of(str(a)) for a in about)])
        found = interval(values[known], np.ones(int(known.sum())), rng=rng, clusters=self.clusters[known])
        return found.low, found.high

    def _mean(self, one: Measured, metric: str) -> float:
        return float(np.nanmean(one.values[metric]))


def frontier(
    worlds: Sequence[World],
    methods: Sequence[Method],
    *,
    relevance: Mapping[str, Any],
    bias: Mapping[str, Any],
    k: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> Frontier:
    """Measure every method on every world.

    Args:
        worlds: Galleries; their queries are looked at together.
        methods: Settings to try; the first is plain.
        relevance: Metrics of relevance by name; the first one is the frontier's.
        bias: Metrics of groups by name; the first one is the frontier's, and the others are also given as excess over chance.
        k: How many items are shown.
        seed: Seed of every random choice.
        progress: Told after each method.
    """
    chances = {name: np.concatenate([_chance(m, w.true, seed) for w in worlds]) for name, m in bias.items()}
    measured = []
    for done, method in enumerate(methods):
        if progress is not None:
            progress(f"{method.name} {method.value:g}" if method.knob else method.name, done, len(methods))
        measured.append(_measured(method, worlds, {**relevance, **bias}, chances, k, seed))
    clusters = np.concatenate([w.clusters for w in worlds])
    first, second = next(iter(relevance)), next(iter(bias))
    bounds = {
        "same labels": best_in_hindsight([_options(w, w.seen, relevance[first], bias[second], k) for w in worlds]),
        "true labels": best_in_hindsight([_options(w, w.true, relevance[first], bias[second], k) for w in worlds]),
    }
    kept = {name: curve for name, curve in bounds.items() if curve is not None}
    return Frontier(tuple(methods), tuple(measured), clusters, first, second, chances[second], kept, seed)


def _measured(
    method: Method, worlds: Sequence[World], metrics: Mapping[str, Any], chances: Mapping[str, Array], k: int, seed: int
) -> Measured:
    start = time.perf_counter()
    shown = [_shown(method, world, k, seed) for world in worlds]
    ms = 1e3 * (time.perf_counter() - start) / sum(len(w.true) for w in worlds)
    parts = [world.true.with_ranking(ranking) for world, ranking in zip(worlds, shown, strict=True)]
    values = {name: np.concatenate([_values(metric, part) for part in parts]) for name, metric in metrics.items()}
    excess = {f"{name}_excess": values[name] - chance for name, chance in chances.items()}
    return Measured({**values, **excess}, ms)


def _shown(method: Method, world: World, k: int, seed: int) -> Ranking:
    ranking = world.seen.ranking
    if method.reranker is None:
        return ranking.take(np.flatnonzero(ranking.ranks <= k), np.minimum(ranking.lengths, k))
    return method.reranker(world.seen, k, seed)


def _values(metric: Any, evidence: Evidence) -> Array:
    numerator, denominator = metric(evidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        return numerator / denominator


def _chance(metric: Any, evidence: Evidence, seed: int) -> Array:
    return null_of(metric, evidence, "gallery", seed=seed).mean


def _options(world: World, labels: Evidence, relevance: Any, bias: Any, k: int) -> tuple[Array, Array] | None:
    """(queries, k + 1) bias and relevance of the lists with 0 .. k items of the first group, each group's best, by score.

    None where there are other than two groups.
    """
    if len(labels.attribute.groups.names) != 2:
        return None
    ranking, codes = labels.ranking, hard_codes(labels)
    firsts = [np.flatnonzero(codes[a:b] == 0) + a for a, b in zip(ranking.offsets[:-1], ranking.offsets[1:], strict=True)]
    others = [np.flatnonzero(codes[a:b] != 0) + a for a, b in zip(ranking.offsets[:-1], ranking.offsets[1:], strict=True)]
    found = []
    for count in range(k + 1):
        entries = [np.sort(np.concatenate([f[:count], o[: k - min(count, len(f))]])) for f, o in zip(firsts, others, strict=True)]
        part = world.true.with_ranking(ranking.take(np.concatenate(entries), np.array([len(e) for e in entries])))
        found.append((_values(bias, part), _values(relevance, part)))
    return np.stack([b for b, _ in found], axis=1), np.stack([r for _, r in found], axis=1)


def best_in_hindsight(options: Sequence[tuple[Array, Array] | None]) -> Array | None:
    """(points, 2) mean bias and mean relevance of the best choice of a list for each query, at every price of bias.

    No choice does better at the same mean bias: these are the corners of the upper hull (Everett 1963).
    """
    if any(o is None for o in options):
        return None
    bias, relevance = (np.concatenate([o[i] for o in options if o is not None]) for i in (0, 1))
    rows, found = np.arange(len(bias)), []
    for price in _PRICES:
        chosen = (relevance - price * bias).argmax(1)
        found.append((float(bias[rows, chosen].mean()), float(relevance[rows, chosen].mean())))
    return np.array(sorted(set(found)))


def narrowed(world: World, queries: Array) -> World:
    """A world with some of its queries."""
    return replace(world, seen=world.seen.select(queries), true=world.true.select(queries), clusters=world.clusters[queries])


def hash_of(text: str) -> int:
    """A number that depends on a text alone."""
    import hashlib

    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")
