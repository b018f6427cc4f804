"""Uniforms and plain clothes. ``under`` is painted before the neckline, ``over`` after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import (
    BRASS,
    CREAM,
    INK,
    IRON,
    STEEL,
    WHITE,
    choose,
    darker,
    ink,
    lighter,
    mix,
)

# Down to y = 266, ten units below the picture: no lower edge of cloth ever shows.
BODY = (
    "M 0 178 L 18 180 C 24 187 30 190 40 192 C 70 199 88 206 95 228 C 99 242 101 252 102 266 L 0 "
    "266"
)
"""The right half of the body's outline."""


def _nothing(c: Canvas, outfit: Outfit) -> None:
    pass


@dataclass(frozen=True)
class Outfit:
    """What is worn.

    Attributes:
        base: Colour of the body.
        inner: Colour at the neck, which the neckline takes up.
        sleeve: Colour of the sleeve that holds a prop.
        trim: A second colour.
        under: Painted before the neckline.
        over: Painted after it.
    """

    base: Ink
    inner: Ink
    sleeve: Ink
    trim: Ink
    over: Callable[[Canvas, Outfit], None] = _nothing
    under: Callable[[Canvas, Outfit], None] = _nothing


def _inset(c: Canvas, o: Outfit) -> None:
    """A shirt in the opening of a coat."""
    c.twin("M 0 180 L 22 184 C 24 200 18 230 12 266 L 0 266", o.inner)
    c.twin("M 0 214 L 1.2 214 L 1.2 266 L 0 266", darker(o.inner, 22))


def _lapels(c: Canvas, o: Outfit) -> None:
    c.pair(
        "M 21 181 L 33 189 L 41 209 L 33 213 L 36 219 L 12 258 Q 20 220 21 181", darker(o.base, 16)
    )
    c.pair(
        "M 22 182 L 32 189 L 39 208 L 31 212 L 33 218 L 12 251 Q 21 220 22 182", lighter(o.base, 26)
    )
    for s in (-1, 1):
        c.line(((s * 11.0, 250.0), (s * 10.0, 266.0)), 1.6, darker(o.base, 26))


def _coat(c: Canvas, o: Outfit) -> None:
    _lapels(c, o)
    c.bar(38, 228, 62, 230.4, darker(o.base, 20))
    c.bar(38, 230, 62, 250, lighter(o.base, 20), radius=3)


def _smock(c: Canvas, o: Outfit) -> None:
    c.twin("M 0 214 C 30 214 50 206 66 200 L 68 205 C 50 212 30 219 0 219", darker(o.base, 16))
    for x in (-44.0, -22.0, 0.0, 22.0, 44.0):
        c.line(((x, 222.0), (x * 1.04, 262.0)), 2.4, darker(o.base, 18), 170, end=1.2)
    for x, y, colour in (
        (-34.0, 234.0, "d65a4a"),
        (-28.0, 246.0, "f4c64e"),
        (37.0, 240.0, "4f83c4"),
        (12.0, 252.0, "5f9b6b"),
    ):
        c.disc(x, y, 4.2, ink(colour))
        c.disc(x + 4, y + 3.5, 2.2, ink(colour))


def _suit(c: Canvas, o: Outfit) -> None:
    c.twin("M 0 222 C 26 222 42 210 46 193 L 36 188 C 33 200 20 211 0 212", darker(o.base, 26))
    c.twin("M 0 219 C 24 219 39 208 43 192 L 37 189 C 34 200 20 209 0 210", o.trim)
    c.bar(-24, 232, 24, 258, darker(o.base, 14), radius=6)
    c.bar(-24, 230, 24, 256, lighter(o.base, 30), radius=6)
    for x, colour in ((-13.0, "d65a4a"), (0.0, "4f83c4"), (13.0, "f4c64e")):
        c.disc(x, 239, 4.2, ink(colour))
    c.bar(-16, 247, 16, 251, IRON, radius=2)
    c.pair("M 84 213 L 92 222 L 72 236 L 68 228", o.trim)


def _apron(c: Canvas, o: Outfit) -> None:
    c.pair("M 27 186 L 35 190 L 40 222 L 31 224", darker(o.trim, 14))
    c.twin("M 0 222 L 39 218 C 41 236 48 250 60 258 L 62 270 L 0 270", darker(o.trim, 18))
    c.twin("M 0 219 L 38 216 C 40 234 47 248 60 255 L 62 270 L 0 270", o.trim)
    c.twin("M 0 219 L 38 216 L 38.4 221 L 0 224", lighter(o.trim, 30))
    c.bar(-15, 242, 15, 262, darker(o.trim, 12), radius=3)
    c.bar(-15, 242, 15, 245, darker(o.trim, 24))


def _vest(c: Canvas, o: Outfit) -> None:
    c.pair(
        "M 26 186 L 50 194 Q 70 199 72 203 Q 62 226 66 266 L 3 266 L 2 248 Q 22 222 26 186",
        o.trim,
    )
    c.pair("M 38 190 L 50 194 L 48 266 L 36 266", ink("f3f1df"))
    c.pair("M 3 240 L 64 236 L 65 248 L 3 252", ink("f3f1df"))
    c.pair("M 3 240 L 64 236 L 64 238 L 3 242", darker(ink("f3f1df"), 18))
    c.bar(-1.4, 246, 1.4, 266, darker(o.trim, 40))


def _chef(c: Canvas, o: Outfit) -> None:
    c.shape("M -26 186 Q -14 214 24 222 L 30 266 L -2 266 Q 2 240 -30 214", darker(o.base, 9))
    c.line(((-28.0, 200.0), (-2.0, 217.0), (25.0, 222.0), (30.0, 266.0)), 1.6, darker(o.base, 30))
    for x, y in ((-6.0, 230.0), (16.0, 232.0), (-4.0, 246.0), (18.0, 248.0)):
        c.disc(x, y, 3.1, darker(o.trim, 12))
    c.pair("M 19 178 L 27 183 L 33 196 L 24 206 Q 18 196 19 178", o.base)
    for s in (-1, 1):
        c.line(((s * 20.0, 180.0), (s * 20.0, 192.0), (s * 24.0, 205.0)), 1.6, darker(o.base, 24))


def _overalls(c: Canvas, o: Outfit) -> None:
    c.twin("M 0 226 L 36 223 C 38 240 48 252 66 256 L 66 270 L 0 270", o.trim)
    c.twin("M 0 226 L 36 223 L 36.6 229 L 0 232", lighter(o.trim, 16))
    c.pair("M 30 187 L 42 192 L 37 234 L 26 233", darker(o.trim, 12))
    c.pair("M 31 187 L 41 191 L 36 231 L 27 230", o.trim)
    for s in (-1, 1):
        c.disc(s * 31.5, 230, 4.0, BRASS)
        c.disc(s * 31.5, 230, 1.8, darker(BRASS, 30))
    c.bar(-16, 238, 16, 258, darker(o.trim, 14), radius=3)
    c.bar(-14, 238, 14, 241, lighter(o.trim, 18))


def _fire(c: Canvas, o: Outfit) -> None:
    c.pair("M 100 250 L 68 252 L 67 242 L 98 238", o.trim)
    c.pair("M 100 247.5 L 68 249.5 L 68 245 L 99 242", ink("eef0e6"))
    c.pair("M 20 182 L 34 189 L 36 204 L 14 216 Q 21 200 20 182", darker(o.base, 20))
    c.twin("M 0 238 L 62 236 L 62 248 L 0 250", o.trim)
    c.twin("M 0 241 L 62 239 L 62 244.5 L 0 246.5", ink("eef0e6"))
    c.bar(-1.5, 214, 1.5, 266, darker(o.base, 40))
    for y in (222.0, 255.0):
        c.bar(-8, y, 8, y + 5, STEEL, radius=2)


def _tunic(c: Canvas, o: Outfit) -> None:
    c.shape("M 20 182 L 30 188 L 14 266 L 9 266 Q 24 214 20 182", lighter(o.base, 16))
    c.line(((22.0, 186.0), (22.0, 214.0), (10.0, 266.0)), 1.8, darker(o.base, 45))
    for i in range(4):
        c.disc(27 - i * 3.6, 202 + i * 16, 2.6, o.trim)
    for s in (-1, 1):
        c.line(((s * 33.0, 190.0), (s * 62.0, 198.0)), 2.4, o.trim)


def _robe(c: Canvas, o: Outfit) -> None:
    c.pair("M 22 182 L 38 191 Q 34 230 22 266 L 6 266 Q 24 220 22 182", o.trim)
    for s in (-1, 1):
        for x in (46.0, 58.0):
            c.line(
                ((s * x, 200.0), (s * (x + 3), 230.0), (s * (x + 3), 264.0)),
                2.2,
                lighter(o.base, 16),
                150,
                end=1.0,
            )


def _cardigan(c: Canvas, o: Outfit) -> None:
    c.pair("M 22 182 L 31 188 Q 30 220 10 266 L 2 266 Q 24 218 22 182", lighter(o.base, 20))
    for s in (-1, 1):
        c.line(((s * 31.0, 189.0), (s * 27.0, 220.0), (s * 10.0, 264.0)), 1.4, darker(o.base, 26))
        for x in (42.0, 52.0, 62.0, 72.0):
            c.line(((s * x, 204.0), (s * x, 264.0)), 1.4, darker(o.base, 18), 120)
    for x, y in ((10.0, 242.0), (5.0, 256.0)):
        c.disc(x, y, 2.8, o.trim)


def _scrubs(c: Canvas, o: Outfit) -> None:
    c.pair("M 21 181 L 29 187 L 3 232 L 0 226 Q 20 204 21 181", darker(o.base, 20))
    for s in (-1, 1):
        c.line(
            ((s * 40.0, 194.0), (s * 54.0, 214.0), (s * 60.0, 240.0)), 1.6, darker(o.base, 20), 150
        )
    c.bar(30, 232, 56, 254, darker(o.base, 16), radius=3)
    c.bar(30, 232, 56, 235, lighter(o.base, 22))


def _dress(c: Canvas, o: Outfit) -> None:
    _lapels(c, o)
    c.pair("M 58 194 L 82 203 L 88 212 L 62 204", darker(o.base, 45))
    for s in (-1, 1):
        for i in range(3):
            c.line(
                ((s * (66.0 + i * 6), 197.5 + i * 2.6), (s * (65.0 + i * 6.6), 203.5 + i * 2.8)),
                2.4,
                BRASS,
            )
        c.disc(s * 18, 256, 2.8, BRASS)


def _police(c: Canvas, o: Outfit) -> None:
    c.bar(-1.2, 212, 1.2, 266, darker(o.base, 30))
    c.pair("M 56 193 L 82 203 L 88 212 L 60 203", o.trim)
    for s in (-1, 1):
        c.bar(s * 42 - 13, 228, s * 42 + 13, 250, darker(o.base, 14), radius=3)
        c.shape(
            (
                f"M {s * 42 - 13} 227 L {s * 42 + 13} 227 L {s * 42 + 13} 233 L {s * 42} 238 "
                f"L {s * 42 - 13} 233"
            ),
            o.trim,
        )
    c.shape("M -4.5 206 L 4.5 206 L 6 250 L 0 258 L -6 250", o.trim)


def _hoodie(c: Canvas, o: Outfit) -> None:
    c.twin("M 0 216 C 22 214 34 202 34 186 L 46 190 C 52 206 34 226 0 230", darker(o.base, 22))
    c.twin("M 0 213 C 21 211 32 200 33 185 L 43 189 C 48 203 32 221 0 224", lighter(o.base, 10))
    for s in (-1, 1):
        c.line(((s * 12.0, 220.0), (s * 13.0, 234.0), (s * 11.0, 248.0)), 2.6, o.trim)
        c.disc(s * 11, 249, 2.4, o.trim)


def _jersey(c: Canvas, o: Outfit) -> None:
    for i in range(5):
        y = 209 + i * 12
        c.twin(
            (
                f"M 0 {y + 4} C 40 {y + 4} 68 {y - 2} {84 + i * 3.4} {y - 4} L {86 + i * 3.2} "
                f"{y + 1} C 68 {y + 4} 40 {y + 10} 0 {y + 10}"
            ),
            o.trim,
        )


def _waistcoat(c: Canvas, o: Outfit) -> None:
    c.pair("M 30 189 L 48 194 Q 58 230 58 266 L 2 266 L 2 246 Q 26 224 30 189", o.trim)
    c.pair("M 30 189 L 37 191 Q 36 226 3 252 L 2 246 Q 26 224 30 189", lighter(o.trim, 16))
    c.bar(-1.2, 248, 1.2, 266, darker(o.trim, 40))
    c.disc(6, 258, 2.4, BRASS)


def _sweater(c: Canvas, o: Outfit) -> None:
    c.twin(
        "M 0 226 C 34 226 60 220 76 204 L 80 207 C 64 224 36 231 0 231", lighter(o.base, 14), 130
    )


def _shirt(c: Canvas, o: Outfit) -> None:
    c.bar(-5, 212, 5, 266, lighter(o.base, 14))
    for s in (-1, 1):
        c.line(((s * 5.2, 214.0), (s * 5.2, 264.0)), 1.2, darker(o.base, 24))
    for y in (222.0, 240.0, 258.0):
        c.disc(0, y, 2.2, darker(o.base, 40))


def _blouson(c: Canvas, o: Outfit) -> None:
    c.pair("M 24 184 L 36 190 Q 32 226 12 266 L 4 266 Q 26 220 24 184", darker(o.base, 22))
    for s in (-1, 1):
        c.line(((s * 25.0, 186.0), (s * 24.0, 218.0), (s * 6.0, 262.0)), 1.5, STEEL)


def _worn(
    base: Ink,
    inner: Ink,
    trim: Ink,
    over: Callable[[Canvas, Outfit], None],
    *,
    open_front: bool = False,
    sleeve: Ink | None = None,
) -> Outfit:
    return Outfit(base, inner, sleeve or base, trim, over, _inset if open_front else _nothing)


def _one_cloth(base: Ink, trim: Ink, over: Callable[[Canvas, Outfit], None]) -> Outfit:
    """The same colour at the body and at the neck."""
    return _worn(base, base, trim, over)


_COAT = ink("f2f1ec")
_SHIRTS = ("8fb1c9", "d99a86", "a7bf97", "c9a7c2", "e0c98f")
_HIVIS = ("f0882f", "d8dd3c")

# A second choice divides n by the number of first choices, so that every pair comes up: where one
# of the lists below grows, its divisor grows with it.
UNIFORMS: Mapping[str, Callable[[int, Ink], Outfit]] = {
    "smock": lambda n, f: _one_cloth(choose(("7d95ad", "a9998a", "c7b8d0"), n), f, _smock),
    "space suit": lambda n, f: _worn(
        ink("eef0f2"), ink("dfe3e8"), choose(("e58a3c", "4f83c4", "c75a55"), n), _suit
    ),
    "apron": lambda n, f: _one_cloth(
        choose(_SHIRTS, n),
        choose(("f1e4c8", "5d7c6a", "94583f", "4b5a78"), n // 5),
        _apron,
    ),
    "hi-vis vest": lambda n, f: _one_cloth(mix(f, INK, 12), choose(_HIVIS, n), _vest),
    "white coat": lambda n, f: _worn(_COAT, choose(_SHIRTS, n), _COAT, _coat, open_front=True),
    "chef jacket": lambda n, f: _one_cloth(
        ink("f6f3ea"), choose(("3a4358", "b8574a", "3a4358"), n), _chef
    ),
    "overalls": lambda n, f: _one_cloth(
        choose(("d9744f", "e3c27a", "b9c7cf", "8fa98b"), n),
        choose(("4a6a94", "3f4f6b", "6d6a58"), n // 4),
        _overalls,
    ),
    "fire coat": lambda n, f: _worn(
        choose(("c9a465", "3b4152", "b0893f"), n),
        choose(("8b6b3a", "2b3040", "7d5f2a"), n),
        choose(("e9d84a", "f0a13c"), n // 3),
        _fire,
    ),
    "tunic": lambda n, f: _one_cloth(
        choose(("34353f", "5a4a5e", "3f5560"), n),
        choose(("e0b98a", "d4d4d8"), n // 3),
        _tunic,
    ),
    "robe": lambda n, f: _worn(
        ink("2e2c38"), ink("3c3947"), choose(("7d2f3c", "463f63", "2f5157"), n), _robe
    ),
    "cardigan": lambda n, f: _worn(
        f, CREAM, choose(("f3e3c0", "5d4a3a"), n), _cardigan, open_front=True
    ),
    "scrubs": lambda n, f: _one_cloth(
        choose(("4fa39a", "6b9fd0", "8b8fd0", "d98ba0"), n),
        WHITE,
        _scrubs,
    ),
    "dress jacket": lambda n, f: _worn(ink("333f5e"), WHITE, BRASS, _dress, open_front=True),
    "police shirt": lambda n, f: _one_cloth(
        choose(("5f86b8", "445a84"), n), ink("2b3550"), _police
    ),
    "hoodie": lambda n, f: _worn(f, darker(f, 18), CREAM, _hoodie),
    "striped jersey": lambda n, f: _one_cloth(
        ink("f4f0e6"), choose(("38508a", "33415f", "b4504a"), n), _jersey
    ),
    "waistcoat": lambda n, f: _one_cloth(
        ink("f7f4ec"), choose(("33323d", "5d2f3a", "2f4a4a"), n), _waistcoat
    ),
    "sweater": lambda n, f: _one_cloth(f, f, _sweater),
    "shirt": lambda n, f: _one_cloth(f, f, _shirt),
    "blouson": lambda n, f: _worn(f, CREAM, f, _blouson, open_front=True),
}
"""What can be worn: (a free number, a fabric) to an outfit."""
