"""One writer at a time: a lock file that the system releases when its process ends. Who comes
second waits, and says so.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairlead.errors import BackendError, UsageError

WAIT = "FAIRLEAD_WAIT"
"""The variable that says for how many seconds others are waited for."""
# To embed a large collection takes hours; a process that hangs must not hold up others for a day.
_LONGEST = 3600.0
# Seconds of waiting before a line says so: nobody wants to read of shorter ones.
_UNSAID = 0.5
_PAUSES = 0.01, 0.25
_BUSY = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold a lock file that names the process holding it; wait for another process or thread.

    A file left behind by a dead process holds nothing. A lock is held once: who has it must not
    ask for it again.

    Args:
        path: The lock file.
        what: What is done while it is held, for the messages of those who wait.

    Raises:
        BackendError: Where a living process holds it for longer than others are waited for.
        UsageError: Where the file cannot be made.
    """
    file = _held(path, what)
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


def _held(path: Path, what: str) -> int:
    turn = _Turn(path, what)
    while True:
        file = _opened(path)
        if _taken(file, path):
            with suppress(OSError):
                if os.path.samestat(os.fstat(file), os.stat(path)):
                    return file
            # its last holder removed the file after we opened it and before we locked it
            os.close(file)
        else:
            os.close(file)
            turn.wait()


class _Turn:
    """The waiting of one who came second: short pauses, one line, and an end."""

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what = path, what
        self._start, self._pause, self._said = time.monotonic(), _PAUSES[0], False

    def wait(self) -> None:
        """Wait a little more."""
        passed = time.monotonic() - self._start
        longest = _longest()
        if passed >= longest:
            raise BackendError(
                f"{self._holder()} is {self._what}, and was waited for {longest:g} s.",
                f"Run this again when it is done, or wait longer: {WAIT}=SECONDS.",
            )
        if passed >= _UNSAID and not self._said:
            import logging

            # Without a handler of the program's own, Python prints it on standard error.
            logging.getLogger("fairlead").warning(
                "%s is %s; waiting for it.", self._holder(), self._what
            )
            self._said = True
        time.sleep(min(self._pause, longest))
        self._pause = min(2 * self._pause, _PAUSES[1])

    def _holder(self) -> str:
        number = ""
        with suppress(OSError):
            number = self._path.read_text(encoding="utf-8").strip()
        if number == str(os.getpid()):
            return "Another thread"
        if number:
            return f"Another process ({number})"
        return "Another process"


def _longest() -> float:
    """For how many seconds others are waited for."""
    given = os.environ.get(WAIT) or _LONGEST
    try:
        seconds = float(given)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise UsageError(f"{WAIT} is {given!r}.", "Give a number of seconds, such as 600.")
    return seconds


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UsageError(
            f"{path.parent} cannot be written: {error.strerror or error}.",
            "Choose a folder you may write to (FAIRLEAD_CACHE, where it is in the cache).",
        ) from error


def _taken(file: int, path: Path) -> bool:
    """Whether the lock is ours now, without waiting."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        os.close(file)
        raise BackendError(
            f"{path.parent} lies on a disk without locks: {error.strerror or error}.",
            "Choose a folder on another disk.",
        ) from error
    return True
