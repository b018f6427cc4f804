"""Columns of a collection as attributes: columns with few distinct labels, or with shares.

A share has a column for each group, such as ``gender=female``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.store.groups import LabelColumns, groups_of
from fairlead.store.tables import Header, LoadedTable
from fairlead.types import Groups

# A layout wants a column of items. A collection has none, since its rows are the items, so the
# column has a made-up name.
_NAME, _ROW = "the collection", "row of the collection"


def groups_of_columns(
    columns: Mapping[str, Any], count: int, wanted: Sequence[str] | None = None
) -> dict[str, Groups]:
    """The groups of all items by attribute.

    Args:
        columns: (items,) each an Arrow array of text, null where there is none.
        count: Number of items.
        wanted: Attributes asked for by name; by default every column that can be one, the others
            are left out.

    Raises:
        UsageError: For an attribute that is not there.
        DataError: For one asked for by name that is none.
    """
    if not columns or not count:
        return {}
    header = Header(_NAME, [_ROW, *columns])
    layout = LabelColumns.of(header, _ROW, None, None)
    for name in wanted or ():
        if name not in layout.attributes:
            raise unknown_name("attribute of the collection", name, layout.attributes)
    table = LoadedTable(header, count, {}, {}, columns, lambda record: f"{_NAME}, row {record + 1}")
    # each item has one record, so no two records can contradict each other
    rows = np.arange(count)
    groups: dict[str, Groups] = {}
    for name in wanted or layout.attributes:
        try:
            groups[name] = groups_of(table, layout, name, rows, rows, limited=wanted is None)
        except DataError:
            # a column nobody asked for is no fault: it may hold captions, or dates
            if wanted is not None:
                raise
    return groups
