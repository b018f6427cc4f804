"""Shops and kitchens behind the sitter."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.palette import (
    AMBER,
    BLUE,
    LEAF,
    OAK,
    RED,
    STEEL,
    WHITE,
    Room,
    darker,
    ink,
    lighter,
    mix,
)
from fairlead.phantom.drawing.rooms import far, papered, shelf


def bakery(c: Canvas, r: Room) -> None:
    """Shelves of bread."""
    papered(c, r)
    crust = (ink("cf9450"), ink("dba765"), ink("b9793e"))
    for row, y in enumerate((62.0, 128.0, 194.0)):
        for i in range(6):
            x = 20 + i * 44 - row * 10
            tone = far(crust[(i + row) % 3], r, 18)
            if (i + row) % 2:
                c.shape(f"M {x - 17} {y} C {x - 22} {y - 26} {x + 22} {y - 26} {x + 17} {y}", tone)
                for d in (-7, 1, 9):
                    c.line(
                        ((x + d - 3.0, y - 7.0), (x + d + 2.0, y - 15.0)), 2.4, lighter(tone, 45)
                    )
            else:
                for d in (-10, 0, 10):
                    c.line(
                        ((x + d, y - 4.0), (x + d * 1.3, y - 38.0)),
                        9.5,
                        darker(tone, 4 + abs(d)),
                        end=7.0,
                    )
        shelf(c, r, y)


def butchery(c: Canvas, r: Room) -> None:
    """Tiles, a rail with hooks, hams."""
    papered(c, r)
    line = mix(r.wall, WHITE, 55)
    for i in range(9):
        c.bar(0, 22 + i * 28, 256, 24 + i * 28, line)
        for j in range(7):
            left = j * 44 + (i % 2) * 22
            c.bar(left, 24 + i * 28, left + 2, 50 + i * 28, line)
    c.bar(0, 14, 256, 20, far(STEEL, r, 10))
    meat = far(ink("bf5f52"), r, 20)
    for x in (26.0, 66.0, 192.0, 230.0):
        c.line(((x, 18.0), (x + 4.0, 30.0), (x, 38.0)), 3.4, far(ink("6c7788"), r, 10))
        c.blob(
            (
                (x - 5.0, 38.0),
                (x + 5.0, 38.0),
                (x + 17.0, 72.0),
                (x + 10.0, 98.0),
                (x - 10.0, 98.0),
                (x - 17.0, 72.0),
            ),
            meat,
        )
        c.disc(x, 86, 8, far(ink("f3dfcf"), r, 10), tall=6)
        c.line(((x - 9.0, 62.0), (x - 11.0, 80.0)), 3.0, lighter(meat, 40), 150)


def kitchen(c: Canvas, r: Room) -> None:
    """Pans on a rail, a hood, tiles."""
    papered(c, r)
    tile = mix(r.wall, WHITE, 40)
    for i in range(6):
        for j in range(8):
            c.bar(j * 33 - 6, 118 + i * 25, j * 33 + 24, 140 + i * 25, tile, radius=2)
    steel, copper = far(STEEL, r, 12), far(ink("cf7f4f"), r, 14)
    c.shape("M 150 0 L 256 0 L 256 34 L 138 34", darker(steel, 8))
    c.bar(132, 34, 256, 46, steel)
    c.bar(0, 30, 110, 34.5, far(ink("6c7788"), r, 10))
    for x, rad, colour in ((22.0, 19.0, copper), (66.0, 16.0, far(ink("59616f"), r, 12))):
        c.line(((x, 34.0), (x, 66.0)), 5.0, darker(colour, 20))
        c.disc(x, 80, rad, colour)
        c.disc(x, 80, rad - 5, darker(colour, 16))
    for x in (192.0, 216.0, 240.0):
        c.line(((x, 46.0), (x, 84.0)), 3.4, far(OAK, r, 12))
        c.disc(x, 90, 7.5, steel, tall=10)


def flower_shop(c: Canvas, r: Room) -> None:
    """An awning and rows of flowers."""
    papered(c, r)
    petals = (ink("e0697a"), ink("f4c64e"), ink("b886c4"), ink("f7efe4"), ink("f08f5a"))
    for row, y in enumerate((112.0, 184.0)):
        for i, x in enumerate((18.0, 58.0, 98.0, 158.0, 198.0, 238.0)):
            c.shape(
                f"M {x - 14} {y - 22} L {x + 14} {y - 22} L {x + 10} {y} L {x - 10} {y}",
                far(ink("c27a52") if (i + row) % 2 else ink("9fb3bd"), r, 20),
            )
            for d, e in ((-10, 0), (0, -9), (10, -1)):
                c.line(((x + d * 0.4, y - 22.0), (x + d, y - 34.0 + e)), 3.0, far(LEAF, r, 14))
                c.disc(x + d, y - 37 + e, 7.2, far(petals[(i + row) % 5], r, 10))
                c.disc(x + d, y - 37 + e, 2.6, far(petals[(i + row + 1) % 5], r, 10))
        shelf(c, r, y)
    for i in range(8):
        c.shape(
            f"M {i * 32} 0 L {i * 32 + 32} 0 L {i * 32 + 32} 30 Q {i * 32 + 16} 46 {i * 32} 30",
            far(WHITE, r, 6) if i % 2 else far(r.accent, r, 8),
        )


def salon(c: Canvas, r: Room) -> None:
    """A mirror with bulbs, a shelf of bottles."""
    papered(c, r)
    c.bar(34, 8, 222, 186, far(ink("8c5f70"), r, 22), radius=14)
    c.bar(46, 20, 210, 176, far(ink("e4f0f2"), r, 20), radius=8)
    c.shape("M 60 176 L 150 20 L 178 20 L 88 176", WHITE, 70)
    for x, y in (
        (40.0, 32.0),
        (40.0, 66.0),
        (40.0, 100.0),
        (40.0, 134.0),
        (216.0, 32.0),
        (216.0, 66.0),
        (216.0, 100.0),
        (216.0, 134.0),
        (74.0, 14.0),
        (110.0, 14.0),
        (146.0, 14.0),
        (182.0, 14.0),
    ):
        c.disc(x, y, 9.5, ink("fff0b8"), 110)
        c.disc(x, y, 6.2, ink("fffbe8"))
    for x, colour in ((10.0, RED), (24.0, BLUE), (234.0, LEAF), (248.0, AMBER)):
        c.bar(x - 6, 150, x + 6, 180, far(colour, r, 22), radius=3)
        c.bar(x - 2.5, 142, x + 2.5, 152, far(ink("3a3440"), r, 20))
    shelf(c, r, 180)


def pharmacy(c: Canvas, r: Room) -> None:
    """Shelves of boxes and bottles, a green cross."""
    papered(c, r)
    tones = (ink("7fb8a0"), ink("e3a36f"), ink("8fb2d6"), ink("e8d59a"), ink("d48f98"))
    for row, y in enumerate((92.0, 144.0, 196.0)):
        for i in range(9):
            x, tone = 6 + i * 28.5, far(tones[(i * 2 + row) % 5], r, 20)
            if (i + row) % 3:
                c.bar(x, y - 32, x + 23, y, tone, radius=2)
                c.bar(x, y - 23, x + 23, y - 12, far(WHITE, r, 10))
            else:
                c.bar(x + 3, y - 26, x + 20, y, tone, radius=4)
                c.bar(x + 5, y - 34, x + 18, y - 26, far(WHITE, r, 10), radius=2)
        shelf(c, r, y)
    for x in (38.0, 218.0):
        c.bar(x - 8, 6, x + 8, 50, ink("3f9e6a"), radius=2)
        c.bar(x - 22, 20, x + 22, 36, ink("3f9e6a"), radius=2)


def restaurant(c: Canvas, r: Room) -> None:
    """Hanging lamps, a rack of bottles, laid tables."""
    papered(c, r)
    for i in range(8):
        c.bar(i * 33, 0, i * 33 + 16, 256, r.pale, alpha=70)
    lamp = far(r.accent, r, 4)
    for x, y in ((40.0, 62.0), (216.0, 62.0)):
        c.line(((x, 0.0), (x, y - 24)), 2.6, ink("4a4250"))
        c.glow(x, y + 6, 44, ink("fff0b8"), 24)
        c.shape(
            f"M {x - 8} {y - 26} L {x + 8} {y - 26} C {x + 12} {y - 12} {x + 26} {y - 8} "
            f"{x + 28} {y + 2} "
            f"L {x - 28} {y + 2} C {x - 26} {y - 8} {x - 12} {y - 12} {x - 8} {y - 26}",
            lamp,
        )
        c.disc(x, y + 4, 8, ink("fff8dc"), tall=6)
    for x in (32.0, 224.0):
        c.disc(x, 178, 46, far(WHITE, r, 8), tall=9)
        c.shape(f"M {x - 46} 178 L {x + 46} 178 L {x + 40} 256 L {x - 40} 256", far(WHITE, r, 14))
        c.bar(x - 7, 136, x + 7, 176, far(ink("3f6f5a"), r, 12), radius=5)
        c.bar(x - 3, 116, x + 3, 140, far(ink("3f6f5a"), r, 12))
        c.bar(x - 7, 152, x + 7, 166, far(ink("f3e2c4"), r, 10))
