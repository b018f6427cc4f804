"""Assembly of galleries: a folder, a table or an archive of images becomes a collection with
vectors, embedded once and kept.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from fairlead import __version__
from fairlead.engine import embedding
from fairlead.engine.embedding import Side
from fairlead.engine.readers import content_of
from fairlead.errors import DataError, UsageError
from fairlead.phantom.references import is_drawing, pixels
from fairlead.protocols import Encoder, Progress, registry
from fairlead.protocols.spec import parse
from fairlead.store import embedded, pictures
from fairlead.store.attributes import groups_of_columns
from fairlead.store.locks import locked
from fairlead.store.materials import Captions, Files, References
from fairlead.store.places import cache_folder
from fairlead.store.sources import clip_retrieval
from fairlead.store.sources.choose import find_source
from fairlead.store.sources.columns import text_array
from fairlead.store.sources.entries import OURS, Entry, Source
from fairlead.store.sources.items import collection_of
from fairlead.types import Collection, Embeddings
from fairlead.types.ragged import Array
from fairlead.words.counts import part_of

_DRAWS = ("phantom", "phantom_ideal", "precomputed")
"""Encoders that know a drawing by its reference."""
_LOOKS_UP = ("precomputed",)
"""Encoders that know any picture by its reference."""
_PIXELS = 224
"""Pixels of a side of a drawing for encoders that see pictures."""


_SAMPLE, _UNIT = 1_000, 0.01
"""Vectors of another program that are looked at, and how far from unit length they may be."""


@dataclass(frozen=True, eq=False)
class Gallery:
    """A collection with its vectors.

    Attributes:
        collection: Items, with labels from the source's columns.
        embeddings: Their vectors, memory-mapped where they are on disk.
        manifest: Source, model, counts, what was skipped.
        folder: Where the vectors are kept; None where they are not ours.
        fingerprint: Of the vectors: equal for equal vectors in equal order.
        drawn: Whether the pictures are the phantom's own drawings.
    """

    collection: Collection
    embeddings: Embeddings
    manifest: Mapping[str, Any]
    folder: Path | None
    fingerprint: str
    drawn: bool = False

    def take(self, rows: Array) -> Gallery:
        """The gallery with some of its items, by their rows, as if it had no others."""
        mark = hashlib.sha256(self.fingerprint.encode() + rows.tobytes()).hexdigest()
        return replace(
            self,
            collection=self.collection.take(rows),
            embeddings=self.embeddings.take(rows),
            fingerprint=mark,
        )


@dataclass(frozen=True)
class EmbedResult:
    """What ``embed`` did: ``items`` and ``skipped`` together are all that was ``seen``."""

    folder: Path
    seen: int
    items: int
    embedded: int
    skipped: Mapping[str, int]
    seconds: float
    manifest: Mapping[str, Any]

    @property
    def reused(self) -> int:
        """Items whose vectors were there already."""
        return self.items - self.embedded

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        speed = self.embedded / self.seconds if self.seconds > 0 else None
        return {
            "folder": str(self.folder),
            "seen": self.seen,
            "items": self.items,
            "embedded": self.embedded,
            "reused": self.reused,
            "skipped": dict(self.skipped),
            "seconds": round(self.seconds, 3),
            "per_second": None if speed is None else round(speed, 1),
            "manifest": dict(self.manifest),
        }


def embed(
    source: str | Path,
    model: str | Encoder,
    out: str | Path,
    *,
    side: Side | None = None,
    half: bool = False,
    workers: int | None = None,
    processes: bool = False,
    max_pixels: int = pictures.MAX_PIXELS,
    progress: Progress | None = None,
) -> EmbedResult:
    """Embed a source into a folder, or bring a folder in line with its source: only what is new is
    encoded.

    Args:
        source: A folder of images, a table, tar archives, or ``phantom``.
        model: The encoder.
        out: The folder of the vectors; one that a killed run left is continued.
        side: Whether pictures or captions are embedded; pictures where there are any.
        half: Keep 16-bit numbers instead of 32-bit ones.
        workers: Threads, or processes, that read and decode.
        processes: Read with processes where there is much to read; the caller's script must be
            guarded by ``__main__``.
        max_pixels: Larger pictures are skipped.
        progress: Told how many entries are done.

    Raises:
        UsageError: For a source that is none, or a folder that holds something else or is being
            written by another process.
        DataError: For a folder of another source or model, or a torn one.
    """
    if isinstance(source, (str, Path)) and (
        embedded.is_embedded(source) or clip_retrieval.is_output(str(source))
    ):
        raise UsageError(
            f"{source} holds vectors already.",
            "Give it to --collection as it is, or embed what it was made from.",
        )
    encoder = registry.make("encoder", model)  # type: ignore[arg-type]
    found = _sided(_source(source), side)
    if max_pixels < 1 or (workers is not None and workers < 1):
        raise UsageError(
            "Pixels and workers are counted from 1.", "Leave them out for the defaults."
        )
    return _embedded(
        found,
        encoder,
        Path(out).expanduser(),
        half,
        _Reading(workers, processes, max_pixels),
        progress,
    )


def open_gallery(
    source: str | Path,
    encoder: Encoder,
    *,
    side: Side | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    cache: str | Path | None = None,
) -> Gallery:
    """A source as a collection with vectors. What is not embedded yet is, and kept in the cache for
    the next time.

    Args:
        source: As for ``embed``; or a folder that ``embed`` wrote, or an output of clip-retrieval.
        encoder: Makes the vectors, or made them.
        side: Whether pictures or captions are searched; pictures where there are any.
        progress: Told how many entries are done.
        workers: Threads that read and decode.
        cache: Folder of what is kept; ``$FAIRLEAD_CACHE`` or the user's cache folder by default.
    """
    if embedded.is_embedded(source):
        return _opened(Path(source).expanduser(), encoder, side)
    if clip_retrieval.is_output(str(source)):
        return _given(str(Path(source).expanduser()), side)
    found = _sided(_source(source), side)
    folder = (
        (cache_folder() if cache is None else Path(cache).expanduser())
        / "galleries"
        / _key(found, encoder)
    )
    if not embedded.is_current(
        folder, _header(found, encoder, half=False, max_pixels=pictures.MAX_PIXELS), found.entries
    ):
        _embedded(found, encoder, folder, False, _Reading(workers), progress)
    gallery = _opened(folder, encoder, found.side)
    if found.labels is None:
        return gallery
    place = {name: row for row, name in enumerate(found.labels.ids)}
    rows = np.array(
        [place[name] for name in gallery.collection.ids], np.int64
    )  # a picture that cannot be opened is not in the gallery
    return replace(
        gallery, collection=replace(gallery.collection, groups=found.labels.take(rows).groups)
    )


def open_collection(source: str | Path) -> Collection:
    """The items of a source with captions and labels, without vectors: nothing is encoded, and
    pictures are not opened.

    ``source`` is as for ``open_gallery``. Items that ``embed`` would skip for their name alone are
    left out.
    """
    if embedded.is_embedded(source):
        return embedded.open_embedded(source).collection
    if clip_retrieval.is_output(str(source)):
        return _given(str(Path(source).expanduser()), None).collection
    found = _source(source)
    if found.labels is not None:
        return found.labels
    return collection_of([entry for entry in found.entries if entry.fault is None])


def ready(encoder: Encoder, sides: Sequence[Side], progress: Progress | None = None) -> None:
    """Load what an encoder needs for some sides, before it is timed or anybody waits for it without
    a word.
    """
    loads, about = getattr(encoder, "ready", None), getattr(encoder, "about", None)
    if loads is not None:
        loads(sides, progress)
    elif about is not None:
        about()  # encoders of other libraries load for it


def afresh(encoder: Encoder) -> Encoder:
    """The same encoder with counts of its own, where it counts: what it says of texts is then said
    of one run.
    """
    made = getattr(encoder, "afresh", None)
    return encoder if made is None else cast(Encoder, made())


def skipped_note(gallery: Gallery) -> str:
    """What of a source is not in its gallery, in a sentence; empty where all of it is."""
    skipped, source = gallery.manifest.get("skipped", {}), gallery.manifest.get("source", {})
    if not skipped:
        return ""
    count, seen = (
        sum(skipped.values()),
        source.get("seen", sum(skipped.values()) + len(gallery.collection)),
    )
    what = (
        "file"
        if source.get("kind") == "folder" and gallery.manifest.get("side") == "images"
        else "entry"
    )
    listed = "" if gallery.folder is None else f" ({gallery.folder / 'skipped.csv'} lists them)"
    return (
        f"{part_of(count, seen, what)} skipped: "
        f"{', '.join(f'{n:,} {reason}' for reason, n in skipped.items())}{listed}."
    )


def open_image(image: Any, encoder: Encoder) -> Any:
    """A picture as an encoder takes it: a path is opened; a reference stays one for encoders that
    know it.

    Raises:
        DataError: Where it cannot be opened.
    """
    if not isinstance(image, (str, Path)):
        return image
    if is_drawing(image):
        return image if _name(encoder) in _DRAWS else drawing(str(image), _PIXELS)
    if _name(encoder) in _LOOKS_UP:
        return str(image)
    return pictures.open_picture(
        os.path.expanduser(image),
        least=getattr(encoder, "enough", None),
        takes=getattr(encoder, "takes", None),
    )


def thumbnail(reference: str, size: int) -> Any:
    """The picture behind a reference as a square Pillow image of ``size`` pixels a side; None where
    it cannot be opened.
    """
    try:
        return (
            drawing(reference, size)
            if is_drawing(reference)
            else pictures.thumbnail(reference, size)
        )
    except DataError:
        return None


def drawing(reference: str, size: int) -> Any:
    """A drawing of the phantom as a Pillow image."""
    from PIL import Image

    return Image.fromarray(pixels([reference], size)[0])


@dataclass(frozen=True)
class _Reading:
    """Who reads pictures, and how large they may be."""

    workers: int | None = None
    processes: bool = False
    max_pixels: int = pictures.MAX_PIXELS


@dataclass(frozen=True, eq=False)
class _Found(Source):
    """A source with the side of it that is embedded, and labels of its own where it has some."""

    side: Side = "images"
    labels: Collection | None = None


class _Drawings:
    """Drawings for encoders that see pictures."""

    def read(self, entry: Entry) -> bytes:
        return str(entry.image).encode()

    def see(self, entry: Entry, content: bytes) -> Any:
        return drawing(str(entry.image), _PIXELS)


def _source(source: str | Path) -> _Found:
    """The entries of a path, or of a benchmark's collection by its name."""
    if is_benchmark(source):
        collection = registry.make("benchmark", str(source)).study().collection
        drawn = all(map(is_drawing, collection.images or ()))
        return _Found(
            "drawings" if drawn else "benchmark",
            str(source),
            _entries_of(collection),
            labels=collection,
        )
    found = find_source(source)
    return _Found(found.kind, found.path, found.entries, found.notes)


def is_benchmark(source: Any) -> bool:
    """Whether a text names a benchmark, with or without an address: ``phantom`` is the phantom,
    ``./phantom`` a folder of that name.
    """
    name = source.partition("(")[0].partition(":")[0] if isinstance(source, str) else None
    return name in registry.entries("benchmark") and parse(source).name == name


def _entries_of(collection: Collection) -> list[Entry]:
    """The items of a collection as entries, with their labels as columns."""
    labels = {
        name: groups
        for name, groups in collection.groups.items()
        if groups.codes is not None and "*" not in name
    }

    def columns(row: int) -> tuple[tuple[str, str], ...]:
        return tuple(
            (name, g.names[g.codes[row]])
            for name, g in labels.items()
            if g.codes is not None and g.codes[row] >= 0
        )

    images, texts = (
        collection.images or (None,) * len(collection),
        collection.texts or (None,) * len(collection),
    )
    return [
        Entry(i, image, text, columns=columns(row))
        for row, (i, image, text) in enumerate(zip(collection.ids, images, texts, strict=True))
    ]


def _sided(found: _Found, side: Side | None) -> _Found:
    """A source with its pictures or its captions as what is embedded."""
    pictured = any(entry.image is not None for entry in found.entries)
    chosen: Side = side or ("images" if pictured or not found.entries else "texts")
    if chosen == "images":
        if found.entries and not pictured:
            raise UsageError(
                f"{found.path} names no pictures.", "Its captions can be embedded: --side texts."
            )
        return replace(found, side="images")
    if not any(entry.text for entry in found.entries):
        raise UsageError(
            f"{found.path} has no captions.",
            "Put them beside the pictures (a.txt), or into captions.csv (file,caption).",
        )
    told = [
        replace(
            e,
            size=-1,
            stamp=-1,
            fault=e.fault or (None if e.text else ("no caption", "It has no caption.")),
        )
        for e in found.entries
    ]
    return replace(found, side="texts", entries=told)


def _material(found: _Found, encoder: Encoder, max_pixels: int) -> embedding.Material[Entry]:
    if found.side == "texts":
        return Captions()
    if found.kind == "drawings":
        return References() if _name(encoder) in _DRAWS else _Drawings()
    if _name(encoder) in _LOOKS_UP:
        return References()
    return Files(max_pixels, getattr(encoder, "enough", None), getattr(encoder, "takes", None))


def _embedded(
    found: _Found,
    encoder: Encoder,
    folder: Path,
    half: bool,
    reading: _Reading,
    progress: Progress | None,
) -> EmbedResult:
    """Bring a folder in line with a source."""
    embedded.check_place(folder)
    encoder = afresh(encoder)
    header, about = (
        _header(found, encoder, half=half, max_pixels=reading.max_pixels),
        _about(found, encoder),
    )
    material = _material(found, encoder, reading.max_pixels)

    def content(entry: Entry) -> str | None:
        try:
            return content_of(material.read(entry))
        except DataError:
            return None

    with (
        locked(folder.with_name(f".{folder.name}{OURS}lock"), f"embedding into {folder}"),
        pictures.quiet(),
        embedded.open_writer(folder, header, found.entries, content, about) as writer,
    ):
        new = [entry for entry in found.entries if entry not in writer.known]
        if new and hasattr(encoder, "ready"):
            ready(encoder, (found.side,), progress)
        start = time.perf_counter()
        tally = embedding.embed(
            new,
            material,
            encoder,
            writer,
            side=found.side,
            workers=reading.workers,
            processes=reading.processes,
            progress=progress,
        )
        seconds = time.perf_counter() - start
        manifest = writer.finish(_warned(about, folder, encoder))
    return EmbedResult(
        folder,
        len(found.entries),
        manifest["items"],
        tally.embedded,
        manifest["skipped"],
        seconds,
        manifest,
    )


def _header(found: _Found, encoder: Encoder, *, half: bool, max_pixels: int) -> dict[str, Any]:
    return {
        "source": {"kind": found.kind, "path": found.path},
        "model": {
            "spec": _spec(encoder, found.side),
            "fingerprint": _fingerprint(encoder, found.side),
        },
        "dtype": "float16" if half else "float32",
        "side": found.side,
        "max_pixels": max_pixels,
    }


def _about(found: _Found, encoder: Encoder) -> dict[str, Any]:
    """What a manifest says of a source and a model."""
    told = getattr(encoder, "about", None)
    model = {
        "spec": _spec(encoder, found.side),
        "card": getattr(encoder, "card", ""),
        **(told() if callable(told) else {}),
        "fingerprint": _fingerprint(encoder, found.side),
    }
    source = {
        "kind": found.kind,
        "path": found.path,
        "seen": len(found.entries),
        "notes": dict(found.notes),
    }
    return {"fairlead": __version__, "command": "embed", "source": source, "model": model}


def _warned(about: Mapping[str, Any], folder: Path, encoder: Encoder) -> dict[str, Any]:
    """What a manifest says, with the captions that were cut just now, and those of earlier runs:
    their vectors stay what they are.
    """
    told, model = getattr(encoder, "about", None), about["model"]
    if "warnings" not in model or not callable(told):
        return dict(about)
    try:
        before = embedded.read_manifest(folder)["model"].get("warnings", ())
    except DataError:  # not finished, or torn: it is written anew
        before = ()
    return {
        **about,
        "model": {**model, "warnings": list(dict.fromkeys([*before, *told().get("warnings", ())]))},
    }


def _opened(folder: Path, encoder: Encoder, side: Side | None) -> Gallery:
    found = embedded.open_embedded(
        folder, _fingerprint(encoder, embedded.read_manifest(folder)["side"])
    )
    if side is not None and found.manifest["side"] != side:
        raise DataError(
            f"{folder} holds vectors of {found.manifest['side']}, not of {side}.",
            "Embed the other side into another folder.",
        )
    images = found.collection.images or ()
    return Gallery(
        found.collection,
        found.embeddings,
        found.manifest,
        folder,
        found.manifest["fingerprint"],
        bool(images) and all(map(is_drawing, images)),
    )


def _given(path: str, side: Side | None) -> Gallery:
    """A gallery from vectors that another program made."""
    chosen: Side = side or ("images" if Path(path, "img_emb").is_dir() else "texts")
    given = clip_retrieval.read_output(path, chosen)
    columns = {name: text_array(cells) for name, cells in given.columns.items()}
    collection = Collection(
        given.ids, given.images, given.texts, groups_of_columns(columns, len(given.ids))
    )
    notes = [
        (
            f"The vectors of {path} were made by another program; they must be those of the "
            "model that is asked."
        )
    ]
    sample = np.asarray(given.vectors[:: max(1, len(given.vectors) // _SAMPLE)], np.float32)
    if len(sample) and np.abs(np.linalg.norm(sample, axis=1) - 1).max() > _UNIT:
        notes.append(
            f"The vectors of {path} are not of unit length: longer ones are found more "
            "often. Scores are inner products."
        )
    manifest = {
        "command": "clip-retrieval",
        "source": {"kind": "clip-retrieval", "path": path},
        "dimensions": given.vectors.shape[1],
        "dtype": str(given.vectors.dtype),
        "side": chosen,
        "warnings": notes,
    }
    return Gallery(collection, Embeddings(given.vectors), manifest, None, _fingerprint_of(path))


def _fingerprint_of(path: str) -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(path).rglob("*")):
        if file.is_file():
            digest.update(
                (
                    f"{file.relative_to(path).as_posix()} {file.stat().st_size} "
                    f"{file.stat().st_mtime_ns}"
                ).encode()
            )
    return digest.hexdigest()[:16]


def _key(found: _Found, encoder: Encoder) -> str:
    """The name of what is kept for a source and a model."""
    return hashlib.sha256(
        "\0".join((found.kind, found.path, found.side, _fingerprint(encoder, found.side))).encode()
    ).hexdigest()[:24]


def _fingerprint(encoder: Encoder, side: Side | None) -> str:
    """What the vectors of a side depend on: an encoder may say that its pictures depend on less
    than its texts do.
    """
    of_images = getattr(encoder, "image_fingerprint", None)
    return str(of_images) if side != "texts" and of_images is not None else encoder.fingerprint


def _spec(encoder: Encoder, side: Side | None) -> str:
    """What made the vectors of a side: the encoder's text form, or its name where it has none or
    its choices do not matter to them.
    """
    whole = hasattr(encoder, "spec") and _fingerprint(encoder, side) == encoder.fingerprint
    return str(encoder) if whole else _name(encoder) or type(encoder).__name__


def _name(encoder: Encoder) -> str:
    return str(getattr(encoder, "name", ""))
