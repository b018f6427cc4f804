"""``score``: measure a saved ranking against labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.reranks import scored_variants
from fairlead.engine.scores import metrics_in, scored
from fairlead.protocols import Progress
from fairlead.results.score import ScoreResult


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
    return scored(plan, progress)


score = as_function("score", ScorePlan, run)


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
    # Not a field of the plan: on the command line, variants are made by rerank and compared with
    # --against.
    plan = ScorePlan.of(run=run, groups=groups, **choices)
    return scored_variants(plan, mitigate, k, metrics_in(plan), progress)
