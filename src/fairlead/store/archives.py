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
from typing import IO, BinaryIO, cast

from fairlead.errors import DataError, UsageError
from fairlead.store.limits import MEMBERS, NAMES
from fairlead.store.opening import opened as opened_file

COMPRESSED = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")
_BLOCK = 512
_LONGEST_HEADER = 1 << 24
# Archives are padded with zeros to a multiple of some kilobytes.
_MOST_ZEROS, _PIECE = 1 << 28, 1 << 20
_REFERENCE = re.compile(r"^(?P<archive>.*?\.tar)::(?P<member>.*)$", re.IGNORECASE | re.DOTALL)
_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"^(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})$")


@dataclass(frozen=True)
class Place:
    """Where the bytes of a member lie."""

    offset: int
    size: int


@dataclass(frozen=True, eq=False)
class Archive:
    """The members of an archive, in its order; ``fault`` says what is wrong with its end, if
    anything, and ``again`` how many members had the name of one before them.
    """

    path: str
    members: Mapping[str, Place]
    fault: str | None = None
    again: int = 0


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


class MemberTooLarge(DataError):
    """A member of more bytes than are read."""


def read(archive: str, member: str, *, most: int | None = None, whole: int | None = None) -> bytes:
    """The bytes of a member.

    Args:
        archive: The file.
        member: The name of the member.
        most: Bytes of it to read; all by default.
        whole: Bytes beyond which it is refused.
    """
    place = opened(archive).members.get(member)
    if place is None:
        raise DataError(
            f"{os.path.basename(archive)} has no member '{member}'.", "Check the reference."
        )
    if whole is not None and place.size > whole:
        raise MemberTooLarge(f"It has {place.size:,} bytes, more than {whole:,}.")
    size = place.size
    if most is not None:
        size = min(size, most)
    try:
        with opened_file(archive) as file:
            file.seek(place.offset)
            return file.read(size)
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
    found = _Members(name, size)
    try:
        with opened_file(path) as stream:
            start: int | None = 0
            # what follows the end of an archive may be another: cat a.tar b.tar is a common habit
            while start is not None:
                start = found.look(_Headers(stream), start)
    except (tarfile.TarError, OSError, ValueError) as error:
        if not found.members:
            raise DataError(
                f"{name} cannot be read as a tar archive: {error}.", "Make it again."
            ) from error
        found.fault = str(error)
    return Archive(path, found.members, found.fault, found.again)


class _Headers:
    """A file of which headers are read, and they are short: one may claim to be as long as a disk,
    for which Python would make room.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, size: int) -> bytes:
        if size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header claims to have {size:,} bytes")
        return self._stream.read(size)


class _Members:
    """The members of an archive as they are found; ``look`` says where the next part begins."""

    def __init__(self, name: str, size: int) -> None:
        self.members: dict[str, Place] = {}
        self.again = 0
        self.fault: str | None = None
        self._name, self._size = name, size

    def look(self, stream: _Headers, start: int) -> int | None:
        """Find the members from a place on, up to where a new archive begins, if one does."""
        end = start
        stream.seek(start)
        # "r:" refuses what is compressed under another name: offsets must be places in the file
        with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r:") as tar:
            for member in tar:
                # the content of a member is padded to whole blocks
                end = member.offset_data
                if member.isreg():
                    end += -(-member.size // _BLOCK) * _BLOCK
                    self._add(member)
                # Python keeps all of them otherwise, which takes more memory than we do
                tar.members = []  # type: ignore[attr-defined]
        if end > self._size:
            self.fault = "it is cut off within its last member"
            return None
        return self._next(stream, end)

    def _add(self, member: tarfile.TarInfo) -> None:
        # a sparse member does not lie in one piece, and one that is cut off is not whole
        if member.issparse() or member.offset_data + member.size > self._size:
            return
        name = member.name.removeprefix("./")
        self.again += name in self.members
        self.members[name] = Place(member.offset_data, member.size)
        MEMBERS.check(len(self.members), self._name)

    def _next(self, stream: _Headers, end: int) -> int | None:
        """Where another archive begins after the zeros at the end of this one."""
        stream.seek(end)
        for start in range(end, min(self._size, end + _MOST_ZEROS), _PIECE):
            rest = stream.read(_PIECE)
            if not rest.strip(b"\0"):
                continue
            zeros = len(rest) - len(rest.lstrip(b"\0"))
            begin = start + zeros // _BLOCK * _BLOCK
            stream.seek(begin)
            # Python's reader stops at the last member it understands, without an error
            if begin == end or not _is_header(stream.read(_BLOCK)):
                self.fault = "what follows its last member is no tar header"
                return None
            return begin
        if self._size > end + _MOST_ZEROS:
            self.fault = f"more than {_MOST_ZEROS:,} zeros follow its last member"
        return None


def _is_header(block: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def expanded(pattern: str) -> Iterator[str]:
    """The names a brace pattern stands for.

    >>> list(expanded("s-{008..010}.tar")), list(expanded("{a,b}.tar"))
    (['s-008.tar', 's-009.tar', 's-010.tar'], ['a.tar', 'b.tar'])
    """
    # counted as they come: three pairs of braces may name a billion
    for count, name in enumerate(_expanded(pattern), 1):
        NAMES.check(count, pattern)
        yield name


def _expanded(pattern: str) -> Iterator[str]:
    match = _BRACES.search(pattern)
    if match is None:
        yield pattern
        return
    for word in _words(match[1], pattern):
        yield from _expanded(pattern[: match.start()] + word + pattern[match.end() :])


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
    NAMES.check(abs(last - first) + 1, pattern)
    return [f"{number:0{width}d}" for number in range(first, last + step, step)]
