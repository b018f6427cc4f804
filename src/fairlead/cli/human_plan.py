"""``fairlead annotate human plan``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate human plan",
    "fairlead annotate human plan labels.db --attribute gender --run run.csv -k 20",
    "fairlead annotate human plan labels.db --attribute gender --run run.csv"
    " --labels 300 -o work.json --add",
    "fairlead annotate human plan labels.db --attribute gender --items photos.csv"
    " --by random --labels 150",
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="FILE",
    help="Write the items as work: .csv (for MTurk) or .json (Label Studio).",
)
@json_option
def command(choices: dict[str, Any], out: str | None, as_json: bool) -> None:
    """Plan, write the work and show."""
    from fairlead.commands.human_plan import plan
    from fairlead.engine.human import work as human_work
    from fairlead.report.human import plan_view
    from fairlead.words.counts import counted

    store, add = choices["store"], choices.pop("add")
    work = plan(**choices)
    if out is not None:
        human_work.write_work(store, work.plan, out, choices["items"])
    # Last, so that items whose work could not be written are not in the queue either.
    added = 0
    if add:
        added = human_work.ask(store, work.plan, datetime.now(UTC))
    if as_json:
        show_json(work.plan.to_dict())
        return
    show(plan_view(work.plan))
    if out is not None:
        say(f"Written to {out}")
    if add:
        say(f"In the queue: {counted(added, 'new item')}")
