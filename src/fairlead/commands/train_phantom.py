"""``train phantom``: the shipped encoder of known bias, trained again."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.commands.own_models import need, note, what_of
from fairlead.engine import plan as fields
from fairlead.protocols import Progress
from fairlead.protocols.spec import Spec
from fairlead.store.atomic import atomic_folder

_NEEDS = ("torch", "onnx", "onnxscript")


class PhantomPlan(fields.Plan):
    """Train the phantom again.

    First its image tower, then one text tower for each kind and dose of bias. It draws its own
    pictures and writes its own captions; nothing is downloaded. A GPU is used where there is one.
    """

    out: Annotated[
        fields.Path,
        Field(default="phantom-weights", description="Folder of the weights.", examples=["mine"]),
        fields.Cli(metavar="DIR", file=True, writes=True),
    ]
    kind: Annotated[
        fields.Several[Literal["gender", "skin", "joint", "language", "culture"]],
        Field(default=(), description="Bias to inject; all kinds by default.", examples=["gender"]),
    ]
    seed: fields.Seed
    steps_factor: fields.StepsFactor


@dataclass(frozen=True)
class PhantomWeights:
    """The trained phantom.

    Attributes:
        folder: Where its weights are.
        towers: The names of its text towers.
        model: The spec of one of them.
    """

    folder: Path
    towers: tuple[str, ...]
    model: str


def run(plan: PhantomPlan, progress: Progress | None = None) -> PhantomWeights:
    """The phantom, trained anew."""
    need("phantom", _NEEDS, "train")
    from fairlead.training.phantom import DOSES, PhantomRecipe, make

    # The tower without injected bias is dose 0 of every kind.
    kinds = {"low", *plan.kind}
    names = [name for name in DOSES if not plan.kind or name.partition("-")[0] in kinds]
    recipe = PhantomRecipe().shortened(plan.steps_factor)
    same = {
        **what_of("phantom"),
        "seed": plan.seed,
        "recipe": asdict(recipe),
        "towers": ["image", *(f"text-{name}" for name in names)],
    }
    weights = os.fspath(plan.out)
    with atomic_folder(weights, same) as folder:
        about = make(folder, recipe, seed=plan.seed, names=names, progress=progress)
        note(folder, "phantom", about)
    # One spec is enough for an example; a kind that was trained, or it would name a missing tower.
    first = next(iter(plan.kind), "gender")
    model = Spec("phantom", None, (("dose", 1), ("kind", first), ("weights", weights)))
    return PhantomWeights(Path(weights), tuple(names), str(model))


phantom = as_function("phantom", PhantomPlan, run)
