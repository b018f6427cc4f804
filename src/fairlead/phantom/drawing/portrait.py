"""From a person to a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from fairlead.errors import UsageError
from fairlead.phantom.drawing import face, hair
from fairlead.phantom.drawing.accessories import BADGES, NECKWEAR
from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.drawing.clothes import clothes, outfit_of
from fairlead.phantom.drawing.hats import COVERING, HATS, brim_shadow, head_lamp, pencil
from fairlead.phantom.drawing.palette import room, skin
from fairlead.phantom.drawing.places import BACKGROUNDS
from fairlead.phantom.drawing.props import prop
from fairlead.phantom.people import Person, scene
from fairlead.phantom.scenes import DrawnScene, Look
from fairlead.types.ragged import Array

SMALLEST, LARGEST = 16, 1024


def draw(person: Person, size: int = 64) -> Image.Image:
    """The portrait of a person: RGB, square. The same person at the same size gives the same bytes.

    It is painted on a canvas several times as large and reduced by a box filter, so that every size
    shows the same picture.
    """
    factor = _factor(size)
    canvas = Canvas.blank(size * factor)
    paint(canvas, scene(person))
    return canvas.image.reduce(factor)


def draw_many(people: Sequence[Person], size: int = 64) -> Array:
    """The portraits of many people: (people, size, size, 3) uint8."""
    # For nobody too, a size that cannot be drawn is refused.
    _factor(size)
    out = np.empty((len(people), size, size, 3), np.uint8)
    for row, person in enumerate(people):
        out[row] = np.asarray(draw(person, size))
    return out


def reach(person: Person, size: int = 64) -> Array:
    """Where paint that depends on presentation or skin shows in the portrait: (size, size) bool.

    Two people of a matched set can differ only where one of their two reaches is true.
    """
    factor = _factor(size)
    canvas = Canvas.blank(size * factor, reach=True)
    paint(canvas, scene(person))
    # One fine pixel of protected paint is enough to count.
    shown: Array = np.asarray(canvas.image.reduce(factor)).max(axis=2) > 0
    return shown


def _factor(size: int) -> int:
    if not isinstance(size, int) or isinstance(size, bool) or not SMALLEST <= size <= LARGEST:
        raise UsageError(
            f"A portrait cannot be {size!r} pixels wide.",
            f"Give a whole number from {SMALLEST} to {LARGEST}.",
        )
    # Larger pictures need less smoothing; the canvas stays at 2,048 pixels a side or less.
    if size <= 256:
        return 4
    if size <= 512:
        return 3
    return 2


def paint(c: Canvas, shown: DrawnScene) -> None:
    """Paint a scene from back to front. What depends on presentation or skin goes on a shielded
    canvas.
    """
    look = shown.look
    # Places take no colours from their number; it says which way round they stand.
    turned = look.tint("background") % 2 == 1
    BACKGROUNDS[look.cue("background")](
        c.moved(256 if turned else 0, 0, flip=turned), room(look.backdrop, look.light)
    )
    scale = look.scale / 100
    # Enlarged from the lower edge of the picture, so that no gap opens below the sitter. The head
    # leans about the neck; the tests find the eyes by the numbers of its frame.
    body = c.moved(128 + look.shift, 256 - 256 * scale, scale)
    head = body.leaning(0, 168, look.tilt / 1000).moved(0, -14, 1.13)
    _sitter(body, head, shown)
    _headwear(head, look)
    worn, number = look.cue("accessory"), look.tint("accessory")
    if worn in BADGES:
        BADGES[worn](body, number, -look.side)
    # On the whole canvas: a prop keeps to its side of the picture wherever the sitter stands.
    if look.cue("prop"):
        prop(
            c,
            look.cue("prop"),
            look.tint("prop"),
            side=look.side,
            sleeve=outfit_of(look).sleeve,
            skin=skin(shown.skin),
        )


def _sitter(body: Canvas, head: Canvas, shown: DrawnScene) -> None:
    look, presentation, tone = shown.look, shown.presentation, skin(shown.skin)
    shape = face.head_of(look.face, presentation.jaw)
    locks = hair.hair_of(look, tone, shape, look.cue("headwear") in COVERING)
    # The jaw is presentation and the skin is tone, so all of the head is shielded.
    own = head.shielded()
    hair.back(own, locks, presentation)
    face.neck(body.shielded(), tone, look, presentation)
    clothes(body, outfit_of(look), tone, look, presentation)
    # Before the hair in front, which falls over it.
    worn = look.cue("accessory")
    if worn in NECKWEAR:
        NECKWEAR[worn](body, look.tint("accessory"), -look.side)
    face.ears(own, tone, shape)
    face.head(own, tone, shape, look)
    # Before nose and mouth, so that no beard covers them.
    face.beard(own, tone, shape, look, presentation)
    face.nose(own, tone, look)
    face.eyes(own, tone, look, presentation)
    face.brows(own, tone, look, presentation)
    face.mouth(own, tone, look, presentation)
    hair.front(own, locks, presentation)
    # On the open canvas, and over the hair: glasses are the same for the whole matched set.
    face.glasses(head, look)
    # Last: long hair would hide them.
    face.earrings(own, shape, presentation)


def _headwear(head: Canvas, look: Look) -> None:
    hat, worn, number = look.cue("headwear"), look.cue("accessory"), look.tint("accessory")
    # The shadow first, because the brim covers its upper edge.
    if hat in COVERING:
        brim_shadow(head)
    if hat:
        HATS[hat](head, look.tint("headwear"), look.lit)
    # After the hat: a lamp sits on it, and a brim would hide the pencil.
    if worn == "head lamp":
        head_lamp(head, hat in COVERING)
    elif worn == "pencil":
        pencil(head, number, -look.side)
