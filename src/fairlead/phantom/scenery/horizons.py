"""Landscapes behind the thing: a ridge, the ground, and the plants of a culture.

The horizon is at y = 152; plants stand on the right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter, mix
from fairlead.phantom.scenery.colours import far
from fairlead.phantom.scenery.marks import crown, palm, poly

LEVEL = 152.0
_TRUNK = ink("8a6547")


def _ground(c: Canvas, colour: Ink) -> None:
    # Down to 270: where the horizon is high the whole layer is laid six units higher.
    c.bar(0, LEVEL, 256, 270, colour)
    c.bar(0, LEVEL, 256, LEVEL + 5, lighter(colour, 30))


def _hills(c: Canvas, back: Ink, front: Ink) -> None:
    c.shape(
        f"M 0 {LEVEL} L 0 128 C 40 108 80 112 120 130 C 160 112 210 104 256 124 L 256 {LEVEL}", back
    )
    c.shape(
        (
            f"M 0 {LEVEL} L 0 146 C 50 130 100 134 150 146 C 190 138 230 136 256 142 L 256 "
            f"{LEVEL + 6} L 0 {LEVEL + 6}"
        ),
        front,
    )


def plain(c: Canvas) -> None:
    """Soft hills of nowhere."""
    _hills(c, ink("c9d3cd"), ink("bcc8bd"))
    _ground(c, ink("b7c2ae"))
    crown(c, 216, 138, 14, ink("a7b5a0"))
    c.bar(213, 144, 219, 162, ink("a39b8c"))


def british(c: Canvas) -> None:
    """Rolling fields between hedges."""
    _hills(c, far(ink("9cc07a"), 45), far(ink("86b366"), 25))
    _ground(c, ink("8dba62"))
    for points in (
        ((0, 172), (70, 164), (150, 168), (256, 158)),
        ((150, 168), (190, 186), (256, 196)),
        ((0, 196), (60, 190), (130, 200)),
    ):
        c.line(points, 5, ink("5c8f4c"))
    poly(c, ink("c9cf72"), 156, 170, 256, 161, 256, 190, 192, 184)
    for x, y, r in ((222, 132, 19), (188, 146, 11)):
        c.bar(x - 3, y + 4, x + 3, y + 30, _TRUNK)
        crown(c, x, y, r, ink("5f9a52"))


def french(c: Canvas) -> None:
    """Lavender in rows, and cypresses."""
    _hills(c, far(ink("a9b3d6"), 35), far(ink("a5bd8a"), 20))
    _ground(c, ink("bfc98a"))
    for i in range(-6, 15):
        poly(
            c,
            ink("9d86c8"),
            128 + (i - 4) * 9,
            LEVEL + 7,
            128 + (i - 4) * 9 + 4,
            LEVEL + 7,
            128 + (i - 4) * 38 + 20,
            230,
            128 + (i - 4) * 38,
            230,
        )
    for x, h in ((226.0, 92.0), (202.0, 66.0), (244.0, 58.0)):
        c.bar(x - 2.5, 166, x + 2.5, 174, _TRUNK)
        c.shape(
            f"M {x} {168 - h} C {x + 13} {168 - h * 0.5} {x + 12} 160 {x + 7} 170 "
            f"L {x - 7} 170 C {x - 12} 160 {x - 13} {168 - h * 0.5} {x} {168 - h}",
            ink("4f7d5c"),
        )


def mexican(c: Canvas) -> None:
    """Mesas, an agave and tall cactuses."""
    poly(
        c,
        far(ink("cf8258"), 30),
        0,
        LEVEL,
        0,
        122,
        18,
        112,
        70,
        112,
        84,
        134,
        128,
        138,
        146,
        118,
        152,
        100,
        212,
        100,
        222,
        126,
        256,
        132,
        256,
        LEVEL,
    )
    poly(c, far(ink("b96a48"), 18), 150, 108, 214, 108, 217, 118, 147, 118)
    _ground(c, ink("e3b673"))
    c.disc(60, 190, 60, ink("d9a65f"), tall=9)
    for x, y, height in ((222.0, 176.0, 74.0), (190.0, 168.0, 44.0)):
        _cactus(c, x, y, height)
    _agave(c)


def _cactus(c: Canvas, x: float, y: float, h: float) -> None:
    """A cactus with two arms, standing on (x, y)."""
    green = ink("3f9068")
    w = h * 0.17
    c.line(((x, y), (x, y - h)), w, green)
    c.bent(
        ((x, y - h * 0.35), (x + h * 0.26, y - h * 0.35), (x + h * 0.26, y - h * 0.68)),
        w * 0.75,
        green,
    )
    c.bent(
        ((x, y - h * 0.5), (x - h * 0.26, y - h * 0.5), (x - h * 0.26, y - h * 0.8)),
        w * 0.75,
        green,
    )
    c.line(((x - w * 0.18, y - 2), (x - w * 0.18, y - h + 2)), w * 0.16, lighter(green, 30))


def _agave(c: Canvas) -> None:
    """An agave at the right edge."""
    for dx in (-20, -11, 0, 11, 20):
        poly(
            c,
            ink("6fae93"),
            240 + dx * 0.25 - 4,
            194,
            240 + dx,
            164 + abs(dx) * 0.6,
            240 + dx * 0.25 + 4,
            194,
        )


def chinese(c: Canvas) -> None:
    """Karst peaks in mist, and bamboo."""
    for x, w, top, haze in (
        (40.0, 30.0, 66.0, 62),
        (92.0, 24.0, 92.0, 55),
        (238.0, 34.0, 62.0, 62),
        (188.0, 26.0, 84.0, 50),
        (140.0, 22.0, 104.0, 66),
    ):
        c.shape(
            f"M {x - w} {LEVEL} C {x - w * 0.9} {top + 40} {x - w * 0.5} {top} {x} {top} "
            f"C {x + w * 0.5} {top} {x + w * 0.9} {top + 40} {x + w} {LEVEL}",
            far(ink("5f9488"), haze),
        )
    c.bar(0, 140, 256, LEVEL, ink("d5e2dc"), 6)
    _ground(c, ink("a3c49a"))
    for x, y, top, lean in (
        (240.0, 196.0, 66.0, 2.0),
        (226.0, 198.0, 84.0, -4.0),
        (250.0, 196.0, 96.0, 4.0),
    ):
        stem = ink("5f9a55")
        c.line(((x, y), (x + lean, top)), 5, stem)
        for k in range(1, 5):
            t = k / 5
            px, py = x + lean * t, y + (top - y) * t
            c.bar(px - 3.5, py - 1, px + 3.5, py + 1, darker(stem, 22))
            side = -1 if k % 2 else 1
            c.line(
                ((px, py), (px + side * 9, py - 5), (px + side * 18, py + 2)),
                4.5,
                ink("78b062"),
                end=0.8,
            )


def japanese(c: Canvas) -> None:
    """A snow-capped mountain and a wind-shaped pine."""
    c.shape(
        (
            f"M 30 {LEVEL} C 76 {LEVEL - 10} 108 98 120 82 L 148 82 C 160 98 196 {LEVEL - 10} "
            f"246 {LEVEL}"
        ),
        far(ink("6f8fb8"), 35),
    )
    c.shape(
        (
            "M 120 82 L 148 82 C 153 90 158 97 164 104 L 154 110 L 147 102 L 138 113 L 130 "
            "103 L 121 111 L 105 103 C 112 96 116 89 120 82"
        ),
        ink("fbfbf6"),
    )
    c.shape(
        (
            f"M 0 {LEVEL} L 0 140 C 40 132 70 146 110 {LEVEL} C 160 {LEVEL} 210 138 256 142 L "
            f"256 {LEVEL}"
        ),
        far(ink("88ad92"), 22),
    )
    _ground(c, ink("b2cba0"))
    c.line(
        ((226.0, 196.0), (220.0, 166.0), (232.0, 140.0), (226.0, 112.0)), 8, ink("6b4c3c"), end=4
    )
    for x, y, w in ((208, 148, 24), (240, 130, 21), (226, 106, 24), (214, 126, 15)):
        c.disc(x, y, w, ink("3f7a62"), tall=w * 0.36)
        c.disc(x - w * 0.15, y - w * 0.12, w * 0.75, ink("5b957a"), tall=w * 0.18)


def arab(c: Canvas) -> None:
    """Dunes and date palms."""
    c.shape(
        (
            f"M 0 {LEVEL + 4} L 0 134 C 30 116 60 112 92 134 C 120 150 150 118 190 116 C 220 "
            f"116 240 130 256 138 L 256 {LEVEL + 4}"
        ),
        far(ink("e6bd7a"), 25),
    )
    _ground(c, ink("edcf95"))
    c.shape(
        "M 0 212 L 0 176 C 60 160 110 190 160 186 C 200 182 230 170 256 174 L 256 212",
        ink("e2bb78"),
    )
    c.shape("M 0 176 C 60 160 110 190 160 186 C 120 196 60 182 0 190", ink("f5dfae"))
    palm(c, 232, 196, 96, ink("4f8a58"), ink("93704c"), lean=-8)
    palm(c, 200, 182, 62, ink("5f9a62"), ink("9d7a55"), lean=5)


def indian(c: Canvas) -> None:
    """Mustard fields and a banyan with its hanging roots."""
    c.shape(
        f"M 0 {LEVEL} L 0 140 C 60 128 120 142 160 140 C 200 136 230 128 256 134 L 256 {LEVEL}",
        far(ink("a3b07c"), 40),
    )
    _ground(c, ink("e2c33f"))
    for y in (168, 184, 200):
        c.line(((0.0, y), (80.0, y - 5.0), (170.0, y + 1.0), (256.0, y - 4.0)), 3.4, ink("b3b34a"))
    for x in (186, 198, 212, 224, 238, 248):
        c.line(
            ((x, 124.0), (x + (4.0 if x < 215 else -3.0), 184.0)),
            8 if x in (212, 224) else 3,
            ink("8a664a"),
        )
    for x, y, r in ((190, 116, 20), (216, 104, 24), (244, 116, 22), (206, 122, 18)):
        crown(c, x, y, r, ink("5c8a45"))


def yoruba(c: Canvas) -> None:
    """Rounded granite hills, forest, and oil palms."""
    for x, w, top, haze in (
        (70.0, 60.0, 92.0, 48),
        (150.0, 44.0, 112.0, 40),
        (206.0, 50.0, 86.0, 52),
    ):
        c.shape(
            f"M {x - w} {LEVEL} C {x - w} {top + 18} {x - w * 0.6} {top} {x} {top} "
            f"C {x + w * 0.7} {top} {x + w} {top + 24} {x + w} {LEVEL}",
            far(ink("8b7d78"), haze),
        )
        c.line(
            ((x - w * 0.3, top + 8), (x - w * 0.45, top + 22), (x - w * 0.4, top + 40)),
            2.5,
            far(ink("756864"), haze),
        )
    for i in range(10):
        c.disc(
            12 + i * 26, 148 - (i % 3) * 3, 17, ink("5f8f56") if i % 2 else ink("6c9b5c"), tall=12
        )
    _ground(c, ink("c98d5c"))
    c.shape("M 0 166 C 60 158 120 170 256 160 L 256 176 C 160 182 80 172 0 182", ink("8cab5a"))
    palm(c, 226, 196, 92, ink("3d7d4c"), ink("7a5a40"))
    c.disc(226, 108, 7, ink("c65b32"), tall=6)
    palm(c, 194, 178, 56, ink("4b8a55"), ink("84634a"))


def thai(c: Canvas) -> None:
    """Rice paddies, water between them, and banana plants."""
    c.shape(
        (
            f"M 0 {LEVEL} L 0 136 C 30 120 60 132 90 138 C 120 118 160 120 190 138 C 210 124 "
            f"240 126 256 134 L 256 {LEVEL}"
        ),
        far(ink("6fa58b"), 38),
    )
    _ground(c, ink("9ed06a"))
    for y, h in ((163.0, 6.0), (178.0, 8.0), (196.0, 10.0)):
        c.shape(
            (
                f"M 0 {y} C 60 {y - 5} 120 {y + 5} 256 {y - 2} L 256 {y + h} C 120 "
                f"{y + h + 5} 60 {y + h - 5} 0 {y + h}"
            ),
            ink("bfe3e2"),
        )
        for x in range(6, 256, 13):
            c.line(((x, y - 1), (x + 1.5, y - 8)), 2.4, ink("62a54e"))
    stem = ink("8fb463")
    c.line(((226.0, 198.0), (224.0, 150.0), (226.0, 132.0)), 10, stem, end=5)
    for dx, dy, drop in (
        (-36, -26, 14),
        (30, -30, 10),
        (-22, -48, -20),
        (20, -50, -24),
        (-40, -4, 36),
    ):
        c.line(
            ((226.0, 134.0), (226 + dx * 0.55, 134 + dy * 0.9), (226.0 + dx, 134.0 + drop)),
            15,
            ink("5aa552") if dx < 0 else ink("6fb85e"),
            end=3,
        )


def swahili(c: Canvas) -> None:
    """The sea behind a warm shore, and a baobab."""
    c.bar(0, 126, 256, LEVEL, far(ink("2f9fc0"), 22))
    c.bar(0, 138, 256, LEVEL, far(ink("49bcc0"), 15))
    for x, y in ((20, 131), (120, 134), (200, 130)):
        c.bar(x, y, x + 34, y + 2.5, ink("e6f4f2"), 1)
    _ground(c, ink("efd49a"))
    c.shape("M 0 212 L 0 186 C 70 168 150 196 256 176 L 256 212", ink("c9b25e"))
    bark = ink("a2866d")
    c.shape("M 196 190 C 206 170 206 140 202 118 L 246 118 C 240 140 242 170 252 190", bark)
    c.shape(
        "M 228 118 L 246 118 C 240 140 242 170 252 190 L 236 190 C 230 166 230 140 228 118",
        darker(bark, 12),
    )
    for x0, x1, x2, y2 in (
        (206, 198, 180, 96),
        (212, 210, 204, 80),
        (222, 224, 228, 74),
        (234, 242, 250, 84),
        (240, 250, 262, 102),
    ):
        c.line(((x0, 124.0), (x1, 106.0), (x2, y2)), 8, bark, end=2)
        c.disc(x2, y2, 14, mix(ink("7aa04e"), ink("a8b85a"), 40), tall=8)


HORIZONS: Mapping[str, Callable[[Canvas], None]] = {
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
