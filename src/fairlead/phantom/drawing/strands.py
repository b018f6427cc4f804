"""What every cut is made of: hair close to the skull, a parting, the light on it."""

from __future__ import annotations

from dataclasses import dataclass

from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.curves import Outline, half, path, textured

# Below the top of every hat (the lowest, the flat cap, begins at 39), so that no hair sticks out.
_HATTED_TOP = 50.0


@dataclass(frozen=True)
class Hair:
    """What a cut needs to be drawn.

    Attributes:
        ink: Colour.
        deep: Colour in the shade.
        shine: Colour in the light.
        texture: ``straight``, ``wavy``, ``curly`` or ``coily``.
        width: Half the width of the head.
        lit: Side the light comes from.
        hatted: Whether a hat covers the crown.
        scalp: Skin in the shade, for hair cut very short.
    """

    ink: Ink
    deep: Ink
    shine: Ink
    texture: str
    width: float
    lit: int
    hatted: bool
    scalp: Ink

    def fill(self, c: Canvas, shape: Outline, ink: Ink | None = None) -> None:
        """Fill an outline with the edge of the texture."""
        c.polygon(textured(shape, self.texture), ink or self.ink)

    def pair(self, c: Canvas, shape: Outline) -> None:
        """Fill an outline and its mirror image about x = 0."""
        self.fill(c.moved(0, 0, flip=True), shape)
        self.fill(c, shape)

    @property
    def curled(self) -> bool:
        """Whether the texture stands away from the head."""
        return self.texture in ("curly", "coily")


def cap(
    c: Canvas, hair: Hair, *, top: float, burn: float, line: float, ink: Ink | None = None
) -> None:
    """Hair close to the skull: how high it is, how low the sideburns reach, where it begins."""
    w, rise = hair.width, _HATTED_TOP if hair.hatted else top
    text = (
        f"M 0 {rise} C 25 {rise} {w + 3.5} {rise + 13} {w + 3} 96 L {w + 2.5} {burn} "
        f"C {w + 1} {burn + 1} {w - 3} {burn} {w - 3.5} {burn - 1} "
        f"C {w - 4} 95 {w - 7} {line + 9} {w - 13} {line + 4} C 15 {line - 1} 7 {line - 1} 0 {line}"
    )
    hair.fill(c, half(text), ink)


def parting(c: Canvas, hair: Hair, *, top: float, burn: float = 106.0) -> None:
    """Hair combed over from a parting on the lit side; it ends above the brow."""
    w, rise = hair.width, _HATTED_TOP if hair.hatted else top
    side = c.moved(0, 0, flip=hair.lit < 0)
    text = (
        f"M 14 {rise + 2} C 30 {rise + 4} {w + 4} {rise + 16} {w + 3} 96 L {w + 2.5} {burn} L "
        f"{w - 3} {burn - 1} "
        f"C {w - 4} 94 {w - 7} 84 21 72 C 10 82 -14 86 {-w + 9} 83 C {-w + 5} 86 {-w + 4} 92 "
        f"{-w + 3.5} {burn - 1} L {-w - 2.5} {burn} "
        f"L {-w - 3} 96 C {-w - 5} {rise + 14} -28 {rise - 3} 14 {rise + 2}"
    )
    hair.fill(side, path(text))
    if not hair.hatted and not hair.curled:
        side.line(((20.0, 72.0), (14.0, 60.0), (4.0, 52.0)), 1.6, hair.deep, 150)


def gloss(c: Canvas, hair: Hair, y: float) -> None:
    """Light on the crown."""
    if hair.hatted:
        return
    s = float(hair.lit)
    if hair.curled:
        for x, dy, r in ((8.0, 0.0, 4.0), (17.0, 3.0, 3.6), (25.0, 9.0, 3.2), (14.0, 11.0, 3.0)):
            c.disc(s * x, y + dy, r, hair.shine, 80)
    else:
        c.line(
            ((s * 4.0, y - 1), (s * 15.0, y + 2), (s * 25.0, y + 9), (s * 30.0, y + 17)),
            5.0,
            hair.shine,
            85,
            end=2.0,
        )
