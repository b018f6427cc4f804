"""Assembly of mitigation on weights: which model is trained on, what it learns from, and the folder
that comes of it, with its card.

What is learnt from is never what is measured: for the phantom its own world with other seeds, for
other models a collection of one's own.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.galleries import open_collection
from fairlead.engine.manifest import MADE_BY
from fairlead.engine.pictures import open_image
from fairlead.errors import DataError, MissingExtra, UsageError, unknown_name
from fairlead.protocols import Progress, registry
from fairlead.protocols.spec import Configured
from fairlead.store.atomic import atomic_folder
from fairlead.store.labels import read_item_groups
from fairlead.store.manifest_file import MANIFEST, write_manifest
from fairlead.types import Collection, Groups
from fairlead.words.gendered import NEITHER, gender_of

EXTRA = "train"
NOTE = (
    "An instrument for studying mitigation on weights: trained on from the model named here, "
    "by the method and on the material named here. "
    "It is not evidence about any other model, and no promise about other galleries, groups "
    "or queries: measure before you use it."
)
_NEEDS = ("torch", "onnx", "onnxscript")


@dataclass(frozen=True, eq=False)
class Retrained:
    """A model that was trained on: where it is, its text form, and its card."""

    folder: Path
    model: str
    card: Mapping[str, Any]


class MitigatedPlan(fields.Plan):
    """Train a model on with a mitigation on weights.

    The method is one of 'fairlead list trainings', with parameters where you like. What it learns
    from is never what is measured. A GPU is used where there is one. Measure what came of it: it
    may not help, and it may harm.
    """

    positional = ("method", "out")

    method: Annotated[
        fields.TrainingSpec,
        Field(
            description="adversarial, prompt_array or fair_sample, with parameters.",
            examples=["adversarial"],
        ),
        fields.Cli(argument=True, kinds=("training",)),
    ]
    model: fields.Encoding = fields.BIASED
    attribute: Annotated[
        str,
        Field(default="gender", description="What is mitigated.", examples=["skin"]),
        fields.Cli(metavar="NAME"),
    ]
    collection: Annotated[
        fields.Data | None,
        Field(
            default=None,
            description=(
                "Pictures with captions and labels to learn from; the phantom's own "
                "world by default."
            ),
            examples=["photos.csv"],
        ),
        fields.Cli(metavar="PATH", file=True),
    ]
    groups: Annotated[
        fields.Labels | None,
        Field(
            default=None,
            description="Labels of the collection; its own by default.",
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    steps_factor: fields.StepsFactor
    seed: fields.Seed
    out: Annotated[
        fields.Path,
        Field(
            description="Folder of the model. A model trained otherwise is not replaced.",
            examples=["hidden"],
        ),
        fields.Cli(flags=("-o", "--out"), metavar="DIR", file=True, writes=True),
    ]


def run(plan: MitigatedPlan, progress: Progress | None = None) -> Retrained:
    """The model, in its folder."""
    method, out, model, attribute = plan.method, plan.out, plan.model, plan.attribute
    collection, groups, seed = plan.collection, plan.groups, plan.seed
    steps_factor = plan.steps_factor
    if any(importlib.util.find_spec(name) is None for name in _NEEDS):
        raise MissingExtra("train mitigated", EXTRA)
    if groups is not None and collection is None:
        raise UsageError(
            "Labels were given, and no collection they are of.", "Name it with --collection."
        )
    chosen = registry.make("training", method)
    encoder = registry.make("encoder", model)
    # Asked before a folder is made: most encoders cannot be trained on.
    made = _towers_of(encoder)
    same = {
        "command": "train",
        "what": "mitigated",
        "method": str(chosen),
        "model": {"spec": str(encoder), "fingerprint": encoder.fingerprint},
        "attribute": attribute,
        "seed": seed,
        "steps_factor": steps_factor,
        "collection": None if collection is None else str(collection),
    }
    # A model trained otherwise is not replaced: weights of an hour's work may lie there.
    with atomic_folder(os.fspath(out), same) as folder:
        towers = made(encoder)
        material = _material(towers, encoder, attribute, collection, groups, seed, steps_factor)
        card = {
            **MADE_BY,
            **same,
            **_trained(chosen, towers, material, folder, steps_factor, seed, progress),
            "note": NOTE,
        }
        # Last: the manifest makes the folder a model, and says what the training reached.
        write_manifest(folder / MANIFEST, card)
    return Retrained(Path(out), towers.spec(str(out)), card)


train_mitigated = as_function("mitigated", MitigatedPlan, run)


def _towers_of(encoder: Any) -> Any:
    """Who brings an encoder's towers to torch."""
    known = registry.entries("towers")
    if not isinstance(encoder, Configured) or encoder.name not in known:
        raise UsageError(
            f"{encoder} cannot be trained on.", f"Models that can: {', '.join(known)}."
        )
    return registry.load("towers", encoder.name)


def _trained(
    method: Any,
    towers: Any,
    material: Any,
    folder: Path,
    factor: float,
    seed: int,
    progress: Progress | None,
) -> dict[str, Any]:
    """Train, write the model into its folder; what its card says of that."""
    from fairlead.training.weights.loop import train

    course, reached = train(method, towers, material, factor=factor, seed=seed, progress=progress)
    towers.write(folder, course.prompt)
    return {
        "groups": list(material.names),
        "material": material.about,
        "device": str(towers.device),
        **reached,
    }


def _material(
    towers: Any,
    encoder: Any,
    attribute: str,
    collection: Any,
    groups: Any,
    seed: int,
    factor: float,
) -> Any:
    # Loads torch, as all of training does.
    from fairlead.training.weights.material import of_pairs, of_world

    if collection is not None:
        return of_pairs(towers, _pairs(encoder, attribute, collection, groups), seed=seed)
    if towers.world is None:
        raise UsageError(
            f"{encoder} knows nothing of the phantom's world, so it has nothing to learn from.",
            "Name pictures with captions and labels: --collection TABLE [--groups FILE].",
        )
    return of_world(towers, attribute, towers.world, factor=factor, seed=seed)


def _pairs(encoder: Any, attribute: str, source: Any, groups: Any) -> Any:
    """Pictures of a collection with captions and labels."""
    from fairlead.training.weights.material import Pairs

    found = open_collection(source)
    if found.images is None or found.texts is None:
        raise DataError(
            f"'{source}' has no pictures with captions.",
            "Give a table with columns image and caption, and labels.",
        )
    known = found.groups if groups is None else read_item_groups(groups, found.ids, (attribute,))
    if attribute not in known:
        raise unknown_name("labelled attribute", attribute, known)
    labels = known[attribute]
    if len(labels.names) < 2:
        raise DataError(
            (
                f"Attribute '{attribute}' has one group only ({', '.join(labels.names)}): "
                "nothing can be told apart."
            ),
            "Label items of a second group too.",
        )
    # A picture without words pairs with nothing; it is left out, not trained on an empty text.
    told = [row for row, text in enumerate(found.texts) if text.strip()]
    texts = tuple(found.texts[row] for row in told)
    images = [open_image(found.images[row], encoder) for row in told]
    neutral = ~np.array([_tells(text, labels, attribute) for text in texts], np.bool_)
    return Pairs(images, texts, _codes(labels, found)[told], labels.names, neutral, str(source))


def _codes(labels: Groups, found: Collection) -> Any:
    """(items,) the group of each item, -1 where none has more than half of it."""
    share = labels.take(np.arange(len(found.ids))).share
    # A soft label without a majority would teach a group that is likelier wrong than right.
    return np.where(share.max(1) > 0.5, share.argmax(1), -1).astype(np.int64)


def _tells(caption: str, labels: Groups, attribute: str) -> bool:
    """Whether an English caption tells the group, or a part of it."""
    # The word banks know what names a gender without being a group's name: "mother", "his".
    if "gender" in attribute.split("*") and gender_of(caption, "en") != NEITHER:
        return True
    # Of other attributes no bank is there; the names of the groups are the words we know.
    words = {"".join(filter(str.isalpha, word)) for word in caption.lower().split()}
    return bool(words & {part.lower() for name in labels.names for part in name.split("*")})
