"""Vectors kept in a folder: brought in line with what they are of, so that only what is new is
encoded, and a killed run continues.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fairlead.engine import embedding
from fairlead.engine.kept.records import forget
from fairlead.engine.manifest import MADE_BY
from fairlead.engine.pictures import opening
from fairlead.engine.readers import content_of
from fairlead.errors import DataError
from fairlead.protocols import Encoder, Loading, Progress, Role, Side
from fairlead.protocols.encoder import about, afresh, capabilities, fingerprint_of
from fairlead.protocols.spec import Configured
from fairlead.results.embed import EmbedResult
from fairlead.store import embedded, pictures
from fairlead.store.embedding import INDEXES
from fairlead.store.locks import locked
from fairlead.store.materials import Captions
from fairlead.store.sources.entries import OURS, Source, SourceEntry, last_touched


@dataclass(frozen=True)
class ReadingPlan:
    """Who reads pictures, how large they may be, and how precisely their vectors are kept."""

    workers: int | None = None
    processes: bool = False
    max_pixels: int = pictures.MAX_PIXELS
    half: bool = False


PLAIN = ReadingPlan()


@dataclass(frozen=True, eq=False)
class Sided(Source):
    """A source with the side of it that is embedded."""

    side: Side = "images"


def bring(
    folder: Path,
    source: Sided,
    encoder: Encoder,
    reading: ReadingPlan = PLAIN,
    progress: Progress | None = None,
    *,
    role: Role = "item",
    apart: bool = False,
) -> EmbedResult:
    """Bring a folder in line with a source: only what is new is encoded. Another process or thread
    that writes there is waited for.

    Args:
        folder: Where the vectors are kept; one that a killed run left is continued.
        source: What is embedded.
        encoder: Makes the vectors.
        reading: Who reads, and how.
        progress: Told how many entries are done.
        role: Whether the entries ask or are searched.
        apart: Whether every entry has vectors of its own; else the first of equal contents has.
    """
    # Asked again under the lock; here it spares the wait for it where the answer is no anyway.
    embedded.check_place(folder)
    with alone(folder):
        return _brought(folder, source, encoder, reading, progress, role=role, apart=apart)


def bring_once(
    folder: Path,
    source: Sided,
    encoder: Encoder,
    reading: ReadingPlan = PLAIN,
    progress: Progress | None = None,
    *,
    role: Role = "item",
    apart: bool = False,
) -> None:
    """The same for many who need the same folder at once: the first does the work, and the others
    wait for it. One that is up to date is not written to, nor waited for.
    """
    header = header_of(source, encoder, reading)
    current = partial(embedded.is_current, folder, header, source.entries)
    if current():
        return
    embedded.check_place(folder)
    with alone(folder):
        # Asked again: who held the lock before may have done it.
        if not current():
            _brought(folder, source, encoder, reading, progress, role=role, apart=apart)


def _brought(
    folder: Path,
    source: Sided,
    encoder: Encoder,
    reading: ReadingPlan,
    progress: Progress | None,
    *,
    role: Role,
    apart: bool,
) -> EmbedResult:
    """What ``bring`` does while nobody else writes there."""
    # What the manifest tells of the encoder, such as texts that were cut, is of this run alone.
    encoder = afresh(encoder)
    header = header_of(source, encoder, reading)
    material = material_of(source, encoder, reading)
    if apart:
        material = Apart(material)
    with pictures.quiet(), ExitStack() as stack:
        # Only under the lock: what was taken down while this run waited must not come back.
        source = _without_removed(folder, source)
        known = _about(source, encoder)
        content, drop = partial(_content, material), partial(forget, folder / INDEXES)
        writer = stack.enter_context(
            embedded.open_writer(folder, header, source.entries, content, known, drop)
        )
        new = [entry for entry in source.entries if entry not in writer.known]
        if new:
            _load(encoder, source.side, progress)
        start = time.perf_counter()
        tally = embedding.embed(
            new,
            material,
            encoder,
            writer,
            side=source.side,
            role=role,
            workers=reading.workers,
            processes=reading.processes,
            progress=progress,
        )
        seconds = time.perf_counter() - start
        manifest = writer.finish(_warned(known, folder, encoder))
    seen, items, skipped = len(source.entries), manifest["items"], manifest["skipped"]
    return EmbedResult(folder, seen, items, tally.embedded, skipped, seconds, manifest)


def _load(encoder: Encoder, side: Side, progress: Progress | None) -> None:
    """Load an encoder ahead, where it takes long: a folder that is up to date needs no model, and
    loading one is not time spent embedding.
    """
    if isinstance(encoder, Loading):
        encoder.ready((side,), progress)


def alone(folder: Path, what: str = "embedding into") -> AbstractContextManager[None]:
    """Nobody else writes into a folder meanwhile, be it vectors or an index of them."""
    # Beside the folder, whose own files are replaced.
    return locked(folder.with_name(f".{folder.name}{OURS}lock"), f"{what} {folder}")


def _without_removed(folder: Path, source: Sided) -> Sided:
    """A source without what was removed from a folder on request."""
    gone = embedded.removed_ids(folder)
    if not gone:
        return source
    return replace(source, entries=[entry for entry in source.entries if entry.id not in gone])


def header_of(source: Sided, encoder: Encoder, reading: ReadingPlan) -> dict[str, Any]:
    """What vectors are of and what made them: equal headers mean equal vectors."""
    dtype = "float32"
    if reading.half:
        dtype = "float16"
    # Who reads is not in it: threads and processes give the same bytes.
    return {
        "source": {"kind": source.kind, "path": source.path},
        "model": {
            "spec": spec_of(encoder, source.side),
            "fingerprint": fingerprint_of(encoder, source.side),
        },
        "dtype": dtype,
        "side": source.side,
        "max_pixels": reading.max_pixels,
    }


def spec_of(encoder: Encoder, side: Side) -> str:
    """What made the vectors of a side: the encoder's text form, or its name where it has none or
    its choices do not matter to them.
    """
    if not isinstance(encoder, Configured):
        return type(encoder).__name__
    # A choice that does not touch this side must not make its header another.
    if fingerprint_of(encoder, side) != encoder.fingerprint:
        return encoder.name
    return str(encoder)


def material_of(
    source: Sided, encoder: Encoder, reading: ReadingPlan
) -> embedding.Material[SourceEntry]:
    """What opens the entries of a source for an encoder."""
    if source.side == "texts":
        return Captions()
    return opening(encoder, reading.max_pixels)


def _content(material: embedding.Material[SourceEntry], entry: SourceEntry) -> str | None:
    """The name of an entry's content; None where it cannot be read."""
    try:
        return content_of(material.read(entry))
    except DataError:
        return None


def _about(source: Sided, encoder: Encoder) -> dict[str, Any]:
    """What a manifest says of a source and a model."""
    model = {
        "spec": spec_of(encoder, source.side),
        "card": capabilities(encoder).card,
        **about(encoder),
        "fingerprint": fingerprint_of(encoder, source.side),
    }
    of_source = {
        "kind": source.kind,
        "path": source.path,
        "seen": len(source.entries),
        "notes": dict(source.notes),
    }
    # So the next run sees which files were touched since this one began to look.
    if (touched := last_touched(source.entries)) >= 0:
        of_source["touched"] = touched
    return {**MADE_BY, "command": "embed", "source": of_source, "model": model}


def _warned(known: Mapping[str, Any], folder: Path, encoder: Encoder) -> dict[str, Any]:
    """What a manifest says, with the warnings of earlier runs beside those of this one: captions
    that were cut then are still cut in the vectors that stay.
    """
    model = known["model"]
    if "warnings" not in model:
        return dict(known)
    try:
        before = embedded.read_manifest(folder)["model"].get("warnings", ())
    except DataError:
        # Not finished, or torn: it is written anew, and nothing of it can be kept.
        before = ()
    warnings = dict.fromkeys([*before, *about(encoder).get("warnings", ())])
    return {**known, "model": {**model, "warnings": list(warnings)}}


@dataclass(frozen=True)
class Apart:
    """Material whose entries all have vectors of their own, be their contents equal or not."""

    material: embedding.Material[SourceEntry]

    # Of equal contents only the first is embedded, so every content is made to differ by its id:
    # a benchmark may hold one picture under two names, and counts both.
    def read(self, entry: SourceEntry) -> bytes:
        return _mark(entry) + self.material.read(entry)

    def see(self, entry: SourceEntry, content: bytes) -> Any:
        return self.material.see(entry, content[len(_mark(entry)) :])


def _mark(entry: SourceEntry) -> bytes:
    return f"{entry.id} ".encode()
