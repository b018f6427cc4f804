"""Open umbrellas: ribs, a canopy, a handle; the cloth or paper is the culture's."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, lighter
from fairlead.phantom.scenery.colours import Dress
from fairlead.phantom.scenery.marks import diamond, flower, poly, shadow

_EDGES = (-84.0, -50.0, -17.0, 17.0, 50.0, 84.0)


def _edge(x: float) -> float:
    """Height of the canopy's hem at a rib."""
    return -80 - (1 - (x / 84) ** 2) * 5


def _canopy(c: Canvas, tones: tuple[Ink, ...], top: float = -146.0, scallop: float = 9.0) -> None:
    """Five gores between the ribs, hollow between them."""
    for i in range(5):
        a, b = _EDGES[i], _EDGES[i + 1]
        ya, yb = _edge(a), _edge(b)
        rise = top - 4
        c.shape(
            f"M 0 {top} C {a * 0.5} {rise} {a * 0.92} {top + 26} {a} {ya} "
            f"Q {(a + b) / 2} {(ya + yb) / 2 - scallop} {b} {yb} C {b * 0.92} {top + 26} "
            f"{b * 0.5} {rise} 0 {top}",
            tones[i % len(tones)],
        )


def _ribs(c: Canvas, colour: Ink, top: float = -146.0) -> None:
    for x in _EDGES[1:-1]:
        c.line(((0.0, top + 1), (x * 0.72, top + 20), (x, _edge(x))), 2, colour)


def _on(x: float, t: float, top: float = -146.0) -> tuple[float, float]:
    """A place on the canopy: on the rib that ends at x, t = 0 at the tip, 1 at the hem."""
    # The same curve as a seam of the canopy: who changes one changes the other.
    u = 1 - t
    a, b, d, e = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
    return b * x * 0.5 + d * x * 0.92 + e * x, a * top + b * (top - 4) + d * (top + 26) + e * _edge(
        x
    )


def _along(count: int) -> list[float]:
    """So many places along the hem."""
    return [168.0 * i / (count - 1) - 84 for i in range(count)]


def _ring(c: Canvas, t: float, width: float, colour: Ink, top: float = -146.0) -> None:
    """A band around the canopy."""
    c.line(
        # In by a third of its width, so that its round ends stay on the cloth.
        tuple(_on(x, t, top) for x in (width / 3 - 84, -50.0, -17.0, 17.0, 50.0, 84 - width / 3)),
        width,
        colour,
    )


def _pole(c: Canvas, colour: Ink, hook: bool = True) -> None:
    shadow(c, 28, tall=5, x=2)
    c.bar(-2.5, -92, 2.5, -12, colour)
    if hook:
        c.line(
            ((0.0, -30.0), (0.0, -10.0), (9.0, -2.0), (18.0, -8.0), (18.0, -16.0)),
            7,
            darker(colour, 14),
        )
    else:
        c.bar(-4.5, -34, 4.5, -2, darker(colour, 14), 3)


def _tip(c: Canvas, colour: Ink, top: float = -146.0) -> None:
    c.line(((0.0, top + 2), (0.0, top - 9)), 5, colour, end=3)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """One cloth."""
    _pole(c, p.wood)
    _canopy(c, (p.main, darker(p.main, 8)))
    _tip(c, p.dark)


def british(c: Canvas, p: Dress, v: int) -> None:
    """Dark cloth with a checked hem and a cane crook."""
    _pole(c, p.wood)
    _canopy(c, (p.main, darker(p.main, 12)))
    _ring(c, 0.86, 6, p.second)
    _ring(c, 0.72, 2.4, p.accent)
    _ribs(c, p.dark)
    _tip(c, p.accent)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A bell of pale dots with a ruffle."""
    _pole(c, p.dark)
    _canopy(c, (p.main, lighter(p.main, 14)), -152)
    for x, y in (
        (-58, -104),
        (-34, -122),
        (-34, -98),
        (0, -134),
        (0, -110),
        (34, -122),
        (34, -98),
        (58, -104),
        (-16, -120),
        (17, -120),
    ):
        c.disc(x, y, 4.6, p.pale)
    for i, hem in enumerate(_along(11)):
        c.disc(hem, _edge(hem) + 1, 9, p.second if i % 2 else p.pale, tall=7)
    _tip(c, p.accent, -152)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """Gores in four colours with embroidered flowers."""
    _pole(c, p.wood)
    _canopy(c, (p.main, p.accent, p.second, p.accent, p.main))
    for x, y in ((-56, -106), (-27, -116), (0, -114), (27, -116), (56, -106)):
        flower(c, x, y, 11, p.pale, p.dark)
    for i, hem in enumerate(_along(11)):
        c.line(((hem, _edge(hem)), (hem, _edge(hem) + 9)), 4, (p.second, p.main, p.accent)[i % 3])
    _tip(c, p.dark)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """Oiled paper with many ribs, a painted branch."""
    _pole(c, p.wood, hook=False)
    _canopy(c, (p.main, darker(p.main, 6)), -138, 3)
    for k in range(-6, 7):
        x = k * 13.0
        c.line(((0.0, -136.0), (x * 0.7, -118.0), (x, _edge(x) - 1)), 1.6, darker(p.main, 26))
    c.line(((-52.0, -98.0), (-24.0, -112.0), (10.0, -108.0), (38.0, -116.0)), 3.6, p.dark)
    for x, y in ((-46, -102), (-20, -114), (12, -110), (36, -116)):
        flower(c, x, y, 9, p.pale, p.accent)
    _ring(c, 0.94, 4, p.accent, -138)
    c.bar(-6, -146, 6, -134, p.dark, 3)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """Paper with a broad pale ring, fine ribs, a dark cap."""
    _pole(c, p.wood, hook=False)
    _canopy(c, (p.main, darker(p.main, 6)), -142, 3)
    _ring(c, 0.68, 10, p.pale, -142)
    for k in range(-7, 8):
        x = k * 11.4
        c.line(((0.0, -140.0), (x * 0.7, -121.0), (x, _edge(x) - 1)), 1.5, darker(p.main, 30))
    c.line(((-14.0, -136.0), (0.0, -142.0), (14.0, -136.0)), 9, p.accent)
    c.bar(-4, -154, 4, -142, p.dark, 2)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A sunshade with tile bands and a fringe."""
    _pole(c, p.wood, hook=False)
    _canopy(c, (p.main, p.second), scallop=3)
    _ring(c, 0.8, 13, p.pale)
    for x in (-72.0, -45.0, -15.0, 15.0, 45.0, 72.0):
        diamond(c, *_on(x, 0.8), 8, 8, p.second)
        diamond(c, *_on(x, 0.8), 3.4, 4, p.accent)
    for i, hem in enumerate(_along(14)):
        c.line(((hem, _edge(hem) - 1), (hem, _edge(hem) + 9)), 4.5, p.accent if i % 2 else p.main)
    c.disc(0, -150, 6, p.accent)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """Mirror-work and a fringe of tassels."""
    _pole(c, p.accent, hook=False)
    _canopy(c, (p.main, p.second))
    _ring(c, 0.86, 7, p.accent)
    for x, y in (
        (-58, -112),
        (-28, -122),
        (0, -120),
        (28, -122),
        (58, -112),
        (-40, -102),
        (-14, -104),
        (14, -104),
        (40, -102),
    ):
        c.disc(x, y, 5.4, p.pale)
        c.disc(x, y, 2.8, p.accent)
    for hem in _along(11):
        c.line(((hem, _edge(hem) - 1), (hem, _edge(hem) + 8)), 4, p.second)
        c.disc(hem, _edge(hem) + 11, 4.4, p.main)
    c.disc(0, -149, 6.4, p.accent)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A grand cloth umbrella with woven gores and a deep valance."""
    _pole(c, p.wood, hook=False)
    _canopy(c, (p.main, p.accent, p.second, p.accent, p.main), scallop=2)
    for i in range(5):
        a, b = _EDGES[i], _EDGES[i + 1]
        ya, yb = _edge(a), _edge(b)
        poly(c, (p.second, p.main)[i % 2], a, ya, b, yb, b, yb + 15, a, ya + 15)
        diamond(c, (a + b) / 2, (ya + yb) / 2 + 7, 7, 6, p.accent)
    for x, y in ((-54, -104), (0, -112), (54, -104)):
        diamond(c, x, y, 8, 11, p.pale)
    c.disc(0, -150, 6.4, p.accent)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """Painted paper with a ring of blossoms."""
    _pole(c, p.wood, hook=False)
    _canopy(c, (p.second, lighter(p.second, 8)), -138, 2)
    for k in range(-6, 7):
        x = k * 13.0
        c.line(((0.0, -136.0), (x * 0.7, -118.0), (x, _edge(x) - 1)), 1.4, darker(p.second, 24))
    for x, y in ((-60, -98), (-31, -108), (0, -110), (31, -108), (60, -98)):
        flower(c, x, y, 11, p.main, p.accent)
    for x, y in ((-46, -100), (-15, -106), (15, -106), (46, -100)):
        c.disc(x, y, 5, p.pale, tall=3)
    _ring(c, 0.96, 4.5, p.accent, -138)
    c.bar(-6, -147, 6, -134, p.accent, 3)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """Printed cotton: a dotted border, large rounds."""
    _pole(c, p.wood)
    _canopy(c, (p.main, darker(p.main, 8)))
    _ring(c, 0.88, 8, p.dark)
    for k in range(-5, 6):
        c.disc(*_on(k * 15.0, 0.88), 2.6, p.pale)
    for x, y, tone in (
        (-50, -112, p.second),
        (0, -122, p.accent),
        (50, -112, p.second),
        (-25, -124, p.accent),
        (25, -124, p.accent),
    ):
        c.disc(x, y, 9 if tone is p.second else 6.4, tone)
        c.disc(x, y, 4, p.pale)
    _tip(c, p.wood)


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
