"""Rows: a metric over all queries, or over a part of them, with chance level and intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.measuring.jobs import MANY, Job, JobValues
from fairlead.measuring.relabel import defined_in
from fairlead.measuring.settings import Settings, selected, stream
from fairlead.results.score import PerQuery, Row
from fairlead.statistics.intervals import (
    FEW_FOR_EPSILON,
    FEW_OF_THE_RARE,
    aggregate,
    interval,
)
from fairlead.statistics.nulls import Null
from fairlead.statistics.power import queries_needed
from fairlead.statistics.roles import RoleNull
from fairlead.types.ragged import Array
from fairlead.words.counts import agreeing, counted, part_of

# One less than a round number: the row itself counts as one of the draws, so p is a multiple of 1
# in 5,000 or 1,000.
_ROW_DRAWS, _FEWER_ROW_DRAWS = 4_999, 999
_NOTHING_BELOW = {
    "SelfPreference": ": no trial is won by meaning; read SelfPreference(part=errors)"
}


def per_query(measured: JobValues, family: int) -> PerQuery:
    """The values of each query, with chance levels of their own; trials of roles have none."""
    about = (str(measured.job.metric), measured.job.attribute)
    values = measured.values
    if measured.null is None:
        return PerQuery(*about, values)
    blank = np.full(len(values), np.nan)
    if isinstance(measured.null, RoleNull):
        return PerQuery(*about, values, blank, blank, blank, measured.missing)
    null = measured.null
    p = null.p(values, family)
    return PerQuery(*about, values, null.mean, p, blank, measured.missing, null_sd=null.sd)


@dataclass(frozen=True)
class _Chance:
    """The chance level of a row, its standard deviation, and p: chance is as bad or worse."""

    kind: str
    mean: float
    spread: float
    p: float


def split_rows(measured: JobValues, settings: Settings) -> Iterable[Row]:
    """A row for every value of every tag; its null is that of its own queries."""
    for tag, tags in settings.by.items():
        for value in dict.fromkeys(tags):
            queries = np.flatnonzero([tag_value == value for tag_value in tags])
            part_settings = replace(settings, clusters=selected(settings.clusters, queries))
            row = summary(measured.select(queries), part_settings, f"{tag}={value}")
            yield replace(row, tag={tag: value})


def summary(measured: JobValues, settings: Settings, *part: str) -> Row:
    """One row over all queries; ``part`` says of which part of them, for streams of its own."""
    job = measured.job
    null = measured.null
    values = measured.values
    metric = job.metric
    name = job.attribute
    row = _row(job, measured.numerator, measured.denominator, settings, part)
    if null is None or measured.labelled is None or measured.missing is None:
        return row
    notes = row.notes
    if metric.epsilon_dominated:
        units, unit = row.queries, "queries"
        if settings.clusters is not None:
            units, unit = len(np.unique(settings.clusters)), "clusters of queries"
        notes += _shaky(null, units, unit)
    if measured.cut:
        notes += (measured.cut,)
    labelled = measured.labelled
    row = replace(
        row,
        target=labelled.target.name,
        source=labelled.groups.source,
        unknown_mass=_mean(measured.missing),
        notes=notes,
    )
    # a stream of its own: the row does not depend on what else is measured
    rng = stream(settings.seed, "row", metric, name, *part)
    if isinstance(null, RoleNull):
        chance = _Chance("roles", *null.row(_ROW_DRAWS, rng, settings.clusters))
        return _beside_chance(row, chance)
    draws = _ROW_DRAWS
    if len(values) > MANY:
        draws = _FEWER_ROW_DRAWS
    chance = _Chance(null.kind, *null.row(values, draws, rng, settings.clusters))
    excess = np.where(null.covers(values), values - null.mean, np.nan)
    return _with_excess(row, chance, excess, metric.range, settings, part)


def _shaky(null: Any, units: int, unit: str) -> tuple[str, ...]:
    """What to say of the interval of a metric whose eps decides.

    Too few queries do not show how often a group is absent by chance.
    """
    if units < FEW_FOR_EPSILON:
        return (f"unreliable interval: dominated by eps, and under {FEW_FOR_EPSILON} {unit}",)
    words = (
        f"unreliable interval: dominated by eps, and by lists so rare that {units} {unit} "
        "hardly show one"
    )
    if isinstance(null, Null) and null.rare(FEW_OF_THE_RARE / units) > 0.5:
        return (words,)
    return ()


def _row(
    job: Job, numerator: Array, denominator: Array, settings: Settings, part: tuple[str, ...] = ()
) -> Row:
    """Mean and interval; the null comes later."""
    metric = job.metric
    n, d = aggregate(numerator, denominator, metric.aggregate)
    infinite = int(np.isinf(n).sum())
    notes = []
    if infinite:
        notes.append(f"infinite in {counted(infinite, 'query')}: a group with target 0 is shown")
    if len(n) and d.sum() == 0:
        notes.append("undefined: a ratio with nothing below" + _NOTHING_BELOW.get(metric.name, ""))
    mean = float("nan")
    if len(n) and not infinite and d.sum():
        mean = float(n.sum() / d.sum())
    rng = stream(settings.seed, "interval", metric, job.attribute, *part)
    clusters = selected(settings.clusters, defined_in(numerator, denominator, metric.aggregate))
    bounds = interval(
        n, d, rng=rng, method=settings.interval, clusters=clusters, within=metric.range
    )
    if bounds.note:
        notes.append(bounds.note)
    spread = float("nan")
    if metric.aggregate == "mean" and len(n) > 1 and not infinite:
        spread = float(np.std(n / d, ddof=1))
    needed = None
    if settings.detect is not None and not np.isnan(spread):
        needed = queries_needed(spread, settings.detect)
    return Row(
        metric=str(metric),
        attribute=job.attribute,
        k=metric.k,
        mean=mean,
        ci=(bounds.low, bounds.high),
        queries=len(n),
        undefined=len(numerator) - len(n),
        direction=metric.direction,
        notes=tuple(notes),
        spread=spread,
        queries_needed=needed,
    )


def _beside_chance(row: Row, chance: _Chance) -> Row:
    """The row with its chance level, where only the row as a whole has one."""
    row = _with_level(row, chance)
    return replace(
        row,
        excess=row.mean - chance.mean,
        excess_ci=(row.ci[0] - chance.mean, row.ci[1] - chance.mean),
    )


def _with_level(row: Row, chance: _Chance, *, partly: bool = False) -> Row:
    """The row with chance level and p; ``partly`` where only some queries have a chance level."""
    about: dict[str, Any] = {"kind": chance.kind, "mean": chance.mean, "sd": chance.spread}
    notes = row.notes
    if np.isnan(chance.p) and not np.isnan(row.mean) and not partly:
        about["degenerate"] = True
        note = f"degenerate null: under '{chance.kind}' nothing can vary, so no p is given"
        notes = (*notes, note)
    return replace(row, null=about, p=chance.p, notes=notes)


def _with_excess(
    row: Row,
    chance: _Chance,
    excess: Array,
    limits: tuple[float, float],
    settings: Settings,
    part: tuple[str, ...],
) -> Row:
    """The row with its chance level, and with the mean of (queries,) excess and its interval.

    ``limits`` are the values that the metric can take.
    """
    known = ~np.isnan(excess)
    count = int(known.sum())
    row = _with_level(row, chance, partly=count < row.queries)
    if count < row.queries:
        words = part_of(count, row.queries, "query")
        over = f"the {words} that {agreeing(count, 'has', 'have')} a chance level"
        row = replace(row, notes=(*row.notes, f"chance level, excess and p are over {over}"))
    within = (-np.inf, np.inf)
    if not np.isnan(chance.mean):
        within = (limits[0] - chance.mean, limits[1] - chance.mean)
    bounds = interval(
        excess[known],
        np.ones(count),
        rng=stream(settings.seed, "excess", row.metric, row.attribute, *part),
        method=settings.interval,
        clusters=selected(settings.clusters, known),
        within=within,
    )
    mean = float("nan")
    if count:
        mean = float(excess[known].mean())
    return replace(row, excess=mean, excess_ci=(bounds.low, bounds.high))


def _mean(values: Array) -> float:
    """The mean of what is defined, NaN where nothing is."""
    # numpy warns of a mean of nothing, and warnings are errors under test.
    if np.isnan(values).all():
        return float("nan")
    return float(np.nanmean(values))
