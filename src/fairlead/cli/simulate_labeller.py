"""``fairlead simulate labeller``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "simulate labeller",
    "fairlead simulate labeller",
    "fairlead simulate labeller --analysis noise --mitigate pbm --mitigate levelled"
    " --repeats 5 -o labels.html",
    "fairlead simulate labeller --labeller mlp:gender.npz --mitigate levelled -k 20 --json",
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="FILE",
    help="Write the picture (.html), one panel for each analysis; or .json.",
)
@json_option
def command(choices: dict[str, Any], out: str | None, as_json: bool) -> None:
    """Simulate, save and show."""
    from fairlead.commands.simulate_labeller import simulate_labeller
    from fairlead.report.label_quality import label_quality_page, label_quality_view
    from fairlead.report.saving import panel_place

    with panel_place(out, label_quality_page) as write, progress_bar(as_json) as progress:
        found = simulate_labeller(progress=progress, **choices)
        write(found)
    if as_json:
        show_json(found.to_dict())
        return
    show(label_quality_view(found))
    if out is not None:
        say(f"Written to {out}")
