"""The two trained heads of ``lite``: from the features of its towers to one space, in numpy.

A head has a few members, trained apart. Each is a straight way and one through a hidden layer, ``x
S + relu(x U + a) D + b``, brought to unit length; their vectors stand side by side, so that the
inner product is the mean of the members' cosines. ``heads.npz`` holds arrays and nothing else: it
is read without pickles. Weights are whole numbers from -127 to 127 with a step for each
column: a quarter of the size.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from fairlead.errors import DataError, words_of
from fairlead.store.arrays_file import read_arrays
from fairlead.types.ragged import Array

FILE = "heads.npz"
IMAGE, TEXT = 1280, 768
"""Features of an image and of a text."""
_HINT = "Give a folder that 'fairlead train lite' wrote."
_PARTS = ("mean", "scale", "straight", "up", "up_bias", "down", "bias")
_MATRICES = ("straight", "up", "down")
_MOST = 127


@dataclass(frozen=True, eq=False)
class Head:
    """One head: standardisation (features,), then its members' weights.

    ``straight`` (members, features, width), ``up`` (members, features, hidden), ``up_bias``
    (members, hidden), ``down`` (members, hidden, width), ``bias`` (members, width).
    """

    mean: Array
    scale: Array
    straight: Array
    up: Array
    up_bias: Array
    down: Array
    bias: Array

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return int(self.bias.size)

    def __call__(self, features: Array) -> Array:
        """(rows, dimensions) unit vectors of (rows, features)."""
        x = (features.astype(np.float32) - self.mean) / self.scale
        parts = []
        for straight, up, up_bias, down, bias in zip(
            self.straight, self.up, self.up_bias, self.down, self.bias, strict=True
        ):
            vectors = x @ straight + np.maximum(x @ up + up_bias, 0) @ down + bias
            parts.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        return np.concatenate(parts, axis=1) / np.float32(np.sqrt(len(parts)))


def image_input(features: Array) -> Array:
    """(images, 1280) what the image head reads."""
    # features of a convolution have long tails, which square roots shorten
    return np.sqrt(np.maximum(features.astype(np.float32), 0))


def stored(heads: Mapping[str, Head]) -> dict[str, Array]:
    """The arrays of heads by name, as the file has them."""
    arrays: dict[str, Array] = {}
    for name, values in (
        (f"{side}_{part}", getattr(head, part)) for side, head in heads.items() for part in _PARTS
    ):
        if name.endswith(_MATRICES):
            step = np.maximum(np.abs(values).max(1, keepdims=True) / _MOST, 1e-12).astype(
                np.float32
            )
            arrays |= {name: np.rint(values / step).astype(np.int8), f"{name}_step": step}
        else:
            arrays[name] = values.astype(np.float32)
    return arrays


def restored(arrays: Mapping[str, Array]) -> dict[str, Head]:
    """The heads ``image`` and ``text`` from the arrays of a file."""

    def part(name: str) -> Array:
        values = arrays[name].astype(np.float32)
        if name.endswith(_MATRICES):
            return values * arrays[f"{name}_step"].astype(np.float32)
        return values

    return {side: Head(*(part(f"{side}_{name}") for name in _PARTS)) for side in ("image", "text")}


def read_heads(path: Path) -> dict[str, Head]:
    """The heads ``image`` and ``text`` of a file.

    Raises:
        DataError: If there is no such file, or it is not what ``fairlead train lite`` writes.
    """
    try:
        stat = path.stat()
        return _read(path, stat.st_size, stat.st_mtime_ns)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, FileNotFoundError):
            fault = "is not there."
        else:
            fault = f"cannot be read: {words_of(error)}."
        raise DataError(f"'{path}' {fault}", _HINT) from error


@lru_cache(maxsize=4)
def _read(path: Path, size: int, time: int) -> dict[str, Head]:
    """The heads of a file, kept while its size and time are the same."""
    heads = restored(read_arrays(path))
    for side, features in (("image", IMAGE), ("text", TEXT)):
        _check(heads[side], side, features)
    if heads["image"].bias.shape != heads["text"].bias.shape:
        raise ValueError("its two heads end in different spaces")
    return heads


def _check(head: Head, side: str, features: int) -> None:
    """Refuse arrays that do not fit together."""
    if head.up.ndim != 3 or head.bias.ndim != 2:
        raise ValueError(f"the {side} head has no members")
    members, _, hidden = head.up.shape
    width = head.bias.shape[1]
    shapes = {
        "mean": (features,),
        "scale": (features,),
        "straight": (members, features, width),
        "up": (members, features, hidden),
        "up_bias": (members, hidden),
        "down": (members, hidden, width),
        "bias": (members, width),
    }
    for part, shape in shapes.items():
        array = getattr(head, part)
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{part} of the {side} head is not {shape} finite numbers")
