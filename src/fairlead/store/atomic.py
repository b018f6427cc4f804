"""Writing that appears whole or not at all: the work is done beside its place and moved there when it is complete."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairlead.errors import UsageError

MANIFEST = "manifest.json"
"""The file by which a folder is known as ours, and may be replaced."""


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """A temporary path to write a file to, which replaces ``path`` when the block ends well and vanishes when it does not.

    Missing folders are made at the end. The temporary path has the same suffix.

    Raises:
        UsageError: If the place cannot be written, before any work is done.
    """
    place = _real(path)
    if place.exists() and not place.is_file():
        raise UsageError(f"{path} is not a file, so it cannot be replaced by one.", "Choose another path.")
    partial = _beside(place)
    try:
        with _writable(path):
            partial.touch(exist_ok=False)
        yield partial
        with _writable(path):
            _settle(partial)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(partial, place)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """A temporary folder to fill, which becomes ``path`` when the block ends well and vanishes when it does not.

    An earlier run folder (one with a manifest) is replaced as a whole; any other folder that is not empty is refused.

    Raises:
        UsageError: If the place cannot be written or holds something else, before any work is done.
    """
    place = _real(path)
    _refuse_foreign(place, path)
    partial = _beside(place)
    try:
        with _writable(path):
            partial.mkdir()
        yield partial
        with _writable(path):
            for file in partial.rglob("*"):
                if file.is_file():
                    _settle(file)
            _refuse_foreign(place, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            _swap(partial, place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _refuse_foreign(place: Path, path: str | Path) -> None:
    if not place.exists():
        return
    if not place.is_dir():
        raise UsageError(f"{path} is a file, so it cannot become a folder.", "Choose another path.")
    with _writable(path):
        foreign = any(place.iterdir()) and not (place / MANIFEST).is_file()
    if foreign:
        raise UsageError(f"{path} is a folder with other things in it (no {MANIFEST}).", "Choose a new or an empty folder.")


def _swap(partial: Path, place: Path) -> None:
    """Put a folder in place of an earlier one, which comes back if that fails."""
    if not place.exists():
        os.replace(partial, place)
        return
    former = _beside(place)
    os.replace(place, former)
    try:
        os.replace(partial, place)
    except OSError:
        os.replace(former, place)
        raise
    shutil.rmtree(former, ignore_errors=True)


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(Path(path).expanduser()))


def _beside(place: Path) -> Path:
    """A free hidden name in the nearest folder that exists: the same disk, so that moving is one step."""
    folder = next(parent for parent in place.parents if parent.exists())
    return folder / f".{place.stem}.{secrets.token_hex(4)}.partial{place.suffix}"


def _settle(file: Path) -> None:
    """Make sure the bytes are on disk before the name is."""
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


@contextmanager
def _writable(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.", "Choose a folder you may write to.") from error
