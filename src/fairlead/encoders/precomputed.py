"""``precomputed:DIR``: vectors made before, looked up by what they are of.

Pictures are never opened.

Three layouts are read, memory-mapped: a folder that ``fairlead embed`` wrote, whose items are named
by reference and id, or by their text where it is their captions that were embedded; that of
clip-retrieval (``img_emb/img_emb_0.npy``, ``text_emb/text_emb_0.npy`` and
``metadata/metadata_0.parquet``, whose columns ``image_path`` and ``caption`` name the rows); and a
plain one (``images.npy`` with ``images.txt``, ``texts.npy`` with ``texts.txt``: one vector and one
line each). Either half may be missing; texts are then looked up in a folder ``queries`` inside, of
any of these layouts, or encoded by the ``model`` that made the vectors, where it is named.

Images are looked up by their reference, path or id as it is written there, texts by their exact
text; of several rows with one name the first counts. A path is also found by its file name alone,
where that is what is written. Vectors stay as they are on disk (float16 or float32) and are brought
to unit length when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np

from fairlead.encoders.folders import digest, state
from fairlead.encoders.vectors import unit
from fairlead.errors import DataError, UsageError, unknown_name, words_of
from fairlead.protocols import Capabilities, Encoder, Role
from fairlead.protocols.encoder import fingerprint_of
from fairlead.protocols.reach import Reach
from fairlead.protocols.registry import make
from fairlead.protocols.spec import Configured, Spec
from fairlead.store import embedded
from fairlead.store.arrays_file import mapped_array
from fairlead.store.embedding import ITEMS
from fairlead.store.manifest_file import MANIFEST
from fairlead.store.shapes import reading
from fairlead.types import Embeddings
from fairlead.types.ragged import Array

Half = Literal["images", "texts"]
_HALVES: tuple[Half, Half] = ("images", "texts")
_PATTERNS = (
    *("images.*", "texts.*", "img_emb/*.npy", "text_emb/*.npy", "metadata/*.parquet"),
    *(MANIFEST, "items.parquet", "vectors.bin", "offsets.bin"),
)
QUERIES = "queries"
"""The folder inside where vectors of queries are looked for, where a folder has none of texts."""
_BATCH = 4096
_CARD = "Vectors that were made before; what they are worth depends on the model that made them."
_FOLDERS = {"images": "img_emb", "texts": "text_emb"}
_LAYOUTS = (
    "It needs what 'fairlead embed' writes, or img_emb/img_emb_0.npy, text_emb/text_emb_0.npy and "
    "metadata/metadata_0.parquet (clip-retrieval), "
    "or images.npy with images.txt, texts.npy with texts.txt."
)


@dataclass(frozen=True)
class Precomputed(Configured):
    """Vectors on disk, looked up by the image's reference or the exact text.

    ``root`` is taken off the front of paths, asked for and stored, so that ``/photos/a.jpg`` is
    found as ``a.jpg``. ``image_column`` and ``text_column`` are the columns of the metadata that
    name the rows. ``model`` encodes words that have no vectors: the model that made the folder's.
    """

    path: str
    root: str = ""
    image_column: str = "image_path"
    text_column: str = "caption"
    model: str = ""

    name: ClassVar[str] = "precomputed"
    addressed: ClassVar[str] = "path"
    reaches: ClassVar[Reach] = Reach(nests={"model": "encoder"})

    def validate(self) -> None:
        if not self.path:
            raise UsageError("precomputed needs a folder.", "Write precomputed:DIR.")

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: the content of the files, and how rows are named."""
        query_store = self._queries
        files = [*self._store.files(), *(() if query_store is None else query_store.files())]
        model = (self._encoder.fingerprint,) if self.model else ()
        return digest(files, self.name, self.root, self.image_column, self.text_column, *model)

    def capabilities(self) -> Capabilities:
        """What the encoder says of itself; vectors on disk are not kept a second time."""
        return Capabilities(card=_CARD, pictures="references", batch=_BATCH, keeps=False)

    def afresh(self) -> Self:
        """The encoder itself: it counts nothing."""
        return self

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
            "made_by": store.made_by,
            "warnings": []
            if store.made_by
            else [f"The model that made the vectors in {self.path} is not recorded with them."],
        }

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings:
        """(texts, dimensions) unit vectors of texts stored word for word, or encoded by the
        ``model``.
        """
        if "texts" in self._store.halves:
            return self._store.halves["texts"].take(texts)
        if self._queries is not None and "texts" in self._queries.halves:
            return self._queries.halves["texts"].take(texts)
        if self.model:
            return self._encoder.texts(texts, role)
        raise DataError(f"'{self.path}' holds no vectors of texts.", self._ways_to_words())

    def _ways_to_words(self) -> str:
        """How to search a folder without vectors of texts in words."""
        advice = f"Put vectors of the queries into {Path(self.path) / QUERIES}"
        maker = self._store.made_by
        if not maker:
            return f"{advice}, or name the model that made the others: precomputed:DIR(model=...)."
        named = Spec(self.name, self.path, (("model", maker),))
        return f"{advice}, or let {maker} read the words: {named}."

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
        store = self._store
        if "images" not in store.halves:
            raise DataError(
                f"'{self.path}' holds no vectors of images.",
                f"It holds those of {', '.join(store.halves)}.",
            )
        return store.halves["images"].take(images)

    def __getstate__(self) -> dict[str, Any]:
        # vectors stay on disk
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def _store(self) -> _Store:
        folder = Path(self.path).expanduser()
        if not folder.is_dir():
            raise DataError(f"There is no folder '{self.path}'.", _LAYOUTS)
        return self._read(folder)

    @cached_property
    def _queries(self) -> _Store | None:
        """The vectors of queries in a folder of their own, where there is one."""
        folder = Path(self.path).expanduser() / QUERIES
        if "texts" in self._store.halves or not folder.is_dir():
            return None
        query_store = self._read(folder)
        if query_store.width != self._store.width:
            raise DataError(
                f"'{folder}' holds vectors of {query_store.width} dimensions, '{self.path}' of "
                f"{self._store.width}.",
                "All vectors share one space.",
            )
        maker, other = self._store.made_by, query_store.made_by
        if maker and other and maker != other:
            raise DataError(
                f"'{folder}' holds vectors of {other}, '{self.path}' of {maker}.",
                "One model makes both.",
            )
        return query_store

    @cached_property
    def _encoder(self) -> Encoder:
        """The model that reads words; it must be the one that made the vectors."""
        encoder: Encoder = make("encoder", self.model)
        fingerprint = self._store.fingerprint
        if fingerprint and fingerprint not in {fingerprint_of(encoder, side) for side in _HALVES}:
            raise DataError(
                f"'{self.path}' holds vectors of {self._store.made_by} ({fingerprint}), not of "
                f"{encoder}.",
                f"Name that one: model={self._store.made_by}.",
            )
        return encoder

    def _read(self, folder: Path) -> _Store:
        files = state(sorted(path for pattern in _PATTERNS for path in folder.glob(pattern)))
        return _opened(folder, self.root, self.image_column, self.text_column, files)


@dataclass(frozen=True, eq=False)
class _Half:
    """The vectors of images or of texts.

    Attributes:
        folder: Where they are, for messages.
        half: Which of the two.
        parts: Memory-mapped, (rows, dimensions) each.
        names: Gives the names of each row of each part; None where a row has none.
        files: What they depend on.
        root: Taken off the front of names.
        offsets: Of the vectors of each row, where rows have many; there is then one part.
    """

    folder: str
    half: Half
    parts: tuple[Array, ...]
    names: Callable[[], Iterable[tuple[str | None, ...]]]
    files: tuple[Path, ...]
    root: str
    offsets: Array | None = None

    def __len__(self) -> int:
        if self.offsets is None:
            return sum(map(len, self.parts))
        return len(self.offsets) - 1

    def take(self, keys: Sequence[str]) -> Embeddings:
        """Unit vectors of the rows with these names."""
        rows = np.array([self._row(key) for key in keys], np.int64)
        lacking = np.flatnonzero(rows < 0)
        if len(lacking):
            first = _first_of([repr(keys[i]) for i in lacking.tolist()], 3)
            some = ", ".join(repr(key) for key in list(self._rows)[:2])
            raise DataError(
                (
                    f"{len(lacking)} of {len(keys)} {self.half} have no vector in "
                    f"'{self.folder}': {first}"
                ),
                f"It has {some}, ...",
            )
        if self.offsets is not None:
            stored = Embeddings(self.parts[0], self.offsets).take(rows)
            return Embeddings(unit(stored.vectors, f"'{self.folder}'"), stored.offsets)
        return Embeddings(unit(self._gathered(rows), f"'{self.folder}'"))

    def _gathered(self, rows: Array) -> Array:
        """(rows, dimensions) float32 of rows over all parts."""
        vectors = np.empty((len(rows), self.parts[0].shape[1]), np.float32)
        ends = np.cumsum([len(part) for part in self.parts])
        of = np.searchsorted(ends, rows, side="right")
        for number in np.unique(of):
            mine = of == number
            vectors[mine] = self.parts[number][
                rows[mine] - (ends[number] - len(self.parts[number]))
            ]
        return vectors

    def _row(self, key: str) -> int:
        """The row with a name, or with the file name of a path; -1 where there is none."""
        row = self._rows.get(_short(key, self.root), -1)
        if row < 0 and self.half == "images" and "/" in key:
            return self._rows.get(key.rpartition("/")[2], -1)
        return row

    @cached_property
    def _rows(self) -> dict[str, int]:
        """The first row of each name."""
        rows: dict[str, int] = {}
        for row, names in enumerate(self.names()):
            for name in names:
                if name is not None:
                    rows.setdefault(_short(name, self.root), row)
        return rows


@dataclass(frozen=True, eq=False)
class _Store:
    """A folder of vectors; ``made_by`` and ``fingerprint`` name the model, where it is recorded."""

    layout: str
    halves: dict[Half, _Half]
    made_by: str = ""
    fingerprint: str = ""

    @property
    def width(self) -> int:
        return int(next(iter(self.halves.values())).parts[0].shape[1])

    def files(self) -> Iterable[Path]:
        return sorted({path for half in self.halves.values() for path in half.files})


@lru_cache(maxsize=8)
def _opened(folder: Path, root: str, image_column: str, text_column: str, files: Any) -> _Store:
    """The vectors in a folder; ``files`` tells one state of it from the next."""
    if embedded.is_embedded(folder):
        return _embedded(folder, root)
    columns: dict[Half, str] = {"images": image_column, "texts": text_column}
    plain = any((folder / f"{half}.npy").exists() for half in _HALVES)
    both = [
        _plain(folder, half, root) if plain else _clip_retrieval(folder, half, root, columns[half])
        for half in _HALVES
    ]
    halves = {half.half: half for half in both if half is not None}
    if not halves:
        raise DataError(f"'{folder}' holds no vectors that we know how to read.", _LAYOUTS)
    widths = {
        part.shape[1]: path.name
        for half in halves.values()
        for part, path in zip(half.parts, half.files, strict=False)
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
    parts = (_mapped(vectors),)
    named = partial(_named, parts, (names,), None)
    return _Half(str(folder), half, parts, named, (vectors, names), root)


def _embedded(folder: Path, root: str) -> _Store:
    """What ``fairlead embed`` wrote: pictures by reference and id, or captions by their text."""
    stored = embedded.open_embedded(folder, attributes=())
    side: Half = stored.manifest["side"]
    items, model = stored.collection, stored.manifest["model"]

    def names() -> Iterable[tuple[str | None, ...]]:
        if side == "texts":
            return ((text,) for text in items.texts or ())
        return zip(items.images or items.ids, items.ids, strict=True)

    files = tuple(folder / name for name in (MANIFEST, ITEMS))
    vectors = stored.embeddings.vectors
    offsets = stored.embeddings.offsets
    half = _Half(str(folder), side, (vectors,), names, files, root, offsets)
    return _Store("fairlead", {side: half}, str(model["spec"]), str(model["fingerprint"]))


def _named(
    parts: Sequence[Array], files: Sequence[Path], column: str | None
) -> Iterator[tuple[str | None, ...]]:
    """The name of every row, part after part, from the files that name them."""
    for part, path in zip(parts, files, strict=True):
        names: Sequence[str | None] = _lines(path) if column is None else _column(path, column)
        if len(names) != len(part):
            raise DataError(
                f"{path.name} names {len(names)} rows, but there are {len(part)} vectors for them.",
                _LAYOUTS,
            )
        for name in names:
            yield (name,)


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
    vectors, named = tuple(paths.values()), tuple(metadata.values())
    return _Half(
        str(folder), half, parts, partial(_named, parts, named, column), (*vectors, *named), root
    )


def _numbered(folder: Path, pattern: str) -> dict[int, Path]:
    """Files by their number, in order: part 10 comes after part 9."""
    paths = {
        int(number[1]): path
        for path in folder.glob(pattern)
        if (number := re.search(r"_(\d+)$", path.stem))
    }
    return dict(sorted(paths.items()))


def _few(numbers: Iterable[int]) -> str:
    return _first_of([str(number) for number in numbers], 5) or "nothing"


def _first_of(words: Sequence[str], most: int) -> str:
    """A few words with commas, and whether there are more."""
    if len(words) > most:
        return f"{', '.join(words[:most])}, ..."
    return ", ".join(words)


def _mapped(path: Path) -> Array:
    with reading(path.name, "an array", ""):
        vectors = mapped_array(path)
    if vectors.ndim != 2 or vectors.dtype.kind != "f" or not vectors.shape[1]:
        raise DataError(
            f"{path.name} holds {vectors.dtype} of shape {vectors.shape}.",
            "Accepted: (rows, dimensions) of floats.",
        )
    return vectors


def _lines(path: Path) -> list[str]:
    try:
        # only line feeds end a line
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8 text.", "Write one name per line.") from error
    if text:
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    return []


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
    """A path without the root before it."""
    if root:
        return name.removeprefix(root.rstrip("/") + "/")
    return name
