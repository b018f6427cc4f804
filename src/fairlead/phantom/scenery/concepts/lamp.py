"""Lamps: a lit lantern hung from above."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.palette import darker, ink, lighter, mix
from fairlead.phantom.scenery.colours import GLOW, Dress
from fairlead.phantom.scenery.marks import diamond, dome, flower, opening, poly

_FLAME, _FIRE = ink("fff6d0"), ink("f7b54a")


def _hung(c: Canvas, p: Dress, top: float, centre: float = -80.0) -> None:
    """The cord, and the light around the lamp."""
    for r, alpha in ((74.0, 60), (56.0, 90)):
        c.disc(0, centre, r, GLOW, alpha)
    # At the smallest scale (93 %) the cord still reaches the upper edge.
    c.bar(-2, -230, 2, top, p.dark)
    c.disc(0, top, 5, p.dark)


def _flame(c: Canvas, y: float, h: float = 22.0) -> None:
    c.shape(
        f"M 0 {y - h} C 10 {y - h * 0.4} 8 {y} 0 {y} C -8 {y} -10 {y - h * 0.4} 0 {y - h}", _FIRE
    )
    c.shape(
        (
            f"M 0 {y - h * 0.6} C 5 {y - h * 0.3} 4 {y} 0 {y} C -4 {y} -5 {y - h * 0.3} 0 "
            f"{y - h * 0.6}"
        ),
        _FLAME,
    )


def plain(c: Canvas, p: Dress, v: int) -> None:
    """A bell shade with a bulb."""
    _hung(c, p, -128, -70)
    c.disc(0, -70, 17, _FLAME)
    c.shape(
        "M -14 -128 L 14 -128 C 20 -104 46 -92 54 -72 L -54 -72 C -46 -92 -20 -104 -14 -128", p.main
    )
    c.bar(-56, -76, 56, -69, darker(p.main, 22), 3)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A four-sided coach lantern."""
    _hung(c, p, -142)
    poly(c, p.dark, -10, -140, 10, -140, 40, -116, -40, -116)
    poly(c, GLOW, -36, -116, 36, -116, 24, -38, -24, -38)
    _flame(c, -50, 40)
    for x0, x1 in ((-38, -26), (0, 0), (38, 26)):
        c.line(((x0, -116.0), (x1, -38.0)), 5, p.main)
    c.bar(-42, -120, 42, -112, p.main, 2)
    c.bar(-28, -40, 28, -30, p.main, 2)
    c.disc(0, -26, 7, p.accent)
    c.disc(0, -142, 6, p.accent)


def french(c: Canvas, p: Dress, v: int) -> None:
    """Three glass tulips on a curled stem."""
    _hung(c, p, -134)
    for s in (-1, 1):
        c.line(
            ((0.0, -130.0), (s * 26.0, -118.0), (s * 46.0, -128.0), (s * 50.0, -100.0)), 4.5, p.dark
        )
    c.bar(-2.5, -134, 2.5, -80, p.dark)
    for x, y in ((-50, -100), (50, -100), (0, -82)):
        c.shape(
            f"M {x - 8} {y} L {x + 8} {y} C {x + 14} {y + 14} {x + 26} {y + 24} {x + 24} {y + 46} "
            f"C {x + 14} {y + 38} {x + 8} {y + 50} {x} {y + 42} "
            f"C {x - 8} {y + 50} {x - 14} {y + 38} {x - 24} {y + 46} C {x - 26} {y + 24} "
            f"{x - 14} {y + 14} {x - 8} {y}",
            mix(p.accent, p.second, 30),
        )
        c.disc(x, y + 30, 10, _FLAME)
        c.bar(x - 9, y - 3, x + 9, y + 3, p.main, 2)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """A punched-tin star."""
    _hung(c, p, -142)
    star = (
        (0.0, -1.0),
        (0.24, -0.33),
        (0.95, -0.31),
        (0.39, 0.13),
        (0.59, 0.81),
        (0.0, 0.42),
        (-0.59, 0.81),
        (-0.39, 0.13),
        (-0.95, -0.31),
        (-0.24, -0.33),
    )
    c.polygon(tuple((x * 66, -78 + y * 66) for x, y in star), p.accent)
    for i in range(0, 10, 2):
        (x, y), (nx, ny) = star[i], star[(i + 1) % 10]
        c.polygon(
            ((0.0, -78.0), (x * 66, -78 + y * 66), (nx * 66, -78 + ny * 66)), darker(p.accent, 12)
        )
    for x, y in star[::2]:
        c.disc(x * 34, -78 + y * 34, 4, _FLAME)
        c.disc(x * 48, -78 + y * 48, 2.6, _FLAME)
    c.disc(0, -78, 18, p.main)
    c.disc(0, -78, 11, _FLAME)
    c.bar(-2, -26, 2, -10, p.second)
    c.disc(0, -10, 6, p.second)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A round paper lantern with a tassel."""
    _hung(c, p, -136)
    c.disc(0, -82, 56, p.main, tall=45)
    c.disc(0, -82, 36, lighter(p.main, 16), tall=45)
    c.disc(0, -82, 14, mix(p.main, _FIRE, 60), tall=45)
    c.bar(-26, -132, 26, -122, p.accent, 3)
    c.bar(-26, -42, 26, -32, p.accent, 3)
    c.bar(-2, -34, 2, -22, p.accent)
    c.disc(0, -22, 5, p.second)
    for x in (-6, -2, 2, 6):
        c.line(((x * 0.4, -20.0), (x, -2.0)), 2.4, p.accent)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A long ribbed paper lantern with a painted blossom."""
    _hung(c, p, -142)
    c.bar(-38, -134, 38, -32, mix(_FLAME, p.pale, 40), 26)
    c.bar(-22, -132, 14, -34, _FLAME, 18)
    for y in range(-124, -38, 11):
        half = 37 if -114 < y < -52 else 33
        c.bar(-half, y, half, y + 1.6, darker(p.pale, 18))
    c.bar(-24, -140, 24, -129, p.dark, 2)
    c.bar(-24, -38, 24, -27, p.dark, 2)
    flower(c, 0, -82, 22, p.second, p.accent)
    c.line(((-18.0, -62.0), (0.0, -56.0), (20.0, -64.0)), 4, p.main)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A pierced brass lantern with coloured panes."""
    _hung(c, p, -148)
    c.shape("M -30 -118 C -30 -136 -12 -138 0 -148 C 12 -138 30 -136 30 -118", p.accent)
    poly(c, p.accent, -40, -112, 40, -112, 46, -60, 20, -22, -20, -22, -46, -60)
    for x, tone in ((-26, p.main), (0, _FLAME), (26, p.second)):
        opening(c, (x - 10, -106, x + 10, -62), mix(tone, _FLAME, 25), "pointed")
    for x, tone in ((-17, p.second), (0, p.main), (17, p.second)):
        diamond(c, x * 0.8, -44, 7, 13, mix(tone, _FLAME, 30))
    c.bar(-44, -118, 44, -110, darker(p.accent, 18), 3)
    c.bar(-22, -26, 22, -18, darker(p.accent, 18), 3)
    c.disc(0, -12, 5, p.accent)
    for x in (-16, 0, 16):
        diamond(c, x, -126 + abs(x) * 0.2, 3, 4, _FLAME)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A hanging oil lamp: a wide dish with three wicks."""
    _hung(c, p, -146, -76)
    for s in (-1, 1):
        c.line(((0.0, -142.0), (s * 56.0, -66.0)), 3, p.accent)
    dome(c, 0, -134, 14, 12, p.second)
    for x in (-40.0, 0.0, 40.0):
        _flame(c.moved(x, 0), -70, 30 if x else 38)
    c.shape(
        "M -62 -68 L 62 -68 C 58 -46 34 -36 14 -34 L -14 -34 C -34 -36 -58 -46 -62 -68", p.accent
    )
    c.bar(-66, -73, 66, -65, lighter(p.accent, 30), 3)
    for x in (-36, -12, 12, 36):
        diamond(c, x, -55, 5, 6, p.main)
    poly(c, p.second, -14, -36, 14, -36, 0, -16)
    c.disc(0, -12, 5, p.accent)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A storm lantern with a glass globe."""
    _hung(c, p, -146)
    c.line(
        (
            (-40.0, -60.0),
            (-46.0, -100.0),
            (-28.0, -132.0),
            (0.0, -146.0),
            (28.0, -132.0),
            (46.0, -100.0),
            (40.0, -60.0),
        ),
        4,
        p.dark,
    )
    c.bar(-20, -132, 20, -118, p.main, 4)
    c.shape(
        "M -18 -118 L 18 -118 C 40 -100 38 -72 22 -58 L -22 -58 C -38 -72 -40 -100 -18 -118",
        mix(_FLAME, ink("cfe3e6"), 40),
    )
    _flame(c, -60, 36)
    c.line(((-30.0, -94.0), (30.0, -94.0)), 2.4, p.dark)
    c.bar(-32, -60, 32, -48, p.accent, 3)
    c.shape("M -36 -48 L 36 -48 L 44 -16 L -44 -16", p.main)
    c.bar(-48, -20, 48, -12, p.second, 3)
    for x in (-22, 0, 22):
        diamond(c, x, -33, 6, 7, p.accent)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A silk lantern like an opening bud, with ribbons."""
    _hung(c, p, -144)
    c.shape(
        (
            "M 0 -142 C 30 -120 56 -104 52 -76 C 46 -52 20 -44 0 -38 C -20 -44 -46 -52 -52 "
            "-76 C -56 -104 -30 -120 0 -142"
        ),
        p.main,
    )
    c.shape(
        (
            "M 0 -142 C 14 -118 28 -100 26 -76 C 22 -54 10 -46 0 -40 C -10 -46 -22 -54 -26 "
            "-76 C -28 -100 -14 -118 0 -142"
        ),
        mix(p.main, _FIRE, 55),
    )
    c.shape(
        (
            "M 0 -120 C 8 -106 12 -94 10 -78 C 8 -62 4 -56 0 -52 C -4 -56 -8 -62 -10 -78 C "
            "-12 -94 -8 -106 0 -120"
        ),
        _FLAME,
    )
    for s in (-1, 1):
        c.shape(
            (
                f"M {s * 52} -80 C {s * 60} -92 {s * 62} -104 {s * 58} -112 C {s * 50} -104 "
                f"{s * 44} -96 {s * 44} -88"
            ),
            p.accent,
        )
    c.bar(-54, -82, 54, -75, p.accent, 3)
    for x in (-36, -18, 0, 18, 36):
        diamond(c, x, -78.5, 4, 6, p.second)
    for x, low in ((-14, -8), (0, 0), (14, -8)):
        c.line(
            ((x * 0.5, -40.0), (x, -22.0), (x * 0.8, low)),
            4,
            p.accent if x else p.second,
        )


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A woven palm shade with beads."""
    _hung(c, p, -138)
    c.disc(0, -48, 15, _FLAME)
    c.shape(
        "M -16 -138 L 16 -138 C 36 -124 58 -92 62 -54 L -62 -54 C -58 -92 -36 -124 -16 -138",
        ink("d9b06a"),
    )
    for y, half, tone in ((-118, 37, p.main), (-92, 52, p.second), (-68, 59, p.main)):
        c.bar(-half, y, half, y + 9, tone)
        for x in range(-half + 9, half - 2, 15):
            diamond(c, x, y + 4.5, 4.5, 4.5, _FLAME)
    for x in range(-56, 60, 14):
        c.bar(x - 1, -54, x + 1, -44, p.dark)
        c.disc(x, -42, 4, p.accent if (x // 14) % 2 else p.main)


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
