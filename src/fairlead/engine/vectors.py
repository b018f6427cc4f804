"""Vectors of what is given: the one place where texts and pictures become embeddings.

``encoded`` takes a list of texts or references and keeps its vectors in the cache folder, by the
list, the model's fingerprint and the files' own content: a second run encodes nothing, a killed one
continues, and what cannot be opened is skipped and counted. ``of_study`` does so for both sides of
a study. Vectors on disk are memory-mapped.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.engine import embedding
from fairlead.engine.kept.vectors import PLAIN, Apart, Sided, bring_once, material_of
from fairlead.engine.narrowing import without
from fairlead.engine.pictures import open_image
from fairlead.errors import DataError
from fairlead.protocols import Encoder, Progress, Role, Side
from fairlead.protocols.encoder import capabilities, fingerprint_of
from fairlead.store import embedded, pictures
from fairlead.store.places import cache_folder
from fairlead.store.sources.entries import DRAWN, SourceEntry, is_text, stamp
from fairlead.types import Collection, Embeddings, Queries, Study
from fairlead.types.ragged import Array
from fairlead.words.counts import part_of


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors of a list of texts or pictures.

    Attributes:
        embeddings: Of the things that have vectors, in their order.
        rows: (vectors,) which of the things they are of.
        things: How many things were asked for.
        skipped: Why a thing has no vectors, by its row.
    """

    embeddings: Embeddings
    rows: Array
    things: int
    skipped: Mapping[int, str] = field(default_factory=dict)

    @property
    def missing(self) -> Array:
        """(things,) whether a thing has no vector."""
        gone = np.ones(self.things, np.bool_)
        gone[self.rows] = False
        return gone


@dataclass(frozen=True, eq=False)
class StudyVectors:
    """A study as an encoder sees it.

    Attributes:
        study: The study without the items and queries that have no vectors.
        queries: Vectors of its queries.
        items: Vectors of its items.
        notes: What is not in it, and why, in sentences.
    """

    study: Study
    queries: Embeddings
    items: Embeddings
    notes: tuple[str, ...] = ()


def of_study(
    study: Study,
    encoder: Encoder,
    progress: Progress | None = None,
    cache: str | Path | None = None,
) -> StudyVectors:
    """Vectors of the queries and of the items of a study.

    Args:
        study: What is asked. Vectors of a narrowed one are those of the whole it comes from.
        encoder: Makes the vectors.
        progress: Told how many things are encoded.
        cache: Folder of what is kept; ``$FAIRLEAD_CACHE`` or the user's cache folder by default.
    """
    asked = of_side(study, encoder, "query", progress, cache)
    items = of_side(study, encoder, "item", progress, cache)
    gone, silent = items.missing, asked.missing
    if not gone.any() and not silent.any():
        return StudyVectors(study, asked.embeddings, items.embeddings)
    # A query all of whose relevant items are gone would read as a failure of the model.
    silent = silent | _lost(study, gone)
    left = without(study, gone, silent, "None of its pictures can be opened.")
    kept = set(left.queries.ids)
    asking = np.array([study.queries.ids[row] in kept for row in asked.rows], np.bool_)
    notes = tuple(_note(study, one) for one in (asked, items) if one.skipped)
    return StudyVectors(left, embedding.taken(asked.embeddings, asking), items.embeddings, notes)


def of_side(
    study: Study,
    encoder: Encoder,
    role: Role,
    progress: Progress | None = None,
    cache: str | Path | None = None,
) -> Vectors:
    """Vectors of one side of a study: of its queries, or of its items."""
    # Vectors are kept by the list of things they are of. A part with a list of its own would be
    # encoded again for every list of what is left out, so its vectors are taken from the whole's.
    side, ids, things = _side_of(study, role)
    whole = study.whole or study
    same, all_ids, everything = _side_of(whole, role)
    place = {name: row for row, name in enumerate(all_ids)}
    rows = [place.get(name, -1) for name in ids]
    if (
        side != same
        or min(rows, default=0) < 0
        or any(everything[row] != thing for row, thing in zip(rows, things, strict=True))
    ):
        # Somebody changed it since: it is not a part of that whole any more.
        everything, rows = things, list(range(len(things)))
    made = encoded(everything, encoder, side=side, role=role, progress=progress, cache=cache)
    return _part(made, np.array(rows, np.int64))


def encoded(
    things: Sequence[str],
    encoder: Encoder,
    *,
    side: Side,
    role: Role = "item",
    progress: Progress | None = None,
    cache: str | Path | None = None,
) -> Vectors:
    """Vectors of texts or of pictures by their reference, made once and kept.

    Args:
        things: Texts, or references: paths, ``ARCHIVE.tar::member``, drawings.
        encoder: Makes the vectors.
        side: Whether they are pictures or texts.
        role: Whether they ask or are searched.
        progress: Told how many things are encoded.
        cache: Folder of what is kept; ``$FAIRLEAD_CACHE`` or the user's cache folder by default.
    """
    # What costs an encoder nothing is not worth keeping, or even a look for equal ones.
    able = capabilities(encoder)
    if not able.keeps and (side == "texts" or able.pictures == "references"):
        made = embedding.vectors_of(list(things), encoder, side=side, role=role)
        return Vectors(made, np.arange(len(things)), len(things))
    # A text asked twice is encoded once.
    distinct = dict.fromkeys(things)
    source = _listed(tuple(distinct), encoder, side)
    folder = _folder(source, encoder, role, cache)
    if folder is None or not able.keeps or not all(map(is_text, distinct)):
        found = _in_memory(source, encoder, role, progress)
    else:
        found = _kept(source, encoder, role, folder, progress)
    if len(distinct) == len(things):
        return found
    first = {thing: row for row, thing in enumerate(distinct)}
    return _part(found, np.array([first[thing] for thing in things], np.int64))


def of_pictures(images: Sequence[Any], encoder: Encoder, role: Role) -> Embeddings:
    """Vectors of some pictures that are looked at now and not kept: Pillow images, arrays, paths,
    references.

    Raises:
        DataError: Where one cannot be opened.
    """
    size = max(1, capabilities(encoder).batch)
    with pictures.quiet():
        parts = [
            embedding.vectors_of(
                [open_image(image, encoder) for image in images[start : start + size]],
                encoder,
                role=role,
            )
            for start in range(0, max(len(images), 1), size)
        ]
    return embedding.joined(parts)


def of_texts(texts: Sequence[str], encoder: Encoder, role: Role) -> Embeddings:
    """Vectors of some texts that are asked now and not kept."""
    return embedding.vectors_of(tuple(texts), encoder, side="texts", role=role)


class _Memory:
    """A sink that keeps vectors for this process alone."""

    def __init__(self) -> None:
        self.contents: dict[str, str] = {}
        self.rows: list[int] = []
        self.skipped: dict[int, str] = {}
        self.parts: list[Embeddings] = []

    def keep(self, entry: SourceEntry, content: str) -> None:
        self.contents[content] = entry.id
        self.rows.append(int(entry.id))

    def skip(self, entry: SourceEntry, reason: str, detail: str) -> None:
        self.skipped[int(entry.id)] = reason

    def commit(self, embeddings: Embeddings | None) -> None:
        if embeddings is not None:
            self.parts.append(embeddings)


def _listed(things: Sequence[str], encoder: Encoder, side: Side) -> Sided:
    """A list of distinct texts or references as a source; its entries are called by their row."""
    digest = hashlib.sha256()
    name = attrgetter("image")
    if side == "texts":
        name = attrgetter("text")
        entries = [SourceEntry(str(row), None, text) for row, text in enumerate(things)]
    elif capabilities(encoder).pictures == "references":
        entries = [SourceEntry(str(row), thing) for row, thing in enumerate(things)]
    else:
        entries = [_picture(str(row), str(thing)) for row, thing in enumerate(things)]
    for entry in entries:
        # Half a surrogate, as broken exports have it, must not stop the others.
        digest.update(str(name(entry)).encode("utf-8", "surrogatepass") + b"\0")
    return Sided("list", digest.hexdigest()[:24], entries, side=side)


def _picture(name: str, reference: str) -> SourceEntry:
    """A picture as an entry: with the size and the date of its file, where it is one."""
    if reference.startswith(DRAWN):
        return SourceEntry(name, reference)
    # By size and date a file that changed is seen without reading all of them.
    path = os.path.abspath(os.path.expanduser(reference))
    return SourceEntry(name, path, **stamp(path))


def _folder(source: Sided, encoder: Encoder, role: Role, cache: str | Path | None) -> Path | None:
    """Where the vectors of a list are kept; None where nothing can be written there."""
    root = cache_folder()
    if cache is not None:
        root = Path(cache).expanduser()
    place = root / "vectors"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    if not os.access(place, os.W_OK):
        return None
    # Not the model's spelling: models of one fingerprint share their vectors.
    parts = (
        source.side,
        source.path,
        role,
        capabilities(encoder).pictures,
        fingerprint_of(encoder, source.side),
    )
    return place / hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _kept(
    source: Sided, encoder: Encoder, role: Role, folder: Path, progress: Progress | None
) -> Vectors:
    """Vectors from a folder of the cache, which is filled first where it is not."""
    bring_once(folder, source, encoder, progress=progress, role=role, apart=True)
    found = embedded.open_embedded(folder, fingerprint_of(encoder, source.side))
    rows = np.array([int(name) for name in found.collection.ids], np.int64)
    vectors = found.embeddings
    # A file that changed was encoded again, and stands at the end now.
    if not (np.diff(rows) > 0).all():
        order = np.argsort(rows)
        rows, vectors = rows[order], vectors.take(order)
    skipped = {int(name): reason for name, reason in embedded.read_skipped(folder)}
    return Vectors(vectors, rows, len(source.entries), skipped)


def _in_memory(source: Sided, encoder: Encoder, role: Role, progress: Progress | None) -> Vectors:
    """Vectors that are not kept."""
    sink, material = _Memory(), Apart(material_of(source, encoder, PLAIN))
    with pictures.quiet():
        embedding.embed(
            source.entries,
            material,
            encoder,
            sink,
            side=source.side,
            role=role,
            progress=progress,
        )
    parts = sink.parts or [Embeddings(np.empty((0, 0), np.float32))]
    rows = np.array(sink.rows, np.int64)
    return Vectors(embedding.joined(parts), rows, len(source.entries), sink.skipped)


def _part(made: Vectors, rows: Array) -> Vectors:
    """The vectors of some of the things, by their rows; one may be asked for more than once."""
    if len(rows) == made.things and (rows == np.arange(made.things)).all():
        return made
    place = np.full(made.things, -1, np.int64)
    place[made.rows] = np.arange(len(made.rows))
    at = place[rows]
    there = np.flatnonzero(at >= 0)
    gone = np.flatnonzero(at < 0)
    skipped = {int(row): made.skipped.get(int(rows[row]), "unusable") for row in gone}
    return Vectors(made.embeddings.take(at[there]), there, len(rows), skipped)


def _side_of(study: Study, role: Role) -> tuple[Side, tuple[str, ...], tuple[str, ...]]:
    """What the queries or the items of a study are, with their ids."""
    texts_ask = study.modality == "text-to-image"
    what: str = "items"
    asked: Collection | Queries = study.collection
    if role == "query":
        what, asked = "queries", study.queries
    side: Side = "images"
    things = asked.images
    if texts_ask == (role == "query"):
        side, things = "texts", asked.texts
    if things is None:
        raise DataError(
            f"The {what} of {study.name} have no {side}, and it is asked {study.modality}.",
            "Another modality, or another benchmark, would fit them.",
        )
    return side, asked.ids, things


def _lost(study: Study, gone: Array) -> Array:
    """(queries,) whether a query has lost all its relevant items: none of them has a vector."""
    relevant = study.queries.relevant
    if relevant is None:
        return np.zeros(len(study.queries), np.bool_)
    owner = np.repeat(np.arange(len(relevant)), np.diff(relevant.offsets))
    before = np.bincount(owner, minlength=len(relevant))
    after = np.bincount(owner[~gone[relevant.rows]], minlength=len(relevant))
    # A query that never had anything relevant has lost nothing.
    lost = (before > 0) & (after == 0)
    if len(lost) == len(study.queries):
        return lost
    return np.repeat(lost, len(study.queries))


def _note(study: Study, made: Vectors) -> str:
    """What of a study has no vectors, in a sentence."""
    counts = sorted(Counter(made.skipped.values()).items())
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in counts)
    return (
        f"{part_of(len(made.skipped), made.things, 'picture')} of {study.name} skipped: {reasons}."
    )
