"""Writing that appears whole or not at all: the work is done beside its place, then moved there.

What a killed run leaves beside a place is hidden, and cleared away by the next run that writes
there.
"""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from fairlead.errors import UsageError, filling, writing
from fairlead.store.ours import refuse_foreign, sign

__all__ = ["atomic", "atomic_folder", "drop_begun", "settle"]

# On a system without such locks, nothing is ever considered abandoned.
_LOCKS = importlib.util.find_spec("fcntl") is not None
# A file younger than so many seconds is not considered abandoned: it may not be locked yet.
_FRESH = 60.0
_DATABASE = b"SQLite format 3\0"
_BEGUN: set[Path] = set()
"""What is being written beside its place now."""


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """A temporary path that replaces ``path`` when the block ends well, and vanishes otherwise.

    The temporary path has the same suffix.

    Raises:
        UsageError: If the place cannot be written or its folder is not there, before any work is
            done.
    """
    place = _real(path)
    # nobody would look for the file in a folder that was made without being asked for
    if not place.parent.exists():
        raise UsageError(
            f"There is no folder {Path(path).parent}, so {path} cannot be written.",
            "Make it first, or choose another path.",
        )
    if place.exists() and not place.is_file():
        raise UsageError(
            f"{path} is not a file, so it cannot be replaced by one.", "Choose another path."
        )
    if _is_database(place):
        # people were paid for the answers in a store, and no output of ours is a database
        raise UsageError(f"{path} is a database; it would be lost.", "Choose another path.")
    _clear(place)
    with _begun(place) as partial:
        with writing(path):
            # not a temporary file of Python's, which only its owner may read
            partial.touch(exist_ok=False)
        with _held(partial), filling(path):
            yield partial
            with writing(path):
                settle(partial)
                os.replace(partial, place)


@contextmanager
def atomic_folder(path: str | Path, same: Mapping[str, Any] | None = None) -> Iterator[Path]:
    """A temporary folder that becomes ``path`` when the block ends well, and vanishes otherwise.

    The block writes a manifest that names fairlead and the command; the list of files is added to
    it. An earlier folder is replaced as a whole where it holds nothing but the files its manifest
    lists; any other folder that is not empty is refused.

    Args:
        path: The folder.
        same: What the manifest of an earlier folder must say for it to be replaced: the command,
            what was trained.

    Raises:
        UsageError: If the place cannot be written or holds something else, before any work is done.
    """
    place = _real(path)
    _clear(place)
    with writing(path):
        refuse_foreign(place, path, same)
    with _begun(place) as partial:
        with writing(path):
            partial.mkdir()
        with _held(partial), filling(path):
            yield partial
            with writing(path):
                sign(partial)
                for file in partial.rglob("*"):
                    if file.is_file():
                        settle(file)
                # asked again: the work may have taken hours, in which others used the place
                refuse_foreign(place, path, same)
                # only now, so that a run that fails leaves no empty folders behind
                place.parent.mkdir(parents=True, exist_ok=True)
                _swap(partial, place, path)


def drop_begun() -> None:
    """Remove what is being written, from another thread, just before the process ends at once."""
    for partial in tuple(_BEGUN):
        _remove(partial)


@contextmanager
def _begun(place: Path) -> Iterator[Path]:
    """A free path beside a place, of which nothing is left in the end."""
    partial = _beside(place)
    _BEGUN.add(partial)
    try:
        yield partial
    finally:
        _remove(partial)
        _BEGUN.discard(partial)


def _remove(partial: Path) -> None:
    if partial.is_dir():
        shutil.rmtree(partial, ignore_errors=True)
    else:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _swap(partial: Path, place: Path, path: str | Path) -> None:
    """Put a folder in place of an earlier one, which comes back if that fails."""
    if not place.exists():
        os.replace(partial, place)
        return
    former = _beside(place, "former")
    with _held(place):
        os.replace(place, former)
        try:
            # somebody may have added a file at the last moment; from now on nobody can
            refuse_foreign(former, path)
            os.replace(partial, place)
        except (OSError, UsageError):
            os.replace(former, place)
            raise
        shutil.rmtree(former, ignore_errors=True)


@contextmanager
def _held(place: Path) -> Iterator[None]:
    """Lock a path while it is worked on; a path without a lock was left by a killed run."""
    if not _LOCKS:
        yield
        return
    import fcntl

    # the system releases the lock when the process ends, however it ends
    handle = os.open(place, os.O_RDONLY)
    try:
        with suppress(OSError):  # a disk without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _clear(place: Path) -> None:
    """Remove what killed runs left beside a place; a folder that was being replaced comes back."""
    if not place.parent.is_dir():
        return
    name = re.compile(
        rf"\.{re.escape(place.stem)}\.[0-9a-f]{{8}}\.(partial|former){re.escape(place.suffix)}"
    )
    with suppress(OSError):
        for leftover in sorted(place.parent.iterdir()):
            match = name.fullmatch(leftover.name)
            if match is None or not _abandoned(leftover):
                continue
            if match[1] == "former" and not place.exists():
                os.replace(leftover, place)
            elif leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink()


def _abandoned(path: Path) -> bool:
    """Whether no process works on a path any more."""
    if not _LOCKS:
        return False
    import fcntl

    try:
        if abs(time.time() - path.stat().st_mtime) < _FRESH:
            return False
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _is_database(place: Path) -> bool:
    try:
        with place.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def _real(path: str | Path) -> Path:
    # what a link points to is replaced; the link stays
    return Path(os.path.realpath(Path(path).expanduser()))


def _beside(place: Path, word: Literal["partial", "former"] = "partial") -> Path:
    """A free hidden name in the nearest folder that exists."""
    # the same disk, so that moving is a single step
    folder = next(parent for parent in place.parents if parent.exists())
    return folder / f".{place.stem}.{secrets.token_hex(4)}.{word}{place.suffix}"


def settle(file: Path) -> None:
    """Make sure the bytes are on the disk before the name is."""
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())
