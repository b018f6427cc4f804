"""What all encoders do with pictures and vectors: RGB in, unit length out, batches joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.types import Embeddings
from fairlead.types.ragged import Array, offsets_of


def rgb(image: Any) -> Any:
    """A Pillow image in RGB, decoded, from a Pillow image of any mode or a uint8 array."""
    from PIL import Image

    if isinstance(image, str):
        raise DataError(
            f"'{image}' is a reference, not a picture.",
            "Open it first: this encoder sees Pillow images and uint8 arrays.",
        )
    try:
        picture = image if isinstance(image, Image.Image) else Image.fromarray(np.asarray(image))
        return picture.convert("RGB")
    except (TypeError, ValueError, IndexError) as error:
        raise DataError(
            f"{type(image).__name__} is not a picture: {error}.",
            "Give Pillow images or uint8 arrays.",
        ) from error


def in_rgb(image: Any) -> Any:
    """A Pillow image that is in RGB already, as it is; anything else brought to it."""
    # Pillow would make a copy of it, with nothing changed
    if getattr(image, "mode", None) == "RGB":
        return image
    return rgb(image)


def unit(vectors: Array, what: str) -> Array:
    """(vectors, dimensions) float32 of length 1; a vector without a direction is refused."""
    vectors = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    bad = np.flatnonzero(~((lengths[:, 0] > 0) & np.isfinite(lengths[:, 0])))
    if len(bad):
        raise DataError(
            f"{what} gave {len(bad)} of {len(vectors)} vectors that are zero or not "
            f"finite, the first at {bad[0]}."
        )
    return (vectors / lengths).astype(np.float32)


def joined(parts: Sequence[Embeddings]) -> Embeddings:
    """The vectors of several batches as one."""
    vectors = np.concatenate([part.vectors for part in parts])
    sizes = [np.diff(part.offsets) for part in parts if part.offsets is not None]
    return Embeddings(vectors, offsets_of(np.concatenate(sizes)) if sizes else None)
