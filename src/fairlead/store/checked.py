"""Checks of large files that need not be made twice: one that passed is remembered for what the
files are now.

What the disk says of a file (size, times of change, its number) stands for its content. Whoever
writes to a file changes that; a disk that loses bits by itself, after the check, does not.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from fairlead.store.places import cache_folder

CHECKED = "checked"
"""The folder of the cache that says what was checked."""
# A file can be changed twice within one tick of the disk's clock, so a young one is not remembered.
_YOUNG = 2_000_000_000
_CHUNK = 1 << 20


def check_once(files: Sequence[Path], check: Callable[[], None]) -> None:
    """Make a check, unless it passed for these very files before.

    Args:
        files: What the check looks at.
        check: Raises where something is wrong.
    """
    # Taken before the check: what is changed while it runs must be checked again.
    state, newest = _state(files)
    mark = cache_folder() / CHECKED / hashlib.sha256(_names(files).encode()).hexdigest()[:24]
    if state and _read(mark) == state:
        return
    check()
    if state and time.time_ns() - newest > _YOUNG:
        _remember(mark, state)


def crc32_of(file: Path) -> int:
    """The checksum of a file, read in chunks."""
    total = 0
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            total = zlib.crc32(chunk, total)
    return total


def _state(files: Sequence[Path]) -> tuple[str, int]:
    """What the disk says of files, and when one of them was last changed; empty where one is not
    there, for the check to tell.
    """
    try:
        every = [os.stat(file) for file in files]
    except OSError:
        return "", 0
    parts = [(s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino) for s in every]
    newest = max((max(s.st_mtime_ns, s.st_ctime_ns) for s in every), default=0)
    return hashlib.sha256(repr(parts).encode()).hexdigest(), newest


def _names(files: Sequence[Path]) -> str:
    return "\0".join(ascii(os.path.realpath(file)) for file in files)


def _read(mark: Path) -> str:
    try:
        return mark.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""


def _remember(mark: Path, state: str) -> None:
    # Where nothing can be kept, the next run makes the check again.
    with suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        partial = mark.with_name(f".{mark.name}.{secrets.token_hex(4)}")
        partial.write_text(state, encoding="ascii")
        os.replace(partial, mark)
