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

from fairlead.errors import DataError
from fairlead.store.json_text import parsed
from fairlead.store.limits import LINE
from fairlead.store.opening import opened
from fairlead.store.saved_shape import check_shape, reading
from fairlead.store.sources.entries import SourceEntry
from fairlead.store.versions import VERSION, refuse_other, version_of

FORMAT = "fairlead embedded collection"
_AGAIN = "Delete its folder and embed the collection again."
_HEADER = {"source": dict, "model": {"spec": str, "fingerprint": str}, "dtype": str, "side": str}
_COMMIT = {"items": int, "vectors": int, "dimensions": int, "many": bool, "crc32": int}
_RECORD = {
    "id": str,
    "image?": str,
    "text?": str,
    "size?": (int,),
    "stamp?": (int,),
    "columns?": dict,
    "fault?": list,
    "content?": str,
    "skipped?": str,
    "detail?": str,
    "gone?": str,
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
        # a run was killed while it wrote the first line
        return {}
    header = _parsed(first)
    if header is None or header.pop("format", None) != FORMAT:
        raise DataError(
            f"{path} is no journal of an embedded collection.", "Choose another folder."
        )
    refuse_other("journal", header.pop(VERSION, None), path)
    with reading(path, "a journal", _AGAIN):
        check_shape(header, _HEADER)
    return header


def read_journal(path: Path) -> Journal:
    """Read a journal up to its last commit; one that does not exist is empty.

    Raises:
        DataError: Where the file is something else.
    """
    header = read_header(path)
    if not header:
        return Journal()
    with opened(path) as file, reading(path, "a journal", _AGAIN):
        size = committed_size = len(file.readline())
        records: list[JournalRecord] = []
        commits: list[Totals] = []
        committed = 0
        for line in file:
            # A line that is whole but for its end counts as cut off too: the next one would be
            # written onto it.
            if not line.endswith(b"\n") or (record := _parsed(line)) is None:
                break
            size += len(line)
            if (commit := record.get("commit")) is not None:
                check_shape(commit, _COMMIT)
                commits.append(Totals(**commit))
                committed, committed_size = len(records), size
            else:
                records.append(_record(record))
    return Journal(header, tuple(records[:committed]), tuple(commits), committed_size)


def _record(values: Mapping[str, Any]) -> JournalRecord:
    check_shape(values, _RECORD)
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
