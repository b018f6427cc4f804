"""Files of queries: what is asked, in words or with pictures, with an id and tags.

A table (CSV, TSV, JSON lines, Parquet) has the columns ``query`` (the id), ``text`` or ``image`` or
both; every other column is a tag, such as language, country or pair. A table of texts alone needs
no ids: a text is its own. A ``.txt`` file has one text on each line.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, UsageError
from fairlead.protocols import Progress
from fairlead.store.opening import text_of
from fairlead.store.runs import QUERY_ALIASES
from fairlead.store.sources.columns import column_texts
from fairlead.store.sources.entries import IMAGE_ALIASES, resolved
from fairlead.store.tables import Header, LoadedTable, read_table
from fairlead.types import Queries

ID_ALIASES = (*QUERY_ALIASES, "id")
TEXT_ALIASES = ("prompt", "caption", "question")
_ACCEPTED = "It needs a column 'text' or 'image', or texts in a column 'query'."


# How alike two words must be: txt is meant for text, context is not.
_NEARLY = 0.8


@dataclass(frozen=True)
class QueryColumns:
    """Which columns of a table of queries are what; ``tags`` are all others."""

    id: str
    text: str | None
    image: str | None
    tags: tuple[str, ...]

    @classmethod
    def of(cls, header: Header) -> QueryColumns:
        """Read the columns off a header.

        Raises:
            DataError: For a table that asks nothing.
        """
        name = header.find("query", ID_ALIASES)
        text = header.find("text", TEXT_ALIASES)
        image = header.find("image", IMAGE_ALIASES)
        # a column of queries alone holds the words themselves
        if text is None and image is None:
            _refuse_misspelt(header)
            text = name
        if text is None and image is None:
            columns = ", ".join(header.columns)
            raise DataError(f"{header.name} asks nothing: its columns are {columns}.", _ACCEPTED)
        used = {name, text, image}
        tags = tuple(column for column in header.plain if column not in used)
        return cls(str(name or text or image), text, image, tags)


def _refuse_misspelt(header: Header) -> None:
    """Refuse a table whose words stand in a column that is all but called so: its ids would be
    asked instead, and nobody would be told.
    """
    for column in header.columns:
        meant = get_close_matches(column.lower(), ("text", "image"), 1, _NEARLY)
        if meant:
            raise DataError(
                f"{header.name} has no column '{meant[0]}', but one called '{column}'.",
                f"Call it {meant[0]}; or leave it out, and the column of queries is what is asked.",
            )


def read_queries(source: Any, *, progress: Progress | None = None) -> Queries:
    """Read queries, in the order of the file.

    Args:
        source: A CSV, TSV, JSON-lines, Parquet or text file, a data frame, a mapping of columns, a
            list of records, or a list of texts.
        progress: Told the bytes read.

    Raises:
        DataError: With file and line: for a query that asks nothing, or an id that stands twice.
        UsageError: Where the path is at fault.
    """
    if _is_texts(source):
        return _of_texts(tuple(source), "the list of queries", "entry")
    if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() == ".txt":
        return _of_lines(Path(source).expanduser())
    table = read_table(source, lambda header: dict.fromkeys(header.plain, "any"), progress=progress)
    return _of_table(table)


def _is_texts(source: Any) -> bool:
    if isinstance(source, (str, Mapping)) or not isinstance(source, Sequence):
        return False
    return bool(source) and all(isinstance(one, str) for one in source)


def _of_lines(path: Path) -> Queries:
    try:
        content = text_of(path)
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}.", "Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name} cannot be read: {error}.", "Save it as UTF-8.") from error
    # splitlines would also split a text at other line ends
    return _of_texts(tuple(content.split("\n")), path.name, "line")


def _of_texts(lines: tuple[str, ...], name: str, unit: str) -> Queries:
    """Queries from texts that are their own ids; empty lines are skipped."""
    first: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text in first:
            raise DataError(
                f"{name}, {unit} {number}: '{text}' stands on {unit} {first[text]} already.",
                "Ask every query once.",
            )
        if text:
            first[text] = number
    if not first:
        raise DataError(f"{name} asks nothing.", "Write one query on each line.")
    return Queries(tuple(first), texts=tuple(first))


def _of_table(table: LoadedTable) -> Queries:
    columns = QueryColumns.of(table.header)
    cells = column_texts(table, Counter())
    ids = _ids(table, _cells(table, cells, columns.id))
    texts = _filled(table, cells, columns.text)
    images = _filled(table, cells, columns.image)
    if images is not None:
        # objects have no place of their own: their paths are taken from where we are
        folder = ""
        if table.path is not None:
            folder = str(table.path.resolve().parent)
        images = tuple(resolved(image, folder)[0] for image in images)
    tags = {name: tuple(v or "" for v in cells[name]) for name in columns.tags if name in cells}
    return Queries(ids, texts=texts, images=images, tags=tags)


def _ids(table: LoadedTable, cells: Sequence[str | None]) -> tuple[str, ...]:
    first: dict[str, int] = {}
    for record, name in enumerate(cells):
        if name is None:
            raise DataError(f"{table.place(record)}: the query is empty.", "Give every query one.")
        before = first.setdefault(name, record)
        if before != record:
            raise DataError(
                f"{table.name} has the query '{name}' twice: {table.pair(before, record)}.",
                "Ask every query once, or give each an id of its own in a column 'query'.",
            )
    return tuple(first)


def _cells(
    table: LoadedTable, cells: Mapping[str, Sequence[str | None]], column: str
) -> Sequence[str | None]:
    """The cells of a column, which must hold text."""
    if column not in cells:
        raise DataError(f"The column '{column}' of {table.name} holds no text.", "Give text.")
    return cells[column]


def _filled(
    table: LoadedTable, cells: Mapping[str, Sequence[str | None]], column: str | None
) -> tuple[str, ...] | None:
    """The cells of a column, none of which may be empty; None where there is no such column."""
    if column is None:
        return None
    for record, value in enumerate(_cells(table, cells, column)):
        if value is None:
            raise DataError(
                f"{table.place(record)}: the {column} is empty.",
                "Every query asks in the same way: in words, with a picture, or both.",
            )
    return tuple(str(value) for value in cells[column])
