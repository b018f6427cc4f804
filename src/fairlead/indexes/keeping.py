"""A folder that keeps an index for an owner: arrays, and a manifest that is written last.

An owner is a collection with a model and labels.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, writing
from fairlead.store import manifest_file
from fairlead.store.checked import check_once, crc32_of
from fairlead.store.manifest_file import INDEX_MANIFEST, write_manifest

_SUMS = "crc32"
# The names of all files but the manifest itself.
_TOKEN = re.compile(r"[0-9a-f]{8}\.|index\.json[0-9a-f]{8}\.partial$")


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


def open_manifest(place: Path, owner: str, index: str) -> dict[str, Any] | None:
    """What a folder keeps, once its files are those that were written; None where it keeps nothing,
    or was kept before files had checksums.

    Raises:
        DataError: If it is kept for another owner, is of another index, or cannot be read.
    """
    place = Path(place)
    manifest = read_manifest(place, owner, index)
    if manifest is None or not isinstance(sums := manifest.get(_SUMS), dict):
        return None
    files = [place / Path(str(name)).name for name in sums]

    def check() -> None:
        try:
            changed = [f.name for f in files if crc32_of(f) != sums[f.name]]
        except (OSError, KeyError):
            changed = ["a file that is not there"]
        if changed:
            raise DataError(
                f"The index in {place} is not the one that was kept: {', '.join(changed)}.",
                "Delete that folder: the next search makes it anew.",
            )

    check_once([place / INDEX_MANIFEST, *files], check)
    return manifest


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
        manifest: What to say of it; ``files`` and their checksums are added.
        write: Writes files whose names begin with the path it is given, and says which.
    """
    place = Path(place)
    token = secrets.token_hex(4)
    try:
        with writing(place):
            place.mkdir(parents=True, exist_ok=True)
            # also what a run wrote that was killed before its manifest
            earlier = [file for file in place.iterdir() if _TOKEN.match(file.name)]
            files = write(place / token)
            for name in files:
                _settle(place / name)
            sums = {name: crc32_of(place / name) for name in files}
            about = {**manifest, "files": files, _SUMS: sums}
            write_manifest(place / INDEX_MANIFEST, about, token=token)
    except BaseException:
        # what no manifest names would lie there for ever
        for orphan in place.glob(f"*{token}*"):
            with suppress(OSError):
                orphan.unlink()
        raise
    with writing(place):
        for file in earlier:
            file.unlink(missing_ok=True)


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
