"""``score``: measure a saved ranking against labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

import numpy as np
from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.commands.manifest import manifest
from fairlead.engine import plan as fields
from fairlead.engine import rerank as reranking
from fairlead.engine.exclusion import refuse_exclusion
from fairlead.engine.label_samples import read_sample
from fairlead.engine.recorded import Bench, is_stated, labelled_bench, shallow, warnings_of
from fairlead.errors import DataError, FairleadError, UsageError, together
from fairlead.measuring import score as scoring
from fairlead.measuring.circular import circular
from fairlead.measuring.correct import correct
from fairlead.measuring.overturn import overturn
from fairlead.protocols import Progress, registry
from fairlead.results.score import ScoreResult
from fairlead.statistics import targets
from fairlead.store.clusters import read_clusters
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import locate
from fairlead.words.counts import agreeing, counted

DEFAULT_METRICS = ("NDKL@10", "AbsBias@10", "TV@10")
DEFAULT_RELEVANCE = ("nDCG@10", "P@10")


class ScorePlan(fields.LabelPlan):
    """Measure a saved run against labels.

    The run is TREC, or CSV, JSONL or Parquet with query, item, score. Every fairness number comes
    with its chance level, an interval over queries and a correction for the number of looks.

    >>> import fairlead
    >>> lists, labels = {"nurse": {"a": 2.0, "b": 1.0}}, {"a": "female", "b": "male"}
    >>> groups = {item: {"gender": label} for item, label in labels.items()}
    >>> fairlead.score(lists, groups, metric="AbsBias@1").rows[0].mean
    1.0
    """

    metric: fields.Metrics
    null: fields.Null
    against: Annotated[
        fields.Run | None,
        Field(
            default=None,
            description="A second run over the same queries: adds paired differences.",
            examples=["old.csv"],
        ),
        fields.Cli(metavar="RUN2", file=True),
    ]
    interval: fields.Interval
    clusters: Annotated[
        fields.Data | None,
        Field(
            default=None,
            description="Queries to be resampled together: query,cluster.",
            examples=["clusters.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    detect: Annotated[
        float | None,
        Field(
            default=None,
            gt=0,
            description="Also say how many queries are needed to see this difference.",
            examples=[0.02],
        ),
        fields.Cli(metavar="DIFF"),
    ]
    label_sample: Annotated[
        fields.Data | None,
        Field(
            default=None,
            description=(
                "True labels of some ranked items, as people gave them (item, one column per "
                "attribute): corrects for label error."
            ),
            examples=["checked.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    label_error: Annotated[
        bool | None,
        Field(
            default=None,
            description=(
                "Also say how wrong the labels would have to be to overturn each reading."
            ),
            examples=[True],
        ),
    ]
    ranked_by: Annotated[
        fields.EncoderSpec | None,
        Field(
            default=None,
            description=(
                "The model that ranked: a warning where it also made the labels (--source)."
            ),
            examples=["lite"],
        ),
        fields.Cli(metavar="SPEC", kinds=("encoder",)),
    ]


def run(plan: ScorePlan, progress: Progress | None = None) -> ScoreResult:
    """The measures of a run."""
    return _body(plan, progress)


score = as_function("score", ScorePlan, run)


def _body(plan: ScorePlan, progress: Progress | None = None) -> ScoreResult:
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
        and (warning := circular(plan.source, ranked_by=str(plan.ranked_by))) is not None
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
    """Measure a run plain and after each reranker; variants are paired with plain."""
    plan = cast(ScorePlan, ScorePlan.of(run=run, groups=groups, **choices))
    if k < 1:
        raise UsageError(f"k got {k}.", "Show at least one item.")
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
