"""The ornament around the picture: a rim of 12 units, and what hangs from it or sits in its
corners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter
from fairlead.phantom.scenery.marks import diamond, dome, poly

# Every layer has colours of its own and no dress: a motif shows or not whatever the palette does,
# and a layer can be kept for all seeds.
RIM = 12.0


def _rim(c: Canvas, colour: Ink, width: float = RIM, line: Ink | None = None) -> None:
    for x0, y0, x1, y1 in (
        (0, 0, 256, width),
        (0, 256 - width, 256, 256),
        (0, 0, width, 256),
        (256 - width, 0, 256, 256),
    ):
        c.bar(x0, y0, x1, y1, colour)
    if line is not None:
        for x0, y0, x1, y1 in (
            (width - 2.5, width - 2.5, 258.5 - width, width),
            (width - 2.5, 256 - width, 258.5 - width, 258.5 - width),
        ):
            c.bar(x0, y0, x1, y1, line)
        for x0 in (width - 2.5, 256 - width):
            c.bar(x0, width - 2.5, x0 + 2.5, 258.5 - width, line)


def _corners(c: Canvas) -> Iterator[Canvas]:
    """The canvas seen from each corner, x and y pointing inwards.

    The lower ones are upside down, so draw what can be turned over.
    """
    a, b, d, e, f, g = c.frame
    for flip_x, flip_y in ((0, 0), (1, 0), (0, 1), (1, 1)):
        sx, sy = (-1 if flip_x else 1), (-1 if flip_y else 1)
        at = (
            a * sx,
            b * sy,
            d * sx,
            e * sy,
            f + (a * 256 if flip_x else 0),
            g + (e * 256 if flip_y else 0),
        )
        yield Canvas(c.solid, c.glaze, c.image, at)


def plain(c: Canvas) -> None:
    """A pale rim."""
    _rim(c, ink("efece5"), line=ink("d6d2c8"))


def british(c: Canvas) -> None:
    """Cream with a green line, roses in the corners."""
    _rim(c, ink("f3ead6"), line=ink("2f6152"))
    for k in _corners(c):
        for x, y in ((27.0, 9.0), (9.0, 27.0), (36.0, 8.0), (8.0, 36.0)):
            k.polygon(
                tuple((x + u * 6, y + v * 4) for u, v in ((-1, 0), (0, -1), (1, 0), (0, 1))),
                ink("4f8a5c"),
            )
        _round(k, 15, 15, 12, ink("b8434a"))
        _round(k, 15, 15, 7.5, ink("d97a78"))
        _round(k, 15, 15, 3.6, ink("a93640"))


def _round(k: Canvas, x: float, y: float, r: float, colour: Ink) -> None:
    # Not a disc: those expect y to run downwards, and two of the corners are upside down.
    k.polygon(tuple((x + r * u, y + r * v) for u, v in _CIRCLE), colour)


_CIRCLE = tuple(
    (u * sx, v * sy) if not swap else (v * sx, u * sy)
    for sx, sy, swap in ((1, 1, False), (-1, 1, True), (-1, -1, False), (1, -1, True))
    for u, v in ((1.0, 0.0), (0.924, 0.383), (0.707, 0.707), (0.383, 0.924))
)


def french(c: Canvas) -> None:
    """Pale blue with scrolls of wrought iron."""
    iron = ink("44506e")
    _rim(c, ink("dfe6f3"), line=iron)
    for k in _corners(c):
        k.line(
            ((12.0, 54.0), (16.0, 34.0), (28.0, 26.0), (34.0, 32.0), (29.0, 37.0), (25.0, 34.0)),
            2.8,
            iron,
        )
        k.line(
            ((54.0, 12.0), (34.0, 16.0), (26.0, 28.0), (32.0, 34.0), (37.0, 29.0), (34.0, 25.0)),
            2.8,
            iron,
        )
        k.line(((12.0, 12.0), (24.0, 24.0)), 3.0, iron)


def mexican(c: Canvas) -> None:
    """Banners of cut paper under the upper edge."""
    _rim(c, ink("fff1d8"), line=ink("e2447f"))
    for i, x in enumerate(range(14, 240, 38)):
        tone = ink(("e2447f", "1faea6", "f6b63a", "7b4fa3", "ef7a3a", "3f9f5f")[i])
        c.bar(x, 12, x + 36, 36, tone)
        for k in range(4):
            dome(c, x + 4.5 + k * 9, 36, 4.5, -7, tone)
        hole = ink("fff6e6")
        for dx in (6, 30):
            c.bar(x + dx - 1.6, 18, x + dx + 1.6, 34, hole, 1.6)
        diamond(c, x + 18, 26, 9, 8, hole)
        diamond(c, x + 18, 26, 4, 3.6, tone)
    c.bar(12, 11, 244, 14, ink("7a4a2c"))


def chinese(c: Canvas) -> None:
    """A red rim with lattice in the corners."""
    red = ink("b8302a")
    _rim(c, red, line=ink("efc25a"))
    for k in tuple(_corners(c))[:2]:
        for points in (
            ((12, 56), (22, 56), (22, 22), (56, 22), (56, 12)),
            ((12, 44), (34, 44), (34, 34), (44, 34), (44, 12)),
            ((12, 33), (33, 33), (33, 12)),
        ):
            k.bent(points, 3.2, red)


def japanese(c: Canvas) -> None:
    """A dark timber rim, joinery in the corners, a short indigo curtain."""
    timber, blue = ink("5a3d2e"), ink("35568f")
    _rim(c, timber, line=ink("7d5a44"))
    for x in range(14, 240, 46):
        c.bar(x, 12, x + 43, 36, blue, 1.5)
        c.bar(x, 12, x + 43, 16, darker(blue, 30))
        c.disc(x + 21.5, 26, 5.4, ink("f7f1e3"))
        c.disc(x + 21.5, 26, 2.6, blue)
    # Below only: the curtain hangs in the upper corners.
    for k in tuple(_corners(c))[2:]:
        for points in (((12, 40), (40, 12)), ((12, 26), (26, 12)), ((12, 12), (30, 30))):
            k.bent(points, 2.8, timber)


def arab(c: Canvas) -> None:
    """A pointed arch of tiles."""
    tile, sand = ink("138a8c"), ink("ecd3a0")
    _rim(c, sand, line=tile)
    for lift, tone in ((0, sand), (6, tile)):
        for k in (c, c.moved(256, 0, flip=True)):
            k.shape(
                (
                    f"M 10 10 L 10 {112 - lift} C 14 {66 - lift} 58 {34 - lift} 128 "
                    f"{18 - lift * 0.6} L 128 10"
                ),
                tone,
            )
    for x in (32, 224):
        diamond(c, x, 30, 10, 10, sand)
        diamond(c, x, 30, 5, 5, ink("2f5fa8"))
    for x in (58, 198):
        diamond(c, x, 21, 5, 5, ink("dca64a"))
    for x in (20, 236):
        diamond(c, x, 58, 4, 6, ink("dca64a"))


def indian(c: Canvas) -> None:
    """A garland of marigolds and leaves along the upper edge."""
    _rim(c, ink("fdeccb"), line=ink("a3254f"))
    for leaf in range(18, 244, 22):
        poly(c, ink("5f9a52"), leaf - 5, 14, leaf + 5, 14, leaf, 34)
    for swag in range(12, 244, 58):
        for i in range(9):
            t = i / 8
            x, y = swag + 58 * t, 14 + 22 * 4 * t * (1 - t)
            tone = ink("f2981f") if i % 2 else ink("f7bd3a")
            c.disc(x, y, 6.4, tone)
            c.disc(x, y, 2.6, darker(tone, 16))
    # Below only: the garland hangs in the upper corners.
    for k in tuple(_corners(c))[2:]:
        _round(k, 14, 14, 9, ink("a3254f"))
        _round(k, 14, 14, 4, ink("f7bd3a"))


def yoruba(c: Canvas) -> None:
    """Strips of hand-woven cloth down both sides."""
    wine, gold, blue, pale = (ink(x) for x in ("7e2444", "dba83f", "2a3a82", "efe0c4"))
    _rim(c, wine)
    for x, way in ((0.0, 1.0), (256.0, -1.0)):
        for x0, x1, tone in (
            (0, 8, wine),
            (8, 11, gold),
            (11, 17, blue),
            (17, 19, pale),
            (19, 24, wine),
        ):
            c.bar(x + way * x0, 0, x + way * x1, 256, tone)
        for y in range(10, 256, 24):
            diamond(c, x + way * 14, y, 3.6, 6.0, gold)
            c.bar(
                x + way * 1.5,
                y + 9,
                x + way * 6,
                y + 13,
                pale,
            )
    for y in (0, 246):
        for x in range(30, 240, 16):
            poly(c, gold, x, y + 8.5, x + 5, y + 1.5, x + 10, y + 8.5)


def thai(c: Canvas) -> None:
    """A teak rim with gilded leaves in the corners."""
    gold, teak = ink("ecc255"), ink("7a3b22")
    _rim(c, teak, line=gold)
    for k in _corners(c):
        k.blob(
            (
                (12.0, 12.0),
                (30.0, 14.0),
                (52.0, 12.0),
                (40.0, 22.0),
                (34.0, 34.0),
                (22.0, 40.0),
                (12.0, 52.0),
                (14.0, 30.0),
            ),
            gold,
        )
        k.blob(
            ((15.0, 15.0), (26.0, 17.0), (31.0, 24.0), (24.0, 31.0), (17.0, 26.0)), ink("14805f")
        )
        for points in (
            ((34.0, 20.0), (46.0, 24.0), (58.0, 18.0)),
            ((20.0, 34.0), (24.0, 46.0), (18.0, 58.0)),
        ):
            k.line(points, 6, gold, end=1)


def swahili(c: Canvas) -> None:
    """A carved door frame: a chain of lozenges and brass studs on dark wood."""
    wood, brass = ink("5a3826"), ink("e2b14a")
    _rim(c, wood, 16, line=ink("8a5f42"))
    pale = lighter(wood, 26)
    for i, t in enumerate(range(8, 256, 16)):
        for x, y in ((t, 7.0), (t, 249.0), (7.0, t), (249.0, t)):
            if i % 2:
                c.disc(x, y, 3.0, brass)
            else:
                diamond(c, x, y, 6, 6, pale)
                diamond(c, x, y, 2.8, 2.8, wood)
    for k in _corners(c):
        _round(k, 16, 16, 13, wood)
        _round(k, 16, 16, 9.5, pale)
        _round(k, 16, 16, 6, wood)
        _round(k, 16, 16, 3, brass)


FRAMES: Mapping[str, Callable[[Canvas], None]] = {
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
