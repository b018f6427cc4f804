"""Bridges across the water: from edge to edge of the picture."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter, mix
from fairlead.phantom.scenery.colours import STONE, WATER, Dress
from fairlead.phantom.scenery.marks import diamond, poly

# At the smallest scale (93 %) and the largest shift (10) it still reaches both edges.
_EDGE = 150.0


def _shade(c: Canvas) -> None:
    c.bar(-_EDGE, -10, _EDGE, -2, mix(WATER, ink("3d6f80"), 35))


def _arches(
    c: Canvas,
    colour: Ink,
    centres: tuple[tuple[float, float], ...],
    deck: str,
    springing: float = -2.0,
    rise: float = 1.0,
    point: bool = False,
) -> None:
    """A wall below a deck with openings (centre, half-width); ``deck`` is the upper outline from
    right to left.
    """
    parts = [f"M {-_EDGE} {springing}"]
    for x, w in centres:
        top = springing - w * rise
        if point:
            parts.append(
                f"L {x - w} {springing} C {x - w} {springing - w * 0.5} {x - w * 0.5} "
                f"{top + 6} {x} {top - 6} "
                f"C {x + w * 0.5} {top + 6} {x + w} {springing - w * 0.5} {x + w} {springing}"
            )
        else:
            parts.append(
                f"L {x - w} {springing} C {x - w} {springing - w * rise * 1.32} {x + w} "
                f"{springing - w * rise * 1.32} {x + w} {springing}"
            )
    parts.append(f"L {_EDGE} {springing} {deck}")
    c.shape(" ".join(parts), colour)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """One low arch."""
    _shade(c)
    _arches(c, p.main, ((0.0, 72.0),), "L 150 -70 Q 0 -92 -150 -70", rise=0.62)
    c.line(((-150.0, -72.0), (0.0, -83.0), (150.0, -72.0)), 7, p.dark)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A humped stone bridge with cutwaters."""
    _shade(c)
    _arches(
        c,
        STONE,
        ((-58.0, 42.0), (58.0, 42.0)),
        "L 150 -62 C 90 -74 40 -92 0 -94 C -40 -92 -90 -74 -150 -62",
    )
    for x in (-58.0, 58.0):
        c.line(
            tuple(
                (x + u * 47, -2 - v_ * 47)
                for u, v_ in ((-1.0, 0.0), (-0.7, 0.72), (0.0, 1.0), (0.7, 0.72), (1.0, 0.0))
            ),
            7,
            lighter(STONE, 34),
        )
    poly(c, darker(STONE, 16), -14, -50, 14, -50, 16, 0, -16, 0)
    c.line(
        ((-150.0, -66.0), (-70.0, -84.0), (0.0, -98.0), (70.0, -84.0), (150.0, -66.0)),
        8,
        darker(STONE, 22),
    )
    for x in (-112, 112):
        c.bar(x - 2, -120, x + 2, -74, p.main)
        c.disc(x, -124, 7, p.accent)
    for x, y in ((-100, -50), (-116, -34), (104, -46), (118, -30), (-4, -74), (10, -82)):
        c.bar(x, y, x + 13, y + 5, mix(STONE, p.second, 60), 1)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A flat stone bridge of three arches, with lamps and flower boxes."""
    stone = mix(STONE, p.pale, 60)
    _shade(c)
    _arches(c, stone, ((-84.0, 32.0), (0.0, 36.0), (84.0, 32.0)), "L 150 -62 L -150 -62", rise=1.05)
    for x in (-42, 42):
        c.bar(x - 9, -58, x + 9, 0, darker(stone, 12), 3)
        c.disc(x, -40, 6, p.main)
    c.bar(-150, -68, 150, -60, lighter(stone, 40))
    for x in range(-140, 150, 12):
        c.bar(x, -84, x + 2.6, -66, p.dark)
    c.bar(-150, -87, 150, -83, p.dark)
    for x in (-88, 0, 88):
        c.bar(x - 2, -124, x + 2, -84, p.dark)
        c.disc(x, -128, 8, p.accent)
        for dx in (-12, -4, 4, 12):
            c.disc(x + dx, -72, 5, p.second)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """Tall arches in warm plaster, bright edges."""
    _shade(c)
    _arches(
        c,
        p.accent,
        ((-96.0, 26.0), (-32.0, 28.0), (32.0, 28.0), (96.0, 26.0)),
        "L 150 -82 L -150 -82",
        rise=1.9,
    )
    for x in (-64, 0, 64):
        c.bar(x - 4, -76, x + 4, -2, darker(p.accent, 14))
        diamond(c, x, -60, 7, 9, p.second)
    c.bar(-150, -94, 150, -82, p.main)
    c.bar(-150, -84, 150, -79, p.pale)
    for x in range(-138, 150, 24):
        poly(c, p.pale, x - 8, -94, x, -104, x + 8, -94)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A high moon bridge with a carved balustrade."""
    _shade(c)
    stone = mix(STONE, p.pale, 55)
    _arches(
        c,
        stone,
        ((0.0, 62.0),),
        "L 150 -30 C 110 -40 60 -112 0 -114 C -60 -112 -110 -40 -150 -30",
        rise=1.12,
    )
    c.line(
        tuple(
            (u * 67, -2 - v_ * 69)
            for u, v_ in ((-1.0, 0.0), (-0.72, 0.78), (0.0, 1.08), (0.72, 0.78), (1.0, 0.0))
        ),
        6,
        darker(stone, 20),
    )
    for x, y in (
        (-120, -46),
        (-92, -66),
        (-64, -92),
        (-33, -112),
        (0, -119),
        (33, -112),
        (64, -92),
        (92, -66),
        (120, -46),
    ):
        c.bar(x - 3, y - 20, x + 3, y + 10, p.main)
        c.disc(x, y - 21, 4.6, p.accent)
    c.line(
        (
            (-140.0, -46.0),
            (-92.0, -76.0),
            (-50.0, -112.0),
            (0.0, -129.0),
            (50.0, -112.0),
            (92.0, -76.0),
            (140.0, -46.0),
        ),
        5,
        p.main,
    )


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A lacquered wooden arc on posts."""
    _shade(c)
    for x, y in ((-88, -46), (-34, -64), (34, -64), (88, -46)):
        c.bar(x - 5, y, x + 5, 0, p.dark)
    for x, y in ((-61, -30), (0, -34), (61, -30)):
        c.bar(x - 30, y, x + 30, y + 5, p.dark)
    c.line(
        ((-150.0, -30.0), (-80.0, -54.0), (0.0, -70.0), (80.0, -54.0), (150.0, -30.0)), 13, p.accent
    )
    c.line(
        ((-150.0, -26.0), (-80.0, -49.0), (0.0, -65.0), (80.0, -49.0), (150.0, -26.0)),
        4,
        darker(p.accent, 26),
    )
    for lift in (24.0, 38.0):
        c.line(
            tuple(
                (x, y - lift)
                for x, y in (
                    (-150.0, -30.0),
                    (-80.0, -54.0),
                    (0.0, -70.0),
                    (80.0, -54.0),
                    (150.0, -30.0),
                )
            ),
            4.5,
            p.accent,
        )
    for x, y in ((-120, -42), (-72, -57), (-24, -68), (24, -68), (72, -57), (120, -42)):
        c.bar(x - 4, y - 46, x + 4, y, p.accent)
        c.disc(x, y - 48, 5.5, p.dark)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """Pointed arches of sandstone, tile panels between them."""
    stone = mix(p.pale, ink("d8b07a"), 45)
    _shade(c)
    _arches(
        c,
        stone,
        ((-92.0, 34.0), (0.0, 42.0), (92.0, 34.0)),
        "L 150 -72 L -150 -72",
        rise=1.2,
        point=True,
    )
    for x in (-47, 47):
        c.bar(x - 5, -58, x + 5, -2, darker(stone, 14))
        diamond(c, x, -54, 9, 11, p.main)
        diamond(c, x, -54, 4, 5, p.accent)
    c.bar(-150, -80, 150, -70, p.main)
    for x in range(-140, 150, 14):
        diamond(c, x, -75, 4, 4, p.accent)
    for x in range(-146, 150, 20):
        poly(c, stone, x, -80, x, -90, x + 6, -97, x + 12, -90, x + 12, -80)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """Cusped arches, and little kiosks over the piers."""
    stone = mix(p.main, p.pale, 45)
    _shade(c)
    _arches(
        c,
        stone,
        ((-96.0, 28.0), (-32.0, 28.0), (32.0, 28.0), (96.0, 28.0)),
        "L 150 -62 L -150 -62",
        rise=1.35,
        point=True,
    )
    for x in (-96.0, -32.0, 32.0, 96.0):
        for dx, y in ((-17, -28), (-8, -38), (8, -38), (17, -28)):
            c.disc(x + dx, y, 5.2, stone)
    c.bar(-150, -70, 150, -62, p.second)
    for x in range(-140, 150, 10):
        c.bar(x, -80, x + 4, -70, stone)
    c.bar(-150, -84, 150, -79, p.second)
    for x in (-64, 0, 64):
        for k in (-11, 8):
            c.bar(x + k, -106, x + k + 3, -82, stone)
        c.bar(x - 17, -110, x + 17, -105, p.second)
        c.shape(
            f"M {x - 24} -107 C {x - 12} -120 {x - 7} -128 {x} -128 "
            f"C {x + 7} -128 {x + 12} -120 {x + 24} -107 C {x + 10} -113 {x - 10} -113 "
            f"{x - 24} -107",
            p.accent,
        )


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A cable-stayed bridge over the lagoon."""
    _shade(c)
    for x in (-110, -66, 66, 110):
        c.bar(x - 5, -46, x + 5, -2, STONE)
    for k in (30, 58, 86, 114, 142):
        for s in (-1, 1):
            c.line(((0.0, -146.0 + k * 0.35), (s * k, -54.0)), 2.6, p.accent)
    poly(c, p.main, -14, -2, -5, -150, 5, -150, 14, -2)
    poly(c, darker(p.main, 18), 2, -2, 2, -150, 5, -150, 14, -2)
    c.bar(-16, -70, 16, -62, p.main, 2)
    c.bar(-150, -56, 150, -44, p.second)
    c.bar(-150, -58, 150, -54, p.pale)
    for x in range(-144, 150, 22):
        diamond(c, x, -49, 5, 4, p.accent)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A tall timber bridge on many braced posts, with a roofed rest."""
    _shade(c)
    for x in range(-132, 140, 33):
        c.bar(x - 3, -64, x + 3, 0, p.wood)
    for x in range(-132, 120, 33):
        c.line(((x, -8.0), (x + 33.0, -54.0)), 3.4, darker(p.wood, 16))
        c.line(((x + 33.0, -8.0), (x, -54.0)), 3.4, darker(p.wood, 16))
    c.bar(-150, -72, 150, -62, p.wood)
    c.bar(-150, -73, 150, -69, lighter(p.wood, 30))
    for x in range(-145, 150, 20):
        c.bar(x, -92, x + 3, -70, p.wood)
    c.bar(-150, -94, 150, -90, p.accent)
    for x in (-30, 26):
        c.bar(x, -108, x + 5, -70, p.wood)
    for e, top, tone in (
        (52.0, -152.0, p.main),
        (38.0, -140.0, p.accent),
        (30.0, -132.0, p.second),
    ):
        c.shape(
            (
                f"M 0 {top} C {e * 0.3} -124 {e * 0.6} -112 {e} -106 L {-e} -106 C {-e * 0.6} "
                f"-112 {-e * 0.3} -124 0 {top}"
            ),
            tone,
        )


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A footbridge hung from ropes between painted posts."""
    _shade(c)
    for x in (-98, 98):
        c.bar(x - 7, -140, x + 7, 0, p.wood)
        for y, tone in ((-132, p.main), (-116, p.accent), (-100, p.second)):
            c.bar(x - 7, y, x + 7, y + 9, tone)
        c.disc(x, -142, 8, p.wood)
    sag = ((-98.0, -130.0), (-50.0, -96.0), (0.0, -86.0), (50.0, -96.0), (98.0, -130.0))
    deck = (
        (-150.0, -50.0),
        (-98.0, -50.0),
        (-50.0, -42.0),
        (0.0, -40.0),
        (50.0, -42.0),
        (98.0, -50.0),
        (150.0, -50.0),
    )
    c.line(sag, 4.5, ink("d9b06a"))
    for s in (-1, 1):
        c.line(((s * 98.0, -130.0), (s * 150.0, -96.0)), 4.5, ink("d9b06a"))
    for x, y0, y1 in (
        (-76, -113, -47),
        (-50, -96, -43),
        (-25, -89, -42),
        (0, -86, -41),
        (25, -89, -42),
        (50, -96, -43),
        (76, -113, -47),
    ):
        c.bar(x - 1.2, y0, x + 1.2, y1, ink("d9b06a"))
    c.line(deck, 12, p.main)
    c.line(tuple((x, y - 5) for x, y in deck), 3.5, p.pale)
    for x in range(-84, 90, 14):
        c.bar(x, -46, x + 2, -34, darker(p.main, 30))


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
