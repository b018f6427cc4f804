"""``fairlead frontier``."""

from __future__ import annotations

import shutil
from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show, show_json, warn_unfit
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say
from fairlead.errors import CHECK_FAILED

_WIDE = 110
"""Columns of a terminal that the whole table takes."""


@command_of(
    "frontier",
    "fairlead frontier",
    "fairlead frontier --mitigate pbm --mitigate levelled -k 20 --repeats 2 -o frontier.html",
    'fairlead frontier --mitigate "mi_clip(share=0.5)+levelled"'
    ' --mitigate-groups "noisy(accuracy=0.8,soft=true)" --json',
    'fairlead frontier --check --mitigate "levelled(price=1)" --mitigate "pbm(theta=1)"',
)
@click.option(
    "--check",
    is_flag=True,
    help="Say for every setting whether it may be switched on; exit with 1 where one may not.",
)
@click.option(
    "-o", "--out", type=OutputPath(), metavar="FILE", help="Write the picture (.html), or .json."
)
@json_option
@click.pass_context
def command(
    context: click.Context, /, choices: dict[str, Any], check: bool, out: str | None, as_json: bool
) -> None:
    """Measure the frontier, save and show."""
    from fairlead.commands.frontier import frontier
    from fairlead.report.frontier_page import frontier_page
    from fairlead.report.frontier_view import frontier_view
    from fairlead.report.saving import panel_place

    with panel_place(out, frontier_page) as write, progress_bar(as_json) as progress:
        found = frontier(progress=progress, **choices)
        write(found)
    warn_unfit(found.manifest, as_json=as_json)
    if as_json:
        show_json(found.to_dict())
    else:
        # Where no terminal says how wide it is, the whole table is meant: a file has no edge.
        is_narrow = shutil.get_terminal_size((120, 24)).columns < _WIDE
        show(frontier_view(found, checked=check, narrow=is_narrow))
        if out is not None:
            say(f"Written to {out}")
    if check and not all(one.passed for one in found.verdicts):
        context.exit(CHECK_FAILED)
