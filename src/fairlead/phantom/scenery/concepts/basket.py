"""Baskets of fruit: what is in them comes from the seed, the weave from the culture."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import STRAW, Dress
from fairlead.phantom.scenery.marks import diamond, poly, shadow

_FRUITS = (("c9483f", "d9663f"), ("e79a35", "f0b045"), ("8fae4b", "b3c65a"), ("7a4a86", "95609c"))
_TUB = ((-64.0, -70.0), (64.0, -70.0), (50.0, -3.0), (-50.0, -3.0))


def _fruit(c: Canvas, v: int, y: float = -72.0) -> None:
    shadow(c, 64)
    # The seed alone chooses the fruit: what is in a basket tells no culture.
    first, second = (ink(x) for x in _FRUITS[v % 4])
    for i, (x, dy) in enumerate(
        ((-36, -2), (-12, -2), (12, -2), (36, -2), (-24, -18), (0, -22), (24, -18))
    ):
        tone = second if i % 2 else first
        c.disc(x, y + dy, 17, tone)
        c.disc(x - 5, y + dy - 6, 5, lighter(tone, 36))
    c.disc(10, y - 42, 10, ink("6fa05c"), tall=5)


def _handle(
    c: Canvas, colour: Ink, half: float = 52.0, top: float = -146.0, width: float = 8.0
) -> None:
    c.line(
        (
            (-half, -70.0),
            (-half * 0.86, top + 28),
            (0.0, top),
            (half * 0.86, top + 28),
            (half, -70.0),
        ),
        width,
        colour,
    )


def _tub(
    c: Canvas, colour: Ink, rows: int = 4, gap: Ink | None = None, rim: Ink | None = None
) -> None:
    """A tapering basket woven in rows of short strokes."""
    c.polygon(_TUB, colour)
    shade = gap or darker(colour, 22)
    h = 64 / rows
    for row in range(rows):
        y = -68 + row * h
        half = 62 - (row + 0.5) * 13 / rows
        n = 7
        for k in range(n):
            x = -half + (k + (0.25 if row % 2 else 0.75)) * 2 * half / n
            c.bar(x - half / n * 0.42, y + 2, x + half / n * 0.42, y + h - 2, shade, 2.5)
    c.bar(-68, -76, 68, -64, rim or lighter(colour, 20), 5)
    c.bar(-52, -8, 52, 0, rim or darker(colour, 14), 3)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """Willow with a hoop."""
    # The back of the handle lies behind the fruit, and the fruit behind the rim.
    _handle(c, p.wood)
    _fruit(c, v)
    _tub(c, p.second)


def british(c: Canvas, p: Dress, v: int) -> None:
    """Brown willow, a checked lining."""
    _handle(c, ink("96683c"), width=10)
    _fruit(c, v)
    _tub(c, ink("b98652"), 5)
    for i, x in enumerate(range(-66, 62, 12)):
        poly(c, p.main if i % 2 else p.pale, x, -76, x + 12, -76, x + 12, -60, x + 6, -54, x, -60)
    c.bar(-68, -78, 68, -72, p.second, 3)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A soft market basket with long leather handles."""
    for s in (-1, 1):
        c.line(
            ((-34.0, -66.0), (-30.0, -118.0), (0.0, -142.0 - s * 5), (30.0, -118.0), (34.0, -66.0)),
            5,
            ink("8a5a38"),
        )
    _fruit(c, v)
    c.shape("M -66 -76 C -72 -40 -62 -6 -44 -2 L 44 -2 C 62 -6 72 -40 66 -76", STRAW)
    for y in (-62, -48, -34, -20):
        c.line(((-64.0, y), (0.0, y + 5.0), (64.0, y)), 2.4, darker(STRAW, 20))
    for s in (-1, 1):
        c.line(((s * 34.0, -66.0), (s * 32.0, -10.0)), 6, ink("8a5a38"))
    c.bar(-68, -80, 68, -70, p.main, 4)
    for x in (-8, 0, 8):
        c.line(((x * 0.5, -26.0), (x, -46.0)), 5, p.second)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """Palm in bright bands."""
    _handle(c, p.main, width=9)
    _fruit(c, v)
    c.polygon(_TUB, p.accent)
    for y, tone in ((-64, p.main), (-44, p.second), (-24, p.main)):
        half = 64 + (y + 70) * -0.21
        c.bar(-half, y, half, y + 12, tone)
        for k in range(-4, 5):
            diamond(c, k * half / 4.6, y + 6, 6, 6, p.pale)
    c.bar(-68, -78, 68, -68, p.second, 5)
    c.bar(-52, -8, 52, 0, p.second, 3)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """Lacquered bamboo with a squared handle and a bail."""
    c.bent(((-56.0, -66.0), (-56.0, -140.0), (56.0, -140.0), (56.0, -66.0)), 8, p.main)
    for s in (-1, 1):
        c.disc(s * 56, -140, 7, p.accent)
    c.bar(-12, -148, 12, -134, p.accent, 4)
    _fruit(c, v)
    c.shape("M -66 -72 C -64 -40 -56 -16 -46 -8 L 46 -8 C 56 -16 64 -40 66 -72", STRAW)
    for k in range(-5, 6):
        c.line(((k * 12.0, -68.0), (k * 9.0 + 8, -10.0)), 2.2, darker(STRAW, 26))
        c.line(((k * 12.0, -68.0), (k * 9.0 - 8, -10.0)), 2.2, darker(STRAW, 26))
    c.bar(-69, -78, 69, -68, p.main, 4)
    c.bar(-48, -10, 48, 0, p.main, 3)
    c.disc(0, -40, 13, p.main)
    diamond(c, 0, -40, 7, 7, p.accent)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """Split bamboo, an open hexagon weave, a tall hoop."""
    _handle(c, p.wood, 44, -152, 6)
    _fruit(c, v)
    c.polygon(_TUB, lighter(STRAW, 24))
    for row, y in enumerate((-58, -44, -30, -16)):
        half = 60 + (y + 70) * -0.21
        for k in range(-4, 5):
            x = k * half / 4.2 + (half / 8.4 if row % 2 else 0)
            if abs(x) < half - 3:
                diamond(c, x, y, 5.2, 6, p.wood)
    c.bar(-67, -77, 67, -67, p.wood, 4)
    c.bar(-52, -8, 52, 0, p.wood, 3)
    c.line(((-50.0, -72.0), (-58.0, -52.0), (-50.0, -40.0)), 5, p.main)
    c.line(((-50.0, -72.0), (-40.0, -54.0), (-44.0, -42.0)), 5, p.main)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """Coiled palm leaf with stepped colours, two ear handles."""
    for s in (-1, 1):
        c.line(
            ((s * 58.0, -66.0), (s * 82.0, -72.0), (s * 80.0, -46.0), (s * 60.0, -42.0)), 7, p.main
        )
    _fruit(c, v)
    c.shape("M -70 -76 C -70 -44 -60 -10 -40 -2 L 40 -2 C 60 -10 70 -44 70 -76", lighter(STRAW, 14))
    for y in (-62.0, -48.0, -34.0, -20.0):
        c.line(
            ((-66.0 - (y + 62) * -0.2, y), (0.0, y + 6.0), (66.0 + (y + 62) * -0.2, y)),
            2.2,
            darker(STRAW, 16),
        )
    for i, x in enumerate((-48, -24, 0, 24, 48)):
        y = -40 + (48 - abs(x)) * 0.1
        diamond(c, x, y, 12, 18, p.main if i % 2 else p.second)
        diamond(c, x, y, 5, 8, p.accent)
    c.bar(-72, -80, 72, -70, p.second, 5)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A shallow round basket edged with cloth and mirrors."""
    _fruit(c, v, -60)
    c.shape("M -80 -62 C -72 -28 -50 -6 -34 -2 L 34 -2 C 50 -6 72 -28 80 -62", STRAW)
    for k in range(-5, 6):
        c.line(((k * 14.0, -56.0), (k * 7.0, -6.0)), 3, darker(STRAW, 22))
    c.shape(
        "M -80 -62 C -78 -52 -74 -44 -70 -38 C -40 -26 40 -26 70 -38 C 74 -44 78 -52 80 -62",
        p.second,
    )
    for x in (-54, -27, 0, 27, 54):
        y = -45 + (54 - abs(x)) * 0.14
        c.disc(x, y, 8, p.main)
        c.disc(x, y, 4.6, p.pale)
    for x in range(-64, 70, 16):
        c.disc(x, -31 + (64 - abs(x)) * 0.08, 4.6, p.accent, tall=6)
    c.bar(-84, -68, 84, -58, p.main, 5)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A market basket of raffia with a dyed zigzag."""
    for s in (-1, 1):
        c.line(((s * 20.0, -72.0), (s * 34.0, -96.0), (s * 52.0, -72.0)), 7, p.wood)
    _fruit(c, v)
    c.shape("M -70 -76 C -66 -44 -58 -16 -50 -2 L 50 -2 C 58 -16 66 -44 70 -76", ink("d7b07a"))
    for y in (-64, -12):
        c.line(((-66.0, y), (0.0, y + 4.0), (66.0, y)), 3.4, p.wood)
    for i, x in enumerate(range(-56, 58, 16)):
        poly(c, p.main if i % 2 else p.second, x - 8, -20, x, -54, x + 8, -20)
        poly(c, p.accent, x - 3, -26, x, -40, x + 3, -26)
    c.bar(-72, -80, 72, -70, p.main, 5)
    for x in range(-64, 70, 14):
        c.bar(x, -79, x + 5, -71, p.accent)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A lidded rice basket on a foot, with a cord."""
    shadow(c, 54)
    c.line(
        ((-50.0, -50.0), (-62.0, -110.0), (0.0, -150.0), (62.0, -110.0), (50.0, -50.0)), 4.5, p.main
    )
    _fruit(c, v, -74)
    poly(c, p.wood, -34, -14, 34, -14, 46, 0, -46, 0)
    c.shape(
        "M -58 -74 C -60 -44 -54 -20 -40 -12 L 40 -12 C 54 -20 60 -44 58 -74", lighter(STRAW, 10)
    )
    for row, y in enumerate((-60, -46, -32, -20)):
        half = 56 - row * 3
        for k in range(-4, 5):
            x = k * half / 4.2 + (half / 8.4 if row % 2 else 0)
            if abs(x) < half - 4:
                diamond(c, x, y, 5.4, 6, p.main if (k + row) % 2 else p.second)
    c.bar(-61, -80, 61, -70, p.accent, 4)
    c.bar(-42, -16, 42, -10, p.accent, 3)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A sisal bag in bold rings, with leather straps."""
    for lift in (0.0, 9.0):
        c.line(
            ((-44.0, -66.0), (-36.0, -120.0), (0.0, -140.0 - lift), (36.0, -120.0), (44.0, -66.0)),
            5,
            ink("7a4a2c"),
        )
    _fruit(c, v)
    c.shape("M -62 -76 C -70 -40 -58 -4 -20 0 L 20 0 C 58 -4 70 -40 62 -76", lighter(STRAW, 16))
    for y, h, tone in (
        (-68, 10, p.main),
        (-52, 7, p.second),
        (-40, 12, p.main),
        (-22, 7, p.second),
    ):
        half = 64 - max(0, y + 40) * 0.5
        c.shape(
            f"M {-half} {y} C {-half * 0.5} {y + 6} {half * 0.5} {y + 6} {half} {y} L "
            f"{half - 2} {y + h} "
            f"C {half * 0.5} {y + h + 6} {-half * 0.5} {y + h + 6} {-half + 2} {y + h}",
            tone,
        )
    for x in (-44, -15, 15, 44):
        diamond(c, x, -31 - abs(x) * 0.06, 6, 7, p.accent)
    c.bar(-65, -80, 65, -72, ink("7a4a2c"), 4)


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
