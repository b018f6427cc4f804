"""``fairlead list``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import json_option, show, show_json
from fairlead.cli.plan_options import command_of


@command_of(
    "list",
    "fairlead list",
    "fairlead list encoders",
    "fairlead list mitigations",
    "fairlead list metrics --long",
    "fairlead list levelled",
    "fairlead list rerankers --json",
)
@click.option("--long", "as_long", is_flag=True, help="Whole sentences, and what each cannot see.")
@json_option
def command(choices: dict[str, Any], as_long: bool, as_json: bool) -> None:
    """List, or show all about one."""
    from fairlead.commands.listing import ListPlan, run
    from fairlead.protocols.registry import entries
    from fairlead.report.files import card_view, list_view, short_list_view

    plan = ListPlan.of(**choices)
    cards = list(run(plan))
    if as_json:
        show_json({"entries": cards})
    elif plan.is_name:
        # What must be installed is no part of a card: JSON keeps to the documented shape.
        extras = [entries(card["kind"])[card["name"]].extra for card in cards]
        show(
            card_view([{**card, "extra": extra} for card, extra in zip(cards, extras, strict=True)])
        )
    else:
        show(list_view(cards) if as_long else short_list_view(cards))
