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
    for s in (-1, 1):
        outer = (
            f"C {s * (w + 4)} 80 {s * (w + 8)} 96 {s * (w + 8)} 112 C {s * (w + 8)} 126 "
            f"{s * (w + 4)} 138 {s * (w - 2)} 144"
        )
        hair.fill(
            c,
            path(
                f"M {s * (w - 9)} 84 {outer} C {s * (w + 2)} 126 {s * (w - 1)} 100 {s * (w - 9)} 84"
            ),
        )
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
    for s in (-1, 1):
        outer = (
            f"C {s * (w + 2)} 70 {s * (o + 8)} 88 {s * (o + 8)} 112 C {s * (o + 9)} 146 "
            f"{s * (o + 15)} 172 {s * (o + 13)} 204"
        )
        ends = f"C {s * (w + 9)} 216 {s * (w - 1)} 217 {s * (w - 6)} 211"
        inner = (
            f"C {s * (w - 3)} 186 {s * (w - 6)} 168 {s * (w - 4)} 148 C {s * (w + 1)} 126 "
            f"{s * (w + 1)} 104 {s * (w - 6)} 90"
        )
        hair.fill(
            c,
            path(
                f"M {s * 16} 70 {outer} {ends} {inner} C {s * (w - 12)} 82 {s * 18} 78 {s * 16} 70"
            ),
        )
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
    for s in (-1, 1):
        outer = (
            f"C {s * (w + 3)} 70 {s * (o + 9)} 88 {s * (o + 9)} 112 C {s * (o + 11)} 138 "
            f"{s * (o + 11)} 152 {s * (o + 7)} 163"
        )
        inner = (
            f"C {s * (w + 2)} 167 {s * (w - 5)} 165 {s * (w - 8)} 160 C {s * (w - 1)} 142 "
            f"{s * (w + 1)} 110 {s * (w - 6)} 91"
        )
        hair.fill(
            c, path(f"M {s * 16} 70 {outer} {inner} C {s * (w - 12)} 82 {s * 18} 78 {s * 16} 70")
        )
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
    for s in (-1, 1):
        outer = (
            f"C {s * (w + 6)} 76 {s * 64} 88 {s * 64} 116 C {s * 64} 140 {s * 54} 156 "
            f"{s * (w + 2)} 158"
        )
        hair.fill(
            c,
            path(
                f"M {s * (w - 10)} 82 {outer} C {s * (w - 3)} 150 {s * (w + 1)} 104 "
                f"{s * (w - 10)} 82"
            ),
        )
    if hair.hatted:
        cap(c, hair, top=45, burn=108, line=79)
        return
    hair.fill(c, half("M 0 38 C 40 36 62 62 63 96 C 56 104 44 100 34 90 C 26 80 12 77 0 78"))
    gloss(c, hair, 50)
    for x, y in ((-44.0, 84.0), (46.0, 88.0), (-52.0, 112.0), (53.0, 118.0)):
        c.disc(x, y, 3.4, hair.shine, 60)


def tail_back(c: Canvas, hair: Hair) -> None:
    """Gathered at the nape."""
    s = -hair.lit
    outer = f"C {s * 52} 122 {s * 62} 148 {s * 60} 176 C {s * 59} 196 {s * 54} 210 {s * 46} 220"
    hair.fill(
        c, path(f"M {s * 20} 128 {outer} C {s * 40} 200 {s * 34} 170 {s * 16} 160"), hair.deep
    )


def tail_front(c: Canvas, hair: Hair) -> None:
    """Gathered at the nape, falling over one shoulder."""
    s, w = -hair.lit, hair.width
    parting(c, hair, top=44)
    gloss(c, hair, 54)
    outer = (
        f"C {s * (w + 20)} 148 {s * 63} 170 {s * 60} 194 C {s * 58} 208 {s * 52} 218 {s * 45} 224"
    )
    inner = (
        f"C {s * 44} 206 {s * 38} 190 {s * (w - 2)} 176 C {s * (w - 4)} 164 {s * (w - 4)} 156 "
        f"{s * (w - 1)} 150"
    )
    hair.fill(c, path(f"M {s * (w - 1)} 150 {outer} {inner}"))
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
        outer = (
            f"C {s * (w + 2)} 72 {s * (w + 6)} 92 {s * (w + 7)} 116 C {s * (w + 8)} 130 "
            f"{s * (w + 8)} 140 {s * (w + 6)} 150"
        )
        inner = (
            f"L {s * (w - 3)} 148 C {s * (w + 1)} 126 {s * (w + 1)} 104 {s * (w - 6)} 90 C "
            f"{s * (w - 12)} 82 {s * 16} 78 {s * 14} 70"
        )
        hair.fill(c, path(f"M {s * 14} 70 {outer} {inner}"))
    cap(c, hair, top=46, burn=100, line=77)
    if not hair.hatted:
        c.line(((0.0, 47.0), (0.0, 76.0)), 1.8, hair.deep, 170)
    gloss(c, hair, 56)
