"""Captions beside pictures: a file of the same name, or a table in the folder.

These are ``a.txt`` or ``a.json`` beside ``a.jpg``, or ``captions.csv``.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlead.store import json_text
from fairlead.store.opening import opened
from fairlead.store.sources.columns import column_texts
from fairlead.store.sources.entries import IMAGE_ALIASES, TEXT_ALIASES, Columns
from fairlead.store.tables import Header, read_table

TABLES = frozenset(
    f"{name}{suffix}"
    for name in ("captions", "metadata")
    for suffix in (".csv", ".tsv", ".jsonl", ".parquet")
)
"""Names of tables that describe the pictures of their folder."""
SIDECARS = (".txt", ".caption", ".json")
LONGEST = 1 << 20
"""Bytes that are read of a file beside a picture, and no more: any file may lie there."""
Caption = tuple[str | None, Columns]


def of_object(record: Mapping[str, Any]) -> Caption:
    """Caption and columns of a JSON object; what is nested is left out."""
    # reversed, so that of keys that differ in case alone the first counts
    named = {str(key).lower(): key for key in reversed(list(record))}
    key = next(
        (
            named[role]
            for role in ("caption", *TEXT_ALIASES)
            if role in named and isinstance(record[named[role]], str)
        ),
        None,
    )
    plain = {
        k: v
        for k, v in record.items()
        if k != key and v is not None and not isinstance(v, (dict, list))
    }
    # names of columns come back with every picture, and are kept in memory once
    columns = tuple((sys.intern(str(name)), _cell(value)) for name, value in plain.items())
    if key is None:
        return None, columns
    return str(record[key]).strip() or None, columns


def _cell(value: Any) -> str:
    """A value as text; numbers and truth values as JSON writes them: true, not True."""
    if isinstance(value, str):
        return value
    return json.dumps(value)


def parsed(name: str, content: bytes) -> Caption | None:
    """Caption and columns of a file beside a picture; None where it is not what its name says."""
    try:
        text = content.decode("utf-8-sig")
        if not name.lower().endswith(".json"):
            return text.strip() or None, ()
        record = json_text.parsed(text)
    except ValueError:
        return None
    if isinstance(record, dict):
        return of_object(record)
    return None


def beside(picture: Path, names: frozenset[str]) -> list[str]:
    """The names of the files that belong to a picture, out of those of its folder."""
    stems = (picture.stem, picture.name)
    return [stem + suffix for suffix in SIDECARS for stem in stems if stem + suffix in names]


def read_sidecars(folder: Path, names: list[str], notes: Counter[str]) -> Caption:
    """Caption and columns from the files of a picture: the first caption, and all columns."""
    text: str | None = None
    columns: dict[str, str] = {}
    for name in names:
        try:
            with opened(folder / name) as file:
                caption = parsed(name, file.read(LONGEST))
        except OSError:
            caption = None
        if caption is None:
            notes["captions that cannot be read"] += 1
            continue
        if text is None:
            text = caption[0]
        columns = dict(caption[1]) | columns
    return text, tuple(columns.items())


def read_captions(path: Path, notes: Counter[str]) -> dict[str, Caption] | None:
    """Caption and columns by file name, spelled with ``/``; None where the table names no files."""
    roles: dict[str, str | None] = {}

    def pick(header: Header) -> dict[str, Any]:
        roles["image"] = header.find("image", IMAGE_ALIASES)
        roles["text"] = header.find("caption", TEXT_ALIASES)
        if roles["image"] is None:
            raise _NamesNoFiles
        return dict.fromkeys(header.plain, "any")

    try:
        table = read_table(path, pick)
    except _NamesNoFiles:
        return None
    texts = column_texts(table, notes)
    image, caption = roles["image"], roles["text"]
    assert image is not None
    others = [name for name in texts if name not in (image, caption)]
    caption_cells: list[str | None] = [None] * table.size
    if caption in texts:
        caption_cells = texts[caption]
    captions_of: dict[str, Caption] = {}
    for row, name in enumerate(texts.get(image, [])):
        if not name:
            continue
        key = spelled(name)
        # captioned collections list a picture once for each of its captions; an item has one
        if key in captions_of:
            notes["further captions of a picture"] += 1
            continue
        columns = tuple(
            (sys.intern(other), value)
            for other in others
            if (value := texts[other][row]) is not None
        )
        captions_of[key] = caption_cells[row] or None, columns
    return captions_of


def spelled(name: str) -> str:
    """One spelling of a file name: ``/`` between folders, letters composed, no ``./`` in front."""
    return unicodedata.normalize("NFC", name.replace("\\", "/")).removeprefix("./")


class _NamesNoFiles(Exception):
    """A table of that name that is about something else."""
