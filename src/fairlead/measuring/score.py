"""Measure evidence: every metric on every attribute, with chance level, interval and correction for
the number of looks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.measuring.cuts import cut_note
from fairlead.protocols import Progress
from fairlead.results.score import PairedRow, PerQuery, Row, ScoreResult
from fairlead.statistics.intervals import (
    FEW_FOR_EPSILON,
    FEW_OF_THE_RARE,
    Method,
    aggregate,
    interval,
)
from fairlead.statistics.multiplicity import benjamini_hochberg
from fairlead.statistics.nulls import Kind, Null, default_kind, null_of, shown_of
from fairlead.statistics.paired import paired
from fairlead.statistics.power import queries_needed
from fairlead.statistics.roles import RoleNull
from fairlead.statistics.targets import UnknownPolicy, with_unknown
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array
from fairlead.words.counts import agreeing, counted, part_of

_ROW_DRAWS, _FEWER_ROW_DRAWS, _MANY = 4_999, 999, 5_000
_FREE_CELLS = 20_000_000
Nulls = dict[tuple[str, str, str, bytes], Null]


@dataclass(frozen=True)
class Settings:
    """How to measure.

    Attributes:
        null: Which null; None chooses by what is known.
        unknown: What becomes of unknown labels.
        interval: How intervals are made.
        clusters: (queries,) cluster of each query, for a cluster bootstrap.
        seed: Seed of every random stream.
        detect: A difference to plan for: rows say how many queries it needs.
        by: Tags of the queries, (queries,) values each: every value gets rows of its own.
    """

    null: Kind | None = None
    unknown: UnknownPolicy = "ignore"
    interval: Method = "studentised"
    clusters: Array | None = None
    seed: int = 0
    detect: float | None = None
    by: Mapping[str, Sequence[str]] = field(default_factory=dict)


DEFAULTS = Settings()
_Excess = tuple[Array, tuple[float, float]]
_NOTHING_BELOW = {
    "SelfPreference": ": no trial is won by meaning; read SelfPreference(part=errors)"
}


@dataclass(frozen=True)
class _Job:
    """One metric on one attribute (or on relevance alone)."""

    metric: Any
    attribute: str | None


@dataclass(frozen=True, eq=False)
class _Measured:
    """What a job found, query by query, and its chance level where it has one."""

    job: _Job
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

    def select(self, queries: Array) -> _Measured:
        """The same of some queries."""
        null = self.null
        return replace(
            self,
            numerator=self.numerator[queries],
            denominator=self.denominator[queries],
            missing=None if self.missing is None else self.missing[queries],
            null=null if null is None else null.select(queries),
        )


def score(
    evidence: Evidence,
    metrics: Sequence[Any],
    *,
    settings: Settings = DEFAULTS,
    plain: Evidence | None = None,
    nulls: Nulls | None = None,
    progress: Progress | None = None,
) -> ScoreResult:
    """Measure evidence; the null comes from ``plain`` (the unmitigated candidates; by default the
    evidence itself).

    ``nulls`` keeps the nulls made here for the next variant of the same candidates.
    """
    measured = with_unknown(evidence, settings.unknown, plain)
    candidates = measured if plain is None else with_unknown(plain, settings.unknown)
    jobs = list(_jobs(measured, metrics))
    family = {
        str(m): sum(len(measured) for j in jobs if j.metric == m and j.attribute) for m in metrics
    }
    rows, values, split = list[Row](), list[PerQuery](), list[Row]()
    for done, job in enumerate(jobs):
        if progress is not None:
            progress(f"{job.metric} {job.attribute or ''}".strip(), done, len(jobs))
        people, missing = (
            (None, None)
            if job.attribute is None
            else looked_at(job.metric, evidence.on(job.attribute))
        )
        found = _measure(job, measured, candidates, missing, settings, nulls)
        own = _per_query(
            found, family[str(job.metric)]
        )  # first: it settles how well the tails of the null are known
        values.append(replace(own, people=people))
        rows.append(_summary(found, settings))
        split += _split(found, settings)
    if progress is not None:
        progress("done", len(jobs), len(jobs))
    every = list(_row_q(rows + split))
    return ScoreResult(
        tuple(every[: len(rows)]),
        tuple(_query_q(values)),
        evidence.queries,
        split=tuple(every[len(rows) :]),
    )


def compare(
    first: Evidence,
    second: Evidence,
    metrics: Sequence[Any],
    *,
    settings: Settings = DEFAULTS,
    shared: bool = False,
) -> tuple[PairedRow, ...]:
    """Differences of two runs over the same queries, first minus second; ``shared`` where the first
    is a variant of the second.
    """
    a, b = (
        with_unknown(first, settings.unknown, second if shared else None),
        with_unknown(second, settings.unknown),
    )
    rows = [_pair(job, a, b, settings) for job in _jobs(a, metrics)]
    q = benjamini_hochberg(np.array([r.p for r in rows]))
    return tuple(replace(row, q=float(v)) for row, v in zip(rows, q, strict=True))


def score_variants(
    variants: Mapping[str, Evidence],
    metrics: Sequence[Any],
    *,
    settings: Settings = DEFAULTS,
    nulls: Nulls | None = None,
    paired: bool = True,
    progress: Progress | None = None,
) -> ScoreResult:
    """Measure several orders of the same candidates. The first is the plain one: its null is
    shared, the others are paired with it unless ``paired`` is False.

    ``nulls`` keeps chance levels for the next queries of the same collection.
    """
    names, shared = list(variants), Nulls() if nulls is None else nulls
    plain = variants[names[0]]
    results = {
        n: score(e, metrics, settings=settings, plain=plain, nulls=shared, progress=progress)
        for n, e in variants.items()
    }
    rows = [replace(row, variant=n) for n, r in results.items() for row in r.rows]
    split = [replace(row, variant=n) for n, r in results.items() for row in r.split]
    values = [replace(part, variant=n) for n, r in results.items() for part in r.values]
    pairs = [
        replace(p, variant=n)
        for n in (names[1:] if paired else ())
        for p in compare(variants[n], plain, metrics, settings=settings, shared=True)
    ]
    q = benjamini_hochberg(np.array([p.p for p in pairs]))
    paired_rows = tuple(replace(p, q=float(v)) for p, v in zip(pairs, q, strict=True))
    every = list(_row_q(rows + split))
    own, parts = tuple(every[: len(rows)]), tuple(every[len(rows) :])
    return ScoreResult(own, tuple(_query_q(values)), plain.queries, paired=paired_rows, split=parts)


def looked_at(metric: Any, evidence: Evidence) -> tuple[Array | None, Array]:
    """(queries,) how many entries a metric looks at that the attribute applies to, and the share of
    unknown among them.

    There is no number where labels are roles in a forced choice, which are not of people.
    """
    view, k = (
        metric.view(evidence) if hasattr(metric, "view") else evidence,
        getattr(metric, "k", None),
    )
    labels, ranking = view.labels, view.ranking
    assert labels.not_applicable is not None
    counted = ~labels.not_applicable if k is None else ~labels.not_applicable & (ranking.ranks <= k)
    total = np.bincount(ranking.query_of[counted], minlength=len(evidence))
    missing = np.bincount(ranking.query_of[counted], labels.unknown[counted], len(evidence))
    with np.errstate(invalid="ignore"):
        return None if metric.shape == "roles" else total, np.where(
            total > 0, missing / np.maximum(total, 1), np.nan
        )


def _jobs(evidence: Evidence, metrics: Sequence[Any]) -> Iterable[_Job]:
    """Metrics crossed with the attributes they apply to."""
    for metric in metrics:
        if "groups" not in metric.needs:
            yield _Job(metric, None)
            continue
        fitting = [n for n, a in evidence.attributes.items() if _fits(metric, a.groups.names)]
        if not fitting:
            known = "; ".join(
                f"{n}: {', '.join(a.groups.names)}" for n, a in evidence.attributes.items()
            )
            raise UsageError(_unfit(metric), f"Groups are {known}.")
        for name in fitting:
            yield _Job(metric, name)


def _unfit(metric: Any) -> str:
    """Why a metric fits no attribute: it names a group that none has, or must name one and does
    not.
    """
    empty = next((f for f in ("positive", "group") if getattr(metric, f, None) == ""), None)
    if empty is not None:
        return f"{metric} must name a group: {metric.name}({empty}=GROUP)."
    return f"{metric} needs {', '.join(_named(metric))}, which no attribute has."


def _named(metric: Any) -> list[str]:
    """The groups a metric names in its parameters."""
    fields = ("positive", "negative", "group", "semantic", "cultural", "unrelated")
    return [getattr(metric, f) for f in fields if getattr(metric, f, "")]


def _fits(metric: Any, names: tuple[str, ...]) -> bool:
    needs_one = any(getattr(metric, f, None) == "" for f in ("positive", "group"))
    return not needs_one and all(g in names for g in _named(metric))


def _measure(
    job: _Job,
    evidence: Evidence,
    plain: Evidence,
    missing: Array | None,
    settings: Settings,
    nulls: Nulls | None,
) -> _Measured:
    metric, name = job.metric, job.attribute
    view = evidence if name is None else evidence.on(name)
    numerator, denominator = metric(view)
    if name is None or missing is None:
        return _Measured(job, numerator, denominator)
    roles = metric.shape == "roles"
    null = (
        RoleNull.of(metric, view) if roles else _null(metric, view, plain.on(name), settings, nulls)
    )
    labelled, cut = evidence.attributes[name], cut_note(metric, view)
    return _Measured(job, numerator, denominator, labelled, missing, null, cut)


def _per_query(found: _Measured, family: int) -> PerQuery:
    """The values of each query with their own chance levels; trials of roles have none."""
    about, values = (str(found.job.metric), found.job.attribute), found.values
    if found.null is None:
        return PerQuery(*about, values)
    blank = np.full(len(values), np.nan)
    if isinstance(found.null, RoleNull):
        return PerQuery(*about, values, blank, blank, blank, found.missing)
    return PerQuery(
        *about,
        values,
        found.null.mean,
        found.null.p(values, family),
        blank,
        found.missing,
        null_sd=found.null.sd,
    )


def _split(found: _Measured, settings: Settings) -> Iterable[Row]:
    """A row for every value of every tag; its null is that of its own queries."""
    for tag, told in settings.by.items():
        for value in dict.fromkeys(told):
            at = np.flatnonzero([v == value for v in told])
            own = replace(
                settings, clusters=None if settings.clusters is None else settings.clusters[at]
            )
            yield replace(_summary(found.select(at), own, f"{tag}={value}"), tag={tag: value})


def _summary(found: _Measured, settings: Settings, *part: str) -> Row:
    """One row over all queries; ``part`` says of which part of them, for streams of its own."""
    job, null, values = found.job, found.null, found.values
    metric, name = job.metric, job.attribute
    row = _row(job, found.numerator, found.denominator, settings, part)
    if null is None or found.labelled is None or found.missing is None:
        return row
    notes, units = (
        row.notes,
        row.queries if settings.clusters is None else len(np.unique(settings.clusters)),
    )
    if metric.epsilon_dominated:
        notes += _shaky(
            null, units, "queries" if settings.clusters is None else "clusters of queries"
        )
    notes += (found.cut,) if found.cut else ()
    labelled = found.labelled
    row = replace(
        row,
        target=labelled.target.name,
        source=labelled.groups.source,
        unknown_mass=_mean(found.missing),
        notes=notes,
    )
    rng = stream(settings.seed, "row", metric, name, *part)
    if isinstance(null, RoleNull):
        mean, spread, p = null.row(_ROW_DRAWS, rng, settings.clusters)
        return _with_null(
            row, "roles", mean, spread, p, (values, metric.range), None, settings, part
        )
    draws = _ROW_DRAWS if len(values) <= _MANY else _FEWER_ROW_DRAWS
    mean, spread, p = null.row(values, draws, rng, settings.clusters)
    over = np.where(null.covers(values), values - null.mean, np.nan)
    return _with_null(row, null.kind, mean, spread, p, (over, metric.range), null, settings, part)


def _shaky(null: Any, units: int, unit: str) -> tuple[str, ...]:
    """What to say of the interval of a metric whose eps decides: too few queries to show how often
    a group is absent by chance.
    """
    if units < FEW_FOR_EPSILON:
        return (f"unreliable interval: dominated by eps, and under {FEW_FOR_EPSILON} {unit}",)
    words = (
        f"unreliable interval: dominated by eps, and by lists so rare that {units} {unit} "
        "hardly show one"
    )
    return (words,) if isinstance(null, Null) and null.rare(FEW_OF_THE_RARE / units) > 0.5 else ()


def _null(
    metric: Any, measured: Evidence, plain: Evidence, settings: Settings, kept: Nulls | None
) -> Null:
    """The null of the plain candidates for lists as long as the measured ones, kept for other
    variants of the same lengths.
    """
    kind, shown = settings.null or default_kind(metric, plain), shown_of(metric, measured)
    if (
        kind == "target"
        # independent draws need nothing of the candidates, only what is missing in the lists themselves
    ):
        return null_of(
            metric,
            measured,
            kind,
            seed=settings.seed,
            draws=_first_draws(metric, measured),
            shown=shown,
        )
    key = (str(metric), next(iter(plain.attributes)), kind, shown.tobytes())
    if kept is None or key not in kept:
        null = null_of(
            metric, plain, kind, seed=settings.seed, draws=_first_draws(metric, plain), shown=shown
        )
        if kept is None:
            return null
        kept[key] = null
    return kept[key]


def _row(
    job: _Job, numerator: Array, denominator: Array, settings: Settings, part: tuple[str, ...] = ()
) -> Row:
    """Mean and interval; the null comes later."""
    metric = job.metric
    n, d = aggregate(numerator, denominator, metric.aggregate)
    infinite = int(np.isinf(n).sum())
    notes = (
        [f"infinite in {counted(infinite, 'query')}: a group with target 0 is shown"]
        if infinite
        else []
    )
    if len(n) and d.sum() == 0:
        notes.append("undefined: a ratio with nothing below" + _NOTHING_BELOW.get(metric.name, ""))
    mean = float(n.sum() / d.sum()) if len(n) and not infinite and d.sum() else float("nan")
    rng = stream(settings.seed, "interval", metric, job.attribute, *part)
    clusters = _clusters(settings, numerator, denominator, metric)
    bounds = interval(
        n, d, rng=rng, method=settings.interval, clusters=clusters, within=metric.range
    )
    if bounds.note:
        notes.append(bounds.note)
    spread = (
        float(np.std(n / d, ddof=1))
        if metric.aggregate == "mean" and len(n) > 1 and not infinite
        else float("nan")
    )
    needed = (
        None
        if settings.detect is None or np.isnan(spread)
        else queries_needed(spread, settings.detect)
    )
    return Row(
        metric=str(metric),
        attribute=job.attribute,
        k=getattr(metric, "k", None),
        mean=mean,
        ci=(bounds.low, bounds.high),
        queries=len(n),
        undefined=len(numerator) - len(n),
        direction=metric.direction,
        notes=tuple(notes),
        spread=spread,
        queries_needed=needed,
    )


def _with_null(
    row: Row,
    kind: str,
    mean: float,
    spread: float,
    p: float,
    excess: tuple[Array, tuple[float, float]],
    null: Null | None,
    settings: Settings,
    part: tuple[str, ...] = (),
) -> Row:
    """The row with its chance level, the excess over it, the interval of the excess, and p."""
    about: dict[str, Any] = {"kind": kind, "mean": mean, "sd": spread}
    notes = row.notes
    if null is None:
        if np.isnan(p) and not np.isnan(row.mean):
            about["degenerate"] = True
            notes = (*notes, f"degenerate null: under '{kind}' nothing can vary, so no p is given")
        return replace(
            row,
            null=about,
            excess=row.mean - mean,
            excess_ci=(row.ci[0] - mean, row.ci[1] - mean),
            p=p,
            notes=notes,
        )
    values, span = excess
    known = ~np.isnan(values)
    if known.sum() < row.queries:
        over = (
            f"the {part_of(int(known.sum()), row.queries, 'query')} that "
            f"{agreeing(int(known.sum()), 'has', 'have')} a chance level"
        )
        notes = (*notes, f"chance level, excess and p are over {over}")
    elif np.isnan(p) and not np.isnan(row.mean):
        about["degenerate"] = True
        notes = (*notes, f"degenerate null: under '{kind}' nothing can vary, so no p is given")
    rng = stream(settings.seed, "excess", row.metric, row.attribute, *part)
    clusters = None if settings.clusters is None else settings.clusters[known]
    within = (span[0] - mean, span[1] - mean) if not np.isnan(mean) else (-np.inf, np.inf)
    bounds = interval(
        values[known],
        np.ones(int(known.sum())),
        rng=rng,
        method=settings.interval,
        clusters=clusters,
        within=within,
    )
    gap = float(values[known].mean()) if known.any() else float("nan")
    return replace(
        row, null=about, excess=gap, excess_ci=(bounds.low, bounds.high), p=p, notes=notes
    )


def _pair(job: _Job, first: Evidence, second: Evidence, settings: Settings) -> PairedRow:
    metric = job.metric
    parts = [metric(e if job.attribute is None else e.on(job.attribute)) for e in (first, second)]
    if metric.aggregate == "mean":
        parts = [(n / d, np.where(np.isnan(n / d), np.nan, 1.0)) for n, d in parts]
    rng = stream(settings.seed, "paired", metric, job.attribute)
    result = paired(
        parts[0], parts[1], rng=rng, method=settings.interval, clusters=settings.clusters
    )
    notes = (result.interval.note,) if result.interval.note else ()
    return PairedRow(
        metric=str(metric),
        attribute=job.attribute,
        k=getattr(metric, "k", None),
        first=result.first,
        second=result.second,
        difference=result.difference,
        ci=(result.interval.low, result.interval.high),
        p=result.p,
        queries=result.queries,
        direction=metric.direction,
        notes=notes,
    )


def _row_q(rows: list[Row]) -> Iterable[Row]:
    """Rows with q over all rows of the command."""
    q = benjamini_hochberg(np.array([r.p for r in rows]))
    return (replace(row, q=float(v)) for row, v in zip(rows, q, strict=True))


def _query_q(parts: list[PerQuery]) -> Iterable[PerQuery]:
    """Values with q over all queries and attributes of a metric."""
    for part in parts:
        if part.p is None:
            yield part
            continue
        same = [x.p for x in parts if x.metric == part.metric and x.p is not None]
        start = sum(len(x) for x in same[: [x is part.p for x in same].index(True)])
        yield replace(part, q=benjamini_hochberg(np.concatenate(same))[start : start + len(part.p)])


def _clusters(
    settings: Settings, numerator: Array, denominator: Array, metric: Any
) -> Array | None:
    if settings.clusters is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        defined = (
            ~np.isnan(numerator / denominator)
            if metric.aggregate == "mean"
            else ~(np.isnan(numerator) | np.isnan(denominator))
        )
    return settings.clusters[defined]


def _first_draws(metric: Any, plain: Evidence) -> int:
    """How many draws a sampled null starts with: many where lists are few and short; samples grow
    where a tail is thin.
    """
    lengths = (
        plain.ranking.lengths if metric.k is None else np.minimum(plain.ranking.lengths, metric.k)
    )
    fewest = 1_000 if len(plain) <= 1_000 else 200 if len(plain) <= _MANY else 60
    return (
        int(np.clip(_FREE_CELLS // max(int(lengths.sum()), 1), fewest, 20_000))
        if plain.labels.hard
        else fewest
    )


def _mean(values: Array) -> float:
    return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")


def stream(seed: int, *about: Any) -> np.random.Generator:
    """A generator that depends on the seed and the question alone, not on what else is asked."""
    digest = hashlib.blake2b("|".join(map(str, (seed, *about))).encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))
