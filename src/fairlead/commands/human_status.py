"""``annotate human status``: progress, agreement, cost, who disagrees."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.human import tasks as human_tasks
from fairlead.engine.human.tasks import Retention
from fairlead.protocols import Progress
from fairlead.studies.human import TaskStatus


class StatusPlan(fields.Plan):
    """Say how the tasks of a file stand: progress, agreement, cost so far, who disagrees."""

    positional = ("store",)

    store: fields.HumanStore
    raters: Annotated[
        bool,
        Field(
            default=False,
            description="Show the names of raters; hashed by default.",
            examples=[True],
        ),
    ]
    least: fields.Least
    seed: fields.Seed


@dataclass(frozen=True)
class DeskStatus:
    """How the tasks of a file stand, and how long its answers are kept."""

    tasks: tuple[TaskStatus, ...]
    kept: Retention

    def to_dict(self) -> dict[str, Any]:
        """The status as JSON takes it."""
        return {"tasks": [task.to_dict() for task in self.tasks], "kept": self.kept.to_dict()}


def run(plan: StatusPlan, progress: Progress | None = None) -> DeskStatus:
    """How every task stands."""
    tasks = human_tasks.status(plan.store, raters=plan.raters, seed=plan.seed, least=plan.least)
    return DeskStatus(tuple(tasks), human_tasks.retention(plan.store, datetime.now(UTC)))


status = as_function("status", StatusPlan, run)
