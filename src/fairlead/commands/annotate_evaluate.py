"""``annotate evaluate``: an annotator held against known labels."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fairlead.commands.annotate import evaluate
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.protocols import Progress
from fairlead.studies.annotation import Evaluation
from fairlead.types.joining import read_map


class EvaluatePlan(fields.Plan):
    """Hold an annotator against known labels: accuracy overall and in every cell, with Wilson's
    intervals. No cell is hidden.
    """

    positional = ("images", "annotator", "labels", "attribute")

    annotator: fields.Annotating
    images: Annotated[
        fields.Path,
        Field(description="The pictures: a folder, a table or archives.", examples=["faces"]),
        fields.Cli(metavar="DIR", file=True),
    ]
    labels: Annotated[
        fields.Path,
        Field(
            description="Known labels: a table that names the pictures.",
            examples=["faces/labels.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    attribute: Annotated[
        str,
        Field(description="What to label; a column of the labels.", examples=["gender"]),
        fields.Cli(metavar="NAME"),
    ]
    map: fields.Map
    by: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="Columns of the labels whose combinations are told apart.",
            examples=["race"],
        ),
        fields.Cli(metavar="COLUMN ..."),
    ]
    model: fields.EncodingForLabels
    trust: fields.Trust


def run(plan: EvaluatePlan, progress: Progress | None = None) -> Evaluation:
    """How often the annotator is right, cell by cell."""
    return evaluate(
        plan.images,
        plan.annotator,
        plan.labels,
        plan.attribute,
        by=plan.by,
        rename=read_map(plan.map),
        model=plan.model,
        progress=progress,
    )


evaluate_annotator = as_function("evaluate_annotator", EvaluatePlan, run)
