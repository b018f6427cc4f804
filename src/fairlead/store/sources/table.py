"""A table of images: CSV, TSV, JSON lines or Parquet with a column of paths.

Paths are relative to the table; all other columns are kept.

``image`` (or path, file, ...) names the picture, ``caption`` (or text) its caption, ``id`` (or
item, key) the item; without an id the path is the id. A table without a column of pictures is a
collection of captions.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlead.errors import DataError
from fairlead.store import lines
from fairlead.store.formats import locate
from fairlead.store.sources.columns import LEFT_OUT, column_texts
from fairlead.store.sources.entries import (
    ID_ALIASES,
    IMAGE_ALIASES,
    TEXT_ALIASES,
    Source,
    SourceEntry,
    Stamp,
    resolved,
    stamp,
)
from fairlead.store.tables import Header, LoadedTable, read_table

Cells = Mapping[str, list[str | None]]


def table_source(path: str) -> Source:
    """The entries of a table; every row is one.

    Raises:
        DataError: For a table that cannot be read, or names neither pictures nor captions.
    """
    nested = _nested(path)
    roles: dict[str, str | None] = {}

    def pick(header: Header) -> dict[str, Any]:
        roles["image"], roles["text"] = (
            header.find("image", IMAGE_ALIASES),
            header.find("caption", TEXT_ALIASES),
        )
        roles["id"] = header.find("id", ID_ALIASES)
        if roles["image"] is None and roles["text"] is None:
            raise DataError(
                (
                    f"{header.name} has neither a column of images nor one of captions: its "
                    f"columns are {', '.join(header.columns)}."
                ),
                (
                    "Call the column of paths 'image', 'path' or 'file', and that of "
                    "captions 'caption' or 'text'."
                ),
            )
        return {name: "any" for name in header.plain if name not in nested}

    notes = Counter[str]()
    table = read_table(path, pick)
    notes[LEFT_OUT] += len(nested - table.header.nested)
    cells = column_texts(table, notes)
    for role in ("image", "text", "id"):
        if (column := roles[role]) is not None and column not in cells:
            if role == "image":
                hint = "Pictures are read from files and tar archives: give their paths."
            else:
                hint = "Give text."
            raise DataError(f"The column '{column}' of {table.name} holds no text.", hint)
    entries = _entries(path, table, cells, roles)
    return Source(
        "table", path, entries, {name: count for name, count in sorted(notes.items()) if count}
    )


def _nested(path: str) -> set[str]:
    """Columns of JSON lines that hold lists or records."""
    file = locate(path, None)
    if file.format != "jsonl":
        return set()
    return {name for name, types in lines.sample_types(file).items() if types & {dict, list}}


def _column(cells: Cells, name: str | None, size: int) -> list[str | None]:
    """The cells of a column; where there is none, as if all of them were empty."""
    if name is None:
        return [None] * size
    return cells[name]


def _entries(
    path: str, table: LoadedTable, cells: Cells, roles: Mapping[str, str | None]
) -> list[SourceEntry]:
    folder = str(Path(path).parent)
    images, texts, names = (
        _column(cells, roles[role], table.size) for role in ("image", "text", "id")
    )
    pictured = roles["image"] is not None
    others = [column for column in cells if column not in roles.values()]
    entries: list[SourceEntry] = []
    first: dict[str, int] = {}
    for row in range(table.size):
        path_in_row, caption = images[row], texts[row]
        item = names[row] or path_in_row or str(row + 1)
        columns = tuple(
            (sys.intern(c), value) for c in others if (value := cells[c][row]) is not None
        )
        reference = fault = None
        if path_in_row is not None:
            reference, fault = resolved(path_in_row, folder)
        # A row with a fault stays an entry: it is told as skipped, not passed over.
        if pictured and path_in_row is None:
            fault = ("no image named", f"Row {row + 1} names no image.")
        elif not pictured and not caption:
            fault = ("no caption", f"Row {row + 1} has no caption.")
        elif (before := first.setdefault(item, row)) != row:
            fault = ("id twice", f"Row {row + 1} has the id of row {before + 1}.")
        on_disk = Stamp()
        # an address or a second row of an id is not looked up on the disk
        if reference is not None and not fault:
            on_disk = stamp(reference)
        entries.append(
            SourceEntry(item, reference, caption, columns=columns, fault=fault, **on_disk)
        )
    return entries
