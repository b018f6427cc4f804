"""Places outdoors, and those that are half outdoors, behind the sitter."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlead.phantom.drawing import rooms, shops
from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.palette import (
    AMBER,
    LEAF,
    RED,
    STEEL,
    SUN,
    WHITE,
    Room,
    darker,
    ink,
    lighter,
    mix,
)
from fairlead.phantom.drawing.rooms import far, papered


def _cloud(c: Canvas, x: float, y: float, r: float = 11.0) -> None:
    for dx, dy, k in ((-1.4, 0.3, 0.8), (0.0, -0.2, 1.15), (1.4, 0.3, 0.85)):
        c.disc(x + dx * r, y + dy * r, r * k, WHITE, 215)
    c.bar(x - 1.9 * r, y + 0.3 * r, x + 1.9 * r, y + 1.1 * r, WHITE, radius=r * 0.4, alpha=215)


def _sky(c: Canvas, r: Room, horizon: float = 256.0) -> None:
    c.fade(mix(ink("8fc3e6"), r.wall, 22), mix(ink("dfeff2"), r.pale, 35), 0, horizon)


def plain(c: Canvas, r: Room) -> None:
    """A plain backdrop with a soft disc of light."""
    c.fade(r.pale, r.wall, 0, 256)
    c.disc(128, 132, 112, r.pale, 90)
    c.disc(128, 132, 88, r.pale, 60)


def stars(c: Canvas, r: Room) -> None:
    """Space: stars, a planet with a ring, a curve of Earth."""
    c.fade(mix(ink("1d2547"), r.wall, 8), mix(ink("4d4a80"), r.wall, 14), 0, 256)
    # Steps in whole numbers instead of random ones: every sky has the same stars.
    for i in range(26):
        x, y = (i * 97 + 31) % 251 + 3, (i * 61 + 17) % 190 + 4
        c.disc(x, y, 1.3 + i % 3 * 0.7, ink("fdf6dc"), 210)
    c.disc(218, 52, 23, far(AMBER, r, 14))
    c.disc(212, 46, 15, far(ink("f7c684"), r, 14), 120)
    c.line(((182.0, 62.0), (216.0, 60.0), (254.0, 40.0)), 4.4, ink("f3e2c4"), end=2.0)
    c.disc(30, 80, 13, ink("d8d6e2"))
    c.disc(26, 76, 3, ink("b6b3c6"))
    c.disc(34, 84, 4, ink("b6b3c6"))
    c.disc(128, 330, 150, ink("4f8fc8"), tall=140)
    c.disc(128, 334, 150, ink("76b0d8"), tall=140)


def building_site(c: Canvas, r: Room) -> None:
    """A wall being built, scaffolding, a crane."""
    _sky(c, r)
    frame = far(ink("f0a030"), r, 10)
    c.line(((214.0, 256.0), (214.0, 22.0)), 8.0, frame)
    c.line(((150.0, 30.0), (256.0, 30.0)), 7.0, frame)
    for i in range(7):
        c.bent(
            ((210.0, 52.0 + i * 30), (218.0, 66.0 + i * 30), (210.0, 80.0 + i * 30)),
            2.0,
            darker(frame, 24),
        )
    c.line(((168.0, 32.0), (168.0, 66.0)), 2.0, ink("4a4250"))
    c.bar(156, 66, 180, 78, far(ink("9a6238"), r, 12))
    brick = far(ink("c4694c"), r, 14)
    for row in range(13):
        y = 92.0 + row * 13
        for j in range(4 if row > 2 else 3 - row % 2):
            x = j * 26 - (row % 2) * 13 - 6
            c.bar(x, y, x + 24, y + 11, lighter(brick, 14) if (row + j) % 3 else brick, radius=1)
    for y in (118.0, 190.0):
        c.bar(0, y, 96, y + 6, far(ink("d9b27c"), r, 10))
    c.line(((88.0, 70.0), (88.0, 256.0)), 4.4, far(STEEL, r, 10))


def bridge(c: Canvas, r: Room) -> None:
    """A suspension bridge over water."""
    _sky(c, r, 170)
    c.fade(mix(ink("7fb3c8"), r.wall, 24), mix(ink("5f96b4"), r.wall, 24), 170, 256)
    _cloud(c, 108, 22, 9)
    steel = far(ink("c25a44"), r, 12)
    for x in (44.0, 212.0):
        c.bar(x - 10, 20, x - 3, 196, steel)
        c.bar(x + 3, 20, x + 10, 196, steel)
        for rung in (36, 78, 120):
            c.bar(x - 10, rung, x + 10, rung + 7, steel)
    c.line(((44.0, 22.0), (84.0, 92.0), (128.0, 116.0), (172.0, 92.0), (212.0, 22.0)), 4.0, steel)
    c.line(((44.0, 22.0), (14.0, 80.0), (-10.0, 112.0)), 4.0, steel)
    c.line(((212.0, 22.0), (242.0, 80.0), (266.0, 112.0)), 4.0, steel)
    for x, y in (
        (14.0, 80.0),
        (29.0, 52.0),
        (64.0, 62.0),
        (84.0, 92.0),
        (172.0, 92.0),
        (192.0, 62.0),
        (227.0, 52.0),
        (242.0, 80.0),
    ):
        c.line(((x, y), (x, 152.0)), 1.8, steel)
    c.bar(0, 148, 256, 160, darker(steel, 12))
    for x, y in ((18.0, 186.0), (70.0, 206.0), (190.0, 190.0), (230.0, 214.0)):
        c.line(((x - 14, y), (x + 14, y)), 3.0, WHITE, 120)


def field(c: Canvas, r: Room) -> None:
    """Hills, rows of crops, a barn, the sun."""
    _sky(c, r, 170)
    c.glow(212, 46, 40, SUN, 22)
    c.disc(212, 46, 20, ink("fbd86a"))
    _cloud(c, 62, 34)
    c.disc(40, 196, 100, far(ink("9fc07a"), r, 16), tall=62)
    c.disc(214, 204, 110, far(ink("86b06a"), r, 16), tall=66)
    c.bar(6, 102, 62, 152, far(ink("b8493f"), r, 10))
    c.polygon(((0.0, 104.0), (34.0, 74.0), (68.0, 104.0)), far(ink("7d3a34"), r, 10))
    c.bar(24, 122, 44, 152, far(WHITE, r, 10))
    c.bent(
        ((24.0, 122.0), (44.0, 152.0), (44.0, 122.0), (24.0, 152.0)), 2.2, far(ink("b8493f"), r, 10)
    )
    c.fade(far(ink("c9b458"), r, 14), far(ink("b09a44"), r, 14), 152, 256)
    for i in range(9):
        x = i * 34 - 8
        c.line(
            ((128 + (x - 128) * 0.6, 152.0), (x, 256.0)),
            4.0,
            far(ink("8f8a3a"), r, 14),
            end=9.0,
        )


def fire_station(c: Canvas, r: Room) -> None:
    """The front of a fire engine in its bay."""
    papered(c, r)
    c.bar(0, 0, 256, 22, far(ink("8c4a42"), r, 16))
    red = far(ink("d1453b"), r, 6)
    c.bar(4, 54, 252, 232, red, radius=12)
    c.bar(14, 70, 242, 138, far(ink("a9cfe0"), r, 8), radius=6)
    c.shape("M 24 138 L 66 70 L 88 70 L 46 138", WHITE, 110)
    c.bar(124, 70, 132, 138, red)
    c.bar(4, 146, 252, 158, ink("f3efe2"))
    for x in (34.0, 222.0):
        c.disc(x, 186, 16, ink("f7e9b0"))
        c.disc(x, 186, 10, WHITE)
    for x in (40.0, 196.0):
        c.disc(x + 10, 46, 26, ink("6fa8f0"), 70)
        c.bar(x, 40, x + 22, 56, ink("4f83e0"), radius=6)
    c.bar(70, 48, 186, 56, ink("d9dde2"), radius=3)


def greenhouse(c: Canvas, r: Room) -> None:
    """Panes of glass and leaves."""
    _sky(c, r)
    bars = far(WHITE, r, 8)
    for x in (0.0, 62.0, 124.0, 186.0, 248.0):
        c.bar(x, 0, x + 6, 256, bars)
    for y in (44.0, 120.0):
        c.bar(0, y, 256, y + 6, bars)
    c.line(((0.0, 46.0), (128.0, 4.0), (256.0, 46.0)), 6.0, bars)
    for i, x in enumerate((6.0, 38.0, 70.0, 184.0, 218.0, 250.0)):
        leaf = far((LEAF, ink("7fae5f"), ink("4d8560"))[i % 3], r, 12)
        base = 196.0
        for dx, dy in ((-18, -44), (0, -66), (18, -46), (-9, -58), (10, -60)):
            c.line(
                ((x, base), (x + dx * 0.6, base + dy * 0.6), (x + dx, base + dy)),
                9.0,
                leaf,
                end=3.0,
            )
        if i % 2:
            c.disc(x - 7, base - 50, 6, far(RED, r, 8))
            c.disc(x + 10, base - 36, 6, far(RED, r, 8))
        c.shape(
            f"M {x - 18} {base - 4} L {x + 18} {base - 4} L {x + 13} 236 L {x - 13} 236",
            far(ink("c27a52"), r, 12),
        )


def mine(c: Canvas, r: Room) -> None:
    """A gallery with timber frames, ore and a lamp."""
    c.fade(mix(ink("6b5a54"), r.wall, 16), mix(ink("4a3f42"), r.wall, 16), 0, 256)
    c.moved(128, 0).twin("M 0 34 C 58 34 88 84 90 256 L 0 256", mix(ink("392f36"), r.wall, 10))
    c.glow(128, 104, 92, ink("f4c878"), 15)
    wood = mix(ink("a5774a"), r.wall, 14)
    c.bar(20, 14, 236, 34, wood)
    c.bar(20, 28, 236, 34, darker(wood, 24))
    for x in (30.0, 206.0):
        c.bar(x, 30, x + 22, 256, wood)
        c.bar(x + 14, 34, x + 22, 256, darker(wood, 20))
    for i, (x, y) in enumerate(
        ((10.0, 76.0), (16.0, 140.0), (244.0, 92.0), (240.0, 160.0), (8.0, 196.0))
    ):
        gem = (ink("7fd0d8"), ink("f0c45a"), ink("c79be0"))[i % 3]
        c.polygon(
            (
                (x, y - 12.0),
                (x + 9.0, y - 2.0),
                (x + 4.0, y + 11.0),
                (x - 6.0, y + 10.0),
                (x - 9.0, y - 3.0),
            ),
            gem,
        )
        c.polygon(
            ((x, y - 12.0), (x + 1.0, y + 2.0), (x - 6.0, y + 10.0), (x - 9.0, y - 3.0)),
            lighter(gem, 40),
        )
    c.line(((64.0, 34.0), (64.0, 56.0)), 2.4, ink("2f2a3a"))
    c.disc(64, 66, 18, ink("ffe9a6"), 90)
    c.bar(56, 56, 72, 78, ink("ffe9a6"), radius=4)


def cockpit(c: Canvas, r: Room) -> None:
    """Sky through the windows of a cockpit, dials above and beside."""
    _sky(c, r)
    _cloud(c, 52, 92)
    _cloud(c, 206, 76, 13)
    _cloud(c, 226, 128, 9)
    c.disc(128, 300, 210, far(ink("9fc07a"), r, 20), tall=130)
    shell = mix(ink("565f74"), r.wall, 12)
    c.shape("M 0 0 L 256 0 L 256 40 L 0 40", shell)
    for x in (-8.0, 120.0, 248.0):
        c.shape(
            (
                f"M {x} 36 L {x + 16} 36 L {x + 16 + (128 - x) * -0.12} 200 L "
                f"{x + (128 - x) * -0.12} 200"
            ),
            shell,
        )
    c.shape("M 0 168 L 84 186 L 172 186 L 256 168 L 256 256 L 0 256", darker(shell, 18))
    for x, y in (
        (18.0, 200.0),
        (50.0, 206.0),
        (206.0, 206.0),
        (238.0, 200.0),
        (28.0, 20.0),
        (60.0, 20.0),
        (196.0, 20.0),
        (228.0, 20.0),
    ):
        c.disc(x, y, 12, ink("1f2433"))
        c.disc(x, y, 9.4, ink("dfe7e2"))
        c.line(((x, y), (x + 5.0, y - 5.0)), 2.2, RED)
    for i, colour in enumerate((RED, SUN, LEAF, AMBER)):
        c.bar(86 + i * 23, 14, 98 + i * 23, 26, colour, radius=2)


def street(c: Canvas, r: Room) -> None:
    """Houses, a street lamp, a patrol car's lights."""
    _sky(c, r)
    for x0, x1, top, hexed in (
        (-4, 46, 62, "b78f86"),
        (44, 92, 28, "8f9fb8"),
        (164, 208, 44, "b9a582"),
        (206, 262, 76, "9a8fa8"),
    ):
        tone = far(ink(hexed), r, 16)
        c.bar(x0, top, x1, 256, tone)
        c.bar(x0, top, x1, top + 6, darker(tone, 16))
        for i in range(5):
            for j in range(2):
                x = x0 + 9.0 + j * 20
                c.bar(
                    x,
                    top + 16 + i * 30,
                    x + 12,
                    top + 34 + i * 30,
                    ink("fbe6a2") if (i + j + x0) % 3 == 0 else far(ink("dcebf0"), r, 14),
                    radius=1,
                )
    c.bar(0, 172, 256, 256, far(ink("6f7686"), r, 14))
    c.bar(2, 178, 86, 222, far(ink("34508c"), r, 8), radius=9)
    c.bar(2, 194, 86, 206, WHITE)
    c.shape("M 12 180 L 26 156 L 66 156 L 80 180", far(ink("a9cfe0"), r, 10))
    for x, colour in ((34.0, ink("e0483f")), (52.0, ink("4f83e0"))):
        c.disc(x + 5, 150, 17, colour, 80)
        c.bar(x, 146, x + 12, 156, colour, radius=3)
    c.line(((236.0, 256.0), (236.0, 60.0), (216.0, 46.0)), 5.0, ink("4a4f5e"))
    c.disc(212, 52, 9, ink("fff0b8"))


def sea(c: Canvas, r: Room) -> None:
    """The sea, a sail, a lighthouse, gulls."""
    _sky(c, r, 132)
    c.fade(mix(ink("5fa3c4"), r.wall, 16), mix(ink("33749c"), r.wall, 12), 132, 256)
    _cloud(c, 70, 30)
    c.shape("M 196 134 L 202 50 L 226 50 L 232 134", ink("f6f1e6"))
    for y in (66.0, 96.0):
        c.shape(
            f"M {201 - (y - 50) * 0.07} {y} L {227 + (y - 50) * 0.07} {y} "
            f"L {228 + (y - 50) * 0.07} {y + 15} L {200 - (y - 50) * 0.07} {y + 15}",
            RED,
        )
    c.bar(202, 36, 226, 51, ink("fff0b8"))
    c.shape("M 198 37 L 214 22 L 230 37", RED)
    c.disc(214, 150, 46, far(ink("7d6a58"), r, 10), tall=18)
    c.shape("M 34 116 L 34 60 L 70 116", WHITE)
    c.shape("M 30 116 L 30 70 L 8 116", ink("f3dcc0"))
    c.shape("M 4 122 L 74 122 L 62 142 L 16 142", far(ink("9a5238"), r, 8))
    for x, y in ((104.0, 20.0), (150.0, 36.0), (170.0, 20.0)):
        c.line(
            ((x - 10, y), (x - 4, y - 5.0), (x, y + 1.0), (x + 4, y - 5.0), (x + 10, y)),
            2.2,
            ink("4a5468"),
        )
    for i in range(5):
        for j in range(4):
            x, y = j * 70 + (i % 2) * 34 - 6, 152 + i * 22
            c.line(
                ((x, y), (x + 9.0, y - 4.0), (x + 20.0, y), (x + 30.0, y - 4.0)), 2.8, WHITE, 110
            )


BACKGROUNDS: Mapping[str, Callable[[Canvas, Room], None]] = {
    "studio": rooms.studio,
    "stars": stars,
    "bakery": shops.bakery,
    "building site": building_site,
    "butchery": shops.butchery,
    "workshop": rooms.workshop,
    "laboratory": rooms.laboratory,
    "kitchen": shops.kitchen,
    "clinic": rooms.clinic,
    "fuse board": rooms.fuse_board,
    "bridge": bridge,
    "field": field,
    "fire station": fire_station,
    "flower shop": shops.flower_shop,
    "greenhouse": greenhouse,
    "salon": shops.salon,
    "courtroom": rooms.courtroom,
    "bookshelves": rooms.bookshelves,
    "garage": rooms.garage,
    "mine": mine,
    "pharmacy": shops.pharmacy,
    "cockpit": cockpit,
    "street": street,
    "screens": rooms.screens,
    "sea": sea,
    "chalkboard": rooms.chalkboard,
    "restaurant": shops.restaurant,
    "": plain,
}
"""What can be seen behind the sitter; without a visible cue it is a plain backdrop."""
