"""Chairs, seen from the front: back, seat, legs."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, lighter
from fairlead.phantom.scenery.colours import STRAW, Dress
from fairlead.phantom.scenery.marks import arched, diamond, flower, poly, ring, shadow


def _legs(c: Canvas, wood: Ink, half: float = 42.0, splay: float = 4.0, y: float = -62.0) -> None:
    shadow(c, half + 14)
    for s in (-1, 1):
        c.line(((s * (half - 12), y), (s * (half - 12), -14.0)), 6, darker(wood, 26))
        c.line(((s * half, y), (s * (half + splay), -2.0)), 8, wood)


def _seat(c: Canvas, colour: Ink, half: float = 46.0, y: float = -70.0) -> None:
    poly(c, colour, -half + 8, y - 6, half - 8, y - 6, half + 4, y + 8, -half - 4, y + 8)
    c.bar(-half - 4, y + 6, half + 4, y + 14, darker(colour, 20), 3)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """Two posts, two rails."""
    _legs(c, p.wood)
    for s in (-1, 1):
        c.line(((s * 40.0, -74.0), (s * 42.0, -140.0)), 8, p.wood)
    c.bar(-42, -138, 42, -120, p.main, 3)
    c.bar(-40, -104, 40, -94, p.main, 3)
    _seat(c, p.second)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A Windsor: a hoop of spindles, a saddle seat."""
    _legs(c, p.wood, 38, 12)
    c.line(((-48.0, -28.0), (48.0, -28.0)), 4.5, p.wood)
    for x in (-30, -18, -6, 6, 18, 30):
        c.line(((x * 0.9, -74.0), (x * 1.15, -140.0 + abs(x) * 0.45)), 3.4, p.wood)
    c.line(
        (
            (-40.0, -74.0),
            (-46.0, -112.0),
            (-28.0, -142.0),
            (0.0, -150.0),
            (28.0, -142.0),
            (46.0, -112.0),
            (40.0, -74.0),
        ),
        7,
        p.wood,
    )
    _seat(c, p.wood, 48)
    c.disc(0, -72, 36, p.main, tall=7)
    c.disc(0, -73, 36, lighter(p.main, 14), tall=5)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A bistro chair: bent cane, a woven back and seat."""
    _legs(c, p.wood, 38, 6)
    c.polygon(arched(-42, -150, 42, -72), p.wood)
    c.polygon(arched(-35, -143, 35, -76), p.pale)
    for k in range(-3, 4):
        for row, y in enumerate(range(-132, -78, 10)):
            if abs(k) < 3 or y > -124:
                diamond(c, k * 10 + (5 if row % 2 else 0) - 2, y, 4.2, 4.2, p.main)
    c.line(((-40.0, -34.0), (0.0, -42.0), (40.0, -34.0)), 4, p.wood)
    _seat(c, p.main)
    for x in (-30, -15, 0, 15, 30):
        c.disc(x, -70, 4, p.pale, tall=2.4)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """A painted ladder-back with a rush seat and flowers."""
    _legs(c, p.main, 42, 2)
    c.bar(-40, -36, 40, -30, p.main)
    for s in (-1, 1):
        c.line(((s * 42.0, -74.0), (s * 44.0, -144.0)), 9, p.main)
        c.disc(s * 44, -146, 7, p.accent)
    for y in (-138, -116, -94):
        c.shape(f"M -40 {y + 14} L -40 {y + 4} Q 0 {y - 10} 40 {y + 4} L 40 {y + 14}", p.second)
        flower(c, 0, y + 5, 8, p.accent, p.main)
        for x in (-22, 22):
            c.disc(x, y + 6, 3.4, p.pale)
    _seat(c, STRAW)
    for x in (-24, 0, 24):
        c.line(((x * 0.7, -76.0), (x, -62.0)), 2.4, darker(STRAW, 24))


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A yoke-back armchair with a carved splat."""
    _legs(c, p.wood, 46, 0)
    c.bar(-48, -22, 48, -16, p.wood)
    c.bar(-46, -56, 46, -46, p.wood)
    c.line(
        ((-54.0, -136.0), (-34.0, -146.0), (0.0, -148.0), (34.0, -146.0), (54.0, -136.0)), 8, p.wood
    )
    for s in (-1, 1):
        c.line(((s * 40.0, -144.0), (s * 42.0, -74.0)), 6, p.wood)
        c.line(((s * 42.0, -108.0), (s * 62.0, -102.0), (s * 58.0, -72.0)), 6, p.wood)
    c.bar(-13, -146, 13, -74, lighter(p.wood, 16))
    c.disc(0, -122, 9, p.main)
    c.disc(0, -122, 5, p.accent)
    _seat(c, p.main, 50)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A low timber chair with a slatted back and a flat cushion."""
    _legs(c, p.wood, 50, 0, -48)
    c.bar(-52, -16, 52, -8, p.wood)
    for x in range(-40, 41, 16):
        c.bar(x - 3, -124, x + 3, -56, p.wood)
    c.bar(-52, -132, 52, -120, p.wood, 3)
    for s in (-1, 1):
        c.bar(s * 49 - 4, -130, s * 49 + 4, -50, p.wood)
        c.bar(s * 44, -88, s * 66, -80, p.wood, 2)
        c.bar(s * 62 - 3, -82, s * 62 + 3, -4, p.wood)
    _seat(c, p.wood, 52, -54)
    c.bar(-44, -72, 44, -54, p.main, 7)
    for x in (-28, -9, 10, 29):
        c.disc(x, -63, 4, p.second)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A carved armchair with a pointed back and turned screens."""
    _legs(c, p.wood, 48, 0)
    c.polygon(arched(-46, -152, 46, -70, "pointed"), p.wood)
    c.polygon(arched(-36, -138, 36, -76, "pointed"), p.main)
    for x, y in ((0, -122), (-14, -106), (14, -106), (-24, -88), (0, -90), (24, -88)):
        diamond(c, x, y, 7, 7, p.accent)
        diamond(c, x, y, 3, 3, p.second)
    for s in (-1, 1):
        c.bar(s * 54 - 6, -104, s * 54 + 6, -2, p.wood, 3)
        c.disc(s * 54, -106, 8, p.accent)
    _seat(c, p.second, 50)
    c.bar(-46, -56, 46, -34, p.wood)
    for x in range(-38, 40, 11):
        diamond(c, x, -45, 4, 6, p.pale)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A low lacquered chair with a cusped back and a bolster."""
    _legs(c, p.second, 46, 4)
    for s in (-1, 1):
        for y, tone in ((-50, p.main), (-34, p.accent), (-18, p.main)):
            c.disc(s * 47, y, 8, tone, tall=6)
        c.bar(s * 44 - 5, -132, s * 44 + 5, -70, p.second)
        c.disc(s * 44, -136, 8, p.main)
    c.polygon(arched(-40, -142, 40, -72, "cusped"), p.accent)
    c.polygon(arched(-30, -128, 30, -74, "cusped"), p.pale)
    flower(c, 0, -104, 17, p.second, p.main)
    _seat(c, p.main, 50)
    c.bar(-42, -88, 42, -72, p.second, 8)
    for s in (-1, 1):
        c.disc(s * 40, -80, 8, p.main)
        c.disc(s * 40, -80, 4, p.accent)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A carved seat: an openwork base, a broad carved back."""
    shadow(c, 62)
    c.shape(
        (
            "M -48 -146 C -20 -154 20 -154 48 -146 C 44 -116 42 -96 42 -72 L -42 -72 C -42 "
            "-96 -44 -116 -48 -146"
        ),
        p.wood,
    )
    for x in (-24, 0, 24):
        ring(c, x, -124, 9, 4, p.accent)
        c.disc(x, -124, 4, p.main)
    for x in range(-34, 40, 14):
        poly(c, p.accent, x - 6, -88, x, -104, x + 6, -88)
    c.bar(-44, -12, 44, 0, p.wood, 4)
    for x in (-36, -12, 12, 36):
        c.bar(x - 5, -60, x + 5, -10, p.wood)
        for y in (-50, -36, -22):
            c.disc(x, y, 9, lighter(p.wood, 16), tall=5)
    _seat(c, p.main, 50)
    for x in range(-42, 44, 12):
        c.bar(x, -62, x + 6, -57, p.accent)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A teak armchair with carved ends and a triangular cushion."""
    _legs(c, p.wood, 48, 2)
    c.shape(
        (
            "M -50 -72 C -54 -110 -46 -130 -58 -146 C -34 -146 -20 -138 0 -150 C 20 -138 34 "
            "-146 58 -146 C 46 -130 54 -110 50 -72"
        ),
        p.wood,
    )
    c.shape(
        (
            "M -38 -74 C -40 -106 -34 -120 -40 -134 C -24 -134 -12 -130 0 -138 C 12 -130 24 "
            "-134 40 -134 C 34 -120 40 -106 38 -74"
        ),
        p.accent,
    )
    poly(c, p.main, -34, -74, 0, -122, 34, -74)
    poly(c, p.second, -20, -76, 0, -104, 20, -76)
    diamond(c, 0, -84, 7, 8, p.accent)
    _seat(c, p.second, 52)
    for s in (-1, 1):
        c.line(
            ((s * 50.0, -96.0), (s * 64.0, -100.0), (s * 62.0, -70.0), (s * 58.0, -30.0)), 7, p.wood
        )
    c.shape("M -48 -54 L 48 -54 L 44 -40 Q 22 -46 0 -36 Q -22 -46 -44 -40", p.wood)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A tall ebony chair with panels of cord."""
    _legs(c, p.dark, 46, 0)
    c.bar(-50, -20, 50, -12, p.dark)
    c.bar(-44, -152, 44, -72, p.dark, 3)
    for x, w in ((-34, 26), (8, 26)):
        c.bar(x, -142, x + w, -112, p.pale)
        for k in range(0, w, 6):
            c.bar(x + k, -142, x + k + 2, -112, p.accent)
    c.bar(-34, -104, 34, -78, p.pale)
    for k in range(-34, 34, 6):
        c.bar(k, -104, k + 2, -78, p.main)
    for s in (-1, 1):
        c.bar(s * 44, -106, s * 66, -98, p.dark, 2)
        c.bar(s * 62 - 3, -100, s * 62 + 3, -2, p.dark)
        c.disc(s * 40, -152, 6, p.accent)
    _seat(c, p.main, 50)
    for x in range(-36, 42, 14):
        diamond(c, x, -69, 5, 4, p.second)


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
