"""``fairlead train attribute``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say
from fairlead.protocols.spec import Spec


@command_of(
    "train attribute",
    "fairlead train attribute --features features.npy --labels labels.csv --column"
    " gender --encoder lite_tower -o gender.npz",
    "fairlead train attribute --features faces.fairlead --labels labels.csv --column"
    " gender --also race --by race -o gender.npz",
    "fairlead annotate evaluate --with mlp:gender.npz --images faces --labels"
    " labels.csv --attribute gender",
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=OutputPath(),
    metavar="FILE",
    help="Where to write the classifier (.npz).",
)
@json_option
def command(choices: dict[str, Any], out: str, as_json: bool) -> None:
    """Train, save and show the card."""
    from fairlead.commands.train_attribute import train_attribute
    from fairlead.report.annotate import evaluation_view

    if not out.endswith(".npz"):
        raise click.UsageError(
            f"A classifier is written to a file that ends in .npz, not to '{out}'."
        )
    with progress_bar(as_json) as progress:
        found = train_attribute(progress=progress, **choices)
    found.write(out)
    if as_json:
        show_json({"written": out, "card": found.card})
        return
    show(evaluation_view(found.evaluation))
    error = found.card["calibration"]
    say(
        f"Calibration error {error['before']:.3f}, with temperature "
        f"{found.card['temperature']:.2f} {error['after']:.3f} (held out)"
    )
    say(
        f"Written to {out}. Use it with: fairlead annotate DIR --with "
        f"{shlex.quote(str(Spec('mlp', out)))}"
    )
