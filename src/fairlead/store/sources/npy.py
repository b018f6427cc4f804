"""One file of vectors beside a table that names them.

These are ``vectors.npy`` with ``ids.csv``, or ``NAME.npy`` with ``NAME.csv``.
"""

from __future__ import annotations

from pathlib import Path

from fairlead.errors import DataError
from fairlead.store.sources.entries import ID_ALIASES, IMAGE_ALIASES
from fairlead.store.sources.given import LAYOUTS, Given, joined, mapped_vectors, read_cells
from fairlead.store.tables import Header

VECTORS, TABLE = "vectors.npy", "ids"
_SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")


def is_vectors(path: str) -> bool:
    """Whether a path is a file of vectors, or a folder with one and its table."""
    place = Path(path)
    if place.is_dir():
        return (place / VECTORS).is_file() and bool(_tables(place / VECTORS))
    return place.suffix.lower() == ".npy" and place.is_file()


def read_vectors(path: str) -> Given:
    """The vectors behind a path, with what their table says of them.

    Raises:
        DataError: Where there is no table, or it does not fit.
    """
    file = Path(path)
    if file.is_dir():
        file = file / VECTORS
    tables = _tables(file)
    if not tables:
        raise DataError(f"{file} has no table beside it.", LAYOUTS)
    # of ids.csv and ids.jsonl nobody can say which is meant
    if len(tables) > 1:
        names = ", ".join(table.name for table in tables)
        raise DataError(f"{file} has several tables beside it: {names}.", LAYOUTS)
    vectors = mapped_vectors(file)
    cells = read_cells(tables[0], len(vectors))
    header = Header(tables[0].name, list(cells))
    if header.find("image_path", (*IMAGE_ALIASES, "image")) is None:
        header.need("id", ID_ALIASES)
    return joined(vectors, cells, str(file.parent), "vectors", (file, tables[0]))


def _tables(file: Path) -> list[Path]:
    """The tables of a file of vectors: those of its own name, else those called ids."""
    for stem in (file.stem, TABLE):
        candidates = [file.with_name(stem + suffix) for suffix in _SUFFIXES]
        if there := [table for table in candidates if table.is_file()]:
            return there
    return []
