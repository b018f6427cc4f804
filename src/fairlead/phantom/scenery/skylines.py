"""Buildings in the distance, on the left, standing on y = 160."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import far
from fairlead.phantom.scenery.marks import eaves, opening, poly, window

# Below the horizon: houses stand on the ground and not at its edge.
_BASE = 160.0
_PANE = far(ink("56697a"), 25)


def plain(c: Canvas) -> None:
    """Blocks of nowhere."""
    for x, w, h, tone in ((16, 34, 52, "c3c6c6"), (48, 30, 66, "b9bdbe"), (76, 26, 44, "c8cac8")):
        c.bar(x, _BASE - h, x + w, _BASE, ink(tone))
        for y in range(int(_BASE - h + 8), int(_BASE - 12), 14):
            c.bar(x + 7, y, x + 12, y + 6, ink("dfe1df"))
            c.bar(x + w - 12, y, x + w - 7, y + 6, ink("dfe1df"))


def british(c: Canvas) -> None:
    """A brick terrace with chimneys and sash windows."""
    for i, tone in enumerate(("a9574a", "b8685a", "a04f45")):
        x, wall = 12.0 + i * 32, far(ink(tone), 18)
        roof = far(ink("56606c"), 18)
        c.bar(x + 20, 66, x + 28, 94, darker(wall, 12))
        for k in (21, 25):
            c.bar(x + k, 60, x + k + 3, 67, far(ink("c98a5a"), 15))
        poly(c, roof, x - 2, 102, x + 16, 76, x + 34, 102)
        c.bar(x, 102, x + 32, _BASE, wall)
        c.bar(x, 102, x + 32, 105, far(ink("efe6d4"), 10))
        window(c, x + 5, 110, 8, 13, _PANE, ink("f3eee2"))
        window(c, x + 19, 110, 8, 13, _PANE, ink("f3eee2"))
        window(c, x + 4, 132, 11, 15, _PANE, ink("f3eee2"))
        c.bar(x + 20, 132, x + 29, _BASE, far(ink(("2f6152", "34507a", "8f2f3a")[i]), 10))
        c.disc(x + 24.5, 132, 4.5, ink("f3eee2"))


def french(c: Canvas) -> None:
    """A pale stone house under a mansard roof, with balconies."""
    wall, slate = far(ink("efe0c2"), 10), far(ink("66759a"), 15)
    c.bar(14, 88, 104, _BASE, wall)
    c.shape("M 10 90 L 20 58 Q 59 52 98 58 L 108 90", slate)
    c.bar(20, 54, 98, 59, darker(slate, 20), 2)
    for x in (26, 52, 78):
        poly(c, wall, x, 86, x, 70, x + 7, 63, x + 14, 70, x + 14, 86)
        c.bar(x + 3, 71, x + 11, 86, _PANE)
    for x in (20, 88):
        c.bar(x, 42, x + 8, 60, far(ink("c98e6c"), 15))
    c.bar(10, 88, 108, 92, ink("fbf4e2"))
    for y in (98, 128):
        for x in (25, 52, 79):
            c.bar(x - 4, y, x, y + 20, far(ink("7f9cc9"), 8))
            c.bar(x + 13, y, x + 17, y + 20, far(ink("7f9cc9"), 8))
            c.bar(x, y, x + 13, y + 20, _PANE)
            c.bar(x - 6, y + 15, x + 19, y + 17, ink("4a5060"))
            for k in range(-5, 19, 4):
                c.bar(x + k, y + 15, x + k + 1.4, y + 23, ink("4a5060"))


def mexican(c: Canvas) -> None:
    """Adobe in bright lime wash, an arcade, roof beams."""
    for x, w, h, tone in ((10, 36, 62, "f2a93c"), (72, 36, 74, "3fb0a8"), (38, 40, 50, "e35d8f")):
        wall = far(ink(tone), 14)
        c.bar(x, _BASE - h, x + w, _BASE, wall)
        c.bar(x - 2, _BASE - h - 5, x + w + 2, _BASE - h, lighter(wall, 45))
        for k in range(x + 5, x + w - 3, 8):
            c.bar(k, _BASE - h + 5, k + 3, _BASE - h + 9, far(ink("7a4a2c"), 10))
    for x, w in ((16, 10), (31, 10)):
        opening(c, (x, 112, x + w, 130), _PANE, rim=ink("fff1d8"))
    opening(c, (84, 100, 96, 120), _PANE, rim=ink("fff1d8"))
    for x in (42, 54, 66):
        opening(c, (x, 126, x + 9, _BASE), far(ink("6e2a46"), 20), rim=ink("fbd9e2"), width=2)
    opening(c, (84, 134, 97, _BASE), far(ink("7a4a2c"), 10), rim=ink("fff1d8"))
    opening(c, (20, 138, 32, _BASE), far(ink("2f6f8f"), 10), rim=ink("fff1d8"))


def chinese(c: Canvas) -> None:
    """White walls with stepped dark gables, and a hall with upswept eaves."""
    tile = far(ink("4b5560"), 12)
    plaster = ink("eee2cc")
    c.bar(62, 104, 110, _BASE, plaster)
    c.bar(100, 104, 110, _BASE, darker(plaster, 12))
    poly(c, plaster, 62, 106, 62, 92, 72, 92, 72, 80, 100, 80, 100, 92, 110, 92, 110, 106)
    for x0, x1, y in ((58, 74, 92), (68, 104, 79), (98, 114, 92)):
        poly(
            c,
            tile,
            x0 - 2,
            y - 2,
            x0 + 1,
            y - 6,
            x1 - 1,
            y - 6,
            x1 + 2,
            y - 2,
            x1,
            y + 2,
            x0,
            y + 2,
        )
    for x in (70, 92):
        c.bar(x, 112, x + 9, 122, _PANE)
        c.bar(x - 3, 108, x + 12, 110, tile)
    c.bar(80, 136, 93, _BASE, far(ink("6b3a2e"), 10))
    c.bar(18, 128, 64, _BASE, far(ink("d9b88a"), 12))
    for x in (18, 32, 46, 60):
        c.bar(x, 126, x + 4, _BASE, far(ink("c0392f"), 8))
    eaves(c, 41, 128, 36, 17, tile, 9)
    c.bar(26, 96, 56, 112, far(ink("d9b88a"), 12))
    for post in (26.0, 39.5, 53.0):
        c.bar(post, 96, post + 3, 112, far(ink("c0392f"), 8))
    eaves(c, 41, 98, 29, 17, tile, 9, 0.45)


def japanese(c: Canvas) -> None:
    """A wooden town house with lattices under two tiled roofs."""
    tile, timber, paper = far(ink("46505e"), 12), far(ink("6b4836"), 10), ink("f7f0de")
    c.bar(18, 124, 106, _BASE, paper)
    for x in range(18, 107, 11):
        c.bar(x, 124, x + 3, _BASE, timber)
    for x in range(20, 62, 4):
        c.bar(x, 134, x + 1.5, _BASE, timber)
    c.bar(18, 132, 106, 134, timber)
    c.bar(74, 136, 96, 150, far(ink("35568f"), 8))
    for slit in (80.5, 88.0):
        c.bar(slit, 140, slit + 1.5, 150, paper)
    eaves(c, 62, 125, 54, 16, tile, 4, 0.74)
    c.bar(32, 92, 92, 110, paper)
    for x in range(32, 93, 10):
        c.bar(x, 92, x + 2.5, 110, timber)
    c.bar(32, 100, 92, 102, timber)
    eaves(c, 62, 94, 44, 22, tile, 4, 0.5)


def arab(c: Canvas) -> None:
    """Sand-coloured houses with battlements, arches and a wind tower."""
    wall = far(ink("dcb679"), 12)
    c.bar(64, 58, 92, _BASE, lighter(wall, 12))
    for x in (68, 75, 82):
        opening(c, (x, 66, x + 5, 92), far(ink("6b4a33"), 20), "pointed")
    c.bar(61, 54, 95, 59, darker(wall, 14))
    c.bar(61, 96, 95, 99, darker(wall, 14))
    c.bar(12, 104, 66, _BASE, wall)
    c.bar(88, 118, 112, _BASE, darker(wall, 8))
    for x in (12, 24, 36, 48, 60):
        poly(c, wall, x, 105, x, 99, x + 3, 95, x + 6, 99, x + 6, 105)
    for x in (90, 99, 108):
        c.bar(x, 113, x + 4, 119, darker(wall, 8))
    for x in (18, 34, 50):
        opening(
            c,
            (x, 112, x + 8, 126),
            far(ink("138a8c"), 12),
            "pointed",
            rim=lighter(wall, 50),
            width=2,
        )
    opening(c, (32, 136, 46, _BASE), far(ink("7a4a2c"), 10), "pointed", rim=lighter(wall, 50))
    opening(
        c, (72, 118, 84, 138), far(ink("2f5fa8"), 15), "pointed", rim=lighter(wall, 50), width=2
    )
    opening(c, (96, 128, 104, 140), far(ink("6b4a33"), 20), "pointed")


def indian(c: Canvas) -> None:
    """A rose sandstone town house with hanging balconies and roof kiosks under curved cornices."""
    wall, trim = far(ink("d98a72"), 12), ink("f8e2cf")
    c.bar(16, 92, 106, _BASE, wall)
    c.bar(12, 88, 110, 93, trim)
    for x in (26, 61, 96):
        for k in (-8, 6):
            c.bar(x + k, 72, x + k + 2.5, 89, trim)
        c.bar(x - 12, 70, x + 12, 73, trim)
        c.shape(
            (
                f"M {x - 15} 72 C {x - 8} 62 {x - 5} 58 {x} 58 C {x + 5} 58 {x + 8} 62 "
                f"{x + 15} 72 C {x + 6} 67 {x - 6} 67 {x - 15} 72"
            ),
            lighter(wall, 18),
        )
    for x in (26, 61, 96):
        c.bar(x - 11, 97, x + 11, 101, trim)
        opening(
            c,
            (x - 7, 101, x + 7, 122),
            far(ink("7c2f45"), 15),
            "cusped",
            rim=lighter(wall, 30),
            width=2,
        )
        poly(c, trim, x - 11, 120, x + 11, 120, x + 6, 127, x - 6, 127)
    opening(c, (52, 134, 70, _BASE), far(ink("0f7f88"), 10), "cusped", rim=trim)
    for x in (26, 96):
        opening(c, (x - 6, 136, x + 6, 152), far(ink("7c2f45"), 15), "cusped", rim=trim, width=2)


def yoruba(c: Canvas) -> None:
    """Earthen houses under rust-red sheet roofs, with a veranda."""
    rust = (far(ink("a4482c"), 10), far(ink("b95b36"), 10), far(ink("8f3d2b"), 10))
    for i, (x, y, w) in enumerate(((72, 108, 40), (14, 112, 38), (40, 126, 52))):
        wall = far(ink(("d8a06a", "cf9560", "e0b07c")[i]), 10)
        c.bar(x, y, x + w, _BASE, wall)
        poly(c, rust[i], x - 7, y + 3, x + 5, y - 22, x + w - 5, y - 22, x + w + 7, y + 3)
        for k in range(1, 7):
            t = k / 7
            c.line(
                ((x + 5 + (w - 10) * t, y - 21.0), (x - 7 + (w + 14) * t, y + 2.0)),
                1.2,
                darker(rust[i], 20),
            )
    for x in (20, 36, 80, 98):
        c.bar(x, 122, x + 8, 133, far(ink("4a3428"), 15))
    c.bar(58, 136, 72, _BASE, far(ink("2a3a82"), 8))
    for x in (40, 51, 78, 89):
        c.bar(x, 128, x + 3.5, _BASE, ink("f3e6cc"))
        c.disc(x + 1.75, 140, 3.4, ink("f3e6cc"))


def thai(c: Canvas) -> None:
    """Teak houses on stilts under steep gables with curved ends."""
    teak, tile = far(ink("9a5a30"), 8), far(ink("b5532f"), 8)
    for x, y, w, h in ((76.0, 122.0, 30.0, 46.0), (40.0, 118.0, 46.0, 66.0)):
        for k in (-0.8, -0.3, 0.3, 0.8):
            c.bar(x + w * 0.5 * k - 1.5, y + 20, x + w * 0.5 * k + 2, _BASE, darker(teak, 20))
        poly(c, teak, x - w * 0.46, y, x + w * 0.46, y, x + w * 0.5, y + 24, x - w * 0.5, y + 24)
        c.bar(x - w * 0.58, y + 22, x + w * 0.58, y + 26, darker(teak, 14))
        c.bar(x - 5, y + 6, x + 5, y + 22, far(ink("5a3220"), 10))
        s = w * 0.72
        for grow, colour in ((0.0, tile), (-6.0, far(ink("e0a860"), 10))):
            e = s + grow
            c.shape(
                f"M {x} {y - h - grow * 0.4} C {x + e * 0.3} {y - h * 0.45} {x + e * 0.6} "
                f"{y - 6} {x + e} {y - 3} "
                f"L {x + e * 0.94} {y + 3} L {x - e * 0.94} {y + 3} "
                f"L {x - e} {y - 3} C {x - e * 0.6} {y - 6} {x - e * 0.3} {y - h * 0.45} {x} "
                f"{y - h - grow * 0.4}",
                colour,
            )
        for k in (-1, 1):
            c.line(
                ((x + k * s * 0.9, y), (x + k * s * 1.08, y - 3), (x + k * s * 1.14, y - 10)),
                3,
                darker(tile, 16),
                end=1.4,
            )
        c.line(((x, y - h + 3), (x, y - h - 7)), 2.6, darker(tile, 16), end=1)


def swahili(c: Canvas) -> None:
    """White coral-stone houses with niches, and a roof of palm thatch."""
    wall, thatch = ink("f8f1e2"), far(ink("a98a52"), 8)
    c.bar(14, 84, 56, _BASE, wall)
    c.bar(48, 84, 56, _BASE, darker(wall, 10))
    c.bar(56, 108, 108, _BASE, lighter(wall, 20))
    for x in range(57, 106, 11):
        c.bar(x, 101, x + 6, 109, lighter(wall, 20))
    for x in (17, 49):
        c.bar(x, 64, x + 3, 86, far(ink("5e3b2a"), 10))
    c.shape("M 4 74 C 16 66 24 52 34 44 C 44 52 54 66 66 74 L 62 78 L 8 78", thatch)
    for x in range(10, 62, 6):
        c.line(((34.0 + (x - 34) * 0.2, 50.0), (x, 77.0)), 1.4, darker(thatch, 20))
    for x, y in ((20, 94), (35, 94), (20, 118), (64, 118), (94, 118)):
        opening(c, (x, y, x + 9, y + 15), far(ink("3b6f86"), 15), rim=ink("e3d3b4"), width=2)
    opening(
        c, (74, 124, 92, _BASE), far(ink("4a2c1c"), 6), "flat", rim=far(ink("8a5a38"), 6), width=4
    )
    c.bar(82, 124, 84, _BASE, ink("d9b25a"))
    opening(c, (28, 138, 42, _BASE), far(ink("1b86b4"), 8), rim=ink("e3d3b4"))


SKYLINES: Mapping[str, Callable[[Canvas], None]] = {
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
