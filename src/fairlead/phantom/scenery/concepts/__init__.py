"""One file per concept, one function per culture's form of it: the same shape family, other
details.

A form draws on a canvas whose origin is where the thing touches the ground; it reaches about 75
units to both sides and 145 up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fairlead.phantom.drawing.canvas import Canvas
from fairlead.phantom.scenery.colours import Dress
from fairlead.phantom.scenery.concepts import (
    basket,
    bicycle,
    boat,
    bowl,
    bread,
    bridge,
    chair,
    door,
    drum,
    hat,
    house,
    lamp,
    market,
    tea,
    tree,
    umbrella,
)

Form = Callable[[Canvas, Dress, int], None]

_FILES = (
    basket,
    bicycle,
    boat,
    bowl,
    bread,
    bridge,
    chair,
    door,
    drum,
    hat,
    house,
    lamp,
    market,
    tea,
    tree,
    umbrella,
)
# A file has the name of its concept, a function that of its culture: both are found by it.
FORMS: Mapping[str, Mapping[str, Form]] = {
    file.__name__.rpartition(".")[2]: file.FORMS for file in _FILES
}
"""By concept, then by culture (or ``plain``)."""

AFLOAT = frozenset(("boat", "bridge"))
"""Concepts on water."""
