"""One writer at a time: a lock file that the system releases when its process ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairlead.errors import UsageError


@contextmanager
def locked(path: Path, what: str, *, wait: bool = False) -> Iterator[None]:
    """Hold a lock file that names the process holding it.

    A file left behind by a dead process holds nothing.

    Args:
        path: The lock file.
        what: What is done while it is held, for the message.
        wait: Whether to wait for who holds it.

    Raises:
        UsageError: Where a living process holds it, and it is not waited for.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = _held(path, what, wait=wait)
    try:
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        yield
    finally:
        with suppress(
            OSError
        ):  # Windows cannot remove an open file; the next process takes it over
            path.unlink()
        os.close(file)


def _held(path: Path, what: str, *, wait: bool) -> int:
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _take(file, wait=wait)
        except OSError as error:
            os.close(file)
            holder = ""
            with suppress(OSError):
                holder = path.read_text(encoding="utf-8").strip()
            raise UsageError(
                f"Another process{f' ({holder})' if holder else ''} is {what}.",
                "Wait until it is done, and run this again.",
            ) from error
        with suppress(OSError):
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        # its last holder removed the file after we opened it and before we locked it
        os.close(file)


def _take(file: int, *, wait: bool) -> None:
    if sys.platform == "win32":
        import msvcrt

        mode = msvcrt.LK_NBLCK
        if wait:
            mode = msvcrt.LK_LOCK
        while True:
            try:
                msvcrt.locking(file, mode, 1)
                return
            except OSError:  # LK_LOCK gives up after ten seconds
                if not wait:
                    raise
    else:
        import fcntl

        mode = fcntl.LOCK_EX
        if not wait:
            mode |= fcntl.LOCK_NB
        fcntl.flock(file, mode)
