"""Props that stand beside the sitter: drawn upwards from the lower edge at (0, 0)."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.curves import ellipse
from fairlead.phantom.drawing.palette import (
    AMBER,
    BRASS,
    CREAM,
    INK,
    IRON,
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


def bread(c: Canvas, n: int) -> None:
    """A basket of bread."""
    crust = choose(("d99a4e", "c98742", "e0a85c"), n)
    for x0, x1, y in ((-20.0, -34.0, -92.0), (0.0, -6.0, -100.0), (18.0, 24.0, -90.0)):
        c.line(((x0, -30.0), (x1, y)), 17.0, darker(crust, 16), end=13.0)
        c.line(((x0 - 1.5, -30.0), (x1 - 1.5, y)), 13.0, crust, end=9.0)
        for t in (0.35, 0.6, 0.85):
            mx, my = x0 + (x1 - x0) * t, -30 + (y + 30) * t
            c.line(((mx - 4.0, my + 2.5), (mx + 4.0, my - 2.5)), 2.6, lighter(crust, 55))
    c.blob(
        ((4.0, -34.0), (10.0, -52.0), (26.0, -58.0), (40.0, -48.0), (42.0, -32.0)), darker(crust, 8)
    )
    c.blob(((8.0, -38.0), (14.0, -50.0), (26.0, -54.0), (36.0, -46.0)), lighter(crust, 26), 180)
    basket = WOOD
    c.shape("M -46 -38 L 46 -38 L 37 6 L -37 6", basket)
    for i in range(5):
        for j in range(3):
            c.bar(
                -40 + i * 17 + (j % 2) * 7,
                -33 + j * 13,
                -30 + i * 17 + (j % 2) * 7,
                -26 + j * 13,
                darker(basket, 24),
                radius=3,
            )
    c.bar(-48, -43, 48, -33, lighter(basket, 22), radius=5)


def sausages(c: Canvas, n: int) -> None:
    """Sausages on a board."""
    meat = choose(("b4543f", "a3503c", "c0694a"), n)
    c.bar(-46, -16, 46, -4, lighter(WOOD, 24), radius=5)
    c.bar(-46, -9, 46, -3, darker(WOOD, 12), radius=3)
    for y, dx in ((-25.0, 0.0), (-43.0, 3.0), (-61.0, -2.0)):
        c.line(
            (
                (-32.0 + dx, y - 7.0),
                (-14.0 + dx, y + 1.0),
                (12.0 + dx, y + 2.0),
                (33.0 + dx, y - 6.0),
            ),
            19.0,
            darker(meat, 14),
        )
        c.line(
            (
                (-31.0 + dx, y - 9.0),
                (-14.0 + dx, y - 1.5),
                (12.0 + dx, y - 1.0),
                (32.0 + dx, y - 8.0),
            ),
            14.5,
            meat,
        )
        c.line(
            ((-24.0 + dx, y - 9.0), (-10.0 + dx, y - 5.5), (10.0 + dx, y - 5.0)),
            3.2,
            lighter(meat, 55),
            180,
        )
        for s in (-1, 1):
            c.line(
                ((s * 40.0 + dx, y - 11.0), (s * 45.0 + dx, y - 16.0)),
                5.0,
                darker(meat, 24),
                end=3.0,
            )


def extinguisher(c: Canvas, n: int) -> None:
    """A fire extinguisher."""
    c.line(((4.0, -94.0), (32.0, -88.0), (36.0, -56.0), (31.0, -34.0)), 6.0, INK)
    c.line(((31.0, -36.0), (29.0, -18.0)), 11.0, INK, end=14.0)
    c.bar(-24, -84, 20, 8, darker(RED, 18), radius=18)
    c.bar(-24, -84, 11, 8, RED, radius=17)
    c.bar(-18, -72, -12, -14, lighter(RED, 55), radius=3)
    c.bar(-24, -56, 20, -26, CREAM)
    c.twin("M 0 -54 C 8 -46 9 -36 0 -29", AMBER)
    c.bar(-10, -98, 8, -82, IRON, radius=3)
    c.line(((-4.0, -97.0), (20.0, -108.0)), 6.0, INK)
    c.disc(-8, -92, 5, SUN)


def watering_can(c: Canvas, n: int) -> None:
    """A watering can."""
    tin = choose(("4d9088", "c9804f", "5f86b0", "8f9a5a"), n)
    c.loop(ellipse(16, -44, 23, 30), 6.0, darker(tin, 18))
    c.shape("M -14 -22 L -44 -74 L -37 -79 L -2 -40", darker(tin, 8))
    c.shape("M -53 -71 L -33 -87 L -28 -80 L -46 -65", lighter(tin, 14))
    c.shape("M -22 -52 L 26 -52 L 30 6 L -26 6", tin)
    c.shape("M 14 -52 L 26 -52 L 30 6 L 16 6", darker(tin, 18))
    c.disc(2, -52, 24, darker(tin, 34), tall=5)
    c.line(((-16.0, -42.0), (-18.0, -6.0)), 4.4, lighter(tin, 45), 180, end=3.0)
    for x, y in ((-56.0, -60.0), (-50.0, -52.0), (-58.0, -46.0), (-49.0, -38.0)):
        c.disc(x, y, 2.6, ink("7fbfe0"))


def books(c: Canvas, n: int) -> None:
    """A stack of books."""
    covers = (
        ("b84f45", "3f6a9a", "d9a441"),
        ("4d7d62", "c47a3c", "6a5a94"),
        ("34508c", "d9a441", "a8434c"),
    )[n % 3]
    for i, (x0, x1) in enumerate(((-44, 42), (-38, 44), (-42, 34))):
        y, colour = -24 - i * 24, ink(covers[i])
        c.bar(x0, y, x1, y + 25, darker(colour, 10), radius=5)
        c.bar(x0 + 6, y + 4.5, x1 + 1, y + 20.5, CREAM, radius=2)
        c.bar(x0 + 6, y + 12, x1 + 1, y + 14, darker(CREAM, 16))
        c.bar(x0, y, x0 + 14, y + 25, colour, radius=5)
        c.bar(x0, y, x1, y + 5, colour, radius=2)
        c.bar(x0 + 4, y + 8, x0 + 9, y + 17, lighter(colour, 60), radius=1)


def drip(c: Canvas, n: int) -> None:
    """A drip on its stand."""
    fluid = choose(("bfe3ee", "f0e2b0", "d8ecd0"), n)
    c.line(((20.0, 6.0), (20.0, -132.0)), 5.0, STEEL)
    c.line(((-14.0, -126.0), (-12.0, -134.0), (20.0, -136.0), (34.0, -128.0)), 4.4, STEEL)
    c.line(((-12.0, -60.0), (-12.0, -30.0), (-4.0, 6.0)), 3.0, ink("dfeef2"))
    c.bar(-33, -124, 9, -62, ink("f4fafb"), radius=10)
    c.bar(-30, -98, 6, -65, fluid, radius=8)
    c.bar(-30, -100, 6, -94, lighter(fluid, 50), radius=2)
    c.bar(-15, -90, -9, -70, RED, radius=1)
    c.bar(-22, -83, -2, -77, RED, radius=1)
    c.bar(-17, -62, -7, -50, WHITE, radius=3)


def laptop(c: Canvas, n: int) -> None:
    """A laptop with code on its screen."""
    case = choose(("b7bfca", "4a5162", "d3c6b0"), n)
    c.bar(-44, -70, 44, -8, darker(case, 14), radius=6)
    c.bar(-40, -66, 40, -13, ink("262c3f"), radius=3)
    for i, (x, wide, colour) in enumerate(
        (
            (0, 20, "6fc3b2"),
            (8, 30, "f0b24a"),
            (8, 22, "e0857a"),
            (16, 26, "8fb2e6"),
            (0, 14, "6fc3b2"),
        )
    ):
        c.line(
            ((-32.0 + x, -58.0 + i * 9.5), (-32.0 + x + wide, -58.0 + i * 9.5)), 4.4, ink(colour)
        )
    c.shape("M -44 -9 L 44 -9 L 50 6 L -50 6", lighter(case, 20))
    c.shape("M -14 -2 L 14 -2 L 16 4 L -16 4", darker(case, 12))


def wheel(c: Canvas, n: int) -> None:
    """A ship's wheel."""
    wood = choose(("9a6238", "7d4a2e", "b5804f"), n)
    for x, y in ((1.0, 0.0), (0.7071, 0.7071), (0.0, 1.0), (-0.7071, 0.7071)):
        c.line(((-x * 50, -48 - y * 50), (x * 50, -48 + y * 50)), 5.6, darker(wood, 18))
        for s in (-1, 1):
            c.line(
                ((s * x * 42, -48 + s * y * 42), (s * x * 51, -48 + s * y * 51)),
                8.4,
                lighter(wood, 12),
            )
    c.loop(ellipse(0, -48, 33, 33), 9.0, wood)
    c.loop(ellipse(0, -48, 35, 35), 2.0, lighter(wood, 36))
    c.disc(0, -48, 11, darker(wood, 22))
    c.disc(0, -48, 6.4, BRASS)


def globe(c: Canvas, n: int) -> None:
    """A school globe."""
    sea = choose(("5a9bd0", "6fb0c4", "5f8fc0"), n)
    c.bar(-24, -8, 24, 6, OAK, radius=6)
    c.line(((0.0, -6.0), (0.0, -22.0)), 6.0, BRASS)
    c.line(((24.0, -95.0), (40.0, -70.0), (38.0, -42.0), (20.0, -22.0), (0.0, -18.0)), 5.0, BRASS)
    c.disc(0, -58, 35, darker(sea, 14))
    c.disc(-2, -60, 32.5, sea)
    land = choose(("8fb86a", "a8b860", "7fae7a"), n // 3)
    c.blob(
        (
            (-26.0, -70.0),
            (-18.0, -84.0),
            (-4.0, -86.0),
            (-2.0, -74.0),
            (-10.0, -64.0),
            (-14.0, -52.0),
            (-22.0, -56.0),
        ),
        land,
    )
    c.blob(
        ((4.0, -62.0), (14.0, -74.0), (26.0, -68.0), (26.0, -54.0), (16.0, -40.0), (10.0, -48.0)),
        land,
    )
    c.blob(((-14.0, -38.0), (-6.0, -42.0), (0.0, -34.0), (-8.0, -28.0)), land)
    c.line(((-23.0, -72.0), (-15.0, -83.0), (-4.0, -88.0)), 4.0, WHITE, 130, end=2.0)
