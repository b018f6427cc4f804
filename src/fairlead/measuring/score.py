"""Measure evidence: every metric on every attribute.

Rows come with a chance level, an interval and a correction for the number of looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairlead.measuring.jobs import Job, Nulls, jobs_of, measure
from fairlead.measuring.rows import per_query, split_rows, summary
from fairlead.measuring.settings import DEFAULTS, Settings, stream
from fairlead.protocols import Progress
from fairlead.results.score import PairedRow, PerQuery, Row, ScoreResult
from fairlead.statistics.multiplicity import benjamini_hochberg
from fairlead.statistics.paired import paired
from fairlead.statistics.targets import with_unknown
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

__all__ = [
    "DEFAULTS",
    "Nulls",
    "Settings",
    "compare",
    "looked_at",
    "score",
    "score_variants",
    "stream",
]


def score(
    evidence: Evidence,
    metrics: Sequence[Any],
    *,
    settings: Settings = DEFAULTS,
    plain: Evidence | None = None,
    nulls: Nulls | None = None,
    progress: Progress | None = None,
) -> ScoreResult:
    """Measure evidence.

    The null comes from ``plain``, the unmitigated candidates; by default that is the evidence
    itself.

    ``nulls`` keeps the nulls made here for the next variant of the same candidates.
    """
    measured = with_unknown(evidence, settings.unknown, plain)
    candidates = measured
    # Chance comes from the unmitigated candidates, so that all variants share it.
    if plain is not None:
        candidates = with_unknown(plain, settings.unknown)
    jobs = list(jobs_of(measured, metrics))
    family = {
        str(metric): len(measured) * sum(j.metric == metric and bool(j.attribute) for j in jobs)
        for metric in metrics
    }
    rows = list[Row]()
    values = list[PerQuery]()
    split = list[Row]()
    for done, job in enumerate(jobs):
        if progress is not None:
            progress(f"{job.metric} {job.attribute or ''}".strip(), done, len(jobs))
        people = missing = None
        if job.attribute is not None:
            people, missing = looked_at(job.metric, evidence.on(job.attribute))
        answer = measure(job, measured, candidates, missing, settings, nulls)
        # the queries come first: their p settles how well the tails of the null are known
        answer_values = per_query(answer, family[str(job.metric)])
        values.append(replace(answer_values, people=people))
        rows.append(summary(answer, settings))
        split += split_rows(answer, settings)
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
    """Differences of two runs over the same queries, first minus second.

    Runs are ``shared`` where the first is a variant of the second.
    """
    plain = None
    if shared:
        plain = second
    a = with_unknown(first, settings.unknown, plain)
    b = with_unknown(second, settings.unknown)
    rows = [_pair(job, a, b, settings) for job in jobs_of(a, metrics)]
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
    """Measure several orders of the same candidates.

    The first is the plain one: the others share its null and, unless ``paired`` is False, are
    paired with it. ``nulls`` keeps chance levels for the next queries of the same collection.
    """
    names = list(variants)
    shared = nulls
    # An empty dict that the caller gave is to be filled, so it must not be taken for none.
    if shared is None:
        shared = Nulls()
    plain = variants[names[0]]
    results = {
        n: score(e, metrics, settings=settings, plain=plain, nulls=shared, progress=progress)
        for n, e in variants.items()
    }
    rows = [replace(row, variant=n) for n, r in results.items() for row in r.rows]
    split = [replace(row, variant=n) for n, r in results.items() for row in r.split]
    values = [replace(part, variant=n) for n, r in results.items() for part in r.values]
    pairs = []
    if paired:
        pairs = [
            replace(p, variant=n)
            for n in names[1:]
            for p in compare(variants[n], plain, metrics, settings=settings, shared=True)
        ]
    q = benjamini_hochberg(np.array([p.p for p in pairs]))
    paired_rows = tuple(replace(p, q=float(v)) for p, v in zip(pairs, q, strict=True))
    # One family: whoever looks at the parts looks at the whole too.
    every = list(_row_q(rows + split))
    whole = tuple(every[: len(rows)])
    parts = tuple(every[len(rows) :])
    return ScoreResult(
        whole, tuple(_query_q(values)), plain.queries, paired=paired_rows, split=parts
    )


def looked_at(metric: Any, evidence: Evidence) -> tuple[Array | None, Array]:
    """(queries,) how many entries a metric looks at, and the share of unknown among them.

    Entries the attribute does not apply to are left out. There is no number where labels are roles
    in a forced choice, which are not of people.
    """
    view, k = metric.view(evidence), metric.k
    labels = view.labels
    ranking = view.ranking
    assert labels.not_applicable is not None
    counted = ~labels.not_applicable
    if k is not None:
        counted &= ranking.ranks <= k
    query_of = ranking.query_of[counted]
    total = np.bincount(query_of, minlength=len(evidence))
    missing = np.bincount(query_of, labels.unknown[counted], len(evidence))
    share = np.where(total > 0, missing / np.maximum(total, 1), np.nan)
    if metric.shape == "roles":
        return None, share
    return total, share


def _pair(job: Job, first: Evidence, second: Evidence, settings: Settings) -> PairedRow:
    metric = job.metric
    if job.attribute is not None:
        first, second = first.on(job.attribute), second.on(job.attribute)
    parts = [metric(first), metric(second)]
    # A mean weighs every query alike, whatever stands below its ratio.
    if metric.aggregate == "mean":
        parts = [(n / d, np.where(np.isnan(n / d), np.nan, 1.0)) for n, d in parts]
    rng = stream(settings.seed, "paired", metric, job.attribute)
    result = paired(
        parts[0], parts[1], rng=rng, method=settings.interval, clusters=settings.clusters
    )
    notes = tuple(filter(None, [result.interval.note]))
    return PairedRow(
        metric=str(metric),
        attribute=job.attribute,
        k=metric.k,
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
        # one family is all queries on all attributes of a metric
        same = [x.p for x in parts if x.metric == part.metric and x.p is not None]
        number = [p is part.p for p in same].index(True)
        start = sum(len(p) for p in same[:number])
        q = benjamini_hochberg(np.concatenate(same))
        yield replace(part, q=q[start : start + len(part.p)])
