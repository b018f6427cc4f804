"""Columns of a table as text, cell by cell: what a source keeps of everything it does not use itself."""

from __future__ import annotations

from collections import Counter

from fairlead.store.tables import Table


def column_texts(table: Table, notes: Counter[str]) -> dict[str, list[str | None]]:
    """Every column as text, None where a cell is empty; columns of lists and records are left out and noted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found: dict[str, list[str | None]] = {}
    for name, column in table.any.items():
        try:
            if pa.types.is_floating(column.type):
                column = pc.if_else(pc.is_nan(column), None, column)
            texts = pc.utf8_trim_whitespace(column.cast(pa.string()))
        except pa.ArrowException:
            notes["columns of lists, records or bytes, left out"] += 1
            continue
        found[name] = [value or None for value in texts.to_pylist()]
    return found
