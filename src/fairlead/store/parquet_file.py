"""Parquet files: their columns, and the wanted ones batch by batch, under limits.

A file of some kilobytes may say that one value stands there a billion times, so what it would fill
is counted before it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlead.errors import DataError
from fairlead.store.formats import File
from fairlead.store.limits import COLUMNS, check_growth
from fairlead.store.objects import is_plain
from fairlead.store.sound import NotHealthy, Seen

_BATCH = 1 << 18
_SAMPLE = 1024
_LONG = 1 << 12
"""Bytes of a value that is not written out for every row without counting first."""


def parquet_header(file: File) -> tuple[list[str], frozenset[str]]:
    """The names of the columns, and of those that hold neither text nor numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(file.path)
        names = list(schema.names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"{file.name} is not a Parquet file: {error}.", "Check its suffix."
        ) from error
    COLUMNS.check(len(names), file.name)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(
            f"{file.name} has two columns called '{twice}'.", "Column names must be distinct."
        )
    return names, frozenset(field.name for field in schema if not is_plain(field.type))


def parquet_batches(
    file: File, names: Sequence[str], skip: int, kinds: Mapping[str, Any], seen: Seen
) -> Iterator[Mapping[str, Any]]:
    """Yield the wanted columns as Arrow arrays, batch by batch.

    Raises:
        NotHealthy: Where the file is damaged.
        DataError: Where it would fill far more memory than its size tells.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    size = file.path.stat().st_size
    with pq.ParquetFile(file.path) as stored:
        meta = stored.metadata
        texts = [
            field.name
            for field in stored.schema_arrow
            if field.name in kinds and pa.types.is_string(field.type)
        ]
    check_sizes(meta, list(kinds), file.path)
    repeated = _with_long_values(file, meta, texts)
    total, rows_read, unpacked = max(meta.num_rows, 1), 0, 0
    with pq.ParquetFile(file.path, metadata=meta, read_dictionary=repeated) as stored:
        for batch in stored.iter_batches(batch_size=_BATCH, columns=list(kinds)):
            columns = {name: batch.column(name) for name in kinds}
            for column in columns.values():
                # Arrow takes a writer's word that text is text
                column.validate(full=True)
                unpacked += _written_out(column)
                check_growth(unpacked, size, file.name)
            yield {name: plain(column) for name, column in columns.items()}
            rows_read += batch.num_rows
            # columns that nobody wants are not read, so bytes are told by the share of rows
            seen(size * rows_read // total)
    if rows_read != meta.num_rows:
        raise NotHealthy(f"it has {rows_read:,} of {meta.num_rows:,} rows")


def plain(column: Any) -> Any:
    """A column without a dictionary: a stored one may hold values that no record has."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return column.dictionary_decode()
    return column


def check_sizes(meta: Any, columns: Sequence[str], path: Path) -> None:
    """Refuse a file whose rows, or whose pages, are very many for its size."""
    pages = sum(
        chunk.total_uncompressed_size
        for chunk in _chunks(meta)
        if chunk.path_in_schema.partition(".")[0] in columns
    )
    # four bytes are the least that a value takes
    least = 4 * len(columns) * meta.num_rows
    check_growth(max(pages, least), path.stat().st_size, path.name)


def _chunks(meta: Any) -> Iterator[Any]:
    for number in range(meta.num_row_groups):
        group = meta.row_group(number)
        yield from (group.column(column) for column in range(group.num_columns))


def _with_long_values(file: File, meta: Any, texts: list[str]) -> list[str]:
    """Columns of text with long values that many rows may share."""
    import pyarrow.parquet as pq

    found: set[str] = set()
    with pq.ParquetFile(
        file.path, metadata=meta, read_dictionary=texts, pre_buffer=False
    ) as stored:
        for group in range(meta.num_row_groups if texts else 0):
            # the first rows of a group are enough: with them comes the dictionary of all its rows
            batch = next(stored.iter_batches(_SAMPLE, row_groups=[group], columns=texts), None)
            if batch is None:
                continue
            for name in texts:
                if _longest(batch.column(name)) > _LONG:
                    found.add(name)
    return sorted(found)


def _longest(column: Any) -> int:
    """Bytes of the longest text of a dictionary."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if not pa.types.is_dictionary(kind) or not is_plain(kind) or "string" not in str(kind):
        return 0
    return pc.max(pc.binary_length(column.dictionary)).as_py() or 0


def _written_out(column: Any) -> int:
    """Bytes of a column when every row has its long value."""
    import pyarrow.compute as pc

    if _longest(column) <= _LONG:
        return 0
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return int(pc.sum(lengths).as_py() or 0)
