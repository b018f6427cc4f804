"""A supersampled canvas in units of 1/256 of the picture, whatever its size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImagePath

from fairlead.phantom.drawing.curves import (
    Outline,
    Points,
    cornered,
    ellipse,
    half,
    line,
    path,
    ring,
    rounded,
    smooth,
)
from fairlead.types.ragged import Array

Ink = tuple[int, int, int]
Frame = tuple[float, float, float, float, float, float]
UNITS = 256
# Half the width, in units, below which an ellipse hardly shows that it does not lean.
_SMALL = 16.0
_NOWHERE, _REACHED = (0, 0, 0), (255, 255, 255)


@dataclass(frozen=True)
class Canvas:
    """Where shapes are painted. A canvas seen through another frame (``moved``, ``leaning``) shares
    its pixels.

    Polygons are handed to Pillow with whole-number corners whose rows alternate between even and
    odd: an edge then never passes exactly between two pixels, and the fill does not depend on how a
    machine rounds.

    Attributes:
        solid: Painter of opaque shapes.
        glaze: Painter of see-through shapes, on the same pixels.
        image: The pixels.
        frame: The six numbers (a, b, c, d, e, f) of x' = a x + b y + e, y' = c x + d y + f, from
            units to pixels.
        protected: Whether what is painted depends on a protected attribute.
        reach: Whether the canvas records where protected paint shows, instead of colours.
    """

    solid: ImageDraw.ImageDraw
    glaze: ImageDraw.ImageDraw
    image: Image.Image
    frame: Frame
    protected: bool = False
    reach: bool = False

    @classmethod
    def blank(cls, pixels: int, reach: bool = False) -> Canvas:
        """An empty canvas of so many pixels a side."""
        image = Image.new("RGB", (pixels, pixels))
        unit = pixels / UNITS
        # The painter in RGBA mode blends see-through paint into the picture; the plain one would
        # overwrite.
        return cls(
            ImageDraw.Draw(image),
            ImageDraw.Draw(image, "RGBA"),
            image,
            (unit, 0.0, 0.0, unit, 0.0, 0.0),
            reach=reach,
        )

    def moved(self, x: float, y: float, scale: float = 1.0, flip: bool = False) -> Canvas:
        """The canvas with its origin at (x, y), enlarged, and mirrored where ``flip``."""
        a, b, c, d, e, f = self.frame
        s = -scale if flip else scale
        return self._through(
            (a * s, b * scale, c * s, d * scale, a * x + b * y + e, c * x + d * y + f)
        )

    def leaning(self, x: float, y: float, lean: float) -> Canvas:
        """The canvas turned about (x, y) by a small angle (its tangent)."""
        a, b, c, d, e, f = self.frame
        # The first terms of the cosine: math.cos may differ in its last digit between machines.
        cos = 1 - lean * lean / 2
        turn = (a * cos + b * lean, b * cos - a * lean, c * cos + d * lean, d * cos - c * lean)
        px, py = a * x + b * y + e, c * x + d * y + f
        return self._through(
            (*turn, px - turn[0] * x - turn[1] * y, py - turn[2] * x - turn[3] * y)
        )

    def shielded(self) -> Canvas:
        """The canvas for paint that depends on presentation or skin."""
        # Not by dataclasses.replace, which is slow: every portrait passes here many times.
        return Canvas(self.solid, self.glaze, self.image, self.frame, True, self.reach)

    def polygon(self, shape: Outline | Points, ink: Ink, alpha: int = 255) -> None:
        """Fill an outline, or the outline with these corners."""
        brush = self._brush(ink, alpha)
        if brush:
            shape = shape if isinstance(shape, Outline) else cornered(shape)
            brush[0].polygon(_placed(shape, self.frame), fill=brush[1])

    def shape(self, text: str, ink: Ink, alpha: int = 255) -> None:
        """Fill an outline given in SVG's words."""
        self.polygon(path(text), ink, alpha)

    def twin(self, text: str, ink: Ink, alpha: int = 255) -> None:
        """Fill a symmetric outline given by its right half, top to bottom, about x = 0."""
        self.polygon(half(text), ink, alpha)

    def pair(self, text: str, ink: Ink, alpha: int = 255) -> None:
        """Fill an outline given in SVG's words, and its mirror image about x = 0."""
        self.moved(0, 0, flip=True).shape(text, ink, alpha)
        self.shape(text, ink, alpha)

    def blob(self, points: Points, ink: Ink, alpha: int = 255) -> None:
        """Fill a smooth closed curve through the points."""
        self.polygon(smooth(points), ink, alpha)

    def line(
        self, points: Points, width: float, ink: Ink, alpha: int = 255, end: float = -1.0
    ) -> None:
        """A line with round ends through the points, straight between two, smooth between more."""
        self.polygon(line(points, width, end), ink, alpha)

    def bent(self, points: Points, width: float, ink: Ink, alpha: int = 255) -> None:
        """A line with round ends and sharp bends."""
        for first, second in pairwise(points):
            self.polygon(line((first, second), width), ink, alpha)

    def loop(self, shape: Outline | Points, width: float, ink: Ink, alpha: int = 255) -> None:
        """A closed line along an outline."""
        self.polygon(
            ring(shape if isinstance(shape, Outline) else cornered(shape), width), ink, alpha
        )

    def bar(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        ink: Ink,
        radius: float = 0.0,
        alpha: int = 255,
    ) -> None:
        """Fill a rectangle, its corners rounded; left and right may be swapped."""
        if radius:
            left, right = min(x0, x1), max(x0, x1)
            self.polygon(rounded(left, y0, right, y1, radius), ink, alpha)
        # Pillow's rectangles stand upright: a bar that leans is a polygon.
        elif self.frame[1]:
            self.polygon(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), ink, alpha)
        else:
            a, _, _, d, e, f = self.frame
            left, right = sorted((a * x0 + e, a * x1 + e))
            brush = self._brush(ink, alpha)
            if brush:
                brush[0].rectangle(_box(left, d * y0 + f, right, d * y1 + f), fill=brush[1])

    def disc(
        self, x: float, y: float, radius: float, ink: Ink, alpha: int = 255, tall: float = 0.0
    ) -> None:
        """Fill a circle, or an ellipse of half-height ``tall``; a small ellipse does not lean with
        its frame.
        """
        a, b, c, d, e, f = self.frame
        # Pillow's ellipses stand upright as well, and expect y to run downwards.
        if b and tall and radius > _SMALL:
            self.polygon(ellipse(x, y, radius, tall or radius), ink, alpha)
            return
        cx, cy = a * x + b * y + e, c * x + d * y + f
        rx, ry = abs(a) * radius, d * (tall or radius)
        brush = self._brush(ink, alpha)
        if brush:
            brush[0].ellipse(_box(cx - rx, cy - ry, cx + rx, cy + ry), fill=brush[1])

    def glow(self, x: float, y: float, radius: float, ink: Ink, alpha: int = 13) -> None:
        """A soft light: thin discs on one another."""
        for part in range(10, 2, -1):
            self.disc(x, y, radius * part / 10, ink, alpha)

    def fade(self, top: Ink, bottom: Ink, y0: float, y1: float) -> None:
        """Fill the rows y0..y1 from one colour to another."""
        self.fade_box(0, y0, UNITS, y1, top, bottom)

    def fade_box(self, x0: float, y0: float, x1: float, y1: float, top: Ink, bottom: Ink) -> None:
        """Fill a rectangle from one colour at its top to another at its bottom."""
        # Bands of one colour each, mixed in whole numbers: the same on every machine.
        bands = 24
        for i in range(bands):
            ink = (
                top[0] + (bottom[0] - top[0]) * i // (bands - 1),
                top[1] + (bottom[1] - top[1]) * i // (bands - 1),
                top[2] + (bottom[2] - top[2]) * i // (bands - 1),
            )
            self.bar(x0, y0 + (y1 - y0) * i / bands, x1, y0 + (y1 - y0) * (i + 1) / bands, ink)

    def _through(self, frame: Frame) -> Canvas:
        return Canvas(self.solid, self.glaze, self.image, frame, self.protected, self.reach)

    def _brush(self, ink: Ink, alpha: int) -> tuple[ImageDraw.ImageDraw, tuple[int, ...]] | None:
        """What to paint with; nothing where thin paint would not hide what the reach has recorded
        below it.
        """
        if not self.reach:
            if alpha == 255:
                return (self.solid, ink)
            return (self.glaze, (*ink, alpha))
        if self.protected:
            return self.solid, _REACHED
        # What is opaque hides whatever was protected below it, so it clears the record again.
        if alpha == 255:
            return (self.solid, _NOWHERE)
        return None


@lru_cache(maxsize=64)
def _parity(corners: int) -> tuple[Array, Array]:
    odd = np.arange(corners) % 2
    return np.where(odd, 0.0, 0.5), odd.astype(float)


@lru_cache(maxsize=1 << 15)
def _placed(shape: Outline, frame: Frame) -> Any:
    """The corners in pixels: x to the nearest column, y to even and odd rows by turns."""
    a, b, c, d, e, f = frame
    xs, ys = shape.xs, shape.ys
    half_row, odd = _parity(len(xs))
    out = np.empty((len(xs), 2))
    across, down = xs * a, ys * (d / 2)
    if b or c:
        across += ys * b
        down += xs * (c / 2)
    np.floor(across + (e + 0.5), out=out[:, 0])
    np.floor(down + (f / 2 + half_row), out=down)
    out[:, 1] = down * 2 + odd
    # As Pillow's own path: it would convert a list anew at every drawing.
    return ImagePath.Path(out.ravel().tolist())


def _box(x0: float, y0: float, x1: float, y1: float) -> tuple[int, int, int, int]:
    # int() cuts towards 0, and shapes reach out of the picture: the shift keeps all above 0. Pillow
    # paints the right and lower edge too, so they come in by one pixel; a thin bar keeps one.
    left, top = int(x0 + 4096.5) - 4096, int(y0 + 4096.5) - 4096
    return left, top, max(int(x1 + 4096.5) - 4097, left), max(int(y1 + 4096.5) - 4097, top)
