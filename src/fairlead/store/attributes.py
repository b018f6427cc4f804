"""Columns of a collection as attributes: those that hold a few different labels, or shares of groups (``gender=female``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.store.groups import Layout, groups_of
from fairlead.store.lines import Kind
from fairlead.store.tables import Header, read_table
from fairlead.types import Groups

_ROW = "row of the collection"


def groups_of_columns(columns: Mapping[str, Sequence[str | None]], count: int, wanted: Sequence[str] | None = None) -> dict[str, Groups]:
    """The groups of all items by attribute.

    Args:
        columns: (items,) text of each column, None where there is none.
        count: Number of items.
        wanted: Attributes asked for by name; by default every column that can be one, the others are left out.

    Raises:
        UsageError: For an attribute that is not there.
        DataError: For one asked for by name that is none.
    """
    if not columns or not count:
        return {}
    header = Header("the collection", [_ROW, *columns])
    layout = Layout.of(header, _ROW, None, None)
    for name in wanted or ():
        if name not in layout.attributes:
            raise unknown_name("attribute of the collection", name, layout.attributes)
    kinds: dict[str, Kind] = {_ROW: "id", **dict.fromkeys(columns, "any")}
    table = read_table(_arrow(columns, count), lambda _: kinds)
    rows = np.arange(count)
    found: dict[str, Groups] = {}
    for name in wanted or layout.attributes:
        try:
            found[name] = groups_of(table, layout, name, rows, rows, limited=wanted is None)
        except DataError:
            if wanted is not None:
                raise
    return found


def _arrow(columns: Mapping[str, Sequence[str | None]], count: int) -> Any:
    import pyarrow as pa

    texts = {name: pa.array(values, pa.string()) for name, values in columns.items()}
    return pa.table({_ROW: pa.array(map(str, range(count)), pa.string()), **texts})
