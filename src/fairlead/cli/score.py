"""``fairlead score``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say


@command_of(
    "score",
    "fairlead score run.trec --groups labels.csv",
    "fairlead score run.csv --groups labels.csv --attribute gender*skin --metric NDKL@50"
    " -o report.html",
    "fairlead score new.csv --groups labels.csv --against old.csv --qrels qrels.txt --json",
    "fairlead score run.csv --groups predicted.csv --label-sample checked.csv",
)
@click.option(
    "-o",
    "--out",
    type=OutputPath(),
    metavar="DIR|FILE.html|FILE.json",
    help="Write the result: a folder, a page or a JSON file.",
)
@json_option
def command(choices: dict[str, Any], as_json: bool, out: str | None) -> None:
    """Score, save and show."""
    from fairlead.commands.score import score
    from fairlead.report.saving import score_place
    from fairlead.report.terminal import score_view

    with progress_bar(as_json) as progress, score_place(out) as write:
        result = score(progress=progress, **choices)
        write(result)
    if as_json:
        show_json(result.to_dict())
    else:
        show(score_view(result))
        if out is not None:
            say(f"Written to {out}")
