"""``fairlead train mitigated``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import json_option, progress_bar, show_json


@click.command("mitigated")
@click.argument("method")
@click.option(
    "--model",
    default="phantom(dose=1)",
    show_default=True,
    metavar="SPEC",
    help="Model to start from: phantom or open_clip.",
)
@click.option(
    "--attribute", default="gender", show_default=True, metavar="NAME", help="What is mitigated."
)
@click.option(
    "--collection",
    type=click.Path(),
    metavar="PATH",
    help="Pictures with captions and labels to learn from; the phantom's own world by default.",
)
@click.option(
    "--groups",
    type=click.Path(),
    metavar="FILE",
    help="Labels of the collection; its own by default.",
)
@click.option(
    "--steps-factor",
    type=Number(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Share of the steps; 0.1 is a try.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of every random choice.",
)
@click.option(
    "-o", "--out", required=True, type=click.Path(), metavar="DIR", help="Folder of the model."
)
@json_option
def command(method: str, out: str, as_json: bool, **choices: Any) -> None:
    """Train a model on with a mitigation on weights.

    METHOD is one of 'fairlead list trainings', with parameters where you like. What it learns from
    is never what is measured. A GPU is used where there is one. Measure what came of it: it may not
    help, and it may harm.

    \b
    Examples:
      fairlead train mitigated adversarial -o hidden
      fairlead train mitigated "fair_sample(negatives=matched)" --model "phantom(dose=0.5)" --seed 1
      -o matched fairlead train mitigated prompt_array --model open_clip:ViT-B-32/FILE --collection
      photos.csv -o prompted fairlead audit --model "phantom(dose=1,weights=hidden)"
    """
    from fairlead.commands import train_mitigated as retraining

    with progress_bar(as_json) as progress:
        found = retraining.train_mitigated(method, out, progress=progress, **choices)
    if as_json:
        show_json({"written": str(found.folder), "model": found.model, "card": dict(found.card)})
        return
    before, after = found.card["before"], found.card["after"]
    click.echo(
        f"{found.card['method']} on {found.card['model']['spec']}, held-out items before and after:"
    )
    click.echo(
        f"  an adversary tells the group    {before['adversary']:.3f}  "
        f"{after['adversary']:.3f}   (chance {after['chance']:.3f})"
    )
    click.echo(
        f"  loss on captions                {before['caption_loss']:.3f}  "
        f"{after['caption_loss']:.3f}"
    )
    click.echo(
        f"Written to {found.folder}. Measure it with: fairlead audit --model "
        f"{shlex.quote(found.model)}"
    )
