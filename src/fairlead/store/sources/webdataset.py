"""WebDataset archives: members with the same name up to its first dot are one sample.

So ``000.jpg``, ``000.txt`` and ``000.json`` belong together.

The id is the archive's name and the sample's key, ``shard-000/000123``; with several pictures in a
sample, the member's whole name.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

from fairlead.errors import DataError
from fairlead.store import archives, pictures
from fairlead.store.sources import captions
from fairlead.store.sources.entries import Columns, Source, SourceEntry, fault_of, printable, times

_WORDS = (*captions.SIDECARS, ".cls")


def webdataset_source(path: str, root: str, names: list[str]) -> Source:
    """The entries of some archives.

    Args:
        path: The source as it was named.
        root: The folder the names are below.
        names: The archives, in order.
    """
    notes: Counter[str] = Counter()
    entries: list[SourceEntry] = []
    for name in names:
        entries += _of_archive(os.path.join(root, name), name, notes)
    ids: set[str] = set()
    for number, entry in enumerate(entries):
        if entry.id in ids:
            entries[number] = SourceEntry(
                entry.id,
                entry.image,
                fault=("id twice", f"'{entry.image}' has the id of another sample."),
            )
        ids.add(entry.id)
    return Source(
        "webdataset", path, entries, {name: count for name, count in sorted(notes.items()) if count}
    )


def _of_archive(path: str, name: str, notes: Counter[str]) -> Iterator[SourceEntry]:
    front = name
    if name.lower().endswith(".tar"):
        front = name[: -len(".tar")]
    try:
        archive = archives.opened(path)
        changed = times(os.stat(path))
    except (DataError, OSError) as error:
        # one shard of hundreds must not stop the others
        yield SourceEntry(front, path, fault=("damaged archive", str(error)))
        return
    if archive.again:
        notes["members that stand there again, of which the last counts"] += archive.again
    samples: dict[str, list[str]] = {}
    for member in archive.members:
        samples.setdefault(_key(member), []).append(member)
    for key, members in samples.items():
        pictured = [
            m
            for m in members
            if os.path.splitext(m)[1].lower() in pictures.SUFFIXES | pictures.UNSUPPORTED
        ]
        texts = [m for m in members if m.lower().endswith(_WORDS)]
        notes["members that are no pictures"] += len(members) - len(pictured)
        text: str | None = None
        columns: Columns = ()
        # without a picture, words describe nothing, and are counted with the rest
        if pictured:
            notes["members that are no pictures"] -= len(texts)
            text, columns = _described(path, texts, notes)
        for member in pictured:
            item = f"{front}/{member}"
            if len(pictured) == 1:
                item = f"{front}/{key}"
            reference = archives.join(path, member)
            yield SourceEntry(
                printable(item),
                printable(reference),
                text,
                archive.members[member].size,
                columns=columns,
                fault=fault_of(reference),
                **changed,
            )
    if archive.fault is not None:
        yield SourceEntry(
            f"{front}/",
            path,
            fault=("damaged archive", f"{os.path.basename(path)} is damaged: {archive.fault}."),
        )


def _key(member: str) -> str:
    folder, slash, name = member.rpartition("/")
    return folder + slash + name.partition(".")[0]


def _described(path: str, members: list[str], notes: Counter[str]) -> tuple[str | None, Columns]:
    text: str | None = None
    columns: dict[str, str] = {}
    # JSON last: a caption in a file of its own counts before one among other facts
    for member in sorted(members, key=lambda m: (m.lower().endswith(".json"), m)):
        caption = captions.parsed(member, archives.read(path, member, most=captions.LONGEST))
        if caption is None:
            notes["captions that cannot be read"] += 1
        elif member.lower().endswith(".cls"):
            columns["cls"] = caption[0] or ""
        else:
            if text is None:
                text = caption[0]
            columns = dict(caption[1]) | columns
    return text, tuple(columns.items())
