"""Bicycles: the same two wheels everywhere; saddle, load and trim are the culture's."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import CRUST, STRAW, Dress
from fairlead.phantom.scenery.marks import diamond, dome, flower, poly, rays, ring, shadow

_STEEL, _TYRE, _RIM = ink("aeb6bf"), ink("3a3a42"), ink("d5dade")
# A wheel with its tyre is 38 high from the hub, so it stands on the ground at y = 0.
_REAR, _FRONT, _HUB = -48.0, 50.0, -38.0


def _machine(c: Canvas, frame: Ink, saddle: Ink, step: bool = False) -> None:
    """Wheels, frame, chain wheel, saddle, handlebar; ``step`` lowers the top tube."""
    shadow(c, 92, tall=5)
    for x in (_REAR, _FRONT):
        rays(c, x, _HUB, 3, 32, 1.6, _RIM)
        ring(c, x, _HUB, 35, 5.5, _TYRE)
        ring(c, x, _HUB, 31, 2, _RIM)
        c.disc(x, _HUB, 4, _STEEL)
    crank, seat, head = (-6.0, -38.0), (-18.0, -92.0), (36.0, -96.0)
    for a, b in (
        (crank, (_REAR, _HUB)),
        (seat, (_REAR, _HUB)),
        (crank, seat),
        (crank, head),
        (head, (_FRONT, _HUB)),
    ):
        c.line((a, b), 6, frame)
    c.line(((-13.0, -62.0), (36.0, -90.0)) if step else (seat, head), 6, frame)
    c.line((seat, (-20.0, -104.0)), 4.5, _STEEL)
    c.shape("M -40 -108 C -30 -114 -14 -112 2 -108 C -6 -102 -30 -98 -40 -108", saddle)
    c.line((head, (33.0, -112.0), (22.0, -120.0)), 4.5, _STEEL)
    c.line(((22.0, -120.0), (12.0, -117.0)), 6, saddle)
    c.disc(*crank, 9, darker(frame, 30))
    c.line((crank, (4.0, -24.0)), 3.6, _STEEL)
    c.bar(-2, -24, 10, -20, _TYRE)


def _guards(c: Canvas, colour: Ink) -> None:
    for x in (_REAR, _FRONT):
        c.line(
            ((x - 40, _HUB - 6), (x - 28, _HUB - 31), (x, _HUB - 42), (x + 28, _HUB - 31)),
            5,
            colour,
        )


def _rack(c: Canvas, colour: Ink) -> None:
    c.line(((-26.0, -84.0), (-86.0, -84.0)), 5, colour)
    c.line(((-80.0, -84.0), (_REAR, _HUB)), 3, colour)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """Bare."""
    _machine(c, p.main, p.dark)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A roadster: guards, chain case, a wicker basket in front."""
    _guards(c, p.dark)
    _machine(c, p.main, p.wood)
    c.line(((-44.0, -38.0), (-6.0, -38.0)), 13, p.dark)
    poly(c, ink("b98652"), 40, -126, 82, -126, 76, -92, 46, -92)
    for y in (-118, -108, -98):
        c.bar(44, y, 78, y + 3, ink("8f6138"))
    c.bar(38, -130, 84, -123, ink("8f6138"), 3)
    c.disc(24, -126, 5, p.accent)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A swept frame, a carrier with baguettes and lavender."""
    _guards(c, p.pale)
    for k, (x, y) in enumerate(((-92, -126), (-78, -134), (-66, -124))):
        c.line(((-58.0 + k * 8, -78.0), (x, y)), 11, CRUST)
        c.line(((-60.0 + k * 8, -86.0), (x + 2.0, y + 6.0)), 3, lighter(CRUST, 40))
    _machine(c, p.main, p.wood, step=True)
    _rack(c, p.dark)
    poly(c, STRAW, -88, -104, -38, -104, -44, -70, -82, -70)
    for y in (-96, -86, -77):
        c.bar(-84, y, -42, y + 2.6, darker(STRAW, 24))
    for x in (52, 60, 68):
        c.line(((58.0, -98.0), (x, -126.0)), 6, p.second)
    poly(c, STRAW, 44, -108, 74, -108, 70, -88, 48, -88)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """A carrier's bicycle with a painted crate of flowers."""
    _guards(c, p.accent)
    for i, (x, y) in enumerate(
        ((46, -136), (60, -146), (74, -138), (88, -132), (54, -126), (80, -124))
    ):
        flower(c, x, y, 12, (p.main, p.pale, p.accent)[i % 3], (p.accent, p.main, p.second)[i % 3])
    poly(c, p.second, 38, -122, 96, -122, 92, -86, 42, -86)
    for x in (50, 67, 84):
        diamond(c, x, -104, 8, 11, p.accent)
    _machine(c, p.main, p.dark)
    _rack(c, p.second)
    c.bar(-84, -98, -32, -86, p.accent, 3)
    for x in (-76, -62, -48):
        c.bar(x, -98, x + 6, -86, p.main)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A sturdy roadster with full guards, a bell and a padded rack."""
    _guards(c, p.dark)
    _machine(c, p.dark, p.wood)
    c.line(((-44.0, -38.0), (-6.0, -38.0)), 14, p.main)
    c.line(((-18.0, -92.0), (36.0, -96.0)), 4, p.main)
    _rack(c, p.dark)
    c.bar(-86, -100, -36, -86, p.main, 6)
    for x in (-76, -61, -46):
        c.disc(x, -93, 4, p.accent)
    c.disc(16, -126, 7, p.accent)
    c.line(((36.0, -100.0), (52.0, -106.0)), 4, p.dark)
    c.shape("M 50 -116 L 66 -118 L 66 -96 L 50 -98", p.dark)
    c.disc(67, -107, 4.5, p.accent, tall=11)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A town bicycle: low frame, steel basket, child's seat."""
    _guards(c, p.second)
    _machine(c, p.main, p.dark, step=True)
    _rack(c, p.dark)
    c.shape(
        (
            "M -88 -134 C -78 -138 -72 -134 -72 -126 L -68 -98 L -36 -98 L -36 -86 L -82 -86 "
            "C -88 -100 -90 -120 -88 -134"
        ),
        p.second,
    )
    c.bar(-70, -112, -40, -104, p.pale, 3)
    poly(c, p.pale, 42, -128, 84, -128, 78, -96, 48, -96)
    for k in range(5):
        c.line(((44.0 + k * 9.5, -128.0), (49.0 + k * 7, -96.0)), 2, p.dark)
    for y in (-126, -112, -98):
        c.bar(44, y, 82, y + 2, p.dark)
    c.line(((84.0, -86.0), (92.0, -74.0)), 3, p.dark)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """Woven saddle bags with tassels, a lantern in front."""
    _machine(c, p.main, p.wood)
    _rack(c, p.wood)
    c.bar(-88, -96, -30, -84, p.second, 4)
    poly(c, p.second, -84, -88, -38, -88, -42, -46, -80, -46)
    for y, tone in ((-82, p.accent), (-66, p.pale), (-54, p.accent)):
        c.bar(-82, y, -40, y + 5, tone)
    for x in (-72, -61, -50):
        diamond(c, x, -74, 5, 6, p.pale)
        c.line(((x, -46.0), (x, -34.0)), 4, p.accent)
    poly(c, p.accent, 56, -118, 72, -118, 76, -100, 52, -100)
    c.bar(59, -115, 69, -103, ink("fff0bf"))
    dome(c, 64, -118, 8, 8, p.accent)
    c.line(((36.0, -98.0), (54.0, -106.0)), 4, _STEEL)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A milk seller's bicycle with brass cans and streamers."""
    _guards(c, p.accent)
    _machine(c, p.main, p.second)
    _rack(c, p.dark)
    for x in (-78.0, -44.0):
        can = ink("d6a64c") if x < -60 else ink("c3ccd6")
        c.shape(
            f"M {x - 16} -44 L {x - 16} -80 C {x - 16} -88 {x - 8} -90 {x - 8} -98 "
            f"L {x + 8} -98 C {x + 8} -90 {x + 16} -88 {x + 16} -80 L {x + 16} -44",
            can,
        )
        c.bar(x - 11, -106, x + 11, -97, darker(can, 18), 3)
        c.bar(x + 4, -84, x + 12, -46, darker(can, 14))
    for k, tone in enumerate((p.second, p.accent, p.main)):
        c.line(
            ((12.0, -118.0), (2.0 - k * 4, -130.0 - k * 5), (-8.0 - k * 3, -124.0 - k * 10)),
            4,
            tone,
        )
    flower(c, 44, -104, 11, p.main, p.second)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A trader's bicycle with bundled cloth."""
    _guards(c, p.second)
    _machine(c, p.main, p.dark)
    _rack(c, p.wood)
    for i, y in enumerate((-98, -111, -124, -137)):
        tone = (p.second, p.accent, p.main, p.second)[i]
        c.bar(-88 + i * 2, y, -32 - i * 2, y + 13, tone, 5)
        for x in range(-80, -38, 12):
            c.disc(x, y + 6.5, 2.8, p.pale)
    c.line(((-60.0, -138.0), (-60.0, -86.0)), 3.4, p.wood)
    poly(c, p.accent, 46, -116, 80, -116, 74, -90, 52, -90)
    for x in (54, 63, 72):
        poly(c, p.main, x - 4, -94, x, -110, x + 4, -94)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A seller's bicycle under a bright parasol, fruit in front."""
    _guards(c, p.second)
    c.bar(-30, -150, -26, -96, p.wood)
    c.shape(
        (
            "M -84 -134 C -74 -158 20 -158 30 -134 C 20 -140 8 -140 -2 -134 C -14 -140 -40 "
            "-140 -52 -134 C -62 -140 -76 -140 -84 -134"
        ),
        p.main,
    )
    c.shape(
        (
            "M -44 -136 C -40 -150 -36 -152 -27 -152 C -18 -152 -14 -150 -10 -136 C -20 -140 "
            "-34 -140 -44 -136"
        ),
        p.accent,
    )
    _machine(c, p.second, p.wood)
    _rack(c, p.wood)
    c.bar(-86, -98, -38, -86, p.accent, 4)
    poly(c, STRAW, 42, -110, 86, -110, 80, -86, 48, -86)
    for x, y, tone in ((50, -114, "e6a23a"), (62, -118, "8fae4b"), (74, -114, "d9663f")):
        c.disc(x, y, 9, ink(tone))
    c.bar(40, -112, 88, -106, p.wood, 3)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A taxi bicycle: a fringed, padded seat behind, painted mud flaps."""
    _guards(c, p.accent)
    _machine(c, p.second, p.dark)
    _rack(c, p.dark)
    c.bar(-90, -106, -30, -88, p.main, 8)
    for i, x in enumerate(range(-84, -32, 10)):
        diamond(c, x, -97, 4.6, 6, p.pale if i % 2 else p.accent)
        c.line(((x, -88.0), (x, -78.0)), 4, p.accent if i % 2 else p.main)
    for flap in (_REAR - 36, _FRONT + 30):
        c.bar(flap - 8, -24, flap + 8, -6, p.main, 2)
        c.disc(flap, -15, 4, p.accent)
    for k, tone in enumerate((p.main, p.accent)):
        c.line(((12.0, -117.0), (4.0 - k * 3, -128.0), (-8.0, -126.0 - k * 10)), 4, tone)
    c.disc(46, -108, 7, p.accent)


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
