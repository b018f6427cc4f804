"""Measure evidence: every metric on every attribute, with chance level, interval and correction for the number of looks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.evidence import Evidence
from fairlead.protocols import Progress
from fairlead.ragged import Array
from fairlead.report.results import PairedRow, PerQuery, Row, ScoreResult
from fairlead.statistics.intervals import FEW_FOR_EPSILON, Method, aggregate, interval
from fairlead.statistics.multiplicity import benjamini_hochberg
from fairlead.statistics.nulls import Kind, Null, default_kind, null_of
from fairlead.statistics.paired import paired
from fairlead.statistics.power import queries_needed
from fairlead.statistics.roles import RoleNull
from fairlead.targets import UnknownPolicy, with_unknown

_ROW_DRAWS, _FEWER_ROW_DRAWS, _MANY = 4_999, 999, 5_000
_FREE_CELLS = 20_000_000
Nulls = dict[tuple[str, str], Null]


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
    """

    null: Kind | None = None
    unknown: UnknownPolicy = "ignore"
    interval: Method = "studentised"
    clusters: Array | None = None
    seed: int = 0
    detect: float | None = None


DEFAULTS = Settings()


@dataclass(frozen=True)
class _Job:
    """One metric on one attribute (or on relevance alone)."""

    metric: Any
    attribute: str | None


def score(
    evidence: Evidence,
    metrics: Sequence[Any],
    *,
    settings: Settings = DEFAULTS,
    plain: Evidence | None = None,
    nulls: Nulls | None = None,
    progress: Progress | None = None,
) -> ScoreResult:
    """Measure evidence; the null comes from ``plain`` (the unmitigated candidates; by default the evidence itself).

    ``nulls`` keeps the nulls made here for the next variant of the same candidates.
    """
    measured = with_unknown(evidence, settings.unknown)
    candidates = measured if plain is None else with_unknown(plain, settings.unknown)
    jobs = list(_jobs(measured, metrics))
    family = {str(m): sum(len(measured) for j in jobs if j.metric == m and j.attribute) for m in metrics}
    rows, values = [], []
    for done, job in enumerate(jobs):
        if progress is not None:
            progress(f"{job.metric} {job.attribute or ''}".strip(), done, len(jobs))
        missing = None if job.attribute is None else unknown_mass(evidence.on(job.attribute), getattr(job.metric, "k", None))
        row, per_query = _measure(job, measured, candidates, missing, settings, family[str(job.metric)], nulls)
        rows.append(row)
        values.append(per_query)
    if progress is not None:
        progress("done", len(jobs), len(jobs))
    return ScoreResult(tuple(_row_q(rows)), tuple(_query_q(values)), evidence.queries)


def compare(first: Evidence, second: Evidence, metrics: Sequence[Any], *, settings: Settings = DEFAULTS) -> tuple[PairedRow, ...]:
    """Differences of two runs over the same queries, first minus second."""
    a, b = with_unknown(first, settings.unknown), with_unknown(second, settings.unknown)
    rows = [_pair(job, a, b, settings) for job in _jobs(a, metrics)]
    q = benjamini_hochberg(np.array([r.p for r in rows]))
    return tuple(replace(row, q=float(v)) for row, v in zip(rows, q, strict=True))


def score_variants(
    variants: Mapping[str, Evidence], metrics: Sequence[Any], *, settings: Settings = DEFAULTS, progress: Progress | None = None
) -> ScoreResult:
    """Measure several orders of the same candidates. The first is the plain one: its null is shared, the others are paired with it."""
    names, nulls = list(variants), dict[tuple[str, str], Null]()
    plain = variants[names[0]]
    results = {n: score(e, metrics, settings=settings, plain=plain, nulls=nulls, progress=progress) for n, e in variants.items()}
    rows = [replace(row, variant=n) for n, r in results.items() for row in r.rows]
    values = [replace(part, variant=n) for n, r in results.items() for part in r.values]
    pairs = [replace(p, variant=n) for n in names[1:] for p in compare(variants[n], plain, metrics, settings=settings)]
    q = benjamini_hochberg(np.array([p.p for p in pairs]))
    paired_rows = tuple(replace(p, q=float(v)) for p, v in zip(pairs, q, strict=True))
    return ScoreResult(tuple(_row_q(rows)), tuple(_query_q(values)), plain.queries, paired=paired_rows)


def unknown_mass(evidence: Evidence, k: int | None) -> Array:
    """(queries,) share of unknown among the first ``k`` entries to which the attribute applies; NaN where there is none."""
    labels, ranking = evidence.labels, evidence.ranking
    assert labels.not_applicable is not None
    counted = ~labels.not_applicable if k is None else ~labels.not_applicable & (ranking.ranks <= k)
    total = np.bincount(ranking.query_of[counted], minlength=len(evidence))
    missing = np.bincount(ranking.query_of[counted], labels.unknown[counted], len(evidence))
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, missing / np.maximum(total, 1), np.nan)


def _jobs(evidence: Evidence, metrics: Sequence[Any]) -> Iterable[_Job]:
    """Metrics crossed with the attributes they apply to."""
    for metric in metrics:
        if "groups" not in metric.needs:
            yield _Job(metric, None)
            continue
        fitting = [n for n, a in evidence.attributes.items() if _fits(metric, a.groups.names)]
        if not fitting:
            known = "; ".join(f"{n}: {', '.join(a.groups.names)}" for n, a in evidence.attributes.items())
            raise UsageError(_unfit(metric), f"Groups are {known}.")
        for name in fitting:
            yield _Job(metric, name)


def _unfit(metric: Any) -> str:
    """Why a metric fits no attribute: it names a group that none has, or must name one and does not."""
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
    job: _Job, evidence: Evidence, plain: Evidence, missing: Array | None, settings: Settings, family: int, nulls: Nulls | None
) -> tuple[Row, PerQuery]:
    metric, name = job.metric, job.attribute
    view = evidence if name is None else evidence.on(name)
    numerator, denominator = metric(view)
    row = _row(job, numerator, denominator, settings)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = numerator / denominator
    if name is None or missing is None:
        return row, PerQuery(str(metric), None, values)
    labelled = evidence.attributes[name]
    notes = row.notes
    if metric.epsilon_dominated and row.queries < FEW_FOR_EPSILON:
        notes = (*notes, f"unreliable interval: dominated by eps, and under {FEW_FOR_EPSILON} queries")
    target = labelled.target.name if "target" in metric.needs else f"{labelled.target.name} (null only)"
    row = replace(row, target=target, source=labelled.groups.source, unknown_mass=_mean(missing), notes=notes)
    rng = _stream(settings.seed, "row", metric, name)
    if metric.shape == "roles":
        mean, spread, p = RoleNull.of(metric, plain.on(name)).row(_ROW_DRAWS, rng)
        row = _with_null(row, "roles", mean, spread, p, (numerator, denominator), None, settings)
        blank = np.full(len(values), np.nan)
        return row, PerQuery(str(metric), name, values, blank, blank, blank, missing)
    null = (nulls or {}).get((str(metric), name)) or _null(metric, plain.on(name), settings)
    if nulls is not None:
        nulls[str(metric), name] = null
    p_values = null.p(values, family)
    mean, spread, p = null.row(values, _ROW_DRAWS if len(values) <= _MANY else _FEWER_ROW_DRAWS, rng)
    row = _with_null(row, null.kind, mean, spread, p, (values - null.mean, np.where(np.isnan(values), np.nan, 1.0)), null, settings)
    return row, PerQuery(str(metric), name, values, null.mean, p_values, np.full(len(values), np.nan), missing)


def _null(metric: Any, plain: Evidence, settings: Settings) -> Null:
    kind = settings.null or default_kind(metric, plain)
    return null_of(metric, plain, kind, seed=settings.seed, draws=_first_draws(metric, plain))


def _row(job: _Job, numerator: Array, denominator: Array, settings: Settings) -> Row:
    """Mean and interval; the null comes later."""
    metric = job.metric
    n, d = aggregate(numerator, denominator, metric.aggregate)
    infinite = int(np.isinf(n).sum())
    notes = [f"infinite in {infinite} queries: a group with target 0 is shown"] if infinite else []
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = float(n.sum() / d.sum()) if len(n) and not infinite else float("nan")
    rng = _stream(settings.seed, "interval", metric, job.attribute)
    clusters = _clusters(settings, numerator, denominator, metric)
    bounds = interval(n, d, rng=rng, method=settings.interval, clusters=clusters)
    if bounds.note:
        notes.append(bounds.note)
    low, high = (float(np.clip(x, *metric.range)) for x in (bounds.low, bounds.high))
    spread = float(np.std(n / d, ddof=1)) if metric.aggregate == "mean" and len(n) > 1 and not infinite else float("nan")
    needed = None if settings.detect is None or np.isnan(spread) else queries_needed(spread, settings.detect)
    return Row(
        str(metric), job.attribute, getattr(metric, "k", None), mean, (low, high), len(n), len(numerator) - len(n), metric.direction,
        notes=tuple(notes), spread=spread, queries_needed=needed,
    )  # fmt: skip


def _with_null(
    row: Row, kind: str, mean: float, spread: float, p: float, excess: tuple[Array, Array], null: Null | None, settings: Settings
) -> Row:
    """The row with its chance level, the excess over it, the interval of the excess, and p."""
    about: dict[str, Any] = {"kind": kind, "mean": mean, "sd": spread}
    notes = row.notes
    if np.isnan(p) and row.queries:
        about["degenerate"] = True
        notes = (*notes, f"degenerate null: under '{kind}' nothing can vary, so no p is given")
    if null is None:
        low, high = row.ci[0] - mean, row.ci[1] - mean
    else:
        n, d = aggregate(*excess, "mean")
        rng = _stream(settings.seed, "excess", row.metric, row.attribute)
        bounds = interval(
            n, d, rng=rng, method=settings.interval, clusters=None if settings.clusters is None else settings.clusters[~np.isnan(excess[0])]
        )
        low, high = bounds.low, bounds.high
    return replace(row, null=about, excess=row.mean - mean, excess_ci=(low, high), p=p, notes=notes)


def _pair(job: _Job, first: Evidence, second: Evidence, settings: Settings) -> PairedRow:
    metric = job.metric
    parts = [metric(e if job.attribute is None else e.on(job.attribute)) for e in (first, second)]
    if metric.aggregate == "mean":
        parts = [(n / d, np.where(np.isnan(n / d), np.nan, 1.0)) for n, d in parts]
    result = paired(parts[0], parts[1], rng=_stream(settings.seed, "paired", metric, job.attribute), method=settings.interval)
    ratios = [float(np.nansum(n[~np.isnan(d)]) / np.nansum(d)) if np.nansum(d) else float("nan") for n, d in parts]
    notes = (result.interval.note,) if result.interval.note else ()
    return PairedRow(
        metric=str(metric),
        attribute=job.attribute,
        k=getattr(metric, "k", None),
        first=ratios[0],
        second=ratios[1],
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


def _clusters(settings: Settings, numerator: Array, denominator: Array, metric: Any) -> Array | None:
    if settings.clusters is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        defined = ~np.isnan(numerator / denominator) if metric.aggregate == "mean" else ~(np.isnan(numerator) | np.isnan(denominator))
    return settings.clusters[defined]


def _first_draws(metric: Any, plain: Evidence) -> int:
    """How many draws a sampled null starts with: many where lists are few and short; samples grow where a tail is thin."""
    lengths = plain.ranking.lengths if metric.k is None else np.minimum(plain.ranking.lengths, metric.k)
    fewest = 1_000 if len(plain) <= 1_000 else 200 if len(plain) <= _MANY else 60
    return int(np.clip(_FREE_CELLS // max(int(lengths.sum()), 1), fewest, 20_000)) if plain.labels.hard else fewest


def _mean(values: Array) -> float:
    return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")


def _stream(seed: int, *about: Any) -> np.random.Generator:
    """A generator that depends on the seed and the question alone, not on what else is asked."""
    digest = hashlib.blake2b("|".join(map(str, (seed, *about))).encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))
