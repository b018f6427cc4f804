"""``annotate human forget``: answers that are to go for good."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.human import answers as human_answers
from fairlead.protocols import Progress


class ForgetPlan(fields.Plan):
    """Forget answers for good: of a rater, about an item, or too old. It cannot be undone, and
    nothing else is ever removed.

    What is gone is overwritten, the file is made smaller and its log emptied: no byte of it is left
    in either. The file notes when and how much was forgotten, not whose it was. Files you imported
    or exported, and backups, are yours to delete.
    """

    positional = ("store",)

    store: fields.HumanStore
    rater: Annotated[
        str | None,
        Field(
            default=None,
            description="All answers of a rater, by name or by hash.",
            examples=["r-5b1c7de2a9f01c34"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    item: Annotated[
        str | None,
        Field(
            default=None,
            description="All answers about an item, and the item in the queue.",
            examples=["photos/p17.jpg"],
        ),
        fields.Cli(metavar="ID"),
    ]
    days: Annotated[
        int | None,
        Field(default=None, ge=0, description="All answers given longer ago.", examples=[365]),
        fields.Cli(flags=("--older-than",), metavar="DAYS"),
    ]
    expired: Annotated[
        bool,
        Field(
            default=False,
            description="All answers older than the file says they are kept (task --keep).",
            examples=[True],
        ),
    ]
    yes: Annotated[
        bool,
        Field(
            default=False,
            description="Forget by age also where the clock is behind the newest answer.",
            examples=[True],
        ),
    ]


def run(plan: ForgetPlan, progress: Progress | None = None) -> int:
    """How many answers were forgotten."""
    return human_answers.forget(
        plan.store,
        # The time is given from here, so that what counts as too old does not hang on a clock
        # below.
        datetime.now(UTC),
        rater=plan.rater,
        item=plan.item,
        days=plan.days,
        expired=plan.expired,
        yes=plan.yes,
    )


forget = as_function("forget", ForgetPlan, run)
