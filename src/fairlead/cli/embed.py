"""``fairlead embed``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import json_option, progress_bar, show, show_json

if TYPE_CHECKING:
    from fairlead.results.embed import EmbedResult

_ONE = {
    "that are no pictures": "that is no picture",
    "that name no": "that names no",
    "files and folders": "file or folder",
    "files": "file",
    "folders": "folder",
    "members": "member",
    "rows": "row",
    "links": "link",
    "columns": "column",
    "(further )?captions (of|that cannot)": r"\1caption \2",
}
"""What is said of many, and of one."""


@click.command()
@click.argument("source", type=click.Path())
@click.option(
    "--model",
    default="phantom",
    show_default=True,
    metavar="SPEC",
    help="Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.",
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(),
    metavar="DIR",
    help="Folder of the vectors; continued where it exists.",
)
@click.option(
    "--side",
    type=click.Choice(["images", "texts"]),
    help="Embed pictures or captions; pictures where there are any.",
)
@click.option(
    "--half", is_flag=True, help="Keep 16-bit numbers: half the size, and ranks that hardly change."
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Readers that decode pictures; the number of cores by default.",
)
@click.option(
    "--processes/--threads",
    default=True,
    show_default=True,
    help="Read with processes, or with threads only.",
)
@click.option(
    "--max-megapixels",
    type=Number(min=0, min_open=True),
    default=200.0,
    show_default=True,
    help="Larger pictures are skipped.",
)
@json_option
def command(
    source: str, model: str, out: str, max_megapixels: float, as_json: bool, **choices: Any
) -> None:
    """Embed a collection of images: vectors in a folder that search and index can use.

    SOURCE is a folder of images, a table (.csv, .tsv, .jsonl, .parquet) with paths, or WebDataset
    archives (one .tar, a folder of them, or "shard-{000..005}.tar"). Run it again after adding
    images, or after it was killed: only what is new is embedded.

    \b
    Examples:
      fairlead embed ~/photos --model lite -o photos.fairlead
      fairlead embed products.csv --model hf:./clip -o products.fairlead --half
      fairlead embed "shards/{000..011}.tar" --model open_clip:ViT-B-32/weights.safetensors -o
      shards.fairlead fairlead search "a nurse" --model lite --collection photos.fairlead
    """
    from fairlead.engine import galleries

    with progress_bar(as_json) as progress:
        found = galleries.embed(
            source, model, out, max_pixels=round(max_megapixels * 1e6), progress=progress, **choices
        )
    if as_json:
        show_json(found.to_dict())
        return
    from fairlead.words.counts import counted

    click.echo(f"{counted(found.items, 'item')} in {found.folder}")
    show(_table(found))
    for note in _notes(found):
        click.echo(note)


def _table(found: EmbedResult) -> Any:
    """What became of all that was seen."""
    from fairlead.report.terminal import table

    view = table("", [("what became of", "left"), ("count", "right")])
    view.add_row("embedded now", f"{found.embedded:,}")
    view.add_row("there already", f"{found.reused:,}")
    for reason, count in found.skipped.items():
        view.add_row(f"skipped: {reason}", f"{count:,}")
    view.add_row("seen", f"{found.seen:,}")
    return view


def _notes(found: EmbedResult) -> list[str]:
    """What a reader must know besides the counts."""
    manifest = found.manifest
    lines = [f"Skipped files and why: {found.folder / 'skipped.csv'}"] if found.skipped else []
    lines += [
        f"{count:,} {what if count != 1 else one_of(what)}"
        for what, count in manifest["source"]["notes"].items()
    ]
    lines += [f"Note: {warning}" for warning in manifest["model"].get("warnings", ())]
    if found.embedded and found.seconds > 0:
        lines.append(
            f"{found.embedded / found.seconds:,.1f} a second, {manifest['dimensions']} "
            f"dimensions, {manifest['dtype']}"
        )
    return lines


def one_of(what: str) -> str:
    """A count's words where it is one.

    >>> one_of("files that are no pictures"), one_of("hidden files and folders"), one_of("rows of captions that name no picture")
    ('file that is no picture', 'hidden file or folder', 'row of captions that names no picture')
    """
    for many, one in _ONE.items():
        what = re.sub(rf"\b{many}\b", one, what, count=1)
    return what
