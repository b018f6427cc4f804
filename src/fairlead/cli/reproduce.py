"""``fairlead reproduce``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.errors import CHECK_FAILED


@command_of(
    "reproduce",
    "fairlead reproduce",
    "fairlead reproduce --paper feng-shah",
    "fairlead reproduce --json",
)
@click.option(
    "--rows", is_flag=True, help="Show every row, not one line for each table; implied by --paper."
)
@json_option
@click.pass_context
def command(context: click.Context, /, choices: dict[str, Any], rows: bool, as_json: bool) -> None:
    """Reproduce and show; exit with 1 where a number differs beyond its noise."""
    from fairlead.commands.reproduce import reproduce
    from fairlead.report.files import ledger_summary, ledger_view

    with progress_bar(as_json) as progress:
        ledger = reproduce(progress=progress, **choices)
    if as_json:
        show_json(ledger.to_dict())
    elif rows or choices["papers"]:
        show(ledger_view(ledger))
    else:
        show(ledger_summary(ledger))
    if ledger.worst == "differs":
        context.exit(CHECK_FAILED)
