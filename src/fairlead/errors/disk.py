"""Faults of the disk in words. A place that may not be written is a matter of the request; a disk
that is full or fails is a foreign system, and the same request may succeed later.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairlead.errors.tree import BackendError, FairleadError, UsageError

CHOOSE = "Choose a folder you may write to."
ROOM = "Make room, and give the same command again."
_FULL = frozenset(
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "ENXIO")
    if hasattr(errno, name)
)
_CLOSED = frozenset(
    getattr(errno, name)
    for name in ("EROFS", "EACCES", "EPERM", "ENOTDIR", "EISDIR", "EEXIST", "ENAMETOOLONG")
)
# numpy counts what it wrote, and keeps no number of the error
_SHORT = re.compile(r"requested and \d+ written")


def is_full(error: OSError) -> bool:
    """Whether an error is that of a disk that is full or fails."""
    return error.errno in _FULL or _SHORT.search(str(error)) is not None


def unwritten(place: str | Path, error: OSError, hint: str = CHOOSE) -> FairleadError:
    """The error for a place that could not be written.

    Args:
        place: What was to be written.
        error: What the system says.
        hint: What to do where the place may not be written.
    """
    said = f"{place} cannot be written: {error.strerror or error}."
    if is_full(error):
        return BackendError(said, ROOM)
    return UsageError(said, hint)


@contextmanager
def writing(place: str | Path, hint: str = CHOOSE) -> Iterator[None]:
    """Tell a place that cannot be written, while nothing else is done than to write it."""
    try:
        yield
    except OSError as error:
        raise unwritten(place, error, hint) from error


@contextmanager
def filling(place: str | Path) -> Iterator[None]:
    """Tell a full disk while a place is filled; other faults may be those of what is read."""
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        raise unwritten(place, error) from error


def told(error: OSError) -> FairleadError | None:
    """An error of the disk that nobody met on its way to a door; None for any other."""
    if is_full(error) or error.errno in _CLOSED:
        return unwritten(error.filename or "The output", error)
    return None
