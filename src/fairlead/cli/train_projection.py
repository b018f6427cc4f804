"""``fairlead train projection``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fairlead.cli.options import json_option, progress_bar, show_json
from fairlead.protocols.spec import Spec


@click.command("projection")
@click.argument("spec")
@click.option(
    "--model",
    default="phantom",
    show_default=True,
    metavar="SPEC",
    help="Encoder whose vectors it is for.",
)
@click.option(
    "--collection",
    type=click.Path(),
    metavar="PATH",
    help="Labelled items to fit on; what 'search' takes.",
)
@click.option("--benchmark", metavar="SPEC", help="Fit on the items of a benchmark instead.")
@click.option(
    "--attribute", metavar="NAME", help="What is mitigated; the first that is labelled by default."
)
@click.option(
    "--groups",
    metavar="FILE|SPEC",
    help="Labels of the items: a file or an annotator; the collection's own by default.",
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="Where to write the projection (.npz).",
)
@json_option
def command(
    spec: str,
    out: str,
    as_json: bool,
    collection: str | None,
    benchmark: str | None,
    **choices: Any,
) -> None:
    """Fit a projection, a mitigation on vectors, for --mitigate fitted:FILE.

    SPEC is one of 'fairlead list projections'. Fit it on items that you will not measure it on. The
    file is for vectors of this model alone.

    \b
    Examples:
      fairlead train projection leace --model lite --collection faces --groups labels.csv
      --attribute gender -o gender.npz fairlead train projection "mi_clip(dims=400)" --model
      open_clip:ViT-B-32/FILE --collection faces --groups labels.csv -o clip.npz fairlead train
      projection orthogonal --model lite --attribute gender -o texts.npz fairlead search "a portrait
      of a CEO" --model lite --collection photos --mitigate fitted:gender.npz
    """
    from fairlead.engine import projections as projecting

    if not out.endswith(".npz"):
        raise click.UsageError(
            f"A projection is written to a file that ends in .npz, not to '{out}'."
        )
    if collection is not None and benchmark is not None:
        raise click.UsageError("Give --collection or --benchmark, not both.")
    with progress_bar(as_json) as progress:
        found = projecting.train_projection(
            spec, collection=collection or benchmark, progress=progress, **choices
        )
    found.write(out)
    if as_json:
        show_json({"written": out, "card": dict(found.about)})
        return
    counts = ", ".join(f"{group} {count:,}" for group, count in found.about["samples"].items())
    click.echo(
        f"{found.about['projection']} for '{found.attribute}' of "
        f"{found.about['model']['spec']}: {counts or 'texts alone'}."
    )
    for note in found.projected.notes:
        click.echo(f"! {note}")
    click.echo(f"Written to {out}. Use it with: --mitigate {shlex.quote(str(Spec('fitted', out)))}")
