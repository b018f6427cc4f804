"""What is worn at the neck or on the chest, in the frame of the body.

``side`` is the side of the chest that the prop leaves free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import (
    BRASS,
    INK,
    RED,
    STEEL,
    WHITE,
    choose,
    darker,
    ink,
    lighter,
)

_SCARVES = ("c4504a", "3f6a9a", "e0a93f", "4d7d62")


def _neckerchief(c: Canvas, n: int, side: int) -> None:
    colour = choose(_SCARVES, n)
    c.twin("M 0 188 C 14 187 20 183 23 178 L 31 187 C 27 199 14 207 0 208", colour)
    c.twin("M 0 196 C 12 195 20 190 26 184 L 28 186 C 22 193 12 198 0 199", darker(colour, 26), 170)
    for s in (-1, 1):
        c.shape(
            f"M 0 203 L {s * 5} 202 L {s * 17} 226 L {s * 6} 231 L 0 208",
            lighter(colour, 8) if s == side else darker(colour, 12),
        )
    c.disc(0, 205, 6.2, darker(colour, 8))
    for x, y in (
        (-18.0, 193.0),
        (-9.0, 200.0),
        (18.0, 193.0),
        (9.0, 200.0),
        (9.0, 219.0),
        (-9.0, 219.0),
    ):
        c.disc(x, y, 1.7, WHITE, 210)


def _patch(c: Canvas, n: int, side: int) -> None:
    x = side * 48.0
    c.disc(x, 222, 12.5, choose(("34508c", "7d3f6a", "2f6a68"), n))
    c.disc(x, 222, 10.4, ink("1f2d52"))
    c.disc(x - 1.5, 223.5, 5.4, ink("f0a648"))
    c.line(((x - 9.0, 227.0), (x, 223.0), (x + 9.0, 217.0)), 1.7, WHITE)
    c.disc(x + 4.5, 215.5, 1.3, WHITE)


def _tag(c: Canvas, n: int, side: int) -> None:
    x = side * 47.0
    c.bar(x - 16, 215, x + 16, 234, darker(WHITE, 34), radius=3)
    c.bar(x - 16, 214, x + 16, 232, WHITE, radius=3)
    c.bar(x - 16, 214, x + 16, 220, choose(("c4504a", "3f6a9a", "4d7d62"), n), radius=2)
    c.line(((x - 10.0, 226.0), (x + 9.0, 226.0)), 2.6, INK)


def _bow(c: Canvas, n: int, side: int) -> None:
    colour = choose(("a83c48", "3f5f9a", "3f7a68"), n)
    for s in (-1, 1):
        c.blob(
            (
                (s * 2.0, 199.0),
                (s * 12.0, 192.0),
                (s * 21.0, 191.0),
                (s * 22.0, 201.0),
                (s * 20.0, 211.0),
                (s * 11.0, 208.0),
                (s * 2.0, 204.0),
            ),
            colour,
        )
        c.line(((s * 5.0, 200.5), (s * 13.0, 198.0)), 1.5, lighter(colour, 30), 200)
    c.bar(-5, 195.5, 5, 207, lighter(colour, 14), radius=3.5)


def _card(c: Canvas, n: int, side: int) -> None:
    strap = choose(("3f6a9a", "b84f45", "3d8580"), n)
    for s in (-1, 1):
        c.line(((s * 25.0, 185.0), (s * 14.0, 212.0), (0.0, 232.0)), 3.2, strap)
    c.bar(-14, 231, 14, 268, darker(WHITE, 30), radius=4)
    c.bar(-13, 231, 13, 268, WHITE, radius=4)
    c.bar(-13, 231, 13, 238, strap, radius=3)
    c.bar(-8, 241, 8, 253, ink("b7c6d2"), radius=2)
    c.disc(0, 246, 3.2, ink("7f93a5"))
    c.line(((-7.0, 256.0), (7.0, 256.0)), 1.8, darker(WHITE, 50))


def _stethoscope(c: Canvas, n: int, side: int) -> None:
    tube = choose(("343a4a", "3d6f86", "8c3a4a"), n)
    s = float(side)
    c.line(((-26.0, 184.0), (-29.0, 204.0), (-20.0, 226.0), (-4.0, 236.0)), 4.4, tube)
    c.line(((26.0, 184.0), (29.0, 204.0), (20.0, 226.0), (4.0, 236.0)), 4.4, tube)
    c.line(
        ((0.0, 235.0), (s * 2.0, 248.0), (s * 16.0, 256.0), (s * 32.0, 248.0), (s * 36.0, 236.0)),
        4.4,
        tube,
    )
    c.disc(s * 36, 230, 9.5, darker(STEEL, 24))
    c.disc(s * 36, 230, 7.6, STEEL)
    c.disc(s * 36 - 2, 228, 3.4, WHITE, 200)
    for x in (-26.0, 26.0):
        c.disc(x, 184, 3.0, STEEL)


def _star(c: Canvas, n: int, side: int) -> None:
    x, y = side * 46.0, 223.0
    points = (
        (0, -15),
        (4.2, -5.2),
        (14.5, -4.6),
        (6.6, 2.2),
        (9.2, 12.4),
        (0, 6.8),
        (-9.2, 12.4),
        (-6.6, 2.2),
        (-14.5, -4.6),
        (-4.2, -5.2),
    )
    c.polygon(tuple((x + u * 1.08, y + 1.4 + v * 1.08) for u, v in points), darker(BRASS, 40))
    c.polygon(tuple((x + u, y + v) for u, v in points), BRASS)
    c.disc(x, y, 4.6, lighter(BRASS, 50))


def _comb(c: Canvas, n: int, side: int) -> None:
    x: float = side * 47.0
    colour: Ink = choose(("e0b04c", "c4504a", "7fb5b0"), n)
    c.bar(x - 8, 206, x + 8, 213, colour, radius=3)
    for i in range(5):
        c.bar(x - 7.6 + i * 3.4, 211, x - 6.0 + i * 3.4, 232, colour)
    c.bar(x - 14, 226, x + 14, 248, ink("4a4a56"), radius=3)
    c.bar(x - 14, 226, x + 14, 229, ink("70707c"))


def _bands(c: Canvas, n: int, side: int) -> None:
    for s in (-1, 1):
        c.shape(
            f"M {s * 1} 196 L {s * 8} 197 L {s * 15} 236 L {s * 3} 238",
            darker(WHITE, 14) if s == side else WHITE,
        )
    c.twin("M 0 190 C 12 190 20 186 23 180 L 27 186 C 24 198 12 201 0 201", WHITE)
    c.twin("M 0 198 C 12 198 20 195 26 187 L 27 189 C 22 199 12 201 0 201", darker(WHITE, 26))


def _wings(c: Canvas, n: int, side: int) -> None:
    x, y = side * 47.0, 222.0
    for s in (-1, 1):
        c.shape(
            f"M {x} {y - 1} C {x + s * 6} {y - 8} {x + s * 14} {y - 8} {x + s * 21} {y - 7} "
            f"C {x + s * 18} {y} {x + s * 10} {y + 5} {x} {y + 5}",
            BRASS,
        )
        c.line(((x + s * 6.0, y + 1.0), (x + s * 15.0, y - 3.0)), 1.3, darker(BRASS, 40))
    c.disc(x, y + 1, 5.4, darker(BRASS, 14))
    c.disc(x, y + 1, 3.0, RED)


Accessory = Callable[[Canvas, int, int], None]

NECKWEAR: Mapping[str, Accessory] = {
    "neckerchief": _neckerchief,
    "bow tie": _bow,
    "id card": _card,
    "stethoscope": _stethoscope,
    "bands": _bands,
}
"""Worn at the neck, below the hair: (canvas in the frame of the body, a free number, the free side
of the chest).
"""

BADGES: Mapping[str, Accessory] = {
    "mission patch": _patch,
    "name tag": _tag,
    "star badge": _star,
    "comb": _comb,
    "wings": _wings,
}
"""Worn on the chest, above the hair, so that no cut hides them."""
