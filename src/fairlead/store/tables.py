"""One reader for every table: CSV, TSV, JSON lines, Parquet, TREC files, data frames, mappings.

A caller says which columns it wants once it has seen the header; the fast way reads them, the exact
way explains what it could not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.protocols import Progress
from fairlead.store import blocks, lines
from fairlead.store.cells import plain_cells
from fairlead.store.formats import SEPARATORS, File, Trec, locate
from fairlead.store.ids import IdEncoder, Universe
from fairlead.store.lines import Kind
from fairlead.store.objects import as_table, is_plain, kind_of
from fairlead.store.parquet_file import parquet_header, plain
from fairlead.store.sound import NotHealthy
from fairlead.types.ragged import Array

Pick = Callable[["Header"], Mapping[str, Kind]]
"""Says which columns are wanted, and what they hold, once the header is known."""


@dataclass(frozen=True)
class Header:
    """The column names of a table, and what the table is called in messages.

    Attributes:
        name: What it is called.
        columns: All columns.
        nested: Those that hold lists, records or bytes.
    """

    name: str
    columns: Sequence[str]
    nested: frozenset[str] = frozenset()

    @property
    def plain(self) -> list[str]:
        """The columns of text and numbers."""
        return [column for column in self.columns if column not in self.nested]

    def find(self, role: str, aliases: Sequence[str]) -> str | None:
        """The column of a role: by its own name first, then by an alias.

        Case, spaces, ``-`` and ``_`` do not matter.
        """
        # reversed, so that of columns that are spelled alike the first counts
        by_word = {_word(c): c for c in reversed(self.columns)}
        return next((by_word[_word(a)] for a in (role, *aliases) if _word(a) in by_word), None)

    def need(self, role: str, aliases: Sequence[str]) -> str:
        """The column of a role, or an error that names the columns there are."""
        if (column := self.find(role, aliases)) is not None:
            return column
        nearest = unknown_name("column", role, self.columns).hint
        near = f" {nearest}" if nearest.startswith("Did") else ""
        also = f" (also accepted: {', '.join(aliases)})" if aliases else ""
        columns = ", ".join(map(str, self.columns))
        raise DataError(
            f"{self.name} has no column '{role}'{also}.", f"Its columns are: {columns}.{near}"
        )


@dataclass(frozen=True, eq=False)
class LoadedTable:
    """The wanted columns of a table.

    Attributes:
        header: All column names.
        size: Number of records.
        ids: Encoded columns: the distinct ids, and (records,) int32 the row of each.
        numbers: (records,) float64 each.
        any: Arrow arrays of text, numbers or truth values.
        place: Where a record stands, for messages: "run.csv, line 17".
        path: The file, or None for an object.
    """

    header: Header
    size: int
    ids: Mapping[str, tuple[Universe, Array]]
    numbers: Mapping[str, Array]
    any: Mapping[str, Any]
    place: Callable[[int], str]
    path: Path | None = None

    @property
    def name(self) -> str:
        """What the table is called in messages."""
        return self.header.name

    def pair(self, first: int, second: int) -> str:
        """Where two records are, after the table's own name: "line 2 and line 6"."""
        return " and ".join(
            self.place(record).removeprefix(self.name + ", ") for record in (first, second)
        )


def read_table(
    source: Any, pick: Pick, *, trec: Trec | None = None, progress: Progress | None = None
) -> LoadedTable:
    """Read the wanted columns of a file or of an object with columns.

    Args:
        source: A path, or a pandas, polars or Arrow table, or a mapping of columns.
        pick: Chooses columns by the header.
        trec: The TREC layout to accept, if any.
        progress: Told the bytes read.

    Raises:
        DataError: With file and line where the content is at fault.
        UsageError: Where the path is.
    """
    if isinstance(source, (str, os.PathLike)):
        return _read_file(locate(Path(os.fspath(source)), trec), pick, progress)
    table = as_table(source)
    nested = frozenset(str(field.name) for field in table.schema if not is_plain(field.type))
    header = Header(kind_of(source), [str(c) for c in table.column_names], nested)
    gather = _Gather(header, _picked(pick, header, nested))
    for batch in table.to_batches():
        gather.add({name: plain(batch.column(name)) for name in gather.kinds})
    return gather.table(lambda record: f"{header.name}, row {record + 1}")


def _read_file(file: File, pick: Pick, progress: Progress | None) -> LoadedTable:
    total = file.path.stat().st_size
    if file.format == "parquet":
        names, nested = parquet_header(file)
        header, skip = Header(file.name, names, nested), 0
        kinds = _picked(pick, header, nested)
    else:
        names, skip = lines.header(file)
        header = Header(file.name, names, lines.nested(file))
        # a value that is none of text or numbers has a line, which the exact way tells
        kinds = _picked(pick, header, frozenset())

    def seen(done: int) -> None:
        if progress is not None:
            progress(f"reading {file.name}", done, total)

    guarded = file.format in SEPARATORS
    gather = _Gather(header, kinds, guarded)
    try:
        for batch in blocks.batches(file, names, skip, kinds, seen):
            gather.add(batch)
    except NotHealthy as error:
        if file.format == "parquet":
            raise DataError(
                f"{file.name} cannot be read as Parquet: {error}.", "Write it again."
            ) from error
        # from the beginning: the fast way may stumble in the middle, with batches already gathered
        gather = _Gather(header, kinds, guarded)
        for chunk in _slowly(file, names, kinds):
            gather.add(chunk)
    seen(total)
    if not gather.size:
        raise DataError(
            f"{file.name} has no data.", "It needs at least one line of data below the header."
        )
    # a line is looked for only when it is told, since that reads the file once more
    return gather.table(lambda record: _place(file, names, record), file.path)


def _place(file: File, names: Sequence[str], record: int) -> str:
    line = None
    if file.format != "parquet":
        line = lines.line_of(file, names, record)
    if line is None:
        return f"{file.name}, row {record + 1}"
    return f"{file.name}, line {line}"


def _picked(pick: Pick, header: Header, nested: frozenset[str]) -> Mapping[str, Kind]:
    """The wanted columns, all of which can be read."""
    kinds = pick(header)
    if not kinds:
        raise DataError(
            f"{header.name} has no column of text or numbers.",
            f"Its columns hold lists, records or bytes: {', '.join(header.columns)}.",
        )
    for name, kind in kinds.items():
        if kind == "any" and name in nested:
            raise DataError(
                f"The column '{name}' of {header.name} holds lists, records or bytes.",
                "Give text or numbers.",
            )
    return kinds


def _slowly(
    file: File, names: Sequence[str], kinds: Mapping[str, Kind]
) -> Iterator[Mapping[str, Any]]:
    import pyarrow as pa

    types = {"id": pa.string(), "number": pa.float64()}
    for chunk in lines.chunks(file, names, kinds):
        yield {
            name: _mixed(values) if kinds[name] == "any" else pa.array(values, types[kinds[name]])
            for name, values in chunk.items()
        }


def _mixed(values: Sequence[Any]) -> Any:
    """An Arrow array of values of any kind, of the type that the fast way gives them."""
    import pyarrow as pa

    kinds = {type(value) for value in values} - {type(None)}
    try:
        if not kinds:
            return pa.nulls(len(values))
        if kinds == {int}:
            return pa.array(values, pa.int64())
        if kinds <= {int, float}:
            numbers = [None if value is None else float(value) for value in values]
            return pa.array(numbers, pa.float64())
    except (pa.ArrowException, OverflowError):
        pass  # a whole number of more than 64 bits stays text
    return pa.array([_worded(value) for value in values], pa.string())


def _worded(value: Any) -> str | None:
    import pyarrow as pa

    if isinstance(value, float):
        return str(pa.scalar(value).cast(pa.string()))
    return None if value is None else str(value)


def _joined(parts: Sequence[Any]) -> Any:
    """One array of parts, whose types differ where values of some kind come late in the file."""
    import pyarrow as pa

    types = {part.type for part in parts} - {pa.null()}
    if len(types) > 1:
        types = {pa.float64() if types == {pa.int64(), pa.float64()} else pa.string()}
    kind = next(iter(types), pa.string())
    return pa.chunked_array([part.cast(kind) for part in parts], kind).combine_chunks()


class _Gather:
    """Collects batches: ids are encoded as they come, numbers become float64.

    Text that is ``guarded`` against spreadsheets (``cells``) loses its apostrophe at the end, when
    every id is there once and white space around it is gone.
    """

    def __init__(self, header: Header, kinds: Mapping[str, Kind], guarded: bool = False) -> None:
        self._guarded = guarded
        self.header = header
        self.kinds = kinds
        self.size = 0
        self._ids = {name: IdEncoder() for name, kind in kinds.items() if kind == "id"}
        self._numbers: dict[str, list[Array]] = {
            name: [] for name, kind in kinds.items() if kind == "number"
        }
        self._any: dict[str, list[Any]] = {
            name: [] for name, kind in kinds.items() if kind == "any"
        }

    def add(self, batch: Mapping[str, Any]) -> None:
        import pyarrow as pa

        for name, encoder in self._ids.items():
            encoder.add(self._cast(batch[name], name, pa.string()))
        for name, parts in self._numbers.items():
            parts.append(self._cast(batch[name], name, pa.float64()).to_numpy(zero_copy_only=False))
        for name, parts_of in self._any.items():
            parts_of.append(batch[name])
        self.size += len(next(iter(batch.values())))

    def _cast(self, column: Any, name: str, kind: Any) -> Any:
        import pyarrow as pa

        try:
            # text is checked; large whole numbers may lose their last digits as they do elsewhere
            return column.cast(kind, safe=kind == pa.string())
        except pa.ArrowException as error:
            at = next((n for n in range(len(column)) if not _casts(column[n], kind)), 0)
            what = "an id"
            if kind == pa.float64():
                what = "a number"
            raise DataError(
                (
                    f"{self.header.name}, row {self.size + at + 1}: the {name} "
                    f"{_shown(column[at])} is not {what}."
                ),
                "Ids are text or whole numbers; numbers are written as 0.25 or 1e-3.",
            ) from error

    def table(self, place: Callable[[int], str], path: Path | None = None) -> LoadedTable:

        if not self.size:
            raise DataError(f"{self.header.name} has no data.", "It needs at least one row.")
        ids = {name: encoder.finish() for name, encoder in self._ids.items()}
        # popped one by one, so that no more than one column is in memory twice
        numbers = {name: np.concatenate(self._numbers.pop(name)) for name in list(self._numbers)}
        others = {name: _joined(parts) for name, parts in self._any.items()}
        if self._guarded:
            ids = {name: _plain_ids(*encoded) for name, encoded in ids.items()}
            others = {name: plain_cells(column) for name, column in others.items()}
        table = LoadedTable(self.header, self.size, ids, numbers, others, place, path)
        for name, (universe, rows) in ids.items():
            if (empty := universe.values.index("").as_py()) >= 0:
                record = int(np.flatnonzero(rows == empty)[0])
                raise DataError(
                    f"{place(record)}: the {name} is empty.", "Every line needs an id there."
                )
        return table


def _plain_ids(universe: Universe, rows: Array) -> tuple[Universe, Array]:
    """Ids without what guards them: one that stood there both ways is one id."""
    values = plain_cells(universe.values)
    if values is universe.values:
        return universe, rows
    encoded = values.dictionary_encode()
    return Universe(encoded.dictionary), encoded.indices.to_numpy()[rows]


def _shown(value: Any) -> str:
    try:
        return repr(value.as_py())[:60]
    except (ValueError, OverflowError):  # bytes that are no text, times beyond the calendar
        return str(value.type)


def _casts(value: Any, kind: Any) -> bool:
    import pyarrow as pa

    try:
        value.cast(kind)
    except pa.ArrowException:
        return False
    return True


def _word(name: str) -> str:
    return str(name).lower().translate({ord(c): None for c in " -_"})
