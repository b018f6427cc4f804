"""``fairlead annotate compare``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "annotate compare",
    "fairlead annotate compare run.csv --human human:labels.db --with labels.csv",
    "fairlead annotate compare run.csv --human people.csv --with"
    " rekognition:aws.jsonl --with facepp:facepp -o labellers.html",
    "fairlead annotate compare run.csv --human people.csv --with"
    ' "rekognition:aws.jsonl(confident=0.9,several=largest)" --json',
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="FILE",
    help="Write the picture (.html), one panel for each labeller; or .json.",
)
@json_option
def command(choices: dict[str, Any], out: str | None, as_json: bool) -> None:
    """Compare, save and show."""
    from fairlead.commands.annotate_compare import compare
    from fairlead.report.labellers import comparison_page, comparison_view
    from fairlead.report.saving import panel_place

    # The place is refused before any work, and comparing may take long.
    with panel_place(out, comparison_page) as write:
        found = compare(**choices)
        write(found)
    if as_json:
        show_json(found.to_dict())
        return
    show(comparison_view(found))
    if out is not None:
        say(f"Written to {out}")
