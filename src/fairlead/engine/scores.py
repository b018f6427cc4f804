"""Scores: recorded runs measured, alone, against another run, or as they were saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.engine.asked_again import chosen, left_out, refuse_nothing, run_in, taken
from fairlead.engine.inputs import inputs_of
from fairlead.engine.label_samples import read_sample
from fairlead.engine.manifest import manifest
from fairlead.engine.recorded import (
    Bench,
    labelled_bench,
    shallow,
    short_lists,
    warnings_of,
)
from fairlead.engine.sources import Faults, metrics_of
from fairlead.engine.treatments import PLAIN, variants_of
from fairlead.errors import DataError, UsageError
from fairlead.measuring.circular import circular
from fairlead.measuring.correct import correct
from fairlead.measuring.overturn import overturn
from fairlead.measuring.score import Settings, compare, score, score_variants
from fairlead.protocols import Progress, registry
from fairlead.results.score import Row, ScoreResult
from fairlead.store.clusters import read_clusters
from fairlead.store.leave_out import left_notes
from fairlead.store.saved_run import place_of, read_saved
from fairlead.types import Ranking, Sets
from fairlead.types.evidence import Evidence
from fairlead.types.joining import read_map
from fairlead.types.ragged import Array, locate
from fairlead.types.saved import SavedRun
from fairlead.words.counts import agreeing, counted

DEFAULT_METRICS = ("NDKL@10", "AbsBias@10", "TV@10")
DEFAULT_RELEVANCE = ("nDCG@10", "P@10")


def scored(plan: Any, progress: Progress | None = None) -> ScoreResult:
    """A recorded run, measured against labels; a saved run brings its own."""
    saved = place_of(plan.run)
    if saved is not None and plan.against is None and plan.label_sample is None:
        return scored_again(plan, run_in(plan, saved), progress)
    if saved is not None:
        _refuse_variants(plan, saved)
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
    return _scored_against(plan, bench, metrics, settings, notes, progress)


def _scored_against(
    plan: Any,
    bench: Bench,
    metrics: Sequence[Any],
    settings: Settings,
    notes: list[str],
    progress: Progress | None,
) -> ScoreResult:
    """A recorded run, measured and compared with a second one."""
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


def _refuse_variants(plan: Any, place: Path) -> None:
    """Refuse to hold a saved run with several variants against something else: its plain lists
    alone would be read.
    """
    variants = list(read_saved(place).lists)
    if len(variants) > 1:
        raise UsageError(
            f"{plan.run} holds {', '.join(variants)}, and --against and --label-sample take one "
            "list of each query.",
            f"Without them, score {plan.run} compares every variant with the plain lists. Or write "
            "one of them with rerank -o, and score that.",
        )
    if plan.groups is None:
        raise UsageError(
            "With --against and --label-sample, a saved run needs its labels from a file.",
            "Name them with --groups FILE.",
        )


def scored_again(plan: Any, run: SavedRun, progress: Progress | None = None) -> ScoreResult:
    """A saved run, measured as it was when it was saved, but for what the plan asks otherwise."""
    before: Mapping[str, Any] = run.manifest.get("plan", {})
    notes = _notes_of_saved(plan, run)
    left = None
    if plan.leave_out is not None:
        out, items, queries = left_out(run, plan)
        left = out.left(list(run.items), [run.queries, [word or "" for word in run.words]])
        run = run.without(items, queries)
        refuse_nothing(run)
        notes += left_notes(left)
    faults = Faults()
    texts = plan.metric
    if not texts:
        named = run.manifest.get("metrics", ())
        texts = tuple(registry.vetted("metric", str(one), plan.run) for one in named)
    metrics = metrics_of(texts or DEFAULT_METRICS, faults, judged=run.relevant is not None)
    faults.tell()
    clusters = run.clusters
    if plan.clusters is not None:
        clusters = clusters_in(plan, run.queries)
    settings = Settings(
        chosen(plan, before, "null"),
        chosen(plan, before, "unknown"),
        chosen(plan, before, "interval"),
        clusters,
        chosen(plan, before, "seed"),
        plan.detect,
        by=run.by,
    )
    variants = evidence_of_saved(run)
    result = score_variants(variants, metrics, settings=settings, progress=progress)
    plain = next(iter(variants.values()))
    if plan.label_error:
        rows = _overturned(result.rows, variants, metrics, settings)
        result = replace(result, rows=rows)
    lengths = np.min([one.ranking.lengths for one in variants.values()], axis=0)
    notes += [note for note in short_lists(metrics, lengths) if note not in notes]
    about = manifest(
        "score",
        taken(plan, run),
        plain,
        scores=result,
        warnings=notes,
        inputs=inputs_of(plan),
        left_out=left,
    )
    return replace(result, manifest={**about, "made_by": dict(run.manifest)})


def _notes_of_saved(plan: Any, run: SavedRun) -> list[str]:
    """What a reader must know of a saved run: what was told then, while its labels are the same."""
    notes = []
    if plan.groups is None:
        notes += run.manifest.get("warnings", ())
    if plan.ranked_by is not None:
        sources = dict.fromkeys(one.groups.source for one in run.attributes.values())
        told = (circular(source, ranked_by=str(plan.ranked_by)) for source in sources)
        notes += [note for note in told if note is not None]
    return notes


def _overturned(
    rows: Sequence[Row],
    variants: Mapping[str, Evidence],
    metrics: Sequence[Any],
    settings: Settings,
) -> tuple[Row, ...]:
    """The rows of all variants with the rates of label error that would change their reading."""
    plain = next(iter(variants.values()))
    done: dict[int, Row] = {}
    for name, evidence in variants.items():
        numbers = [number for number, row in enumerate(rows) if (row.variant or PLAIN) == name]
        own = [rows[number] for number in numbers]
        base = None if evidence is plain else plain
        read = overturn(own, evidence, metrics, settings=settings, plain=base)
        done |= dict(zip(numbers, read, strict=True))
    return tuple(done.get(number, row) for number, row in enumerate(rows))


def evidence_of_saved(run: SavedRun) -> dict[str, Evidence]:
    """The lists of every variant as metrics saw them."""
    # The plain list is saved first; all variants share its chance level.
    ranking = next(iter(run.lists.values()))
    every = Sets(np.array([0, len(run.items)]), np.arange(len(run.items)))
    plain = Evidence(
        ranking, run.queries, dict(run.attributes), run.relevant, run.fixed or every, run.blocks
    )
    return variants_of(plain, run.lists)


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
        clusters = clusters_in(plan, evidence.queries)
    return Settings(plan.null, plan.unknown, plan.interval, clusters, plan.seed, plan.detect)


def clusters_in(plan: Any, queries: Sequence[str]) -> Array:
    """(queries,) which queries a plan says are to be resampled together."""
    table = read_clusters(plan.clusters)
    missing = [query for query in queries if query not in table]
    if missing:
        raise DataError(f"Query '{missing[0]}' has no cluster ({len(missing)} missing).")
    return np.unique([table[query] for query in queries], return_inverse=True)[1]


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
