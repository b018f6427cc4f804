"""Skin tone of a face: which of the ten Monk tones is nearest to its skin pixels, in CIELAB.

    tone = argmin over t of |Lab(skin) - Lab(tone t)|,   Lab(skin) = mean of skin pixels

Skin pixels are those of cheeks, forehead and nose that are near their median, and of these the
lighter half: shade only darkens. Light, camera, make-up and processing change the colours of a
picture as much as skin does. So this is an ordinal guess of how light or dark a person appears, not
a measurement of skin. Pixels that disagree (shadow, hair, a beard) or have no colour (a grey
picture) give no tone. Source: the ten tones as E. Monk published them (skintone.google, 2022);
CIELAB of CIE 15 under D65; the rule is ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairlead.annotators.face_chips import chip
from fairlead.types.ragged import Array

TONES = (
    "#f6ede4",
    "#f3e7db",
    "#f7ead0",
    "#eadaba",
    "#d7bd96",
    "#a07e56",
    "#825c43",
    "#604134",
    "#3a312a",
    "#292420",
)
"""The ten tones, from light to dark."""
GROUPS = {"light": (1, 2, 3), "medium": (4, 5), "tan": (6, 7), "dark": (8, 9, 10)}
"""Four groups of tones, as the phantom has them."""
_SIZE = 64
# Cheeks, forehead and the bridge of the nose: left, top, right and bottom, as parts of the
# upright face.
_PATCHES = (
    (0.20, 0.44, 0.36, 0.60),
    (0.64, 0.44, 0.80, 0.60),
    (0.38, 0.06, 0.62, 0.18),
    (0.45, 0.32, 0.55, 0.48),
)
# Up to this distance in CIELAB, a pixel belongs to the same skin as the median.
_NEAR = 15.0
# At least this share of the pixels must belong to it.
_ENOUGH = 0.4
# A face that lies below this chroma as a whole has no colour: in a grey picture nobody can tell
# the tone from the light.
_GREY = 2.0
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def tone(picture: Any, points: Array, far: float) -> int | None:
    """The nearest tone, 1 to 10, of a face with five points.

    None where pixels disagree, have no colour, or are ``far`` from all tones.
    """
    square = lab(np.asarray(chip(picture, points, _SIZE), np.float64))
    skin = _skin(np.concatenate([_patch(square, part) for part in _PATCHES]))
    if skin is None or _is_grey(square):
        return None
    return nearest(skin, far)


def nearest(colour: Array, far: float) -> int | None:
    """The tone nearest to a colour (L, a, b); None where none is within ``far``."""
    distances = np.linalg.norm(_tones() - colour, axis=1)
    best = int(distances.argmin())
    if distances[best] <= far:
        return best + 1
    return None


def lab(pixels: Array) -> Array:
    """(..., 3) CIELAB of sRGB values from 0 to 255."""
    part = np.asarray(pixels, np.float64) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    ratio = linear @ _TO_XYZ.T / _WHITE
    root = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root[..., 0], root[..., 1], root[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def _tones() -> Array:
    """(10, 3) CIELAB of the tones."""
    return lab(np.array([[int(code[at : at + 2], 16) for at in (1, 3, 5)] for code in TONES]))


def _patch(square: Array, part: tuple[float, float, float, float]) -> Array:
    left_edge, top, right, bottom = (round(edge * _SIZE) for edge in part)
    return square[top:bottom, left_edge:right].reshape(-1, 3)


def _skin(pixels: Array) -> Array | None:
    """The mean of the lighter half of the pixels near their median; None where too few are near."""
    near = pixels[np.linalg.norm(pixels - np.median(pixels, axis=0), axis=1) <= _NEAR]
    if len(near) < _ENOUGH * len(pixels):
        return None
    return near[near[:, 0] >= np.median(near[:, 0])].mean(0)


def _is_grey(square: Array) -> bool:
    # Not the mean: a colour picture may be grey in most of a face, a grey one is so everywhere.
    return float(np.quantile(np.hypot(square[..., 1], square[..., 2]), 0.95)) < _GREY
