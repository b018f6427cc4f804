"""Bringing an embedded collection in line with a source that lost, renamed or changed files, and
removing items by their ids, without encoding anything.

Items whose entry is still there stay; items whose content is still there under another name, or
with another caption, take the new entry; what is gone is dropped. The rows that stay keep their
order. The new state is written beside the folder and put in its place.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.store.embedding import INDEXES, MANIFEST, WRITTEN, EmbeddingWriter, writing
from fairlead.store.journal import Journal, JournalRecord
from fairlead.store.sources.entries import OURS, SourceEntry
from fairlead.store.vectors_file import mapped

Content = Callable[[SourceEntry], str | None]
"""The content an entry has now, or None where it cannot be read."""
_CHUNK = 4096


def next_to(folder: Path) -> Path:
    """Where the next state of a folder is written."""
    return folder.with_name(f".{folder.name}{OURS}next")


def former(folder: Path) -> Path:
    """Where the last state of a folder is put aside."""
    return folder.with_name(f".{folder.name}{OURS}former")


def recover(folder: Path) -> None:
    """Finish or forget what a killed run left beside a folder."""
    with writing(folder):
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
) -> None:
    """Rewrite a folder with the items that are still in a source.

    Args:
        folder: The embedded collection.
        header: The header of the new journal.
        journal: What it holds.
        entries: What the source has now.
        content: Tells the content of an entry; asked only where size or name leave a doubt.
        about: What the manifest says of the source and the model.
    """
    kept = _kept(journal, entries, content)
    removed = [(-1, record) for record in journal.records if record.gone]
    _rewrite(folder, header, journal, [*removed, *kept], about)


def remove(folder: Path, journal: Journal, ids: Collection[str], about: Mapping[str, Any]) -> None:
    """Rewrite a folder without some of its items; all else that it says stays.

    Args:
        folder: The embedded collection.
        journal: What it holds.
        ids: The items that go. Their ids stay in the journal, so that no later run brings them
            back.
        about: What the manifest says of the source and the model.
    """
    rows, left = itertools.count(), list[tuple[int, JournalRecord]]()
    for record in journal.records:
        row = next(rows) if record.content is not None else -1
        if row >= 0 and record.entry.id in ids:
            left.append((-1, JournalRecord.removed(record)))
        else:
            left.append((row, record))
    _rewrite(folder, journal.header, journal, left, about)


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


def _forget(left: Path, folder: Path) -> None:
    """Remove the last state of a folder; what people put there goes over to the new one."""
    if not left.exists():
        return
    for entry in left.iterdir():
        if entry.name not in (*WRITTEN, INDEXES) and not (folder / entry.name).exists():
            os.replace(entry, folder / entry.name)
    shutil.rmtree(left)


def _kept(
    journal: Journal, entries: Sequence[SourceEntry], content: Content
) -> list[tuple[int, JournalRecord]]:
    """The rows that stay, each with what it is now."""
    items = [r for r in journal.records if r.content is not None]
    there, known = set(entries), {r.entry for r in items}
    new = _by_content(
        (e for e in entries if e not in known and e.fault is None),
        [r for r in items if r.entry not in there],
        content,
    )
    kept = []
    for row, record in enumerate(items):
        if record.entry in there:
            kept.append((row, record))
        elif (entry := new.get(str(record.content))) is not None:
            kept.append((row, replace(record, entry=entry)))
    return kept


def _by_content(
    fresh: Iterable[SourceEntry], orphans: Sequence[JournalRecord], content: Content
) -> dict[str, SourceEntry]:
    """The first new entry of each orphaned content. A file whose size no orphan has is not read."""
    same = {_sign(r.entry): r.content for r in orphans if r.entry.size >= 0}
    sizes, wanted = {r.entry.size for r in orphans}, {r.content for r in orphans}
    found: dict[str, SourceEntry] = {}
    for entry in fresh:
        if entry.size not in sizes:
            continue
        told = same.get(_sign(entry)) or content(entry)
        if told is not None and told in wanted:
            found.setdefault(told, entry)
    return found


def _sign(entry: SourceEntry) -> tuple[str | None, int, int]:
    """What shows that a file is the same as before without reading it."""
    return entry.image, entry.size, entry.stamp
