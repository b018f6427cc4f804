"""A folder that keeps an index for an owner: arrays, and a manifest that is written last.

An owner is a collection with a model and labels.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, UsageError
from fairlead.store import manifest_file
from fairlead.store.manifest_file import INDEX_MANIFEST, write_manifest

# How the files of an index begin; and a file younger than so many seconds may be another writer's
_OURS = re.compile(r"[0-9a-f]{8}\.")
_FRESH = 60.0


def read_manifest(place: Path, owner: str, index: str) -> dict[str, Any] | None:
    """What a folder keeps; None where it keeps nothing.

    Raises:
        DataError: If it is kept for another owner, is of another index, or cannot be read.
    """
    file = Path(place) / INDEX_MANIFEST
    if not file.exists():
        return None
    try:
        manifest = manifest_file.read_manifest(file)
        theirs, made_by = str(manifest["owner"]), str(manifest["index"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{file} cannot be read as the manifest of an index.",
            "Remove the folder and build the index again.",
        ) from error
    refuse_other_owner(str(place), theirs, owner)
    if made_by != index:
        raise DataError(
            f"{place} keeps '{made_by}', asked for is '{index}'.", "Keep it in a folder of its own."
        )
    return dict(manifest)


def drop_kept(place: Path, owner: str, index: str) -> None:
    """Delete what a folder keeps for an owner."""
    place = Path(place)
    if read_manifest(place, owner, index) is None:
        return
    for name in _files(place):
        (place / name).unlink(missing_ok=True)
    (place / INDEX_MANIFEST).unlink()


def refuse_other_owner(place: str, theirs: str, owner: str) -> None:
    """Refuse an index that was kept for another collection, other labels or another model."""
    if theirs != owner:
        raise DataError(
            f"{place} keeps the index of another owner ({theirs}); asked for is {owner}.",
            (
                "Collection, model or labels have changed: build it anew in another place, "
                "or remove this one."
            ),
        )


def write_kept(
    place: Path, manifest: Mapping[str, Any], write: Callable[[Path], list[str]]
) -> None:
    """Write files of a new name into a folder, then the manifest that names them.

    An earlier index stays whole until then. Where the disk is full, or the run is stopped, nothing
    of the new one is left; what a killed run left goes with the next one that is written.

    Args:
        place: The folder; made if need be.
        manifest: What to say of it; ``files`` is added.
        write: Writes files whose names begin with the path it is given, and says which.
    """
    place = Path(place)
    token = secrets.token_hex(4)
    try:
        place.mkdir(parents=True, exist_ok=True)
        earlier = _files(place)
        with _nothing_left(place, token):
            files = write(place / token)
            for name in files:
                _settle(place / name)
            write_manifest(place / INDEX_MANIFEST, {**manifest, "files": files}, token=token)
        for name in {*earlier, *_abandoned(place, files)}:
            (place / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{place} cannot be written: {error.strerror or error}.",
            "Choose a folder you may write to.",
        ) from error


@contextmanager
def _nothing_left(place: Path, token: str) -> Iterator[None]:
    """Remove what was written under a token where the block does not end well."""
    try:
        yield
    except BaseException:
        for file in (*place.glob(f"{token}*"), *place.glob(f"*{token}.partial")):
            with suppress(OSError):
                file.unlink()
        raise


def _abandoned(place: Path, files: Sequence[str]) -> list[str]:
    """Files of an index that no manifest names, and that nobody has written to for long."""
    old = time.time() - _FRESH
    return [
        file.name
        for file in place.iterdir()
        if _OURS.match(file.name) and file.name not in files and file.stat().st_mtime < old
    ]


def _files(place: Path) -> list[str]:
    try:
        return [
            Path(name).name for name in manifest_file.read_manifest(place / INDEX_MANIFEST)["files"]
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _settle(file: Path) -> None:
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())
