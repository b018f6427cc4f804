"""``fairlead trigger``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import json_option, show, show_json
from fairlead.cli.plan_options import command_of


@command_of(
    "trigger",
    'fairlead trigger "female CEO" "nurse" "red sneakers" "Marie Curie"',
    'fairlead trigger "Black doctor" --attribute gender --attribute skin --json',
    "fairlead trigger --file queries.txt --leave do-not-touch.txt --model lite",
    "fairlead trigger --evaluate",
)
@click.option(
    "--evaluate", is_flag=True, help="Print precision and recall on the labelled queries instead."
)
@click.option(
    "--half",
    type=click.Choice(["test", "development", "all"]),
    default="test",
    show_default=True,
    help="Which of the labelled queries.",
)
@json_option
def command(choices: dict[str, Any], evaluate: bool, half: str, as_json: bool) -> None:
    """Decide, or evaluate the trigger, and show."""
    from fairlead.commands.trigger import decide, evaluated
    from fairlead.report.decisions import decisions_view, evaluated_view

    if evaluate:
        found = evaluated(half=half, leave=choices["leave"], model=choices["model"])
        if as_json:
            show_json(found.to_dict())
        else:
            show(evaluated_view(found))
        return
    decisions = decide(*(choices.pop("query") or ()), **choices)
    if as_json:
        show_json(decisions.to_dict())
    else:
        show(decisions_view(decisions))
