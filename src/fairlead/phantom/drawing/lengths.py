"""Cuts with length: what lies behind the shoulders, and what falls before them."""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.curves import ellipse, half, path, smooth
from fairlead.phantom.drawing.strands import Hair, cap, gloss, parting


def _crown(hair: Hair, bare: float) -> float:
    """Where the back of the hair begins: below a hat, or at the top of the head."""
    if hair.hatted:
        return 66.0
    return bare


def _shaded_side(c: Canvas, hair: Hair) -> Canvas:
    """The canvas with the side away from the light on its right."""
    return c.moved(0, 0, flip=hair.lit > 0)


def shag_back(c: Canvas, hair: Hair) -> None:
    """To the chin, in layers."""
    w = hair.width
    hair.fill(
        c,
        half(
            f"M 0 60 C {w} 60 {w + 8} 84 {w + 8} 112 C {w + 8} 130 {w + 6} 144 {w + 1} "
            "152 L 18 158 L 0 156"
        ),
        hair.deep,
    )


def shag_front(c: Canvas, hair: Hair) -> None:
    """To the chin, in layers."""
    w = hair.width
    outer = f"C {w + 4} 80 {w + 8} 96 {w + 8} 112 C {w + 8} 126 {w + 4} 138 {w - 2} 144"
    inner = f"C {w + 2} 126 {w - 1} 100 {w - 9} 84"
    hair.pair(c, path(f"M {w - 9} 84 {outer} {inner}"))
    parting(c, hair, top=41, burn=104)
    gloss(c, hair, 52)


def long_back(c: Canvas, hair: Hair) -> None:
    """Below the shoulders."""
    crown, wide = _crown(hair, 48.0), hair.width + (10 if hair.curled else 4)
    side = (
        f"C 30 {crown} {wide + 7} 70 {wide + 8} 106 C {wide + 9} 146 {wide + 16} 172 "
        f"{wide + 15} 206"
    )
    hair.fill(
        c, half(f"M 0 {crown} {side} C {hair.width + 8} 222 34 222 22 218 L 0 214"), hair.deep
    )


def long_front(c: Canvas, hair: Hair) -> None:
    """Below the shoulders."""
    w = hair.width
    o = w + (8 if hair.curled else 2)
    outer = f"C {w + 2} 70 {o + 8} 88 {o + 8} 112 C {o + 9} 146 {o + 15} 172 {o + 13} 204"
    ends = f"C {w + 9} 216 {w - 1} 217 {w - 6} 211"
    inner = f"C {w - 3} 186 {w - 6} 168 {w - 4} 148 C {w + 1} 126 {w + 1} 104 {w - 6} 90"
    crown = f"C {w - 12} 82 18 78 16 70"
    hair.pair(c, path(f"M 16 70 {outer} {ends} {inner} {crown}"))
    for s in (-1, 1):
        c.line(
            ((s * (w + 4.0), 118.0), (s * (w + 4.0), 150.0), (s * (w + 6.0), 188.0)),
            2.2,
            hair.deep,
            110,
            end=1.0,
        )
    # After the locks, because it covers where they begin.
    parting(c, hair, top=43, burn=100)
    gloss(c, hair, 54)


def bob_back(c: Canvas, hair: Hair) -> None:
    """To the jaw, all of one length."""
    crown, o = _crown(hair, 48.0), hair.width + (6 if hair.curled else 2)
    side = f"C 30 {crown} {o + 9} 72 {o + 10} 108 C {o + 12} 138 {o + 12} 152 {o + 9} 164"
    hair.fill(c, half(f"M 0 {crown} {side} C 34 172 20 168 0 168"), hair.deep)


def bob_front(c: Canvas, hair: Hair) -> None:
    """To the jaw, all of one length."""
    w = hair.width
    o = w + (5 if hair.curled else 1)
    outer = f"C {w + 3} 70 {o + 9} 88 {o + 9} 112 C {o + 11} 138 {o + 11} 152 {o + 7} 163"
    inner = f"C {w + 2} 167 {w - 5} 165 {w - 8} 160 C {w - 1} 142 {w + 1} 110 {w - 6} 91"
    crown = f"C {w - 12} 82 18 78 16 70"
    hair.pair(c, path(f"M 16 70 {outer} {inner} {crown}"))
    parting(c, hair, top=42, burn=100)
    gloss(c, hair, 53)


def cloud_back(c: Canvas, hair: Hair) -> None:
    """Full and round."""
    if not hair.hatted:
        hair.fill(c, ellipse(0, 104, 66, 68), hair.deep)
        return
    # Below the brim the volume stays as wide as without a hat, and still tells the cut.
    right = ((40.0, 84.0), (66.0, 112.0), (66.0, 142.0), (50.0, 164.0))
    left = tuple((-x, y) for x, y in reversed(right))
    hair.fill(c, smooth((*right, (0.0, 168.0), *left)), hair.deep)


def cloud_front(c: Canvas, hair: Hair) -> None:
    """Full and round."""
    w = hair.width
    outer = f"C {w + 6} 76 64 88 64 116 C 64 140 54 156 {w + 2} 158"
    inner = f"C {w - 3} 150 {w + 1} 104 {w - 10} 82"
    hair.pair(c, path(f"M {w - 10} 82 {outer} {inner}"))
    if hair.hatted:
        cap(c, hair, top=45, burn=108, line=79)
        return
    hair.fill(c, half("M 0 38 C 40 36 62 62 63 96 C 56 104 44 100 34 90 C 26 80 12 77 0 78"))
    gloss(c, hair, 50)
    for x, y in ((-44.0, 84.0), (46.0, 88.0), (-52.0, 112.0), (53.0, 118.0)):
        c.disc(x, y, 3.4, hair.shine, 60)


def tail_back(c: Canvas, hair: Hair) -> None:
    """Gathered at the nape."""
    outer = "C 52 122 62 148 60 176 C 59 196 54 210 46 220"
    inner = "C 40 200 34 170 16 160"
    hair.fill(_shaded_side(c, hair), path(f"M 20 128 {outer} {inner}"), hair.deep)


def tail_front(c: Canvas, hair: Hair) -> None:
    """Gathered at the nape, falling over one shoulder."""
    s, w = -hair.lit, hair.width
    parting(c, hair, top=44)
    gloss(c, hair, 54)
    outer = f"C {w + 20} 148 63 170 60 194 C 58 208 52 218 45 224"
    inner = f"C 44 206 38 190 {w - 2} 176 C {w - 4} 164 {w - 4} 156 {w - 1} 150"
    hair.fill(_shaded_side(c, hair), path(f"M {w - 1} 150 {outer} {inner}"))
    c.line(
        ((s * (w + 5.0), 160.0), (s * (w + 14.0), 178.0), (s * 50.0, 206.0)),
        2.2,
        hair.shine,
        80,
        end=1.0,
    )
    c.line(((s * (w - 4.0), 149.0), (s * (w + 5.0), 157.0)), 6.5, hair.deep)
    c.line(((s * (w - 3.0), 149.0), (s * (w + 4.0), 155.5)), 2.2, hair.shine, 150)


def bun_back(c: Canvas, hair: Hair) -> None:
    """A bun on the crown; two low ones under a hat, where they can be seen."""
    if hair.hatted:
        for s in (-1, 1):
            c.disc(s * 34, 150, 13, hair.deep)
        return
    hair.fill(c, ellipse(0, 39, 20, 15.5))
    c.line(((-11.0, 37.0), (0.0, 31.0), (11.0, 37.0)), 2.4, hair.shine, 90)


def bun_front(c: Canvas, hair: Hair) -> None:
    """Combed back, with a strand before each ear."""
    cap(c, hair, top=46, burn=103, line=77)
    w = hair.width
    for s in (-1, 1):
        c.line(
            (
                (s * (w - 2.0), 98.0),
                (s * (w + 3.0), 112.0),
                (s * (w + 1.0), 128.0),
                (s * (w + 3.5), 138.0),
            ),
            3.4,
            hair.ink,
            end=1.2,
        )
    if not hair.hatted:
        c.line(((-16.0, 49.5), (0.0, 46.5), (16.0, 49.5)), 3.0, hair.deep, 150)
    gloss(c, hair, 56)


def plaits_back(c: Canvas, hair: Hair) -> None:
    """Two plaits."""
    w, crown = hair.width, _crown(hair, 50.0)
    hair.fill(
        c,
        half(
            f"M 0 {crown} C 30 60 {w + 5} 74 {w + 5} 106 C {w + 6} 130 {w + 6} 146 "
            f"{w + 2} 156 L 0 160"
        ),
        hair.deep,
    )


def plaits_front(c: Canvas, hair: Hair) -> None:
    """Two plaits before the shoulders."""
    w = hair.width
    for s in (-1, 1):
        for i in range(6):
            x, y = s * (w + 4 + i * 1.4), 146 + i * 12.5
            c.blob(
                ((x - 7.0, y), (x, y - 7.5), (x + 7.0, y), (x, y + 8.5)),
                hair.ink if i % 2 else hair.deep,
            )
            c.blob(
                (
                    (x - s * 6.0, y + 4.0),
                    (x - s * 1.0, y - 5.0),
                    (x + s * 6.0, y - 2.0),
                    (x + s * 2.0, y + 5.0),
                ),
                hair.ink,
            )
        c.disc(s * (w + 13), 217, 4.4, (214, 158, 82))
    outer = f"C {w + 2} 72 {w + 6} 92 {w + 7} 116 C {w + 8} 130 {w + 8} 140 {w + 6} 150"
    inner = f"L {w - 3} 148 C {w + 1} 126 {w + 1} 104 {w - 6} 90 C {w - 12} 82 16 78 14 70"
    hair.pair(c, path(f"M 14 70 {outer} {inner}"))
    cap(c, hair, top=46, burn=100, line=77)
    if not hair.hatted:
        c.line(((0.0, 47.0), (0.0, 76.0)), 1.8, hair.deep, 170)
    gloss(c, hair, 56)
