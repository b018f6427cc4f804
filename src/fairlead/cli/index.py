"""``fairlead index``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import json_option, progress_bar, show_json


@click.command()
@click.argument("collection", type=click.Path())
@click.option(
    "--model",
    default="phantom",
    show_default=True,
    metavar="SPEC",
    help="Encoder whose vectors are indexed.",
)
@click.option(
    "--index",
    default="exact",
    show_default=True,
    metavar="SPEC",
    help="Index, e.g. exact, faiss(kind=ivf), pgvector:ADDRESS.",
)
@click.option(
    "--groups", metavar="FILE|SPEC", help="Labels to fetch by; the collection's own by default."
)
@click.option("--attribute", metavar="NAME", help="Attribute to fetch by.")
@click.option(
    "--recall",
    type=int,
    metavar="N",
    help="Also report recall of the first N against exact search, group by group.",
)
@json_option
def command(as_json: bool, **choices: Any) -> None:
    """Build an index of a collection and keep it: the next search finds it.

    \b
    Examples:
      fairlead index ~/photos --model lite --index "faiss(kind=hnsw)" --recall 100
      fairlead index ~/photos --model lite --index "faiss(kind=ivf)" --groups labels.csv --attribute
      gender
    """
    from fairlead.commands import search as searches
    from fairlead.words.counts import counted

    with progress_bar(as_json) as progress:
        built = searches.build_index(progress=progress, **choices)
    if as_json:
        show_json(built)
        return
    click.echo(
        f"{counted(built['rows'], 'item')} in {built['index']}"
        + (f", {built['reused']:,} of them already there" if built["reused"] else "")
    )
    for group, recall in (built["recall"] or {}).items():
        click.echo(f"recall {recall:.3f}  {group}")
    reads = f"{built['index']} reads the vectors as they are: nothing to keep."
    click.echo(f"Kept in {built['place']}" if built["place"] else reads)
