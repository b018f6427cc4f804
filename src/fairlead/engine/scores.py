"""Scores: recorded runs measured, alone, against another run, or as they were saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.engine.label_samples import read_sample
from fairlead.engine.manifest import manifest
from fairlead.engine.recorded import Bench, file_behind, labelled_bench, shallow, warnings_of
from fairlead.engine.saved import run_in
from fairlead.engine.sources import Faults, metrics_of
from fairlead.engine.treatments import variants_of
from fairlead.errors import DataError, UsageError
from fairlead.measuring.circular import circular
from fairlead.measuring.correct import correct
from fairlead.measuring.overturn import overturn
from fairlead.measuring.score import Settings, compare, score, score_variants
from fairlead.protocols import Progress, registry
from fairlead.results.score import ScoreResult
from fairlead.store.clusters import read_clusters
from fairlead.store.fingerprints import fingerprint
from fairlead.store.saved_run import place_of
from fairlead.types import Ranking, Sets
from fairlead.types.evidence import Evidence
from fairlead.types.joining import read_map
from fairlead.types.ragged import locate
from fairlead.types.saved import SavedRun
from fairlead.words.counts import agreeing, counted

DEFAULT_METRICS = ("NDKL@10", "AbsBias@10", "TV@10")
DEFAULT_RELEVANCE = ("nDCG@10", "P@10")
_FILES = (
    "run",
    "groups",
    "qrels",
    "target",
    "against",
    "clusters",
    "label_sample",
    "leave_out",
    "leave",
)
"""Fields of plans that may name a file."""


def scored(plan: Any, progress: Progress | None = None) -> ScoreResult:
    """A recorded run, measured against labels; a saved run brings its own."""
    saved = place_of(plan.run)
    if saved is not None and plan.against is None and plan.label_sample is None:
        return scored_again(plan, run_in(plan, saved), progress)
    metrics = metrics_in(plan)
    bench = labelled_bench(plan, progress)
    settings = settings_in(plan, bench.evidence)
    notes = warnings_of(bench) + shallow(metrics, bench)
    if plan.against is None:
        result = score(bench.evidence, metrics, settings=settings, progress=progress)
        result, about, more = _with_label_error(result, plan, bench, metrics, settings=settings)
        return replace(
            result, manifest=manifest_in("score", plan, bench, notes + more, result, about)
        )
    other = labelled_bench(plan.model_copy(update={"run": plan.against}), progress)
    measured, plain = as_variant(bench, other)
    result = score(measured, metrics, settings=settings, plain=plain, progress=progress)
    result, about, more = _with_label_error(
        result,
        plan,
        bench if plain is None else other,
        metrics,
        settings=settings,
        measured=measured,
        plain=plain,
    )
    notes += more
    # Two runs that show different things are compared on the queries they share, each against its
    # own chance level; a mitigated run and its candidates share one.
    first, second, alone = measured, plain, 0
    if second is None:
        first, second, alone = _matched(bench.evidence, other.evidence)
    else:
        notes.append(
            "Chance levels come from the candidates of the second run, which the first one "
            "reorders or cuts."
        )
    paired = compare(
        first, second, metrics, settings=settings_in(plan, first), shared=plain is not None
    )
    notes += [note for note in warnings_of(other) + shallow(metrics, other) if note not in notes]
    if alone:
        are = agreeing(alone, "is", "are")
        notes.append(
            f"{counted(alone, 'query')} {are} in one of the two runs only and {are} left out of "
            "the comparison."
        )
    about = manifest_in("score", plan, bench, notes, result, about)
    return replace(result, paired=paired, manifest=about)


def scored_again(plan: Any, run: SavedRun, progress: Progress | None = None) -> ScoreResult:
    """A saved run, measured as it was when it was saved, but for what the plan asks otherwise."""
    before: Mapping[str, Any] = run.manifest.get("plan", {})
    faults = Faults()
    texts = plan.metric
    if not texts:
        named = run.manifest.get("metrics", ())
        texts = tuple(registry.vetted("metric", str(one), plan.run) for one in named)
    metrics = metrics_of(texts or DEFAULT_METRICS, faults, judged=run.relevant is not None)
    faults.tell()
    settings = Settings(
        chosen(plan, before, "null"),
        chosen(plan, before, "unknown"),
        chosen(plan, before, "interval"),
        run.clusters,
        chosen(plan, before, "seed"),
        plan.detect,
        by=run.by,
    )
    variants = evidence_of_saved(run)
    result = score_variants(variants, metrics, settings=settings, progress=progress)
    plain = next(iter(variants.values()))
    notes = list(run.manifest.get("warnings", ()))
    inputs = inputs_of(plan)
    about = manifest(
        "score", taken(plan, before), plain, scores=result, warnings=notes, inputs=inputs
    )
    return replace(result, manifest={**about, "made_by": dict(run.manifest)})


def evidence_of_saved(run: SavedRun) -> dict[str, Evidence]:
    """The lists of every variant as metrics saw them."""
    # The plain list is saved first; all variants share its chance level.
    ranking = next(iter(run.lists.values()))
    every = Sets(np.array([0, len(run.items)]), np.arange(len(run.items)))
    plain = Evidence(
        ranking, run.queries, dict(run.attributes), run.relevant, run.fixed or every, run.blocks
    )
    return variants_of(plain, run.lists)


def chosen(plan: Any, before: Mapping[str, Any], name: str) -> Any:
    """A choice of the plan where it is not the default, else the one a run was saved with."""
    # A choice that equals its default cannot be told from none, so the saved one counts.
    value, default = getattr(plan, name), type(plan).model_fields[name].default
    if value != default:
        return value
    return before.get(name, default)


def taken(plan: Any, before: Mapping[str, Any]) -> dict[str, Any]:
    """The choices of a plan as text, with what was taken from a saved run in their place."""
    about: dict[str, Any] = plan.described()
    for name in ("null", "unknown", "interval", "seed"):
        if name in type(plan).model_fields:
            about[name] = chosen(plan, before, name)
    if "target" in before and plan.groups is None:
        about["target"] = before["target"]
    return {name: value for name, value in about.items() if value is not None}


def metrics_in(plan: Any) -> tuple[Any, ...]:
    """The metrics of a plan; all unknown names are told together."""
    faults, judged, labelled = Faults(), plan.qrels is not None, plan.groups is not None
    defaults: tuple[str, ...] = ()
    if labelled:
        defaults = DEFAULT_METRICS
    if judged:
        defaults += DEFAULT_RELEVANCE
    metrics = metrics_of(plan.metric or defaults, faults, judged=judged)
    lacking = [str(metric) for metric in metrics if "groups" in metric.needs]
    if lacking and not labelled:
        message = f"{', '.join(lacking)} needs labels of groups."
        faults.errors.append(UsageError(message, "Give them with --groups."))
    faults.tell()
    return metrics


def settings_in(plan: Any, evidence: Evidence) -> Settings:
    """How a plan asks to be measured."""
    clusters = None
    if plan.clusters is not None:
        table = read_clusters(plan.clusters)
        missing = [query for query in evidence.queries if query not in table]
        if missing:
            raise DataError(f"Query '{missing[0]}' has no cluster ({len(missing)} missing).")
        clusters = np.unique([table[q] for q in evidence.queries], return_inverse=True)[1]
    return Settings(plan.null, plan.unknown, plan.interval, clusters, plan.seed, plan.detect)


def as_variant(bench: Bench, other: Bench) -> tuple[Evidence, Evidence | None]:
    """The first run as an order of the second's candidates, and these as its plain list, where it
    shows nothing else.

    A mitigated run is held against the chance level of the candidates it was made from, not of what
    it happens to show.
    """
    place = {query: number for number, query in enumerate(other.evidence.queries)}
    if any(query not in place for query in bench.evidence.queries):
        return bench.evidence, None
    plain = other.evidence.select(np.array([place[q] for q in bench.evidence.queries]))
    own = bench.evidence.ranking
    # Each run numbers its own items, so they meet by id.
    rows = other.run.items.rows(bench.run.items.take(own.rows))
    candidates = plain.ranking
    inside = locate(candidates.offsets, candidates.rows, own.offsets, rows) >= 0
    if (rows < 0).any() or not inside.all():
        return bench.evidence, None
    return plain.with_ranking(Ranking(own.offsets, rows, own.scores, own.positions)), plain


def manifest_in(
    command: str,
    plan: Any,
    bench: Bench,
    notes: Sequence[str],
    scores: ScoreResult | None = None,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """How a result about a recorded run came about."""
    return manifest(
        command,
        plan.described(),
        bench.evidence,
        scores=scores,
        coverage={name: vars(one) for name, one in bench.labels.coverage.items()},
        warnings=notes,
        ties=bench.run.ties,
        inputs=inputs_of(plan),
        left_out=None if bench.left is None else dict(bench.left),
        **(more or {}),
    )


def inputs_of(plan: Any) -> dict[str, Any]:
    """The files of a plan with their fingerprints."""
    paths = {name: file_behind(getattr(plan, name, None)) for name in _FILES}
    saved = place_of(plan.run)
    if saved is not None:
        paths["run"] = Path(saved)
    return {name: fingerprint(path) for name, path in paths.items() if path is not None}


def _with_label_error(
    result: ScoreResult,
    plan: Any,
    bench: Bench,
    metrics: Sequence[Any],
    *,
    settings: Settings,
    measured: Evidence | None = None,
    plain: Evidence | None = None,
) -> tuple[ScoreResult, dict[str, Any], list[str]]:
    """The result with what label error does to it, where asked; what the manifest says of it; and
    warnings.
    """
    evidence = bench.evidence
    if measured is not None:
        evidence = measured
    about, notes, rows = dict[str, Any](), list[str](), result.rows
    if plan.ranked_by is not None:
        warning = circular(plan.source, ranked_by=str(plan.ranked_by))
        if warning is not None:
            notes.append(warning)
    if plan.label_sample is not None:
        if plain is not None and any(one.aligned for one in evidence.attributes.values()):
            raise UsageError(
                "--label-sample cannot correct two runs whose labels depend on the query.",
                "Leave out --against.",
            )
        sample, remarks = read_sample(plan.label_sample, bench, read_map(plan.map))
        corrected = correct(rows, evidence, metrics, sample, settings=settings, plain=plain)
        rows, about = corrected.rows, {"label_sample": corrected.about}
        notes += remarks
    if plan.label_sample is not None or plan.label_error:
        rows = overturn(rows, evidence, metrics, settings=settings, plain=plain)
    return replace(result, rows=rows), about, notes


def _matched(first: Evidence, second: Evidence) -> tuple[Evidence, Evidence, int]:
    """Both runs on the queries they share, in the same order."""
    place = {query: number for number, query in enumerate(second.queries)}
    shared = [query for query in first.queries if query in place]
    if not shared:
        raise DataError("The two runs share no query.", "Compare runs over the same queries.")
    at = {query: number for number, query in enumerate(first.queries)}
    one = first.select(np.array([at[query] for query in shared]))
    two = second.select(np.array([place[query] for query in shared]))
    return one, two, len(first) + len(second) - 2 * len(shared)
