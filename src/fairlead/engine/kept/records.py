"""Which indexes are kept for some vectors, and how they are let go of.

Every index that is kept leaves a record: what it is, and for whom. So the vectors of an item that
was removed can be taken out of all of them, also of those that lie on a server.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

from fairlead.errors import DataError, FairleadError
from fairlead.indexes.addresses import without_password
from fairlead.protocols import Index, KeptIndex, registry
from fairlead.protocols.spec import Configured
from fairlead.store.places import cache_folder

_RECORD = "kept.json"


def is_recorded(place: Path) -> bool:
    """Whether an index was kept at a place."""
    return (place / _RECORD).exists()


def record(place: Path, index: Index, owner: str) -> None:
    """Note that an index is kept at a place for an owner.

    This is written before the index itself is kept: a process that is killed in between leaves a
    record of nothing, but never an index that nobody knows of.
    """
    place.mkdir(parents=True, exist_ok=True)
    # An object without a text form cannot be made again; it can keep things in its folder only.
    text = None
    if isinstance(index, Configured):
        text = without_password(str(index))
    content = json.dumps({"index": text, "owner": owner}, ensure_ascii=False)
    partial = place / f"{_RECORD}.partial"
    partial.write_text(content, encoding="utf-8")
    # a record that was cut off could not be let go of
    os.replace(partial, place / _RECORD)


def forget(home: Path, *, keep: str = "") -> int:
    """Let go of the indexes in a folder, and say how many there were.

    Args:
        home: The folder of all indexes of one collection: a folder for each fingerprint of the
            vectors, and in it a folder for each index.
        keep: The fingerprint whose indexes stay; none by default.

    Raises:
        FairleadError: Where a server that holds one of them cannot be reached.
    """
    count = 0
    if not home.is_dir():
        return count
    for state in sorted(home.iterdir()):
        if state.name == keep or not state.is_dir():
            continue
        for place in sorted(state.iterdir()):
            if is_recorded(place):
                _drop(place)
                shutil.rmtree(place)
                count += 1
        _remove_empty(state)
    return count


def _remove_empty(folder: Path) -> None:
    """Remove a folder and those in it that hold no file; a file without a record of ours stays."""
    for inner in folder.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            _remove_empty(inner)
    with suppress(OSError):
        folder.rmdir()


def _drop(place: Path) -> None:
    """Take what an index keeps off its server, or out of its folder."""
    try:
        about = json.loads((place / _RECORD).read_text(encoding="utf-8"))
        text, owner = about["index"], str(about["owner"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{place / _RECORD} cannot be read, so it is not known what is kept there.",
            "Look whether a server holds an index of it, then delete the folder.",
        ) from error
    if text is None:
        return
    try:
        index = registry.make("index", _vetted(str(text), place / _RECORD))
        if isinstance(index, KeptIndex):
            index.drop(place, owner)
    except FairleadError as error:
        hint = f"{error.hint} If what it kept is gone already, delete {place}.".strip()
        message = f"The index {text} could not be let go of: {error.message}"
        raise type(error)(message, hint) from error


def _vetted(text: str, record: Path) -> str:
    """The text form of a kept index; what stands in the cache was written on this machine."""
    if cache_folder() in record.parents:
        return text
    return registry.vetted("index", text, record)
