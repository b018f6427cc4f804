"""What a source gives: one entry per picture or caption, good or bad, and notes on the rest."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from fairlead.errors import DataError
from fairlead.store import archives, pictures

Kind = Literal["folder", "table", "webdataset", "drawings", "benchmark", "list"]
Columns = tuple[tuple[str, str], ...]

IMAGE_ALIASES = (
    "path",
    "file",
    "image_path",
    "file_name",
    "filename",
    "file_path",
    "filepath",
    "img",
)
TEXT_ALIASES = ("text", "captions", "description")
ID_ALIASES = ("item", "key", "item_id", "image_id", "uid")
_DRIVE_OR_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+)://")
OURS = ".fairlead-"
"""Part of the names of hidden things that we put beside a folder: locks, and states on their way.
"""
DRAWN = "phantom:"
"""How references to drawings begin: they are no files."""


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """One picture or caption that a source names.

    Attributes:
        id: What it is called outside.
        image: Reference of the picture: an absolute path, ``ARCHIVE.tar::member``, or a drawing;
            None for a caption alone.
        text: Caption.
        size: Bytes of the picture, -1 where there is no file.
        stamp: When the file was last changed, as the disk says (ns); with the size, a sign that its
            content is the same.
        columns: Everything else that is known of it, by name.
        fault: Why it cannot be used, where the source alone shows it: (reason, detail).
        touched: When the disk last noted any change of the file (ns), which no program can set
            back; not where it was copied or renamed, so entries are equal without it.
    """

    id: str
    image: str | None
    text: str | None = None
    size: int = -1
    stamp: int = -1
    columns: Columns = ()
    fault: tuple[str, str] | None = None
    touched: int = field(default=-1, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """For the journal; what is empty is left out."""
        record: dict[str, Any] = {"id": self.id}
        if self.image is not None:
            record |= {"image": self.image, "size": self.size, "stamp": self.stamp}
        if self.text is not None:
            record["text"] = self.text
        if self.columns:
            record["columns"] = dict(self.columns)
        if self.fault:
            record["fault"] = list(self.fault)
        return record

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> SourceEntry:
        """From the journal."""
        fault = None
        if stored := record.get("fault"):
            fault = stored[0], stored[1]
        name, image, text = record["id"], record.get("image"), record.get("text")
        size, changed = record.get("size", -1), record.get("stamp", -1)
        # in one breath: a journal may have millions of lines
        texts = isinstance(name, str) and (image is None or isinstance(image, str))
        if not texts or not (text is None or isinstance(text, str)):
            raise ValueError("its texts are none")
        if type(size) is not int or type(changed) is not int:
            raise ValueError("its numbers are none")
        return cls(
            name,
            image,
            text,
            size,
            changed,
            tuple(record.get("columns", {}).items()),
            fault,
        )


@dataclass(frozen=True, eq=False)
class Source:
    """Everything a source names.

    Attributes:
        kind: What kind of source it is.
        path: Where it is; equal for equal sources.
        entries: In the source's own order.
        notes: How many of what else was seen: files that are no pictures, captions that name none.
    """

    kind: Kind
    path: str
    entries: Sequence[SourceEntry]
    notes: Mapping[str, int] = field(default_factory=dict)


def pictures_of(references: Sequence[str | None]) -> tuple[str, ...] | None:
    """The references of some items; None where one of them has none, or there are no items."""
    given = tuple(reference for reference in references if reference is not None)
    # a collection has pictures of all its items or of none
    if given and len(given) == len(references):
        return given
    return None


def captions_of(texts: Sequence[str | None]) -> tuple[str, ...] | None:
    """The captions of some items, an empty one where an item has none; None where all have none."""
    if all(text is None for text in texts):
        return None
    return tuple(text or "" for text in texts)


def digest(entries: Iterable[SourceEntry]) -> str:
    """Equal for equal entries, in whatever order."""
    total = 0
    for e in entries:
        text = repr((e.id, e.image, e.text, e.size, e.stamp, e.columns, e.fault))
        # a sum, since it does not depend on the order; under xor, an entry that stands twice would
        # undo itself
        total += int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "big")
    return f"{total % (1 << 128):032x}"


def last_touched(entries: Iterable[SourceEntry]) -> int:
    """When the disk last noted a change of one of the files; -1 where there are none."""
    return max((e.touched for e in entries), default=-1)


class Times(TypedDict, total=False):
    """Times of change of a file, by the names of an entry's fields."""

    stamp: int
    touched: int


class Stamp(Times, total=False):
    """The same, with its size."""

    size: int


def stamp(reference: str) -> Stamp:
    """Size and times of change of what a reference names, as an entry has them; empty where there
    is no such file.
    """
    archive, member = archives.split(reference)
    try:
        status = os.stat(archive)
        if member is None:
            size = status.st_size
        else:
            place = archives.opened(archive).members.get(member)
            size = -1 if place is None else place.size
    except (OSError, ValueError, DataError):
        return {}
    return {"size": size, **times(status)}


def times(status: os.stat_result) -> Times:
    """The times of change of a file, as an entry has them."""
    return {"stamp": status.st_mtime_ns, "touched": status.st_ctime_ns}


def resolved(name: str, folder: str) -> tuple[str, tuple[str, str] | None]:
    """The reference that a name in a table means, and the fault of a name that cannot be a file."""
    if name.startswith(DRAWN):
        return name, None
    if (scheme := _DRIVE_OR_SCHEME.match(name)) is not None:
        if scheme[1].lower() != "file":
            return name, (
                "not on this disk",
                f"'{name}' is an address, and nothing is fetched; download it first.",
            )
        name = name[len(scheme[0]) :]
    path = os.path.join(folder, os.path.expanduser(name))
    if "\\" in name and not os.path.exists(archives.split(path)[0]):  # a table written on Windows
        other = os.path.join(folder, name.replace("\\", "/"))
        # else the name as it stands, which is what the message must show
        if os.path.exists(archives.split(other)[0]):
            path = other
    return os.path.normpath(path), None


def is_text(name: str) -> bool:
    """Whether a name can be written as UTF-8: names on the disk may be mere bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def printable(name: str) -> str:
    r"""A name that can be printed: bytes that are no text as ``\xe9``."""
    if not is_text(name):
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    return name


def fault_of(name: str) -> tuple[str, str] | None:
    """What is wrong with a picture, as far as its name alone shows."""
    if not is_text(name):
        return (
            "name is not UTF-8",
            "The name is not UTF-8 text, so it cannot be written down; rename the file.",
        )
    suffix = os.path.splitext(name)[1].lower()
    if suffix in pictures.UNSUPPORTED:
        return ("unsupported format", f"{suffix[1:].upper()} is not read; save it as JPEG or PNG.")
    return None
