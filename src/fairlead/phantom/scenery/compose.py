"""A scene, layer by layer, from the sky to the frame, and then the light over all of it.

Between them come landscape, building, cloth, the thing, and what lies about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from fairlead.errors import UsageError
from fairlead.phantom.drawing.canvas import UNITS, Canvas
from fairlead.phantom.drawing.palette import darker, ink, mix
from fairlead.phantom.scenery.colours import DAYS, DRESSES, PLAIN, WATER
from fairlead.phantom.scenery.concepts import AFLOAT, FORMS
from fairlead.phantom.scenery.frames import FRAMES
from fairlead.phantom.scenery.horizons import HORIZONS, LEVEL
from fairlead.phantom.scenery.oddments import oddment
from fairlead.phantom.scenery.patterns import PATTERNS, TOP
from fairlead.phantom.scenery.skylines import SKYLINES
from fairlead.phantom.things import Setting, Thing, setting_of
from fairlead.types.ragged import Array

Layer = tuple[Image.Image, Image.Image, tuple[int, int]]
"""Colours, a mask of where they are, and the place of their upper left corner."""

_LAYERS: dict[str, dict[str, Callable[[Canvas], None]]] = {
    "horizon": dict(HORIZONS),
    "architecture": dict(SKYLINES),
    "pattern": dict(PATTERNS),
    "frame": dict(FRAMES),
}
_HAZE = {"horizon": 14, "architecture": 24}
# Layers up to so many pixels a side are kept: they do not depend on the seed.
_KEPT = 768


def draw(thing: Thing, size: int = 64) -> Image.Image:
    """The picture of a thing, RGB, ``size`` pixels a side."""
    _check(size)
    # small pictures are drawn larger and reduced, so that their edges are smooth
    if size < 48:
        fine = 8
    elif size <= 128:
        fine = 4
    else:
        fine = 3
    setting = setting_of(thing.concept, thing.seed)
    image = _painted(thing, setting, size * fine).reduce(fine)
    # The finished picture is mirrored, so layers are kept one way round only.
    if setting.mirror:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return image.point(_lit(setting.light))


def draw_many(things: Sequence[Thing], size: int = 64) -> Array:
    """The pictures of things, (n, size, size, 3) uint8."""
    _check(size)
    out = np.empty((len(things), size, size, 3), np.uint8)
    for row, thing in enumerate(things):
        out[row] = np.asarray(draw(thing, size))
    return out


def _check(size: object) -> None:
    if not isinstance(size, int) or isinstance(size, bool) or not 8 <= size <= 2048:
        raise UsageError(
            f"Size {size!r} cannot be drawn.", "Give a whole number of pixels from 8 to 2048."
        )


def _painted(thing: Thing, setting: Setting, pixels: int) -> Image.Image:
    unit = pixels / UNITS
    image = _sky(setting.light, pixels).copy()
    c = Canvas(
        ImageDraw.Draw(image),
        ImageDraw.Draw(image, "RGBA"),
        image,
        (unit, 0.0, 0.0, unit, 0.0, 0.0),
    )
    _weather(c, setting)
    culture = {
        motif: thing.culture if motif in setting.shown else "plain"
        for motif in ("horizon", "architecture", "pattern", "frame", "form")
    }
    # Layers are painted for one horizon and laid higher or lower, so they need not be painted anew.
    drop = int((setting.horizon - LEVEL) * unit)
    for motif in ("horizon", "architecture"):
        _lay(image, _layer(motif, culture[motif], pixels), drop)
    if thing.concept in AFLOAT:
        # Below the feet of the buildings, which stand eight units below the horizon.
        _water(c, setting.horizon + 14.0)
    _lay(image, _layer("pattern", culture["pattern"], pixels))
    dress = DRESSES[thing.culture] if "palette" in setting.shown else PLAIN[setting.colours]
    # Two units into the cloth: a thing stands on it and not at its edge.
    base = c.moved(128.0 + setting.shift, TOP + 2, setting.scale / 100)
    FORMS[thing.concept][culture["form"]](base, dress, setting.variant)
    if thing.concept not in AFLOAT:
        oddment(c, setting.small, setting.variant)
    _lay(image, _layer("frame", culture["frame"], pixels))
    return image


def _lay(image: Image.Image, layer: Layer, drop: int = 0) -> None:
    colours, mask, (x, y) = layer
    image.paste(colours, (x, y + drop), mask)


def _weather(c: Canvas, setting: Setting) -> None:
    day = DAYS[setting.light]
    if setting.sun:
        c.disc(setting.sun, 62, 24, mix(day.low, day.sun, 50))
        c.disc(setting.sun, 62, 17, day.sun)
    if setting.cloud:
        x = float(setting.cloud)
        y = 46.0 + setting.variant % 30
        white = mix(day.low, (255, 255, 255), 62)
        c.bar(x - 26, y, x + 30, y + 10, white, 5)
        c.disc(x - 8, y, 11, white)
        c.disc(x + 9, y + 1, 9, white)
    for i in range(setting.birds):
        x, y = 150.0 + i * 19 + setting.variant % 9, 58.0 + (i * 13) % 24
        c.line(((x - 6, y - 3), (x - 2, y - 4), (x, y)), 2.2, darker(day.top, 45))
        c.line(((x, y), (x + 2, y - 4), (x + 6, y - 3)), 2.2, darker(day.top, 45))


def _water(c: Canvas, y: float) -> None:
    c.bar(0, y, 256, 256, WATER)
    c.bar(0, y, 256, y + 3, mix(WATER, ink("ffffff"), 50))
    for i, (x, dy, w) in enumerate(
        ((20, 12, 40), (188, 16, 44), (120, 26, 36), (34, 34, 30), (206, 38, 34))
    ):
        c.bar(x, y + dy, x + w, y + dy + 2.5, mix(WATER, ink("ffffff"), 34 if i % 2 else 46), 1)


@lru_cache(maxsize=32)
def _sky(light: str, pixels: int) -> Image.Image:
    c, day = Canvas.blank(pixels), DAYS[light]
    c.fade(day.top, day.low, 0, LEVEL + 12)
    return c.image


def _layer(motif: str, culture: str, pixels: int) -> Layer:
    return (_kept_layer if pixels <= _KEPT else _fresh_layer)(motif, culture, pixels)


def _fresh_layer(motif: str, culture: str, pixels: int) -> Layer:
    image = Image.new("RGBA", (pixels, pixels))
    unit = pixels / UNITS
    painter = ImageDraw.Draw(image)
    _LAYERS[motif][culture](Canvas(painter, painter, image, (unit, 0.0, 0.0, unit, 0.0, 0.0)))
    box = image.getbbox() or (0, 0, pixels, pixels)
    image = image.crop(box)
    # All or nothing: a painter of a transparent image replaces what lies below and does not blend,
    # so layers use opaque paint alone.
    mask = image.getchannel("A").convert("1")
    return image.convert("RGB").point(_hazed(_HAZE.get(motif, 0))), mask, (box[0], box[1])


# Four motifs in eleven looks make 44 layers of one size.
@lru_cache(maxsize=64)
def _kept_layer(motif: str, culture: str, pixels: int) -> Layer:
    return _fresh_layer(motif, culture, pixels)


def _hazed(percent: int) -> list[int]:
    """Air between the eye and the distance."""
    return [
        (value * (100 - percent) + air * percent + 50) // 100
        for air in (238, 238, 230)
        for value in range(256)
    ]


@lru_cache(maxsize=8)
def _lit(light: str) -> list[int]:
    return [
        min(255, value * percent // 100) for percent in DAYS[light].tint for value in range(256)
    ]
