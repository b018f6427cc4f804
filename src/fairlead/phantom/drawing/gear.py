"""Other things held in a hand: drawn about it at (0, 0), upwards; a free number chooses their
colours.
"""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.palette import (
    AMBER,
    BLUE,
    BRASS,
    CREAM,
    IRON,
    LEAF,
    RED,
    STEEL,
    SUN,
    WHITE,
    choose,
    darker,
    ink,
    lighter,
)


def rocket(c: Canvas, n: int) -> None:
    """A model rocket."""
    trim = choose(("d65a4a", "4f83c4", "ee9d45"), n)
    c.pair("M 12 -46 L 29 -20 L 27 -4 L 10 -18", darker(trim, 12))
    c.twin("M 0 -102 C 17 -84 20 -50 12 -14 L 0 -14", WHITE)
    c.shape("M 3 -98 C 17 -82 20 -50 12 -14 L 4 -14 C 9 -50 10 -76 3 -98", darker(WHITE, 18))
    c.twin("M 0 -102 C 8 -93 12 -85 14.4 -76 L 0 -74", trim)
    c.disc(0, -56, 8.5, IRON)
    c.disc(0, -56, 6.0, ink("9fd3e8"))
    c.bar(-9, -15, 9, -8, IRON, radius=2)


def flask(c: Canvas, n: int) -> None:
    """A conical flask with a bright liquid."""
    liquid = choose(("4fb08c", "d9629a", "5a9bd6", "e8a33d"), n)
    c.twin("M 0 -82 L 9 -82 L 9 -52 L 33 -4 C 34 4 30 8 24 8 L 0 8", ink("e8f3f4"), 235)
    c.twin("M 0 -36 L 17 -36 L 31 -6 C 32 2 29 5 24 5 L 0 5", liquid)
    c.twin("M 0 -38 L 17 -38 L 18.6 -34 L 0 -34", lighter(liquid, 40))
    c.line(((-7.0, -50.0), (-25.0, -8.0)), 3.4, WHITE, 190, end=2.4)
    c.bar(-13, -87, 13, -80, ink("cfe0e4"), radius=3)
    for x, y, r in ((7.0, -18.0, 4.0), (-4.0, -10.0, 3.0), (13.0, -4.0, 2.6), (1.0, -26.0, 2.4)):
        c.disc(x, y, r, WHITE, 150)
    c.disc(3, -62, 3.4, liquid, 170)


def clipboard(c: Canvas, n: int) -> None:
    """A clipboard with notes."""
    c.bar(-30, -74, 30, 10, choose(("a5774a", "5b7f94", "8a5a6a"), n), radius=6)
    c.bar(-25, -66, 25, 4, WHITE, radius=2)
    c.bar(-13, -80, 13, -67, IRON, radius=4)
    c.bar(-6, -85, 6, -76, lighter(IRON, 30), radius=4)
    for i, wide in enumerate((34, 28, 34, 22)):
        y = -52 + i * 12
        c.line(((-18.0, y), (-14.0, y)), 5.0, (RED, LEAF, BLUE, AMBER)[i])
        c.line(((-7.0, y), (-7.0 + wide * 0.72, y)), 3.6, ink("aeb8c2"))


def light_bulb(c: Canvas, n: int) -> None:
    """A light bulb, lit."""
    c.glow(0, -58, 44, ink("fff0b0"), 28)
    c.twin("M 0 -86 C 18 -86 27 -72 27 -59 C 27 -44 13 -38 12 -24 L 0 -24", ink("ffd75e"))
    c.twin("M 0 -79 C 12 -79 19 -70 19 -60 C 19 -52 12 -46 10 -38 L 0 -38", ink("ffeda6"))
    c.bent(((-6.0, -26.0), (-9.0, -52.0), (0.0, -44.0), (9.0, -52.0), (6.0, -26.0)), 2.6, AMBER)
    for i in range(3):
        c.bar(-11 + i, -25 + i * 7, 11 - i, -19.5 + i * 7, IRON if i % 2 else STEEL, radius=2.5)
    c.disc(-11, -68, 4.0, WHITE, 220)


def bouquet(c: Canvas, n: int) -> None:
    """A bunch of flowers in paper."""
    for x, y in ((-34.0, -48.0), (34.0, -50.0), (-18.0, -80.0), (20.0, -82.0)):
        c.blob(
            ((x - 7.0, y + 12.0), (x - 4.0, y - 8.0), (x + 5.0, y - 12.0), (x + 8.0, y + 8.0)), LEAF
        )
    c.twin("M 0 -36 L 33 -44 L 9 14 L 0 14", choose(("f3e2c4", "e9c9c0", "cfdde0"), n))
    c.shape("M 4 -36 L 33 -44 L 9 14 L 2 14", darker(CREAM, 20), 120)
    blooms = (
        ("e0697a", "f4c64e", "f7efe4"),
        ("b886c4", "f7efe4", "f08f5a"),
        ("f08f5a", "f7efe4", "e0697a"),
    )[n // 3 % 3]
    for i, (x, y) in enumerate(
        ((-24.0, -52.0), (24.0, -54.0), (0.0, -46.0), (-13.0, -70.0), (13.0, -72.0), (0.0, -88.0))
    ):
        _bloom(c, x, y, 7.4, blooms[i % 3])
    c.bar(-12, -2, 12, 4, choose(("c4504a", "4d7d62", "8a6aa8"), n // 9), radius=2)


def _bloom(c: Canvas, x: float, y: float, r: float, hexed: str) -> None:
    petal = ink(hexed)
    for u, v in ((0.0, -1.0), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31)):
        c.disc(x + u * r, y + v * r, r * 0.82, petal)
    c.disc(x, y, r * 0.55, darker(petal, 34) if sum(petal) < 640 else SUN)


def medicine(c: Canvas, n: int) -> None:
    """A bottle of tablets."""
    glass = choose(("e08a3c", "6fae8f", "7f9fc9"), n)
    c.bar(-23, -56, 23, 12, glass, radius=8)
    c.bar(-23, -56, -12, 12, lighter(glass, 34), radius=6)
    c.bar(-25, -78, 25, -58, WHITE, radius=5)
    for i in range(6):
        c.bar(-21 + i * 8, -76, -19 + i * 8, -60, darker(WHITE, 22))
    c.bar(-23, -42, 23, 2, CREAM)
    c.bar(-4, -36, 4, -8, LEAF, radius=1)
    c.bar(-14, -26, 14, -18, LEAF, radius=1)


def model_plane(c: Canvas, n: int) -> None:
    """A model aeroplane on a stem."""
    trim = choose(("d65a4a", "4f83c4", "e0a93f"), n)
    c.line(((0.0, 0.0), (0.0, -44.0)), 4.0, IRON)
    c.shape("M 2 -56 L 30 -26 L 40 -28 L 24 -62", darker(STEEL, 14))
    c.shape("M -40 -88 L -30 -92 L -20 -66 L -34 -62", trim)
    c.shape(
        "M -40 -62 C -34 -74 20 -78 42 -62 C 46 -56 40 -52 30 -50 C 6 -48 -32 -50 -40 -62", WHITE
    )
    c.shape(
        "M -40 -60 C -20 -54 20 -56 44 -59 C 42 -53 38 -51 30 -50 C 6 -48 -32 -50 -40 -60", trim
    )
    c.shape("M -4 -60 L -28 -30 L -16 -30 L 18 -60", lighter(STEEL, 30))
    for x in (-14.0, -3.0, 8.0, 19.0):
        c.disc(x, -65, 2.6, ink("7fb2d4"))
    c.shape("M 30 -68 C 36 -67 40 -64 41 -61 L 31 -61", ink("5d86a8"))


def radio(c: Canvas, n: int) -> None:
    """A hand-held radio."""
    body = choose(("2f3340", "3a4a3f", "34405c"), n)
    c.line(((13.0, -50.0), (13.0, -98.0)), 6.0, darker(body, 30), end=4.6)
    c.bar(-21, -62, 21, 18, body, radius=7)
    c.bar(-21, -62, -15, 18, lighter(body, 24), radius=3)
    c.bar(-13, -54, 14, -38, ink("a8d8a0"), radius=3)
    for i in range(4):
        c.line(((-10.0, -30.0 + i * 6), (11.0, -30.0 + i * 6)), 2.4, lighter(body, 40))
    c.disc(-11, -67, 5, RED)


def tray(c: Canvas, n: int) -> None:
    """A tray with a covered dish and a glass."""
    c.disc(0, -14, 43, darker(STEEL, 34), tall=7.5)
    c.disc(0, -17, 43, STEEL, tall=7)
    if n % 2:
        c.twin("M 0 -58 C 20 -58 28 -40 29 -20 C 18 -15 8 -15 0 -15", lighter(STEEL, 34))
        c.shape(
            "M 12 -54 C 24 -48 28 -36 29 -20 C 24 -17 20 -16 14 -15.6 C 20 -30 20 -44 12 -54",
            darker(STEEL, 10),
        )
        c.line(((-14.0, -44.0), (-20.0, -32.0), (-21.0, -24.0)), 3.6, WHITE, 220, end=1.6)
        c.disc(0, -61, 5.4, BRASS)
    else:
        _glasses(c, n)


def _glasses(c: Canvas, n: int) -> None:
    drink = choose(("c4506a", "f0b24a", "8fb86a"), n // 2)
    for x in (-17.0, 15.0):
        c.bar(x - 1.6, -38, x + 1.6, -18, ink("e8f1f4"))
        c.disc(x, -17, 9, ink("e8f1f4"), tall=2.6)
        c.shape(
            (
                f"M {x - 13} -72 L {x + 13} -72 C {x + 12} -48 {x + 6} -38 {x} -36 C {x - 6} "
                f"-38 {x - 12} -48 {x - 13} -72"
            ),
            ink("eef6f8"),
            225,
        )
        c.shape(
            (
                f"M {x - 12} -60 L {x + 12} -60 C {x + 10} -46 {x + 5} -39 {x} -38 C {x - 5} "
                f"-39 {x - 10} -46 {x - 12} -60"
            ),
            drink,
        )
