"""Boats: a hull on the water with a sail or a cover."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter, mix
from fairlead.phantom.scenery.colours import STRAW, WATER, Dress
from fairlead.phantom.scenery.marks import diamond, flower, poly

_CLOTH = ink("fbf3e0")


def _hull(
    c: Canvas,
    colour: Ink,
    rim: Ink,
    outline: str = "M -70 -40 L 70 -40 C 62 -16 50 -8 34 -6 L -34 -6 C -54 -8 -64 -18 -70 -40",
) -> None:
    c.disc(0, -5, 74, mix(WATER, ink("3d6f80"), 40), tall=6)
    c.shape(outline, colour)
    c.line(((-68.0, -40.0), (68.0, -40.0)), 5, rim)


def _ripples(c: Canvas) -> None:
    for x0, x1, y in ((-78, -30, -6), (-14, 40, -3), (46, 84, -7)):
        c.bar(x0, y, x1, y + 3, lighter(WATER, 60), 1.5)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """One mast, two sails."""
    c.bar(-2.5, -142, 2.5, -40, p.wood)
    poly(c, p.pale, 6, -138, 6, -50, 60, -50)
    poly(c, p.second, -6, -120, -6, -50, -46, -50)
    # After mast and sails, whose feet it hides; the water washes over it last.
    _hull(c, p.main, p.dark)
    _ripples(c)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A gaff-rigged cutter with a painted hull."""
    c.bar(-8, -146, -3, -40, p.wood)
    poly(c, p.second, 0, -114, 0, -50, 58, -50, 40, -132)
    c.line(((-2.0, -112.0), (42.0, -136.0)), 4, p.wood)
    poly(c, _CLOTH, -10, -140, -10, -50, -64, -46)
    poly(c, darker(_CLOTH, 10), -10, -110, -10, -50, -40, -48)
    _hull(c, p.main, p.pale)
    c.bar(-60, -34, 60, -30, p.accent)
    c.line(((-62.0, -40.0), (-84.0, -48.0)), 4, p.wood)
    _ripples(c)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A fishing lugger: a four-cornered sail, a pointed hull in two colours."""
    c.bar(-3, -138, 2, -40, p.wood)
    c.line(((-40.0, -118.0), (34.0, -142.0)), 4.5, p.wood)
    c.shape(
        (
            "M -40 -116 L 34 -140 C 40 -110 44 -80 52 -52 C 20 -58 -10 -56 -36 -52 C -40 -74 "
            "-42 -96 -40 -116"
        ),
        p.accent,
    )
    c.line(((-38.0, -84.0), (0.0, -90.0), (44.0, -96.0)), 3, darker(p.accent, 16))
    _hull(
        c,
        p.main,
        p.pale,
        "M -76 -52 C -60 -40 60 -40 76 -52 C 66 -20 52 -8 34 -6 L -34 -6 C -52 -8 -66 -20 -76 -52",
    )
    c.shape("M -73 -44 C -60 -32 60 -32 73 -44 L 70 -34 C 56 -24 -56 -24 -70 -34", p.pale)
    _ripples(c)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """A flat boat with a painted, flowered canopy."""
    for x in (-50, 44):
        c.bar(x, -98, x + 6, -38, p.accent)
    c.shape("M -62 -92 C -60 -128 60 -128 62 -92 L 54 -92 C 50 -108 -50 -108 -54 -92", p.main)
    c.shape("M -62 -92 C -60 -128 60 -128 62 -92 L 62 -98 C 56 -122 -56 -122 -62 -98", p.second)
    c.bar(-58, -98, 58, -92, p.accent)
    for x, y in ((-44, -110), (-22, -118), (0, -121), (22, -118), (44, -110)):
        flower(c, x, y, 9, p.pale, p.accent)
    for x in (-26, -4, 18):
        c.bar(x, -62, x + 14, -40, p.wood)
        c.bar(x + 2, -70, x + 12, -60, p.second)
    _hull(c, p.second, p.pale, "M -78 -44 L 78 -44 L 66 -8 L -66 -8")
    for x in range(-54, 60, 18):
        diamond(c, x, -24, 6, 8, p.accent)
    _ripples(c)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A junk: battened sails, a high stern."""
    for x, w, top, low in ((-6.0, 46.0, -144.0, -50.0), (-48.0, 24.0, -112.0, -54.0)):
        c.bar(x - 2, top + 2, x + 3, -40, p.wood)
        n = 5
        c.shape(
            (
                f"M {x - w * 0.2} {top} C {x + w * 0.7} {top + 10} {x + w * 1.1} {low - 40} "
                f"{x + w} {low} L {x - w * 0.3} {low}"
            ),
            p.main,
        )
        for k in range(1, n):
            y = top + (low - top) * k / n
            c.line(((x - w * 0.28, y + 4), (x + w * (0.62 + 0.1 * k), y - 2)), 2.6, p.accent)
    _hull(
        c,
        p.wood,
        p.accent,
        (
            "M -72 -52 L -54 -40 L 52 -40 L 58 -66 L 78 -70 C 76 -40 66 -10 46 -6 L -40 -6 C "
            "-58 -10 -68 -28 -72 -52"
        ),
    )
    c.bar(52, -70, 80, -64, p.main, 2)
    c.bar(-48, -30, 60, -25, p.second)
    c.disc(-54, -34, 4.5, _CLOTH)
    c.disc(-54, -34, 2.2, p.dark)
    _ripples(c)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A river boat with one tall, laced square sail."""
    c.bar(-3, -146, 3, -40, p.wood)
    c.shape(
        "M -40 -138 L 40 -138 C 46 -106 44 -78 40 -54 L -40 -54 C -36 -78 -34 -106 -40 -138", p.pale
    )
    for x in (-20, 0, 20):
        c.line(((x, -137.0), (x + 4.0, -96.0), (x, -55.0)), 2, darker(p.pale, 20))
    c.shape("M -40 -74 C 0 -70 20 -78 43 -74 L 40 -54 L -40 -54", p.main)
    c.line(((-44.0, -139.0), (44.0, -139.0)), 4.5, p.wood)
    _hull(
        c,
        p.wood,
        darker(p.wood, 24),
        (
            "M -84 -58 C -66 -44 -50 -40 -30 -40 L 66 -40 L 72 -46 C 70 -20 60 -8 44 -6 L "
            "-30 -6 C -56 -10 -72 -30 -84 -58"
        ),
    )
    c.bar(24, -60, 56, -40, p.pale)
    c.shape("M 18 -58 Q 40 -76 62 -58", p.second)
    _ripples(c)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A dhow: one long lateen yard, a raked bow."""
    c.line(((8.0, -40.0), (2.0, -128.0)), 6, p.wood)
    c.line(((-62.0, -62.0), (46.0, -150.0)), 4.5, p.wood)
    c.shape("M -60 -62 L 45 -147 C 62 -116 66 -84 56 -52 C 20 -44 -20 -50 -60 -62", _CLOTH)
    c.shape("M 20 -127 L 45 -147 C 62 -116 66 -84 56 -52 L 40 -49 C 48 -80 44 -106 20 -127", p.main)
    _hull(
        c,
        p.wood,
        p.accent,
        (
            "M -88 -56 C -60 -42 -40 -40 0 -40 L 54 -42 L 66 -60 L 74 -58 C 72 -28 64 -8 44 "
            "-6 L -30 -6 C -56 -12 -74 -32 -88 -56"
        ),
    )
    c.bar(-50, -32, 62, -27, p.second)
    for x in range(-44, 60, 14):
        diamond(c, x, -29.5, 3, 3, p.pale)
    _ripples(c)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A long boat with a curtained canopy on turned posts."""
    c.shape("M -50 -96 L -44 -112 Q 0 -122 44 -112 L 50 -96", p.second)
    for x in range(-46, 50, 13):
        c.disc(x, -96, 6.5, p.accent if (x // 13) % 2 else p.main, tall=7)
    for x in (-46, -16, 14, 42):
        c.bar(x, -94, x + 4, -40, p.wood)
    for x, w in ((-42, 12), (30, 12)):
        poly(
            c,
            p.main,
            x,
            -92,
            x + w,
            -92,
            x + (4 if x < 0 else w - 4),
            -44,
            x if x < 0 else x + w,
            -44,
        )
    c.bar(-30, -56, 30, -40, p.accent)
    c.disc(0, -58, 16, p.main, tall=8)
    _hull(
        c,
        p.wood,
        p.accent,
        (
            "M -92 -66 C -74 -48 -56 -40 -30 -40 L 30 -40 C 56 -40 74 -48 92 -66 C 80 -26 60 "
            "-8 36 -6 L -36 -6 C -60 -8 -80 -26 -92 -66"
        ),
    )
    c.line(((-74.0, -38.0), (-30.0, -26.0), (30.0, -26.0), (74.0, -38.0)), 4, p.main)
    _ripples(c)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A lagoon canoe with a sail of woven strips."""
    c.bar(-4, -140, 1, -40, p.wood)
    c.line(((-44.0, -132.0), (40.0, -136.0)), 4, p.wood)
    for i in range(6):
        tone = (p.main, p.accent, p.second)[i % 3]
        x = -42 + i * 14
        poly(c, tone, x, -131, x + 14, -132, x + 12, -58, x - 2, -58)
        for y in (-118, -98, -78):
            c.bar(x + 3, y, x + 9, y + 4, p.pale)
    _hull(
        c,
        p.wood,
        darker(p.wood, 24),
        (
            "M -92 -54 C -60 -38 -30 -36 0 -36 C 30 -36 60 -38 92 -54 C 76 -22 52 -6 30 -6 L "
            "-30 -6 C -52 -6 -76 -22 -92 -54"
        ),
    )
    for x in range(-54, 60, 12):
        poly(c, p.accent, x - 5, -22, x, -30, x + 5, -22)
    c.line(((50.0, -66.0), (84.0, -10.0)), 4, p.wood)
    c.disc(82, -12, 7, p.wood, tall=11)
    _ripples(c)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A long-tail boat: a high prow, a bright canopy."""
    for x in (-34, -4, 26, 52):
        c.bar(x, -86, x + 4, -38, p.wood)
    c.shape("M -46 -84 Q 8 -108 66 -84 L 66 -76 Q 8 -98 -46 -76", p.main)
    c.shape("M -46 -84 Q 8 -108 66 -84 L 64 -88 Q 8 -114 -44 -88", p.accent)
    for x in (-20, 8, 36):
        c.bar(x, -52, x + 16, -38, p.second)
    _hull(
        c,
        p.wood,
        p.accent,
        (
            "M -88 -118 C -80 -86 -72 -46 -46 -40 L 62 -38 L 80 -44 C 74 -20 60 -8 40 -6 L "
            "-24 -6 C -60 -10 -82 -60 -88 -118"
        ),
    )
    c.line(((-84.0, -106.0), (-76.0, -66.0), (-52.0, -32.0)), 4, p.accent)
    c.line(((66.0, -46.0), (96.0, -18.0)), 4, p.dark)
    c.disc(66, -50, 8, p.dark, tall=6)
    _ripples(c)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """An outrigger canoe with a small lateen sail."""
    c.line(((-4.0, -40.0), (-10.0, -112.0)), 5, p.wood)
    c.line(((-58.0, -58.0), (24.0, -148.0)), 4, p.wood)
    c.shape("M -56 -58 L 23 -145 C 40 -110 44 -80 40 -52 C 10 -48 -24 -50 -56 -58", p.pale)
    c.shape("M -56 -58 C -24 -50 10 -48 40 -52 L 42 -66 C 10 -62 -20 -64 -44 -71", p.main)
    c.disc(6, -88, 9, p.second)
    _hull(
        c,
        p.wood,
        p.accent,
        (
            "M -86 -50 C -60 -40 -30 -38 0 -38 C 30 -38 60 -40 86 -50 C 74 -20 52 -6 30 -6 L "
            "-30 -6 C -52 -6 -74 -20 -86 -50"
        ),
    )
    for x in (-34, 34):
        c.line(((x, -36.0), (x * 1.1, -14.0), (x * 1.15, 2.0)), 4, darker(p.wood, 24))
    c.bar(-66, 0, 66, 7, STRAW, 3.5)
    c.line(((-60.0, -26.0), (0.0, -20.0), (60.0, -26.0)), 4, p.second)
    _ripples(c)


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
