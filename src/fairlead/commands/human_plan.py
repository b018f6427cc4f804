"""``annotate human plan``: what to label next, and what it will cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.human import work as human_work
from fairlead.protocols import Progress
from fairlead.studies.human_plan import NextLabels


class WorkPlan(fields.Plan):
    """Say what to label next and what it will cost, before anybody is asked.

    The cost is answers times price and seconds of the task. By 'interval', each label goes where it
    is expected to narrow the interval of a query's share most: to queries with few answers, mixed
    groups, or raters who differ.
    """

    positional = ("store", "attribute")

    store: fields.HumanStore
    attribute: Annotated[
        str,
        Field(description="The task.", examples=["gender"]),
        fields.Cli(metavar="NAME"),
    ]
    run: Annotated[
        fields.Run | None,
        Field(
            default=None,
            description="Ranking whose first k items of each query are to be labelled.",
            examples=["run.csv"],
        ),
        fields.Cli(metavar="RUN", file=True),
    ]
    items: Annotated[
        fields.Path | None,
        Field(
            default=None,
            description="Or a table with 'item': all of it. Other columns go into the work file.",
            examples=["photos.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    k: Annotated[
        int,
        Field(default=20, ge=1, description="How many items of each query.", examples=[10]),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    budget: Annotated[
        int | None,
        Field(
            default=None,
            ge=0,
            description="At most so many answers; all missing ones by default.",
            examples=[300],
        ),
        fields.Cli(flags=("--labels",), metavar="N"),
    ]
    by: Annotated[
        Literal["interval", "top", "disputed", "random"],
        Field(
            default="interval",
            description=(
                "What to label first: where the interval of a query's share is widest, "
                "the best ranks, the least certain, or any."
            ),
            examples=["top"],
        ),
    ]
    leave_out: fields.LeaveOut
    seed: fields.Seed
    add: Annotated[
        bool,
        Field(
            default=False, description="Put the items in the queue of the task.", examples=[True]
        ),
    ]


@dataclass(frozen=True)
class Work:
    """What to label next.

    Attributes:
        plan: The items, in order, and what they cost.
        added: How many are new in the queue of the task; 0 where none was to be put there.
    """

    plan: NextLabels
    added: int


def run(plan: WorkPlan, progress: Progress | None = None) -> Work:
    """The items to label next."""
    chosen = human_work.plan(
        plan.store,
        plan.attribute,
        run=plan.run,
        items=plan.items,
        k=plan.k,
        budget=plan.budget,
        by=plan.by,
        leave_out=plan.leave_out,
        seed=plan.seed,
    )
    added = 0
    # A plan alone writes nothing: its cost is told before anybody is asked.
    if plan.add:
        added = human_work.ask(plan.store, chosen, datetime.now(UTC))
    return Work(chosen, added)


plan = as_function("plan", WorkPlan, run)
