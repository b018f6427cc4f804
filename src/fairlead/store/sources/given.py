"""Vectors that another program made, with a table of what they are of. Nothing is encoded again.

Two layouts are read: the output of clip-retrieval, and one file of vectors beside a table whose
rows name them in order.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairlead.errors import DataError
from fairlead.store.arrays_file import mapped_array
from fairlead.store.shapes import reading
from fairlead.store.sources.columns import column_texts
from fairlead.store.sources.entries import ID_ALIASES, IMAGE_ALIASES, TEXT_ALIASES, resolved
from fairlead.store.tables import Header, read_table
from fairlead.types.ragged import Array

Side = Literal["images", "texts"]
Cells = dict[str, list[str | None]]
"""(items,) texts by column, None where a cell is empty."""
LAYOUTS = (
    "Vectors are read as vectors.npy with ids.csv beside it (or .tsv, .jsonl, .parquet; a row for "
    "each vector, with a column item), as NAME.npy with NAME.csv beside it, or as clip-retrieval "
    "writes them (img_emb/*.npy with metadata/*.parquet)."
)


@dataclass(frozen=True, eq=False)
class Given:
    """Vectors that another program made, with what they are of.

    Attributes:
        vectors: (items, dimensions) float16 or float32.
        ids: One for each row.
        images: References, where the table has paths.
        texts: Captions, where it has them.
        columns: (items,) texts of every column, for labels.
        side: Whether they are of pictures or of captions.
        kind: The layout they came in.
        files: All files that were read.
    """

    vectors: Array
    ids: tuple[str, ...]
    images: tuple[str, ...] | None
    texts: tuple[str, ...] | None
    columns: Cells
    side: Side
    kind: str
    files: tuple[Path, ...]


def joined(vectors: Array, cells: Cells, folder: str, kind: str, files: tuple[Path, ...]) -> Given:
    """Vectors with the columns of their table: ids, pictures, captions, and everything else.

    Args:
        vectors: (items, dimensions) what was read.
        cells: The columns of the table.
        folder: What the paths of pictures are relative to.
        kind: The layout.
        files: Where all of it was read.
    """
    header = Header("metadata", list(cells))
    image = header.find("image_path", IMAGE_ALIASES)
    text = header.find("caption", TEXT_ALIASES)
    name = header.find("id", ID_ALIASES)
    if image is None:
        image = header.find("image", ())
    names: list[str | None] = [None] * len(vectors)
    # a path names an item as well as an id does, where there is none
    if name is not None:
        names = cells[name]
    elif image is not None:
        names = cells[image]
    images = texts = None
    if image is not None:
        images = tuple(resolved(path, folder)[0] if path else "" for path in cells[image])
    if text is not None:
        texts = tuple(caption or "" for caption in cells[text])
    others = {column: c for column, c in cells.items() if column not in (image, text, name)}
    # vectors of pictures may have captions beside them; those of captions have no paths
    side: Side = "images"
    if images is None and texts is not None:
        side = "texts"
    return Given(vectors, _distinct(names), images, texts, others, side, kind, files)


def mapped_vectors(file: Path) -> Array:
    """(items, dimensions) the vectors of a ``.npy`` file, memory-mapped.

    Raises:
        DataError: Where it is no array of 16 or 32 bits.
    """
    with reading(file.name, "vectors", "Make it again."):
        vectors: Any = mapped_array(file)
    if vectors.ndim != 2 or vectors.dtype not in (np.float16, np.float32):
        raise DataError(
            f"{file.name} holds {vectors.dtype} of shape {vectors.shape}.",
            "Vectors are (items, dimensions) of 16 or 32 bits.",
        )
    return vectors


def read_cells(table: Path, count: int) -> Cells:
    """The columns of a table that has a row for each of some vectors.

    Raises:
        DataError: Where it has another number of rows.
    """
    rows_read = read_table(str(table), lambda header: dict.fromkeys(header.plain, "any"))
    cells = column_texts(rows_read, Counter())
    rows = len(next(iter(cells.values()), []))
    if rows != count:
        raise DataError(
            f"{table.name} describes {rows:,} items, but there are {count:,} vectors for them.",
            "Make them again.",
        )
    return cells


def _distinct(names: list[str | None]) -> tuple[str, ...]:
    """Distinct ids from names: the row's number where there is none, and a count for repeated
    names.
    """
    ids, count = [], Counter[str]()
    for row, name in enumerate(names):
        base = name or str(row)
        count[base] += 1
        if count[base] > 1:
            base = f"{base}#{count[base]}"
        ids.append(base)
    return tuple(ids)
