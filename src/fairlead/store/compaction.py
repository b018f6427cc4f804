"""Brings an embedded collection in line with its source, or removes items, without encoding.

Items whose entry is still there stay; items whose content is still there under another name, or
with another caption, take the new entry; what is gone is dropped. The rows that stay keep their
order. The new state is written beside the folder and put in its place.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import writing
from fairlead.store.embedding import INDEXES, WRITTEN, EmbeddingWriter
from fairlead.store.journal import Journal, JournalRecord
from fairlead.store.manifest_file import MANIFEST
from fairlead.store.sources.entries import OURS, SourceEntry
from fairlead.store.vectors_file import mapped

Content = Callable[[SourceEntry], str | None]
"""The content an entry has now, or None where it cannot be read."""
_CHUNK = 4096


def next_to(folder: Path) -> Path:
    """The folder in which the next state of a folder is written."""
    return folder.with_name(f".{folder.name}{OURS}next")


def former(folder: Path) -> Path:
    """The folder to which the last state of a folder is moved."""
    return folder.with_name(f".{folder.name}{OURS}former")


def recover(folder: Path) -> None:
    """Finish or undo what a killed run left beside a folder."""
    with writing(folder):
        # a state with a manifest is complete; one without is thrown away
        if not folder.exists() and (next_to(folder) / MANIFEST).exists():
            os.replace(next_to(folder), folder)
        elif not folder.exists() and former(folder).exists():
            os.replace(former(folder), folder)
        _forget(former(folder), folder)
        if next_to(folder).exists():
            shutil.rmtree(next_to(folder))


def compact(
    folder: Path,
    header: Mapping[str, Any],
    journal: Journal,
    entries: Sequence[SourceEntry],
    content: Content,
    about: Mapping[str, Any],
    touched: Set[SourceEntry] = frozenset(),
) -> None:
    """Rewrite a folder with the items that are still in a source.

    Args:
        folder: The embedded collection.
        header: The header of the new journal.
        journal: What it holds.
        entries: What the source has now.
        content: Tells the content of an entry; asked only where size or name leave a doubt.
        about: What the manifest says of the source and the model.
        touched: Entries whose size and time say nothing of their content.
    """
    remaining = _remaining(journal, entries, content, touched)
    removed = [(-1, record) for record in journal.records if record.gone]
    _rewrite(folder, header, journal, [*removed, *remaining], about)


def remove(folder: Path, journal: Journal, ids: Collection[str], about: Mapping[str, Any]) -> None:
    """Rewrite a folder without some of its items; all else that it says stays.

    Args:
        folder: The embedded collection.
        journal: What it holds.
        ids: The items that go. Their ids stay in the journal, so that no later run brings them
            back.
        about: What the manifest says of the source and the model.
    """
    # only items have vectors: a row counts them alone, and passes over all other records
    rows = itertools.count()
    records = list[tuple[int, JournalRecord]]()
    for record in journal.records:
        row = next(rows) if record.content is not None else -1
        if row >= 0 and record.entry.id in ids:
            records.append((-1, JournalRecord.removed(record)))
        else:
            records.append((row, record))
    _rewrite(folder, journal.header, journal, records, about)


# the old state is only deleted once the new one is in its place
def _rewrite(
    folder: Path,
    header: Mapping[str, Any],
    journal: Journal,
    records: Sequence[tuple[int, JournalRecord]],
    about: Mapping[str, Any],
) -> None:
    """Write the next state of a folder beside it, and put it in its place.

    Args:
        folder: The embedded collection.
        header: The header of the new journal.
        journal: What it holds now.
        records: What the new journal says, each with the row of its vectors now; -1 for what has
            none.
        about: What the manifest says of the source and the model.
    """
    stored = mapped(folder, journal.totals, journal.header["dtype"])
    place = next_to(folder)
    with EmbeddingWriter(place, header, Journal()) as writer:
        for start in range(0, len(records), _CHUNK):
            part = records[start : start + _CHUNK]
            for _, record in part:
                _note(writer, record)
            rows = np.array([row for row, _ in part if row >= 0], np.int64)
            writer.commit(stored.take(rows) if len(rows) else None)
        writer.finish(about)
    with writing(folder):
        os.replace(folder, former(folder))
        os.replace(place, folder)
        _forget(former(folder), folder)


def _note(writer: EmbeddingWriter, record: JournalRecord) -> None:
    if record.gone:
        writer.remove(record)
    elif record.content is not None:
        writer.keep(record.entry, record.content)
    else:
        writer.skip(record.entry, record.reason, record.detail)


def _forget(last: Path, folder: Path) -> None:
    """Delete the last state of a folder; files that people put there move to the new one."""
    if not last.exists():
        return
    for entry in last.iterdir():
        if entry.name not in (*WRITTEN, INDEXES) and not (folder / entry.name).exists():
            os.replace(entry, folder / entry.name)
    shutil.rmtree(last)


def _remaining(
    journal: Journal,
    entries: Sequence[SourceEntry],
    content: Content,
    touched: Set[SourceEntry],
) -> list[tuple[int, JournalRecord]]:
    """The rows that stay, each with what it is now."""
    items = [r for r in journal.records if r.content is not None]
    there, recorded = set(entries), {r.entry for r in items}
    new = _by_content(
        (e for e in entries if e not in recorded and e.fault is None),
        [r for r in items if r.entry not in there],
        content,
        touched,
    )
    rows = []
    for row, record in enumerate(items):
        if record.entry in there:
            rows.append((row, record))
        elif (entry := new.get(str(record.content))) is not None:
            rows.append((row, replace(record, entry=entry)))
    return rows


def _by_content(
    fresh: Iterable[SourceEntry],
    orphans: Sequence[JournalRecord],
    content: Content,
    touched: Set[SourceEntry],
) -> dict[str, SourceEntry]:
    """The first new entry for the content of each orphan."""
    # captions have no size, and by their signs they would all be one
    same = {_sign(r.entry): r.content for r in orphans if r.entry.size >= 0}
    sizes = {r.entry.size for r in orphans}
    contents = {r.content for r in orphans}
    matches: dict[str, SourceEntry] = {}
    for entry in fresh:
        # reading a file costs time: a file of another size cannot be the one
        if entry.size not in sizes:
            continue
        found_content = None
        if entry not in touched:
            found_content = same.get(_sign(entry))
        found_content = found_content or content(entry)
        if found_content is not None and found_content in contents:
            matches.setdefault(found_content, entry)
    return matches


def _sign(entry: SourceEntry) -> tuple[str | None, int, int]:
    """What shows, without reading it, that a file is the same as before."""
    return entry.image, entry.size, entry.stamp
