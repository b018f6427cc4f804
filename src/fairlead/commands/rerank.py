"""``rerank``: mitigate a saved ranking."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.reranks import reranked
from fairlead.protocols import Progress
from fairlead.results.rerank import RerankResult


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
    return reranked(plan, progress)


rerank = as_function("rerank", RerankPlan, run)
