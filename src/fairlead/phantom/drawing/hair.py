"""Hair: a cut (presentation) in a texture and colour (unprotected).

Under a hat the lengths, sides and nape stay visible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from fairlead.phantom.drawing import lengths
from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.curves import half, path
from fairlead.phantom.drawing.face import HeadShape
from fairlead.phantom.drawing.palette import HAIR, Skin, lighter, mix
from fairlead.phantom.drawing.strands import Hair, cap, gloss, parting
from fairlead.phantom.scenes import Look, Presentation


def hair_of(look: Look, skin: Skin, h: HeadShape, hatted: bool) -> Hair:
    """The hair of a sitter. On dark skin, dark hair is a little lighter, so that its edge shows."""
    ink = HAIR[look.hair_colour]
    if skin.dark and sum(ink) < 260:
        ink = mix(ink, (88, 78, 98), 14)
    return Hair(
        ink,
        mix(ink, (16, 12, 24), 38),
        lighter(ink, 30),
        look.texture,
        h.width,
        look.lit,
        hatted,
        skin.shade,
    )


def back(c: Canvas, hair: Hair, shown: Presentation) -> None:
    """What lies behind neck and shoulders."""
    if shown.hair in _BACK:
        _BACK[shown.hair](c, _standing(hair, shown))


def front(c: Canvas, hair: Hair, shown: Presentation) -> None:
    """What lies before head and shoulders."""
    _FRONT[shown.hair](c, _standing(hair, shown))


def _standing(hair: Hair, shown: Presentation) -> Hair:
    """A cloud of hair needs a curl to stand."""
    if shown.hair == "cloud" and not hair.curled:
        return replace(hair, texture="curly")
    return hair


def _crop(c: Canvas, hair: Hair) -> None:
    cap(c, hair, top=47, burn=106, line=78)
    gloss(c, hair, 55)


def _fade(c: Canvas, hair: Hair) -> None:
    cap(c, hair, top=51, burn=110, line=78, ink=mix(hair.ink, hair.scalp, 45))
    if not hair.hatted:
        w = hair.width
        top = 40.0 if hair.curled else 43.0
        hair.fill(
            c,
            half(
                f"M 0 {top} C 22 {top} {w - 2} {top + 8} {w - 1} 76 C {w - 5} 82 {w - 10} "
                f"80 {w - 14} 79 C 15 75 7 75 0 76"
            ),
        )
    gloss(c, hair, 52)


def _cut(c: Canvas, hair: Hair) -> None:
    cap(c, hair, top=41, burn=105, line=80)
    if not hair.hatted:
        side = c.moved(0, 0, flip=hair.lit < 0)
        swept = (
            "M -34 74 C -30 60 -10 54 8 58 C 22 60 32 68 35 80 C 26 80 20 78 14 83 C 6 78 -4 "
            "80 -10 86 C -18 80 -26 82 -34 74"
        )
        hair.fill(side, path(swept))
        side.line(((-22.0, 72.0), (-8.0, 65.0), (8.0, 66.0)), 2.0, hair.deep, 110, end=0.8)
    gloss(c, hair, 51)


def _parted(c: Canvas, hair: Hair) -> None:
    parting(c, hair, top=42)
    gloss(c, hair, 53)


def _quiff(c: Canvas, hair: Hair) -> None:
    cap(c, hair, top=46, burn=105, line=79)
    if not hair.hatted:
        side = c.moved(0, 0, flip=hair.lit < 0)
        rise = (
            "M -33 79 C -42 58 -28 42 -4 38 C 20 34 40 42 39 64 C 38 74 34 79 31 82 C 24 73 "
            "8 71 -6 75 C -16 78 -24 79 -33 79"
        )
        hair.fill(side, path(rise))
        if not hair.curled:
            side.line(((-22.0, 72.0), (-8.0, 57.0), (14.0, 49.0)), 2.2, hair.deep, 110, end=0.8)
    gloss(c, hair, 50)


def _pixie(c: Canvas, hair: Hair) -> None:
    parting(c, hair, top=41, burn=113)
    gloss(c, hair, 52)


def _tapered(c: Canvas, hair: Hair) -> None:
    cap(c, hair, top=47, burn=110, line=79, ink=mix(hair.ink, hair.scalp, 20))
    if not hair.hatted:
        w = hair.width
        hair.fill(
            c,
            half(
                f"M 0 33 C 26 33 {w + 5} 46 {w + 5} 72 C {w + 3} 84 {w - 6} 84 {w - 13} "
                "80 C 15 76 7 76 0 77"
            ),
        )
    gloss(c, hair, 44)


Cut = Callable[[Canvas, Hair], None]

# Cuts without length have nothing behind the shoulders.
_BACK: Mapping[str, Cut] = {
    "long": lengths.long_back,
    "bob": lengths.bob_back,
    "ponytail": lengths.tail_back,
    "bun": lengths.bun_back,
    "plaits": lengths.plaits_back,
    "cloud": lengths.cloud_back,
    "shag": lengths.shag_back,
}
_FRONT: Mapping[str, Cut] = {
    "long": lengths.long_front,
    "bob": lengths.bob_front,
    "ponytail": lengths.tail_front,
    "bun": lengths.bun_front,
    "plaits": lengths.plaits_front,
    "cloud": lengths.cloud_front,
    "shag": lengths.shag_front,
    "crop": _crop,
    "parted": _parted,
    "quiff": _quiff,
    "cut": _cut,
    "fade": _fade,
    "pixie": _pixie,
    "tapered": _tapered,
}
