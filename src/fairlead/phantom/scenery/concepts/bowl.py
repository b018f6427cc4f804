"""Bowls of food: what is in them comes from the seed, the bowl from the culture."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import Dress
from fairlead.phantom.scenery.marks import diamond, dome, flower, poly, shadow

_FOODS = ("fbf6e8", "d98a3c", "7fa653", "e6c25a")
_BODY = "M -72 -66 C -70 -30 -44 -10 -26 -6 L 26 -6 C 44 -10 70 -30 72 -66"
_SIDE = "M 30 -66 C 30 -34 20 -12 12 -6 L 26 -6 C 44 -10 70 -30 72 -66"


def _half(y: float) -> float:
    """Half the width of the bowl at a height."""
    # A fit to ``_BODY``: who changes one changes the other.
    t = (y + 66) / 60
    return 72 - 6 * t - 40 * t * t * t


def _bowl(c: Canvas, colour: Ink, inside: Ink, v: int, foot: Ink | None = None) -> None:
    shadow(c, 56)
    # The heap comes first, and the body hides its lower half.
    _food(c, v)
    poly(c, foot or darker(colour, 14), -24, -8, 24, -8, 28, 0, -28, 0)
    c.shape(_BODY, colour)
    c.shape(_SIDE, darker(colour, 11))
    c.shape("M -72 -66 C -60 -54 60 -54 72 -66 L 72 -62 C 60 -48 -60 -48 -72 -62", inside)


def _food(c: Canvas, v: int) -> None:
    """A heap above the rim."""
    kind = v % 4
    tone = ink(_FOODS[kind])
    c.disc(0, -66, 70, darker(tone, 10), tall=13)
    dome(c, 0, -64, 60, (34, 20, 26, 28)[kind], tone)
    if kind == 0:
        for x, y in ((-26, -78), (4, -88), (28, -76), (-6, -74)):
            c.disc(x, y, 4, darker(tone, 12), tall=2.4)
    elif kind == 1:
        for x, y, t in (
            (-28, -76, "6f9f4f"),
            (2, -80, "c9502f"),
            (30, -74, "f1d9a8"),
            (-8, -72, "f1d9a8"),
        ):
            c.disc(x, y, 9, ink(t), tall=6)
    elif kind == 2:
        for x, y in ((-36, -78), (-12, -90), (14, -88), (36, -78)):
            c.disc(x, y, 15, lighter(tone, 22), tall=9)
        c.disc(0, -78, 8, ink("c9502f"))
    else:
        for x, y, t in (
            (-32, -78, "d9663f"),
            (0, -90, "e6a23a"),
            (32, -78, "c94f4a"),
            (-12, -76, "9fb84f"),
            (16, -76, "e6a23a"),
        ):
            c.disc(x, y, 16, ink(t))


def _band(c: Canvas, y: float, height: float, colour: Ink) -> None:
    """A stripe around the bowl, curved like its rim."""
    a, b = _half(y), _half(y + height)
    c.shape(
        f"M {-a} {y} C {-a * 0.6} {y + 9} {a * 0.6} {y + 9} {a} {y} L {b} {y + height} "
        f"C {b * 0.6} {y + height + 9} {-b * 0.6} {y + height + 9} {-b} {y + height}",
        colour,
    )


def _round_belly(y: float, count: int) -> list[tuple[float, float]]:
    """Places for ornaments along a curved row."""
    w = _half(y) - 12
    return [
        (w * (2 * k / (count - 1) - 1), y + 9 * (1 - (2 * k / (count - 1) - 1) ** 2))
        for k in range(count)
    ]


def plain(c: Canvas, p: Dress, v: int) -> None:
    """One colour."""
    _bowl(c, p.main, p.second, v)


def british(c: Canvas, p: Dress, v: int) -> None:
    """Banded stoneware."""
    _bowl(c, p.pale, p.main, v)
    for y in (-52, -39, -27):
        _band(c, y, 6.5, p.main)
    c.line(((46.0, -80.0), (86.0, -104.0)), 6, ink("c3ccd6"))


def french(c: Canvas, p: Dress, v: int) -> None:
    """A breakfast bowl with lugs and a faceted side."""
    for s in (-1, 1):
        c.bar(s * 66, -66, s * 92, -54, p.main, 5)
    _bowl(c, p.main, p.pale, v)
    for x in (-48.0, -24.0, 0.0, 24.0, 48.0):
        c.line(((x, -50.0 + abs(x) * -0.1), (x * 0.5, -14.0)), 3, lighter(p.main, 34))
    for x, y in _round_belly(-48, 5):
        c.disc(x, y, 4, p.accent)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """Glazed pottery with painted flowers."""
    _bowl(c, p.pale, p.accent, v, p.second)
    _band(c, -56, 7, p.second)
    for i, (x, y) in enumerate(_round_belly(-38, 5)):
        flower(c, x, y, 12, p.main if i % 2 else p.second, p.accent)
    _band(c, -20, 6, p.main)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """Painted porcelain, chopsticks across."""
    _bowl(c, p.pale, p.main, v, p.main)
    _band(c, -55, 4, p.main)
    for x, y in _round_belly(-40, 4):
        c.line(
            ((x - 12, y + 4), (x - 8, y - 6), (x, y), (x + 6, y - 7), (x + 12, y + 3)), 4, p.main
        )
        c.disc(x, y + 7, 3, p.second)
    _band(c, -20, 5, p.second)
    for dy in (0.0, 9.0):
        c.line(((-40.0, -84.0 - dy), (90.0, -102.0 - dy)), 5, p.wood, end=3)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """Lacquer: dark outside, red within, a high foot, a blossom."""
    _bowl(c, p.dark, p.accent, v, p.dark)
    poly(c, p.dark, -26, -10, 26, -10, 34, 1, -34, 1)
    _band(c, -56, 4, p.accent)
    for x, y, r in ((-30, -36, 13), (24, -30, 10), (2, -42, 7)):
        flower(c, x, y, r, p.second, p.pale)
    for dy in (0.0, 8.0):
        c.line(((-88.0, -96.0 - dy), (44.0, -88.0 - dy)), 4.6, p.accent, end=3)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """Glazed in teal and cobalt, a band of tiles."""
    _bowl(c, p.main, p.accent, v, p.accent)
    _band(c, -52, 20, p.pale)
    for x, y in _round_belly(-42, 6):
        diamond(c, x, y, 9, 10, p.second)
        diamond(c, x, y, 4, 5, p.accent)
    _band(c, -20, 4, p.accent)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """Beaten brass with an engraved rim of petals."""
    brass = ink("dca64a")
    _bowl(c, brass, lighter(brass, 40), v, p.second)
    for i, (x, y) in enumerate(_round_belly(-46, 9)):
        dome(c, x, y + 4, 8, -16, p.second if i % 2 else p.main)
    for x, y in _round_belly(-26, 6):
        c.disc(x * 0.95, y, 3.2, darker(brass, 26))
    _band(c, -56, 4, p.accent)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A carved calabash with burnt patterns."""
    gourd = ink("cf9a52")
    _bowl(c, gourd, darker(gourd, 26), v, p.wood)
    _band(c, -54, 5, p.wood)
    _band(c, -24, 5, p.wood)
    for i, (x, y) in enumerate(_round_belly(-39, 7)):
        if i % 2:
            c.disc(x, y, 8, p.wood)
            c.disc(x, y, 4.5, p.accent)
        else:
            diamond(c, x, y, 8, 10, p.main)
            diamond(c, x, y, 3.6, 5, gourd)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """Celadon with gilded flames and a lid beside it."""
    glaze = ink("9cc4a8")
    _bowl(c, glaze, p.accent, v, p.accent)
    _band(c, -56, 4, p.accent)
    for x, y in _round_belly(-34, 7):
        c.shape(
            (
                f"M {x - 8} {y + 8} C {x - 6} {y} {x - 3} {y - 8} {x} {y - 16} C {x + 3} "
                f"{y - 8} {x + 6} {y} {x + 8} {y + 8}"
            ),
            p.main,
        )
        diamond(c, x, y + 2, 2.6, 4.6, p.accent)
    c.line(((50.0, -82.0), (84.0, -112.0)), 5, p.accent)
    c.disc(48, -81, 9, p.accent, tall=6)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """Carved wood with a painted zigzag."""
    _bowl(c, p.wood, lighter(p.wood, 30), v, darker(p.wood, 20))
    _band(c, -52, 18, p.pale)
    for i, (x, y) in enumerate(_round_belly(-43, 9)):
        poly(c, p.main if i % 2 else p.second, x - 8, y + 7, x, y - 9, x + 8, y + 7)
    _band(c, -24, 5, p.accent)
    c.line(((44.0, -80.0), (84.0, -108.0)), 6, lighter(p.wood, 24))


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
