"""Drums: a body, a skin, and sticks where they are played with sticks."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import Dress
from fairlead.phantom.scenery.marks import diamond, poly, shadow

_SKIN = ink("f3e2c0")


def _shadow(c: Canvas, r: float) -> None:
    shadow(c, r)


def _head(c: Canvas, x: float, y: float, rx: float, ry: float, rim: Ink) -> None:
    c.disc(x, y, rx, rim, tall=ry)
    c.disc(x, y - 1, rx - 5, _SKIN, tall=ry - 3)
    c.disc(x - rx * 0.25, y - 2, rx * 0.4, lighter(_SKIN, 40), tall=ry * 0.35)


def _sticks(c: Canvas, y: float, wood: Ink) -> None:
    for s in (-1, 1):
        c.line(((s * 8.0, y), (s * 62.0, y - 38.0)), 5, wood)
        c.disc(s * 8, y, 5.5, lighter(wood, 36))


def _barrel(c: Canvas, half: float, belly: float, y0: float, y1: float, colour: Ink) -> None:
    m = (y0 + y1) / 2
    c.shape(
        f"M {-half} {y0} C {-belly} {m - 14} {-belly} {m + 14} {-half} {y1} "
        f"C {-half * 0.5} {y1 + 12} {half * 0.5} {y1 + 12} {half} {y1} C {belly} {m + 14} "
        f"{belly} {m - 14} {half} {y0}",
        colour,
    )
    c.shape(
        f"M {half * 0.45} {y0} C {belly * 0.55} {m - 14} {belly * 0.55} {m + 14} "
        f"{half * 0.45} {y1 + 8} "
        f"L {half} {y1} C {belly} {m + 14} {belly} {m - 14} {half} {y0}",
        darker(colour, 14),
    )


def plain(c: Canvas, p: Dress, v: int) -> None:
    """A cylinder with two sticks."""
    _shadow(c, 60)
    _barrel(c, 54, 54, -84, -12, p.main)
    c.bar(-54, -26, 54, -18, p.dark)
    _head(c, 0, -86, 56, 17, p.dark)
    _sticks(c, -90, p.wood)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A side drum with zig-zag cords."""
    _shadow(c, 64)
    _barrel(c, 58, 58, -84, -14, p.main)
    for y in (-80, -16):
        c.shape(
            (
                f"M -60 {y} C -40 {y + 13} 40 {y + 13} 60 {y} L 60 {y + 10} C 40 {y + 23} -40 "
                f"{y + 23} -60 {y + 10}"
            ),
            p.second,
        )
    for x in range(-48, 50, 24):
        c.line(((x, -62.0), (x + 12.0, -8.0)), 3, p.pale)
        c.line(((x + 12.0, -8.0), (x + 24.0, -62.0)), 3, p.pale)
    _head(c, 0, -86, 60, 18, p.accent)
    _sticks(c, -90, p.wood)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A tall Provençal drum with a ribbon."""
    _shadow(c, 48)
    _barrel(c, 42, 42, -116, -12, p.wood)
    for y in (-112, -16):
        c.shape(
            (
                f"M -44 {y} C -30 {y + 9} 30 {y + 9} 44 {y} L 44 {y + 9} C 30 {y + 18} -30 "
                f"{y + 18} -44 {y + 9}"
            ),
            p.pale,
        )
    for x in (-32, -11, 11, 32):
        c.line(((x, -98.0), (x + (9.0 if x < 0 else -9.0), -12.0)), 2.6, p.pale)
    c.shape("M -42 -66 C -20 -58 20 -58 42 -66 L 42 -52 C 20 -44 -20 -44 -42 -52", p.main)
    c.line(((38.0, -60.0), (62.0, -44.0), (56.0, -20.0)), 7, p.main)
    _head(c, 0, -118, 44, 14, p.wood)
    c.line(((6.0, -122.0), (58.0, -146.0)), 5, p.wood)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """An upright carved drum on three feet."""
    _shadow(c, 46)
    for x in (-34, -7, 20):
        poly(c, darker(p.wood, 12), x, -30, x + 14, -30, x + 16, 1, x - 2, 1)
    _barrel(c, 40, 44, -116, -30, p.wood)
    for y, tone in ((-96, p.main), (-44, p.second)):
        c.shape(
            (
                f"M -43 {y} C -20 {y + 10} 20 {y + 10} 43 {y} L 43 {y + 12} C 20 {y + 22} -20 "
                f"{y + 22} -43 {y + 12}"
            ),
            tone,
        )
    for x in (-26, 0, 26):
        for k, tone in ((12, p.accent), (7, p.main)):
            c.bar(x - k, -62 - k * 0.4, x + k, -62 + k * 0.4, tone)
            c.bar(x - k * 0.4, -62 - k, x + k * 0.4, -62 + k, tone)
    _head(c, 0, -118, 42, 13, p.dark)
    _sticks(c, -121, p.wood)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A red barrel drum with studs, on a stand."""
    _shadow(c, 60)
    for s in (-1, 1):
        c.line(((s * 30.0, -26.0), (s * 48.0, 0.0)), 7, p.wood)
    c.bar(-44, -22, 44, -15, p.wood)
    _barrel(c, 50, 70, -96, -32, p.main)
    for x, y in (
        (-44, -82),
        (-22, -76),
        (0, -74),
        (22, -76),
        (44, -82),
        (-40, -32),
        (-20, -28),
        (0, -26),
        (20, -28),
        (40, -32),
    ):
        c.disc(x, y, 3.6, p.accent)
    for s in (-1, 1):
        c.disc(s * 52, -60, 6, p.accent)
    c.disc(0, -50, 11, p.accent)
    c.disc(0, -50, 6.5, p.main)
    _head(c, 0, -98, 54, 16, p.accent)
    _sticks(c, -102, p.wood)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A taiko on its side, on a crossed stand."""
    _shadow(c, 64)
    for s in (-1, 1):
        c.line(((s * -44.0, -52.0), (s * 50.0, 0.0)), 9, darker(p.wood, 14))
    c.shape("M -62 -112 C -30 -132 30 -132 62 -112 L 62 -40 C 30 -20 -30 -20 -62 -40", p.wood)
    c.disc(0, -76, 54, p.dark)
    c.disc(0, -76, 48, _SKIN)
    c.disc(-14, -90, 20, lighter(_SKIN, 45), tall=12)
    for u, v_ in (
        (1.0, 0.0),
        (0.87, 0.5),
        (0.5, 0.87),
        (0.0, 1.0),
        (-0.5, 0.87),
        (-0.87, 0.5),
        (-1.0, 0.0),
        (-0.87, -0.5),
        (-0.5, -0.87),
        (0.0, -1.0),
        (0.5, -0.87),
        (0.87, -0.5),
    ):
        c.disc(51 * u, -76 + 51 * v_, 3, p.accent)
    c.line(((8.0, -70.0), (66.0, -116.0)), 7, lighter(p.wood, 40))
    c.line(((-8.0, -66.0), (-66.0, -104.0)), 7, lighter(p.wood, 40))
    c.bar(-66, -44, -54, -30, p.main, 3)
    c.bar(54, -44, 66, -30, p.main, 3)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A goblet drum inlaid with tilework."""
    _shadow(c, 44)
    body = (
        "M -48 -110 C -50 -80 -26 -64 -20 -48 C -18 -30 -30 -10 -36 -3 L 36 -3 C 30 -10 18 "
        "-30 20 -48 C 26 -64 50 -80 48 -110"
    )
    c.shape(body, p.main)
    c.shape(
        (
            "M 20 -110 C 22 -80 12 -64 8 -48 C 8 -30 14 -10 16 -3 L 36 -3 C 30 -10 18 -30 20 "
            "-48 C 26 -64 50 -80 48 -110"
        ),
        darker(p.main, 16),
    )
    for x in (-32, -16, 0, 16, 32):
        diamond(c, x, -92 + abs(x) * 0.05, 8, 9, p.pale)
        diamond(c, x, -92 + abs(x) * 0.05, 4, 5, p.second)
    c.bar(-26, -66, 26, -60, p.accent, 2)
    for x in (-18, 0, 18):
        diamond(c, x, -18, 7, 8, p.accent)
    c.bar(-38, -6, 38, 0, p.accent, 2)
    _head(c, 0, -112, 50, 15, p.accent)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A pair of tabla on padded rings."""
    _shadow(c, 82)
    for x, top, foot, y, tone in (
        (-40.0, 34.0, 40.0, -76.0, p.accent),
        (40.0, 38.0, 26.0, -66.0, p.main),
    ):
        c.disc(x, -10, foot + 8, p.second, tall=11)
        c.shape(
            f"M {x - top} {y} C {x - top - 14} {y + 34} {x - foot} -14 {x - foot + 8} -8 "
            f"L {x + foot - 8} -8 C {x + foot} -14 {x + top + 14} {y + 34} {x + top} {y}",
            tone,
        )
        c.shape(
            f"M {x + top * 0.4} {y} C {x + top * 0.5} {y + 34} {x + foot * 0.4} -14 "
            f"{x + foot * 0.3} -8 "
            f"L {x + foot - 8} -8 C {x + foot} -14 {x + top + 14} {y + 34} {x + top} {y}",
            darker(tone, 14),
        )
        for k in (-0.8, -0.4, 0.0, 0.4, 0.8):
            c.line(((x + k * top, y + 8), (x + k * (foot - 4), -16.0)), 2.6, p.pale)
        _head(c, x, y, top + 3, 13, p.wood)
        c.disc(x + 3, y, 12, p.dark, tall=5)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """An hourglass talking drum with its cords and a curved beater."""
    _shadow(c, 52)
    cords = (
        "M -50 -116 C -44 -88 -22 -76 -22 -62 C -22 -48 -44 -36 -50 -10 L 50 -10 C 44 -36 22 "
        "-48 22 -62 C 22 -76 44 -88 50 -116"
    )
    c.shape(cords, ink("d8b27c"))
    for k in (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9):
        c.line(
            ((k * 48, -112.0), (k * 21, -62.0), (k * 48, -12.0)),
            2.6,
            p.main if round(k * 10) % 2 else p.wood,
        )
    c.bar(-28, -70, 28, -54, p.second, 6)
    for x in (-16, 0, 16):
        diamond(c, x, -62, 5, 6, p.accent)
    c.shape("M -52 -12 C -30 2 30 2 52 -12 L 52 -4 C 30 8 -30 8 -52 -4", p.wood)
    _head(c, 0, -116, 54, 15, p.wood)
    c.line(((4.0, -120.0), (40.0, -132.0), (66.0, -114.0), (72.0, -92.0)), 7, p.wood)
    c.line(((48.0, -104.0), (66.0, -70.0), (58.0, -40.0)), 5, p.main)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A long drum in a pleated skirt, on a slender foot."""
    _shadow(c, 40)
    c.shape("M -10 -56 C -8 -30 -22 -8 -30 -2 L 30 -2 C 22 -8 8 -30 10 -56", p.accent)
    c.shape("M -42 -122 C -46 -96 -30 -76 -14 -54 L 14 -54 C 30 -76 46 -96 42 -122", p.wood)
    c.shape(
        "M -44 -112 C -52 -92 -44 -66 -34 -52 C -26 -62 -22 -50 -12 -48 "
        "C -4 -58 4 -58 12 -48 C 22 -50 26 -62 34 -52 C 44 -66 52 -92 44 -112",
        p.main,
    )
    for x in (-30, -15, 0, 15, 30):
        c.line(((x * 0.95, -108.0), (x * 0.9, -58.0)), 2.6, darker(p.main, 24))
    c.shape("M -44 -112 C -20 -102 20 -102 44 -112 L 45 -104 C 20 -92 -20 -92 -45 -104", p.accent)
    for y in (-40, -28, -16):
        c.bar(-13 - (y + 40) * 0.25, y, 13 + (y + 40) * 0.25, y + 4, p.second, 1.5)
    _head(c, 0, -122, 45, 14, p.dark)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A tall ngoma: a carved body, a pegged skin."""
    _shadow(c, 46)
    c.shape(
        "M -48 -106 C -48 -70 -34 -40 -28 -14 L -36 0 L 36 0 L 28 -14 C 34 -40 48 -70 48 -106",
        p.wood,
    )
    c.shape(
        "M 22 -106 C 22 -70 14 -40 12 -14 L 16 0 L 36 0 L 28 -14 C 34 -40 48 -70 48 -106",
        darker(p.wood, 20),
    )
    for y, half, tone in ((-72, 42, p.main), (-50, 37, p.accent), (-28, 32, p.second)):
        c.bar(-half, y, half, y + 13, tone)
        for x in range(-half + 8, half - 2, 14):
            poly(c, p.pale, x - 5, y + 12, x, y + 2, x + 5, y + 12)
    c.shape("M -48 -106 C -48 -96 -47 -90 -46 -84 L 46 -84 C 47 -90 48 -96 48 -106", _SKIN)
    for x in (-36, -18, 0, 18, 36):
        c.line(((x, -92.0), (x * 1.15, -82.0)), 5, p.dark)
    _head(c, 0, -108, 50, 15, darker(_SKIN, 26))
    _sticks(c, -111, p.wood)


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
