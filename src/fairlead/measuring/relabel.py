"""The same lists under other labels of one attribute.

What would a metric read, and what would chance give?
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from fairlead.measuring.settings import Settings, selected
from fairlead.statistics import targets
from fairlead.statistics.correction import ends
from fairlead.statistics.intervals import Method, aggregate, interval
from fairlead.statistics.nulls import Kind, default_kind, null_of, shown_of
from fairlead.types import Groups, Sets
from fairlead.types.evidence import Evidence, Labelled, Target
from fairlead.types.ragged import Array

# Draws of a null whose mean alone is read: no tail is needed, and there are many labellings.
_NULL_DRAWS = 100


@dataclass(frozen=True, eq=False)
class Relabelling:
    """One attribute of evidence, ready for other labels.

    Attributes:
        name: The attribute.
        evidence: The lists that are measured.
        plain: The candidates that chance is taken from; the lists themselves where they are no
            variant.
        seed: Seed of every stream.
        null: The null asked for; chosen by what is known where None.
        unknown: What becomes of unknown labels.
    """

    name: str
    evidence: Evidence
    plain: Evidence
    seed: int
    null: Kind | None
    unknown: targets.UnknownPolicy = "ignore"

    @classmethod
    def of(
        cls, name: str, evidence: Evidence, plain: Evidence | None, settings: Settings
    ) -> Relabelling:
        """An attribute of evidence, with the seed, null and policy of a measurement."""
        if plain is None:
            plain = evidence
        return cls(name, evidence, plain, settings.seed, settings.null, settings.unknown)

    @property
    def labelled(self) -> Labelled:
        """The labels as given, of the candidates."""
        return self.plain.attributes[self.name]

    def under(self, codes: Array) -> tuple[Evidence, Evidence]:
        """The measured lists and the candidates under hard labels.

        ``codes`` are (items,), or (entries of the candidates,) where aligned.
        """
        old = self.labelled
        groups = Groups(self.name, old.groups.names, codes=codes, source=old.groups.source)
        labelled = replace(old, groups=groups, target=self._target(groups))
        plain = replace(self.plain, attributes={self.name: labelled})
        measured = plain
        if self.evidence is not self.plain:
            measured = plain.with_ranking(self.evidence.ranking)
        return targets.with_unknown(measured, self.unknown, plain), targets.with_unknown(
            plain, self.unknown
        )

    def _target(self, groups: Groups) -> Target:
        """The target; those of the pool and of the relevant items follow the labels."""
        old = self.labelled
        evidence = self.plain
        if old.target.name == "relevant" and evidence.relevant is not None and not old.aligned:
            return targets.relevant(groups, evidence.relevant)
        # a stated target does not follow the labels
        if old.target.name != "pool":
            return old.target
        if evidence.pool is not None and not old.aligned:
            return targets.pool(groups, evidence.pool)
        # Without a pool of its own, what a query ranks is what there was to choose from.
        rows = evidence.ranking.rows
        if old.aligned:
            rows = np.arange(len(rows))
        return targets.pool(groups, Sets(evidence.ranking.offsets, rows))

    def chance(self, metric: Any, under: tuple[Evidence, Evidence]) -> Array:
        """(queries,) chance level of a metric under some labels."""
        measured, plain = under
        kind = self.null or default_kind(metric, plain)
        # Draws at the target's shares need nothing of the candidates; what is missing in the lists
        # they must have too.
        source = plain
        if kind == "target":
            source = measured
        return null_of(
            metric,
            source,
            kind,
            seed=self.seed,
            draws=_NULL_DRAWS,
            shown=shown_of(metric, measured),
        ).mean


@dataclass(frozen=True, eq=False)
class Readings:
    """What a metric reads under many draws of the labels, and the chance levels.

    Attributes:
        metric: The metric.
        numerator: (draws, queries).
        denominator: (draws, queries).
        chance: (draws, queries).
    """

    metric: Any
    numerator: Array
    denominator: Array
    chance: Array

    @classmethod
    def of(
        cls, metric: Any, parts: Sequence[tuple[Array, Array]], chance: Sequence[Array]
    ) -> Readings:
        """From one part for each draw.

        Chance levels may be fewer: each stands for the draws around it.
        """
        levels = np.stack(chance)[np.arange(len(parts)) * len(chance) // len(parts)]
        return cls(metric, np.stack([n for n, _ in parts]), np.stack([d for _, d in parts]), levels)

    def value(self, **how: Any) -> tuple[float, tuple[float, float], tuple[float, float]]:
        """Mean, interval over queries and label error, interval over label error alone.

        ``how`` is as in ``_joined``.
        """
        return _joined(
            self.numerator, self.denominator, self.metric.aggregate, self.metric.range, **how
        )

    def excess(self, **how: Any) -> tuple[float, tuple[float, float], tuple[float, float]]:
        """The same of the excess over chance."""
        with np.errstate(divide="ignore", invalid="ignore"):
            over = self.numerator / self.denominator - self.chance
        low, high = self.metric.range
        span = (-math.inf, math.inf)
        # An excess reaches as far as the metric does, less what chance gives.
        if not np.isnan(self.chance).all():
            level = np.nanmean(self.chance)
            span = (low - level, high - level)
        return _joined(over, np.ones_like(over), "mean", span, **how)


def defined_in(numerator: Array, denominator: Array, how: Literal["mean", "pooled"]) -> Array:
    """(queries,) which queries have a value that can be aggregated."""
    # A mean needs each query's own ratio; in a pooled one, a query may have nothing below.
    if how == "pooled":
        return ~(np.isnan(numerator) | np.isnan(denominator))
    with np.errstate(divide="ignore", invalid="ignore"):
        return ~np.isnan(numerator / denominator)


def _joined(
    numerator: Array,
    denominator: Array,
    how: Literal["mean", "pooled"],
    within: tuple[float, float],
    *,
    rng: np.random.Generator,
    method: Method,
    clusters: Array | None,
    looks: int = 10,
) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """Mean, interval over queries and labels, interval over labels alone.

    The two are independent sources, each with an interval of its own; the distances of their ends
    from the mean add as squares do (Zou and Donner 2008). The one over queries is averaged over
    ``looks`` of the draws.
    """
    nothing = (math.nan, math.nan)
    aggregates = [aggregate(n, d, how) for n, d in zip(numerator, denominator, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.array([np.divide(n.sum(), d.sum()) for n, d in aggregates])
    # One draw under which nothing is defined leaves the mean over all of them open.
    if not np.isfinite(means).all():
        return math.nan, nothing, nothing
    mean = float(means.mean())
    lists = ends(means)
    # An interval over queries costs a bootstrap and hardly differs between draws.
    looked_at = np.unique(np.linspace(0, len(means) - 1, looks).astype(int))
    spans = []
    for draw in looked_at:
        n = numerator[draw]
        d = denominator[draw]
        bounds = interval(
            *aggregates[draw],
            rng=rng,
            method=method,
            clusters=selected(clusters, defined_in(n, d, how)),
            within=within,
        )
        spans.append((means[draw] - bounds.low, bounds.high - means[draw]))
    below, above = np.mean(spans, axis=0)
    if math.isnan(below + above):
        return mean, nothing, lists
    # An interval may lie wholly on one side of its draw's mean; such a distance adds nothing.
    low = mean - math.hypot(max(below, 0), mean - lists[0])
    high = mean + math.hypot(max(above, 0), lists[1] - mean)
    return mean, (max(low, within[0]), min(high, within[1])), lists
