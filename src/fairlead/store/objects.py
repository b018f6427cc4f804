"""Objects of other libraries, taken as they are: data frames, mappings, runs.

The runs are those of ranx and ir_measures. None of the libraries is required.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError


def kind_of(source: Any) -> str:
    """What an object is called in messages."""
    kind = type(source)
    root = kind.__module__.partition(".")[0]
    if root == "builtins":
        return f"the {kind.__name__}"
    return f"the {root} {kind.__name__}"


def as_table(source: Any) -> Any:
    """An Arrow table of a pandas, polars or Arrow table, a mapping of columns, or a list of
    records.
    """
    import pyarrow as pa

    try:
        if isinstance(source, pa.Table):
            table = source
        elif isinstance(source, pa.RecordBatch):
            table = pa.Table.from_batches([source])
        # pandas first: as a stream, the index of a filtered frame would become a column
        elif type(source).__module__.partition(".")[0] == "pandas":
            table = pa.Table.from_pandas(source, preserve_index=False)
        elif hasattr(source, "__arrow_c_stream__"):
            table = pa.table(source)
        elif isinstance(source, Mapping):
            table = pa.table({str(name): _column(values) for name, values in source.items()})
        elif isinstance(source, Sequence) and all(isinstance(r, Mapping) for r in source):
            table = pa.Table.from_pylist([{str(k): v for k, v in r.items()} for r in source])
        else:
            raise UsageError(
                f"{kind_of(source)[4:]} cannot be read as a table.",
                "Give a path, a data frame or a mapping of columns.",
            )
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(
            f"{kind_of(source)} cannot be read as a table: {error}.",
            "Each column holds one kind of value.",
        ) from error
    if not table.num_rows:
        raise DataError(f"{kind_of(source)} has no rows.", "It needs at least one.")
    return table


def is_plain(kind: Any) -> bool:
    """Whether an Arrow type is of text, numbers, times or truth values."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if "binary" in str(kind) or pa.types.is_nested(kind):
        return False
    try:
        pa.nulls(0, kind).cast(pa.string())
    except pa.ArrowException:
        return False
    return True


def _column(values: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    return pa.array(list(values))


def scored(source: Any, *, value: str) -> Any:
    """What a caller may hold instead of a table, as columns ``query``, ``item`` and ``value``.

    Anything else is returned as it is.

    A mapping ``{query: {item: number}}``; an object whose ``to_dict()`` gives one (ranx); an
    iterable of named tuples with ``query_id``, ``doc_id`` and ``score`` or ``relevance``
    (ir_measures).
    """
    if is_frame(source):
        return source
    if not isinstance(source, Mapping) and hasattr(source, "to_dict"):
        source = source.to_dict()
    if isinstance(source, Mapping):
        if all(isinstance(v, Mapping) for v in source.values()):
            return _nested(source, value)
        return source
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        records = source if isinstance(source, Sequence) else list(source)
        if records and all(hasattr(records[0], field) for field in ("query_id", "doc_id")):
            return _named(records, value)
        return records
    return source


def is_frame(source: Any) -> bool:
    """Whether an object is a pandas, polars or Arrow table."""
    root = type(source).__module__.partition(".")[0]
    return hasattr(source, "__arrow_c_stream__") or (
        root in ("pandas", "polars", "pyarrow") and hasattr(source, "columns")
    )


def _nested(source: Mapping[Any, Mapping[Any, Any]], value: str) -> dict[str, Any]:
    parts = list(source.values())
    items = list(chain.from_iterable(parts))
    if not items:
        raise DataError("The mapping has no entries.", "Give {query: {item: number}}.")
    if set(map(type, items)) != {str}:
        items = [str(item) for item in items]
    numbers = list(chain.from_iterable(part.values() for part in parts))
    # A run has hundreds of thousands of numbers: only look at each where some are not plain.
    if not set(map(type, numbers)) <= {float, int}:
        numbers = [_number(x, q, item) for q, part in source.items() for item, x in part.items()]
    queries = _repeated([str(q) for q in source], [len(part) for part in parts])
    return {"query": queries, "item": _texts(items), value: _floats(numbers)}


def _texts(items: Sequence[str]) -> Any:
    """An Arrow array of ids."""
    import pyarrow as pa

    try:
        return pa.array(items, pa.string())
    except (pa.ArrowException, ValueError) as error:
        raise DataError(f"The mapping has an id that is no text: {error}.", "") from error


def _repeated(texts: Sequence[str], times: Sequence[int]) -> Any:
    """An Arrow array with each text repeated so many times."""
    import pyarrow as pa

    return pa.array(texts, pa.string()).take(pa.array(np.repeat(np.arange(len(texts)), times)))


def _floats(numbers: Sequence[float]) -> Any:
    """An Arrow array of numbers."""
    import pyarrow as pa

    try:
        return pa.array(np.fromiter(numbers, np.float64, len(numbers)))
    except OverflowError:
        raise DataError(
            "The mapping has a whole number beyond 1e308.", "Give {query: {item: number}}."
        ) from None


def _named(records: Sequence[Any], value: str) -> dict[str, Any]:
    field = "relevance" if hasattr(records[0], "relevance") else "score"
    numbers = [_number(getattr(r, field), r.query_id, r.doc_id) for r in records]
    return {
        "query": [str(r.query_id) for r in records],
        "item": [str(r.doc_id) for r in records],
        value: numbers,
    }


def _number(number: Any, query: Any, item: Any) -> float:
    try:
        if isinstance(number, (bool, str)):
            raise TypeError
        return float(number)
    except (TypeError, ValueError):
        raise DataError(
            f"Query '{query}', item '{item}': {number!r} is not a number.",
            "Give {query: {item: number}}.",
        ) from None
