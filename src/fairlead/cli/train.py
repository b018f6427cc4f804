"""``fairlead train``."""

from __future__ import annotations

import importlib.util

import click

from fairlead.cli.options import progress_bar
from fairlead.errors import MissingExtra

_KINDS = ("gender", "skin", "joint", "language", "culture")
_NEEDS = ("torch", "onnx", "onnxscript")


@click.command()
@click.argument("what", type=click.Choice(["phantom"]))
@click.option("--out", type=click.Path(), default="phantom-weights", show_default=True, metavar="DIR", help="Folder of the weights.")
@click.option("--kind", multiple=True, type=click.Choice(_KINDS), help="Bias to inject; all kinds by default.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of every random choice.")
@click.option(
    "--steps-factor", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True, help="Share of the steps; 0.1 is a try."
)
def command(what: str, out: str, kind: tuple[str, ...], seed: int, steps_factor: float) -> None:
    """Train the phantom again: one image tower, then one text tower for each kind and dose of bias.

    It draws its own pictures and writes its own captions; nothing is downloaded. A GPU is used where there is one.

    \b
    Examples:
      fairlead train phantom --kind gender --out mine
      fairlead audit --model "phantom(dose=1,weights=mine)"
    """
    if any(importlib.util.find_spec(name) is None for name in _NEEDS):
        raise MissingExtra(f"train {what}", "train")
    from fairlead import __version__
    from fairlead.saving import dumps
    from fairlead.store.atomic import atomic_folder
    from fairlead.training.phantom import DOSES, Recipe, make

    names = [name for name in DOSES if not kind or name == "low" or name.partition("-")[0] in kind]
    with progress_bar(False) as progress, atomic_folder(out) as folder:
        about = make(folder, Recipe().shortened(steps_factor), seed=seed, names=names, progress=progress)
        manifest = {"fairlead": __version__, "command": "train", "what": what, **about}
        (folder / "manifest.json").write_text(dumps(manifest), encoding="utf-8")
    click.echo(f"Written to {out}: {len(names)} text towers and the image tower, trained with seed {seed}.")
    click.echo(f'Use them with: fairlead audit --model "phantom(dose=1,kind={(kind or _KINDS)[0]},weights={out})"')
