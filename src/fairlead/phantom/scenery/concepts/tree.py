"""Trees: trunk and crown; the kind is the culture's, the bench beneath wears its colours."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import darker, ink, lighter, mix
from fairlead.phantom.scenery.colours import STRAW, Dress
from fairlead.phantom.scenery.marks import crown, flower, poly, shadow

_BARK = ink("85603f")


def _trunk(c: Canvas, width: float = 10.0, top: float = -80.0, bark: Ink = _BARK) -> None:
    shadow(c, 50)
    c.shape(
        f"M {-width * 1.7} 0 C {-width} -10 {-width * 0.8} -40 {-width * 0.7} {top} "
        f"L {width * 0.7} {top} C {width * 0.8} -40 {width} -10 {width * 1.7} 0",
        bark,
    )
    c.shape(
        (
            f"M {width * 0.2} 0 L {width * 0.2} {top} L {width * 0.7} {top} C {width * 0.8} "
            f"-40 {width} -10 {width * 1.7} 0"
        ),
        darker(bark, 14),
    )


def _bench(c: Canvas, p: Dress, x: float = 0.0) -> None:
    """A painted bench under the tree: where the culture's colours show."""
    c.bar(x - 40, -24, x + 40, -16, p.main, 3)
    c.bar(x - 36, -38, x + 36, -31, p.main, 3)
    for k in (-30, 26):
        c.bar(x + k, -38, x + k + 4, 0, p.dark)
    c.bar(x - 40, -24, x + 40, -21, p.accent, 1.5)


def _leaf(p: Dress, base: str, share: int = 16) -> Ink:
    return mix(ink(base), p.second, share)


def plain(c: Canvas, p: Dress, v: int) -> None:
    """A round crown."""
    _trunk(c)
    _bench(c, p)
    crown(c, 0, -104, 42, _leaf(p, "7fa06c"))


def british(c: Canvas, p: Dress, v: int) -> None:
    """A broad oak with a swing."""
    _trunk(c, 14)
    for s in (-1, 1):
        c.line(((0.0, -60.0), (s * 34.0, -86.0)), 9, _BARK, end=5)
    leaf = _leaf(p, "5f9a4c", 8)
    for x, y, r in ((-44, -92, 26), (44, -92, 26), (0, -108, 36), (-24, -128, 22), (26, -128, 22)):
        crown(c, x, y, r, leaf)
    for x in (34, 56):
        c.bar(x - 1, -86, x + 1, -30, p.pale)
    c.bar(30, -32, 60, -26, p.second, 2)
    _bench(c, p, -40)


def french(c: Canvas, p: Dress, v: int) -> None:
    """A tall plane tree, pale bark."""
    _trunk(c, 9, -90, ink("b9a98c"))
    for x, y in ((-3, -50), (3, -66), (-2, -30)):
        c.disc(x, y, 4, ink("d9cdb0"), tall=5)
    leaf = _leaf(p, "86ad62", 10)
    for x, y, r in ((0, -84, 30), (-20, -104, 26), (20, -104, 26), (0, -130, 26)):
        crown(c, x, y, r, leaf)
    _bench(c, p)


def mexican(c: Canvas, p: Dress, v: int) -> None:
    """A jacaranda in bloom, paper flags between its branches."""
    _trunk(c, 9)
    for s in (-1, 1):
        c.line(((0.0, -50.0), (s * 40.0, -94.0)), 8, _BARK, end=4)
    bloom = mix(ink("9a78c9"), p.main, 22)
    for x, y, r in (
        (-46, -104, 25),
        (46, -104, 25),
        (0, -118, 33),
        (-22, -134, 19),
        (24, -134, 19),
    ):
        crown(c, x, y, r, bloom)
    for x, y in ((-50, -92), (-20, -104), (16, -98), (48, -94), (0, -130), (-34, -122), (34, -122)):
        c.disc(x, y, 5, lighter(bloom, 30))
    c.line(((-52.0, -70.0), (0.0, -56.0), (52.0, -70.0)), 2, p.wood)
    for i, x in enumerate((-40, -20, 0, 20, 40)):
        cord = -69 + (40 - abs(x)) * 0.3
        poly(c, (p.main, p.second, p.accent)[i % 3], x - 8, cord, x + 8, cord, x, cord + 15)


def chinese(c: Canvas, p: Dress, v: int) -> None:
    """A leaning pine in tiers."""
    shadow(c, 50)
    c.line(
        ((-6.0, 0.0), (-14.0, -36.0), (10.0, -70.0), (-4.0, -106.0), (8.0, -130.0)),
        18,
        _BARK,
        end=6,
    )
    for a, b in (
        ((4.0, -62.0), (-46.0, -74.0)),
        ((6.0, -76.0), (52.0, -92.0)),
        ((-2.0, -104.0), (-40.0, -114.0)),
    ):
        c.line((a, b), 7, _BARK, end=3)
    leaf = _leaf(p, "4f8a63", 20)
    for x, y, w in ((-46, -78, 34), (52, -96, 34), (-36, -116, 30), (10, -136, 36), (24, -66, 20)):
        c.disc(x, y, w, leaf, tall=w * 0.38)
        c.disc(x - 3, y - w * 0.14, w * 0.74, lighter(leaf, 18), tall=w * 0.18)
    _bench(c, p, 26)


def japanese(c: Canvas, p: Dress, v: int) -> None:
    """A cherry in blossom."""
    shadow(c, 50)
    bark = ink("6b4a3c")
    c.line(((-4.0, 0.0), (2.0, -34.0), (-6.0, -64.0), (4.0, -96.0)), 18, bark, end=8)
    c.line(((-2.0, -52.0), (-28.0, -76.0), (-48.0, -86.0)), 8, bark, end=4)
    c.line(((0.0, -62.0), (28.0, -80.0), (50.0, -84.0)), 8, bark, end=4)
    bloom = mix(ink("f3b8c6"), p.second, 30)
    for x, y, r in ((-48, -94, 24), (50, -92, 24), (0, -116, 33), (-26, -130, 19), (28, -128, 19)):
        crown(c, x, y, r, bloom)
    for x, y in (
        (-52, -92),
        (-28, -118),
        (4, -104),
        (10, -134),
        (38, -104),
        (56, -86),
        (-12, -128),
    ):
        flower(c, x, y, 8, lighter(bloom, 55), p.accent)
    for x, y in ((-40, -46), (34, -38), (50, -20), (-24, -16)):
        c.disc(x, y, 3.4, bloom, tall=2.4)
    _bench(c, p, -30)


def arab(c: Canvas, p: Dress, v: int) -> None:
    """A date palm with golden clusters."""
    shadow(c, 40)
    bark = ink("9a744d")
    c.line(((0.0, 0.0), (4.0, -50.0), (0.0, -104.0)), 19, bark, end=12)
    for y in range(-96, -4, 12):
        c.line(((-7.0, y), (8.0, y + 4.0)), 2.6, darker(bark, 26))
    leaf = _leaf(p, "4f8f58", 20)
    for dx, dy, drop in (
        (-66, -30, 22),
        (66, -30, 22),
        (-52, -46, -16),
        (52, -46, -16),
        (-46, -6, 48),
        (46, -6, 48),
        (-22, -54, -40),
        (24, -54, -40),
    ):
        c.line(((0.0, -106.0), (dx * 0.55, -106 + dy), (dx, -106.0 + drop)), 13, leaf, end=2)
        c.line(
            ((0.0, -106.0), (dx * 0.55, -107 + dy), (dx, -107.0 + drop)),
            2.4,
            lighter(leaf, 30),
            end=1,
        )
    for x in (-16, 0, 16):
        c.disc(x, -92, 8, p.accent, tall=11)
    _bench(c, p, 30)


def indian(c: Canvas, p: Dress, v: int) -> None:
    """A mango tree heavy with fruit."""
    _trunk(c, 14)
    for s in (-1, 1):
        c.line(((0.0, -56.0), (s * 36.0, -84.0)), 9, _BARK, end=5)
    leaf = _leaf(p, "4c8a4a", 14)
    for x, y, r in ((-40, -90, 29), (40, -90, 29), (0, -112, 39), (0, -80, 26)):
        crown(c, x, y, r, leaf)
    for x, y in (
        (-48, -80),
        (-20, -96),
        (4, -72),
        (24, -104),
        (48, -78),
        (-8, -124),
        (32, -66),
        (-30, -66),
    ):
        c.disc(x, y, 6.4, p.main, tall=8.4)
        c.disc(x - 2, y - 2, 2.4, lighter(p.main, 44))
    _bench(c, p, 34)


def yoruba(c: Canvas, p: Dress, v: int) -> None:
    """An iroko: a tall buttressed trunk under a flat crown."""
    shadow(c, 56)
    bark = ink("8d7460")
    c.shape(
        (
            "M -40 0 C -20 -8 -14 -40 -11 -100 L 11 -100 C 14 -40 20 -8 40 0 L 18 0 L 8 -22 "
            "L 2 0 L -6 0 L -10 -22 L -20 0"
        ),
        bark,
    )
    for s in (-1, 1):
        c.line(((0.0, -88.0), (s * 44.0, -112.0)), 8, bark, end=4)
    leaf = _leaf(p, "3f7d4a", 12)
    for x, y, w in ((0, -122, 62), (-36, -112, 36), (38, -112, 36), (0, -138, 40)):
        c.disc(x, y, w, leaf, tall=w * 0.36)
    for x, y in ((-36, -120), (-6, -136), (26, -126), (48, -114)):
        c.disc(x, y, 13, lighter(leaf, 18), tall=5)
    _bench(c, p, -36)


def thai(c: Canvas, p: Dress, v: int) -> None:
    """A golden shower tree with hanging blossom."""
    _trunk(c, 9)
    for s in (-1, 1):
        c.line(((0.0, -52.0), (s * 36.0, -92.0)), 8, _BARK, end=4)
    leaf = _leaf(p, "6fae55", 16)
    for x, y, r in ((-40, -108, 25), (40, -108, 25), (0, -122, 33)):
        crown(c, x, y, r, leaf)
    gold = mix(ink("f6cf45"), p.accent, 40)
    for x, y, h in (
        (-58, -100, 34),
        (-40, -94, 44),
        (-20, -96, 40),
        (0, -92, 46),
        (20, -96, 40),
        (40, -94, 44),
        (58, -100, 34),
        (-30, -120, 26),
        (10, -124, 28),
        (32, -120, 24),
    ):
        c.line(((x, y), (x + 1.0, y + h * 0.7)), 11, gold, end=4)
    _bench(c, p)


def swahili(c: Canvas, p: Dress, v: int) -> None:
    """A flat-topped acacia with weavers' nests."""
    shadow(c, 40)
    bark = ink("7d5a42")
    c.line(((0.0, 0.0), (4.0, -30.0), (-4.0, -58.0)), 14, bark, end=9)
    for points in (
        ((-4.0, -54.0), (-26.0, -86.0), (-52.0, -104.0)),
        ((-4.0, -56.0), (6.0, -84.0), (4.0, -112.0)),
        ((-2.0, -50.0), (28.0, -80.0), (58.0, -100.0)),
    ):
        c.line(points, 8, bark, end=3)
    leaf = _leaf(p, "7d9a45", 10)
    for x, y, w in ((-44, -108, 38), (46, -104, 38), (0, -120, 52), (4, -132, 34)):
        c.disc(x, y, w, leaf, tall=w * 0.27)
        c.disc(x - 4, y - w * 0.09, w * 0.76, lighter(leaf, 18), tall=w * 0.13)
    for x, y in ((-40, -94), (34, -90), (0, -104)):
        c.line(((x, y), (x, y + 12.0)), 2, bark)
        c.disc(x, y + 18, 8, STRAW, tall=9)
        c.disc(x, y + 22, 2.6, bark)
    _bench(c, p, 28)


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
