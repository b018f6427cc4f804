"""Assembly: text becomes objects, files become evidence, and a use case runs on them. The one place that meets adapters."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from fairlead import __version__, registry, targets
from fairlead.errors import DataError, FairleadError, UsageError, together, unknown_name
from fairlead.evidence import Evidence, Labelled, Target
from fairlead.plan import LabelPlan, RerankPlan, ScorePlan
from fairlead.protocols import Progress
from fairlead.report.results import ScoreResult
from fairlead.store.labels import Labels, read_groups
from fairlead.store.qrels import read_qrels
from fairlead.store.runs import Run, read_run
from fairlead.store.targets import read_target
from fairlead.tasks import rerank as reranking
from fairlead.tasks import score as scoring
from fairlead.tasks.check import CheckResult, inspect
from fairlead.types import Groups, Ranking, Relevant, Sets

DEFAULT_METRICS = ("NDKL@10", "AbsBias@10", "TV@10")
DEFAULT_RELEVANCE = ("nDCG@10", "P@10")
_GIVEN = ("uniform", "pool", "relevant")


@dataclass(frozen=True, eq=False)
class Bench:
    """What a plan's files hold, ready to be measured."""

    run: Run
    labels: Labels
    evidence: Evidence
    items: Sequence[str]


def score(run: Any, groups: Any, *, progress: Progress | None = None, **choices: Any) -> ScoreResult:
    """Measure a saved ranking against labels; see ``ScorePlan`` for the choices.

    >>> result = score({"nurse": {"a": 2.0, "b": 1.0}}, {"a": {"gender": "female"}, "b": {"gender": "male"}}, metric="AbsBias@1")
    >>> result.rows[0].mean
    1.0
    """
    plan = cast(ScorePlan, ScorePlan.of(run=run, groups=groups, **choices))
    metrics = _metrics(plan)
    bench = open_bench(plan, progress)
    clusters = None if plan.clusters is None else _clusters(plan.clusters, bench.evidence.queries)
    settings = scoring.Settings(plan.null, plan.unknown, plan.interval, clusters, plan.seed, plan.detect)
    result = scoring.score(bench.evidence, metrics, settings=settings, progress=progress)
    notes = warnings_of(bench) + _shallow(metrics, bench.evidence.ranking)
    paired = None
    if plan.against is not None:
        first, second, left_out = _matched(bench.evidence, open_bench(plan.model_copy(update={"run": plan.against}), progress).evidence)
        paired = scoring.compare(first, second, metrics, settings=settings)
        notes += [f"{left_out} queries are in one of the two runs only and are left out of the comparison."] if left_out else []
    return replace(result, paired=paired, manifest=manifest("score", plan, bench, notes))


def score_variants(
    run: Any, groups: Any, *, mitigate: Sequence[Any], k: int, progress: Progress | None = None, **choices: Any
) -> ScoreResult:
    """Measure a run plain and after each reranker; all variants share the null of the plain candidates, and are paired with plain."""
    plan = cast(ScorePlan, ScorePlan.of(run=run, groups=groups, **choices))
    metrics, rerankers = _metrics(plan), [registry.make("reranker", text) for text in mitigate]
    bench = open_bench(plan, progress)
    if len(bench.evidence.attributes) != 1:
        raise UsageError(f"Mitigation works on one attribute, the labels have {', '.join(bench.evidence.attributes)}.", "Choose one.")
    settings = scoring.Settings(plan.null, plan.unknown, plan.interval, None, plan.seed, plan.detect)
    variants = {"plain": bench.evidence}
    for reranker in rerankers:
        ranking = reranking.rerank(targets.with_unknown(bench.evidence, plan.unknown), reranker, k, plan.seed).ranking
        variants[str(reranker)] = bench.evidence.with_ranking(ranking)
    result = scoring.score_variants(variants, metrics, settings=settings, progress=progress)
    return replace(result, manifest=manifest("score", plan, bench, warnings_of(bench) + _shallow(metrics, bench.evidence.ranking)))


def rerank(run: Any, groups: Any, *, progress: Progress | None = None, **choices: Any) -> reranking.RerankResult:
    """Mitigate a saved ranking; see ``RerankPlan`` for the choices."""
    plan = cast(RerankPlan, RerankPlan.of(run=run, groups=groups, **choices))
    if plan.k < 1:
        raise UsageError(f"k got {plan.k}.", "Show at least one item.")
    reranker = registry.make("reranker", plan.mitigate)
    bench = open_bench(plan, progress)
    if len(bench.evidence.attributes) != 1:
        raise UsageError(
            f"rerank works on one attribute, the labels have {', '.join(bench.evidence.attributes)}.", "Choose one with --attribute."
        )
    evidence = targets.with_unknown(bench.evidence, plan.unknown)
    notes = warnings_of(bench)
    short = int((bench.evidence.ranking.lengths < plan.k).sum())
    if short:
        notes.append(f"{short} of {len(bench.evidence)} queries have fewer than k = {plan.k} candidates; they keep what they have.")
    result = reranking.rerank(evidence, reranker, plan.k, plan.seed)
    return replace(result, items=bench.items, manifest=manifest("rerank", plan, bench, notes + list(result.notes)))


def check(run: Any, groups: Any, *, progress: Progress | None = None, **choices: Any) -> CheckResult:
    """Validate files and report what they hold; see ``LabelPlan`` for the choices."""
    plan = cast(LabelPlan, LabelPlan.of(run=run, groups=groups, **choices))
    bench = open_bench(plan, progress)
    coverage = {name: vars(c) for name, c in bench.labels.coverage.items()}
    return inspect(bench.evidence, coverage, manifest("check", plan, bench, warnings_of(bench)))


def open_bench(plan: LabelPlan, progress: Progress | None = None) -> Bench:
    """Read all files of a plan into evidence."""
    run = read_run(plan.run, ties=plan.ties, seed=plan.seed, progress=progress)
    labels = read_groups(plan.groups, run, plan.attribute, blocks=plan.blocks, progress=progress)
    items, relevant = labels.items, None
    if plan.qrels is not None:
        judgements = read_qrels(plan.qrels, run, items=labels.items)
        relevant, items = judgements.relevant, judgements.items
    groups = {n: g if labels.aligned else _grown(g, len(items)) for n, g in labels.attributes.items()}
    blocks = None if labels.blocks is None else np.append(labels.blocks, np.full(len(items) - len(labels.blocks), -1))
    shares = None if isinstance(plan.target, str) and plan.target in _GIVEN else read_target(plan.target)
    attributes, faults = {}, list[FairleadError]()
    for name, one in groups.items():
        try:
            attributes[name] = _labelled(plan, name, one, run, labels, relevant, shares)
        except FairleadError as error:
            faults.append(error)
    if faults:
        raise together(faults)
    evidence = Evidence(run.ranking, run.queries, attributes, relevant, labels.pool, blocks)
    return Bench(run, labels, evidence, items)


def _labelled(
    plan: LabelPlan, name: str, groups: Groups, run: Run, labels: Labels, relevant: Relevant | None, shares: Mapping[str, Any] | None
) -> Labelled:
    """The labels of one attribute with their target."""
    if shares is not None:
        if name not in shares:
            raise DataError(f"The target {_name(plan.target)} has no rows for attribute '{name}'.", f"It has {', '.join(shares)}.")
        groups = _with_named(groups, [group for _, group in shares[name]])
        return Labelled(groups, targets.given(groups, run.queries, shares[name], name=_name(plan.target)), labels.aligned)
    if len(groups.names) < 2:
        raise DataError(
            f"Attribute '{name}' has one group only ('{groups.names[0]}'), so nothing can be compared.",
            "Name the missing groups in a target file (query,attribute,group,share).",
        )
    return Labelled(groups, _target(plan, groups, run.ranking, labels, relevant), labels.aligned)


def _target(plan: LabelPlan, groups: Groups, ranking: Ranking, labels: Labels, relevant: Relevant | None) -> Target:
    if plan.target == "uniform":
        return targets.uniform(groups)
    if plan.target == "relevant":
        if relevant is None:
            raise UsageError("The target 'relevant' needs relevance judgements.", "Give them with --qrels.")
        if labels.aligned:
            raise UsageError("The target 'relevant' needs labels of items, not labels that depend on the query.", "Give a target file.")
        return targets.relevant(groups, relevant)
    if labels.pool is not None:
        return targets.pool(groups, labels.pool)
    rows = np.arange(len(ranking.rows)) if labels.aligned else ranking.rows
    return targets.pool(groups, Sets(ranking.offsets, rows))


def _with_named(groups: Groups, named: Sequence[str]) -> Groups:
    """The groups with those a target names but no label does: an absent group must not be invisible."""
    extra = tuple(g for g in dict.fromkeys(named) if g not in groups.names)
    missing = [g for g in groups.names if g not in named]
    if extra and missing:
        raise unknown_name(f"group of '{groups.attribute}' in the labels", extra[0], groups.names)
    if not extra:
        return groups
    soft = None if groups.soft is None else np.hstack([groups.soft, np.zeros((len(groups), len(extra)))])
    return replace(groups, names=(*groups.names, *extra), soft=soft)


def _grown(groups: Groups, size: int) -> Groups:
    """The groups of more items: those that only the judgements know are unknown."""
    more = size - len(groups)
    if not more:
        return groups
    if groups.codes is not None:
        return replace(groups, codes=np.append(groups.codes, np.full(more, -1)), not_applicable=None)
    assert groups.not_applicable is not None
    return replace(groups, soft=np.vstack([groups.share, np.zeros((more, len(groups.names)))]),
                   not_applicable=np.append(groups.not_applicable, np.zeros(more, np.bool_)))  # fmt: skip


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
    judged = [str(m) for m in made if "relevant" in m.needs or getattr(m, "over", "all") == "relevant"]
    if judged and plan.qrels is None:
        raise UsageError(f"{', '.join(judged)} needs relevance judgements.", "Give them with --qrels.")
    return list(dict.fromkeys(made))


def _matched(first: Evidence, second: Evidence) -> tuple[Evidence, Evidence, int]:
    """Both runs on the queries they share, in the same order."""
    place = {q: i for i, q in enumerate(second.queries)}
    shared = [q for q in first.queries if q in place]
    if not shared:
        raise DataError("The two runs share no query.", "Compare runs over the same queries.")
    at = {q: i for i, q in enumerate(first.queries)}
    a, b = first.select(np.array([at[q] for q in shared])), second.select(np.array([place[q] for q in shared]))
    return a, b, len(first) + len(second) - 2 * len(shared)


def _clusters(clusters: Mapping[str, str], queries: Sequence[str]) -> Any:
    missing = [q for q in queries if q not in clusters]
    if missing:
        raise DataError(f"Query '{missing[0]}' has no cluster ({len(missing)} missing).")
    return np.unique([clusters[q] for q in queries], return_inverse=True)[1]


def warnings_of(bench: Bench) -> list[str]:
    """What a reader must know of the files before quoting a number."""
    notes = []
    if bench.run.ties >= 0.0005:
        notes.append(
            f"{100 * bench.run.ties:.1f} % of the entries of {bench.run.name} are tied with a neighbour; their order is by a seeded hash."
        )
    for name, coverage in bench.labels.coverage.items():
        if coverage.missing >= 0.0005:
            notes.append(
                f"{100 * coverage.missing:.1f} % of the entries have no row in {bench.labels.name} for '{name}' and count as unknown."
            )
    return notes


def _shallow(metrics: Sequence[Any], ranking: Ranking) -> list[str]:
    """Cut-offs that some lists do not reach."""
    notes = []
    for k in sorted({m.k for m in metrics if getattr(m, "k", None) is not None}):
        short = int((ranking.lengths < k).sum())
        if short:
            least = int(ranking.lengths.min())
            notes.append(
                f"{short} of {len(ranking)} queries have fewer than k = {k} results (least {least}); they are measured as they are."
            )
    return notes


def manifest(command: str, plan: LabelPlan, bench: Bench, notes: Sequence[str]) -> dict[str, Any]:
    """How a result came about: enough to repeat it."""
    from fairlead.store.fingerprints import fingerprint

    lengths = bench.evidence.ranking.lengths
    sources = {
        "run": plan.run,
        "groups": plan.groups,
        "qrels": plan.qrels,
        "target": plan.target,
        "against": getattr(plan, "against", None),
    }
    return {
        "fairlead": __version__,
        "command": command,
        "plan": plan.described(),
        "inputs": {name: fingerprint(value) for name, value in sources.items() if isinstance(value, (str, Path)) and Path(value).is_file()},
        "run": {"queries": len(lengths), "entries": int(lengths.sum()), "ties": bench.run.ties,
                "depth": {"min": int(lengths.min(initial=0)), "median": float(np.median(lengths)) if len(lengths) else 0.0,
                          "max": int(lengths.max(initial=0))}},
        "labels": {name: {"coverage": vars(c), "groups": list(bench.evidence.attributes[name].groups.names),
                          "target": bench.evidence.attributes[name].target.name} for name, c in bench.labels.coverage.items()},
        "collection_known": bench.evidence.pool is not None,
        "warnings": list(notes),
    }  # fmt: skip


def save_score(result: ScoreResult, path: str | Path) -> Path:
    """Write a result: a ``.html`` page, a ``.json`` file, or a folder with manifest, scores, values per query and page."""
    from fairlead.report.page import score_page
    from fairlead.store.atomic import atomic, atomic_folder

    path = Path(path)
    if path.suffix in (".html", ".json"):
        with atomic(path) as file:
            file.write_text(score_page(result) if path.suffix == ".html" else dumps(result.to_dict()), encoding="utf-8")
        return path
    if path.suffix:
        raise UsageError(f"-o got '{path}'.", "Give a folder, a .html page or a .json file.")
    with atomic_folder(path) as folder:
        (folder / "scores.json").write_text(dumps(result.to_dict()), encoding="utf-8")
        (folder / "manifest.json").write_text(dumps(dict(result.manifest)), encoding="utf-8")
        (folder / "report.html").write_text(score_page(result), encoding="utf-8")
        write_records(folder / "per_query.csv", result.to_dict()["per_query"])
    return path


def save_ranking(result: reranking.RerankResult, path: str | Path) -> Path:
    """Write a mitigated ranking in the format of the suffix."""
    from fairlead.store.writing import write_ranking

    write_ranking(path, result.ranking, result.queries, result.items, tag=result.reranker)
    return Path(path)


def dumps(value: Any) -> str:
    """JSON text, the same for the same value."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)


def write_records(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Records as CSV; undefined is empty."""
    columns = list(dict.fromkeys(key for record in records for key in record))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(records)


def _name(source: Any) -> str:
    return str(Path(source).name) if isinstance(source, (str, Path)) else "given"
