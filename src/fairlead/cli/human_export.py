"""``fairlead annotate human export``."""

from __future__ import annotations

from typing import Any

from fairlead.cli.options import ONE_BY_ONE
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate human export",
    "fairlead annotate human export labels.db -o labels.csv --format labels",
    "fairlead annotate human export labels.db -o labels.csv --format labels --aggregate majority",
    "fairlead annotate human export labels.db -o answers.csv",
    "fairlead annotate human export labels.db -o tasks.json --raters",
)
def command(choices: dict[str, Any]) -> None:
    """Write, and say what it holds."""
    from fairlead.commands.human_export import ExportPlan, run
    from fairlead.words.counts import counted

    plan = ExportPlan.of(**choices)
    count = run(plan)
    if plan.chosen_form == "labels":
        written = counted(count, "item")
    else:
        names = "by name" if plan.raters else "hashed"
        written = f"{counted(count, 'answer')}, raters {names}"
    say(f"Written to {plan.out}: {written}")
    say(ONE_BY_ONE.format(out=plan.out), err=True)
