"""What is written never takes the place of what is read: one guard before every command that writes
a file.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from fairlead.errors import UsageError

_WRITTEN = ("out", "sheet")
"""Parameters that name what is written."""
_PICTURES = "sheet"
"""The one that writes a picture: among the pictures of a folder that is read, it would take the
place of one of them.
"""


def sparing(command: click.Command) -> click.Command:
    """A command, with its own commands, that refuses to write over a file it was given to read."""
    for inner in getattr(command, "commands", {}).values():
        sparing(inner)
    # A group loads its command each time it is asked for it; one guard is enough.
    run = command.callback
    if (
        run is None
        or getattr(run, "sparing", False)
        or not any(one.name in _WRITTEN for one in command.params)
    ):
        return command

    @functools.wraps(run)
    def guarded(*args: Any, **values: Any) -> Any:
        refuse_lost(values)
        return run(*args, **values)

    guarded.sparing = True  # type: ignore[attr-defined]
    command.callback = guarded
    return command


def refuse_lost(values: Mapping[str, Any]) -> None:
    """Refuse values of parameters of which one is to be written over another.

    Raises:
        UsageError: Where it is.
    """
    for name in _WRITTEN:
        out = values.get(name)
        # Only a file that is there can be lost. A folder is left to whoever writes into it.
        if not isinstance(out, (str, os.PathLike)) or not Path(out).expanduser().is_file():
            continue
        place = _real(out)
        for read in _texts({key: value for key, value in values.items() if key not in _WRITTEN}):
            among = (
                name == _PICTURES
                and Path(read).expanduser().is_dir()
                and _real(read) in place.parents
            )
            if _real(read) == place or among:
                raise UsageError(
                    f"{os.fspath(out)} is an input of this command; it would be lost.",
                    "Choose another path.",
                )


def _texts(values: Mapping[str, Any]) -> Iterator[str]:
    """The texts among values, and in those that are several."""
    for value in values.values():
        yield from (
            one
            for one in (value if isinstance(value, (tuple, list)) else (value,))
            if isinstance(one, str) and one
        )


def _real(path: str | os.PathLike[str]) -> Path:
    # Links and .. are two more names of the same file.
    return Path(os.path.realpath(Path(path).expanduser()))
