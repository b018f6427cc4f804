"""The files in a folder of one's own data: which of them is what, by their names."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from fairlead.benchmarks.own.data import Choices, OwnData
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.store.formats import locate
from fairlead.store.lines import header
from fairlead.store.parquet_file import parquet_header
from fairlead.store.queries import QueryColumns
from fairlead.store.tables import Header

_TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
# The names of the files, and how they may end.
_ENDS = {
    "queries": (*_TABLES, ".txt"),
    "labels": _TABLES,
    "targets": _TABLES,
    "candidates": _TABLES,
    "captions": _TABLES,
    "collection": (*_TABLES, ".tar"),
    "qrels": (*_TABLES, ".trec", ".qrels", ".txt", ""),
}
_CARD = "card.toml"
_HINT = "docs/own-data.md says what the folder holds."


def data_of(folder: Path, name: str, target: str, choices: Choices) -> OwnData:
    """The data of a folder.

    Raises:
        UsageError: Where there is no such folder.
        DataError: Where it has no queries, nothing to search, or two files for one thing.
    """
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.", _HINT)
    files = {what: _file(folder, what) for what in _ENDS}
    queries = files["queries"]
    if queries is None:
        near = _nearest(folder, "queries.csv")
        raise DataError(f"{folder} has no queries.csv.{near}", _HINT)
    # Shares that are stated leave nothing to be computed from the pool.
    stated = files["targets"]
    return OwnData(
        _collection(folder, files, queries),
        queries,
        groups=files["labels"],
        qrels=files["qrels"],
        target=target if stated is None else stated,
        candidates=files["candidates"],
        choices=choices,
        name=name,
        card=_card(folder),
        strays=_strays(folder, files),
    )


def _file(folder: Path, what: str) -> Path | None:
    """The file of that name, whatever its format, gzip-compressed or not."""
    names = [what + end + zipped for end in _ENDS[what] for zipped in ("", ".gz")]
    there = [folder / name for name in names if (folder / name).is_file()]
    if len(there) > 1:
        listed = " and ".join(path.name for path in there)
        raise DataError(f"{folder} has both {listed}.", "Keep one of the two.")
    return next(iter(there), None)


def _collection(folder: Path, files: dict[str, Path | None], queries: Path) -> Path:
    """What is searched: a table named so, else the captions where pictures ask, else pictures."""
    images, captions = folder / "images", files["captions"]
    if files["collection"] is not None:
        return files["collection"]
    if captions is not None and (not images.is_dir() or _asks_with_pictures(queries)):
        return captions
    if images.is_dir():
        return images
    near = _nearest(folder, "images", "captions.csv", "collection.csv")
    raise DataError(
        f"{folder} has nothing to search: no folder images, no captions.csv and no "
        f"collection.csv.{near}",
        _HINT,
    )


def _asks_with_pictures(queries: Path) -> bool:
    """Whether the queries have pictures and no words."""
    if queries.suffix == ".txt":
        return False
    try:
        columns = QueryColumns.of(_header(queries))
    except (DataError, UsageError):
        # the check reports what is wrong with the file
        return False
    return columns.image is not None and columns.text is None


def _header(path: Path) -> Header:
    file = locate(path, None)
    # Of Parquet the schema alone is read; it is at the end of a file that may be large.
    if file.format != "parquet":
        return Header(path.name, header(file)[0])
    return Header(path.name, *parquet_header(file))


def _card(folder: Path) -> dict[str, str]:
    """What ``card.toml`` says about the data."""
    card: dict[str, Any] = {}
    if (folder / _CARD).is_file():
        try:
            card = tomllib.loads((folder / _CARD).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise DataError(f"{_CARD} cannot be read: {error}.", "Write key = 'value'.") from error
    return {str(key): str(value) for key, value in card.items()}


def _strays(folder: Path, files: dict[str, Path | None]) -> tuple[str, ...]:
    """Tables in the folder that nobody reads; perhaps their names are misspelt."""
    read_here = {path for path in files.values() if path is not None} | {folder / _CARD}
    notes = []
    for path in sorted(folder.iterdir()):
        is_table = path.suffix in (*_TABLES, ".trec", ".qrels")
        if path.is_file() and is_table and path not in read_here:
            notes.append(f"{path.name} is not read.{_hint(path.stem)}")
    return tuple(notes)


def _hint(stem: str) -> str:
    hint = unknown_name("file", stem, _ENDS).hint
    # Without a near name the hint lists all names, which says nothing about this file.
    if hint.startswith("Did"):
        return f" {hint}"
    return ""


def _nearest(folder: Path, *wanted: str) -> str:
    """The file that may be meant instead of a missing one."""
    for path in sorted(folder.iterdir()):
        hint = unknown_name("file", path.name, wanted).hint
        if hint.startswith("Did"):
            return f" Is {path.name} meant to be it?"
    return ""
