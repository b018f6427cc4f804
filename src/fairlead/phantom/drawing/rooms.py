"""Rooms behind the sitter, in quiet colours.

The sitter fills the middle, so what shows the place is on the left, on the right and above.
"""

from __future__ import annotations

from itertools import pairwise

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.curves import ellipse
from fairlead.phantom.drawing.palette import (
    AMBER,
    BLUE,
    LEAF,
    OAK,
    RED,
    STEEL,
    SUN,
    WHITE,
    WOOD,
    Room,
    darker,
    ink,
    lighter,
    mix,
)


def far(colour: Ink, room: Room, percent: int = 34) -> Ink:
    """A colour seen at a distance: it takes on some of the wall."""
    return mix(colour, room.wall, percent)


def papered(c: Canvas, r: Room) -> None:
    """A plain wall."""
    c.fade(r.pale, r.wall, 0, 256)


def shelf(c: Canvas, r: Room, y: float) -> None:
    """A shelf from side to side."""
    c.bar(0, y, 256, y + 6, far(WOOD, r, 26))
    c.bar(0, y + 6, 256, y + 8.5, r.deep, alpha=150)


def studio(c: Canvas, r: Room) -> None:
    """An easel, a window, a picture on the wall."""
    papered(c, r)
    c.bar(176, 20, 246, 128, far(OAK, r))
    c.fade_box(181, 25, 241, 123, far(ink("bfe0ee"), r, 20), far(ink("eaf3ec"), r, 20))
    c.bar(209, 25, 213, 123, far(OAK, r))
    c.bar(181, 70, 241, 74, far(OAK, r))
    for x in (22.0, 68.0):
        c.line(((45.0 + (x - 45) * 0.2, 30.0), (x, 256.0)), 6.0, far(OAK, r, 20))
    c.bar(8, 48, 82, 142, far(WHITE, r, 6))
    c.shape("M 8 142 L 8 112 C 24 92 40 96 54 110 C 64 118 74 112 82 106 L 82 142", far(LEAF, r))
    c.disc(60, 74, 11, far(AMBER, r, 20))
    c.bar(8, 128, 82, 142, far(BLUE, r))
    c.bar(4, 142, 86, 148, far(OAK, r, 20))


def workshop(c: Canvas, r: Room) -> None:
    """A board of tools and a stack of planks."""
    papered(c, r)
    c.bar(6, 20, 84, 146, far(ink("caa274"), r, 22))
    c.bar(172, 20, 250, 146, far(ink("caa274"), r, 22))
    metal, wood = far(ink("6c7788"), r, 10), far(OAK, r, 10)
    for x in (26.0, 192.0):
        c.line(((x, 60.0), (x, 96.0)), 7.0, wood)
        c.bar(x - 16, 44, x + 16, 58, metal, radius=3)
    c.shape("M 46 38 L 76 38 L 70 116 L 60 116", metal)
    c.bar(52, 112, 76, 132, wood, radius=6)
    c.line(((232.0, 40.0), (232.0, 84.0)), 5.0, metal)
    c.line(((232.0, 84.0), (232.0, 120.0)), 11.0, far(RED, r, 14))
    for i in range(4):
        c.bar(
            0,
            170 + i * 22,
            256,
            188 + i * 22,
            far((WOOD, lighter(WOOD, 20))[i % 2], r, 26),
            radius=3,
        )


def laboratory(c: Canvas, r: Room) -> None:
    """Glassware on shelves and a molecule on the wall."""
    papered(c, r)
    liquids = (ink("4fb08c"), ink("d9629a"), ink("5a9bd6"), ink("e8a33d"))
    for row, y in enumerate((76.0, 146.0)):
        for i, x in enumerate((20.0, 58.0, 196.0, 234.0)):
            colour = far(liquids[(i + row) % 4], r, 18)
            glass = far(ink("f0f7f8"), r, 18)
            if (i + row) % 2:
                c.shape(
                    (
                        f"M {x - 5} {y - 44} L {x + 5} {y - 44} L {x + 5} {y - 28} L {x + 17} "
                        f"{y} L {x - 17} {y} L {x - 5} {y - 28}"
                    ),
                    glass,
                )
                c.shape(
                    f"M {x - 9} {y - 18} L {x + 9} {y - 18} L {x + 17} {y} L {x - 17} {y}", colour
                )
            else:
                c.bar(x - 11, y - 38, x + 11, y, glass, radius=3)
                c.bar(x - 11, y - 22, x + 11, y, colour, radius=3)
        shelf(c, r, y)
    dots = ((92.0, 30.0), (116.0, 18.0), (140.0, 30.0), (164.0, 18.0))
    for first, second in pairwise(dots):
        c.line((first, second), 3.4, r.deep)
    for i, (x, y) in enumerate(dots):
        c.disc(x, y, 8, far(liquids[i], r, 24))


def clinic(c: Canvas, r: Room) -> None:
    """A cross, a monitor, a curtain."""
    papered(c, r)
    c.bar(0, 14, 256, 18, far(STEEL, r, 10))
    for i in range(5):
        c.bar(
            172 + i * 18,
            18,
            190 + i * 18,
            256,
            far(ink("8fc4c4") if i % 2 else ink("a9d6d4"), r, 24),
        )
    c.bar(10, 34, 86, 96, far(ink("dfe6ea"), r, 10), radius=6)
    c.bar(16, 40, 80, 88, ink("2f3f4c"), radius=3)
    c.bent(
        ((18.0, 66.0), (32.0, 66.0), (38.0, 50.0), (46.0, 80.0), (52.0, 66.0), (78.0, 66.0)),
        3.2,
        ink("7fe0a8"),
    )
    c.bar(44, 96, 52, 120, far(STEEL, r, 14))
    c.disc(214, 66, 27, WHITE)
    c.bar(206, 46, 222, 86, RED, radius=2)
    c.bar(194, 58, 234, 74, RED, radius=2)
    c.bar(0, 178, 172, 184, far(ink("7fb0b4"), r, 20))


def fuse_board(c: Canvas, r: Room) -> None:
    """A cabinet of switches, cables, a sign."""
    papered(c, r)
    steel = far(ink("aab4c0"), r, 14)
    c.bar(4, 22, 84, 170, darker(steel, 20), radius=5)
    c.bar(9, 27, 79, 165, steel, radius=4)
    for i in range(4):
        for j in range(4):
            c.bar(15 + j * 16, 36 + i * 32, 27 + j * 16, 60 + i * 32, ink("39404e"), radius=2)
            c.bar(
                18 + j * 16,
                (40 if (i + j) % 3 else 48) + i * 32,
                24 + j * 16,
                (48 if (i + j) % 3 else 56) + i * 32,
                far((RED, LEAF, SUN)[(i * 2 + j) % 3], r, 8),
            )
    for i, colour in enumerate((RED, BLUE, LEAF)):
        c.line(
            ((22.0 + i * 20, 170.0), (18.0 + i * 22, 210.0), (34.0 + i * 18, 256.0)),
            5.4,
            far(colour, r, 16),
        )
    c.polygon(((214.0, 24.0), (252.0, 92.0), (176.0, 92.0)), ink("3a3440"))
    c.polygon(((214.0, 33.0), (245.0, 88.0), (183.0, 88.0)), ink("f4c640"))
    c.polygon(
        ((220.0, 44.0), (204.0, 68.0), (214.0, 68.0), (208.0, 84.0), (226.0, 62.0), (216.0, 62.0)),
        ink("3a3440"),
    )


def courtroom(c: Canvas, r: Room) -> None:
    """Columns, panels and the scales."""
    c.fade(far(ink("b98a5c"), r, 40), far(ink("94643f"), r, 36), 0, 256)
    for x in (8.0, 208.0):
        c.bar(x - 4, 18, x + 44, 30, far(ink("efe3cc"), r, 10))
        c.bar(x, 30, x + 40, 256, far(ink("e6d8bd"), r, 12))
        for d in (8, 18, 28):
            c.bar(x + d, 32, x + d + 4, 256, far(ink("c9b694"), r, 12))
    c.bar(0, 0, 256, 18, far(ink("7d5234"), r, 20))
    gold = ink("e8c46a")
    for x in (74.0, 182.0):
        c.line(((x, 42.0), (x, 112.0)), 4.4, gold)
        c.line(((x - 20.0, 54.0), (x, 46.0), (x + 20.0, 54.0)), 4.0, gold)
        for s in (-1, 1):
            c.bent(((x + s * 20 - 9, 80.0), (x + s * 20, 54.0), (x + s * 20 + 9, 80.0)), 1.8, gold)
            c.shape(
                (
                    f"M {x + s * 20 - 12} 80 L {x + s * 20 + 12} 80 Q {x + s * 20} 94 "
                    f"{x + s * 20 - 12} 80"
                ),
                gold,
            )
        c.bar(x - 12, 110, x + 12, 117, gold, radius=3)


def bookshelves(c: Canvas, r: Room) -> None:
    """Shelves of books."""
    c.fade(far(ink("a87a52"), r, 26), far(ink("8a5f3e"), r, 26), 0, 256)
    spines = (RED, BLUE, LEAF, AMBER, ink("7a5a94"), ink("e9dcc0"), ink("3d8580"))
    for row in range(4):
        y = 58 + row * 64
        x, i = 2.0, row * 3
        while x < 252:
            # Widths and heights by whole-number steps: every picture has the same books.
            wide, tall = 11 + (i * 5) % 9, 38 + (i * 7) % 14
            tone = far(spines[(i * 3 + row) % 7], r, 24)
            c.bar(x, y - tall, x + wide - 1.5, y, tone)
            c.bar(x, y - tall + 7, x + wide - 1.5, y - tall + 11, lighter(tone, 38))
            x, i = x + wide, i + 1
        c.bar(0, y, 256, y + 7, far(ink("6f4a30"), r, 18))


def garage(c: Canvas, r: Room) -> None:
    """A rolling door, tyres, a tool chest."""
    papered(c, r)
    steel = far(ink("9aa7b5"), r, 22)
    for i in range(7):
        c.bar(0, i * 22, 256, i * 22 + 20, lighter(steel, 16) if i % 2 else steel)
    c.bar(0, 154, 256, 160, far(ink("f0c040"), r, 14))
    for y in (86.0, 122.0, 158.0):
        c.bar(4, y, 80, y + 34, ink("33363f"), radius=15)
        for i in range(5):
            c.bar(14 + i * 13, y + 5, 20 + i * 13, y + 29, ink("4b4f5b"), radius=2)
    c.bar(178, 84, 256, 200, far(RED, r, 14), radius=4)
    for i in range(4):
        c.bar(184, 92 + i * 26, 256, 112 + i * 26, far(lighter(RED, 18), r, 14), radius=3)
        c.bar(204, 99 + i * 26, 238, 104 + i * 26, far(STEEL, r, 6), radius=2)


def screens(c: Canvas, r: Room) -> None:
    """A dim room with glowing screens."""
    c.fade(mix(ink("2c3350"), r.wall, 12), mix(ink("454a70"), r.wall, 18), 0, 256)
    inks = (ink("6fc3b2"), ink("f0b24a"), ink("e0857a"), ink("8fb2e6"))
    for x0, y0, x1, y1 in (
        (4, 30, 88, 104),
        (168, 30, 252, 104),
        (4, 116, 88, 190),
        (168, 116, 252, 190),
    ):
        c.bar(x0, y0, x1, y1, ink("171b2b"), radius=5)
        c.bar(x0 + 4, y0 + 4, x1 - 4, y1 - 4, ink("222a42"), radius=3)
        for i in range(6):
            x = x0 + 10 + (i * 7 + y0) % 3 * 9
            c.line(
                ((x, y0 + 13.0 + i * 9.4), (x + 18.0 + (i * 11 + x0) % 27, y0 + 13.0 + i * 9.4)),
                4.2,
                inks[(i + x0) % 4],
            )
    c.glow(128, 110, 104, ink("9fc0ea"), 18)


def chalkboard(c: Canvas, r: Room) -> None:
    """A board with chalk drawings."""
    papered(c, r)
    c.bar(4, 12, 252, 168, far(OAK, r, 12), radius=3)
    c.bar(11, 19, 245, 161, mix(ink("3f6355"), r.wall, 8))
    chalk = ink("eef2e6")
    c.bent(((24.0, 64.0), (36.0, 32.0), (48.0, 64.0)), 3.4, chalk)
    c.bent(((29.0, 54.0), (43.0, 54.0)), 3.4, chalk)
    c.bent(
        (
            (60.0, 32.0),
            (60.0, 64.0),
            (72.0, 62.0),
            (74.0, 54.0),
            (62.0, 48.0),
            (72.0, 42.0),
            (70.0, 33.0),
            (60.0, 32.0),
        ),
        3.2,
        chalk,
    )
    c.bent(((24.0, 90.0), (40.0, 90.0)), 3.2, chalk)
    c.bent(((32.0, 82.0), (32.0, 98.0)), 3.2, chalk)
    for y in (86.0, 95.0):
        c.bent(((52.0, y), (68.0, y)), 3.2, chalk)
    c.bent(((184.0, 74.0), (206.0, 34.0), (228.0, 74.0), (184.0, 74.0)), 3.4, ink("f4d98a"))
    c.loop(ellipse(206, 106, 15, 15), 3.2, ink("f2b8a8"))
    c.line(((24.0, 124.0), (36.0, 116.0), (48.0, 126.0), (60.0, 116.0)), 3.2, ink("a8d0e6"))
    c.bar(20, 161, 236, 167, far(WOOD, r, 10))
    c.bar(30, 157, 44, 161.5, WHITE, radius=2)
    c.bar(206, 157, 218, 161.5, ink("f4d98a"), radius=2)
