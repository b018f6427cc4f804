"""Headwear, in the frame of the head. Brims end above the brows, and the hair below them stays in
sight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.curves import ellipse, rounded
from fairlead.phantom.drawing.palette import (
    BRASS,
    INK,
    IRON,
    RED,
    WHITE,
    choose,
    darker,
    ink,
    lighter,
)

# Under these, hair is flat and shows below the brim only. Goggles, headphones and the glass dome
# leave it as it is.
COVERING = frozenset(
    {
        "beret",
        "toque",
        "hard hat",
        "flat cap",
        "straw hat",
        "fire helmet",
        "cap",
        "scrub cap",
        "peaked cap",
    }
)
"""Headwear that covers the crown."""

_HARD = ("f3c13a", "f08a3c", "f4f1e8", "4f83c4")


def _shade(c: Canvas, lit: int, text: str) -> None:
    """The side of a hat away from the light, drawn for a light from the left."""
    c.moved(0, 0, flip=lit > 0).shape(text, (40, 28, 60), 38)


def _beret(c: Canvas, n: int, lit: int) -> None:
    colour = choose(("a8434c", "34405c", "4d6b58", "2f2d36"), n)
    c = c.moved(0, 0, flip=lit < 0)
    c.blob(
        (
            (-42.0, 78.0),
            (-46.0, 62.0),
            (-34.0, 44.0),
            (-4.0, 33.0),
            (30.0, 34.0),
            (54.0, 48.0),
            (58.0, 64.0),
            (44.0, 76.0),
            (0.0, 73.0),
        ),
        colour,
    )
    c.blob(((-4.0, 42.0), (22.0, 39.0), (40.0, 47.0), (20.0, 49.0)), lighter(colour, 22), 150)
    c.shape("M -42 80 C -34 66 34 66 42 80 C 30 73 -30 73 -42 80", darker(colour, 30))
    c.line(((2.0, 34.0), (4.0, 27.0)), 3.4, darker(colour, 12))


def _toque(c: Canvas, n: int, lit: int) -> None:
    white = choose(("fbf9f3", "fbf9f3", "f3ead9"), n)
    c.blob(
        (
            (-38.0, 66.0),
            (-52.0, 48.0),
            (-44.0, 28.0),
            (-24.0, 26.0),
            (-8.0, 16.0),
            (14.0, 17.0),
            (28.0, 26.0),
            (46.0, 29.0),
            (52.0, 48.0),
            (38.0, 66.0),
        ),
        white,
    )
    _shade(c, lit, "M 16 66 C 22 48 30 36 28 26 C 38 22 56 32 50 52 C 47 60 42 64 38 70")
    for x, top in ((-20.0, 42.0), (-2.0, 36.0), (18.0, 42.0)):
        c.line(((x, 66.0), (x * 1.1, 54.0), (x * 1.3, top)), 2.2, darker(white, 22), 150, end=0.8)
    c.twin("M 0 60 C 18 60 32 61 40 64 L 41 84 C 30 80 14 78 0 78", darker(white, 7))
    c.twin("M 0 76 C 14 76 30 78 41 82 L 41 84.5 C 30 80.5 14 78.5 0 78.5", darker(white, 26))


def _hard(c: Canvas, n: int, lit: int) -> None:
    colour = choose(_HARD, n)
    c.twin("M 0 31 C 28 31 43 46 44.5 76 L 0 80", colour)
    _shade(c, lit, "M 20 35 C 38 42 44 58 44.5 76 L 30 77 C 32 58 28 44 20 35")
    c.twin("M 0 28 C 6 28 8 30 8 34 L 9 74 L 0 75", lighter(colour, 30))
    c.line(((-24.0, 42.0), (-31.0, 54.0), (-33.0, 68.0)), 3.0, lighter(colour, 60), 150, end=1.0)
    c.twin("M 0 74 C 24 74 40 75 50 80 C 50 86 46 87 42 86 C 30 81 14 80 0 80", darker(colour, 10))
    c.twin("M 0 79 C 16 79 34 81 49 86 C 34 84 16 82.5 0 82.5", darker(colour, 38))


def _flat(c: Canvas, n: int, lit: int) -> None:
    colour = choose(("7a6a58", "56606e", "8a5a48", "5f6a4c"), n)
    c.twin("M 0 42 C 30 42 48 54 48 70 C 46 78 42 80 40 82 C 28 74 12 72 0 72", colour)
    _shade(
        c,
        lit,
        "M 20 44 C 38 50 49 60 48 70 C 46 77 43 79 40 82 C 36 78 32 76 26 75 C 32 64 28 52 20 44",
    )
    for x in (-26.0, -9.0, 9.0, 26.0):
        c.line(((x * 0.5, 43.0), (x * 0.9, 56.0), (x, 71.0)), 1.6, darker(colour, 24), 170)
    c.twin("M 0 68 C 20 68 36 72 41 82 C 30 86 12 80 0 80", darker(colour, 30))
    c.disc(0, 42.5, 3.4, darker(colour, 20))


def _straw(c: Canvas, n: int, lit: int) -> None:
    colour = choose(("e6c277", "ddb562", "ecd092"), n)
    ribbon = choose(("a8434c", "3f6a6b", "4a4f7a"), n // 3)
    # The lowest of all brims, down to y = 88.5: a lifted brow begins at 91.
    c.disc(0, 76, 66, darker(colour, 26), tall=12.5)
    c.disc(0, 73.5, 66, colour, tall=11.5)
    c.twin("M 0 36 C 24 36 33 40 35 54 L 39 75 C 26 80 12 81 0 81", lighter(colour, 12))
    _shade(c, lit, "M 14 37 C 28 38 33 42 35 54 L 39 75 C 34 78 30 79 24 79.5 C 27 62 22 46 14 37")
    c.twin("M 0 67 C 14 67 26 65 36.5 61 L 39 74 C 28 79 14 80.5 0 80.5", ribbon)
    for i in range(3):
        c.twin(
            f"M 0 {45 + i * 7} C 14 {45 + i * 7} 24 {44 + i * 7} {33 + i} {42 + i * 7} "
            f"L {33 + i} {43.4 + i * 7} C 24 {45.4 + i * 7} 14 {46.4 + i * 7} 0 {46.4 + i * 7}",
            darker(colour, 20),
            130,
        )
    for s in (-1, 1):
        c.line(((s * 46.0, 74.0), (s * 58.0, 73.0)), 1.4, darker(colour, 20), 130)


def _fire(c: Canvas, n: int, lit: int) -> None:
    colour = choose(("c8433a", "e2b93f", "33363f"), n)
    c.twin("M 0 24 C 6 24 9 28 10 34 C 32 36 43 50 45 74 L 0 78", colour)
    _shade(c, lit, "M 20 38 C 38 44 44 58 45 74 L 30 75 C 32 58 28 46 20 38")
    for s in (-1, 1):
        c.line(((s * 12.0, 37.0), (s * 24.0, 50.0), (s * 28.0, 72.0)), 2.4, darker(colour, 26))
    c.twin("M 0 71 C 26 71 44 73 56 82 C 54 88 48 88 43 86 C 30 80 14 79 0 79", darker(colour, 14))
    c.twin("M 0 78 C 18 78 38 81 55 86 C 38 85 18 82 0 82", darker(colour, 42))
    c.twin("M 0 42 L 13 46 C 14 60 10 68 0 73", BRASS)
    c.twin("M 0 46 L 9.5 49 C 10 58 7 64 0 68.5", ink("f7e3a6"))
    c.shape("M 0 50 C 5 55 5 60 0 64 C -5 60 -5 55 0 50", RED)


def _cap(c: Canvas, n: int, lit: int) -> None:
    colour = choose(("3f5f8a", "b84f45", "4d6b58", "3a3d48"), n)
    c.twin("M 0 36 C 30 36 43 52 43 80 C 30 75 14 73 0 73", colour)
    _shade(c, lit, "M 20 39 C 37 46 43 60 43 80 C 38 77 34 76 29 75.4 C 32 60 28 48 20 39")
    for s in (-1, 1):
        c.line(((s * 4.0, 37.0), (s * 20.0, 52.0), (s * 25.0, 74.0)), 1.5, darker(colour, 24), 170)
    c.twin("M 0 69 C 20 69 40 73 49 86 C 34 89 14 80 0 80", darker(colour, 24))
    c.twin("M 0 69 C 20 69 38 72 46 81 C 30 76 14 75 0 75", lighter(colour, 16))
    c.bar(-11, 50, 11, 64, lighter(colour, 70), radius=4)
    c.disc(0, 36.5, 3.2, darker(colour, 24))


def _scrub(c: Canvas, n: int, lit: int) -> None:
    colour = choose(("4fa39a", "6b9fd0", "8b8fd0", "d98ba0"), n)
    c.twin("M 0 37 C 32 37 45 54 44 84 C 30 78 14 76 0 76", colour)
    _shade(c, lit, "M 20 40 C 40 48 45 62 44 84 C 38 80 34 79 28 78 C 34 62 30 50 20 40")
    for x, y in (
        (-22.0, 56.0),
        (-6.0, 48.0),
        (12.0, 54.0),
        (26.0, 62.0),
        (-32.0, 68.0),
        (-12.0, 64.0),
        (4.0, 66.0),
    ):
        c.disc(x, y, 2.4, WHITE, 170)
    c.twin("M 0 70 C 16 70 34 72 44.4 78 L 44 86 C 30 80 14 77.5 0 77.5", darker(colour, 16))
    for s in (-1, 1):
        c.disc(s * 44.0, 82, 4.0, darker(colour, 16))


def _peaked(c: Canvas, n: int, lit: int) -> None:
    crown = choose(("f5f2ea", "333f5e", "2f3a4f"), n)
    band = ink("252b3d")
    c.blob(
        (
            (-40.0, 64.0),
            (-54.0, 54.0),
            (-44.0, 42.0),
            (-20.0, 35.0),
            (0.0, 29.0),
            (20.0, 35.0),
            (44.0, 42.0),
            (54.0, 54.0),
            (40.0, 64.0),
            (0.0, 66.0),
        ),
        crown,
    )
    _shade(c, lit, "M 18 35 C 34 40 60 46 53 56 C 48 62 44 63 40 65 L 26 66 C 36 54 30 42 18 35")
    c.twin("M 0 58 C 16 58 32 59 41 62 L 41 76 C 28 72 14 71 0 71", band)
    c.twin("M 0 69 C 14 69 28 70 41 74 L 41 76.4 C 28 72.4 14 71.4 0 71.4", BRASS)
    c.twin("M 0 71 C 18 71 34 73 42 77 C 40 87 34 88 28 86 C 18 83 8 82.4 0 82.4", ink("1d212e"))
    c.twin("M 0 73 C 16 73 28 74.6 37 78 C 26 76.4 14 75.6 0 75.6", ink("4d566e"))
    c.disc(0, 53, 7.5, BRASS)
    c.disc(0, 53, 4.2, darker(BRASS, 26))


def _goggles(c: Canvas, n: int, lit: int) -> None:
    strap = choose(("3a4358", "8a5a38", "b8574a"), n)
    c.twin("M 0 62 C 20 62 36 66 41 74 L 41 82 C 34 74 18 71 0 71", strap)
    for s in (-1, 1):
        lens = rounded(s * 16.5 - 14, 56.0, s * 16.5 + 14, 79.0, 9.0)
        c.polygon(lens, ink("9fd3dc"))
        c.shape(
            f"M {s * 16.5 - 8} 74 L {s * 16.5 + 1} 58 L {s * 16.5 + 6} 58 L {s * 16.5 - 3} 76",
            WHITE,
            120,
        )
        c.loop(lens, 4.0, IRON)
    c.bar(-4, 64, 4, 69, IRON, radius=2)


def _headphones(c: Canvas, n: int, lit: int) -> None:
    colour = choose(("5f6f9a", "b84f45", "e8e2d4", "3d8580"), n)
    c.line(
        (
            (-43.0, 104.0),
            (-45.0, 72.0),
            (-26.0, 45.0),
            (0.0, 38.0),
            (26.0, 45.0),
            (45.0, 72.0),
            (43.0, 104.0),
        ),
        6.0,
        colour,
    )
    c.line(((-28.0, 47.0), (0.0, 38.5), (28.0, 47.0)), 2.0, lighter(colour, 40), 170)
    for s in (-1, 1):
        c.bar(s * 45 - 8, 96, s * 45 + 8, 127, colour, radius=8)
        c.bar(s * 39 - 3.5, 98, s * 39 + 3.5, 125, darker(colour, 34), radius=3.5)
        c.bar(s * 48 - 1.6, 104, s * 48 + 1.6, 119, lighter(colour, 40), radius=1.6)


def _dome(c: Canvas, n: int, lit: int) -> None:
    # Wide enough for the fullest hair, 66 to each side, and so thin that the face stays in sight.
    globe = ellipse(0, 100, 72, 75, 10)
    c.polygon(globe, ink("cfe6f2"), 34)
    c.loop(globe, 3.6, ink("eef6fa"), 215)
    s = float(lit)
    c.line(((s * 58.0, 78.0), (s * 50.0, 58.0), (s * 34.0, 42.0)), 6.0, WHITE, 150, end=3.0)
    c.disc(s * 61, 92, 3.2, WHITE, 150)


HATS: Mapping[str, Callable[[Canvas, int, int], None]] = {
    "beret": _beret,
    "toque": _toque,
    "hard hat": _hard,
    "flat cap": _flat,
    "straw hat": _straw,
    "fire helmet": _fire,
    "cap": _cap,
    "scrub cap": _scrub,
    "peaked cap": _peaked,
    "goggles": _goggles,
    "headphones": _headphones,
    "glass dome": _dome,
}
"""Headwear: (canvas in the frame of the head, a free number, the lit side)."""


def head_lamp(c: Canvas, hatted: bool) -> None:
    """A lamp on the brow, on a strap where there is no hat."""
    y = 60.0 if hatted else 66.0
    if not hatted:
        c.twin("M 0 61 C 20 61 36 65 41 73 L 41 79 C 34 72 18 68 0 68", ink("3a4358"))
    c.glow(0, y, 26, ink("fff3c4"), 26)
    c.disc(0, y, 10.5, INK)
    c.disc(0, y, 7.6, ink("fff6d8"))
    c.disc(0, y, 4.0, WHITE)


def pencil(c: Canvas, n: int, side: int) -> None:
    """A pencil behind the ear, its point upwards."""
    body: Ink = choose(("f0b83c", "d65a4a", "4f83c4"), n)
    s = float(side)
    ax, ay, bx, by = s * 39, 110.0, s * 49, 79.0
    c.line(((ax, ay), (bx, by)), 6.4, darker(body, 24))
    c.line(((ax - s * 0.9, ay), (bx - s * 0.9, by)), 4.0, body)
    c.line(((bx, by), (bx + s * 2.4, by - 7.4)), 5.8, ink("f2d9b0"), end=1.6)
    c.disc(bx + s * 2.5, by - 7.8, 1.6, INK)
    c.line(((ax, ay), (ax - s * 1.0, ay + 3.2)), 6.4, ink("e59a94"))


def brim_shadow(c: Canvas) -> None:
    """The shadow a hat throws on the forehead."""
    c.twin("M 0 76 L 38 78 L 37 92 C 28 87 14 85 0 85", (46, 26, 40), 52)
