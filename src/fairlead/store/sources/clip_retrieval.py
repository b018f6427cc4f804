"""The output of clip-retrieval: ``img_emb/*.npy`` and what they are of in ``metadata/*.parquet``.

One file of vectors is memory-mapped; several are read. Vectors are used as they lie there;
clip-retrieval writes them at unit length.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from fairlead.errors import DataError
from fairlead.store.sources.folder import natural
from fairlead.store.sources.given import Cells, Given, Side, joined, mapped_vectors, read_cells

_FOLDERS: dict[Side, str] = {"images": "img_emb", "texts": "text_emb"}


def is_output(path: str) -> bool:
    """Whether a folder is laid out like the output of clip-retrieval."""
    return (
        any(Path(path, folder).is_dir() for folder in _FOLDERS.values())
        and Path(path, "metadata").is_dir()
    )


def read_output(path: str, side: Side) -> Given:
    """The vectors of images or of texts with their metadata.

    Raises:
        DataError: Where files are missing, do not fit together, or hold something else.
    """
    files = _numbered(path, _FOLDERS[side], ".npy")
    tables = _numbered(path, "metadata", ".parquet")
    vectors = [mapped_vectors(file) for file in files]
    if len(vectors) != len(tables) or len({part.shape[1] for part in vectors}) > 1:
        raise DataError(
            f"{path} has {len(vectors)} files of vectors (dimensions "
            f"{', '.join(sorted({str(v.shape[1]) for v in vectors}))}) "
            f"and {len(tables)} of metadata.",
            "Each file of vectors has one of metadata, and all vectors have the same dimensions.",
        )
    columns: Cells = {}
    size = 0
    for part, table in zip(vectors, tables, strict=True):
        cells, rows = read_cells(table, len(part)), len(part)
        # parts may lack columns that others have; there, all rows of the part are empty
        for name in dict.fromkeys([*columns, *cells]):
            columns.setdefault(name, [None] * size).extend(cells.get(name, [None] * rows))
        size += rows
    whole = vectors[0] if len(vectors) == 1 else np.concatenate(vectors)
    vectors_with_columns = joined(whole, columns, path, "clip-retrieval", (*files, *tables))
    return replace(vectors_with_columns, side=side)


def _numbered(path: str, folder: str, suffix: str) -> list[Path]:
    place = Path(path, folder)
    files: list[Path] = []
    if place.is_dir():
        # by number: the tenth file must not stand between the first and the second
        files = sorted(
            (f for f in place.iterdir() if f.suffix == suffix), key=lambda f: natural(f.name)
        )
    if not files:
        raise DataError(
            f"{path} has no {os.path.join(folder, '*' + suffix)}.",
            "It is not a whole output of clip-retrieval.",
        )
    return files
