"""Calibrate: every fairness metric and every reranker against a bias of known dose.

A metric must read more with more dose, a reranker must leave less of it.

This is how a new metric or reranker proves itself: on ``phantom_ideal`` the dose is known exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.measuring.study import evidence_of
from fairlead.protocols import Progress
from fairlead.results.score import plain
from fairlead.statistics.intervals import aggregate
from fairlead.types import Ranking, Study
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

NEAR_BOUND = 0.02
"""A metric within this share of its own bound has no room to move further."""
ENOUGH = 60
"""With this many repetitions a step that is not seen counts as none; with fewer, noise may hide it.
"""
# One-sided: a step is looked for in one direction.
_Z99 = 2.326


@dataclass(frozen=True)
class Response:
    """The answer of one metric (or of one reranker, read by a metric) to a rising dose.

    Attributes:
        subject: Text form of the metric or reranker.
        read_by: The metric that reads it.
        doses: The doses.
        means: Mean over seeds at each dose.
        steps: One-sided 99 % lower bound of each step in the expected direction, paired by seed.
        passed: Whether every step is above 0, or the metric is at its bound.
    """

    subject: str
    read_by: str
    doses: tuple[float, ...]
    means: tuple[float, ...]
    steps: tuple[float, ...]
    passed: bool

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Calibration:
    """The answer of ``calibrate``: one response for each metric and each reranker."""

    metrics: tuple[Response, ...]
    rerankers: tuple[Response, ...]
    seeds: int

    @property
    def passed(self) -> bool:
        """Whether everything responds as it should."""
        return all(r.passed for r in (*self.metrics, *self.rerankers))

    @property
    def enough(self) -> bool:
        """Whether the repetitions suffice to say that something does not respond."""
        return self.seeds >= ENOUGH

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        parts = {
            name: [r.to_dict() for r in getattr(self, name)] for name in ("metrics", "rerankers")
        }
        return {**parts, "seeds": self.seeds, "passed": self.passed}


def calibrate(
    study: Study,
    ranked: Callable[[float, int], Ranking],
    *,
    metrics: Mapping[str, Any],
    rerankers: Sequence[Any] = (),
    doses: Sequence[float] = (0.0, 0.1, 0.2, 0.4, 0.8),
    seeds: int = 20,
    progress: Progress | None = None,
) -> Calibration:
    """Read every metric and reranker over the doses.

    Args:
        study: The benchmark; its first attribute is the one injected.
        ranked: The ranking at a dose and seed, the same noise for the same seed.
        metrics: Metrics by name; a signed one must be asked of queries injected one way, ``study``
            holds such.
        rerankers: Rerankers, read by the metric called ``reader`` before and after.
        doses: Rising doses.
        seeds: Repetitions.
        progress: Told after each seed.
    """
    attribute = next(iter(study.collection.groups))
    # One metric reads all rerankers, so that what they leave can be compared.
    reader = metrics["reader"]
    read = {name: np.empty((seeds, len(doses))) for name in metrics}
    left = {str(r): np.empty((seeds, len(doses))) for r in rerankers}
    for seed in range(seeds):
        for at, dose in enumerate(doses):
            evidence = evidence_of(study, ranked(dose, seed), study.collection.groups).on(attribute)
            for name, metric in metrics.items():
                read[name][seed, at] = _mean(metric, evidence)
            # rerankers see the same lists as the metric that reads them, so steps are paired
            for reranker in rerankers:
                after = evidence.with_ranking(reranker(evidence, reader.k, seed))
                left[str(reranker)][seed, at] = _mean(reader, after)
        if progress is not None:
            progress("calibrating", seed + 1, seeds)
    responses = tuple(
        _response(m, read[name], tuple(doses)) for name, m in metrics.items() if name != "reader"
    )
    relieved = tuple(
        _relief(r, reader, read["reader"], left[str(r)], tuple(doses)) for r in rerankers
    )
    return Calibration(responses, relieved, seeds)


def _mean(metric: Any, evidence: Evidence) -> float:
    values = metric(evidence)
    numerator, denominator = aggregate(values[0], values[1], metric.aggregate)
    return float(numerator.sum() / denominator.sum())


def _response(metric: Any, values: Array, doses: tuple[float, ...]) -> Response:
    """Each step must be in the metric's own direction: worse with more dose."""
    sign = -1.0 if metric.direction == "higher" else 1.0
    # steps are paired by seed: the same noise at every dose leaves the dose alone to differ
    rises = sign * np.diff(values, axis=1)
    steps = np.array([_bound(rise) for rise in rises.T])
    means = values.mean(0)
    worst = metric.range[0] if metric.direction == "higher" else metric.range[1]
    # only a metric with a bound of its own can run out of room
    full = math.isfinite(worst) and worst != 0
    if full:
        room = np.abs(worst - means[1:]) > NEAR_BOUND * abs(worst)
    else:
        room = np.ones(len(steps), np.bool_)
    return Response(
        str(metric),
        str(metric),
        doses,
        tuple(means.tolist()),
        tuple(steps.tolist()),
        bool(((steps > 0) | ~room).all()),
    )


def _relief(
    reranker: Any, reader: Any, before: Array, after: Array, doses: tuple[float, ...]
) -> Response:
    """At the highest dose, a reranker must leave less bias than there was.

    Random ones may add a little at low doses.
    """
    steps = np.array([_bound(relief) for relief in (before - after).T])
    return Response(
        str(reranker),
        str(reader),
        doses,
        tuple(after.mean(0).tolist()),
        tuple(steps.tolist()),
        bool(steps[-1] > 0),
    )


def _bound(differences: Array) -> float:
    """One-sided 99 % lower bound of a mean difference."""
    if len(differences) > 1:
        error = float(differences.std(ddof=1) / math.sqrt(len(differences)))
    else:
        # One repetition says nothing of its noise: nothing passes.
        error = math.inf
    return float(differences.mean()) - _Z99 * error
