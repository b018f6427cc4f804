"""``fairlead annotate COLLECTION``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import (
    ONE_BY_ONE,
    json_option,
    least_option,
    leave_out_option,
    progress_bar,
    show,
    show_json,
)


@click.command("collection")
@click.argument("collection", type=click.Path())
@click.option(
    "--with",
    "annotator",
    required=True,
    metavar="SPEC",
    help="Annotator, e.g. face, caption, mlp:gender.npz.",
)
@click.option(
    "--attribute",
    metavar="NAME",
    help="What to label; what the annotator labels, where that is one thing.",
)
@click.option(
    "--model",
    metavar="SPEC",
    help="Encoder, where the annotator needs one and names none, e.g. hf:DIR.",
)
@click.option(
    "--query",
    "queries",
    multiple=True,
    metavar="TEXT",
    help="Query, for labels that depend on it; its candidates are all items.",
)
@click.option(
    "--run",
    type=click.Path(),
    metavar="RUN",
    help="Ranking, for labels that depend on the query: the first -k of each.",
)
@click.option(
    "-k",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="How many of each query of the run.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    metavar="FILE",
    help="Write the labels of single items, one by one: item,NAME or item,NAME=GROUP,...",
)
@click.option(
    "--wanted",
    type=click.Path(),
    metavar="FILE",
    help="Write the items that people should label next (hybrid).",
)
@leave_out_option
@least_option
@json_option
def command(
    collection: str,
    annotator: str,
    out: str | None,
    wanted: str | None,
    as_json: bool,
    **choices: Any,
) -> None:
    """Label a collection, and say what the labels add up to.

    Labels of single items are written only where you ask for them with -o; the table is one that
    --groups reads. Beside it stands FILE.about.json: who gave the labels, and when.

    \b
    Examples:
      fairlead annotate photos --with face --attribute gender -o labels.csv
      fairlead annotate photos --with caption --attribute gender -o labels.csv
      fairlead annotate photos --with zeroshot_embedding --attribute gender --model
      open_clip:ViT-B-32/FILE -o labels.csv fairlead annotate photos --with mlp:gender.npz -o
      labels.csv fairlead annotate photos --with zeroshot_prompt --attribute gender --model hf:DIR
      --query "a photo of a nurse" -o labels.csv fairlead annotate photos --with
      "hybrid:labels.db(auto=caption)" --attribute gender --wanted next.csv
    """
    from fairlead.commands import annotate as annotating
    from fairlead.report.annotate import tally_view
    from fairlead.words.counts import counted

    with progress_bar(as_json) as progress:
        found = annotating.annotate(collection, annotator, progress=progress, **choices)
    written = None if out is None else found.write(out)
    if wanted is not None:
        found.write_wanted(wanted)
    if as_json:
        show_json({**found.to_dict(), "written": out})
        return
    show(tally_view(found.tally))
    if found.wanted:
        click.echo(
            f"People should label next: {counted(len(found.wanted), 'item')}"
            + ("" if wanted is None else f", written to {wanted}")
        )
    for note in found.notes:
        click.echo(f"! {note}")
    if out is not None:
        click.echo(f"Written to {out}: {counted(written or 0, 'label')}")
        click.echo(ONE_BY_ONE.format(out=out), err=True)
