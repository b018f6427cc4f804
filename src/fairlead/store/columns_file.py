"""A table read whole, every cell as text: labels of images beside columns that describe them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from fairlead.errors import DataError
from fairlead.store.runs import ITEM_ALIASES
from fairlead.store.sources.columns import column_texts
from fairlead.store.sources.entries import IMAGE_ALIASES
from fairlead.store.tables import Header, read_table


def read_columns(path: str | Path) -> dict[str, list[str | None]]:
    """Every column by name, None where a cell is empty."""
    table = read_table(Path(path).expanduser(), lambda header: dict.fromkeys(header.columns, "any"))
    return column_texts(table, Counter())


def item_column(name: str, columns: dict[str, list[str | None]]) -> str:
    """The column that names items or files.

    Raises:
        DataError: Where there is none, or it leaves a cell empty or names something twice.
    """
    header = Header(name, list(columns))
    column = header.find("item", ITEM_ALIASES) or header.need("image", IMAGE_ALIASES)
    earlier: set[str] = set()
    for row, value in enumerate(columns[column], start=1):
        if value is None or value in earlier:
            fault = "is empty" if value is None else f"'{value}' stands there twice"
            raise DataError(f"{name}, row {row}: '{column}' {fault}.", "Every row is one item.")
        earlier.add(value)
    return column
