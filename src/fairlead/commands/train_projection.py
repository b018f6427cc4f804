"""``train projection``: a mitigation on vectors, fitted."""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.projections import Fitted
from fairlead.engine.projections import train_projection as fitted
from fairlead.errors import UsageError
from fairlead.protocols import Progress


class ProjectionPlan(fields.Plan):
    """Fit a projection, a mitigation on vectors, for --mitigate fitted:FILE.

    It is one of 'fairlead list projections'. Fit it on items that you will not measure it on. The
    file is for vectors of this model alone.
    """

    positional = ("spec",)

    spec: Annotated[
        fields.ProjectionSpec,
        Field(description="The projection, e.g. leace or mi_clip(dims=400).", examples=["leace"]),
        fields.Cli(argument=True, kinds=("projection",)),
    ]
    model: fields.Encoding
    collection: Annotated[
        fields.Data | None,
        Field(
            default=None,
            description="Labelled items to fit on; what 'search' takes.",
            examples=["faces"],
        ),
        fields.Cli(metavar="PATH", file=True),
    ]
    benchmark: Annotated[
        fields.BenchmarkSpec | None,
        Field(
            default=None,
            description="Fit on the items of a benchmark instead.",
            examples=["phantom:skewed"],
        ),
        fields.Cli(metavar="SPEC", kinds=("benchmark",)),
    ]
    attribute: Annotated[
        str | None,
        Field(
            default=None,
            description="What is mitigated; the first that is labelled by default.",
            examples=["gender"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    groups: Annotated[
        fields.Labels | None,
        Field(
            default=None,
            description=(
                "Labels of the items: a file or an annotator; the collection's own by default."
            ),
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="FILE|SPEC"),
    ]
    trust: fields.Trust


def run(plan: ProjectionPlan, progress: Progress | None = None) -> Fitted:
    """The fitted projection; ``write`` keeps it."""
    if plan.collection is not None and plan.benchmark is not None:
        raise UsageError("Give --collection or --benchmark, not both.")
    return fitted(
        cast(str, plan.spec),
        model=plan.model,
        collection=cast(str | None, plan.collection or plan.benchmark),
        attribute=plan.attribute,
        groups=plan.groups,
        progress=progress,
    )


projection = as_function("projection", ProjectionPlan, run)
