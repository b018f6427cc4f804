"""``fairlead search``."""

from __future__ import annotations

from typing import Any

import click

from fairlead.cli.options import (
    json_option,
    leave_option,
    leave_out_option,
    progress_bar,
    show,
    show_json,
    trigger_option,
    warn_unfit,
)


@click.command()
@click.argument("text", nargs=-1)
@click.option(
    "--image",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Ask with a picture; may be given several times.",
)
@click.option(
    "--model",
    default="phantom",
    show_default=True,
    metavar="SPEC",
    help="Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.",
)
@click.option(
    "--collection",
    default="phantom",
    show_default=True,
    metavar="PATH",
    help=(
        "A folder of images, a table, an archive, or what 'fairlead embed' wrote; embedded "
        "on first use and kept."
    ),
)
@click.option(
    "--index",
    default="exact",
    show_default=True,
    metavar="SPEC",
    help="Index, e.g. exact, faiss(kind=ivf), pgvector:ADDRESS.",
)
@click.option(
    "--attribute",
    multiple=True,
    metavar="NAME",
    help="Attribute; all that are labelled by default. The first is mitigated.",
)
@click.option(
    "--groups",
    metavar="FILE|SPEC",
    help=(
        "Labels that measure: a file with 'item' (or 'file') and a column an attribute, or "
        "an annotator."
    ),
)
@click.option(
    "--mitigate",
    multiple=True,
    metavar="SPEC",
    help="Reranker, projection or both, e.g. pbm, fitted:FILE, leace+pbm.",
)
@click.option(
    "--mitigate-groups",
    metavar="FILE|SPEC",
    help="Labels the rerankers see; those of --groups by default.",
)
@click.option(
    "--target",
    default="uniform",
    show_default=True,
    metavar="uniform|pool|FILE",
    help="What lists are held against.",
)
@click.option(
    "--metric", multiple=True, metavar="SPEC", help="Metric; AbsBias@k and NDKL@k by default."
)
@click.option(
    "-k", type=int, default=10, show_default=True, metavar="N", help="How many items to show."
)
@click.option(
    "--depth",
    type=int,
    metavar="N",
    help="How many to fetch, of each group where lists are mitigated; k by default.",
)
@click.option(
    "--limit",
    type=int,
    default=10_000,
    show_default=True,
    metavar="N",
    help="Deepest fetch where a target is out of reach.",
)
@click.option(
    "--side",
    type=click.Choice(["images", "texts"]),
    help="Search pictures or captions; pictures where there are any.",
)
@trigger_option
@leave_option
@leave_out_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of every random choice.")
@click.option(
    "--sheet",
    type=click.Path(),
    metavar="FILE",
    help="Write the pictures of all lists side by side, with their groups (.png, .jpg).",
)
@click.option(
    "--pictures/--no-pictures",
    default=None,
    help="Show small pictures in the terminal; on where it can show colours.",
)
@json_option
def command(as_json: bool, sheet: str | None, pictures: bool | None, **choices: Any) -> None:
    """Search a collection, and see the mitigated list beside the plain one.

    TEXT is one query, or several. Candidates are fetched for each group, so that nobody is missing
    from them.

    \b
    Examples:
      fairlead search "a photo of a nurse" --model "phantom(dose=1)" --mitigate pbm --attribute
      gender fairlead search "a dog on a beach" --model lite --collection ~/photos fairlead search
      "a portrait of a CEO" --model lite --collection ~/photos --groups labels.csv --mitigate
      detgreedy --sheet out.png fairlead search --image portrait.jpg --model hf:./clip --collection
      ~/photos --json
    """
    from fairlead.commands import search as searches
    from fairlead.report.answer_view import search_view

    with searches.sheet_place(sheet) as write, progress_bar(as_json) as progress:
        found = searches.search(progress=progress, **choices)
        write(found)
    warn_unfit(found.manifest, as_json=as_json)
    if as_json:
        show_json(found.to_dict())
        return
    show(search_view(found, searches.small_pictures(pictures)))
    if sheet is not None:
        click.echo(f"Written to {sheet}")
