"""``rerank``: mitigate a saved ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.commands.manifest import manifest
from fairlead.commands.trigger import decide_ids
from fairlead.engine import plan as fields
from fairlead.engine import rerank as reranking
from fairlead.engine.exclusion import refuse_exclusion
from fairlead.engine.recorded import Bench, is_stated, labelled_bench, warnings_of
from fairlead.errors import UsageError
from fairlead.protocols import Progress, registry
from fairlead.results.rerank import RerankResult
from fairlead.statistics import targets
from fairlead.trigger import Decision
from fairlead.types.evidence import Evidence
from fairlead.words.counts import agreeing, part_of


class RerankPlan(fields.LabelPlan):
    """Mitigate a saved run: a new ranking of the first k.

    Query ids are read as what was asked: lists of queries that name a group or a person stay as
    they are (see 'fairlead trigger').
    """

    mitigate: Annotated[
        fields.RerankerSpec,
        Field(
            description=(
                "Reranker, e.g. pbm, detgreedy or fair_topk(alpha=0.1). "
                "See 'fairlead list rerankers'."
            ),
            examples=["pbm", "fair_topk(alpha=0.1)"],
        ),
        fields.Cli(metavar="SPEC", kinds=("reranker",)),
    ]
    k: Annotated[
        int,
        Field(description="How many items to show for each query.", examples=[20]),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    trigger: fields.Trigger
    leave: fields.Leave


def run(plan: RerankPlan, progress: Progress | None = None) -> RerankResult:
    """The new ranking of a run."""
    return _body(plan, progress)


rerank = as_function("rerank", RerankPlan, run)


def _body(plan: RerankPlan, progress: Progress | None = None) -> RerankResult:
    if plan.k < 1:
        raise UsageError(f"k got {plan.k}.", "Show at least one item.")
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
