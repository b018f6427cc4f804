"""Assembly of trained classifiers of attributes: features and labels from files, training,
calibration on a held-out part, the card.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fairlead.annotators.mlp import ABSENT
from fairlead.annotators.mlp_file import Classifier, restored, stored
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.manifest import MADE_BY
from fairlead.errors import DataError, MissingExtra, UsageError, unknown_name, words_of
from fairlead.protocols import Progress
from fairlead.statistics.reliability import best_temperature, calibration_error, cross_tempered
from fairlead.store import embedded
from fairlead.store.arrays_file import mapped_array
from fairlead.store.atomic import atomic
from fairlead.store.labels import item_column, read_label_columns
from fairlead.studies.annotation import Evaluation, evaluate
from fairlead.types import Groups
from fairlead.types.ragged import Array
from fairlead.words.counts import counted

HELD_OUT = 0.1
"""Share of the items that are kept for calibration and for the card."""
_LEAST = 20
"""Items of a group below which nothing can be learnt about it."""
_NO_LABEL = (None, "unknown", "NA", "N/A", "n/a", "null")
_UNSTATED = {"spec": "", "fingerprint": ""}
_VECTORS = "Give an array of vectors (.npy), or a folder that 'fairlead embed' wrote."


@dataclass(frozen=True, eq=False)
class Trained:
    """A classifier, its file's arrays, and what it does on the part that was held out."""

    classifier: Classifier
    evaluation: Evaluation

    @property
    def card(self) -> dict[str, Any]:
        """What the file says of itself."""
        return dict(self.classifier.about)

    def write(self, path: str | Path) -> None:
        """Write the file (``.npz``): arrays and JSON."""
        with atomic(path) as file, file.open("wb") as stream:
            np.savez(stream, **stored(self.classifier))  # type: ignore[arg-type]


class AttributePlan(fields.Plan):
    """Train a classifier of an attribute on vectors of images, for the annotator mlp:FILE.

    One item in ten is held out: it calibrates the shares and fills the card.
    """

    positional = ("features", "labels", "column")

    features: Annotated[
        fields.Path,
        Field(
            description="Vectors (.npy), or a folder of 'fairlead embed'.",
            examples=["features.npy"],
        ),
        fields.Cli(metavar="FILE|DIR", file=True),
    ]
    labels: Annotated[
        fields.Path,
        Field(
            description="Table of labels; for .npy in the order of the vectors.",
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    column: Annotated[
        str,
        Field(description="The attribute: a column of the labels.", examples=["gender"]),
        fields.Cli(metavar="NAME"),
    ]
    architecture: Annotated[
        Literal["paper", "released", "linear"],
        Field(
            default="paper",
            description="Layers: three of 512 (the paper), three of 64 (its released code), none.",
            examples=["linear"],
        ),
    ]
    also: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description=(
                "Column that is learnt along, for more even accuracy; nothing of it is kept."
            ),
            examples=["race"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    by: Annotated[
        fields.Several[str],
        Field(
            default=(), description="Column whose values the card tells apart.", examples=["race"]
        ),
        fields.Cli(metavar="NAME"),
    ]
    encoder: Annotated[
        str,
        Field(
            default="",
            description="Encoder that made the vectors; a folder says so itself.",
            examples=["lite_tower"],
        ),
        fields.Cli(metavar="SPEC"),
    ]
    members: Annotated[
        int | None,
        Field(
            default=None,
            ge=1,
            description="Networks whose answers are averaged; 3 by default.",
            examples=[1],
        ),
        fields.Cli(metavar="N"),
    ]
    seed: fields.Seed
    steps_factor: fields.StepsFactor


def run(plan: AttributePlan, progress: Progress | None = None) -> Trained:
    """The classifier; ``write`` keeps it."""
    features, labels, column, encoder = plan.features, plan.labels, plan.column, plan.encoder
    architecture, members, steps_factor = plan.architecture, plan.members, plan.steps_factor
    also, by, seed = plan.also, plan.by, plan.seed
    # Asked first, so that nobody waits for files to be read and then lacks an extra.
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("train attribute", "train")
    vectors, columns, made_by = _read(features, labels)
    if strange := [name for name in (column, *also, *by) if name not in columns]:
        raise unknown_name(f"column in {Path(labels).name}", strange[0], columns)
    known = np.array(
        [place for place, value in enumerate(columns[column]) if value not in _NO_LABEL], np.int64
    )
    classes, codes = _classes(column, [str(columns[column][place]) for place in known])
    # Loads torch, which no other verb should wait for.
    from fairlead.training.attribute import AttributeMaterial, AttributeRecipe, codes_of, train

    recipe = AttributeRecipe(architecture)
    if members is not None:
        recipe = replace(recipe, members=members)
    recipe = recipe.shortened(steps_factor)
    held, rest = _parted(len(known), seed)
    along = None
    if also:
        along = codes_of([[columns[name][place] for place in known] for name in also])[rest]
    material = AttributeMaterial(vectors[known[rest]].astype(np.float32), codes[rest], along)
    networks, root = train(material, len(classes), recipe, seed=seed, progress=progress)
    who = {
        "attribute": column,
        "classes": list(classes),
        "encoder": encoder or made_by["spec"],
        "fingerprint": made_by["fingerprint"],
    }
    # The temperature is fitted below, on shares that were not tempered yet.
    how = {"root": root, "temperature": 1.0, "recipe": asdict(recipe), "seed": seed}
    about = {
        **MADE_BY,
        **who,
        **how,
        "data": _data(features, labels, classes, codes, held, also),
    }
    # The card is about the file, which keeps 16 bits: it is measured as it will be read.
    raw = restored(stored(Classifier(networks, about)))
    shares = raw.shares(vectors[known[held]], calibrated=False)
    cells = {name: [columns[name][known[place]] or "unknown" for place in held] for name in by}
    return _calibrated(raw, shares, codes[held], cells)


train_attribute = as_function("attribute", AttributePlan, run)


def _parted(items: int, seed: int) -> tuple[Array, Array]:
    """The rows that are held out, and the rest."""
    # A stream of its own: other members or steps do not change which items are held out.
    order = np.random.default_rng([seed, 17]).permutation(items)
    # Cross-fitting the temperature needs an item in each half.
    held, rest = np.split(order, [max(2, round(HELD_OUT * items))])
    return held, rest


def _calibrated(
    raw: Classifier, shares: Array, truth: Array, cells: Mapping[str, Sequence[str]]
) -> Trained:
    """The classifier with its temperature, and its card: what it does on items it did not learn
    from.
    """
    temperature, before = best_temperature(shares, truth), calibration_error(shares, truth)
    # The file's temperature is fitted on all held-out items; what it gains is told from halves, so
    # that no item judges a temperature it helped to choose.
    after = calibration_error(cross_tempered(shares, truth)[0], truth)
    names = raw.classes
    groups = [place for place, name in enumerate(names) if name != ABSENT]
    absent = np.zeros(len(shares))
    if ABSENT in names:
        absent = shares[:, names.index(ABSENT)]
    # As the annotator mlp decides when it reads the file.
    gone = absent > shares[:, groups].max(1)
    said = Groups(
        raw.about["attribute"],
        tuple(names[g] for g in groups),
        soft=np.where(gone[:, None], 0.0, shares[:, groups]),
        not_applicable=gone,
        source="held out",
    )
    known = Groups.of(raw.about["attribute"], [names[code] for code in truth], names=said.names)
    found = evaluate(said, known, cells)
    about = {
        **raw.about,
        "temperature": temperature,
        "calibration": {"method": "temperature", "before": before, "after": after},
        "held_out": {
            name: value
            for name, value in found.to_dict().items()
            if name in ("overall", "cells", "classes", "confusion")
        },
    }
    return Trained(Classifier(raw.members, about), found)


Columns = dict[str, list[str | None]]


def _read(features: fields.Path, labels: fields.Path) -> tuple[Array, Columns, Mapping[str, str]]:
    """Vectors and columns of the same items, and what made the vectors."""
    columns, name = read_label_columns(labels), Path(labels).name
    if embedded.is_embedded(os.fspath(features)):
        return _of_folder(os.fspath(features), columns, name)
    # An array says nothing of its origin; --encoder may.
    return _of_array(Path(features).expanduser(), columns, name), columns, _UNSTATED


def _of_folder(
    folder: str, columns: Columns, name: str
) -> tuple[Array, Columns, Mapping[str, str]]:
    """The vectors of an embedded folder, joined with a table by the ids of items."""
    found = embedded.open_embedded(folder)
    if found.embeddings.offsets is not None:
        raise UsageError(
            f"{folder} holds many vectors an item.",
            "Train on vectors of a model that gives one.",
        )
    place = {item: row for row, item in enumerate(found.collection.ids)}
    item = item_column(name, columns)
    # A table may label more than was embedded, and less: what both know is learnt from.
    kept = [row for row, value in enumerate(columns[item]) if value in place]
    if not kept:
        example = next(iter(columns[item]), "")
        raise DataError(
            f"{name} names no item of {folder}: it has '{example}'.", "Spell their ids alike."
        )
    rows = [place[str(columns[item][row])] for row in kept]
    return (
        np.asarray(found.embeddings.vectors)[rows],
        {column: [values[row] for row in kept] for column, values in columns.items()},
        found.manifest["model"],
    )


def _of_array(path: Path, columns: Columns, name: str) -> Array:
    """The vectors of an array, one for each row of a table."""
    try:
        # Mapped, so that vectors without a label need not stay in memory.
        vectors: Array = mapped_array(path)
    except FileNotFoundError as error:
        raise DataError(f"{path} is not there.", _VECTORS) from error
    except (OSError, EOFError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {words_of(error)}.", _VECTORS) from error
    rows = len(next(iter(columns.values()), ()))
    if vectors.ndim != 2 or len(vectors) != rows or vectors.dtype.kind != "f":
        raise DataError(
            f"{path.name} holds {vectors.dtype} of shape {vectors.shape}, "
            f"{name} has {rows:,} rows.",
            "One vector a row.",
        )
    # One such number would make every weight of the networks not a number.
    if not np.isfinite(vectors).all():
        raise DataError(
            f"{path.name} holds numbers that are not finite.",
            "Leave out those rows, in both files.",
        )
    return vectors


def _classes(column: str, labels: Sequence[str]) -> tuple[tuple[str, ...], Array]:
    """The groups, with not applicable last where it occurs, and (items,) their codes."""
    found = sorted(set(labels) - {ABSENT})
    few = [name for name in found if labels.count(name) < _LEAST]
    if len(found) < 2 or few:
        what = f"the group {', '.join(found) or 'none'} alone"
        if few:
            what = f"only {counted(labels.count(few[0]), 'item')} labelled '{few[0]}'"
        raise DataError(
            f"'{column}' has {what}.", f"It needs two groups or more, with {_LEAST} items each."
        )
    # Last, so that the codes of the groups are the same whether or not somebody is not applicable.
    classes = tuple(found)
    if ABSENT in labels:
        classes = (*found, ABSENT)
    code = {name: number for number, name in enumerate(classes)}
    return classes, np.array([code[label] for label in labels])


def _data(
    features: fields.Path,
    labels: fields.Path,
    classes: Sequence[str],
    codes: Array,
    held: Array,
    also: Sequence[str],
) -> dict[str, Any]:
    counts = {name: int((codes == code).sum()) for code, name in enumerate(classes)}
    files = {"features": Path(features).name, "labels": Path(labels).name}
    return {
        **files,
        "items": len(codes),
        "held_out": len(held),
        "groups": counts,
        "also": list(also),
    }
