"""Bread on a board or a plate: the crust is the same, the shape is the culture's."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.colours import CRUMB, CRUST, STRAW, Dress
from fairlead.phantom.scenery.marks import dome, poly, shadow

_PUFF = ink("fbf2e0")


def _board(c: Canvas, p: Dress) -> None:
    shadow(c, 84, -2)
    c.bar(-80, -14, 80, -2, p.wood, 5)
    c.bar(-80, -14, 80, -9, lighter(p.wood, 20), 4)


def _plate(c: Canvas, p: Dress) -> None:
    shadow(c, 84, -2)
    c.shape("M -84 -18 L 84 -18 C 70 -4 40 0 20 0 L -20 0 C -40 0 -70 -4 -84 -18", p.main)
    c.bar(-86, -22, 86, -16, p.pale, 3)


def _loaf(c: Canvas, x: float, y: float, w: float, h: float, crust: Ink = CRUST) -> None:
    c.shape(
        f"M {x - w} {y} L {x - w} {y - h * 0.45} C {x - w} {y - h} {x - w * 0.5} {y - h} {x} "
        f"{y - h} "
        f"C {x + w * 0.5} {y - h} {x + w} {y - h} {x + w} {y - h * 0.45} L {x + w} {y}",
        crust,
    )
    c.shape(
        f"M {x - w * 0.9} {y - h * 0.5} C {x - w * 0.8} {y - h * 0.95} {x - w * 0.3} "
        f"{y - h * 0.94} {x} {y - h * 0.94} "
        f"C {x - w * 0.4} {y - h * 0.8} {x - w * 0.7} {y - h * 0.7} {x - w * 0.9} {y - h * 0.5}",
        lighter(crust, 30),
    )


def _flat(c: Canvas, y: float, rx: float, ry: float, spots: bool) -> None:
    c.disc(0, y + 4, rx, darker(CRUST, 10), tall=ry)
    c.disc(0, y, rx, lighter(CRUMB, 10), tall=ry)
    if spots:
        for dx, dy, r in (
            (-0.5, -0.2, 6),
            (0.1, 0.35, 5),
            (0.5, -0.1, 7),
            (-0.1, -0.4, 4),
            (-0.25, 0.3, 4),
            (0.3, 0.5, 3),
        ):
            c.disc(dx * rx, y + dy * ry, r, CRUST, tall=r * 0.6)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """A round loaf with a cross-cut top."""
    _board(c, p)
    _loaf(c, 0, -13, 62, 66)
    for x in (-26, 0, 26):
        c.line(((x - 8.0, -60.0), (x + 8.0, -44.0)), 5, CRUMB)


def british(c: Canvas, p: Dress, v: int) -> None:
    """A tin loaf, two slices cut."""
    _board(c, p)
    c.shape(
        "M -64 -14 L -64 -62 C -76 -66 -74 -92 -52 -92 L 34 -92 C 52 -92 54 -68 46 -62 L 46 -14",
        CRUST,
    )
    c.shape(
        "M -60 -76 C -58 -90 -40 -88 -20 -88 L 20 -88 C -10 -82 -40 -84 -60 -76", lighter(CRUST, 34)
    )
    c.shape(
        "M 24 -14 L 24 -60 C 14 -66 18 -88 36 -88 C 58 -88 60 -66 50 -60 L 50 -14",
        darker(CRUST, 10),
    )
    c.shape("M 28 -16 L 28 -60 C 20 -66 24 -83 37 -83 C 52 -83 54 -66 46 -60 L 46 -16", CRUMB)
    poly(c, darker(CRUST, 10), 52, -14, 60, -22, 84, -22, 78, -14)
    c.bar(-80, -26, -66, -14, p.main, 3)
    c.bar(-80, -26, -66, -22, p.accent, 2)


def french(c: Canvas, p: Dress, v: int) -> None:
    """Two baguettes in a cloth."""
    _board(c, p)
    for x0, y0, x1, y1 in ((-66.0, -30.0, 58.0, -116.0), (-74.0, -24.0, 76.0, -58.0)):
        c.line(((x0, y0), ((x0 + x1) / 2, (y0 + y1) / 2 - 6), (x1, y1)), 30, CRUST, end=22)
        c.line(
            ((x0 + 4, y0 - 7), ((x0 + x1) / 2, (y0 + y1) / 2 - 13), (x1 - 4, y1 - 6)),
            8,
            lighter(CRUST, 30),
            end=5,
        )
        for k in (0.28, 0.46, 0.64, 0.82):
            x, y = x0 + (x1 - x0) * k, y0 + (y1 - y0) * k - 6
            c.line(((x - 10, y + 4), (x + 9, y - 7)), 5.5, CRUMB)
    c.shape("M -84 -14 L -74 -50 C -50 -56 -30 -44 -18 -14", p.main)
    for k in range(3):
        c.line(((-70.0 + k * 16, -48.0 + k * 4), (-74.0 + k * 20, -15.0)), 2.6, p.pale)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """Sweet buns with shell-cut sugar tops."""
    _plate(c, p)
    for x, y, tone in ((-40, -20, p.main), (40, -20, p.accent), (0, -54, p.pale)):
        dome(c, x, y, 40, 42, CRUST)
        dome(c, x, y - 10, 35, 31, tone)
        for dx in (-20, -10, 0, 10, 20):
            c.line(
                ((x + dx * 0.3, y - 40.0), (x + dx * 1.15, y - 26.0), (x + dx * 1.5, y - 11.0)),
                3,
                darker(CRUST, 4),
            )


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """Steamed buns in a bamboo basket."""
    shadow(c, 80, -2)
    for x, y in ((-36, -48), (36, -48), (0, -62)):
        dome(c, x, y, 34, 43, darker(_PUFF, 16))
        dome(c, x - 1, y, 32, 40, _PUFF)
        c.disc(x - 10, y - 22, 8, (255, 255, 255), tall=6)
        for dx in (-10, 0, 10):
            c.line(((x, y - 38.0), (x + dx, y - 28.0)), 2, darker(_PUFF, 22))
    c.bar(-76, -50, 76, -2, STRAW, 6)
    for y in (-44, -12):
        c.bar(-76, y, 76, y + 6, darker(STRAW, 26))
    for x in range(-68, 72, 16):
        c.bar(x, -38, x + 8, -12, lighter(STRAW, 22))
    c.disc(0, -25, 12, p.main)
    c.bar(-5, -30, 5, -20, p.accent)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A square milk loaf with three soft tops, and a sweet bun."""
    _board(c, p)
    c.shape(
        (
            "M -70 -14 L -70 -74 C -76 -106 -34 -106 -34 -86 C -34 -106 2 -106 2 -86 C 2 "
            "-106 44 -106 38 -74 L 38 -14"
        ),
        CRUST,
    )
    for x in (-52, -16, 20):
        c.disc(x - 4, -90, 11, lighter(CRUST, 34), tall=6)
    c.bar(-62, -68, 30, -22, lighter(CRUMB, 40), 6)
    dome(c, 56, -14, 26, 32, CRUST)
    for dx in (-10, 0, 10):
        c.disc(56 + dx, -38 + abs(dx) * 0.3, 2, p.dark)
    c.bar(32, -16, 80, -10, p.main, 2)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A stack of round flat breads, one folded."""
    _plate(c, p)
    for k in range(4):
        _flat(c, -28 - k * 11, 70 - k * 2, 17, k == 3)
    c.shape("M -46 -66 C -40 -108 44 -108 52 -70 C 30 -60 -20 -58 -46 -66", lighter(CRUMB, 10))
    c.line(((-46.0, -66.0), (0.0, -60.0), (52.0, -70.0)), 4, CRUST)
    for dx, dy, r in ((-18, -84, 6), (10, -90, 7), (28, -78, 5)):
        c.disc(dx, dy, r, CRUST, tall=r * 0.7)
    for x in (-60, -30, 0, 30, 60):
        poly(c, p.accent, x - 5, -14, x, -6, x + 5, -14)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """Puffed roti on a brass tray."""
    _plate(c, p)
    for k in range(3):
        _flat(c, -28 - k * 9, 72 - k * 3, 18, False)
    c.disc(0, -62, 64, darker(CRUST, 6), tall=30)
    c.disc(0, -66, 64, lighter(CRUMB, 14), tall=29)
    for x, y, r in (
        (-36, -72, 8),
        (-10, -58, 6),
        (16, -78, 9),
        (38, -64, 7),
        (-18, -84, 5),
        (6, -68, 4),
        (30, -50, 5),
        (-40, -56, 4),
    ):
        c.disc(x, y, r, CRUST, tall=r * 0.6)
    c.bar(-86, -22, 86, -16, p.accent, 3)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """A tall soft loaf with a folded top, wrapped in printed paper."""
    _board(c, p)
    c.shape(
        "M -66 -14 L -66 -80 C -70 -104 -40 -104 -33 -92 C -26 -104 -8 -104 0 -92 "
        "C 8 -104 26 -104 33 -92 C 40 -104 70 -104 66 -80 L 66 -14",
        CRUST,
    )
    c.shape(
        "M -60 -82 C -60 -98 -40 -98 -33 -86 C -26 -98 -8 -98 0 -86 C -20 -88 -40 -84 -60 -82",
        lighter(CRUST, 36),
    )
    for x in (-33, 0, 33):
        c.line(((x, -90.0), (x, -62.0)), 3, darker(CRUST, 18))
    c.bar(-68, -54, 68, -14, p.second)
    c.bar(-68, -54, 68, -49, p.accent)
    c.bar(-68, -19, 68, -14, p.accent)
    for x in range(-54, 60, 18):
        c.disc(x, -34, 6, p.pale)
        c.disc(x, -34, 2.8, p.main)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """Thick toast with custard on a banana leaf."""
    _board(c, p)
    c.shape("M -86 -18 C -40 -34 40 -34 90 -22 C 40 -8 -40 -6 -86 -18", ink("5aa552"))
    c.line(((-84.0, -18.0), (88.0, -21.0)), 2.4, ink("8fc773"))
    for x, y in ((-34, -22), (34, -22)):
        c.shape(
            f"M {x - 32} {y} L {x - 32} {y - 50} C {x - 42} {y - 60} {x - 36} {y - 74} {x} "
            f"{y - 74} "
            f"C {x + 36} {y - 74} {x + 42} {y - 60} {x + 32} {y - 50} L {x + 32} {y}",
            CRUST,
        )
        c.shape(
            f"M {x - 26} {y - 5} L {x - 26} {y - 50} C {x - 34} {y - 60} {x - 28} {y - 67} "
            f"{x} {y - 67} "
            f"C {x + 28} {y - 67} {x + 34} {y - 60} {x + 26} {y - 50} L {x + 26} {y - 5}",
            lighter(CRUMB, 25),
        )
    for x, tone in ((-34, p.second), (34, p.accent)):
        c.blob(
            (
                (x - 18.0, -74.0),
                (x + 4.0, -80.0),
                (x + 19.0, -70.0),
                (x + 14.0, -48.0),
                (x + 2.0, -38.0),
                (x - 14.0, -48.0),
            ),
            tone,
        )


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """Triangular fried breads on a palm tray."""
    shadow(c, 84, -2)
    for x, y, s in (
        (-44, -22, 1.0),
        (44, -22, 1.0),
        (0, -20, 1.05),
        (-22, -56, 1.0),
        (24, -56, 1.0),
    ):
        tone = CRUST if (x + 100) % 44 else darker(CRUST, 8)
        c.blob(
            (
                (x - 34.0 * s, y),
                (x - 14.0 * s, y - 30.0 * s),
                (x, y - 48.0 * s),
                (x + 14.0 * s, y - 30.0 * s),
                (x + 34.0 * s, y),
                (x, y + 3.0),
            ),
            tone,
        )
        c.blob(((x - 12.0, y - 20.0), (x - 1.0, y - 36.0), (x + 3.0, y - 26.0)), lighter(tone, 32))
    c.shape("M -86 -22 L 86 -22 C 70 -4 40 0 20 0 L -20 0 C -40 0 -70 -4 -86 -22", STRAW)
    for x in range(-70, 74, 20):
        poly(c, p.main, x - 7, -20, x + 7, -20, x * 0.9, -6)
    c.bar(-88, -26, 88, -19, p.second, 3)


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
