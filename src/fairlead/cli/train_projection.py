"""``fairlead train projection``."""

from __future__ import annotations

import shlex
from typing import Any

import click

from fairlead.cli.options import OutputPath, json_option, progress_bar, show_json
from fairlead.cli.plan_options import command_of
from fairlead.cli.saying import say
from fairlead.protocols.spec import Spec


@command_of(
    "train projection",
    "fairlead train projection leace --model lite --collection faces --groups"
    " labels.csv --attribute gender -o gender.npz",
    'fairlead train projection "mi_clip(dims=400)" --model open_clip:ViT-B-32/FILE'
    " --collection faces --groups labels.csv -o clip.npz",
    "fairlead train projection orthogonal --model lite --attribute gender -o texts.npz",
    'fairlead search "a portrait of a CEO" --model lite --collection photos'
    " --mitigate fitted:gender.npz",
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=OutputPath(),
    metavar="FILE",
    help="Where to write the projection (.npz).",
)
@json_option
def command(choices: dict[str, Any], out: str, as_json: bool) -> None:
    """Fit, save and say how it is used."""
    from fairlead.commands.train_projection import projection

    if not out.endswith(".npz"):
        raise click.UsageError(
            f"A projection is written to a file that ends in .npz, not to '{out}'."
        )
    with progress_bar(as_json) as progress:
        found = projection(progress=progress, **choices)
    found.write(out)
    if as_json:
        show_json({"written": out, "card": dict(found.about)})
        return
    counts = ", ".join(f"{group} {count:,}" for group, count in found.about["samples"].items())
    say(
        f"{found.about['projection']} for '{found.attribute}' of "
        f"{found.about['model']['spec']}: {counts or 'texts alone'}."
    )
    for note in found.projected.notes:
        say(f"! {note}")
    say(f"Written to {out}. Use it with: --mitigate {shlex.quote(str(Spec('fitted', out)))}")
