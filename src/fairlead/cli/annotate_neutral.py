"""``fairlead annotate neutral``."""

from __future__ import annotations

import click


@click.command("neutral")
@click.argument("collection", type=click.Path())
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="Where to write: item,caption (CSV).",
)
def command(collection: str, out: str) -> None:
    """Rewrite captions without words that name a gender, as queries of the COCO and Flickr30k
    protocols need them. English.

    \b
    Examples:
      fairlead annotate neutral photos -o queries.csv
    """
    from fairlead.commands import annotate as annotating
    from fairlead.words.counts import counted

    changed, count = annotating.neutralise(collection, out)
    click.echo(f"Written to {out}: {counted(count, 'caption')}, {changed:,} of them changed")
