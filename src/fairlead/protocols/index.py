"""Indexes: query vectors to rankings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from fairlead.types import Embeddings, Groups, Ranking
from fairlead.types.ragged import Array


class Index(Protocol):
    """Turns query vectors into a ranking of rows, by (-score, row).

    Rows are numbered in the order they were added. ``groups`` label them, one value per attribute;
    rows added without labels of an attribute are unknown. ``per_group`` names an attribute and
    gives the union of the best ``depth`` of each of its groups. Unknown is a group of its own
    there, and items the attribute does not apply to are left out. Vectors with offsets (late
    interaction) score by MaxSim.
    """

    def __len__(self) -> int: ...
    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None: ...
    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking: ...
    def scores(self, queries: Embeddings, rows: Array) -> Ranking: ...


@runtime_checkable
class KeptIndex(Index, Protocol):
    """An index that outlives the process: in a folder, or on a server at its own address.

    ``open`` attaches to what is kept for an owner (collection, model and labels) and returns its
    number of rows, 0 if there is nothing yet. It refuses what is kept for another owner. ``keep``
    makes what was added permanent. ``drop`` removes what is kept for an owner, on the server too;
    where nothing is kept, nothing happens.
    """

    def open(self, place: Path, owner: str) -> int: ...
    def keep(self, place: Path, owner: str) -> None: ...
    def drop(self, place: Path, owner: str) -> None: ...


class LiveIndex(Index, Protocol):
    """An index over vectors that lie on a server already and stay there: nothing is added.

    ``labelled`` gives the same index with labels to fetch by, as ``add`` takes them. ``take`` gives
    it with some of its rows, numbered anew, as if it held no others. ``embeddings`` are the vectors
    of its rows, fetched when they are looked at.
    """

    @property
    def embeddings(self) -> Embeddings: ...
    def labelled(self, groups: Mapping[str, Groups]) -> LiveIndex: ...
    def take(self, rows: Array) -> LiveIndex: ...
