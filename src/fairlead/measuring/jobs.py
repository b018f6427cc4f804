"""One metric on one attribute: its values query by query, and the null they are held against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.measuring.cuts import cut_note
from fairlead.measuring.settings import Settings, selected
from fairlead.statistics.nulls import Null, default_kind, null_of, shown_of
from fairlead.statistics.roles import RoleNull
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array

MANY = 5_000
"""From more queries than this on, fewer draws are enough."""
# Cells that are drawn without thinking of their cost
_FREE_CELLS = 20_000_000
Nulls = dict[tuple[str, str, str, bytes], Null]


@dataclass(frozen=True)
class Job:
    """One metric on one attribute (or on relevance alone)."""

    metric: Any
    attribute: str | None


@dataclass(frozen=True, eq=False)
class JobValues:
    """What a job found, query by query, and its chance level where it has one.

    ``cut`` is what to say of lists that are cut before the metric's end; empty where none are.
    """

    job: Job
    numerator: Array
    denominator: Array
    labelled: Labelled | None = None
    missing: Array | None = None
    null: Null | RoleNull | None = None
    cut: str = ""

    @property
    def values(self) -> Array:
        """(queries,) the ratios."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.numerator / self.denominator

    def select(self, queries: Array) -> JobValues:
        """The same of some queries."""
        null = self.null
        if null is not None:
            null = null.select(queries)
        return replace(
            self,
            numerator=self.numerator[queries],
            denominator=self.denominator[queries],
            missing=selected(self.missing, queries),
            null=null,
        )


def jobs_of(evidence: Evidence, metrics: Sequence[Any]) -> Iterable[Job]:
    """Metrics crossed with the attributes they apply to."""
    for metric in metrics:
        if "groups" not in metric.needs:
            yield Job(metric, None)
            continue
        fitting = [n for n, a in evidence.attributes.items() if _fits(metric, a.groups.names)]
        if not fitting:
            known = "; ".join(
                f"{n}: {', '.join(a.groups.names)}" for n, a in evidence.attributes.items()
            )
            raise UsageError(_unfit(metric), f"Groups are {known}.")
        for name in fitting:
            yield Job(metric, name)


def _unfit(metric: Any) -> str:
    """Why a metric fits no attribute.

    It names a group that none has, or must name one and does not.
    """
    named = metric.groups_named
    empty = next((parameter for parameter, group in named.items() if not group), None)
    if empty is not None:
        return f"{metric} must name a group: {metric.name}({empty}=GROUP)."
    return f"{metric} needs {', '.join(named.values())}, which no attribute has."


def _fits(metric: Any, names: tuple[str, ...]) -> bool:
    """Whether an attribute has all groups that a metric names; an empty name is none of them."""
    return all(group in names for group in metric.groups_named.values())


def measure(
    job: Job,
    evidence: Evidence,
    plain: Evidence,
    missing: Array | None,
    settings: Settings,
    nulls: Nulls | None,
) -> JobValues:
    """The values of a job query by query, with their null.

    ``missing`` is the (queries,) share of unknown labels; ``nulls`` keeps what other variants of
    the same candidates need too.
    """
    metric = job.metric
    name = job.attribute
    view = evidence
    if name is not None:
        view = evidence.on(name)
    numerator, denominator = metric(view)
    if name is None or missing is None:
        return JobValues(job, numerator, denominator)
    null: Null | RoleNull
    if metric.shape == "roles":
        null = RoleNull.of(metric, view)
    else:
        null = _null(metric, view, plain.on(name), settings, nulls)
    labelled = evidence.attributes[name]
    return JobValues(job, numerator, denominator, labelled, missing, null, cut_note(metric, view))


def _null(
    metric: Any, measured: Evidence, plain: Evidence, settings: Settings, nulls: Nulls | None
) -> Null:
    """The null of the plain candidates, for lists as long as the measured ones.

    It is kept for other variants of the same lengths.
    """
    kind = settings.null or default_kind(metric, plain)
    shown = shown_of(metric, measured)
    if kind == "target":
        # Independent draws need nothing of the candidates, only what is missing in the lists, so
        # this null is each variant's own.
        draws = _first_draws(metric, measured)
        return null_of(metric, measured, kind, seed=settings.seed, draws=draws, shown=shown)
    # variants of the same lengths have the same null
    key = (str(metric), next(iter(plain.attributes)), kind, shown.tobytes())
    if nulls is not None and key in nulls:
        return nulls[key]
    draws = _first_draws(metric, plain)
    null = null_of(metric, plain, kind, seed=settings.seed, draws=draws, shown=shown)
    if nulls is not None:
        nulls[key] = null
    return null


def _first_draws(metric: Any, plain: Evidence) -> int:
    """How many draws a sampled null starts with: many where lists are few and short.

    Samples grow where a tail is thin.
    """
    if metric.k is None:
        lengths = plain.ranking.lengths
    else:
        lengths = np.minimum(plain.ranking.lengths, metric.k)
    fewest = 60
    if len(plain) <= MANY:
        fewest = 200
    if len(plain) <= 1_000:
        fewest = 1_000
    if not plain.labels.hard:
        # soft labels cost too much to draw more of them than are needed
        return fewest
    return int(np.clip(_FREE_CELLS // max(int(lengths.sum()), 1), fewest, 20_000))
