"""Writing an embedded collection: items and skipped files are noted, then made lasting by a commit.

A commit is: vectors to the disk, then the lines of the journal. Killed between the two, or within
either, the next run finds the last commit and goes on from there. Commits reach the disk together,
every few seconds; their lines do not depend on when.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from fairlead.errors import FairleadError, writing
from fairlead.store.cells import write_cells
from fairlead.store.journal import Journal, JournalRecord, header_line
from fairlead.store.manifest_file import MANIFEST, manifest_text, write_manifest
from fairlead.store.sources.columns import text_array
from fairlead.store.sources.entries import SourceEntry, digest
from fairlead.store.vectors_file import OFFSETS, VECTORS, VectorsFile, cut_to
from fairlead.store.versions import VERSION, version_of
from fairlead.types import Embeddings

JOURNAL = "items.jsonl"
ITEMS = "items.parquet"
SKIPPED = "skipped.csv"
OWN = ("id", "image", "text", "content")
"""Columns of ``items.parquet`` that are ours; a column of the source with such a name gets a ``_``
behind it.
"""
WRITTEN = (JOURNAL, ITEMS, MANIFEST, SKIPPED, VECTORS, OFFSETS)
"""The files of an embedded collection; all else in its folder is somebody's own."""
INDEXES = "indexes"
"""The folder in it where indexes of its vectors are kept."""
# So many seconds of work may be lost: to wait for the disk after every batch would cost more.
_SECONDS = 0.5
_CHUNK = 1 << 16


_AGAIN = "Choose a folder you may write to, and run this again: it goes on from there."


class EmbeddingWriter:
    """Appends to the embedded collection of a folder.

    Attributes:
        contents: The id of the item with a content, for all items so far and for those removed.
        known: Entries that are dealt with.
    """

    def __init__(
        self,
        folder: Path,
        header: Mapping[str, Any],
        journal: Journal,
        *,
        seconds: float = _SECONDS,
    ) -> None:
        with writing(folder, _AGAIN):
            folder.mkdir(parents=True, exist_ok=True)
            # a run that was killed while it wrote one of these left a part of it
            for name in WRITTEN:
                (folder / f"{name}.partial").unlink(missing_ok=True)
            with ExitStack() as opened:
                self._vectors = VectorsFile(folder, journal.totals, header["dtype"])
                opened.callback(self._vectors.close)
                self._journal = _opened(folder / JOURNAL, journal.size, header)
                # nothing is left to close once both are open: who uses the writer closes it
                opened.pop_all()
        self.folder = folder
        self.header = header
        self.records = list(journal.records)
        self.contents = {r.content: r.entry.id for r in journal.records if r.content is not None}
        self.contents |= {r.gone: _removed(r) for r in journal.records if r.gone}
        self.known = journal.entries
        self._tried = {r for r in journal.records if r.content is None and not r.gone}
        self._open: list[JournalRecord] = []
        self._lines: list[str] = []
        self._seconds, self._settled = seconds, time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """Save what was committed, whatever stopped the work."""
        try:
            self._settle()
        except FairleadError:
            # what stopped the work is told rather than that saving failed as well
            if kind is None:
                raise
        finally:
            # what is not on the disk by now was refused by it; the next run begins at the commit
            with suppress(OSError):
                self._vectors.close()
            with suppress(OSError):
                self._journal.close()

    def keep(self, entry: SourceEntry, content: str) -> None:
        """Note an item; its vectors follow with the commit."""
        self._open.append(JournalRecord(entry, content))
        self.contents[content] = entry.id

    def skip(self, entry: SourceEntry, reason: str, detail: str) -> None:
        """Note a file that did not become an item, and why."""
        record = JournalRecord(entry, None, reason, detail)
        # a file that was tried again with the same outcome needs no second line
        if record not in self._tried:
            self._open.append(record)

    def remove(self, record: JournalRecord) -> None:
        """Note that an item was removed on request."""
        self._open.append(record)
        self.contents[record.gone] = _removed(record)

    def commit(self, embeddings: Embeddings | None) -> None:
        """Make lasting what was noted, with the vectors of its items in their order."""
        if not self._open:
            return
        with writing(self.folder, _AGAIN):
            totals = self._vectors.append(embeddings)
        self._lines += [*(record.line() for record in self._open), totals.line()]
        self.records += self._open
        self._open = []
        if time.monotonic() - self._settled >= self._seconds:
            self._settle()

    def _settle(self) -> None:
        with writing(self.folder, _AGAIN):
            # vectors first: a journal must never promise vectors that the disk does not have
            self._vectors.settle()
            self._journal.write("".join(line + "\n" for line in self._lines).encode())
            self._journal.flush()
            os.fsync(self._journal.fileno())
        self._lines, self._settled = [], time.monotonic()

    def finish(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """Write the table of items, the list of skipped files and, last, the manifest.

        Args:
            about: What the manifest says of the source and the model.
        """
        self._settle()
        items = [r for r in self.records if r.content is not None]
        skipped = skipped_of(self.records)
        totals = vars(self._vectors.totals).copy()
        # that of the last commit alone, which says nothing of the whole
        del totals["crc32"]
        names = column_names(items)
        manifest = {
            **about,
            VERSION: version_of("embedded"),
            **totals,
            "dtype": self.header["dtype"],
            "side": self.header["side"],
            "columns": names,
            "skipped": dict(sorted(Counter(r.reason for r in skipped).items())),
            "journal": self._journal.tell(),
            "entries": digest({r.entry for r in self.records if not r.gone}),
            "fingerprint": _fingerprint(self.header, items),
        }
        if removed := sorted({r.entry.id for r in self.records if r.gone}):
            manifest["removed"] = removed
        there = all((self.folder / name).exists() for name in (SKIPPED, ITEMS))
        if there and _same(self.folder / MANIFEST, manifest_text(manifest)):
            return manifest
        with writing(self.folder, _AGAIN):
            _replace(self.folder / SKIPPED, _listed(skipped))
            _write_items(self.folder / ITEMS, items, names)
            # last: a folder counts as finished by its manifest
            write_manifest(self.folder / MANIFEST, manifest)
        return manifest


def skipped_of(records: Sequence[JournalRecord]) -> list[JournalRecord]:
    """The files that are skipped in the end: not those that became items later."""
    items = {r.entry for r in records if r.content is not None}
    last = {
        r.entry: r for r in records if r.content is None and not r.gone and r.entry not in items
    }
    return list(last.values())


def column_names(items: Sequence[JournalRecord]) -> list[str]:
    """The names of all columns of the source, in the order they come."""
    return list(dict.fromkeys(name for record in items for name, _ in record.entry.columns))


def stored_name(name: str) -> str:
    """What a column of the source is called in ``items.parquet``."""
    if name.rstrip("_") in OWN:
        return f"{name}_"
    return name


def _removed(record: JournalRecord) -> str:
    """How a removed item is named to a file that is a duplicate of it."""
    return f"{record.entry.id} (removed)"


def _opened(path: Path, size: int, header: Mapping[str, Any]) -> io.BufferedRandom:
    file = cut_to(path, size)
    try:
        if not size:
            file.write((header_line(header) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        # what is still in the buffer would fail once more
        with suppress(OSError):
            file.close()
        raise
    return file


def _fingerprint(header: Mapping[str, Any], items: Sequence[JournalRecord]) -> str:
    """The fingerprint of the vectors: what made them and of which contents, in order."""
    digest = hashlib.sha256(
        f"{header['model']['fingerprint']} {header['dtype']} {header['side']}".encode()
    )
    for record in items:
        digest.update(str(record.content).encode())
    return digest.hexdigest()[:16]


def _listed(skipped: Sequence[JournalRecord]) -> bytes:
    text = io.StringIO(newline="")
    rows = ((r.entry.id, r.entry.image or "", r.reason, r.detail) for r in skipped)
    write_cells(text, ("id", "image", "reason", "detail"), rows)
    return text.getvalue().encode()


def _write_items(path: Path, items: Sequence[JournalRecord], names: Sequence[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, pa.string()) for name in (*OWN, *map(stored_name, names))])
    partial = path.with_name(path.name + ".partial")
    with pq.ParquetWriter(partial, schema, compression="zstd", write_page_checksum=True) as writer:
        for start in range(0, max(len(items), 1), _CHUNK):
            part = items[start : start + _CHUNK]
            columns = [dict(r.entry.columns) for r in part]
            cells: list[list[str | None]] = [
                [r.entry.id for r in part],
                [r.entry.image for r in part],
                [r.entry.text for r in part],
            ]
            cells += [
                [r.content for r in part],
                *([c.get(name) for c in columns] for name in names),
            ]
            writer.write_table(
                pa.Table.from_arrays([text_array(values) for values in cells], schema=schema)
            )
    _put(partial, path)


def _replace(path: Path, content: bytes) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    _put(partial, path)


def _put(partial: Path, path: Path) -> None:
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(partial, path)


def _same(path: Path, text: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == text
    except OSError:
        return False
