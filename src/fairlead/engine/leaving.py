"""The user's queries to leave alone, from a file or a list."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fairlead.errors import UsageError
from fairlead.trigger.leaving import Leave


def leaving(leave: Any) -> Leave:
    """Queries to leave alone, from a file or a list of queries and patterns.

    >>> leaving(["nurse*"]).match("nurse in scrubs")
    'nurse*'
    """
    if leave is None or isinstance(leave, Leave):
        return leave or Leave()
    # Only who has a list pays for reading one.
    from fairlead.store.leave_out import entries, read_lines

    # What is neither a file nor a list is refused with the lists of other things.
    lines: Iterable[Any] = (None,)
    if isinstance(leave, (str, Path)):
        lines = read_lines(leave)
    elif isinstance(leave, Iterable):
        lines = tuple(leave)
    if not all(isinstance(line, str) for line in lines):
        raise UsageError("Queries to leave alone must be a file or a list of texts.")
    # A list that also names items (``item:``) may be given as it is.
    return Leave(tuple(text for kind, text in entries(lines, "query") if kind == "query"))
