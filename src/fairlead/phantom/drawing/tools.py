"""Tools with a handle: drawn about the hand at (0, 0), upwards; a free number chooses their
colours.
"""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.curves import ellipse
from fairlead.phantom.drawing.palette import (
    BLUE,
    BRASS,
    IRON,
    LEAF,
    OAK,
    RED,
    STEEL,
    SUN,
    WHITE,
    WOOD,
    choose,
    darker,
    ink,
    lighter,
)


def palette(c: Canvas, n: int) -> None:
    """A painter's palette and two brushes."""
    for x, tip, colour in ((-16.0, -20.0, RED), (4.0, 9.0, BLUE)):
        c.line(((x, -36.0), (tip, -78.0)), 4.0, WOOD, end=3.2)
        c.line(((tip, -78.0), (tip * 1.05, -86.0)), 5.4, STEEL)
        c.line(((tip * 1.05, -87.0), (tip * 1.1, -98.0)), 6.6, colour, end=2.0)
    c.blob(
        (
            (-42.0, -22.0),
            (-36.0, -44.0),
            (-8.0, -54.0),
            (26.0, -48.0),
            (42.0, -26.0),
            (34.0, -6.0),
            (14.0, -10.0),
            (6.0, 4.0),
            (-20.0, 6.0),
        ),
        darker(WOOD, 26),
    )
    c.blob(
        (
            (-42.0, -25.0),
            (-36.0, -47.0),
            (-8.0, -57.0),
            (26.0, -51.0),
            (42.0, -29.0),
            (34.0, -10.0),
            (14.0, -14.0),
            (6.0, 0.0),
            (-20.0, 2.0),
        ),
        lighter(WOOD, 26),
    )
    for x, y, r, colour in (
        (-28.0, -30.0, 7.0, RED),
        (-16.0, -44.0, 6.5, SUN),
        (3.0, -46.0, 6.5, LEAF),
        (21.0, -39.0, 6.5, BLUE),
        (30.0, -25.0, 6.0, WHITE),
    ):
        c.disc(x, y, r, colour)
        c.disc(x - 2, y - 2, r * 0.35, WHITE, 150)


def hammer(c: Canvas, n: int) -> None:
    """A claw hammer."""
    c.line(((0.0, 22.0), (0.0, -62.0)), 9.5, WOOD)
    c.line(((-2.6, 16.0), (-2.6, -56.0)), 2.4, lighter(WOOD, 40), 170)
    c.bar(-6.5, -4, 6.5, 22, choose(("b84f45", "3f5f8a", "3a3d48"), n), radius=5)
    c.shape(
        (
            "M -34 -84 L -22 -88 L 12 -88 C 24 -88 33 -82 40 -66 C 30 -72 20 -72 12 -68 L 8 "
            "-60 L -8 -60 L -10 -66 L -22 -64 L -34 -68"
        ),
        IRON,
    )
    c.shape(
        "M -34 -84 L -22 -88 L 12 -88 C 24 -88 33 -82 40 -66 C 32 -78 24 -81 12 -81 L -34 -78",
        lighter(IRON, 40),
    )


def saw(c: Canvas, n: int) -> None:
    """A hand saw."""
    teeth = " ".join(
        f"L {-20 + i * 1.6} {-20 - i * 8} L {-14.5 + i * 1.6} {-24 - i * 8}" for i in range(9)
    )
    c.shape(f"M 17 -10 L -16 -10 {teeth} L 4 -98 L 14 -98", darker(STEEL, 8))
    c.shape("M 17 -10 L 14 -98 L 10 -98 L 8 -10", lighter(STEEL, 40))
    wood = choose(("b5804f", "8a5a38", "c98b4a"), n)
    c.blob(
        ((-22.0, -12.0), (22.0, -16.0), (26.0, 4.0), (20.0, 24.0), (-10.0, 24.0), (-20.0, 8.0)),
        wood,
    )
    c.blob(((-8.0, -2.0), (12.0, -4.0), (13.0, 10.0), (-4.0, 11.0)), darker(wood, 50))


def frying_pan(c: Canvas, n: int) -> None:
    """A frying pan with an egg."""
    c.line(((0.0, 22.0), (0.0, -26.0)), 10.0, choose(("5a3f32", "34384a", "8a5a38"), n))
    c.line(((0.0, -18.0), (0.0, -28.0)), 7.0, STEEL)
    c.disc(0, -62, 39, darker(IRON, 20), tall=37)
    c.disc(0, -62, 36, ink("474e5c"), tall=34)
    c.disc(0, -61, 31, ink("383e4b"), tall=29)
    c.blob(
        (
            (-22.0, -62.0),
            (-14.0, -80.0),
            (4.0, -82.0),
            (20.0, -72.0),
            (22.0, -54.0),
            (8.0, -44.0),
            (-10.0, -44.0),
        ),
        WHITE,
    )
    c.disc(0, -64, 10, ink("f2b134"))
    c.disc(-3, -67, 3.4, WHITE, 170)


def blueprint(c: Canvas, n: int) -> None:
    """A plan on blue paper."""
    sheet = choose(("3f6fae", "35699a", "4a66a8"), n)
    c.shape("M -36 -76 L 34 -80 L 38 0 L -34 4", sheet)
    for i in range(4):
        c.line(((-34.0, -62.0 + i * 17), (36.0, -66.0 + i * 17)), 0.9, WHITE, 90)
        c.line(((-24.0 + i * 16, -76.0), (-22.0 + i * 16, 2.0)), 0.9, WHITE, 90)
    c.bent(
        (
            (-20.0, -14.0),
            (-20.0, -44.0),
            (0.0, -62.0),
            (20.0, -46.0),
            (20.0, -16.0),
            (-20.0, -14.0),
        ),
        3.2,
        WHITE,
    )
    c.bent(((-6.0, -15.0), (-6.0, -34.0), (7.0, -34.5), (7.0, -15.5)), 2.8, WHITE)
    c.bar(-39, -84, 39, -74, lighter(sheet, 46), radius=5)
    c.bar(-39, -79, 39, -74, darker(sheet, 10), radius=2.5, alpha=120)


def pitchfork(c: Canvas, n: int) -> None:
    """A pitchfork."""
    c.line(((0.0, 44.0), (0.0, -70.0)), 7.0, choose(("b5804f", "8a5a38", "c98b4a"), n))
    c.line(((-1.8, 40.0), (-1.8, -66.0)), 1.8, lighter(WOOD, 50), 170)
    c.line(((-23.0, -96.0), (-21.0, -78.0), (0.0, -68.0), (21.0, -78.0), (23.0, -96.0)), 5.4, IRON)
    for x in (-23.0, 0.0, 23.0):
        c.line(((x, -72.0 if not x else -90.0), (x, -116.0)), 5.4, IRON, end=2.4)
        c.line(((x - 1.0, -84.0), (x - 1.0, -112.0)), 1.6, lighter(IRON, 55), end=0.8)


def scissors(c: Canvas, n: int) -> None:
    """Scissors, half open."""
    grip = choose(("c4504a", "34384a", "e0a93f"), n)
    for s in (-1, 1):
        c.shape(
            f"M {s * -4} -18 L {s * 4} -22 L {s * 19} -92 Q {s * 6} -84 {s * -4} -18",
            STEEL if s < 0 else lighter(STEEL, 34),
        )
        c.loop(ellipse(s * -14, 4, 11.5, 14), 6.4, grip)
    c.disc(0, -20, 4.6, IRON)
    c.disc(-1, -21, 1.8, WHITE)


def gavel(c: Canvas, n: int) -> None:
    """A gavel."""
    wood = choose(("8a5234", "6f3f2c", "9a6238"), n)
    c.line(((2.0, 20.0), (-2.0, -50.0)), 8.6, lighter(wood, 16))
    c.shape("M -37 -54 L -31 -82 L 31 -76 L 36 -46", wood)
    c.shape("M -35 -64 L -31 -82 L 31 -76 L 33 -62", lighter(wood, 24), 150)
    for x, y in ((-33.0, -68.0), (33.0, -61.0)):
        c.line(((x + 2.6, y - 17.0), (x - 2.6, y + 17.0)), 8.0, darker(wood, 16))
    c.line(((-17.0, -80.0), (-21.0, -54.0)), 3.0, BRASS)
    c.line(((19.0, -76.5), (21.0, -49.0)), 3.0, BRASS)


def wrench(c: Canvas, n: int) -> None:
    """A wrench."""
    metal = choose(("b9c3ce", "a9b4c2", "c9c4b8"), n)
    c.line(((0.0, 24.0), (0.0, -54.0)), 12.0, metal)
    c.line(((-2.6, 18.0), (-2.6, -48.0)), 3.0, lighter(metal, 60), 200)
    c.shape(
        "M -8 -46 C -22 -52 -27 -64 -25 -76 C -23 -86 -17 -94 -11 -97 L -11 -76 "
        "L 0 -67 L 11 -76 L 11 -97 C 17 -94 23 -86 25 -76 C 27 -64 22 -52 8 -46",
        metal,
    )
    c.shape(
        "M -8 -48 C -20 -54 -25 -64 -23 -76 C -22 -83 -18 -89 -14 -92 C -19 -78 -19 -60 -8 -48",
        lighter(metal, 60),
    )
    c.disc(0, 22, 8, darker(metal, 20))
    c.disc(0, 22, 4, darker(metal, 50))


def pickaxe(c: Canvas, n: int) -> None:
    """A pickaxe."""
    c.line(((0.0, 40.0), (0.0, -84.0)), 8.4, choose(("b5804f", "8a5a38", "c98b4a"), n))
    c.line(((-2.0, 36.0), (-2.0, -70.0)), 2.0, lighter(WOOD, 50), 170)
    c.shape(
        (
            "M -45 -48 C -38 -74 -18 -86 0 -87 C 18 -86 38 -74 45 -48 C 32 -66 16 -71 0 -71 "
            "C -16 -71 -32 -66 -45 -48"
        ),
        IRON,
    )
    c.shape(
        (
            "M -45 -48 C -38 -74 -18 -86 0 -87 C 18 -86 38 -74 45 -48 C 35 -72 18 -81 0 -81 "
            "C -18 -81 -35 -72 -45 -48"
        ),
        lighter(IRON, 44),
    )
    c.bar(-8, -91, 8, -66, darker(OAK, 10), radius=3)
