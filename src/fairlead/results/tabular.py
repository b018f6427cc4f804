"""Results as tables of other libraries: Arrow, pandas, polars. Nested values become columns of
their own.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from fairlead.errors import MissingExtra, UsageError, unknown_name


class Tabular:
    """Mixin for results: ``tables`` gives their records, the first table being the default."""

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The records of each table by name."""
        raise NotImplementedError

    def to_arrow(self, table: str | None = None) -> Any:
        """A pyarrow table; intervals become ``ci_low`` and ``ci_high``, chance levels
        ``null_kind``, ``null_mean`` and ``null_sd``.
        """
        import pyarrow as pa

        known = self.tables()
        name = table
        if name is None:
            name = next(iter(known))
        if name not in known:
            raise unknown_name("table of this result", name, known)
        records = [_flat(record) for record in known[name]]
        if not records:
            raise UsageError(f"The table '{name}' of this result is empty.")
        # Rows differ in their fields: the columns are those of all of them, not of the first.
        columns = dict.fromkeys(key for record in records for key in record)
        return pa.table({column: [record.get(column) for record in records] for column in columns})

    def to_pandas(self, table: str | None = None) -> Any:
        """A pandas frame."""
        # pyarrow would say that pandas is missing, and not how to install it.
        _require("pandas")
        return self.to_arrow(table).to_pandas()

    def to_polars(self, table: str | None = None) -> Any:
        """A polars frame."""
        return _require("polars").from_arrow(self.to_arrow(table))


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record whose values are text, numbers or truth values."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}_{name}": part for name, part in value.items()}
        elif key.endswith("ci"):
            flat |= {f"{key}_low": value[0], f"{key}_high": value[1]}
        elif isinstance(value, list):
            flat[key] = "; ".join(map(str, value))
        else:
            flat[key] = value
    return flat


def _require(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"A {name} table", name) from error
