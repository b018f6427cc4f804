"""The items of a source as a collection, with captions and labels. No picture is opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairlead.store import embedded
from fairlead.store.attributes import groups_of_columns
from fairlead.store.sources import clip_retrieval
from fairlead.store.sources.choose import find_source
from fairlead.store.sources.columns import text_array
from fairlead.store.sources.entries import DRAWN, SourceEntry, captions_of, pictures_of
from fairlead.types import Collection


def read_items(path: str | Path) -> tuple[Collection, tuple[SourceEntry, ...]]:
    """The items of a folder, a table, an archive or an embedded collection.

    Items that the source alone shows to be unusable (no such file, an id that stands twice) are
    left out, and given beside the collection.
    """
    if embedded.is_embedded(path):
        return embedded.open_embedded(path).collection, ()
    if clip_retrieval.is_output(str(path)):
        output = clip_retrieval.read_output(str(Path(path).expanduser()), "images")
        columns = {name: text_array(cells) for name, cells in output.columns.items()}
        groups = groups_of_columns(columns, len(output.ids))
        return Collection(output.ids, output.images, output.texts, groups), ()
    entries = find_source(path).entries
    faulty = tuple(entry for entry in entries if is_faulty(entry))
    return collection_of([entry for entry in entries if not is_faulty(entry)]), faulty


def is_faulty(entry: SourceEntry) -> bool:
    """Whether the source alone shows that an entry cannot be used."""
    if entry.fault is not None:
        return True
    if entry.image is None or entry.image.startswith(DRAWN):
        return False
    return entry.size <= 0


def collection_of(entries: Sequence[SourceEntry]) -> Collection:
    """Entries without fault as a collection."""
    names = dict.fromkeys(name for entry in entries for name, _ in entry.columns)
    cells_of = [dict(entry.columns) for entry in entries]
    columns = {name: text_array([cells.get(name) for cells in cells_of]) for name in names}
    return Collection(
        tuple(entry.id for entry in entries),
        pictures_of([entry.image for entry in entries]),
        captions_of([entry.text or None for entry in entries]),
        groups_of_columns(columns, len(entries)),
    )
