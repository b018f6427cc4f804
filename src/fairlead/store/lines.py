"""The exact way to read a text table: line by line, so that every fault has its file and line.

The fast way (``blocks``) reads healthy files; where it stumbles, this one finds the line, or reads
what the fast one could not.
"""

from __future__ import annotations

import csv
import json
import math
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any, Literal

from fairlead.errors import DataError
from fairlead.store.cells import plain_cell
from fairlead.store.formats import SEPARATORS, File
from fairlead.store.json_text import parsed
from fairlead.store.limits import COLUMNS, LINE

Kind = Literal["id", "number", "any"]
"""What a column holds: ids (encoded), numbers (float64), or whatever it holds (labels)."""

BLANK = " \t\r\n\v\f"
"""What a blank line holds."""
_SAMPLE = 1000
_CHUNK = 1 << 16
# Only these separate TREC values: str.split would also cut ids at a no-break space.
_WORDS = re.compile(r"[^ \t\r\n]+")


def header(file: File) -> tuple[list[str], int]:
    """The column names, and how many lines they take; for JSON lines, keys of the first 1,000."""
    if file.trec is not None:
        return list(file.trec.columns), 0
    if file.format == "jsonl":
        return list(sample_types(file)), 0
    for line, values in _split(file):
        COLUMNS.check(len(values), file.name)
        names = [plain_cell(v.strip()) for v in values]
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            raise DataError(
                f"{file.name} has two columns called '{twice[0]}'.",
                "Column names must be distinct.",
            )
        # a quoted name may span lines
        return names, line + sum(value.count("\n") for value in values)
    raise DataError(f"{file.name} is empty.", "It needs a header and at least one line of data.")


def sample_types(file: File) -> dict[str, set[type]]:
    """The keys of the first thousand JSON lines, each with the Python types of its values."""
    types: dict[str, set[type]] = {}
    for count, (_, record) in enumerate(_objects(file)):
        for key, value in record.items():
            types.setdefault(key, set()).add(type(value))
        COLUMNS.check(len(types), file.name)
        if count >= _SAMPLE:
            break
    return types


def nested(file: File) -> frozenset[str]:
    """Columns of JSON lines that hold lists and records alone."""
    if file.format != "jsonl":
        return frozenset()
    types = ((name, kinds - {type(None)}) for name, kinds in sample_types(file).items())
    return frozenset(name for name, kinds in types if kinds and kinds <= {list, dict})


def records(file: File, names: Sequence[str]) -> Iterator[tuple[int, list[Any]]]:
    """Line number and values of each record, in the order of the header."""
    return every_record(file, names, _refuse)


def every_record(
    file: File, names: Sequence[str], wrong: Callable[[DataError], None]
) -> Iterator[tuple[int, list[Any]]]:
    """Like ``records``, but a line that is no record is given to ``wrong`` and passed over.

    A quote that is not closed and bytes that are no text end the reading: what comes after them
    cannot be parted into lines.
    """
    for line, values in _as_written(file, names, wrong):
        if file.format in SEPARATORS:
            yield line, [plain_cell(value) for value in values]
        else:
            yield line, values


def _as_written(
    file: File, names: Sequence[str], wrong: Callable[[DataError], None]
) -> Iterator[tuple[int, list[Any]]]:
    """Every record with its cells as they stand in the file."""
    try:
        if file.format == "jsonl":
            yield from _every_object(file, names, wrong)
        else:
            yield from _every_row(file, names, wrong)
    except DataError as error:
        wrong(error)


def _every_row(
    file: File, names: Sequence[str], wrong: Callable[[DataError], None]
) -> Iterator[tuple[int, list[Any]]]:
    rows = _split(file)
    if file.trec is None:
        next(rows, None)
    expected = f"the header has {len(names)}"
    hint = "Put values that contain the separator in double quotes."
    if file.trec is not None:
        expected = f"a {file.trec.what} has {len(names)} ({' '.join(names)})"
        hint = "Ids must not contain white space."
    for line, values in rows:
        if len(values) == len(names):
            yield line, list(values)
            continue
        count = f"{len(values)} value{'s' * (len(values) != 1)}"
        wrong(DataError(f"{file.name}, line {line}: {count} where {expected}.", hint))


def _every_object(
    file: File, names: Sequence[str], wrong: Callable[[DataError], None]
) -> Iterator[tuple[int, list[Any]]]:
    for number, line in _lines(file):
        if not line.strip():
            continue
        try:
            record = _object(file, number, line)
        except DataError as error:
            wrong(error)
        else:
            yield number, [record.get(name) for name in names]


def _refuse(error: DataError) -> None:
    raise error


def chunks(
    file: File, names: Sequence[str], kinds: Mapping[str, Kind]
) -> Iterator[dict[str, list[Any]]]:
    """Yield the wanted columns, some ten thousand records at a time, every value checked by its
    kind; cells are as they stand in the file, as the fast way has them.
    """
    columns = [(names.index(name), name, kind) for name, kind in kinds.items()]
    chunk: dict[str, list[Any]] = {name: [] for name in kinds}
    count = 0
    for line, values in _as_written(file, names, _refuse):
        for index, name, kind in columns:
            chunk[name].append(_value(values[index], name, kind, f"{file.name}, line {line}"))
        count += 1
        if count % _CHUNK == 0:
            yield chunk
            chunk = {name: [] for name in kinds}
    if chunk and count % _CHUNK:
        yield chunk


def line_of(file: File, names: Sequence[str], record: int) -> int | None:
    """The line of the record with that number (from 0)."""
    return next(
        (line for number, (line, _) in enumerate(records(file, names)) if number == record), None
    )


def cell_text(value: Any) -> str:
    """A value of a record as text without white space around it; empty where there is none."""
    if value is None:
        return ""
    return str(value).strip()


def _value(value: Any, name: str, kind: Kind, place: str) -> Any:
    if kind == "number":
        return _number(value, name, place)
    if isinstance(value, (dict, list)):
        raise DataError(
            f"{place}: the {name} is {json.dumps(value)[:60]}.", "Values are text, numbers or null."
        )
    if kind == "id":
        if value is None:
            return value
        if isinstance(value, (bool, float)):
            raise DataError(
                f"{place}: the {name} is {json.dumps(value)}.", "Ids are text or whole numbers."
            )
        return str(value)
    if isinstance(value, bool):
        return json.dumps(value)
    return value


def _number(value: Any, name: str, place: str) -> float:
    if value is None:
        return math.nan
    if value == "":
        raise DataError(f"{place}: the {name} is missing.", "Every line needs a number there.")
    try:
        # to Python, True is 1 and 1_000 is a number
        if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
            raise ValueError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"{place}: the {name} {value!r} is not a number.", "Write numbers as 0.25 or 1e-3."
        ) from None


def _split(file: File) -> Iterator[tuple[int, list[str]]]:
    """Line number and values of each line that is not blank."""
    if file.trec is not None:
        for number, line in _lines(file):
            if values := _WORDS.findall(line):
                yield number, values
        return
    # Python's own limit is far below that of the fast way
    csv.field_size_limit(max(csv.field_size_limit(), LINE.value))
    # strict: a quote that is not closed would swallow the lines after it without a word
    reader = csv.reader(
        (line for _, line in _lines(file)), delimiter=SEPARATORS[file.format], strict=True
    )
    start = 1
    try:
        for values in reader:
            if len(values) > 1 or (values and values[0].strip(BLANK)):
                yield start, values
            # a quoted value may span lines, so a record can begin on any line
            start = reader.line_num + 1
    except csv.Error as error:
        why = str(error).partition(" - ")[0]
        raise DataError(
            f"{file.name}, line {start}: {why}.",
            "Double quotes must be closed, and doubled within a value.",
        ) from error


def _objects(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in _lines(file):
        if line.strip():
            yield number, _object(file, number, line)


def _object(file: File, number: int, line: str) -> dict[str, Any]:
    try:
        record = parsed(line)
    except ValueError as error:
        raise DataError(
            f"{file.name}, line {number} is not JSON: {error}.",
            "Every line is one JSON object.",
        ) from error
    if not isinstance(record, dict):
        raise DataError(
            f"{file.name}, line {number} is not a JSON object.",
            'Every line is like {"query": "q1", "item": "a"}.',
        )
    return record


def _lines(file: File) -> Iterator[tuple[int, str]]:
    try:
        with file.open() as stream:
            yield from _decoded(file, stream)
    except (EOFError, zlib.error, OSError) as error:
        raise DataError(
            f"{file.name} cannot be read to its end: {error}.", "Make it again."
        ) from error


def _decoded(file: File, stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    most = LINE.value
    for number, raw in enumerate(iter(lambda: stream.readline(most + 1), b""), 1):
        if len(raw) > most:
            raise LINE.error(f"{file.name}, line {number}", most)
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise DataError(
                f"{file.name}, line {number} is not UTF-8 text.", "Save the file as UTF-8."
            ) from None
        if "\0" in line:
            raise DataError(
                f"{file.name}, line {number} holds a NUL character.", "Save the file as UTF-8 text."
            )
        yield number, line
