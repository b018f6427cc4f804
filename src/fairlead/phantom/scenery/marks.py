"""Small shapes that several drawings share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.curves import Points, oval
from fairlead.phantom.drawing.palette import darker, lighter

_SHADOW = (40, 34, 50)
_TURN = (
    (1.0, 0.0),
    (0.7071, 0.7071),
    (0.0, 1.0),
    (-0.7071, 0.7071),
    (-1.0, 0.0),
    (-0.7071, -0.7071),
    (0.0, -1.0),
    (0.7071, -0.7071),
)


def _points(text: str) -> Points:
    numbers = [float(n) for n in text.split()]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


# Left halves of the heads of openings, for a half-width of 1.
_HEADS: Mapping[str, Points] = {
    "round": _points(
        "-1 1 -.981 .805 -.924 .617 -.831 .444 -.707 .293 -.556 .169 -.383 .076 -.195 .019 0 0"
    ),
    "pointed": _points("-1 1.1 -.99 .92 -.96 .75 -.88 .56 -.76 .4 -.56 .24 -.32 .11 0 -.04"),
    "keyhole": _points(
        "-.84 1.35 -.98 1.12 -1.05 .88 -1.02 .64 -.92 .43 -.74 .26 -.5 .12 -.26 .02 0 -.07"
    ),
    "cusped": _points(
        "-1 1.1 -1 .9 -.97 .76 -.84 .66 -.92 .56 -.9 .44 -.8 .36 -.62 .35 -.66 .24 -.6 "
        ".14 -.46 .09 -.3 .13 -.2 .06 0 -.06"
    ),
}


def shadow(c: Canvas, half: float, y: float = -1.0, *, tall: float = 6.0, x: float = 0.0) -> None:
    """The shadow of a thing on the ground, so many units to either side."""
    c.disc(x, y, half, _SHADOW, 46, tall=tall)


def poly(c: Canvas, colour: Ink, *flat: float) -> None:
    """Fill a polygon given as x, y, x, y, ..."""
    c.polygon(tuple(zip(flat[::2], flat[1::2], strict=True)), colour)


def dome(c: Canvas, x: float, y: float, rx: float, ry: float, colour: Ink) -> None:
    """The upper half of an ellipse standing on (x, y); a negative ``ry`` hangs it below."""
    # The two ends of the half lie at v = 0 but for rounding.
    c.polygon(tuple((x + rx * u, y + ry * v) for u, v in oval() if v <= 1e-9), colour)


def diamond(c: Canvas, x: float, y: float, rx: float, ry: float, colour: Ink) -> None:
    """A lozenge about (x, y)."""
    c.polygon(((x - rx, y), (x, y - ry), (x + rx, y), (x, y + ry)), colour)


def flower(c: Canvas, x: float, y: float, r: float, petals: Ink, heart: Ink) -> None:
    """A round flower of five petals."""
    for u, v in ((0.0, -1.0), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31)):
        c.disc(x + u * r * 0.62, y + v * r * 0.62, r * 0.52, petals)
    c.disc(x, y, r * 0.36, heart)


def arched(x0: float, y0: float, x1: float, y1: float, kind: str = "round") -> Points:
    """The outline of an opening with a round, pointed, cusped, keyhole or flat head."""
    m, w = (x0 + x1) / 2, (x1 - x0) / 2
    if kind == "flat":
        return (x0, y1), (x0, y0), (x1, y0), (x1, y1)
    side = _HEADS[kind]
    left_edge = tuple((m + u * w, y0 + v * w) for u, v in side)
    right = tuple((m - u * w, y0 + v * w) for u, v in reversed(side[:-1]))
    return ((x0, y1), *left_edge, *right, (x1, y1))


def opening(
    c: Canvas,
    box: Sequence[float],
    colour: Ink,
    kind: str = "round",
    rim: Ink | None = None,
    width: float = 3.0,
) -> None:
    """An opening (x0, y0, x1, y1), with a rim where one is given."""
    x0, y0, x1, y1 = box
    if rim is not None:
        c.polygon(arched(x0 - width, y0 - width, x1 + width, y1, kind), rim)
    c.polygon(arched(x0, y0, x1, y1, kind), colour)


def window(c: Canvas, x: float, y: float, w: float, h: float, glass: Ink, rim: Ink) -> None:
    """A window with a cross, its upper left corner at (x, y)."""
    c.bar(x - 2, y - 2, x + w + 2, y + h + 2, rim)
    c.bar(x, y, x + w, y + h, glass)
    c.bar(x + w / 2 - 1, y, x + w / 2 + 1, y + h, rim)
    c.bar(x, y + h * 0.45 - 1, x + w, y + h * 0.45 + 1, rim)


def shaded_bar(c: Canvas, x0: float, y0: float, x1: float, y1: float, colour: Ink) -> None:
    """A wall or post with its shaded right side."""
    c.bar(x0, y0, x1, y1, colour)
    c.bar(x1 - (x1 - x0) * 0.22, y0, x1, y1, darker(colour, 14))


def eaves(
    c: Canvas,
    x: float,
    y: float,
    half: float,
    height: float,
    colour: Ink,
    lift: float = 8.0,
    ridge: float = 0.55,
) -> None:
    """A tiled roof with upswept corners: the ridge at y - height, the eaves at y."""
    r = half * ridge
    c.shape(
        f"M {x - r} {y - height} L {x + r} {y - height} "
        f"C {x + r + 4} {y - height * 0.5} {x + half * 0.8} {y - height * 0.2} {x + half} "
        f"{y - lift} "
        f"L {x + half - 3} {y + 1} Q {x} {y + 5 - lift * 0.3} {x - half + 3} {y + 1} L "
        f"{x - half} {y - lift} "
        f"C {x - half * 0.8} {y - height * 0.2} {x - r - 4} {y - height * 0.5} {x - r} "
        f"{y - height}",
        colour,
    )
    c.line(((x - half + 3, y), (x, y + 3 - lift * 0.3), (x + half - 3, y)), 2.4, darker(colour, 24))
    c.bar(x - r - 3, y - height - 3, x + r + 3, y - height + 1, lighter(colour, 14), 1.5)


def gable(
    c: Canvas, x: float, y: float, half: float, height: float, colour: Ink, over: float = 5.0
) -> None:
    """A plain pitched roof seen from the gable: the eaves at y."""
    poly(c, colour, x - half - over, y, x, y - height, x + half + over, y)


def ring(c: Canvas, x: float, y: float, r: float, width: float, colour: Ink) -> None:
    """A circle's line."""
    c.loop(tuple((x + r * u, y + r * v) for u, v in oval()), width, colour)


def rays(
    c: Canvas, x: float, y: float, inner: float, outer: float, width: float, colour: Ink
) -> None:
    """Eight spokes."""
    for u, v in _TURN:
        c.line(((x + u * inner, y + v * inner), (x + u * outer, y + v * outer)), width, colour)


def palm(
    c: Canvas, x: float, y: float, height: float, leaves: Ink, trunk: Ink, lean: float = 0.0
) -> None:
    """A palm standing on (x, y)."""
    tx, ty = x + lean, y - height
    c.line(
        ((x, y), (x + lean * 0.35, y - height * 0.5), (tx, ty)),
        height * 0.1,
        trunk,
        end=height * 0.06,
    )
    r = height * 0.42
    for dx, dy, drop in (
        (-1.0, -0.1, 0.5),
        (1.0, -0.1, 0.5),
        (-0.75, -0.5, 0.1),
        (0.75, -0.5, 0.1),
        (-0.55, 0.15, 0.75),
        (0.55, 0.15, 0.75),
        (0.0, -0.6, -0.5),
    ):
        c.line(
            ((tx, ty), (tx + dx * r * 0.6, ty + dy * r - r * 0.12), (tx + dx * r, ty + drop * r)),
            height * 0.1,
            leaves,
            end=height * 0.02,
        )


def crown(c: Canvas, x: float, y: float, r: float, colour: Ink) -> None:
    """A round tree crown with a lit upper left."""
    for dx, dy, s in (
        (0.0, 0.0, 1.0),
        (-0.62, 0.3, 0.66),
        (0.62, 0.3, 0.66),
        (-0.34, -0.42, 0.66),
        (0.36, -0.38, 0.62),
    ):
        c.disc(x + dx * r, y + dy * r, r * s, colour)
    c.disc(x - 0.34 * r, y - 0.4 * r, r * 0.42, lighter(colour, 14))
