"""Cloth and tiles in front of the thing: a band from y = 212 to the lower edge."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import ink, mix
from fairlead.phantom.scenery.marks import diamond, dome, flower, poly, ring

TOP = 212.0
# Half way down what is seen: the frame covers the lowest 12 units.
_MID = 228.0


def _cloth(c: Canvas, colour: Ink, edge: Ink, width: float = 3.0) -> None:
    c.bar(0, TOP, 256, 256, colour)
    c.bar(0, TOP, 256, TOP + width, edge)


def plain(c: Canvas) -> None:
    """Undyed cloth."""
    _cloth(c, ink("cfcac0"), ink("dedad2"))
    c.bar(0, TOP + 3, 256, TOP + 5, ink("bfbab0"))


def british(c: Canvas) -> None:
    """Tartan."""
    green, navy, red, cream = (ink(x) for x in ("2f6152", "2c3f63", "b04a41", "efe0b8"))
    _cloth(c, green, green)
    for x in range(-8, 256, 44):
        c.bar(x, TOP, x + 18, 256, mix(green, navy, 70))
        c.bar(x + 30, TOP, x + 33, 256, red)
    c.bar(0, TOP + 10, 256, TOP + 20, mix(green, navy, 62))
    for x in range(-8, 256, 44):
        # Where two stripes of a tartan cross, their colour is full.
        c.bar(x, TOP + 10, x + 18, TOP + 20, navy)
    c.bar(0, TOP + 25, 256, TOP + 28, red)
    for x in range(-8, 256, 44):
        c.bar(x + 30, TOP + 25, x + 33, TOP + 28, cream)
        c.bar(x + 8, TOP, x + 10, 256, cream)
    c.bar(0, TOP + 14, 256, TOP + 16, cream)


def french(c: Canvas) -> None:
    """A Provençal print: sprigs on blue, a scalloped yellow hem."""
    _cloth(c, ink("5877b4"), ink("f2cf66"), 6)
    for x in range(0, 264, 16):
        dome(c, x, TOP + 6, 8, -6, ink("f2cf66"))
    for i, x in enumerate(range(8, 260, 16)):
        y = TOP + (18 if i % 2 else 25)
        c.disc(x - 3.6, y + 2, 3.4, ink("8fb27a"), tall=2)
        c.disc(x + 3.6, y + 2, 3.4, ink("8fb27a"), tall=2)
        c.disc(x, y - 1.6, 3.4, ink("fbf3e2"))
        c.disc(x, y - 1.6, 1.4, ink("e2b14a"))


def mexican(c: Canvas) -> None:
    """A sarape: many stripes, stepped diamonds."""
    y = TOP
    for height, tone in (
        (4, "5a2b5c"),
        (4, "f6b63a"),
        (3, "1faea6"),
        (12, "e2447f"),
        (3, "1faea6"),
        (4, "f6b63a"),
        (14, "5a2b5c"),
    ):
        c.bar(0, y, 256, y + height, ink(tone))
        y += height
    for x in range(4, 264, 24):
        for k, tone in ((9, "fff1d8"), (5, "5a2b5c")):
            for step in range(3):
                half = k * (3 - step) / 3
                c.bar(
                    x - half,
                    _MID + 1 - 2.0 * (step + 1),
                    x + half,
                    _MID + 1 + 2.0 * (step + 1),
                    ink(tone),
                )


def chinese(c: Canvas) -> None:
    """A key fret in gold on red."""
    gold = ink("efc25a")
    _cloth(c, ink("b8302a"), gold, 3)
    c.bar(0, TOP + 5, 256, TOP + 6.5, gold)
    for x in range(2, 260, 22):
        c.bent(
            (
                (x, TOP + 28.0),
                (x, TOP + 11.0),
                (x + 16.0, TOP + 11.0),
                (x + 16.0, TOP + 24.0),
                (x + 7.0, TOP + 24.0),
                (x + 7.0, TOP + 18.0),
                (x + 11.0, TOP + 18.0),
            ),
            2.6,
            gold,
        )


def japanese(c: Canvas) -> None:
    """Overlapping wave scales in indigo."""
    blue, white = ink("35568f"), ink("f4f0e4")
    _cloth(c, blue, ink("27406e"), 3)
    for row in range(4):
        y = TOP + 14 + row * 9
        for x in range(-12 + (row % 2) * 12, 270, 24):
            for r, tone in ((12, white), (9.6, blue), (6.6, white), (4.2, blue)):
                dome(c, x, y, r, r, tone)


def arab(c: Canvas) -> None:
    """Tilework: stars of diamonds in teal, cobalt and ochre."""
    _cloth(c, ink("f6ecd2"), ink("138a8c"), 4)
    y = TOP + 18
    for x in range(0, 264, 28):
        diamond(c, x + 14, y, 7, 12, ink("dca64a"))
        c.bar(x - 8, y - 8, x + 8, y + 8, ink("138a8c"))
        diamond(c, x, y, 12, 12, ink("138a8c"))
        diamond(c, x, y, 7, 7, ink("f6ecd2"))
        c.bar(x - 2.6, y - 2.6, x + 2.6, y + 2.6, ink("2f5fa8"))
    c.bar(0, TOP + 32, 256, 256, ink("2f5fa8"))


def indian(c: Canvas) -> None:
    """Block print: leaf drops on maroon, a scalloped hem."""
    _cloth(c, ink("a3254f"), ink("f2981f"), 5)
    for x in range(0, 264, 14):
        dome(c, x, TOP + 5, 7, -5, ink("f2981f"))
        c.disc(x, TOP + 6, 1.8, ink("0f7f88"))
    for i, x in enumerate(range(8, 262, 20)):
        s = 1 if i % 2 else -1
        c.blob(
            (
                (x - s * 1.0, TOP + 15.0),
                (x + s * 5.0, TOP + 19.0),
                (x + s * 6.0, TOP + 25.0),
                (x, TOP + 29.0),
                (x - s * 6.0, TOP + 25.0),
                (x - s * 2.0, TOP + 20.0),
                (x - s * 5.0, TOP + 14.0),
            ),
            ink("fdd9a0"),
        )
        c.disc(x + s * 0.6, TOP + 24, 2.4, ink("0f7f88"))


def yoruba(c: Canvas) -> None:
    """Adire: squares of resist-dyed rings, rays and hatching on indigo."""
    deep, pale = ink("26357c"), ink("c9d4ee")
    _cloth(c, deep, ink("1b2760"), 3)
    for i, x in enumerate(range(2, 260, 28)):
        c.loop(
            ((x, TOP + 5.0), (x + 24.0, TOP + 5.0), (x + 24.0, TOP + 29.0), (x, TOP + 29.0)),
            1.8,
            pale,
        )
        if i % 3 == 0:
            ring(c, x + 12, TOP + 17, 8, 2.2, pale)
            c.disc(x + 12, TOP + 17, 3.2, pale)
        elif i % 3 == 1:
            for k in (4, 9, 14, 19):
                c.line(((x + k, TOP + 9.0), (x + k + 3.0, TOP + 25.0)), 2.0, pale)
        else:
            for dx, dy in ((-5, -5), (5, -5), (-5, 5), (5, 5)):
                c.disc(x + 12 + dx, TOP + 17 + dy, 3.4, pale)


def thai(c: Canvas) -> None:
    """Silk: rows of flame-like triangles in gold on violet."""
    violet, gold, green = ink("6d4496"), ink("ecc255"), ink("14805f")
    _cloth(c, violet, gold, 3)
    c.bar(0, TOP + 5, 256, TOP + 9, green)
    for x in range(0, 268, 16):
        c.shape(
            f"M {x - 7} {TOP + 32} C {x - 5} {TOP + 24} {x - 2} {TOP + 18} {x} {TOP + 11} "
            f"C {x + 2} {TOP + 18} {x + 5} {TOP + 24} {x + 7} {TOP + 32}",
            gold,
        )
        diamond(c, x, TOP + 25, 2.4, 4.6, violet)
        diamond(c, x + 8, TOP + 16, 2.4, 3.4, ink("e7d2f2"))


def swahili(c: Canvas) -> None:
    """A kanga: a dotted border, large round flowers."""
    _cloth(c, ink("e4623f"), ink("22384a"), 7)
    for x in range(4, 260, 10):
        c.disc(x, TOP + 3.6, 2.2, ink("fff3e0"))
    for i, x in enumerate(range(0, 266, 26)):
        if i % 2:
            flower(c, x, TOP + 20, 11, ink("fff3e0"), ink("1b86b4"))
        else:
            c.disc(x, TOP + 20, 9.5, ink("1b86b4"))
            c.disc(x, TOP + 20, 6.0, ink("fff3e0"))
            c.disc(x, TOP + 20, 3.2, ink("f4c04c"))
    for x in range(13, 266, 26):
        poly(c, ink("f4c04c"), x - 3, TOP + 30, x, TOP + 24, x + 3, TOP + 30)


PATTERNS: Mapping[str, Callable[[Canvas], None]] = {
    f.__name__: f
    for f in (
        plain,
        british,
        french,
        mexican,
        chinese,
        japanese,
        arab,
        indian,
        yoruba,
        thai,
        swahili,
    )
}
