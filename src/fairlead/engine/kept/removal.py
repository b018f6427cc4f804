"""Removal of items on request (a takedown): from the vectors, from what is known of them, and from
every index that is kept of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fairlead.engine.kept.records import forget
from fairlead.engine.kept.vectors import alone
from fairlead.errors import UsageError
from fairlead.store import compaction, embedded
from fairlead.store.embedding import INDEXES


@dataclass(frozen=True)
class RemoveResult:
    """What ``remove`` did.

    Attributes:
        folder: The embedded collection.
        removed: How many items were removed now.
        before: How many of those named had been removed before.
        items: How many items are left.
        indexes: How many kept indexes were let go of; the next search builds them anew.
    """

    folder: Path
    removed: int
    before: int
    items: int
    indexes: int

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {**vars(self), "folder": str(self.folder)}


def remove(folder: str | Path, ids: str | Sequence[str]) -> RemoveResult:
    """Remove items from a folder that ``embed`` wrote, without embedding the rest anew.

    Their vectors, captions and labels are then in none of its files, and in none of the indexes
    kept of it. A later ``embed`` does not bring them back, even where the source still has them,
    or has the same picture under another name. Killed at any moment, the folder is as it was or
    as it should be; run it again to finish.

    Args:
        folder: The folder.
        ids: The ids of the items, as in ``items.parquet`` and in the results of a search.

    Raises:
        UsageError: For a folder that ``embed`` did not write, or an id that is none of its items.
        DataError: For a folder that is unfinished or torn.
        BackendError: For an index on a server that cannot be reached, or a folder that another
            process has been writing for too long; nothing is removed then.
    """
    place = Path(folder).expanduser()
    wanted = tuple(ids)
    if isinstance(ids, str):
        wanted = (ids,)
    if not wanted:
        raise UsageError("Nothing is to be removed.", "Give the ids of the items.")
    place = place.resolve()
    with alone(place, "removing items from"):
        # What a killed run left half done is finished first.
        compaction.recover(place)
        if not embedded.is_embedded(place):
            raise UsageError(
                f"{folder} is no folder that 'fairlead embed' wrote.",
                "Of any other source, remove the file or the row itself: the next run follows.",
            )
        # Indexes are let go of before any vector goes: where a server cannot be reached, nothing is
        # removed, instead of a copy being left there that nobody knows of.
        done = embedded.remove_items(place, wanted, partial(forget, place / INDEXES))
    return RemoveResult(place, done.removed, done.before, done.items, done.indexes)
