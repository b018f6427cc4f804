"""``fairlead annotate evaluate``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import json_option, progress_bar, rate, show, show_json


@click.command("evaluate")
@click.argument("more", nargs=-1, metavar="")
@click.option(
    "--with", "annotator", required=True, metavar="SPEC", help="Annotator, e.g. mlp:gender.npz."
)
@click.option(
    "--images",
    required=True,
    type=click.Path(),
    metavar="DIR",
    help="The pictures: a folder, a table or archives.",
)
@click.option(
    "--labels",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="Known labels: a table that names the pictures.",
)
@click.option(
    "--attribute", required=True, metavar="NAME", help="What to label; a column of the labels."
)
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN ...",
    help="Columns of the labels whose combinations are told apart.",
)
@click.option(
    "--model",
    metavar="SPEC",
    help="Encoder, where the annotator needs one and names none, e.g. lite.",
)
@json_option
def command(more: tuple[str, ...], by: tuple[str, ...], as_json: bool, **choices: Any) -> None:
    """Hold an annotator against known labels: accuracy overall and in every cell, with Wilson's
    intervals. No cell is hidden.

    \b
    Examples:
      fairlead annotate evaluate --with face --images faces --labels faces/labels.csv --attribute
      gender --by race gender fairlead annotate evaluate --with mlp:gender.npz --images faces
      --labels faces/labels.csv --attribute gender --by race gender fairlead annotate evaluate
      --with "zeroshot_embedding(soft=true)" --model lite --images faces --labels labels.csv
      --attribute gender
    """
    import time

    from fairlead.commands import annotate as annotating
    from fairlead.report.annotate import evaluation_view
    from fairlead.words.counts import counted

    if more and not by:
        raise click.UsageError(f"'{more[0]}' is not expected here.")
    columns = [part for text in (*by, *more) for part in text.replace("*", ",").split(",") if part]
    annotator, images, labels, attribute = (
        choices.pop(name) for name in ("annotator", "images", "labels", "attribute")
    )
    start = time.perf_counter()
    with progress_bar(as_json) as progress:
        found = annotating.evaluate(
            images,
            annotator,
            labels,
            attribute,
            by=list(dict.fromkeys(columns)),
            progress=progress,
            **choices,
        )
    if as_json:
        show_json(found.to_dict())
    else:
        show(evaluation_view(found))
        seconds = time.perf_counter() - start
        click.echo(
            (
                f"{counted(found.overall.n, 'item')} in {seconds:.1f} s, "
                f"{rate(found.overall.n / seconds)}"
            ),
            err=True,
        )
