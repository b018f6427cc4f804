"""``fairlead replay``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show, show_json, warn_unfit
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of("replay", "fairlead replay runs/low")
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="DIR|FILE",
    help="Write the new audit: a run folder, a page (.html) or JSON.",
)
@json_option
def command(choices: dict[str, Any], as_json: bool, out: str | None) -> None:
    """Replay, save and show."""
    from fairlead.commands.audit import audit_place
    from fairlead.commands.replay import replay
    from fairlead.report.terminal import score_view

    with audit_place(out) as write, progress_bar(as_json) as progress:
        found = replay(progress=progress, **choices)
        write(found)
    warn_unfit(found.result.manifest, as_json=as_json)
    if as_json:
        show_json(found.result.to_dict())
        return
    show(score_view(found.result))
    if out is not None:
        say(f"Written to {out}")
