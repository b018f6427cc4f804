"""A folder of images: all pictures below it, with captions from files or tables beside them.

Pictures are found by their suffix, without one by their first bytes; hidden files and folders are
left alone, other files counted. The id is the path below the folder, with ``/``; the order is that
of ids, in which 2 stands before 10.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from fairlead.errors import UsageError
from fairlead.store import pictures
from fairlead.store.sources import captions
from fairlead.store.sources.entries import (
    OURS,
    Columns,
    Source,
    SourceEntry,
    fault_of,
    is_text,
    printable,
    stamp,
)

# What lies in an embedded collection, by which one is known without opening anything.
_EMBEDDED = {"items.jsonl", "vectors.bin"}
_DIGITS = re.compile(r"([0-9]+)")


@dataclass(frozen=True, eq=False)
class FolderContents:
    """What lies below a folder: for each folder in it, the pictures and the other files."""

    pictures: dict[str, list[str]] = field(default_factory=dict)
    others: dict[str, frozenset[str]] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def archives(self) -> list[str]:
        """The tar archives, by their path below the folder."""
        paths = [
            os.path.join(folder, name)
            for folder, names in self.others.items()
            for name in names
            if name.lower().endswith(".tar")
        ]
        return sorted(paths, key=natural)


def natural(path: str) -> tuple[object, ...]:
    """Sorts paths folder by folder, numbers by their value.

    >>> sorted(["b/1.jpg", "a10.jpg", "a2.jpg"], key=natural)
    ['a2.jpg', 'a10.jpg', 'b/1.jpg']
    """
    parts = [
        [_number(p) if n % 2 else p.casefold() for n, p in enumerate(_DIGITS.split(part))]
        for part in path.split("/")
    ]
    # 01 and 1 are the same number: the path itself decides, so that the order is total
    return (*parts, [path])


def _number(digits: str) -> tuple[int, str]:
    """Sorts digits by their value, however many there are."""
    plain = digits.lstrip("0")
    return len(plain), plain


def scan(root: str) -> FolderContents:
    """Look at every file below a folder once, following links to folders but never in a circle."""
    contents = FolderContents()
    todo: list[tuple[str, tuple[tuple[int, int], ...]]] = [("", ())]
    while todo:
        below, above = todo.pop()
        try:
            status = os.stat(os.path.join(root, below))
            listed = list(os.scandir(os.path.join(root, below)))
        except OSError as error:
            if not below:
                raise UsageError(
                    f"{root} cannot be read: {error.strerror or error}.", "Check its permissions."
                ) from error
            contents.notes["folders that cannot be read"] += 1
            continue
        # Only a folder above itself makes a circle. One that two links lead to is seen twice.
        if (status.st_dev, status.st_ino) in above:
            contents.notes["links in a circle"] += 1
            continue
        # perhaps made of this very folder, which would then grow by what was made of it
        if {item.name for item in listed} >= _EMBEDDED:
            continue
        chain = (*above, (status.st_dev, status.st_ino))
        others: list[str] = []
        for item in listed:
            path = _joined(below, item.name)
            if OURS in item.name:
                continue
            if item.name.startswith("."):
                contents.notes["hidden files and folders"] += 1
            elif _is_folder(item):
                todo.append((path, chain))
            elif _is_picture(item):
                contents.pictures.setdefault(below, []).append(item.name)
            else:
                others.append(item.name)
        contents.others[below] = frozenset(others)
    return contents


def _joined(below: str, name: str) -> str:
    """A path below the folder, with ``/`` on every system: it becomes an id."""
    if not below:
        return name
    return f"{below}/{name}"


def _is_folder(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_dir()
    except OSError:
        return False


def _is_picture(item: os.DirEntry[str]) -> bool:
    suffix = os.path.splitext(item.name)[1].lower()
    # only files are opened: a pipe would keep us waiting
    if suffix or not item.is_file():
        return suffix in pictures.SUFFIXES or suffix in pictures.UNSUPPORTED
    try:
        with open(item.path, "rb") as file:
            return pictures.is_picture(file.read(256))
    except OSError:
        return False


def folder_source(root: str, contents: FolderContents) -> Source:
    """The entries of a folder that ``scan`` has looked at."""
    notes = Counter(contents.notes)
    entries: list[SourceEntry] = []
    described, used = _tables(root, contents, notes)
    matched: set[str] = set()
    for below, names in contents.pictures.items():
        for name in names:
            path = _joined(below, name)
            sidecars = captions.beside(Path(name), contents.others[below])
            used.update((below, sidecar) for sidecar in sidecars)
            text, columns = captions.read_sidecars(Path(root, below), sidecars, notes)
            key = path
            # no table can name what is no text
            if is_text(path):
                key = captions.spelled(path)
            if key in described:
                matched.add(key)
                caption, more = described[key]
                text, columns = caption or text, _merged(columns, more)
            entries.append(_entry(root, path, text, columns))
    notes["files that are no pictures"] += sum(
        len(names) for names in contents.others.values()
    ) - len(used)
    notes["rows of captions that name no picture"] += len(described) - len(matched)
    entries.sort(key=lambda entry: natural(entry.id))
    return Source(
        "folder", root, entries, {name: count for name, count in sorted(notes.items()) if count}
    )


def _tables(
    root: str, contents: FolderContents, notes: Counter[str]
) -> tuple[dict[str, captions.Caption], set[tuple[str, str]]]:
    """Captions by the path of their picture, from all tables, and which files those are."""
    described: dict[str, captions.Caption] = {}
    used: set[tuple[str, str]] = set()
    for below, names in contents.others.items():
        for name in sorted(n for n in names if n.lower() in captions.TABLES):
            captions_of = captions.read_captions(Path(root, below, name), notes)
            if captions_of is None:
                continue
            used.add((below, name))
            front = ""
            if below and is_text(below):
                front = captions.spelled(f"{below}/")
            for key, caption in captions_of.items():
                if os.path.isabs(key):
                    path = captions.spelled(os.path.relpath(key, captions.spelled(root)))
                else:
                    path = front + key
                described.setdefault(path, caption)
    return described, used


def _merged(columns: Columns, more: Columns) -> Columns:
    if columns:
        return tuple((dict(columns) | dict(more)).items())
    return more


def _entry(root: str, path: str, text: str | None, columns: Columns) -> SourceEntry:
    reference, fault = os.path.join(root, path), fault_of(path)
    if not is_text(path):
        return SourceEntry(printable(path), printable(reference), fault=fault)
    return SourceEntry(path, reference, text, columns=columns, fault=fault, **stamp(reference))
