"""Props: held in a hand or standing beside the sitter."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlead.phantom.drawing import gear, goods, tools
from fairlead.phantom.drawing.canvas import Canvas, Ink
from fairlead.phantom.drawing.palette import Skin, darker, lighter

HELD: Mapping[str, Callable[[Canvas, int], None]] = {
    "palette": tools.palette,
    "rocket": gear.rocket,
    "hammer": tools.hammer,
    "saw": tools.saw,
    "flask": gear.flask,
    "frying pan": tools.frying_pan,
    "clipboard": gear.clipboard,
    "light bulb": gear.light_bulb,
    "blueprint": tools.blueprint,
    "pitchfork": tools.pitchfork,
    "bouquet": gear.bouquet,
    "scissors": tools.scissors,
    "gavel": tools.gavel,
    "wrench": tools.wrench,
    "pickaxe": tools.pickaxe,
    "medicine": gear.medicine,
    "model plane": gear.model_plane,
    "radio": gear.radio,
    "tray": gear.tray,
}
STANDING: Mapping[str, Callable[[Canvas, int], None]] = {
    "bread": goods.bread,
    "sausages": goods.sausages,
    "extinguisher": goods.extinguisher,
    "watering can": goods.watering_can,
    "books": goods.books,
    "drip": goods.drip,
    "laptop": goods.laptop,
    "wheel": goods.wheel,
    "globe": goods.globe,
}


def prop(c: Canvas, name: str, number: int, *, side: int, sleeve: Ink, skin: Skin) -> None:
    """Draw a prop at its side of the picture (the whole canvas)."""
    if name in STANDING:
        STANDING[name](c.moved(128 + side * 82, 250, 0.94, flip=side < 0), number)
        return
    at = c.moved(128 + side * 84, 222, 0.94, flip=side < 0)
    # The hand comes last, over the handle; it is skin, while the sleeve belongs to the uniform.
    HELD[name](at, number)
    _hand(at, sleeve, skin)


def _hand(c: Canvas, sleeve: Ink, skin: Skin) -> None:
    """A closed hand and its sleeve. The hand has one shape for everyone."""
    c.shape("M -14 14 L 15 14 L 22 52 L -22 52", sleeve)
    c.shape("M 6 14 L 15 14 L 22 52 L 10 52", darker(sleeve, 26), 120)
    c.bar(-16, 12, 17, 20, lighter(sleeve, 24), radius=3)
    own = c.shielded()
    own.blob(
        (
            (-13.0, -8.0),
            (-4.0, -12.5),
            (9.0, -11.0),
            (15.0, -3.0),
            (14.0, 9.0),
            (8.0, 14.5),
            (-8.0, 14.5),
            (-14.0, 6.0),
        ),
        skin.base,
    )
    own.shape("M 4 14.5 C 12 14 16 6 15 -3 C 13 4 10 9 4 14.5", skin.shade, 170)
    for y in (-5.0, 1.0, 7.0):
        own.line(((-13.0, y), (-4.0, y + 0.6)), 1.7, skin.fold)
    own.line(((-3.0, -10.0), (4.0, -6.0), (9.0, 0.0)), 6.6, skin.base)
    own.line(((-2.0, -6.6), (3.0, -2.6), (8.0, 3.4)), 1.5, skin.fold)
