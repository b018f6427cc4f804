"""Columns of a table as text, cell by cell: everything that a source does not use itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from fairlead.store.tables import LoadedTable
from fairlead.types.ragged import offsets_of

LEFT_OUT = "columns of lists, records or bytes, left out"
"""Under which they are counted."""


def column_texts(table: LoadedTable, notes: Counter[str]) -> dict[str, list[str | None]]:
    """Every column as text, None where a cell is empty; lists and records are noted instead."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts_of: dict[str, list[str | None]] = {}
    notes[LEFT_OUT] += len(table.header.nested)
    for name, column in table.any.items():
        try:
            if pa.types.is_floating(column.type):
                column = pc.if_else(pc.is_nan(column), None, column)
            texts = pc.utf8_trim_whitespace(column.cast(pa.string()))
        except pa.ArrowException:
            notes[LEFT_OUT] += 1
            continue
        texts_of[name] = [value or None for value in texts.to_pylist()]
    return texts_of


def text_array(values: Sequence[str | None]) -> Any:
    """An Arrow array of texts."""
    import pyarrow as pa

    # Arrow's own way from a list first imports pandas if installed, which takes half a second
    content = [b"" if value is None else value.encode() for value in values]
    offsets = offsets_of(np.array([len(part) for part in content], np.int64)).astype(np.int32)
    valid = np.packbits(
        np.array([value is not None for value in values], np.bool_), bitorder="little"
    )
    buffers = [
        pa.py_buffer(part) for part in (valid.tobytes(), offsets.tobytes(), b"".join(content))
    ]
    return pa.Array.from_buffers(pa.string(), len(content), buffers)
