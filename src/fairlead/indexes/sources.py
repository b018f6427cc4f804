"""``pgvector:…`` and ``qdrant:…`` as collections that are already on a server.

They are searched and audited there, with columns or payload fields by name; nothing is copied or
written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.indexes.addresses import refuse_password
from fairlead.indexes.attached import AttachedIndex, Column, Server
from fairlead.indexes.attached_points import AttachedPoints, PointsPlace
from fairlead.indexes.attached_table import AttachedTable, Names
from fairlead.indexes.points import refuse_no_server
from fairlead.protocols.reach import SERVER, Reach
from fairlead.protocols.source import LiveCollection
from fairlead.protocols.spec import Configured
from fairlead.store.attributes import groups_of_columns
from fairlead.store.sources.columns import text_array
from fairlead.types import Collection

Cells = Mapping[str, Sequence[str | None]]


@dataclass(frozen=True)
class PgVectorSource(Configured):
    """A table or view of PostgreSQL with vectors, searched in place.

    ``table`` names it (also schema.table); ``id``, ``vector``, ``text`` and ``image`` name its
    columns, ``groups`` those with labels, divided by commas. ``metric`` says how vectors are
    compared; ``approximate`` asks the table's own approximate index instead of scoring every row.
    """

    address: str
    table: str = ""
    id: str = "id"
    vector: str = "embedding"
    text: str = ""
    image: str = ""
    groups: str = ""
    metric: Literal["inner", "cosine"] = "inner"
    approximate: bool = False

    name: ClassVar[str] = "pgvector"
    addressed: ClassVar[str] = "address"
    reaches: ClassVar[Reach] = Reach(SERVER)

    def validate(self) -> None:
        refuse_password(self.address, "PGPASSWORD or ~/.pgpass")
        if not self.table:
            raise UsageError("pgvector names no table.", "Write pgvector:ADDRESS(table=NAME).")

    def open_live(self) -> LiveCollection:
        """Read ids, captions and labels; the vectors stay on the server."""
        cosine = self.metric == "cosine"
        names = Names(self.table, self.id, self.vector, cosine, self.approximate)
        server = AttachedTable(self.address, names, str(self))
        labels = _listed(self.groups)
        cells, lacking = server.read(_distinct(self.text, self.image, *labels))
        collection = _collection(server.keys, cells, self.text, self.image, labels)
        skipped = {"no vector": lacking} if lacking else {}
        return LiveCollection(collection, _index(server, cells, labels), skipped, cosine)


@dataclass(frozen=True)
class QdrantSource(Configured):
    """A collection of a Qdrant server, searched in place.

    ``collection`` names it; ``vector`` names the vector where points have several; ``id``, ``text``
    and ``image`` name fields of the payload (the id is the point's own by default), ``groups``
    those with labels, divided by commas. ``approximate`` walks the server's graph.
    """

    address: str
    collection: str = ""
    id: str = ""
    vector: str = ""
    text: str = ""
    image: str = ""
    groups: str = ""
    approximate: bool = False

    name: ClassVar[str] = "qdrant"
    addressed: ClassVar[str] = "address"
    reaches: ClassVar[Reach] = Reach(SERVER)

    def validate(self) -> None:
        refuse_password(self.address, "QDRANT_API_KEY")
        refuse_no_server(self.address)
        if not self.collection:
            raise UsageError(
                "qdrant names no collection.", "Write qdrant:ADDRESS(collection=NAME)."
            )

    def open_live(self) -> LiveCollection:
        """Read ids, captions and labels; the vectors stay on the server."""
        place = PointsPlace(self.address, self.collection, self.vector, self.approximate)
        server = AttachedPoints(place, str(self))
        labels = _listed(self.groups)
        cells = server.read(_distinct(self.id, self.text, self.image, *labels))
        names = [str(key) for key in server.keys]
        if self.id:
            names = [name or "" for name in cells[self.id]]
            if "" in names or len(set(names)) < len(names):
                raise DataError(
                    f"The field '{self.id}' of {self.collection} does not name every point, or "
                    "names two alike.",
                    "Leave out id=, and points are called by their own ids.",
                )
        collection = _collection(names, cells, self.text, self.image, labels)
        return LiveCollection(collection, _index(server, cells, labels), cosine=server.cosine)


def _listed(names: str) -> list[str]:
    """Names separated by commas."""
    return [name.strip() for name in names.split(",") if name.strip()]


def _distinct(*names: str) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


def _called(fields: Sequence[str]) -> list[str]:
    """The names of labels in fields: ``about.gender`` is gender, unless another field is too."""
    short = [field.rpartition(".")[2] for field in fields]
    return [s if short.count(s) == 1 else f for s, f in zip(short, fields, strict=True)]


def _collection(
    ids: Sequence[str], cells: Cells, text: str, image: str, labels: Sequence[str]
) -> Collection:
    """The items of a server, with their labels by name."""
    names = _called(labels)
    columns: dict[str, Any] = {
        name: text_array(cells[field]) for name, field in zip(names, labels, strict=True)
    }
    attributes = list(dict.fromkeys(name.partition("=")[0] for name in names))
    groups = groups_of_columns(columns, len(ids), attributes)
    return Collection(tuple(ids), _named(cells, image), _named(cells, text), groups)


def _named(cells: Cells, column: str) -> tuple[str, ...] | None:
    """The cells of a column; None where none is named."""
    if not column:
        return None
    return tuple(cell or "" for cell in cells[column])


def _index(server: Server, cells: Cells, labels: Sequence[str]) -> AttachedIndex:
    columns = {name: Column.of(cells[name]) for name in labels}
    return AttachedIndex(server, columns, np.arange(server.size))
