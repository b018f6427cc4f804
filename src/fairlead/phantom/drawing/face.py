"""Head, neck and face. x = 0 is the middle of the face; the tone decides colours only, never a
feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.curves import Outline, Points, ellipse, half, rounded
from fairlead.phantom.drawing.palette import EYES, HAIR, WHITE, Skin, darker, mix
from fairlead.phantom.scenes import Look, Presentation

# Half the width at the temples, and how low the chin is. Every head has its top at y = 54 and its
# brows and eyes in one place, so that every hat and every cut fits it.
_FACES = {
    "oval": (37.0, 157.0),
    "round": (39.5, 154.0),
    "long": (36.0, 160.0),
    "broad": (39.0, 157.0),
}
EYE_X, EYE_Y, MOUTH_Y = 16.5, 109.0, 140.5


@dataclass(frozen=True)
class HeadShape:
    """Measures of a head: half-widths at the temples, the jaw and the chin, and how low the chin
    is.
    """

    width: float
    jaw: float
    point: float
    chin: float


@lru_cache(maxsize=32)
def head_of(face: str, jaw: str) -> HeadShape:
    """The measures of a face shape with a jaw."""
    width, chin = _FACES[face]
    if jaw == "strong":
        return HeadShape(width, width - 4.5, 19.0, chin + 1.5)
    return HeadShape(width - 0.5, width - 10.5, 10.0, chin - 0.5)


def outline(h: HeadShape, grow: float = 0.0) -> str:
    """The right half of the head's outline."""
    w, j, p, c = h.width + grow, h.jaw + grow, h.point + grow, h.chin + grow
    top = 54 - grow
    return (
        f"M 0 {top} C {w * 0.6} {top} {w} {top + 20} {w} 104 C {w} 120 {j + 4} 130 {j} 138 C "
        f"{j - 5} 148 {p + 6} {c} 0 {c}"
    )


def neck(c: Canvas, skin: Skin, look: Look, shown: Presentation) -> None:
    """The neck, with the shadow of the chin."""
    w = neck_width(shown)
    c.twin(f"M 0 138 L {w} 138 L {w} 174 C {w} 184 {w + 5} 188 {w + 14} 192 L 0 204", skin.base)
    side = -look.lit
    c.shape(
        f"M {side * w} 150 L {side * w} 176 Q {side * w} 186 {side * (w + 8)} 190 "
        f"L {side * (w - 7)} 190 Q {side * (w - 9)} 172 {side * (w - 8)} 150",
        skin.shade,
        150,
    )
    c.twin(f"M 0 146 L {w} 144 L {w} 160 C {w - 3} 169 9 173 0 173", skin.shade, 215)


def neck_width(shown: Presentation) -> float:
    """Half the width of the neck."""
    if shown.neck == "slim":
        return 15.0
    return 21.5


def ears(c: Canvas, skin: Skin, h: HeadShape) -> None:
    """Ears, behind the face."""
    for s in (-1, 1):
        x = s * (h.width + 1.0)
        c.disc(x, 112, 6.5, skin.base, tall=10)
        c.disc(x + s * 0.5, 112.5, 3.6, skin.blush, 150, tall=6)


def head(c: Canvas, skin: Skin, h: HeadShape, look: Look) -> None:
    """The head with its light and shadow."""
    c.twin(outline(h), skin.base)
    side, w, j, lit = -look.lit, h.width, h.jaw, look.lit
    c.shape(
        f"M {side * w * 0.72} 68 C {side * w} 80 {side * w} 92 {side * w} 104 C {side * w} "
        f"120 {side * (j + 4)} 130 {side * j} 138 "
        f"C {side * (j - 5)} 148 {side * (h.point + 6)} {h.chin} 0 {h.chin} C {side * 14} "
        f"{h.chin - 6} {side * 25} 140 {side * 28} 120 "
        f"C {side * 30} 100 {side * 26} 84 {side * w * 0.72} 68",
        skin.shade,
        130,
    )
    glow = 70 if skin.dark else 80
    if skin.dark:
        for r in (30.0, 25.0, 19.0):
            c.disc(lit * (34 - r) * 0.6, 112, r, skin.lit, 40, tall=r * 1.34)
    for grow in (0.0, 2.5, 5.0):
        c.blob(
            (
                (lit * 2.0, 80.0 - grow),
                (lit * (23.0 + grow), 77.0 - grow),
                (lit * (29.0 + grow), 92.0),
                (lit * 14.0, 95.0 + grow),
                (lit * (-6.0 - grow), 91.0),
            ),
            skin.lit,
            glow // 2,
        )
        c.disc(lit * 20, 120.5, 7 + grow, skin.lit, glow // 2, tall=4.5 + grow)
    c.disc(0, h.chin - 7, 7.5, skin.lit, glow, tall=3.6)
    for s in (-1, 1):
        # Thin discs on one another: one alone would have an edge.
        for r in (12.0, 10.0, 8.0, 6.0):
            c.disc(s * 22, 127.5, r, skin.blush, 27, tall=r * 0.72)
    if look.age != "young":
        _years(c, skin, look)


def _years(c: Canvas, skin: Skin, look: Look) -> None:
    strength = 105 if look.age == "senior" else 55
    # On dark skin darker lines would not show.
    ink = skin.lit if skin.dark else skin.deep
    for s in (-1, 1):
        c.line(((s * 14.0, 127.5), (s * 19.0, 132.5), (s * 20.0, 138.0)), 1.5, ink, strength)
        c.line(((s * 11.5, 117.5), (s * 16.5, 119.2), (s * 21.0, 118.0)), 1.3, ink, strength)
        if look.age == "senior":
            c.line(((s * 27.0, 107.0), (s * 31.0, 105.5)), 1.2, ink, strength)


def nose(c: Canvas, skin: Skin, look: Look) -> None:
    """A small nose: a shadow beneath, a line at its side, a light on the tip."""
    side = -look.lit
    c.shape(
        (
            "M -7 124.5 C -7.5 129 -3 130.5 0 130.5 C 3 130.5 7.5 129 7 124.5 C 5 127.5 -5 "
            "127.5 -7 124.5"
        ),
        skin.deep,
        110,
    )
    c.line(
        ((side * 3.6, 105.0), (side * 4.4, 115.0), (side * 6.6, 123.5)),
        1.8,
        skin.fold,
        120 if skin.dark else 170,
    )
    c.line(((-side * 0.5, 106.0), (-side * 0.8, 118.0)), 2.6, skin.lit, 110, end=3.6)
    c.disc(-side * 1.0, 122.0, 3.4, skin.lit, 120, tall=2.8)


def eyes(c: Canvas, skin: Skin, look: Look, shown: Presentation) -> None:
    """Eyes with a lid, and lashes where they are long."""
    iris, lash = EYES[look.eyes], darker(skin.line, 55)
    lively = look.expression == "grin"
    for s in (-1, 1):
        x, y = s * EYE_X, EYE_Y
        c.shape(
            f"M {x - 8.6} {y + 0.6} C {x - 5.4} {y - 6.4} {x + 5.4} {y - 6.4} {x + 8.6} {y + 0.6} "
            f"C {x + 5.4} {y + 5.4} {x - 5.4} {y + 5.4} {x - 8.6} {y + 0.6}",
            mix(WHITE, skin.base, 6),
        )
        gx = x + look.gaze * 1.2
        c.disc(gx, y - 0.4, 4.1, iris)
        c.disc(gx, y - 0.3, 2.2, darker(iris, 70))
        c.disc(gx + look.lit * 1.4, y - 1.9, 1.3, WHITE)
        if lively:
            c.line(((x - 6.5, y + 3.4), (x, y + 5.2), (x + 6.5, y + 3.4)), 1.4, skin.shade, 200)
        long = shown.lashes == "long"
        lid: Points = (
            (x - s * 8.6, y + 0.6),
            (x - s * 4.4, y - 4.2),
            (x + s * 1.0, y - 5.2),
            (x + s * 5.8, y - 3.2),
            (x + s * 9.2, y + 0.4),
        )
        c.line(lid, 2.5 if long else 1.6, lash)
        if long:
            c.line(
                ((x + s * 6.8, y - 0.8), (x + s * 9.6, y - 1.8), (x + s * 12.0, y - 4.2)),
                2.4,
                lash,
                end=0.9,
            )
            c.line(
                ((x + s * 4.4, y - 2.8), (x + s * 7.0, y - 4.8), (x + s * 8.4, y - 7.2)),
                2.0,
                lash,
                end=0.8,
            )
            c.line(
                ((x - s * 6.0, y - 6.0), (x, y - 7.8), (x + s * 6.5, y - 6.2)), 1.4, skin.deep, 100
            )


def brows(c: Canvas, skin: Skin, look: Look, shown: Presentation) -> None:
    """Brows in the colour of the hair."""
    hair = HAIR[look.hair_colour]
    if look.hair_colour not in ("silver", "ash"):
        ink = mix(darker(hair, 25), skin.line, 30)
    else:
        ink = darker(hair, 28)
    if skin.dark and sum(ink) < 180:
        ink = tinted_dark(ink)
    lift = 1.5 if look.expression == "grin" else 0.0
    for s in (-1, 1):
        if shown.brows == "arched":
            c.line(
                (
                    (s * 8.5, 96.2 - lift),
                    (s * 14.5, 94.6 - lift),
                    (s * 21.5, 94.6 - lift),
                    (s * 27.5, 98.4 - lift),
                ),
                3.2,
                ink,
                end=1.4,
            )
        else:
            c.line(
                (
                    (s * 7.5, 97.2 - lift),
                    (s * 14.0, 96.0 - lift),
                    (s * 21.0, 96.0 - lift),
                    (s * 28.0, 98.8 - lift),
                ),
                5.0,
                ink,
                end=3.4,
            )


def tinted_dark(ink: Ink) -> Ink:
    """A dark colour that still shows on the darkest skin."""
    return mix(ink, (8, 6, 10), 60)


def mouth(c: Canvas, skin: Skin, look: Look, shown: Presentation) -> None:
    """Mouth: calm, smiling or laughing; lips natural or tinted."""
    y, rouge = MOUTH_Y, shown.lips == "tinted"
    ink = skin.rouge if rouge else skin.lips
    full = 1.0 if rouge else 0.0
    seam = darker(ink, 45) if not skin.dark else mix(ink, (20, 10, 14), 55)
    if look.expression == "grin":
        c.shape(
            (
                f"M -14 {y - 3} C -6 {y - 1} 6 {y - 1} 14 {y - 3} C 11 {y + 9 + full} -11 "
                f"{y + 9 + full} -14 {y - 3}"
            ),
            ink if rouge else darker(ink, 30),
        )
        c.shape(
            (
                f"M -11.5 {y - 1.6} C -5 {y - 0.2} 5 {y - 0.2} 11.5 {y - 1.6} C 9 {y + 4.8} "
                f"-9 {y + 4.8} -11.5 {y - 1.6}"
            ),
            mix(WHITE, skin.base, 6),
        )
        if rouge:
            c.shape(
                f"M -14 {y - 3} C -8 {y - 5.5} -3 {y - 5} 0 {y - 3.6} "
                f"C 3 {y - 5} 8 {y - 5.5} 14 {y - 3} C 6 {y - 0.6} -6 {y - 0.6} -14 {y - 3}",
                ink,
            )
        return
    curl = 3.6 if look.expression == "smile" else 1.5
    wide = 12.5 if look.expression == "smile" else 11.0
    if rouge:
        c.shape(
            f"M {-wide} {y - curl} C -7 {y - 5.2} -3 {y - 5} 0 {y - 3} "
            f"C 3 {y - 5} 7 {y - 5.2} {wide} {y - curl} C 6 {y + 7.6} -6 {y + 7.6} {-wide} "
            f"{y - curl}",
            ink,
        )
        c.disc(look.lit * 2.5, y + 3.4, 3.4, lighter_lip(ink), 120, tall=1.2)
    else:
        c.shape(
            f"M -8.5 {y} C -5 {y + 6.4} 5 {y + 6.4} 8.5 {y} C 4 {y + 1.6} -4 {y + 1.6} -8.5 {y}",
            ink,
            150,
        )
    c.line(
        ((-wide, y - curl), (-5.0, y + 0.6), (5.0, y + 0.6), (wide, y - curl)),
        1.8 if rouge else 2.2,
        seam,
        210 if rouge else 255,
    )


def lighter_lip(ink: Ink) -> Ink:
    """The light on a lip."""
    return mix(ink, (255, 226, 220), 55)


def beard(c: Canvas, skin: Skin, h: HeadShape, look: Look, shown: Presentation) -> None:
    """Facial hair with soft edges: layers of thin paint that grow denser towards the chin."""
    if shown.beard == "none":
        return
    hair = HAIR[look.hair_colour]
    ink = mix(hair, skin.line, 20) if sum(hair) > 200 else mix(hair, (62, 54, 62), 18)
    if skin.dark and sum(hair) > 260 and look.age != "senior":
        ink = mix(hair, (34, 22, 20), 50)
    full = {"stubble": 0, "short": 1, "full": 2}.get(shown.beard, -1)
    if full >= 0:
        steps, dense, drop = ((6, 22, 0.0), (6, 62, 1.0), (7, 78, 5.0))[full]
        for i in range(steps):
            c.polygon(_jawline(h, i * 1.1, drop), ink, dense)
    if shown.beard != "stubble":
        for i, alpha in enumerate((60, 110, 200)):
            g = 1.2 - i * 0.9
            c.shape(
                f"M 0 {132.6 - g} C 5 {131 - g} 12 {132.5 - g} {15 + g} {138.5 + g} C 9 "
                f"{137.5 + g} 4 {136.2 + g} 0 {136.2 + g} "
                f"C -4 {136.2 + g} -9 {137.5 + g} {-15 - g} {138.5 + g} C -12 {132.5 - g} -5 "
                f"{131 - g} 0 {132.6 - g}",
                ink,
                alpha,
            )


@lru_cache(maxsize=512)
def _jawline(h: HeadShape, inset: float, drop: float) -> Outline:
    """A band along the jaw with an opening for the mouth; ``inset`` draws its upper edges in."""
    w, j, p, c = h.width - inset * 0.2, h.jaw, h.point + drop * 0.4, h.chin + drop
    up, low, mouth_y, lip = 112 + inset * 1.8, 133 + inset * 0.9, MOUTH_Y, 17 - inset * 0.25
    right = (
        f"M 0 {mouth_y + 8 + inset} C 12 {mouth_y + 8 + inset} {lip + 0.5} {mouth_y + 3} "
        f"{lip} {low} "
        f"C {lip + 9} {low - 1} {w - 4} {126 + inset} {w} {up} "
        f"C {w} 120 {j + 4.5} 130 {j + drop * 0.4} 138 C {j - 4} {148 + drop} {p + 7} {c} 0 {c}"
    )
    return half(right)


def glasses(c: Canvas, look: Look) -> None:
    """Spectacles."""
    if look.glasses == "none":
        return
    # Glasses are no slot and have no number of their own.
    frame = (58, 72, 112) if look.tint("accessory") % 2 else (138, 80, 54)
    for s in (-1, 1):
        if look.glasses == "round":
            lens = ellipse(s * 16.8, 110.5, 12.0, 11.5)
        else:
            lens = rounded(s * 17.0 - 12.5, 101.5, s * 17.0 + 12.5, 119.5, 5.0)
        c.polygon(lens, WHITE, 34)
        c.loop(lens, 2.4, frame)
        c.line(((s * 29.0, 108.0), (s * 37.0, 106.0)), 2.2, frame)
    c.line(((-5.0, 109.0), (0.0, 107.0), (5.0, 109.0)), 2.2, frame)


def earrings(c: Canvas, h: HeadShape, shown: Presentation) -> None:
    """Studs or drops."""
    for s in (-1, 1) if shown.earrings != "none" else ():
        x = s * (h.width + 2.5)
        c.disc(x, 122.5, 2.3, (240, 200, 104))
        if shown.earrings == "drop":
            c.disc(x, 130.5, 3.0, (240, 200, 104), tall=5.0)
