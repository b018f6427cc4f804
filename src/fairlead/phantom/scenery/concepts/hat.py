"""Hats on a stand."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import STRAW, Dress
from fairlead.phantom.scenery.marks import diamond, flower, poly, shadow


def _stand(c: Canvas, top: float = -74.0) -> None:
    """A turned post with a rounded block."""
    # Neither the culture nor the palette shows in the stand.
    wood = ink("a98560")
    shadow(c, 46)
    c.bar(-40, -11, 40, -1, wood, 5)
    c.bar(-28, -18, 28, -9, lighter(wood, 18), 4)
    c.bar(-5, top, 5, -14, darker(wood, 12))
    c.disc(0, -34, 11, wood, tall=6)
    c.disc(0, -24, 14, darker(wood, 12), tall=5)
    c.shape(
        (
            f"M -32 {top + 12} C -30 {top - 26} 30 {top - 26} 32 {top + 12} C 20 {top + 20} "
            f"-20 {top + 20} -32 {top + 12}"
        ),
        lighter(wood, 34),
    )


def plain(c: Canvas, p: Dress, v: int) -> None:
    """A brim, a crown, a band."""
    _stand(c)
    c.disc(0, -82, 66, p.main, tall=14)
    c.shape(
        "M -36 -84 L -32 -126 C -20 -136 20 -136 32 -126 L 36 -84 C 20 -76 -20 -76 -36 -84",
        lighter(p.main, 10),
    )
    c.shape("M -36 -84 L -35 -98 C -20 -90 20 -90 35 -98 L 36 -84 C 20 -76 -20 -76 -36 -84", p.dark)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A bowler with a curled brim."""
    _stand(c)
    c.shape(
        (
            "M -70 -94 C -62 -78 -30 -72 0 -72 C 30 -72 62 -78 70 -94 C 64 -90 40 -84 0 -84 "
            "C -40 -84 -64 -90 -70 -94"
        ),
        darker(p.main, 14),
    )
    c.shape(
        "M -44 -84 C -48 -112 -28 -127 0 -127 C 28 -127 48 -112 44 -84 C 24 -76 -24 -76 -44 -84",
        p.main,
    )
    c.shape("M -44 -84 L -45 -98 C -24 -90 24 -90 45 -98 L 44 -84 C 24 -76 -24 -76 -44 -84", p.dark)
    c.disc(-18, -112, 9, lighter(p.main, 24), tall=14)
    poly(c, p.second, 34, -96, 58, -118, 48, -88)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A beret leaning to one side."""
    _stand(c)
    c.shape(
        (
            "M -38 -84 C -80 -92 -84 -124 -30 -128 C 10 -132 76 -124 74 -100 C 72 -88 50 -84 "
            "38 -82 C 20 -76 -20 -76 -38 -84"
        ),
        p.main,
    )
    c.shape("M -34 -122 C 0 -128 50 -122 66 -106 C 40 -112 -10 -116 -34 -122", lighter(p.main, 24))
    c.shape("M -38 -84 C -20 -74 20 -74 38 -82 L 36 -76 C 20 -68 -20 -68 -36 -77", p.dark)
    c.line(((6.0, -126.0), (8.0, -138.0)), 5, p.dark)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """A wide straw sombrero with an embroidered brim."""
    _stand(c)
    c.shape(
        (
            "M -88 -104 C -70 -74 -30 -70 0 -70 C 30 -70 70 -74 88 -104 C 78 -96 40 -88 0 "
            "-88 C -40 -88 -78 -96 -88 -104"
        ),
        STRAW,
    )
    c.shape(
        (
            "M -88 -104 C -70 -74 -30 -70 0 -70 C 30 -70 70 -74 88 -104 L 84 -104 C 66 -82 "
            "30 -77 0 -77 C -30 -77 -66 -82 -84 -104"
        ),
        p.main,
    )
    c.shape(
        "M -34 -86 C -28 -120 -18 -142 0 -144 C 18 -142 28 -120 34 -86 C 20 -80 -20 -80 -34 -86",
        lighter(STRAW, 18),
    )
    c.shape("M -34 -86 L -32 -99 C -18 -92 18 -92 32 -99 L 34 -86 C 20 -80 -20 -80 -34 -86", p.main)
    for x in (-20, 0, 20):
        diamond(c, x, -90 + abs(x) * -0.08, 5, 4, p.accent)
    for x, y in ((-62, -84), (-40, -77), (40, -77), (62, -84)):
        diamond(c, x, y, 7, 4, p.second)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A broad bamboo hat with a woven lattice."""
    _stand(c)
    c.shape(
        "M -78 -84 C -40 -98 -14 -118 0 -142 C 14 -118 40 -98 78 -84 C 40 -70 -40 -70 -78 -84",
        STRAW,
    )
    for x0, x1 in ((-50, -10), (-26, -5), (0, 0), (26, 5), (50, 10)):
        c.line(((x1, -132.0), (x0, -79.0)), 2.2, darker(STRAW, 24))
    for y, half in ((-116, 22), (-100, 42)):
        c.line(((-half, y), (0.0, y + 7.0), (half, y)), 2.2, darker(STRAW, 24))
    c.line(((-78.0, -84.0), (0.0, -73.0), (78.0, -84.0)), 5, p.main)
    c.disc(0, -140, 6, p.accent)
    for s in (-1, 1):
        c.line(((s * 30.0, -76.0), (s * 24.0, -50.0), (0.0, -40.0)), 3, p.main)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A folded rush hat, tied with a cord."""
    _stand(c)
    c.shape(
        "M -78 -74 C -58 -104 -30 -136 0 -144 C 30 -136 58 -104 78 -74 C 40 -90 -40 -90 -78 -74",
        STRAW,
    )
    c.shape("M 0 -144 C 30 -136 58 -104 78 -74 C 56 -84 30 -88 8 -88", darker(STRAW, 12))
    for x in (-56, -36, -16, 16, 36, 56):
        c.line(((x * 0.2, -138.0), (x, -84.0 + abs(x) * 0.1)), 2, darker(STRAW, 24))
    c.line(((-60.0, -90.0), (0.0, -102.0), (60.0, -90.0)), 4, p.main)
    for s in (-1, 1):
        c.line(((s * 30.0, -86.0), (s * 22.0, -58.0), (0.0, -44.0)), 4.5, p.accent)
    flower(c, 0, -104, 9, p.second, p.accent)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A felt cap with a tassel and an embroidered hem."""
    _stand(c)
    c.shape(
        "M -42 -80 L -34 -138 C -14 -144 14 -144 34 -138 L 42 -80 C 22 -70 -22 -70 -42 -80", p.main
    )
    c.shape(
        "M 16 -142 C 24 -141 30 -140 34 -138 L 42 -80 C 36 -76 30 -75 22 -74", darker(p.main, 16)
    )
    c.disc(0, -139, 34, lighter(p.main, 16), tall=6)
    c.shape(
        "M -42 -80 L -40 -96 C -20 -86 20 -86 40 -96 L 42 -80 C 22 -70 -22 -70 -42 -80", p.second
    )
    for x in (-30, -15, 0, 15, 30):
        diamond(c, x, -86 + (30 - abs(x)) * 0.2, 5.4, 5.4, p.accent)
    c.line(((0.0, -141.0), (26.0, -142.0), (44.0, -128.0)), 3, p.dark)
    c.line(((44.0, -128.0), (46.0, -104.0)), 7, p.accent, end=10)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A round cap with a bright woven band."""
    _stand(c)
    c.shape(
        "M -46 -80 L -42 -122 C -24 -136 24 -136 42 -122 L 46 -80 C 24 -70 -24 -70 -46 -80", p.pale
    )
    c.disc(0, -124, 42, lighter(p.pale, 34), tall=10)
    c.shape(
        "M -46 -80 L -44 -108 C -22 -96 22 -96 44 -108 L 46 -80 C 24 -70 -24 -70 -46 -80", p.second
    )
    c.shape("M -46 -80 L -46 -86 C -22 -76 22 -76 46 -86 L 46 -80 C 24 -70 -24 -70 -46 -80", p.main)
    for i, x in enumerate((-36, -18, 0, 18, 36)):
        diamond(c, x, -90 + (36 - abs(x)) * 0.18, 8, 9, p.main if i % 2 else p.accent)
        diamond(c, x, -90 + (36 - abs(x)) * 0.18, 3.4, 4, p.pale)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A soft woven cap, its crown folded to one side."""
    _stand(c)
    c.shape(
        "M -42 -82 C -44 -112 -34 -136 -8 -142 C 22 -148 52 -140 66 -122 "
        "C 74 -110 66 -98 54 -100 C 48 -100 44 -92 42 -82 C 20 -72 -20 -72 -42 -82",
        p.main,
    )
    c.shape(
        "M 10 -144 C 36 -146 58 -134 66 -122 C 74 -110 66 -98 54 -100 C 46 -114 28 -130 10 -144",
        darker(p.main, 18),
    )
    for x0, x1 in ((-30, -18), (-15, -4), (0, 10), (15, 26)):
        c.line(
            ((x0, -80.0 + abs(x0) * 0.04), (x0 * 0.9, -112.0), (x1, -138.0)),
            3.4,
            p.accent,
        )
    c.shape(
        "M -42 -82 L -43 -96 C -22 -86 22 -86 43 -94 L 42 -82 C 20 -72 -20 -72 -42 -82", p.second
    )
    for x in (-28, -14, 0, 14, 28):
        diamond(c, x, -85 + (28 - abs(x)) * 0.15, 4.6, 4.6, p.accent)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A palm-leaf hat, tall and flaring, on an inner band."""
    _stand(c)
    c.shape(
        (
            "M -24 -136 C -14 -142 14 -142 24 -136 C 34 -110 50 -94 70 -84 C 40 -70 -40 -70 "
            "-70 -84 C -50 -94 -34 -110 -24 -136"
        ),
        STRAW,
    )
    for x in (-48, -32, -16, 0, 16, 32, 48):
        c.line(((x * 0.4, -137.0), (x * 0.66, -106.0), (x, -78.0)), 2, darker(STRAW, 24))
    c.disc(0, -137, 24, lighter(STRAW, 26), tall=5)
    c.line(((-70.0, -84.0), (0.0, -73.0), (70.0, -84.0)), 5, p.main)
    c.line(((-38.0, -106.0), (0.0, -98.0), (38.0, -106.0)), 5, p.accent)
    for s in (-1, 1):
        c.line(((s * 28.0, -76.0), (s * 20.0, -54.0), (0.0, -46.0)), 3.6, p.second)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """An embroidered round cap."""
    _stand(c)
    c.shape(
        "M -44 -78 L -42 -132 C -20 -122 20 -122 42 -132 L 44 -78 C 22 -68 -22 -68 -44 -78", p.pale
    )
    c.disc(0, -132, 42, lighter(p.pale, 40), tall=11)
    c.disc(0, -132, 30, darker(p.pale, 8), tall=7)
    for y in (-118.0, -84.0):
        c.line(((-42.0, y), (0.0, y + 11.0), (42.0, y)), 4, p.main)
    for i, x in enumerate((-34, -17, 0, 17, 34)):
        y = -98 + (34 - abs(x)) * 0.24
        if i % 2:
            c.disc(x, y, 6.4, p.second)
            c.disc(x, y, 2.8, p.pale)
        else:
            diamond(c, x, y, 8, 11, p.accent)
            diamond(c, x, y, 3.6, 5, p.main)


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
