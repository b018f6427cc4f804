"""``precomputed:DIR``: vectors that another program made, looked up by what they are of. No model
is loaded.

Two layouts are read, memory-mapped: that of clip-retrieval (``img_emb/img_emb_0.npy``,
``text_emb/text_emb_0.npy`` and ``metadata/metadata_0.parquet``, whose columns ``image_path`` and
``caption`` name the rows), and a plain one (``images.npy`` with ``images.txt``, ``texts.npy`` with
``texts.txt``: one vector and one line each). Either half may be missing. Images are looked up by
their reference, path or id as it is written there, texts by their exact text; of several rows with
one name the first counts. Vectors stay as they are on disk (float16 or float32) and are brought to
unit length when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.encoders.folders import digest, state
from fairlead.encoders.vectors import unit
from fairlead.errors import DataError, UsageError, unknown_name, words_of
from fairlead.protocols import Role
from fairlead.protocols.spec import Configured
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

Half = Literal["images", "texts"]
_HALVES: tuple[Half, Half] = ("images", "texts")
_PATTERNS = ("images.*", "texts.*", "img_emb/*.npy", "text_emb/*.npy", "metadata/*.parquet")
_FOLDERS = {"images": "img_emb", "texts": "text_emb"}
_LAYOUTS = (
    "It needs img_emb/img_emb_0.npy, text_emb/text_emb_0.npy and metadata/metadata_0.parquet "
    "(clip-retrieval), "
    "or images.npy with images.txt, texts.npy with texts.txt."
)


@dataclass(frozen=True)
class Precomputed(Configured):
    """Vectors on disk, looked up by the image's reference or the exact text.

    ``root`` is taken off the front of paths, asked for and stored, so that ``/photos/a.jpg`` is
    found as ``a.jpg``. ``image_column`` and ``text_column`` are the columns of the metadata that
    name the rows.
    """

    path: str
    root: str = ""
    image_column: str = "image_path"
    text_column: str = "caption"

    name: ClassVar[str] = "precomputed"
    addressed: ClassVar[str] = "path"
    card: ClassVar[str] = (
        "Vectors that another program made; what they are worth depends on the model "
        "that made them."
    )

    def validate(self) -> None:
        if not self.path:
            raise UsageError("precomputed needs a folder.", "Write precomputed:DIR.")

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: the content of the files, and how rows are named."""
        return digest(
            self._store.files(), self.name, self.root, self.image_column, self.text_column
        )

    def about(self) -> dict[str, Any]:
        """What the manifest records."""
        store = self._store
        return {
            "model": str(self),
            "layout": store.layout,
            "dimensions": store.width,
            **{half: len(store.halves[half]) if half in store.halves else 0 for half in _HALVES},
            "stored": sorted(
                {str(part.dtype) for half in store.halves.values() for part in half.parts}
            ),
            "fingerprint": self.fingerprint,
            "warnings": [
                f"The model that made the vectors in {self.path} is not recorded with them."
            ],
        }

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """(texts, dimensions) unit vectors of texts that are stored word for word."""
        return self._embed("texts", texts)

    def images(self, images: Sequence[Any], role: Role) -> Embeddings:
        """(images, dimensions) unit vectors of images given by reference, path or id."""
        for image in images:
            if not isinstance(image, str):
                hint = "Give its reference: a path or an id as it is stored."
                raise DataError(
                    (
                        "precomputed vectors are looked up by name, and "
                        f"{type(image).__name__} has none."
                    ),
                    hint,
                )
        return self._embed("images", images)

    def _embed(self, half: Half, keys: Sequence[str]) -> Embeddings:
        store = self._store
        if half not in store.halves:
            raise DataError(
                f"'{self.path}' holds no vectors of {half}.",
                f"It holds those of {', '.join(store.halves)}.",
            )
        return Embeddings(store.halves[half].take(keys))

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # vectors stay on disk

    @cached_property
    def _store(self) -> _Store:
        folder = Path(self.path).expanduser()
        if not folder.is_dir():
            raise DataError(f"There is no folder '{self.path}'.", _LAYOUTS)
        found = state(sorted(path for pattern in _PATTERNS for path in folder.glob(pattern)))
        return _opened(folder, self.root, self.image_column, self.text_column, found)


@dataclass(frozen=True, eq=False)
class _Half:
    """The vectors of images or of texts: memory-mapped parts (rows, dimensions) and the files with
    their names.
    """

    folder: str
    half: Half
    paths: tuple[Path, ...]
    named: tuple[Path, ...]
    column: str | None
    root: str
    parts: tuple[Array, ...] = field(default=())

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def take(self, keys: Sequence[str]) -> Array:
        """(keys, dimensions) float32 unit vectors."""
        rows = np.array([self._rows.get(_short(key, self.root), -1) for key in keys], np.int64)
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            first = ", ".join(repr(keys[i]) for i in missing[:3]) + (
                ", ..." if len(missing) > 3 else ""
            )
            some = ", ".join(repr(key) for key in list(self._rows)[:2])
            raise DataError(
                (
                    f"{len(missing)} of {len(keys)} {self.half} have no vector in "
                    f"'{self.folder}': {first}"
                ),
                f"It has {some}, ...",
            )
        found = np.empty((len(keys), self.parts[0].shape[1]), np.float32)
        ends = np.cumsum([len(part) for part in self.parts])
        of = np.searchsorted(ends, rows, side="right")
        for number in np.unique(of):
            mine = of == number
            found[mine] = self.parts[number][rows[mine] - (ends[number] - len(self.parts[number]))]
        return unit(found, f"'{self.folder}'")

    @cached_property
    def _rows(self) -> dict[str, int]:
        """The first row of each name."""
        rows: dict[str, int] = {}
        start = 0
        for part, path in zip(self.parts, self.named, strict=True):
            names: Sequence[str | None] = (
                _lines(path) if self.column is None else _column(path, self.column)
            )
            if len(names) != len(part):
                raise DataError(
                    (
                        f"{path.name} names {len(names)} rows, but there are {len(part)} "
                        "vectors for them."
                    ),
                    _LAYOUTS,
                )
            for row, name in enumerate(names, start):
                if name is not None:
                    rows.setdefault(_short(name, self.root), row)
            start += len(part)
        return rows


@dataclass(frozen=True, eq=False)
class _Store:
    """A folder of vectors."""

    layout: str
    halves: dict[Half, _Half]

    @property
    def width(self) -> int:
        return int(next(iter(self.halves.values())).parts[0].shape[1])

    def files(self) -> Iterable[Path]:
        return sorted(
            {path for half in self.halves.values() for path in (*half.paths, *half.named)}
        )


@lru_cache(maxsize=8)
def _opened(folder: Path, root: str, image_column: str, text_column: str, files: Any) -> _Store:
    """The vectors in a folder; ``files`` tells one state of it from the next."""
    columns: dict[Half, str] = {"images": image_column, "texts": text_column}
    plain = any((folder / f"{half}.npy").exists() for half in _HALVES)
    found = [
        _plain(folder, half, root) if plain else _clip_retrieval(folder, half, root, columns[half])
        for half in _HALVES
    ]
    halves = {half.half: half for half in found if half is not None}
    if not halves:
        raise DataError(f"'{folder}' holds no vectors that we know how to read.", _LAYOUTS)
    widths = {
        part.shape[1]: path.name
        for half in halves.values()
        for part, path in zip(half.parts, half.paths, strict=True)
    }
    if len(widths) > 1:
        mixed = ", ".join(f"{width} in {name}" for width, name in widths.items())
        raise DataError(f"'{folder}' mixes dimensions: {mixed}.", "All vectors share one space.")
    return _Store("plain" if plain else "clip-retrieval", halves)


def _plain(folder: Path, half: Half, root: str) -> _Half | None:
    vectors, names = folder / f"{half}.npy", folder / f"{half}.txt"
    if not vectors.exists():
        return None
    if not names.exists():
        raise DataError(
            f"'{folder}' has {half}.npy, but no {half}.txt to name its rows.",
            "Write one line per vector.",
        )
    return _Half(str(folder), half, (vectors,), (names,), None, root, (_mapped(vectors),))


def _clip_retrieval(folder: Path, half: Half, root: str, column: str) -> _Half | None:
    paths = _numbered(folder / _FOLDERS[half], f"{_FOLDERS[half]}_*.npy")
    if not paths:
        return None
    metadata = _numbered(folder / "metadata", "metadata_*.parquet")
    if list(paths) != list(metadata):
        raise DataError(
            (
                f"'{folder}' has vectors of {half} numbered {_few(paths)}, but metadata "
                f"numbered {_few(metadata)}."
            ),
            "Every file of vectors needs the file of metadata with its number.",
        )
    parts = tuple(map(_mapped, paths.values()))
    return _Half(
        str(folder), half, tuple(paths.values()), tuple(metadata.values()), column, root, parts
    )


def _numbered(folder: Path, pattern: str) -> dict[int, Path]:
    """Files by their number, in its order: part 10 comes after part 9."""
    found = {
        int(number[1]): path
        for path in folder.glob(pattern)
        if (number := re.search(r"_(\d+)$", path.stem))
    }
    return dict(sorted(found.items()))


def _few(numbers: Iterable[int]) -> str:
    shown = [str(number) for number in numbers]
    return ", ".join(shown[:5]) + (", ..." if len(shown) > 5 else "") if shown else "nothing"


def _mapped(path: Path) -> Array:
    try:
        vectors: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path.name} cannot be read as an array: {words_of(error)}.") from error
    if vectors.ndim != 2 or vectors.dtype.kind != "f" or not vectors.shape[1]:
        raise DataError(
            f"{path.name} holds {vectors.dtype} of shape {vectors.shape}.",
            "Accepted: (rows, dimensions) of floats.",
        )
    return vectors


def _lines(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:  # only line feeds end a line
            text = file.read()
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8 text.", "Write one name per line.") from error
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _column(path: Path, column: str) -> list[str | None]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        if column not in file.schema_arrow.names:
            raise unknown_name(f"column in {path.name}", column, file.schema_arrow.names)
        values = file.read([column]).column(0)
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"{path.name} cannot be read as Parquet: {words_of(error)}.") from error
    return [None if value is None else str(value) for value in values.to_pylist()]


def _short(name: str, root: str) -> str:
    """A path without the root in front of it."""
    return name.removeprefix(root.rstrip("/") + "/") if root else name
