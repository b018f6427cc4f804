"""The faults of a file, all of them, with file and line; other readers stop at the first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, FairleadError
from fairlead.store import lines
from fairlead.store.formats import Trec, locate
from fairlead.store.sources.columns import column_texts
from fairlead.store.tables import Header, read_table

_PLACE = re.compile(r", (?:line|row) (\d+)")


@dataclass(frozen=True)
class FileFault:
    """What is wrong with a file.

    Attributes:
        file: The name of the file.
        line: The line, or the row of a file without lines; None where it is the file as a whole.
        message: What is wrong, with its place.
        hint: What is accepted, or what to do.
        grave: Whether nothing can be measured before it is mended; else it is a note.
    """

    file: str
    line: int | None
    message: str
    hint: str = ""
    grave: bool = True

    @classmethod
    def of(cls, error: FairleadError, file: str, *, grave: bool = True) -> FileFault:
        """The fault that a reader's error describes."""
        # readers tell a place in words only, and that of the file as a whole not at all
        line = None
        if place := _PLACE.search(error.message):
            line = int(place[1])
        return cls(file, line, error.message, error.hint, grave)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


@dataclass(frozen=True)
class CheckedRecord:
    """A record of a table: its place (for messages), its line, and its cells that are not empty."""

    place: str
    line: int
    cells: dict[str, str]


@dataclass
class Checked:
    """A table read to its end, whatever is wrong on the way.

    Attributes:
        header: Its columns; none where the file cannot be read at all.
        records: What could be read.
        faults: What could not.
    """

    header: Header
    records: list[CheckedRecord] = field(default_factory=list)
    faults: list[FileFault] = field(default_factory=list)

    def add(
        self, record: CheckedRecord | None, message: str, hint: str = "", *, grave: bool = True
    ) -> None:
        """Add a fault of a record, or of the file as a whole."""
        if record is None:
            self.faults.append(FileFault(self.header.name, None, message, hint, grave))
            return
        placed = f"{record.place}: {message}"
        self.faults.append(FileFault(self.header.name, record.line, placed, hint, grave))

    @property
    def is_readable(self) -> bool:
        """Whether every line could be read."""
        return not any(fault.grave for fault in self.faults)


def read_checked(path: str | Path, trec: Trec | None = None) -> Checked:
    """Read a table, and report every line that cannot be read."""
    name = Path(path).name
    checked = Checked(Header(name, ()))
    try:
        file = locate(path, trec)
        if file.format == "parquet":
            return _of_parquet(checked, path)
        names, _ = lines.header(file)
        checked.header = Header(file.name, names)

        def wrong(error: DataError) -> None:
            checked.faults.append(FileFault.of(error, file.name))

        for line, values in lines.every_record(file, names, wrong):
            cells = dict(_filled(zip(names, values, strict=True)))
            checked.records.append(CheckedRecord(f"{file.name}, line {line}", line, cells))
    except FairleadError as error:
        checked.faults.append(FileFault.of(error, name))
    if not checked.records and not checked.faults:
        checked.add(None, f"{name} has no data.", "It needs a line of data below the header.")
    return checked


def _of_parquet(checked: Checked, path: str | Path) -> Checked:
    table = read_table(path, lambda header: dict.fromkeys(header.plain, "any"))
    columns = column_texts(table, Counter())
    checked.header = table.header
    for row in range(table.size):
        cells = {name: value for name, values in columns.items() if (value := values[row])}
        checked.records.append(CheckedRecord(f"{table.name}, row {row + 1}", row + 1, cells))
    return checked


def _filled(cells: Any) -> Iterator[tuple[str, str]]:
    for name, value in cells:
        if text := lines.cell_text(value):
            yield name, text
