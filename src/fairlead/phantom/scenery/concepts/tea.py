"""Tea: a steaming cup or glass; the vessel is the culture's."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import CLAY, Dress
from fairlead.phantom.scenery.marks import diamond, dome, flower, poly, shadow

_TEA, _GREEN, _MILK = ink("b8692c"), ink("a8b85a"), ink("d9a066")
_GLASS = ink("e6f0ee")


def _steam(c: Canvas, y: float, x: float = 0.0) -> None:
    for dx, h in ((-20, 0), (0, 10), (20, 2)):
        a = x + dx
        c.line(
            ((a, y), (a - 7, y - 14.0), (a + 7, y - 28.0 - h), (a - 3, y - 44.0 - h)),
            6,
            (255, 253, 246),
            215,
            end=2,
        )


def _shadow(c: Canvas, r: float = 70.0) -> None:
    shadow(c, r, -2)


def _saucer(c: Canvas, colour: Ink, rim: Ink, half: float = 66.0) -> None:
    _shadow(c, half + 4)
    c.shape(
        (
            f"M {-half} -14 L {half} -14 C {half - 14} -3 30 0 20 0 L -20 0 C -30 0 "
            f"{-half + 14} -3 {-half} -14"
        ),
        colour,
    )
    c.bar(-half - 1, -17, half + 1, -12, rim, 2.5)


def _cup(c: Canvas, top: float, foot: float, y0: float, y1: float, colour: Ink, tea: Ink) -> None:
    """A cup: half-widths at the rim and the foot, the heights of both."""
    m = y0 + (y1 - y0) * 0.62
    c.shape(
        (
            f"M {-top} {y0} C {-top} {m} {-foot - 4} {y1 - 6} {-foot} {y1} L {foot} {y1} C "
            f"{foot + 4} {y1 - 6} {top} {m} {top} {y0}"
        ),
        colour,
    )
    c.shape(
        f"M {top * 0.5} {y0} C {top * 0.5} {m} {foot * 0.5} {y1 - 6} {foot * 0.4} {y1} "
        f"L {foot} {y1} C {foot + 4} {y1 - 6} {top} {m} {top} {y0}",
        darker(colour, 12),
    )
    c.disc(0, y0, top, lighter(colour, 34), tall=11)
    c.disc(0, y0 + 1, top - 5, tea, tall=8)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """A mug on a saucer."""
    _saucer(c, p.second, p.pale)
    c.line(((38.0, -66.0), (64.0, -58.0), (58.0, -34.0), (34.0, -32.0)), 8, darker(p.main, 12))
    _cup(c, 44, 30, -76, -12, p.main, _TEA)
    _steam(c, -88)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A china cup and saucer with roses and a gilt rim."""
    _saucer(c, p.pale, p.accent, 72)
    c.line(((44.0, -66.0), (68.0, -64.0), (66.0, -42.0), (38.0, -36.0)), 6, p.accent)
    _cup(c, 54, 24, -78, -12, p.pale, _TEA)
    c.bar(-52, -70, 52, -66, p.main)
    for x in (-26, 0, 26):
        flower(c, x, -48, 10, p.second, p.accent)
    for x in (-13, 13):
        c.disc(x, -46, 5, p.main, tall=3)
    _steam(c, -90)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A wide footed bowl-cup, banded, with a biscuit."""
    _saucer(c, p.pale, p.main, 72)
    _cup(c, 58, 26, -74, -18, p.pale, _TEA)
    poly(c, darker(p.pale, 14), -24, -20, 24, -20, 30, -11, -30, -11)
    c.shape("M -56 -62 L 56 -62 C 54 -54 52 -48 50 -44 L -50 -44 C -52 -48 -54 -54 -56 -62", p.main)
    for x in (-36, -12, 12, 36):
        c.disc(x, -53, 4.6, p.accent)
    c.disc(54, -20, 16, ink("d9a45c"), tall=6)
    _steam(c, -86)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """A painted clay mug."""
    _saucer(c, p.second, p.accent)
    c.line(((38.0, -70.0), (66.0, -62.0), (62.0, -34.0), (36.0, -28.0)), 9, darker(CLAY, 10))
    c.shape(
        (
            "M -38 -84 C -34 -76 -36 -68 -46 -52 C -52 -36 -42 -14 -30 -12 L 30 -12 C 42 -14 "
            "52 -36 46 -52 C 36 -68 34 -76 38 -84"
        ),
        CLAY,
    )
    c.disc(0, -84, 38, lighter(CLAY, 26), tall=10)
    c.disc(0, -83, 33, _TEA, tall=7)
    c.bar(-46, -58, 46, -52, p.main)
    for x in (-26, 0, 26):
        flower(c, x, -38, 11, p.accent, p.main)
    c.bar(-42, -24, 42, -19, p.second)
    _steam(c, -96)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A lidded bowl on its saucer, the lid leaning."""
    _saucer(c, p.pale, p.main, 56)
    _cup(c, 50, 20, -76, -14, p.pale, _GREEN)
    for x in (-24, 0, 24):
        c.line(
            ((x - 10.0, -46.0), (x - 4.0, -54.0), (x + 4.0, -46.0), (x + 10.0, -54.0)), 3.6, p.main
        )
    c.bar(-46, -64, 46, -60, p.main)
    c.bar(-24, -20, 24, -15, p.second)
    dome(c, 66, -12, 26, 19, p.main)
    c.bar(38, -14, 94, -9, p.accent, 2)
    c.disc(66, -33, 5.5, p.accent)
    _steam(c, -86)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A tall handleless cup, glazed in two tones, on a wooden rest."""
    _shadow(c, 50)
    c.bar(-50, -12, 50, -1, p.wood, 4)
    _cup(c, 36, 30, -92, -10, p.pale, _GREEN)
    c.shape(
        (
            "M -36 -70 C -20 -62 -10 -76 6 -66 C 18 -60 26 -72 36 -68 C 36 -40 34 -18 30 -10 "
            "L -30 -10 C -34 -18 -36 -40 -36 -70"
        ),
        p.main,
    )
    for x, y in ((-14, -40), (12, -30), (6, -52)):
        flower(c, x, y, 8, p.second, p.accent)
    _steam(c, -104)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A waisted glass of mint tea on a brass tray."""
    _shadow(c, 76)
    c.bar(-74, -12, 74, -2, p.accent, 5)
    c.bar(-74, -12, 74, -8, lighter(p.accent, 36), 3)
    c.shape(
        (
            "M -32 -102 C -34 -72 -22 -62 -24 -46 C -28 -30 -30 -20 -24 -12 L 24 -12 C 30 "
            "-20 28 -30 24 -46 C 22 -62 34 -72 32 -102"
        ),
        _GLASS,
    )
    c.shape(
        (
            "M -29 -84 C -28 -68 -19 -60 -20 -46 C -24 -30 -26 -22 -20 -16 L 20 -16 C 26 -22 "
            "24 -30 20 -46 C 19 -60 28 -68 29 -84"
        ),
        _TEA,
    )
    c.disc(0, -102, 32, lighter(_GLASS, 40), tall=6)
    c.disc(0, -86, 28, lighter(_TEA, 24), tall=5)
    c.bar(-25, -56, 25, -49, p.main)
    for x in (-16, 0, 16):
        diamond(c, x, -52.5, 5, 4, p.accent)
    for dx, dy in ((6, -112), (18, -104), (14, -118)):
        c.disc(dx, dy, 9, ink("5f9f5a"), tall=5)
    for x in (-52, 50):
        c.disc(x, -18, 9, p.pale, tall=7)
    _steam(c, -122, -12)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """Milk tea in an unglazed clay cup, with spices."""
    _shadow(c, 64)
    c.disc(0, -7, 66, p.main, tall=8)
    c.disc(0, -9, 58, p.accent, tall=6)
    poly(c, CLAY, -46, -96, 46, -96, 28, -10, -28, -10)
    poly(c, darker(CLAY, 14), 24, -96, 46, -96, 28, -10, 15, -10)
    for y in (-74, -54, -34):
        half = 28 + (-10 - y) * 0.21
        c.bar(-half, y, half, y + 3, darker(CLAY, 20))
    c.disc(0, -96, 46, lighter(CLAY, 24), tall=11)
    c.disc(0, -95, 40, _MILK, tall=8)
    c.bar(-40, -68, 40, -58, p.second)
    for x in (-28, -10, 8, 26):
        c.disc(x + 1, -63, 3.6, p.main)
    _steam(c, -108)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """An enamel mug with a dark rim."""
    _saucer(c, p.pale, p.second)
    c.line(((40.0, -74.0), (68.0, -68.0), (68.0, -40.0), (40.0, -34.0)), 7, p.second)
    c.bar(-42, -88, 42, -12, p.pale, 4)
    c.bar(24, -88, 42, -12, darker(p.pale, 12), 4)
    c.disc(0, -88, 42, p.second, tall=9)
    c.disc(0, -87, 37, _MILK, tall=6.5)
    c.bar(-42, -20, 42, -12, p.second, 3)
    for x in (-26, 0, 26):
        c.disc(x, -52, 10, p.main)
        c.disc(x, -52, 6, p.accent)
        c.disc(x, -52, 2.6, p.main)
    _steam(c, -100)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A tall glass of orange milk tea, a small pot beside it."""
    _shadow(c, 70)
    c.bar(-66, -10, 66, -1, p.wood, 4)
    c.shape("M -52 -104 L 10 -104 L 4 -10 L -46 -10", _GLASS)
    c.shape("M -50 -92 L 8 -92 L 3 -12 L -45 -12", ink("e58a3c"))
    c.shape("M -50 -92 L 8 -92 L 7 -74 C -10 -66 -30 -82 -49 -72", ink("fbe3c4"))
    c.disc(-21, -104, 31, lighter(_GLASS, 40), tall=6)
    c.shape("M 20 -12 C 12 -40 24 -54 42 -54 C 60 -54 72 -40 64 -12", p.second)
    c.line(((62.0, -34.0), (76.0, -40.0), (78.0, -52.0)), 7, p.second)
    c.bar(18, -34, 66, -28, p.accent)
    for x in (28, 42, 56):
        poly(c, p.accent, x - 5, -14, x, -26, x + 5, -14)
    c.disc(42, -57, 6, p.accent)
    _steam(c, -112, -20)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """Spiced tea in a small round cup beside a tall brass pot."""
    _shadow(c, 76)
    c.bar(-74, -10, 74, -1, p.wood, 4)
    c.shape(
        (
            "M -60 -10 C -76 -40 -66 -62 -54 -70 L -50 -96 L -28 -96 L -24 -70 C -12 -62 -2 "
            "-40 -18 -10"
        ),
        p.accent,
    )
    c.shape(
        "M -36 -10 L -34 -96 L -28 -96 L -24 -70 C -12 -62 -2 -40 -18 -10", darker(p.accent, 12)
    )
    c.line(((-62.0, -44.0), (-78.0, -60.0), (-80.0, -78.0)), 7, p.accent, end=4)
    dome(c, -39, -96, 13, 12, p.accent)
    c.disc(-39, -110, 4, p.wood)
    c.bar(-66, -48, -12, -42, p.main)
    cup = c.moved(36, 2, 0.72)
    _cup(cup, 44, 26, -72, -12, p.pale, _TEA)
    cup.bar(-43, -58, 43, -48, p.second)
    for x in (-26, 0, 26):
        cup.disc(x, -34, 6, p.main)
    _steam(c, -62, 36)


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
