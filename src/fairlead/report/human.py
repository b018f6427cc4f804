"""Human labels in a terminal: how tasks stand, who disagrees, what to label next, its cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from fairlead.report.terminal import dim, table
from fairlead.report.wording import WITHHELD, bounds, number, percent, withheld_note
from fairlead.words.counts import agreeing, counted, part_of

if TYPE_CHECKING:
    from fairlead.studies.human import LabelCost, TaskStatus
    from fairlead.studies.human_plan import NextLabels

_SHOWN = 10


def status_view(tasks: Sequence[TaskStatus], kept: str = "") -> RenderableType:
    """Every task: progress, agreement, cost, and who disagrees; and how long all of it is kept, as
    ``kept_line`` says.
    """
    if not tasks:
        return Text(
            "No task yet. Make one with: fairlead annotate human task FILE --attribute "
            "NAME --group A --group B"
        )
    parts: list[RenderableType] = [part for task in tasks for part in _task(task)]
    if kept:
        parts.append(Text(kept))
    return Group(*parts, *dim("Labels are perceived presentation, never identity."))


def kept_line(days: int | None, answers: int, expired: int, store: str) -> str:
    """How long answers are kept, and what to do about those that are too old."""
    if days is None:
        return "Nothing is noted on how long answers are kept: note it with task --keep DAYS."
    # 0 is a choice that was made; None is one that nobody made yet.
    if not days:
        return "Answers are kept without end, as noted with --keep 0."
    words = f"Answers are kept for {counted(days, 'day')}"
    if not expired:
        return f"{words}; none is older."
    older = agreeing(expired, "is older. Forget it", "are older. Forget them")
    return (
        f"{words}; {expired:,} of {answers:,} {older}: fairlead annotate human forget {store} "
        "--expired"
    )


def _task(status: TaskStatus) -> list[RenderableType]:
    task, found = status.task, status.agreement
    head = Text(f"{task.attribute}: {', '.join(task.groups)}", style="bold")
    about = (
        f" ({counted(task.raters, 'rater')} an item, version {task.version} of the instructions)"
    )
    lines = [
        (
            f"Progress   {part_of(status.complete, status.items, 'item')} complete, "
            f"{status.begun - status.complete:,} begun"
        ),
        f"Answers    {_answers(status)}",
        f"Agreement  alpha {number(found.alpha)} "
        f"{bounds((found.interval.low, found.interval.high))}, "
        f"raw {number(found.raw)}, over {counted(found.items, 'item')} with two answers or more",
        f"Cost       {_cost(status.spent)} so far, {_cost(status.left)} to come",
        f"Majority   {_counts(status)}",
    ]
    parts: list[RenderableType] = [
        head.append(about, style="dim"),
        *(Text(f"  {line}") for line in lines),
    ]
    if None in status.counts.values():
        parts += dim(f"             {withheld_note(status.least)}")
    if found.interval.note:
        parts.append(Text(f"  ! alpha: {found.interval.note}", style="yellow"))
    return [*parts, Text(""), *_raters(status)]


def _answers(status: TaskStatus) -> str:
    said = [f"{status.answers:,}"]
    if not math.isnan(status.unsure):
        said.append(f"{percent(status.unsure)} unsure")
    if status.corrected:
        said.append(f"{status.corrected:,} corrected")
    return ", ".join(said)


def _counts(status: TaskStatus) -> str:
    said = ", ".join(f"{name} {_count(count)}" for name, count in status.counts.items())
    return f"{said}; undecided {status.disputed:,} of the complete"


def _count(count: int | None) -> str:
    if count is None:
        return WITHHELD
    return f"{count:,}"


def _raters(status: TaskStatus) -> list[RenderableType]:
    if not status.raters:
        return []
    few = status.raters[:_SHOWN]
    view = table("", [("rater", "left"), *((n, "right") for n in ("answers", "agrees", "right"))])
    for line in few:
        view.add_row(line.rater, f"{line.answers:,}", percent(line.agree), percent(line.accuracy))
    note = "agrees: share of pairs with others' answers; right: as Dawid-Skene sees it."
    hidden = len(status.raters) - len(few) + status.raters_hidden
    if hidden:
        note += f" {counted(hidden, 'rater')} not shown."
    return [Text("Who agrees least with the others", style="bold"), view, *dim(note), Text("")]


def _cost(cost: LabelCost) -> str:
    return f"{counted(cost.labels, 'label')} ({cost.money:,.2f}, {_hours(cost.hours)})"


def _hours(hours: float) -> str:
    if hours >= 1 or hours == 0:
        return f"{hours:,.1f} h"
    return f"{60 * hours:,.0f} min"


def plan_view(plan: NextLabels) -> RenderableType:
    """What to label next, what it costs, what it is expected to bring."""
    lines = [
        f"Next       {counted(len(plan.items), 'item')}, {_cost(plan.cost)}",
        f"All        {_cost(plan.whole)} for every item that lacks answers",
        "Certainty  the 95 % interval of a list's share goes from "
        f"±{number(plan.width_now[0], 2)} to about "
        f"±{number(plan.width_then[0], 2)} on average over {counted(plan.lists, 'list')},",
        f"           at the widest from ±{number(plan.width_now[1], 2)} to about "
        f"±{number(plan.width_then[1], 2)}, "
        f"if raters are right in {percent(plan.accuracy)} of their answers",
    ]
    view = table("Label next", [("item", "left"), ("answers", "right")])
    for item, labels in list(zip(plan.items, plan.labels, strict=True))[:_SHOWN]:
        view.add_row(item, str(labels))
    head = Text(f"{plan.attribute}: what to label next, by {plan.by}", style="bold")
    parts: list[RenderableType] = [head, *(Text(f"  {line}") for line in lines), Text(""), view]
    left = len(plan.items) - _SHOWN
    if left > 0:
        parts += dim(f"and {left:,} more; write them all with -o FILE")
    return Group(*parts)
