"""The two trained heads of ``lite``: from the features of its towers to one space of unit vectors, in numpy.

A head has a few members, trained apart. Each is a straight way and one through a hidden layer, ``x S + relu(x U + a) D + b``, brought to
unit length; their vectors stand side by side, so that the inner product is the mean of the members' cosines.
``heads.npz`` holds arrays and nothing else: it is read without pickles.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from fairlead.errors import DataError
from fairlead.ragged import Array

FILE = "heads.npz"
IMAGE, TEXT = 1280, 768
"""Features of an image and of a text."""
_HINT = "Give a folder that 'fairlead train lite' wrote."
_PARTS = ("mean", "scale", "straight", "up", "up_bias", "down", "bias")


@dataclass(frozen=True, eq=False)
class Head:
    """One head: standardisation (features,), then its members' weights.

    ``straight`` (members, features, width), ``up`` (members, features, hidden), ``up_bias`` (members, hidden),
    ``down`` (members, hidden, width), ``bias`` (members, width).
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
        for straight, up, up_bias, down, bias in zip(self.straight, self.up, self.up_bias, self.down, self.bias, strict=True):
            vectors = x @ straight + np.maximum(x @ up + up_bias, 0) @ down + bias
            parts.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        return np.concatenate(parts, axis=1) / np.float32(np.sqrt(len(parts)))


def image_input(features: Array) -> Array:
    """(images, 1280) what the image head reads: square roots, since features of a convolution have long tails."""
    return np.sqrt(np.maximum(features.astype(np.float32), 0))


def stored(heads: Mapping[str, Head]) -> dict[str, Array]:
    """The arrays of heads by name, as the file has them: weights in half precision."""
    arrays = {f"{side}_{part}": getattr(head, part) for side, head in heads.items() for part in _PARTS}
    return {name: array.astype(np.float32 if name.endswith(("_mean", "_scale")) else np.float16) for name, array in arrays.items()}


def read_heads(path: Path) -> dict[str, Head]:
    """The heads ``image`` and ``text`` of a file.

    Raises:
        DataError: If there is no such file, or it is not what ``fairlead train lite`` writes.
    """
    try:
        stat = path.stat()
        return _read(path, stat.st_size, stat.st_mtime_ns)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        said = "is not there" if isinstance(error, FileNotFoundError) else f"cannot be read: {str(error).splitlines()[0]}"
        raise DataError(f"'{path}' {said}.", _HINT) from error


@lru_cache(maxsize=4)
def _read(path: Path, size: int, time: int) -> dict[str, Head]:
    """The heads of a file, kept while its size and time are the same."""
    with np.load(path, allow_pickle=False) as file:
        heads = {side: Head(*(file[f"{side}_{part}"].astype(np.float32) for part in _PARTS)) for side in ("image", "text")}
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
    wanted = {
        "mean": (features,),
        "scale": (features,),
        "straight": (members, features, width),
        "up": (members, features, hidden),
        "up_bias": (members, hidden),
        "down": (members, hidden, width),
        "bias": (members, width),
    }
    for part, shape in wanted.items():
        array = getattr(head, part)
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{part} of the {side} head is not {shape} finite numbers")
