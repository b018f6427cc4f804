"""The journal of an embedded collection, ``items.jsonl``.

It has one line for each item, each skipped file and each removed item, and one for each commit.

What stands behind the last commit was never finished and does not count. No line holds a time or a
name of the run, so that a run which was killed and continued writes the same bytes as one that was
not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, words_of
from fairlead.store.json_text import parsed
from fairlead.store.limits import LINE
from fairlead.store.opening import opened
from fairlead.store.shapes import COUNT, FLAG, TORN, Shape, misfit
from fairlead.store.sources.entries import SourceEntry
from fairlead.store.versions import VERSION, refuse_misshapen, refuse_other, version_of

FORMAT = "fairlead embedded collection"
# How the line of a commit begins.
_COMMITTED = b'{"commit":'
_START = f'{{"format":"{FORMAT}"'.encode()
# As much as tells ours from a line of JSON of somebody else's.
_TELLING = len(b'{"format":"f')
# A first line is far shorter; no more of a foreign file is read.
_LONGEST = 1 << 16
_COMMIT: Shape = {
    **dict.fromkeys(("items", "vectors", "dimensions", "crc32"), COUNT),
    "many": FLAG,
}
RETRIED = frozenset({"unreadable"})
"""Reasons that may pass without a change of the file: such files are tried again."""


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """What became of an entry: an item, a skipped file, or something that was removed on request.

    An item is known by its content; a skipped file has the reason.

    Of what was removed, the id and the name of its content stay (``gone``), so that it does not
    come back with the next run, nor under another name.
    """

    entry: SourceEntry
    content: str | None = None
    reason: str = ""
    detail: str = ""
    gone: str = ""

    @classmethod
    def removed(cls, record: JournalRecord) -> JournalRecord:
        """What remains of an item that is removed: only its name and its content's."""
        return cls(SourceEntry(record.entry.id, None), gone=str(record.content))

    def line(self) -> str:
        """The record as a line of the journal."""
        result: dict[str, str]
        if self.gone:
            result = {"gone": self.gone}
        elif self.content is not None:
            result = {"content": self.content}
        else:
            result = {"skipped": self.reason, "detail": self.detail}
        return dumps(result | self.entry.to_dict())


@dataclass(frozen=True)
class Totals:
    """What a commit makes last: how many items and vectors there are, and of what shape.

    ``many`` says that an item has many vectors (late interaction); ``crc32`` is the checksum of the
    commit's own vectors.
    """

    items: int = 0
    vectors: int = 0
    dimensions: int = 0
    many: bool = False
    crc32: int = 0

    def line(self) -> str:
        """The commit as a line of the journal."""
        return dumps({"commit": vars(self)})


@dataclass(frozen=True, eq=False)
class Journal:
    """Everything that was committed.

    Attributes:
        header: What the vectors are of and what made them; empty where nothing has been written
            yet.
        records: Items and skipped files, in order.
        commits: The totals after each commit.
        size: Bytes of the file that count.
    """

    header: Mapping[str, Any] = field(default_factory=dict)
    records: tuple[JournalRecord, ...] = ()
    commits: tuple[Totals, ...] = ()
    size: int = 0

    @property
    def totals(self) -> Totals:
        """How much there is in all."""
        if self.commits:
            return self.commits[-1]
        return Totals()

    @property
    def entries(self) -> set[SourceEntry]:
        """All entries that need no further look."""
        return {r.entry for r in self.records if r.reason not in RETRIED}


def begins(path: Path) -> bool:
    """Whether a file begins as a journal does; only its beginning is read, which all versions
    share: a journal may have millions of lines.
    """
    with path.open("rb") as file:
        head = file.read(len(_START))
    return len(head) >= _TELLING and _START.startswith(head)


def is_begun(path: Path) -> bool:
    """Whether a run was killed before the first line of a journal was whole."""
    first = path.read_bytes() if path.stat().st_size < _LONGEST else b"\n"
    return b"\n" not in first and (first.startswith(_START) or _START.startswith(first))


def header_line(header: Mapping[str, Any]) -> str:
    """The first line of a journal."""
    return dumps({"format": FORMAT, VERSION: version_of("journal"), **header})


def read_header(path: Path) -> dict[str, Any]:
    """The header of a journal; empty where there is none yet.

    Raises:
        DataError: Where the file is something else.
    """
    if not path.exists():
        return {}
    with opened(path) as file:
        first = file.readline(LINE.value)
    if not first.endswith(b"\n"):
        if is_begun(path):
            return {}
        raise _foreign(path)
    header = _parsed(first)
    if header is None or header.pop("format", None) != FORMAT:
        raise _foreign(path)
    refuse_other("journal", header.pop(VERSION, None), path)
    refuse_misshapen("journal", header, path)
    return header


def _foreign(path: Path) -> DataError:
    return DataError(f"{path} is no journal of an embedded collection.", "Choose another folder.")


def read_journal(path: Path) -> Journal:
    """Read a journal up to its last commit; one that does not exist is empty.

    Raises:
        DataError: Where the file is something else.
    """
    header = read_header(path)
    if not header:
        return Journal()
    with opened(path) as file:
        size = committed_size = len(file.readline())
        records: list[JournalRecord] = []
        commits: list[Totals] = []
        committed = 0
        for line in file:
            # A line that is whole but for its end counts as cut off too: the next one would be
            # written onto it. So does one that no run of ours wrote.
            if not line.endswith(b"\n") or (read := _read(line)) is None:
                break
            size += len(line)
            if isinstance(read, Totals):
                commits.append(read)
                committed, committed_size = len(records), size
            else:
                records.append(read)
    return Journal(header, tuple(records[:committed]), tuple(commits), committed_size)


def read_commits(path: Path, size: int) -> tuple[Totals, ...]:
    """The commits in the first bytes of a journal alone, which takes a fraction of the time.

    Raises:
        DataError: Where they cannot be read.
    """
    commits: list[Totals] = []
    try:
        with path.open("rb") as file:
            for line in file:
                size -= len(line)
                if size < 0:
                    break
                if line.startswith(_COMMITTED):
                    commits.append(Totals(**parsed(line)["commit"]))
    except (OSError, ValueError, TypeError) as error:
        raise DataError(
            f"{path} cannot be read: {words_of(error)}.",
            "Delete its folder and embed the collection again.",
        ) from error
    return tuple(commits)


def _read(line: bytes) -> JournalRecord | Totals | None:
    """What a line says; None where it is none of ours."""
    values = _parsed(line)
    if values is None:
        return None
    try:
        if (commit := values.get("commit")) is None:
            return _record(values)
        if not misfit(commit, _COMMIT):
            return Totals(**commit)
    except TORN:
        pass
    return None


def _record(values: Mapping[str, Any]) -> JournalRecord:
    if not isinstance(values.get("content", ""), str):
        raise ValueError("its content has no name")
    return JournalRecord(
        SourceEntry.of(values),
        values.get("content"),
        values.get("skipped", ""),
        values.get("detail", ""),
        values.get("gone", ""),
    )


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = parsed(line)
    except ValueError:
        return None
    if isinstance(record, dict):
        return record
    return None


def dumps(value: Any) -> str:
    """One line of JSON, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
