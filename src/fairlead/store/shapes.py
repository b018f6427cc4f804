"""What saved values must be: a file of ours may have been changed by hand, or by the disk, and a
value of another type would be noticed far from where it was read.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, FairleadError, words_of

COUNT = "a whole number from 0 on"
NUMBER = "a number"
TEXT = "a text"
FLAG = "true or false"
# No count of ours comes near it, and numpy takes no larger one.
_MOST = 1 << 62
_KINDS: dict[str, tuple[type, ...]] = {
    COUNT: (int,),
    NUMBER: (int, float),
    TEXT: (str,),
    FLAG: (bool,),
}

Shape = str | tuple[str, ...] | list[Any] | dict[str, Any]
"""One of the words above; the texts that are accepted; a list with the shape of its members; or the
shapes of the fields of an object, of which all must be there, with ``*`` for those not named.
"""

TORN = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)
"""What reading a saved file may raise where its bytes are not what was written."""


@contextmanager
def reading(place: str | Path, what: str, hint: str) -> Iterator[None]:
    """Turn whatever a file makes its readers raise into an error that names it and says what to
    do.
    """
    try:
        yield
    except FairleadError:
        raise
    except Exception as error:  # readers of foreign bytes raise anything
        raise DataError(f"{place} cannot be read as {what}: {words_of(error)}.", hint) from error


def misfit(value: Any, shape: Shape, name: str = "it") -> str:
    """What of a value is not of a shape, as the end of a sentence; empty where all fits.

    >>> misfit({"items": "x"}, {"items": COUNT}), misfit({"items": 3}, {"items": COUNT})
    ("'items' is not a whole number from 0 on", '')
    """
    if isinstance(shape, str):
        fits = isinstance(value, _KINDS[shape]) and (shape == FLAG or not isinstance(value, bool))
        if fits and (shape != COUNT or 0 <= value < _MOST):
            return ""
        return f"{name} is not {shape}"
    if isinstance(shape, tuple):
        if isinstance(value, str) and value in shape:
            return ""
        return f"{name} is not {' or '.join(shape)}"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{name} is not a list"
        return next(filter(None, (misfit(one, shape[0], f"one of {name}") for one in value)), "")
    return _misfit_of_object(value, shape, name)


def _misfit_of_object(value: Any, shape: Mapping[str, Any], name: str) -> str:
    if not isinstance(value, dict):
        return f"{name} is not an object"
    fields = {one: inner for one, inner in shape.items() if one != "*"}
    if missing := fields.keys() - value.keys():
        return f"{name} has no '{min(missing)}'"
    if "*" in shape:
        fields |= dict.fromkeys(value, shape["*"])
    found = (misfit(value[one], inner, f"'{one}'") for one, inner in fields.items())
    return next(filter(None, found), "")
