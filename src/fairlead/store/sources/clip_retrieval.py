"""The output of clip-retrieval: vectors in ``img_emb/*.npy`` and what they are of in
``metadata/*.parquet``. Nothing is encoded again.

One file of vectors is memory-mapped; several are read. Vectors are used as they lie there;
clip-retrieval writes them at unit length.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError, words_of
from fairlead.protocols import Side
from fairlead.store.sources.columns import column_texts
from fairlead.store.sources.entries import ID_ALIASES, IMAGE_ALIASES, TEXT_ALIASES, resolved
from fairlead.store.sources.folder import natural
from fairlead.store.tables import Header, read_table
from fairlead.types.ragged import Array

_FOLDERS: dict[Side, str] = {"images": "img_emb", "texts": "text_emb"}


@dataclass(frozen=True, eq=False)
class Given:
    """Vectors that another program made, with what they are of.

    Attributes:
        vectors: (items, dimensions) float16 or float32.
        ids: One for each row.
        images: References, where the metadata has paths.
        texts: Captions, where it has them.
        columns: (items,) texts of every column, for labels.
    """

    vectors: Array
    ids: tuple[str, ...]
    images: tuple[str, ...] | None
    texts: tuple[str, ...] | None
    columns: dict[str, list[str | None]]


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
    vectors = [_mapped(file) for file in _numbered(path, _FOLDERS[side], ".npy")]
    tables = _numbered(path, "metadata", ".parquet")
    if len(vectors) != len(tables) or len({part.shape[1] for part in vectors}) > 1:
        raise DataError(
            f"{path} has {len(vectors)} files of vectors (dimensions "
            f"{', '.join(sorted({str(v.shape[1]) for v in vectors}))}) "
            f"and {len(tables)} of metadata.",
            "Each file of vectors has one of metadata, and all vectors have the same dimensions.",
        )
    columns: dict[str, list[str | None]] = {}
    size = 0
    for part, table in zip(vectors, tables, strict=True):
        cells = column_texts(
            read_table(str(table), lambda header: dict.fromkeys(header.columns, "any")), Counter()
        )
        rows = len(next(iter(cells.values()), []))
        if rows != len(part):
            raise DataError(
                (
                    f"{table.name} describes {rows:,} items, but there are {len(part):,} "
                    "vectors for them."
                ),
                "Make them again.",
            )
        for name in dict.fromkeys([*columns, *cells]):
            columns.setdefault(name, [None] * size).extend(cells.get(name, [None] * rows))
        size += rows
    return _given(path, vectors[0] if len(vectors) == 1 else np.concatenate(vectors), columns)


def _given(path: str, vectors: Array, columns: dict[str, list[str | None]]) -> Given:
    header = Header("metadata", list(columns))
    image, text = header.find("image_path", IMAGE_ALIASES), header.find("caption", TEXT_ALIASES)
    name = header.find("id", ID_ALIASES)
    named = (
        columns[name]
        if name is not None
        else columns[image]
        if image is not None
        else [None] * len(vectors)
    )
    ids, count = [], Counter[str]()
    for row, told in enumerate(named):
        known = told or str(row)
        count[known] += 1
        ids.append(known if count[known] == 1 else f"{known}#{count[known]}")
    images = (
        None
        if image is None
        else tuple(resolved(told or "", path)[0] if told else "" for told in columns[image])
    )
    texts = None if text is None else tuple(told or "" for told in columns[text])
    others = {
        column: cells for column, cells in columns.items() if column not in (image, text, name)
    }
    return Given(vectors, tuple(ids), images, texts, others)


def _numbered(path: str, folder: str, suffix: str) -> list[Path]:
    place = Path(path, folder)
    found = (
        sorted((f for f in place.iterdir() if f.suffix == suffix), key=lambda f: natural(f.name))
        if place.is_dir()
        else []
    )
    if not found:
        raise DataError(
            f"{path} has no {os.path.join(folder, '*' + suffix)}.",
            "It is not a whole output of clip-retrieval.",
        )
    return found


def _mapped(file: Path) -> Array:
    try:
        vectors: Any = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(
            f"{file.name} cannot be read as vectors: {words_of(error)}.", "Make it again."
        ) from error
    if vectors.ndim != 2 or vectors.dtype not in (np.float16, np.float32):
        raise DataError(
            f"{file.name} holds {vectors.dtype} of shape {vectors.shape}.",
            "Vectors are (items, dimensions) of 16 or 32 bits.",
        )
    return vectors
