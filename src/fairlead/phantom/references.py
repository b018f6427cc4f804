"""References: drawings are named by their code, and only drawn when somebody looks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.phantom.people import Person
from fairlead.phantom.things import Thing
from fairlead.types.ragged import Array

_PERSON, _THING = "phantom:person/", "phantom:thing/"


def refer(drawing: Person | Thing) -> str:
    """The reference of a drawing: ``phantom:person/nurse/female/3/12`` or
    ``phantom:thing/house/thai/4``.
    """
    return (_PERSON if isinstance(drawing, Person) else _THING) + drawing.key


def is_drawing(image: object) -> bool:
    """Whether something looks like a reference to a drawing."""
    return isinstance(image, str) and image.startswith((_PERSON, _THING))


def resolve(reference: str) -> Person | Thing:
    """The drawing behind a reference."""
    try:
        if reference.startswith(_PERSON):
            return Person.of(reference.removeprefix(_PERSON))
        if reference.startswith(_THING):
            return Thing.of(reference.removeprefix(_THING))
    except UsageError as error:
        raise DataError(
            f"'{reference}' refers to no drawing of the phantom: {error.message}", error.hint
        ) from error
    raise DataError(
        f"'{reference}' refers to no drawing of the phantom.",
        (
            "The phantom sees its own drawings only: phantom:person/nurse/female/3/12 or "
            "phantom:thing/house/thai/4."
        ),
    )


def pixels(references: Sequence[str], size: int = 64) -> Array:
    """(drawings, size, size, 3) uint8 pictures of references."""
    # Imported here, so that naming a drawing does not load Pillow.
    from fairlead.phantom import drawing, scenery

    drawn = [resolve(reference) for reference in references]
    pictures = [
        drawing.draw(d, size) if isinstance(d, Person) else scenery.draw(d, size) for d in drawn
    ]
    if pictures:
        return np.stack([np.asarray(p, np.uint8) for p in pictures])
    return np.empty((0, size, size, 3), np.uint8)
