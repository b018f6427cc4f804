"""Files that fairlead wrote, and somebody may have changed since: what is in them is looked at when
they are read, so that a fault is told there, with the file and how to make it anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, FairleadError, words_of

Shape = Mapping[str, Any]
"""What stands under which name: a type, several, or a shape of its own. A name that ends with ``?``
may be missing."""
_WORDS = {int: "a whole number", str: "a text", list: "a list", dict: "a record", bool: "a yes"}


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


def check_shape(value: Any, shape: Shape) -> None:
    """Refuse a record that lacks something, or holds something else under its name.

    Raises:
        ValueError: With the name.
    """
    if not isinstance(value, dict):
        raise ValueError("it is no record")
    for key, expected in shape.items():
        name = key.removesuffix("?")
        if name not in value:
            if name == key:
                raise ValueError(f"it does not say its {name}")
        elif isinstance(expected, Mapping):
            try:
                check_shape(value[name], expected)
            except ValueError as error:
                raise ValueError(f"of its {name}, {error}") from None
        elif not _is(value[name], expected):
            kind = expected[0] if isinstance(expected, tuple) else expected
            raise ValueError(f"its {name} is not {_WORDS.get(kind, 'what it should be')}")


def _is(value: Any, expected: Any) -> bool:
    # to Python, true is a whole number, and a negative one counts nothing
    if isinstance(value, bool):
        return expected is bool
    return isinstance(value, expected) and not (expected is int and value < 0)
