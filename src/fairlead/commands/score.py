"""Assembly: a plan's text becomes objects, its files become evidence (``bench``), and a use case
runs on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from fairlead import __version__
from fairlead.commands.trigger import decide_ids
from fairlead.engine import rerank as reranking
from fairlead.engine.check import inspect
from fairlead.engine.exclusion import refuse_exclusion
from fairlead.engine.label_samples import read_sample
from fairlead.engine.plan import LabelPlan, RerankPlan, ScorePlan
from fairlead.engine.recorded import (
    Bench,
    file_behind,
    is_stated,
    labelled_bench,
    open_bench,
    shallow,
    warnings_of,
)
from fairlead.errors import DataError, FairleadError, UsageError, together, unknown_name
from fairlead.measuring import score as scoring
from fairlead.measuring.circular import circular
from fairlead.measuring.correct import correct
from fairlead.measuring.overturn import overturn
from fairlead.protocols import Progress, registry
from fairlead.results.check import CheckResult
from fairlead.results.rerank import RerankResult
from fairlead.results.score import ScoreResult
from fairlead.statistics import targets
from fairlead.store.clusters import read_clusters
from fairlead.store.fingerprints import fingerprint
from fairlead.store.label_counts import read_counts
from fairlead.studies import reproduce as reproducing
from fairlead.studies.ledger.rows import Ledger
from fairlead.studies.ledger.settings import SOURCES
from fairlead.trigger import Decision
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import locate
from fairlead.words.counts import agreeing, counted, part_of

DEFAULT_METRICS = ("NDKL@10", "AbsBias@10", "TV@10")
DEFAULT_RELEVANCE = ("nDCG@10", "P@10")


def score(
    run: Any, groups: Any, *, progress: Progress | None = None, **choices: Any
) -> ScoreResult:
    """Measure a saved ranking against labels; see ``ScorePlan`` for the choices.

    >>> result = score({"nurse": {"a": 2.0, "b": 1.0}}, {"a": {"gender": "female"}, "b": {"gender": "male"}}, metric="AbsBias@1")
    >>> result.rows[0].mean
    1.0
    """
    plan = cast(ScorePlan, ScorePlan.of(run=run, groups=groups, **choices))
    metrics = _metrics(plan)
    bench = labelled_bench(plan, progress)
    clusters = (
        None
        if plan.clusters is None
        else _clusters(read_clusters(plan.clusters), bench.evidence.queries)
    )
    settings = scoring.Settings(
        plan.null, plan.unknown, plan.interval, clusters, plan.seed, plan.detect
    )
    notes = warnings_of(bench) + shallow(metrics, bench)
    other = (
        None
        if plan.against is None
        else labelled_bench(plan.model_copy(update={"run": plan.against}), progress)
    )
    measured, plain = (bench.evidence, None) if other is None else _as_variant(bench, other)
    result = scoring.score(measured, metrics, settings=settings, plain=plain, progress=progress)
    result, about, said = _with_label_error(
        result,
        plan,
        other if plain is not None and other is not None else bench,
        measured,
        metrics,
        settings=settings,
        plain=plain,
        progress=progress,
    )
    notes += said
    notes += (
        []
        if plain is None
        else [
            (
                "Chance levels come from the candidates of the second run, which the first "
                "one reorders or cuts."
            )
        ]
    )
    paired = None
    if other is not None:
        first, second, left_out = (
            (measured, plain, 0) if plain is not None else _matched(bench.evidence, other.evidence)
        )
        own = (
            None
            if plan.clusters is None
            else _clusters(read_clusters(plan.clusters), first.queries)
        )
        paired = scoring.compare(
            first,
            second,
            metrics,
            settings=replace(settings, clusters=own),
            shared=plain is not None,
        )
        notes += [
            note for note in warnings_of(other) + shallow(metrics, other) if note not in notes
        ]
        are = agreeing(left_out, "is", "are")
        alone = (
            f"{counted(left_out, 'query')} {are} in one of the two runs only and {are} left "
            "out of the comparison."
        )
        notes += [alone] if left_out else []
    return replace(result, paired=paired, manifest=manifest("score", plan, bench, notes) | about)


def _with_label_error(
    result: ScoreResult,
    plan: ScorePlan,
    bench: Bench,
    measured: Evidence,
    metrics: Sequence[Any],
    **choices: Any,
) -> tuple[ScoreResult, dict[str, Any], list[str]]:
    """The result with what label error does to it, where asked; what the manifest says of it; and
    warnings.
    """
    about, notes = dict[str, Any](), list[str]()
    if (
        plan.ranked_by is not None
        and (warning := circular(plan.source, ranked_by=plan.ranked_by)) is not None
    ):
        notes.append(warning)
    rows = result.rows
    if plan.label_sample is not None:
        if choices["plain"] is not None and any(a.aligned for a in measured.attributes.values()):
            raise UsageError(
                (
                    "--label-sample cannot be laid against labels that depend on the query "
                    "in two runs."
                ),
                "Leave out --against.",
            )
        sample, said = read_sample(plan.label_sample, bench)
        found = correct(rows, measured, metrics, sample, **choices)
        rows, about, notes = found.rows, {"label_sample": found.about}, notes + said
    if plan.label_sample is not None or plan.label_error:
        rows = overturn(rows, measured, metrics, **choices)
    return replace(result, rows=rows), about, notes


def score_variants(
    run: Any,
    groups: Any,
    *,
    mitigate: Sequence[Any],
    k: int,
    progress: Progress | None = None,
    **choices: Any,
) -> ScoreResult:
    """Measure a run plain and after each reranker; all variants share the null of the plain
    candidates, and are paired with plain.
    """
    plan = cast(ScorePlan, ScorePlan.of(run=run, groups=groups, **choices))
    _refuse_none_shown(k)
    metrics, rerankers = _metrics(plan), [registry.make("reranker", text) for text in mitigate]
    bench = labelled_bench(plan, progress)
    if len(bench.evidence.attributes) != 1:
        raise UsageError(
            (
                "Mitigation works on one attribute, the labels have "
                f"{', '.join(bench.evidence.attributes)}."
            ),
            "Choose one.",
        )
    settings = scoring.Settings(
        plan.null, plan.unknown, plan.interval, None, plan.seed, plan.detect
    )
    variants = {"plain": bench.evidence}
    for reranker in rerankers:
        refuse_exclusion(bench.evidence, reranker, stated=is_stated(plan.target))
        ranking = reranking.rerank(
            targets.with_unknown(bench.evidence, plan.unknown), reranker, k, plan.seed
        ).ranking
        variants[str(reranker)] = bench.evidence.with_ranking(ranking)
    result = scoring.score_variants(variants, metrics, settings=settings, progress=progress)
    about = manifest("score", plan, bench, warnings_of(bench) + shallow(metrics, bench))
    about["plan"] |= {"mitigate": [str(reranker) for reranker in rerankers], "k": k}
    return replace(result, manifest=about)


def rerank(
    run: Any, groups: Any, *, progress: Progress | None = None, **choices: Any
) -> RerankResult:
    """Mitigate a saved ranking; see ``RerankPlan`` for the choices."""
    plan = cast(RerankPlan, RerankPlan.of(run=run, groups=groups, **choices))
    _refuse_none_shown(plan.k)
    reranker = registry.make("reranker", plan.mitigate)
    bench = labelled_bench(plan, progress, ranked=True)
    if len(bench.evidence.attributes) != 1:
        raise UsageError(
            (
                "rerank works on one attribute, the labels have "
                f"{', '.join(bench.evidence.attributes)}."
            ),
            "Choose one with --attribute.",
        )
    evidence = targets.with_unknown(bench.evidence, plan.unknown)
    notes = warnings_of(bench)
    short = int((bench.evidence.ranking.lengths < plan.k).sum())
    if short:
        notes.append(
            f"{part_of(short, len(bench.evidence), 'query')} {agreeing(short, 'has', 'have')} "
            f"fewer than k = {plan.k} candidates; "
            f"{agreeing(short, 'it keeps what it has', 'they keep what they have')}."
        )
    refuse_exclusion(bench.evidence, reranker, stated=is_stated(plan.target))
    decisions = _decided(plan, bench, evidence)
    notes += (
        [_unread(decisions)]
        if plan.trigger and any(one.rule == "no-words" for one in decisions)
        else []
    )
    result = reranking.rerank(evidence, reranker, plan.k, plan.seed, decisions=decisions)
    return replace(
        result,
        items=bench.items,
        manifest=manifest("rerank", plan, bench, notes + list(result.notes)),
    )


def _decided(plan: RerankPlan, bench: Bench, evidence: Evidence) -> tuple[Decision, ...]:
    """What may become of each list: as the trigger reads the query ids, and never where a query is
    left out.
    """
    groups, queries = evidence.attribute.groups, bench.run.queries
    if plan.trigger:
        decisions = reranking.within(
            decide_ids(queries, groups.attribute, groups.names, leave=plan.leave), evidence, plan.k
        )
    else:
        decisions = tuple(Decision.by("off", query, groups.attribute) for query in queries)
    lines = [
        bench.leave_out.query(query) if query in bench.untouched else None for query in queries
    ]
    return tuple(
        one if line is None else Decision.by("listed", one.query, one.attribute, (line,))
        for one, line in zip(decisions, lines, strict=True)
    )


def _unread(decisions: Sequence[Decision]) -> str:
    """That the trigger cannot read some query ids."""
    ids = [one.query for one in decisions if one.rule == "no-words"]
    are, lists = (
        agreeing(len(ids), "is", "are"),
        agreeing(len(ids), "its list is", "their lists are"),
    )
    return (
        f"{part_of(len(ids), len(decisions), 'query id')} {are} no text (e.g. '{ids[0]}'), so "
        "the trigger cannot tell what was asked: "
        f"{lists} mitigated. Name the queries to leave alone with --leave, or use their texts "
        "as ids."
    )


def check(
    run: Any, groups: Any, *, progress: Progress | None = None, **choices: Any
) -> CheckResult:
    """Validate files and report what they hold; see ``LabelPlan`` for the choices."""
    plan = cast(LabelPlan, LabelPlan.of(run=run, groups=groups, **choices))
    bench = open_bench(plan, progress)
    coverage = {name: vars(c) for name, c in bench.labels.coverage.items()}
    return inspect(bench.evidence, coverage, manifest("check", plan, bench, warnings_of(bench)))


def reproduce(
    papers: Sequence[str] | None = None,
    *,
    labels: Mapping[str, str | Path] | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Ledger:
    """The ledger of published numbers; ``labels`` are files the user has obtained,
    ``{"occupation1": path, "occupation2": path}``.
    """
    for name in labels or {}:
        if name not in SOURCES:
            raise unknown_name("set of labels", name, SOURCES)
    counts = {}
    for name, path in (labels or {}).items():
        try:
            counts[name] = read_counts(name, Path(path))
        except DataError as error:
            raise DataError(error.message, f"{error.hint} The file is {SOURCES[name]}.") from error
    return reproducing.reproduce(papers, labels=counts, progress=progress, **choices)


def _refuse_none_shown(k: int) -> None:
    if k < 1:
        raise UsageError(f"k got {k}.", "Show at least one item.")


def _metrics(plan: ScorePlan) -> list[Any]:
    """The metrics of a plan; all unknown names are told together."""
    defaults = DEFAULT_METRICS + (DEFAULT_RELEVANCE if plan.qrels is not None else ())
    made, faults = [], []
    for text in plan.metric or defaults:
        try:
            made.append(registry.make("metric", text))
        except FairleadError as error:
            faults.append(error)
    if faults:
        raise together(faults)
    judged = [
        str(m) for m in made if "relevant" in m.needs or getattr(m, "over", "all") == "relevant"
    ]
    if judged and plan.qrels is None:
        raise UsageError(
            f"{', '.join(judged)} needs relevance judgements.", "Give them with --qrels."
        )
    return list(dict.fromkeys(made))


def _as_variant(bench: Bench, other: Bench) -> tuple[Evidence, Evidence | None]:
    """The first run as an order of the second's candidates, and these as its plain list, where it
    shows nothing else.

    A mitigated run is held against the chance level of the candidates it was made from, not of what
    it happens to show.
    """
    place = {q: i for i, q in enumerate(other.evidence.queries)}
    if any(q not in place for q in bench.evidence.queries):
        return bench.evidence, None
    plain = other.evidence.select(np.array([place[q] for q in bench.evidence.queries]))
    own = bench.evidence.ranking
    rows = other.run.items.rows(bench.run.items.take(own.rows))
    if (rows < 0).any() or (
        locate(plain.ranking.offsets, plain.ranking.rows, own.offsets, rows) < 0
    ).any():
        return bench.evidence, None
    return plain.with_ranking(Ranking(own.offsets, rows, own.scores, own.positions)), plain


def _matched(first: Evidence, second: Evidence) -> tuple[Evidence, Evidence, int]:
    """Both runs on the queries they share, in the same order."""
    place = {q: i for i, q in enumerate(second.queries)}
    shared = [q for q in first.queries if q in place]
    if not shared:
        raise DataError("The two runs share no query.", "Compare runs over the same queries.")
    at = {q: i for i, q in enumerate(first.queries)}
    a, b = (
        first.select(np.array([at[q] for q in shared])),
        second.select(np.array([place[q] for q in shared])),
    )
    return a, b, len(first) + len(second) - 2 * len(shared)


def _clusters(clusters: Mapping[str, str], queries: Sequence[str]) -> Any:
    missing = [q for q in queries if q not in clusters]
    if missing:
        raise DataError(f"Query '{missing[0]}' has no cluster ({len(missing)} missing).")
    return np.unique([clusters[q] for q in queries], return_inverse=True)[1]


def manifest(command: str, plan: LabelPlan, bench: Bench, notes: Sequence[str]) -> dict[str, Any]:
    """How a result came about: enough to repeat it."""
    lengths = bench.evidence.ranking.lengths
    sources = {
        "run": plan.run,
        "groups": plan.groups,
        "qrels": plan.qrels,
        "target": plan.target,
        "against": getattr(plan, "against", None),
        "clusters": getattr(plan, "clusters", None),
        "label_sample": getattr(plan, "label_sample", None),
        "leave_out": plan.leave_out,
        "leave": getattr(plan, "leave", None),
    }
    return {
        "fairlead": __version__,
        "command": command,
        "plan": plan.described(),
        "inputs": {
            name: fingerprint(path)
            for name, value in sources.items()
            if (path := file_behind(value)) is not None
        },
        "run": {
            "queries": len(lengths),
            "entries": int(lengths.sum()),
            "ties": bench.run.ties,
            "depth": {
                "min": int(lengths.min()),
                "median": float(np.median(lengths)),
                "max": int(lengths.max()),
            },
        },
        "labels": {
            name: {
                "coverage": vars(c),
                "groups": list(bench.evidence.attributes[name].groups.names),
                "target": bench.evidence.attributes[name].target.name,
            }
            for name, c in bench.labels.coverage.items()
        },
        "collection_known": bench.evidence.pool is not None,
        "warnings": list(notes),
        **({} if bench.left is None else {"left_out": dict(bench.left)}),
    }
