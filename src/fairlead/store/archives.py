"""Tar archives, read at random: members are located once and then read straight from the file.

A reference ``ARCHIVE.tar::member`` names a member. Compressed archives have no places to jump to
and are refused.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from fairlead.errors import DataError, UsageError

COMPRESSED = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")
_BLOCK = 512
_REFERENCE = re.compile(r"^(?P<archive>.*?\.tar)::(?P<member>.*)$", re.IGNORECASE | re.DOTALL)
_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"^(-?\d+)\.\.(-?\d+)$")


@dataclass(frozen=True)
class Place:
    """Where the bytes of a member lie."""

    offset: int
    size: int


@dataclass(frozen=True, eq=False)
class Archive:
    """The members of an archive, in its order; ``fault`` says what is wrong with its end, if
    anything.
    """

    path: str
    members: Mapping[str, Place]
    fault: str | None = None


def split(reference: str) -> tuple[str, str | None]:
    """The file of a reference, and the member of it where it names one.

    >>> split("shards/000.tar::a/b.jpg")
    ('shards/000.tar', 'a/b.jpg')
    >>> split("a/b.jpg")
    ('a/b.jpg', None)
    """
    match = _REFERENCE.match(reference)
    if match is None:
        return (reference, None)
    return (match["archive"], match["member"])


def join(archive: str, member: str) -> str:
    """The reference of a member."""
    return f"{archive}::{member}"


def read(archive: str, member: str) -> bytes:
    """The bytes of a member."""
    place = opened(archive).members.get(member)
    if place is None:
        raise DataError(
            f"{os.path.basename(archive)} has no member '{member}'.", "Check the reference."
        )
    try:
        with open(archive, "rb") as file:
            file.seek(place.offset)
            return file.read(place.size)
    except OSError as error:
        raise DataError(
            f"{archive} cannot be read: {error.strerror or error}.", "Check its permissions."
        ) from error


def opened(path: str) -> Archive:
    """The members of an archive; found once as long as the file stays as it is."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise DataError(f"There is no archive {path}.", "Check the path.") from error
    return _opened(path, status.st_size, status.st_mtime_ns)


# Size and time are part of the key only: an archive that was written anew is looked at anew.
@lru_cache(maxsize=256)
def _opened(path: str, size: int, changed: int) -> Archive:
    name = os.path.basename(path)
    if name.lower().endswith(COMPRESSED):
        raise UsageError(
            f"{name} is compressed, so that its pictures cannot be read one by one.",
            "Unpack it to a .tar, or to a folder.",
        )
    members: dict[str, Place] = {}
    end = 0
    try:
        # "r:" refuses what is compressed under another name: offsets must be places in the file
        with tarfile.open(path, "r:") as tar:
            for member in tar:
                # the content of a member is padded to whole blocks
                if member.isreg():
                    end = member.offset_data + -(-member.size // _BLOCK) * _BLOCK
                else:
                    end = member.offset_data
                # a sparse member does not lie in one piece, and one that is cut off is not whole
                if (
                    member.isreg()
                    and not member.issparse()
                    and member.offset_data + member.size <= size
                ):
                    members[member.name.removeprefix("./")] = Place(member.offset_data, member.size)
        fault = _end(path, end, size)
    except (tarfile.TarError, OSError, ValueError) as error:
        if not members:
            raise DataError(
                f"{name} cannot be read as a tar archive: {error}.", "Make it again."
            ) from error
        fault = str(error)
    return Archive(path, members, fault)


def _end(path: str, end: int, size: int) -> str | None:
    """What is wrong after the last member, if anything."""
    # Python's reader stops at the last member it understands, without an error.
    if end > size:
        return "it is cut off within its last member"
    with open(path, "rb") as file:
        file.seek(end)
        rest = file.read(_BLOCK)
    if rest.strip(b"\0"):
        return "what follows its last member is no tar header"
    return None


def expanded(pattern: str) -> Iterator[str]:
    """The names a brace pattern stands for.

    >>> list(expanded("s-{008..010}.tar")), list(expanded("{a,b}.tar"))
    (['s-008.tar', 's-009.tar', 's-010.tar'], ['a.tar', 'b.tar'])
    """
    match = _BRACES.search(pattern)
    if match is None:
        yield pattern
        return
    for word in _words(match[1], pattern):
        yield from expanded(pattern[: match.start()] + word + pattern[match.end() :])


def _words(inside: str, pattern: str) -> list[str]:
    if (limits := _RANGE.match(inside)) is None:
        if "," not in inside:
            raise UsageError(
                f"'{{{inside}}}' in {pattern} is neither a range nor a list.",
                "Write {000..005} or {a,b}.",
            )
        return inside.split(",")
    first, last = int(limits[1]), int(limits[2])
    # as in a shell: one limit with leading zeros pads every number to the wider of the two
    padded = any(len(limit) > 1 and limit.startswith("0") for limit in limits.groups())
    width = max(map(len, limits.groups())) if padded else 0
    step = 1 if first <= last else -1
    return [f"{number:0{width}d}" for number in range(first, last + step, step)]
