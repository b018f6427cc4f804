"""``annotate human task``: what people are asked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.human.tasks import define
from fairlead.protocols import Progress
from fairlead.types.answers import Task


class TaskPlan(fields.Plan):
    """Make a task in the file of human labels, or change it.

    Whatever is not given stays as it was. Answers keep the version of the instructions they were
    given under.
    """

    positional = ("store", "attribute")

    store: fields.HumanStore
    attribute: Annotated[
        str,
        Field(
            description="What is labelled: perceived presentation, never identity.",
            examples=["gender"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    groups: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="A group to choose; two or more. Those of the task by default.",
            examples=["female"],
        ),
        fields.Cli(flags=("--group",), metavar="NAME"),
    ]
    instructions: Annotated[
        fields.Path | None,
        Field(
            default=None,
            description="Text that raters are shown; a change makes a new version.",
            examples=["how.txt"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    raters: Annotated[
        int | None,
        Field(
            default=None,
            ge=1,
            description="How many people answer for each item; 3 by default.",
            examples=[3],
        ),
        fields.Cli(metavar="N"),
    ]
    price: Annotated[
        float | None,
        Field(
            default=None, ge=0, description="What one answer costs, fees included.", examples=[0.05]
        ),
        fields.Cli(metavar="MONEY"),
    ]
    seconds: Annotated[
        float | None,
        Field(default=None, ge=0, description="How long one answer takes.", examples=[8]),
        fields.Cli(metavar="S"),
    ]
    keep: Annotated[
        int | None,
        Field(
            default=None,
            ge=0,
            description=(
                "How long answers of the file are kept; 365 where it is made, 0 without end."
            ),
            examples=[365],
        ),
        fields.Cli(metavar="DAYS"),
    ]


def run(plan: TaskPlan, progress: Progress | None = None) -> Task:
    """The task as it now is."""
    return define(
        plan.store,
        plan.attribute,
        datetime.now(UTC),
        groups=plan.groups,
        instructions=plan.instructions,
        raters=plan.raters,
        price=plan.price,
        seconds=plan.seconds,
        keep=plan.keep,
    )


task = as_function("task", TaskPlan, run)
