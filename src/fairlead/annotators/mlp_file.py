"""Classifiers of attributes as a file: a few small networks as plain arrays, and a card.

Numpy runs them; nothing is unpickled.

``FILE.npz`` holds, for each member and layer, a matrix (16 bit) and an offset (32 bit), and
``about``: names of the groups, temperature, encoder, training data and what was measured, as bytes
of JSON. Standardisation and batch normalisation are folded into the matrices.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.store.arrays_file import read_arrays
from fairlead.store.json_text import parsed
from fairlead.store.shapes import reading
from fairlead.store.versions import refuse_misshapen, refuse_other, version_of
from fairlead.types.ragged import Array

Layers = Sequence[tuple[Array, Array]]
_HINT = "Give a file that 'fairlead train attribute' wrote."
# Hidden layers of a large collection would not fit into memory at once.
_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Classifier:
    """An ensemble of networks over vectors of images.

    Attributes:
        members: The layers of each network: matrices (in, out) and offsets (out,), with ReLU
            between them.
        about: Its card; ``classes`` names the outputs, of which ``not-applicable`` may be one.
    """

    members: Sequence[Layers]
    about: Mapping[str, Any]

    @property
    def features(self) -> int:
        """Numbers of a vector it reads."""
        return int(self.members[0][0][0].shape[0])

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self.about["classes"])

    def shares(self, vectors: Array, *, calibrated: bool = True) -> Array:
        """(rows, classes) shares of (rows, features): the members' mean, tempered if calibrated."""
        parts = [
            self._shares(vectors[start : start + _ROWS])
            for start in range(0, max(len(vectors), 1), _ROWS)
        ]
        mean = np.concatenate(parts)
        if calibrated:
            return _softmax(np.log(np.maximum(mean, 1e-12)) / self.about["temperature"])
        return mean

    def _shares(self, vectors: Array) -> Array:
        features = np.asarray(vectors, np.float32)
        # Features that are never negative (after a ReLU) have long tails; training took roots of
        # them.
        if self.about["root"]:
            features = np.sqrt(np.maximum(features, 0))
        return np.mean([_softmax(_logits(features, layers)) for layers in self.members], axis=0)


def _logits(values: Array, layers: Layers) -> Array:
    *inner, (last_matrix, last_offset) = layers
    for matrix, offset in inner:
        values = np.maximum(values @ matrix + offset, 0)
    return values @ last_matrix + last_offset


def _softmax(values: Array) -> Array:
    powers = np.exp(values.astype(np.float64) - values.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def stored(classifier: Classifier) -> dict[str, Array]:
    """The arrays of a classifier, as the file has them."""
    arrays = {
        "about": np.frombuffer(
            json.dumps(
                {**classifier.about, "form": version_of("classifier")}, ensure_ascii=False
            ).encode(),
            np.uint8,
        )
    }
    for member, layers in enumerate(classifier.members):
        for layer, (matrix, offset) in enumerate(layers):
            arrays |= {
                f"{member}.{layer}.matrix": matrix.astype(np.float16),
                f"{member}.{layer}.offset": offset.astype(np.float32),
            }
    return arrays


def restored(arrays: Mapping[str, Array], place: str | Path = "the classifier") -> Classifier:
    """The classifier of the arrays of a file."""
    about = parsed(bytes(arrays["about"]))
    refuse_other("classifier", about.get("form"), place)
    members: list[list[tuple[Array, Array]]] = []
    while f"{len(members)}.0.matrix" in arrays:
        layers: list[tuple[Array, Array]] = []
        while (key := f"{len(members)}.{len(layers)}") + ".matrix" in arrays:
            layers.append(
                (
                    arrays[f"{key}.matrix"].astype(np.float32),
                    arrays[f"{key}.offset"].astype(np.float32),
                )
            )
        members.append(layers)
    if not members or not all(_fit(layers, len(about["classes"])) for layers in members):
        raise ValueError("its networks do not fit its groups")
    return Classifier(members, about)


def _fit(layers: Layers, classes: int) -> bool:
    """Whether each layer reads what the one before it gives, and the last gives the classes."""
    shapes = [(*matrix.shape, *offset.shape) for matrix, offset in layers]
    widths = [shape[0] for shape in shapes if len(shape) == 3] + [classes]
    return len(widths) == len(shapes) + 1 and all(
        shape[1] == shape[2] == after for shape, after in zip(shapes, widths[1:], strict=True)
    )


def read_classifier(path: str | Path) -> Classifier:
    """The classifier of a file.

    Raises:
        DataError: If there is no such file, or it is not what ``fairlead train attribute`` writes.
    """
    place = Path(path).expanduser()
    if not place.exists():
        raise DataError(f"There is no file {place}.", _HINT)
    with reading(place, "a classifier", _HINT):
        stat = place.stat()
        # Size and time are part of the key, so that a file that is trained anew is read anew.
        return _read(place, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=8)
def _read(path: Path, size: int, stamp: int) -> Classifier:
    classifier = restored(read_arrays(path), path)
    refuse_misshapen("classifier", classifier.about, path)
    return classifier
