"""``fairlead annotate compare``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import json_option, least_option, leave_out_option, show, show_json


@click.command("compare")
@click.argument("run", type=click.Path())
@click.option(
    "--human",
    required=True,
    metavar="SOURCE",
    help="What people say: human:labels.db, or a table of labels.",
)
@click.option(
    "--with",
    "labellers",
    required=True,
    multiple=True,
    metavar="SOURCE",
    help=(
        "Labeller: a table of labels, or rekognition:FILE, azure:FILE, facepp:FILE, "
        "luxand:FILE; may be given again."
    ),
)
@click.option(
    "--attribute",
    metavar="NAME",
    help="What is labelled; what people label, where that is one thing.",
)
@click.option(
    "--group", metavar="NAME", help="The group whose ratio is compared; the first by default."
)
@click.option(
    "-k",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="N",
    help="How many items of each query.",
)
@click.option(
    "--threshold",
    type=Number(0, 1),
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="From this share of detected items on, a query is trusted.",
)
@leave_out_option
@least_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of every random choice.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    metavar="FILE",
    help="Write the picture (.html), one panel for each labeller; or .json.",
)
@json_option
def command(
    run: str, human: str, labellers: tuple[str, ...], out: str | None, as_json: bool, **choices: Any
) -> None:
    """Compare labellers with people, query by query: how much each detects, and how far a group's
    ratio is off.

    Face services are not asked: their results are read from files. A file names its pictures: a
        folder of ITEM.json, lines
    {"item": ..., "response": ...}, or an object of responses by item.

    \b
    Examples:
      fairlead annotate compare run.csv --human human:labels.db --with labels.csv
      fairlead annotate compare run.csv --human people.csv --with rekognition:aws.jsonl --with
      facepp:facepp -o labellers.html fairlead annotate compare run.csv --human people.csv --with
      "rekognition:aws.jsonl(confident=0.9,several=largest)" --json
    """
    from fairlead.commands import compare_labellers as comparing
    from fairlead.report.labellers import comparison_page, comparison_view
    from fairlead.report.panel_saving import panel_place

    with panel_place(out, comparison_page) as write:
        found = comparing.compare(run, human, labellers, **choices)
        write(found)
    if as_json:
        show_json(found.to_dict())
        return
    show(comparison_view(found))
    if out is not None:
        click.echo(f"Written to {out}")
