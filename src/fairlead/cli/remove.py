"""``fairlead remove``."""

from __future__ import annotations

from pathlib import Path

import click

from fairlead.cli.options import json_option, show_json


@click.command()
@click.argument("folder", type=click.Path())
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option(
    "--list",
    "listed",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A file of ids, one on each line.",
)
@json_option
def command(folder: str, ids: tuple[str, ...], listed: str | None, as_json: bool) -> None:
    """Remove items from an embedded collection for good, e.g. after a takedown.

    FOLDER is what 'fairlead embed' wrote, ID an item as it is named there. Nothing else is embedded
    anew. The vectors are gone from every file and every kept index, and a later 'fairlead embed'
    does not bring them back, even where the source still has the picture.

    \b
    Examples:
      fairlead remove photos.fairlead holiday/0012.jpg holiday/0013.jpg
      fairlead remove photos.fairlead --list takedown.txt
    """
    from fairlead.engine.removal import remove
    from fairlead.words.counts import counted

    lines = [] if listed is None else Path(listed).read_text(encoding="utf-8").splitlines()
    done = remove(folder, [*ids, *(line.strip() for line in lines if line.strip())])
    if as_json:
        show_json(done.to_dict())
        return
    click.echo(f"{counted(done.removed, 'item')} removed from {done.folder}, {done.items:,} left.")
    if done.before:
        click.echo(f"{counted(done.before, 'item')} had been removed before.")
    if done.indexes:
        click.echo(
            f"Kept indexes deleted: {done.indexes:,}. The next search builds what it needs anew."
        )
