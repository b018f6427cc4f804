"""Doors in a wall."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import STONE, Dress
from fairlead.phantom.scenery.marks import (
    arched,
    diamond,
    dome,
    flower,
    opening,
    poly,
    ring,
    shadow,
)


def _wall(c: Canvas, colour: Ink, bricks: Ink | None = None) -> None:
    shadow(c, 84, 0, tall=5)
    c.bar(-76, -158, 76, 1, colour)
    c.bar(64, -158, 76, 1, darker(colour, 10))
    c.bar(-80, -163, 80, -156, darker(colour, 16), 2)
    if bricks is not None:
        for row, y in enumerate(range(-150, -8, 16)):
            for x in (-72, -54, 42, 58) if row % 2 else (-66, -50, 48, 62):
                c.bar(x, y, x + 12, y + 6, bricks, 1)
    c.bar(-84, -6, 84, 2, STONE)


def _leaves(c: Canvas, x0: float, y0: float, y1: float, colour: Ink, kind: str = "flat") -> None:
    """A double door with a seam."""
    c.polygon(arched(x0, y0, -x0, y1, kind), colour)
    c.bar(-1.4, y0 + 4, 1.4, y1, darker(colour, 34))


def plain(c: Canvas, p: Dress, v: int) -> None:
    """Four panels and a knob."""
    _wall(c, p.pale)
    opening(c, (-34, -128, 34, -4), p.main, "flat", rim=p.dark, width=6)
    for x in (-26, 5):
        for y in (-118, -62):
            c.bar(x, y, x + 21, y + 46, darker(p.main, 14), 2)
    c.disc(26, -60, 4.5, p.accent)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A panelled door, fanlight, brass, two clipped bushes."""
    _wall(c, p.second, darker(p.second, 14))
    opening(c, (-34, -148, 34, -4), p.pale, rim=p.pale, width=8)
    dome(c, 0, -112, 30, 30, ink("9fc3d2"))
    for x, y in ((-20, -134), (0, -142), (20, -134)):
        c.line(((0.0, -112.0), (x, y)), 2.4, p.pale)
    c.bar(-30, -108, 30, -4, p.main)
    for x in (-24, 4):
        for y, h in ((-102, 28), (-66, 22), (-36, 24)):
            c.bar(x, y, x + 20, y + h, darker(p.main, 18), 2)
    c.disc(0, -74, 4, p.accent)
    c.bar(-9, -58, 9, -53, p.accent)
    c.disc(23, -52, 3.6, p.accent)
    for x in (-58, 58):
        c.bar(x - 9, -18, x + 9, -3, p.wood)
        c.disc(x, -32, 15, ink("5f9a52"))


def french(c: Canvas, p: Dress, v: int) -> None:
    """Tall double doors with glass and ironwork, a carved lintel, lavender."""
    _wall(c, p.pale)
    opening(c, (-38, -136, 38, -4), p.main, "flat", rim=darker(p.pale, 12), width=9)
    c.shape("M -50 -140 Q 0 -164 50 -140 L 50 -134 L -50 -134", darker(p.pale, 20))
    _leaves(c, -38, -134, -4, p.main)
    for x in (-31, 7):
        c.bar(x, -126, x + 24, -58, ink("bcd4de"), 2)
        for k in (6, 12, 18):
            c.bar(x + k - 0.9, -126, x + k + 0.9, -58, p.dark)
        ring(c, x + 12, -92, 8, 2.6, p.dark)
        c.bar(x, -48, x + 24, -14, darker(p.main, 16), 2)
    c.disc(5, -52, 3.4, p.accent)
    for x in (-60, 60):
        c.bar(x - 10, -20, x + 10, -3, ink("c98e6c"))
        for k in (-7, 0, 7):
            c.line(((x + k * 0.6, -20.0), (x + k, -44.0)), 5, p.second)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """Heavy planks in a bright arch, iron studs, pots of flowers."""
    _wall(c, p.main)
    c.bar(-76, -34, 76, 1, p.accent)
    opening(c, (-38, -144, 38, -4), p.second, rim=p.pale, width=9)
    _leaves(c, -38, -144, -4, p.second, "round")
    for x in (-26, -13, 13, 26):
        c.bar(x - 0.9, -128, x + 0.9, -4, darker(p.second, 24))
    for y in (-96, -66, -36):
        for x in (-31, -19, -7, 7, 19, 31):
            c.disc(x, y, 2.8, p.dark)
    ring(c, 8, -74, 6, 2.6, p.accent)
    for x in (-60, 60):
        poly(c, ink("b96a45"), x - 11, -24, x + 11, -24, x + 8, -3, x - 8, -3)
        for dx in (-8, 0, 8):
            flower(c, x + dx, -32 - (0 if dx else 8), 8, p.pale, p.accent)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """Red leaves with rows of studs under a tiled hood."""
    _wall(c, darker(p.pale, 6))
    c.bar(-46, -120, 46, -4, p.wood)
    _leaves(c, -38, -112, -4, p.main)
    for y in (-102, -84, -66, -34, -18):
        for x in (-30, -20, -10, 10, 20, 30):
            c.disc(x, y, 3, p.accent)
    for s in (-1, 1):
        c.disc(s * 10, -50, 6, p.accent)
        ring(c, s * 10, -44, 6, 2.4, p.accent)
    c.bar(-50, -126, 50, -112, p.second)
    for x in (-36, -12, 12, 36):
        diamond(c, x, -119, 8, 5, p.accent)
    tile = ink("4d5862")
    c.shape(
        (
            "M -56 -152 L 56 -152 C 62 -138 74 -132 92 -136 L 88 -124 Q 0 -118 -88 -124 L "
            "-92 -136 C -74 -132 -62 -138 -56 -152"
        ),
        tile,
    )
    for x in range(-72, 80, 12):
        c.line(((x * 0.74, -150.0), (x, -125.0)), 1.8, lighter(tile, 22))
    c.bar(-60, -158, 60, -150, darker(tile, 20), 3)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """Sliding paper screens, a split curtain above."""
    _wall(c, darker(p.pale, 5))
    c.bar(-58, -140, 58, -2, p.wood)
    for x in (-52, 2):
        c.bar(x, -132, x + 50, -6, lighter(p.pale, 40))
        for k in (10, 23.5, 37):
            c.bar(x + k, -132, x + k + 2.6, -34, p.wood)
        for y in (-104, -80, -56):
            c.bar(x, y, x + 50, y + 2.6, p.wood)
        c.bar(x, -34, x + 50, -6, lighter(p.wood, 14))
    for x in (-8, 8):
        c.disc(x, -66, 3.4, p.dark)
    for left in (-56.0, -27.5, 1.0, 29.5):
        c.bar(left, -138, left + 26.5, -100, p.main, 1.5)
        c.disc(left + 13, -118, 7, p.pale)
        c.disc(left + 13, -118, 3.4, p.main)
    c.bar(-62, -144, 62, -136, darker(p.wood, 20), 2)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A keyhole arch framed in tiles, studded leaves."""
    _wall(c, p.pale)
    c.bar(-56, -154, 56, -4, p.main)
    for x in (-50, 50):
        for y in range(-146, -8, 16):
            diamond(c, x, y, 4.6, 7, p.accent)
    for x in range(-34, 40, 17):
        diamond(c, x, -148, 7, 4.6, p.accent)
    opening(c, (-36, -136, 36, -4), p.wood, "keyhole", rim=p.second, width=6)
    c.bar(-1.4, -130, 1.4, -4, darker(p.wood, 36))
    for y in (-98, -76, -54, -32, -14):
        for x in (-25, -12, 12, 25):
            c.disc(x, y, 2.9, p.accent)
    for s in (-1, 1):
        ring(c, s * 7, -64, 5, 2.4, p.accent)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """Carved leaves in a cusped arch, painted spandrels."""
    _wall(c, p.pale)
    c.bar(-56, -152, 56, -4, p.second)
    for x in (-40, 40):
        flower(c, x, -134, 12, p.main, p.accent)
    opening(c, (-38, -136, 38, -4), p.main, "cusped", rim=p.pale, width=6)
    c.bar(-1.4, -130, 1.4, -4, p.dark)
    for x in (-32, 5):
        for y in (-92, -64, -36):
            c.bar(x, y, x + 27, y + 22, darker(p.main, 16), 2)
            diamond(c, x + 13.5, y + 11, 8, 8, p.accent)
    for x in (-49, 49):
        for y in range(-114, -8, 16):
            c.disc(x, y, 3.6, p.accent)
    for s in (-1, 1):
        c.disc(s * 7, -68, 3.4, p.pale)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A door of carved panels in an earthen wall."""
    _wall(c, ink("dba873"))
    for y in (-150, -20):
        for x in range(-70, 76, 16):
            poly(c, p.second, x - 7, y + 12, x, y, x + 7, y + 12)
    opening(c, (-36, -130, 36, -4), p.wood, "flat", rim=p.main, width=8)
    for row, y in enumerate((-124, -94, -64, -34)):
        for col, x in enumerate((-31, 3)):
            c.bar(x, y, x + 28, y + 24, lighter(p.wood, 16), 1)
            kind = (row + col) % 3
            if kind == 0:
                ring(c, x + 14, y + 12, 7, 3, p.accent)
            elif kind == 1:
                for k in (5, 12, 19):
                    poly(c, p.accent, x + k, y + 18, x + k + 3.5, y + 6, x + k + 7, y + 18)
            else:
                diamond(c, x + 14, y + 12, 10, 9, p.accent)
                diamond(c, x + 14, y + 12, 4.6, 4, p.wood)
    c.disc(28, -67, 3.6, p.pale)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """Tapering leaves in gilt and violet under a gable."""
    _wall(c, p.pale)
    poly(c, p.accent, -44, -4, -38, -122, 38, -122, 44, -4)
    poly(c, p.main, -36, -4, -31, -116, 31, -116, 36, -4)
    c.bar(-1.4, -116, 1.4, -4, p.accent)
    for y in (-98, -66, -34):
        for s in (-1, 1):
            diamond(c, s * 16.5, y, 9, 13, p.accent)
            diamond(c, s * 16.5, y, 4.6, 7, p.second)
    for e, top, tone in (
        (66.0, -176.0, p.wood),
        (52.0, -166.0, p.accent),
        (42.0, -158.0, p.second),
    ):
        c.shape(
            (
                f"M 0 {top} C {e * 0.3} -142 {e * 0.6} -126 {e} -120 L {-e} -120 C {-e * 0.6} "
                f"-126 {-e * 0.3} -142 0 {top}"
            ),
            tone,
        )
    flower(c, 0, -134, 9, p.accent, p.main)
    for x in (-60.0, 60.0):
        for dx in (-16, -6, 6, 16):
            c.line(
                ((x, -22.0), (x + dx * 0.6, -40.0), (x + dx, -44.0 + abs(dx) * 0.8)),
                6,
                ink("6fb85e"),
                end=2,
            )
        poly(c, ink("4f8a98"), x - 12, -24, x + 12, -24, x + 8, -3, x - 8, -3)
        c.bar(x - 14, -27, x + 14, -21, ink("6fa6b2"), 2)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A carved frame and centre post, rows of brass bosses, a bench on each side."""
    _wall(c, p.pale)
    opening(c, (-36, -118, 36, -4), p.wood, "flat", rim=darker(p.wood, 30), width=10)
    c.bar(-50, -146, 50, -120, darker(p.wood, 24), 2)
    for x in (-36, -18, 0, 18, 36):
        c.disc(x, -133, 7.5, p.main)
        c.disc(x, -133, 3.6, p.accent)
    c.bar(-5, -118, 5, -4, darker(p.wood, 30))
    for y in range(-112, -8, 14):
        diamond(c, 0, y, 3.6, 5, p.accent)
        for x in (-41, 41):
            diamond(c, x, y, 3, 5, lighter(p.wood, 34))
    for y in (-100, -76, -52, -28):
        for x in (-27, -15, 15, 27):
            c.disc(x, y, 4, p.accent)
            c.disc(x, y, 1.6, p.dark)
    for s in (-1, 1):
        c.bar(s * 48, -26, s * 80, 1, p.second, 2)
        c.bar(s * 48, -28, s * 80, -22, p.pale, 2)


FORMS = {
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
