"""The embedded collection: a folder with vectors, what they are vectors of, and what was skipped.

``vectors.bin`` (raw float32 or float16, memory-mapped), ``offsets.bin`` where items have many
vectors, the journal ``items.jsonl``, and what is compiled from it at the end: ``items.parquet``,
``skipped.csv`` and ``manifest.json``. A folder without a manifest is not finished.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, UsageError
from fairlead.store import compaction, manifest_file
from fairlead.store.attributes import groups_of_columns
from fairlead.store.cells import plain_cell
from fairlead.store.checked import check_once
from fairlead.store.compaction import Content
from fairlead.store.embedding import (
    ITEMS,
    JOURNAL,
    OWN,
    SKIPPED,
    EmbeddingWriter,
    stored_name,
)
from fairlead.store.journal import (
    RETRIED,
    Journal,
    Totals,
    begins,
    is_begun,
    read_commits,
    read_header,
    read_journal,
)
from fairlead.store.manifest_file import MANIFEST
from fairlead.store.opening import text_of
from fairlead.store.parquet_file import check_sizes
from fairlead.store.shapes import reading
from fairlead.store.sources.entries import SourceEntry, captions_of, digest, pictures_of
from fairlead.store.vectors_file import OFFSETS, VECTORS, mapped, verify
from fairlead.store.versions import VERSION, refuse_misshapen, refuse_other
from fairlead.types import Collection, Embeddings

ABOUT = ("fairlead", "command", "source", "model")
"""What a manifest says of the source and the model."""
_AGAIN = "Delete the folder and embed the collection again."
_KEPT = ("items", "vectors", "dimensions", "many")


@dataclass(frozen=True, eq=False)
class Embedded:
    """A finished folder, opened: items with their labels, and their vectors, memory-mapped."""

    collection: Collection
    embeddings: Embeddings
    manifest: Mapping[str, Any]
    folder: Path


@dataclass(frozen=True)
class RemovedItems:
    """What became of the items that somebody asked to remove.

    Attributes:
        removed: How many were removed now.
        before: How many of those named had been removed before.
        items: How many items are left.
        indexes: How many kept indexes were let go of.
    """

    removed: int
    before: int
    items: int
    indexes: int


def is_embedded(path: str | Path) -> bool:
    """Whether a folder is an embedded collection, finished or not."""
    try:
        return begins(Path(path) / JOURNAL)
    except OSError:
        return False


def open_embedded(
    path: str | Path, fingerprint: str | None = None, attributes: Sequence[str] | None = None
) -> Embedded:
    """Open a folder that ``fairlead embed`` wrote.

    Args:
        path: The folder.
        fingerprint: The model its vectors must be of; any by default.
        attributes: Columns to read as labels; by default all that can be.

    Raises:
        DataError: Where it is unfinished, torn, or of another model.
    """
    folder = Path(path).expanduser()
    manifest = read_manifest(folder)
    model = manifest["model"]
    if fingerprint is not None and model["fingerprint"] != fingerprint:
        raise DataError(
            (
                f"{folder} holds vectors of {model['spec']} ({model['fingerprint']}), not of "
                f"the model asked for ({fingerprint})."
            ),
            f"Use --model '{model['spec']}', or embed the collection again into another folder.",
        )
    totals = Totals(**{name: manifest[name] for name in _KEPT})
    check_once(
        [folder / name for name in (VECTORS, OFFSETS)[: 1 + totals.many] + (JOURNAL,)],
        partial(_verify, folder, manifest, totals),
    )
    with reading(folder, "an embedded collection", _AGAIN):
        return Embedded(
            _collection(folder, manifest, attributes),
            mapped(folder, totals, manifest["dtype"]),
            manifest,
            folder,
        )


def _verify(folder: Path, manifest: Mapping[str, Any], totals: Totals) -> None:
    """Refuse vectors that are not those that were written, before anything is made of them."""
    commits = read_commits(folder / JOURNAL, manifest["journal"])
    last = Totals()
    if commits:
        last = replace(commits[-1], crc32=0)
    if last != totals:
        raise DataError(
            f"{folder / JOURNAL} does not tell of the {totals.items:,} items of {MANIFEST}.",
            "Delete the folder and embed the collection again.",
        )
    verify(folder, commits, manifest["dtype"])


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished folder.

    Raises:
        DataError: Where it is unfinished, torn, or of another version of fairlead.
    """
    manifest = _any_manifest(folder)
    refuse_other("embedded", manifest.get(VERSION), folder)
    refuse_misshapen("embedded", manifest, folder)
    return manifest


def _any_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished folder, of whatever version."""
    again = (
        "Run 'fairlead embed' with the same source, model and folder again: it continues "
        "where it stopped."
    )
    try:
        manifest = manifest_file.read_manifest(folder / MANIFEST)
        if manifest.get("command") != "embed":
            raise ValueError("it is of something else")
    except FileNotFoundError as error:
        raise DataError(f"{folder} is not finished: it has no {MANIFEST}.", again) from error
    except (OSError, ValueError) as error:
        raise DataError(f"{folder / MANIFEST} cannot be read: {error}.", again) from error
    return manifest


def read_skipped(folder: Path) -> list[tuple[str, str]]:
    """The entries of a finished folder that did not become items, each with the reason."""
    with reading(folder / SKIPPED, "a list of skipped files", _AGAIN):
        rows = csv.DictReader(io.StringIO(text_of(folder / SKIPPED), newline=""))
        return [(plain_cell(row["id"]), row["reason"]) for row in rows]


def _collection(
    folder: Path, manifest: Mapping[str, Any], attributes: Sequence[str] | None
) -> Collection:
    import pyarrow as pa
    import pyarrow.parquet as pq

    count, names = manifest["items"], manifest["columns"]
    try:
        with pq.ParquetFile(folder / ITEMS, page_checksum_verification=True) as file:
            check_sizes(file.metadata, file.schema_arrow.names, folder / ITEMS)
            table = file.read()
        table.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        raise DataError(
            f"{folder / ITEMS} cannot be read: {error}.",
            "Delete it and run 'fairlead embed' again, which writes it anew.",
        ) from error
    if table.num_rows < count or not set(OWN) <= set(table.column_names):
        raise DataError(
            f"{folder / ITEMS} is torn: it has {table.num_rows:,} of {count:,} items.",
            "Delete it and run 'fairlead embed' again, which writes it anew.",
        )
    # there are more rows where a later run was killed between its last two steps
    table = table.slice(0, count)
    ids, images, texts = (table.column(name).to_pylist() for name in OWN[:3])
    columns = {name: table.column(stored_name(name)).combine_chunks() for name in names}
    return Collection(
        tuple(ids),
        pictures_of(images),
        captions_of(texts),
        groups_of_columns(columns, count, attributes),
    )


def check_place(folder: Path) -> None:
    """Refuse a folder that holds something else.

    Raises:
        UsageError: Where it does, or where it is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(
            f"{folder} is a file, so it cannot become a folder.", "Choose another path."
        )
    if not folder.is_dir() or _is_begun(folder) or (is_embedded(folder) and _is_headed(folder)):
        return
    raise UsageError(
        f"{folder} is a folder with other things in it.", "Choose a new or an empty folder."
    )


def _is_begun(folder: Path) -> bool:
    """Whether a folder is empty, or a run was killed before the first line of its journal was
    whole: until then no vector is written, so one that is there is of somebody else.
    """
    return all(
        (file.name == JOURNAL and is_begun(file))
        or (file.name == VECTORS and not file.stat().st_size)
        for file in folder.iterdir()
    )


def _is_headed(folder: Path) -> bool:
    """Whether the first line of a journal is whole; what it says is read later."""
    return not is_begun(folder / JOURNAL)


def is_current(folder: Path, header: Mapping[str, Any], entries: Sequence[SourceEntry]) -> bool:
    """Whether a folder is finished and holds exactly what a source has. Nothing is written."""
    try:
        manifest = read_manifest(folder)
        mine = read_header(folder / JOURNAL)
    except DataError:
        return False
    # A journal longer than the manifest says was continued and not finished. A file that could not
    # be read may be readable by now, so a folder that lacks one is never up to date.
    whole = (
        bool(mine)
        and (folder / ITEMS).exists()
        and manifest["journal"] == (folder / JOURNAL).stat().st_size
        and not RETRIED & set(manifest["skipped"])
    )
    removed = frozenset(manifest.get("removed", ()))
    remaining = [entry for entry in entries if entry.id not in removed]
    return whole and _same(mine, header) and manifest["entries"] == digest(remaining)


def removed_ids(folder: Path) -> frozenset[str]:
    """The items that were removed on request; they are not embedded again."""
    compaction.recover(folder)
    if not (folder / MANIFEST).exists():
        return frozenset()
    # What was removed stays removed, also where an older folder is embedded again.
    return frozenset(_any_manifest(folder).get("removed", ()))


def remove_items(folder: Path, ids: Sequence[str], forget: Callable[[], int]) -> RemovedItems:
    """Remove items from a folder by their ids, for good.

    Their vectors are then in none of its files, and a later run does not bring them back.

    Args:
        folder: The embedded collection.
        ids: What goes. What was removed before may be named again.
        forget: Lets go of what is made of the vectors, and says how many such things there were;
            it is called before anything is removed.

    Raises:
        DataError: Where the folder is unfinished or torn.
        UsageError: Where an id is none of its items.
    """
    compaction.recover(folder)
    manifest = read_manifest(folder)
    journal = read_journal(folder / JOURNAL)
    before = set(manifest.get("removed", ()))
    items = {r.entry.id for r in journal.records if r.content is not None}
    # all names are looked at before anything goes: a wrong one must not leave the work half done
    for name in ids:
        if name not in items and name not in before:
            raise UsageError(
                f"{folder} has no item '{name}'. Nothing was removed.",
                f"{ITEMS} in it lists the ids of its {len(items):,} items.",
            )
    leaving = items.intersection(ids)
    # even if all ids were removed before: a killed run may not have come to the indexes
    indexes = forget() if ids else 0
    if leaving:
        verify(folder, journal.commits, journal.header["dtype"])
        about = {name: manifest[name] for name in ABOUT if name in manifest}
        if "seen" in about["source"]:
            # a removed entry counts neither as an item nor as skipped
            about["source"] = {**about["source"], "seen": about["source"]["seen"] - len(leaving)}
        compaction.remove(folder, journal, leaving, about)
    count = len(items) - len(leaving)
    return RemovedItems(len(leaving), len(set(ids) & before), count, indexes)


def open_writer(
    folder: Path,
    header: Mapping[str, Any],
    entries: Sequence[SourceEntry],
    content: Content,
    about: Mapping[str, Any],
    forget: Callable[[], object] = lambda: None,
) -> EmbeddingWriter:
    """Continue a folder or begin it, after repairing what a killed run left.

    Items that the source no longer has are dropped.

    Args:
        folder: The embedded collection.
        header: What its vectors are of, and what makes them.
        entries: What the source has.
        content: Tells the content of an entry.
        about: What the manifest says of the source and the model.
        forget: Lets go of what is made of the vectors; called before any are dropped.

    Raises:
        DataError: Where the folder is of another source or model, or torn.
        UsageError: Where it cannot be written, or holds something else.
    """
    compaction.recover(folder)
    check_place(folder)
    journal = read_journal(folder / JOURNAL)
    touched = set[SourceEntry]()
    if journal.header:
        _refuse_other(folder, journal.header, header)
        verify(folder, journal.commits, header["dtype"])
        since = _looked(folder)
        touched = {entry for entry in entries if entry.touched > since}
        changed = _changed(journal, touched, content)
        entries = [entry for entry in entries if entry not in changed]
        there = set(entries)
        if not _same(journal.header, header) or any(
            record.entry not in there and not record.gone for record in journal.records
        ):
            # first, since rows are about to move, and a kept index knows items by their rows
            forget()
            compaction.compact(folder, header, journal, entries, content, about, touched)
            journal = read_journal(folder / JOURNAL)
    writer = EmbeddingWriter(folder, header, journal)
    # a file that was skipped may be a good one by now
    writer.known -= {r.entry for r in journal.records if r.content is None and r.entry in touched}
    return writer


def _looked(folder: Path) -> int:
    """When a run last began to look at the files of a source, by the clock of their disk (ns)."""
    try:
        told = _any_manifest(folder)["source"].get("touched")
        if isinstance(told, int):
            return told
        last = folder / MANIFEST
    except (DataError, KeyError, AttributeError):
        # not finished: what was touched after its last line was not looked at
        last = folder / JOURNAL
    return last.stat().st_mtime_ns


def _changed(journal: Journal, touched: Set[SourceEntry], content: Content) -> set[SourceEntry]:
    """The entries with another content than they had, though size and time are the same."""
    # one that cannot be read now keeps the vectors it has
    return {
        r.entry
        for r in journal.records
        if r.content is not None
        and r.entry in touched
        and content(r.entry) not in (None, r.content)
    }


def _same(mine: Mapping[str, Any], header: Mapping[str, Any]) -> bool:
    """Whether two headers mean the same vectors; a model may be spelled in several ways."""
    return {**mine, "model": mine["model"]["fingerprint"]} == {
        **header,
        "model": header["model"]["fingerprint"],
    }


def _refuse_other(folder: Path, mine: Mapping[str, Any], header: Mapping[str, Any]) -> None:
    hint = "Choose another folder for it, or delete this one."
    if mine["model"]["fingerprint"] != header["model"]["fingerprint"]:
        raise DataError(
            f"{folder} holds vectors of {mine['model']['spec']}, not of {header['model']['spec']}.",
            hint,
        )
    if mine["source"] != header["source"]:
        raise DataError(
            f"{folder} holds {mine['source']['path']}, not {header['source']['path']}.", hint
        )
    for what, name in (("side", "vectors of"), ("dtype", "numbers of type")):
        if mine[what] != header[what]:
            raise DataError(f"{folder} holds {name} {mine[what]}, not {header[what]}.", hint)
