"""Cells of CSV and TSV files, written in one place: safe in a spreadsheet, and read back as they
were.

A spreadsheet takes text that begins with ``= + - @``, a tab or a line end for a formula. Such text
is written behind an apostrophe, which our readers take off again. Text that begins with
apostrophes before such a character gets one more, so that every text comes back as itself.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import IO, Any

# Some spreadsheets take the wide forms for the narrow ones.
_FORMULA = "[=+\\-@\t\r\n＝＋－＠]"
_RISKY = re.compile(f"'*{_FORMULA}")
_GUARDED = re.compile(f"'+{_FORMULA}")
_FIRST = re.compile(f"(?s)\\A'('*{_FORMULA})").pattern


_KNOWN = 1 << 16
_GUARD_SAID = (
    "Cells that begin like a formula (= + - @) stand behind an apostrophe, so that no spreadsheet "
    "runs them. fairlead takes it off when it reads the file; .jsonl and .parquet need none."
)


class GuardedCells(UserWarning):
    """Cells of a file stand behind an apostrophe, so that no spreadsheet runs them."""


def write_cells(
    stream: IO[str],
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    separator: str = ",",
    end: str = "\n",
    quoted: bool = False,
    ranked: bool = False,
) -> None:
    """Write a table.

    Args:
        stream: Opened with ``newline=""``.
        columns: Their names, guarded as text is.
        rows: Text is guarded, None is empty, anything else is written as it is.
        separator: What stands between two cells.
        end: What ends a line.
        quoted: Whether every cell stands in quotes.
        ranked: Whether a row is a query, an item, a rank, and numbers that are text already: a
            score below zero is no formula.
    """
    cells = _Cells(separator, quoted)
    stream.write(separator.join(map(cells.of, columns)) + end)
    if not ranked:
        stream.writelines(separator.join(map(cells.of, row)) + end for row in rows)
    else:
        stream.writelines(
            separator.join((cells[query], cells[item], str(rank), *scores)) + end
            for query, item, rank, *scores in rows
        )
    if cells.guarded:
        warnings.warn(_GUARD_SAID, GuardedCells, stacklevel=2)


class _Cells(dict[str, str]):
    """Cells by their text: in a run ids repeat, and one is found faster than looked at again.

    Attributes:
        guarded: Whether any stands behind an apostrophe.
    """

    def __init__(self, separator: str, quoted: bool) -> None:
        self.guarded = False
        self._quoted = quoted
        self._special = re.compile(rf"""[{separator}"\r\n]""")

    def of(self, value: Any) -> str:
        """The cell of any value."""
        if isinstance(value, str):
            return self[value]
        return self[""] if value is None else self._shown(str(value))

    def __missing__(self, text: str) -> str:
        cell = text
        if _RISKY.match(text):
            self.guarded = True
            cell = "'" + text
        # A bound on memory, where every text is another.
        if len(self) >= _KNOWN:
            self.clear()
        self[text] = cell = self._shown(cell)
        return cell

    def _shown(self, cell: str) -> str:
        if self._quoted or self._special.search(cell):
            return '"' + cell.replace('"', '""') + '"'
        return cell


def plain_cell(text: str) -> str:
    """A cell of CSV or TSV without the apostrophe that guards it.

    >>> plain_cell("'=1+1"), plain_cell("''=1+1"), plain_cell("'tis")
    ('=1+1', "'=1+1", "'tis")
    """
    if _GUARDED.match(text):
        return text[1:]
    return text


def plain_cells(column: Any) -> Any:
    """The same for an Arrow array of text; the array itself where nothing is guarded."""
    import pyarrow.compute as pc

    # Looked for first, since it takes a tenth of the time: hardly any text begins so.
    if not pc.any(pc.starts_with(column, "'")).as_py():
        return column
    return pc.replace_substring_regex(column, _FIRST, r"\1")
