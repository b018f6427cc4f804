"""Assembly of galleries: a folder, a table or an archive of images becomes a collection with
vectors, embedded once and kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from fairlead.engine.kept.vectors import ReadingPlan, Sided, bring, bring_once
from fairlead.errors import DataError, UsageError
from fairlead.phantom.references import is_drawing
from fairlead.protocols import Encoder, LiveIndex, LiveSource, Progress, Side, registry
from fairlead.protocols.encoder import fingerprint_of
from fairlead.protocols.spec import parse
from fairlead.results.embed import EmbedResult
from fairlead.store import embedded, pictures
from fairlead.store.attributes import groups_of_columns
from fairlead.store.places import cache_folder
from fairlead.store.sources.choose import find_source, is_given, read_given
from fairlead.store.sources.columns import text_array
from fairlead.store.sources.entries import SourceEntry
from fairlead.store.sources.items import collection_of
from fairlead.types import Collection, Embeddings
from fairlead.types.ragged import Array
from fairlead.words.counts import part_of

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
        index: What searches the vectors where they lie; None where an index is to be filled.
    """

    collection: Collection
    embeddings: Embeddings
    manifest: Mapping[str, Any]
    folder: Path | None
    fingerprint: str
    drawn: bool = False
    index: LiveIndex | None = None

    def take(self, rows: Array) -> Gallery:
        """The gallery with some of its items, by their rows, as if it had no others."""
        # Another fingerprint, so that an index of the whole is not taken for one of the part.
        mark = hashlib.sha256(self.fingerprint.encode() + rows.tobytes()).hexdigest()
        part = replace(self, collection=self.collection.take(rows), fingerprint=mark)
        if self.index is None:
            return replace(part, embeddings=self.embeddings.take(rows))
        # Vectors on a server stay there: the index takes them through its own embeddings.
        index = self.index.take(rows)
        return replace(part, embeddings=index.embeddings, index=index)


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
        UsageError: For a source that is none, or a folder that holds something else.
        DataError: For a folder of another source or model, or a torn one.
        BackendError: For a folder that another process has been writing for too long.
    """
    if isinstance(source, (str, Path)) and (embedded.is_embedded(source) or is_given(source)):
        raise UsageError(
            f"{source} holds vectors already.",
            "Give it to --collection as it is, or embed what it was made from.",
        )
    if is_live(source):
        raise UsageError(
            "What lies on a server has its vectors already.", "Give it to --collection as it is."
        )
    encoder = registry.make("encoder", model)
    found = _sided(_source(source), side)
    if max_pixels < 1 or (workers is not None and workers < 1):
        raise UsageError(
            "Pixels and workers are counted from 1.", "Leave them out for the defaults."
        )
    reading = ReadingPlan(workers, processes, max_pixels, half)
    return bring(Path(out).expanduser(), found, encoder, reading, progress)


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
        source: As for ``embed``; or a folder that ``embed`` wrote, or vectors that another program
            made (``store/sources/given.py`` says in which layouts), or a collection on a server.
        encoder: Makes the vectors, or made them.
        side: Whether pictures or captions are searched; pictures where there are any.
        progress: Told how many entries are done.
        workers: Threads that read and decode.
        cache: Folder of what is kept; ``$FAIRLEAD_CACHE`` or the user's cache folder by default.
    """
    if is_live(source):
        return _live(live_source(source))
    if embedded.is_embedded(source):
        return _opened(Path(source).expanduser(), encoder, side)
    if is_given(source):
        return _given(str(Path(source).expanduser()), side)
    found = _sided(_source(source), side)
    root = cache_folder()
    if cache is not None:
        root = Path(cache).expanduser()
    folder = root / "galleries" / _key(found, encoder)
    bring_once(folder, found, encoder, ReadingPlan(workers), progress)
    gallery = _opened(folder, encoder, found.side)
    if found.labels is None:
        return gallery
    # A picture that cannot be opened is not in the gallery, so its labels are left behind.
    place = {name: row for row, name in enumerate(found.labels.ids)}
    rows = np.array([place[name] for name in gallery.collection.ids], np.int64)
    return replace(
        gallery, collection=replace(gallery.collection, groups=found.labels.take(rows).groups)
    )


def open_collection(source: str | Path) -> Collection:
    """The items of a source with captions and labels, without vectors: nothing is encoded, and
    pictures are not opened.

    ``source`` is as for ``open_gallery``. Items that ``embed`` would skip for their name alone are
    left out.
    """
    if is_live(source):
        return live_source(source).open_live().collection
    if embedded.is_embedded(source):
        return embedded.open_embedded(source).collection
    if is_given(source):
        return _given(str(Path(source).expanduser()), None).collection
    found = _source(source)
    if found.labels is not None:
        return found.labels
    return collection_of([entry for entry in found.entries if entry.fault is None])


def skipped_note(gallery: Gallery) -> str:
    """What of a source is not in its gallery, in a sentence; empty where all of it is."""
    skipped, source = gallery.manifest.get("skipped", {}), gallery.manifest.get("source", {})
    if not skipped:
        return ""
    count = sum(skipped.values())
    seen = source.get("seen", count + len(gallery.collection))
    what, listed = "entry", ""
    if source.get("kind") == "folder" and gallery.manifest.get("side") == "images":
        what = "file"
    if gallery.folder is not None:
        listed = f" ({gallery.folder / 'skipped.csv'} lists them)"
    return (
        f"{part_of(count, seen, what)} skipped: "
        f"{', '.join(f'{n:,} {reason}' for reason, n in skipped.items())}{listed}."
    )


@dataclass(frozen=True, eq=False)
class _Found(Sided):
    """A source with labels of its own, where it has some."""

    labels: Collection | None = None


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


def is_live(source: Any) -> bool:
    """Whether something is a collection on a server, or names one: ``NAME:ADDRESS(...)``; a folder
    of that name has no colon.
    """
    if isinstance(source, LiveSource):
        return True
    if not isinstance(source, str) or ":" not in source:
        return False
    return source.partition(":")[0].strip() in registry.entries("source")


def live_source(source: Any) -> LiveSource:
    """The collection on a server that something is, or names."""
    return cast(LiveSource, registry.make("source", source))


def is_benchmark(source: Any) -> bool:
    """Whether a text names a benchmark, with or without an address: ``phantom`` is the phantom,
    ``./phantom`` a folder of that name.
    """
    if not isinstance(source, str):
        return False
    name = source.partition("(")[0].partition(":")[0]
    return name in registry.entries("benchmark") and parse(source).name == name


def _entries_of(collection: Collection) -> list[SourceEntry]:
    """The items of a collection as entries, with their labels as columns."""
    # A column holds one name for each item: soft labels have none, and a cross is made of
    # its parts again.
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

    nothing = (None,) * len(collection)
    images, texts = collection.images or nothing, collection.texts or nothing
    return [
        SourceEntry(i, image, text, columns=columns(row))
        for row, (i, image, text) in enumerate(zip(collection.ids, images, texts, strict=True))
    ]


def _sided(found: _Found, side: Side | None) -> _Found:
    """A source with its pictures or its captions as what is embedded."""
    pictured = any(entry.image is not None for entry in found.entries)
    # An empty folder is told as one with nothing in it, not as one that lacks captions.
    chosen: Side = "texts"
    if pictured or not found.entries:
        chosen = "images"
    chosen = side or chosen
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
    return replace(found, side="texts", entries=[_captioned(entry) for entry in found.entries])


def _captioned(entry: SourceEntry) -> SourceEntry:
    """An entry as its caption alone."""
    fault = entry.fault
    if not fault and not entry.text:
        fault = "no caption", "It has no caption."
    # A caption stays what it is when its picture changes, so size and dates must not count.
    return replace(entry, size=-1, stamp=-1, touched=-1, fault=fault)


def _opened(folder: Path, encoder: Encoder, side: Side | None) -> Gallery:
    found = embedded.open_embedded(
        folder, fingerprint_of(encoder, embedded.read_manifest(folder)["side"])
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
    given = read_given(path, side)
    columns = {name: text_array(cells) for name, cells in given.columns.items()}
    collection = Collection(
        given.ids, given.images, given.texts, groups_of_columns(columns, len(given.ids))
    )
    notes = _notes_of(path, given.vectors)
    fingerprint = _fingerprint_of(given.files)
    manifest = {
        "command": given.kind,
        "source": {"kind": given.kind, "path": path},
        "dimensions": given.vectors.shape[1],
        "dtype": str(given.vectors.dtype),
        "side": side or given.side,
        "fingerprint": fingerprint,
        "warnings": notes,
    }
    return Gallery(collection, Embeddings(given.vectors), manifest, None, fingerprint)


def _live(source: LiveSource) -> Gallery:
    """A gallery that lies on a server, and is searched there."""
    live, name = source.open_live(), str(source)
    vectors = live.index.embeddings.vectors
    side = "images"
    if live.collection.images is None:
        side = "texts"
    # By name and ids: to look at the vectors would be to fetch them all.
    digest = hashlib.sha256("\0".join((name, *live.collection.ids)).encode())
    fingerprint = digest.hexdigest()[:16]
    manifest = {
        "command": "live",
        "source": {"kind": "live", "path": name},
        "dimensions": vectors.shape[1],
        "dtype": str(vectors.dtype),
        "side": side,
        "fingerprint": fingerprint,
        "skipped": dict(live.skipped),
        "warnings": _notes_of(name, vectors, cosine=live.cosine),
    }
    return Gallery(
        live.collection, Embeddings(vectors), manifest, None, fingerprint, index=live.index
    )


def _notes_of(name: str, vectors: Array, *, cosine: bool = False) -> list[str]:
    """What a reader must know of vectors that another program made."""
    notes = [
        f"The vectors of {name} were made by another program; they must be those of the model "
        "that is asked."
    ]
    # A thousand norms, spread over all vectors, tell enough; all of them would read the whole file.
    sample = np.asarray(vectors[:: max(1, len(vectors) // _SAMPLE)], np.float32)
    if len(sample) and not cosine and np.abs(np.linalg.norm(sample, axis=1) - 1).max() > _UNIT:
        notes.append(
            f"The vectors of {name} are not of unit length: longer ones are found more often. "
            "Scores are inner products."
        )
    return notes


def _fingerprint_of(files: Sequence[Path]) -> str:
    """Of vectors another program made: where their files lie, and what the disk says of them."""
    # What the disk says stands for the content: reading it all would slow every search.
    digest = hashlib.sha256()
    for file in files:
        status = file.stat()
        digest.update(f"{file.resolve()} {status.st_size} {status.st_mtime_ns}\0".encode())
    return digest.hexdigest()[:16]


def _key(found: _Found, encoder: Encoder) -> str:
    """The name of what is kept for a source and a model."""
    return hashlib.sha256(
        "\0".join(
            (found.kind, found.path, found.side, fingerprint_of(encoder, found.side))
        ).encode()
    ).hexdigest()[:24]
