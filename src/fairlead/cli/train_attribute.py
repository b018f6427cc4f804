"""``fairlead train attribute``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import json_option, progress_bar, show, show_json
from fairlead.protocols.spec import Spec


@click.command("attribute")
@click.option(
    "--features",
    required=True,
    type=click.Path(),
    metavar="FILE|DIR",
    help="Vectors (.npy), or a folder of 'fairlead embed'.",
)
@click.option(
    "--labels",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="Table of labels; for .npy in the order of the vectors.",
)
@click.option(
    "--column", required=True, metavar="NAME", help="The attribute: a column of the labels."
)
@click.option(
    "--architecture",
    type=click.Choice(["paper", "released", "linear"]),
    default="paper",
    show_default=True,
    help="Layers: three of 512 (the paper), three of 64 (its released code), none.",
)
@click.option(
    "--also",
    multiple=True,
    metavar="NAME",
    help="Column that is learnt along, for more even accuracy; nothing of it is kept.",
)
@click.option(
    "--by", multiple=True, metavar="NAME", help="Column whose values the card tells apart."
)
@click.option(
    "--encoder",
    default="",
    metavar="SPEC",
    help="Encoder that made the vectors; a folder says so itself.",
)
@click.option(
    "--members",
    type=click.IntRange(min=1),
    metavar="N",
    help="Networks whose answers are averaged.  [default: 3]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of every random choice.",
)
@click.option(
    "--steps-factor",
    type=Number(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Share of the steps.",
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="Where to write the classifier (.npz).",
)
@json_option
def command(
    out: str, as_json: bool, features: str, labels: str, column: str, **choices: Any
) -> None:
    """Train a classifier of an attribute on vectors of images, for the annotator mlp:FILE.

    One item in ten is held out: it calibrates the shares and fills the card.

    \b
    Examples:
      fairlead train attribute --features features.npy --labels labels.csv --column gender --encoder
      lite_tower -o gender.npz fairlead train attribute --features faces.fairlead --labels
      labels.csv --column gender --also race --by race -o gender.npz fairlead annotate evaluate
      --with mlp:gender.npz --images faces --labels labels.csv --attribute gender
    """
    from fairlead.commands import train_attribute as attributes
    from fairlead.report.annotate import evaluation_view

    if not out.endswith(".npz"):
        raise click.UsageError(
            f"A classifier is written to a file that ends in .npz, not to '{out}'."
        )
    with progress_bar(as_json) as progress:
        found = attributes.train_attribute(features, labels, column, progress=progress, **choices)
    found.write(out)
    if as_json:
        show_json({"written": out, "card": found.card})
        return
    show(evaluation_view(found.evaluation))
    error = found.card["calibration"]
    click.echo(
        f"Calibration error {error['before']:.3f}, with temperature "
        f"{found.card['temperature']:.2f} {error['after']:.3f} (held out)"
    )
    click.echo(
        f"Written to {out}. Use it with: fairlead annotate DIR --with "
        f"{shlex.quote(str(Spec('mlp', out)))}"
    )
