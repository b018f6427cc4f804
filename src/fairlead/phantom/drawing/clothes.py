"""Clothes: a body, a neckline (presentation), and what is worn over it (the uniform, or plain
clothes).
"""

from __future__ import annotations

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.face import neck_width
from fairlead.phantom.drawing.palette import FABRICS, Skin, darker, lighter
from fairlead.phantom.drawing.uniforms import BODY, UNIFORMS, Outfit
from fairlead.phantom.scenes import Look, Presentation


def outfit_of(look: Look) -> Outfit:
    """The colours and cut of what is worn: the uniform where it is visible, plain clothes where
    not.
    """
    uniform = look.cue("uniform")
    fabric = FABRICS[look.fabric]
    if uniform:
        return UNIFORMS[uniform](look.tint("uniform"), fabric)
    return UNIFORMS[look.garment](look.tint("uniform"), fabric)


def clothes(c: Canvas, outfit: Outfit, skin: Skin, look: Look, shown: Presentation) -> None:
    """Dress the sitter."""
    c.twin(BODY, outfit.base)
    outfit.under(c, outfit)
    # Between the two layers of the outfit: a shirt lies under it, lapels and straps over it.
    neckline(c.shielded(), outfit.inner, skin, shown)
    outfit.over(c, outfit)
    # Over all of it: the shade of the body falls on coat and apron too.
    _folds(c, outfit.base, look)


def _folds(c: Canvas, base: Ink, look: Look) -> None:
    s = -look.lit
    c.shape(
        (
            f"M {s * 103} 266 C {s * 101} 240 {s * 97} 216 {s * 74} 203 C {s * 84} 220 "
            f"{s * 84} 240 {s * 82} 266"
        ),
        darker(base, 40),
        60,
    )
    for side in (-1, 1):
        c.line(
            ((side * 70.0, 266.0), (side * 69.0, 246.0), (side * 65.0, 232.0)),
            2.2,
            darker(base, 34),
            190,
            end=1.0,
        )


def neckline(c: Canvas, inner: Ink, skin: Skin, shown: Presentation) -> None:
    """The neckline: a scoop, a round neck or a collar."""
    w = neck_width(shown)
    # The first shape is larger by a hem, which is all of it that stays in sight.
    if shown.neckline == "scoop":
        c.twin(
            f"M 0 176 L {w} 176 C {w + 1} 184 {w + 6} 188 {w + 12} 190 C {w + 10} 208 14 219 0 219",
            darker(inner, 22),
        )
        c.twin(
            f"M 0 174 L {w} 174 C {w} 184 {w + 4} 187 {w + 9} 189 C {w + 7} 205 13 215 0 215",
            skin.base,
        )
        for s in (-1, 1):
            c.line(
                ((s * 4.5, 199.0), (s * 12.0, 196.0), (s * (w + 4.0), 195.0)), 1.7, skin.shade, 230
            )
        c.line(
            ((-w - 1.0, 184.0), (-9.0, 198.0), (0.0, 202.0), (9.0, 198.0), (w + 1.0, 184.0)),
            1.3,
            (232, 190, 96),
        )
        c.disc(0, 204.5, 2.6, (240, 200, 104))
    elif shown.neckline == "crew":
        c.twin(
            f"M 0 178 L {w} 178 C {w + 2} 184 {w + 5} 187 {w + 8} 189 C {w + 3} 201 10 204 0 204",
            darker(inner, 22),
        )
        c.twin(
            f"M 0 176 L {w} 176 C {w + 1} 183 {w + 2} 185 {w + 4} 187 C {w - 1} 196 8 199 0 199",
            skin.base,
        )
    else:
        c.twin(f"M 0 178 L {w} 178 L {w + 2} 186 L 0 209", skin.shade)
        c.twin(f"M 0 176 L {w - 3} 178 L {w - 3} 186 L 0 206", skin.base)
        c.pair(
            f"M {w} 174 Q {w + 5} 180 {w + 9} 188 L 17 213 L 0.6 203 Q {w - 5} 194 {w} 174",
            darker(inner, 20),
        )
        c.pair(
            f"M {w} 173 Q {w + 4} 179 {w + 8} 187 L 16 209 L 1.4 201 Q {w - 5} 192 {w} 173",
            lighter(inner, 34),
        )
