"""Market stalls: produce on a counter under a roof of cloth, tiles or thatch."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import STRAW, Dress
from fairlead.phantom.scenery.marks import diamond, dome, eaves, flower, poly, shadow

_GOODS = (
    ("d9663f", "8fae4b", "e6a23a"),
    ("e6a23a", "c94f4a", "7fa653"),
    ("95609c", "e6c25a", "8fae4b"),
    ("8fae4b", "d9663f", "f0d9a0"),
)


def _posts(c: Canvas, colour: Ink, half: float = 66.0, top: float = -112.0) -> None:
    shadow(c, 84)
    for s in (-1, 1):
        c.bar(s * half - 3.5, top, s * half + 3.5, 0, colour)


def _counter(c: Canvas, front: Ink, v: int, half: float = 72.0) -> None:
    """Three heaps of goods on a counter."""
    # The seed alone chooses the goods: what is sold tells no culture.
    for x, tone in zip((-44.0, 0.0, 44.0), (ink(t) for t in _GOODS[v % 4]), strict=True):
        for dx, dy in ((-14, 0), (0, 0), (14, 0), (-7, -11), (7, -11), (0, -21)):
            c.disc(x + dx, -54 + dy, 8, tone)
            c.disc(x + dx - 2, -56 + dy, 3, lighter(tone, 34))
    c.bar(-half, -50, half, -2, front)
    c.bar(-half, -50, half, -43, lighter(front, 26))
    c.bar(-half, -8, half, -2, darker(front, 20))


def _awning(
    c: Canvas, first: Ink, second: Ink, y0: float = -146.0, y1: float = -104.0, stripes: int = 8
) -> None:
    """A striped awning with a scalloped edge."""
    top, low = 62.0, 82.0
    for k in range(stripes):
        a, b = 2 * k / stripes - 1, 2 * (k + 1) / stripes - 1
        tone = second if k % 2 else first
        poly(c, tone, a * top, y0, b * top, y0, b * low, y1, a * low, y1)
        dome(c, (a + b) / 2 * low, y1 - 0.5, low / stripes, -10, tone)
    c.bar(-low, y1 - 3, low, y1, darker(first, 20))


def plain(c: Canvas, p: Dress, v: int) -> None:
    """A cloth over four posts."""
    _posts(c, p.wood)
    _counter(c, p.second, v)
    poly(c, p.main, -60, -144, 60, -144, 80, -106, -80, -106)
    c.bar(-80, -108, 80, -98, darker(p.main, 16))


def british(c: Canvas, p: Dress, v: int) -> None:
    """A striped awning, bunting, crates."""
    _posts(c, p.wood)
    _counter(c, p.wood, v)
    for x in (-60, -20, 20):
        c.bar(x, -38, x + 36, -10, lighter(p.wood, 24), 2)
        c.bar(x, -26, x + 36, -22, darker(p.wood, 10))
    _awning(c, p.main, p.pale)
    for i, x in enumerate((-54, -36, -18, 0, 18, 36, 54)):
        poly(c, p.second if i % 2 else p.accent, x - 7, -94, x + 7, -94, x, -82)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A blue awning, buckets of flowers, bread upright."""
    _posts(c, p.dark)
    for k in range(4):
        c.line(((24.0 + k * 10, -50.0), (30.0 + k * 11, -92.0)), 9, ink("c98a4b"))
    _counter(c, p.pale, v)
    c.bar(14, -66, 66, -48, STRAW, 3)
    _awning(c, p.main, p.pale, stripes=10)
    for i, x in enumerate((-56, -28, 0, 28, 56)):
        poly(c, darker(p.main, 10), x - 10, -24, x + 10, -24, x + 7, -2, x - 7, -2)
        for dx in (-7, 0, 7):
            c.disc(x + dx, -29 - (0 if dx else 6), 6.4, (p.second, p.accent, ink("e59aa8"))[i % 3])


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """Bright cloth, cut-paper flags, painted boards."""
    _posts(c, p.wood)
    _counter(c, p.second, v)
    for i, x in enumerate(range(-60, 66, 24)):
        flower(c, x, -24, 12, p.accent if i % 2 else p.pale, p.main)
    c.shape("M -84 -104 C -60 -112 -50 -142 -40 -144 L 40 -144 C 50 -142 60 -112 84 -104", p.main)
    c.shape("M -28 -144 L 28 -144 L 34 -105 L -34 -105", p.accent)
    for i, x in enumerate(range(-72, 66, 24)):
        tone = (p.accent, p.second, p.pale)[i % 3]
        c.bar(x, -104, x + 21, -84, tone)
        poly(c, tone, x, -85, x + 21, -85, x + 10.5, -76)
        diamond(c, x + 10.5, -93, 5, 6, p.main)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A tiled hood on red posts, hanging lanterns, steam baskets."""
    _posts(c, p.main)
    _counter(c, p.wood, v)
    for x in (-50, -18, 14, 46):
        c.bar(x - 10, -38, x + 14, -12, p.main, 2)
        diamond(c, x + 2, -25, 8, 8, p.accent)
    c.bar(-74, -112, 74, -102, p.second)
    eaves(c, 0, -110, 92, 36, ink("4d5862"), 20, 0.6)
    for x in (-52, 52):
        c.bar(x - 1, -104, x + 1, -94, p.dark)
        c.disc(x, -84, 13, p.main, tall=11)
        c.bar(x - 6, -96, x + 6, -92, p.accent)
        c.bar(x - 6, -75, x + 6, -71, p.accent)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A wheeled stall with a split curtain and paper lanterns."""
    _posts(c, p.wood)
    _counter(c, p.wood, v)
    for x in range(-66, 72, 11):
        c.bar(x, -42, x + 3, -8, darker(p.wood, 20))
    poly(c, ink("4a5563"), -66, -148, 66, -148, 88, -122, -88, -122)
    c.bar(-88, -124, 88, -117, darker(ink("4a5563"), 24), 2)
    for i, left_edge in enumerate((-66.0, -39.5, -13.0, 13.5, 40.0)):
        c.bar(left_edge, -118, left_edge + 25.5, -86, p.main, 1.5)
        c.disc(left_edge + 12.8, -102, 7, p.pale if i % 2 else p.second)
    for x in (-78, 78):
        c.bar(x - 9, -116, x + 9, -88, p.pale, 6)
        c.bar(x - 7, -119, x + 7, -114, p.dark)
        c.bar(x - 7, -90, x + 7, -85, p.dark)
        c.disc(x, -102, 4.6, p.accent)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """Draped cloth, cones of spice in sacks, hanging brass."""
    _posts(c, p.wood)
    _counter(c, p.pale, v)
    for x in range(-60, 66, 24):
        diamond(c, x, -24, 9, 11, p.main)
        diamond(c, x, -24, 4, 5, p.accent)
    for x, tone in ((-46, "c9502f"), (0, "e0a92f"), (46, "8f9a3c")):
        poly(c, ink(tone), x - 22, -50, x, -86, x + 22, -50)
        c.bar(x - 24, -54, x + 24, -46, STRAW, 3)
    c.shape(
        "M -84 -112 C -70 -140 -40 -148 0 -148 C 40 -148 70 -140 84 -112 "
        "Q 63 -94 42 -112 Q 21 -94 0 -112 Q -21 -94 -42 -112 Q -63 -94 -84 -112",
        p.main,
    )
    c.shape(
        (
            "M -42 -112 C -38 -136 -20 -146 0 -148 C 20 -146 38 -136 42 -112 Q 21 -94 0 -112 "
            "Q -21 -94 -42 -112"
        ),
        p.second,
    )
    for x in (-84, -42, 0, 42, 84):
        c.disc(x, -110, 4.6, p.accent)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A tented cloth with a scalloped edge, heaps of marigolds, brass scales."""
    _posts(c, p.second)
    _counter(c, p.second, v)
    for i, x in enumerate(range(-66, 72, 12)):
        c.disc(x, -38, 6.4, p.main if i % 2 else lighter(p.main, 34))
    for x in range(-54, 60, 27):
        flower(c, x, -20, 10, p.accent, p.main)
    c.shape("M -84 -108 C -50 -116 -20 -130 0 -152 C 20 -130 50 -116 84 -108", p.main)
    c.shape("M -34 -112 C -20 -124 -8 -136 0 -152 C 8 -136 20 -124 34 -112", p.accent)
    for i, x in enumerate(range(-77, 84, 14)):
        dome(c, x, -109, 7, -13, p.second if i % 2 else p.accent)
    c.bar(-84, -112, 84, -106, p.pale)
    c.disc(0, -152, 5, p.second)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A great striped umbrella over enamel basins."""
    shadow(c, 84)
    c.bar(-3.5, -140, 3.5, -40, p.wood)
    _counter(c, p.main, v)
    for x in range(-60, 66, 20):
        diamond(c, x, -24, 8, 11, p.accent)
        diamond(c, x, -24, 3.4, 5, p.second)
    for x in (-44, 0, 44):
        c.shape(f"M {x - 24} -58 L {x + 24} -58 L {x + 17} -42 L {x - 17} -42", p.pale)
        c.bar(x - 25, -61, x + 25, -56, p.second, 2)
    for a, b, tone in (
        (-86, -52, p.main),
        (-52, -18, p.accent),
        (-18, 18, p.second),
        (18, 52, p.accent),
        (52, 86, p.main),
    ):
        c.shape(
            (
                f"M 0 -154 C {a * 0.5} -150 {a * 0.94} -128 {a} -102 Q {(a + b) / 2} -114 {b} "
                f"-102 C {b * 0.94} -128 {b * 0.5} -150 0 -154"
            ),
            tone,
        )
    c.disc(0, -155, 5, p.dark)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A steep little roof, hanging garlands, fruit on leaves."""
    _posts(c, p.wood)
    _counter(c, p.wood, v)
    for x in (-48, 0, 48):
        c.shape(f"M {x - 24} -44 C {x - 10} -52 {x + 10} -52 {x + 24} -44 L {x} -22", ink("5aa552"))
        c.line(((x, -46.0), (x, -26.0)), 2, ink("8fc773"))
    c.bar(-72, -14, 72, -8, p.accent)
    roof = p.main
    for e, top, tone in ((92.0, -164.0, roof), (74.0, -152.0, p.accent), (62.0, -144.0, p.second)):
        c.shape(
            f"M 0 {top} C {e * 0.26} -132 {e * 0.6} -112 {e} -106 L {e * 0.95} -101 "
            f"L {-e * 0.95} -101 L {-e} -106 C {-e * 0.6} -112 {-e * 0.26} -132 0 {top}",
            tone,
        )
    for s in (-1, 1):
        c.line(
            ((s * 86.0, -104.0), (s * 96.0, -109.0), (s * 98.0, -119.0)), 4, darker(roof, 20), end=2
        )
    for x in (-50, -25, 0, 25, 50):
        for k in range(3):
            c.disc(x, -95 + k * 7, 4, p.pale if k < 2 else p.accent)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A roof of palm thatch, printed cloth on the front, coconuts."""
    _posts(c, p.wood)
    _counter(c, p.main, v)
    c.bar(-72, -16, 72, -8, p.dark)
    for x in range(-66, 70, 11):
        c.disc(x, -12, 2.6, p.pale)
    for i, x in enumerate(range(-54, 60, 27)):
        c.disc(x, -30, 9.5, p.second if i % 2 else p.accent)
        c.disc(x, -30, 5, p.pale)
    c.shape(
        "M -92 -98 C -70 -112 -56 -138 -44 -150 L 44 -150 C 56 -138 70 -112 92 -98 L 84 -92 "
        "L 72 -98 L 60 -91 L 48 -98 "
        "L 36 -91 L 24 -98 L 12 -91 L 0 -98 L -12 -91 L -24 -98 L -36 -91 L -48 -98 L -60 "
        "-91 L -72 -98 L -84 -92",
        STRAW,
    )
    for x in range(-80, 84, 10):
        c.line(((x * 0.52, -148.0), (x, -99.0)), 2, darker(STRAW, 22))
    c.bar(-46, -154, 46, -147, darker(STRAW, 26), 3)
    for x in (-50, -38, 40):
        c.disc(x, -82, 8, ink("8a6a45"))


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
