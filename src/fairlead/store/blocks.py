"""The fast way to read a table: Arrow batches, streamed, with only the wanted columns.

It reads sound files and explains no faults.

Any failure here sends the reader to ``lines``, which finds the fault and its line.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairlead.store.formats import SEPARATORS, File
from fairlead.store.lines import BLANK, Kind, sample_types
from fairlead.store.parquet_file import parquet_batches
from fairlead.store.sound import NotHealthy, Seen, check_objects, line_blocks, record_blocks

_BLANK_LINES = re.compile(rb"[\r\n]*\Z")
Reader = Callable[[File, Sequence[str], int, Mapping[str, Kind], Seen], Iterator[Mapping[str, Any]]]
"""Yields the wanted columns of a file of one format."""


def batches(
    file: File, names: Sequence[str], skip: int, kinds: Mapping[str, Kind], seen: Seen
) -> Iterator[Mapping[str, Any]]:
    """Yield the wanted columns as Arrow arrays, batch by batch.

    Raises:
        NotHealthy: If anything at all is wrong with the file.
    """
    import pyarrow as pa

    readers: dict[str, Reader] = {"parquet": parquet_batches, "jsonl": _json, "trec": _trec}
    reader = readers.get(file.format, _csv)
    try:
        yield from reader(file, names, skip, kinds, seen)
    except (pa.ArrowException, OSError, EOFError, ValueError, zlib.error) as error:
        raise NotHealthy(str(error)) from error


def _csv(
    file: File, names: Sequence[str], skip: int, kinds: Mapping[str, Kind], seen: Seen
) -> Iterator[Mapping[str, Any]]:
    import pyarrow as pa
    from pyarrow import csv

    separator = SEPARATORS[file.format]
    for block, spans in record_blocks(file, seen, separator.encode()):
        # the header was read by the exact way, so that both ways agree on the columns
        if skip:
            del block[: _end_of(block, skip)]
            skip = 0
        if _BLANK_LINES.match(block) is not None:
            continue
        table = csv.read_csv(
            pa.BufferReader(pa.py_buffer(block)),
            read_options=csv.ReadOptions(
                block_size=len(block) + 1, column_names=list(names), use_threads=False
            ),
            parse_options=csv.ParseOptions(delimiter=separator, newlines_in_values=spans),
            convert_options=_conversion(kinds),
        )
        if len(names) == 1:
            _refuse_blank(table)
        yield from _parts(table, kinds)


def _end_of(block: bytearray, lines: int) -> int:
    """Where so many lines end."""
    ends = (match.end() for match in re.finditer(b"\n", block))
    # a header may be all there is, without an end of its line
    return next(itertools.islice(ends, lines - 1, None), len(block))


def _refuse_blank(table: Any) -> None:
    """Refuse a table of one column with an empty value: there, it is a blank line."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not table.num_columns:
        return
    texts = pc.utf8_trim(table.column(0).cast(pa.string()), BLANK)
    if pc.any(pc.equal(texts, "")).as_py():
        raise NotHealthy("a blank line")


def _trec(
    file: File, names: Sequence[str], skip: int, kinds: Mapping[str, Kind], seen: Seen
) -> Iterator[Mapping[str, Any]]:
    import pyarrow as pa
    from pyarrow import csv

    for block in line_blocks(file, seen):
        if not (text := _squeezed(bytes(block))):
            continue
        table = csv.read_csv(
            pa.BufferReader(text),
            read_options=csv.ReadOptions(
                block_size=len(text) + 1, column_names=list(names), use_threads=False
            ),
            # TREC files know no quotes: in an id, a quote is a letter
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=_conversion(kinds),
        )
        yield from _parts(table, kinds)


def _json(
    file: File, names: Sequence[str], skip: int, kinds: Mapping[str, Kind], seen: Seen
) -> Iterator[Mapping[str, Any]]:
    import pyarrow as pa
    from pyarrow import json

    types = sample_types(file)
    # with a given schema, Arrow does not guess types from the first block alone
    schema = pa.schema([(name, _json_type(types[name], kind)) for name, kind in kinds.items()])
    options = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    for block in line_blocks(file, seen):
        if block.isspace():
            continue
        # one block for all: Arrow fails on an object longer than its blocks
        size = json.ReadOptions(block_size=len(block) + 1, use_threads=False)
        content = pa.BufferReader(pa.py_buffer(block))
        table = json.read_json(content, read_options=size, parse_options=options)
        check_objects(block, table.num_rows)
        yield from _parts(table, kinds)


def _json_type(types: set[type], kind: Kind) -> Any:
    import pyarrow as pa

    if kind == "number":
        return pa.float64()
    arrow_types: dict[frozenset[type], Any] = {
        frozenset({str}): pa.string(),
        frozenset({int}): pa.int64(),
    }
    # as an id, 1.0 is refused by the exact way, which names the line
    if kind == "any":
        arrow_types |= {frozenset({float}): pa.float64(), frozenset({int, float}): pa.float64()}
    arrow_type = arrow_types.get(frozenset(types - {type(None)}))
    if arrow_type is None:
        raise NotHealthy("values of several kinds")
    return arrow_type


def _conversion(kinds: Mapping[str, Kind]) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    types = {"id": pa.string(), "number": pa.float64(), "any": pa.string()}
    # No word means null: an item may be called NA, and a missing score must not pass for one.
    return csv.ConvertOptions(
        include_columns=list(kinds),
        column_types={n: types[k] for n, k in kinds.items()},
        null_values=[],
    )


def _parts(table: Any, kinds: Mapping[str, Kind]) -> Iterator[Mapping[str, Any]]:
    import pyarrow.compute as pc

    for batch in table.to_batches():
        columns = {name: batch.column(name) for name in kinds}
        for name, kind in kinds.items():
            # Arrow takes more words for it than the exact way does, such as nan(1)
            if kind == "number" and pc.any(pc.is_nan(columns[name])).as_py():
                raise NotHealthy("a number that is none")
        yield columns


def _squeezed(block: bytes) -> bytes:
    """A block with exactly one space between its values."""
    for white in (b"\t", b"\r"):
        block = block.replace(white, b" ")
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    return block.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" \n")
