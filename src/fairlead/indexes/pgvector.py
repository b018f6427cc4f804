"""``pgvector:postgresql://…``: vectors and labels in a table of PostgreSQL with the extension
pgvector.

Scores are the server's own inner products (float32). By default every row is scored
(``kind=flat``). The scores of a query are made once and the best of each group are taken from them:
about half as much work again as a plain search. ``kind=hnsw`` builds an index that misses rows,
those of small groups first; ``recall`` says how many. What is added is one transaction until it is
kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from fairlead.errors import UsageError
from fairlead.indexes.addresses import shown
from fairlead.indexes.labels import refuse_depth, refuse_other_sizes, refuse_rows
from fairlead.indexes.recall import recall_by_group, warnings_of
from fairlead.indexes.tables import ServerTable, TableLayout
from fairlead.indexes.vectors import checked
from fairlead.protocols.reach import FILES, SERVER, Reach, Things
from fairlead.protocols.spec import Configured, Spec
from fairlead.types import Embeddings, Groups, Ranking
from fairlead.types.ragged import Array


def _reached(spec: Spec) -> Things:
    """What a choice reaches: our own server in a folder, or the one at its address."""
    if not spec.address:
        return FILES
    return SERVER


@dataclass(frozen=True, repr=False)
class PgVector(Configured):
    """A table in PostgreSQL; without an address, on our own server in the index's folder.

    ``table`` names it (schema.table is fine; else it is named after its owner). ``half`` stores
    half precision. ``kind=hnsw`` is approximate: ``links`` builds its graph, ``probes`` is how many
    candidates it keeps open (0: by the depth asked for).
    """

    address: str = ""
    table: str = ""
    kind: Literal["flat", "hnsw"] = "flat"
    half: bool = False
    links: int = 16
    probes: int = 0

    name: ClassVar[str] = "pgvector"
    addressed: ClassVar[str] = "address"
    reaches: ClassVar[Reach] = Reach(SERVER, _reached)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._renew()

    def validate(self) -> None:
        parts = self.table.split(".")
        if self.table and (
            len(parts) > 2
            or not all(parts)
            or "\0" in self.table
            or any(len(p.encode()) > 50 for p in parts)
        ):
            raise UsageError(
                f"pgvector(table={self.table!r}) is no name of a table.",
                "Write table or schema.table, at most 50 letters each.",
            )
        if not 2 <= self.links <= 100 or not 0 <= self.probes <= 1000:
            raise UsageError(
                "pgvector takes links from 2 to 100 and probes up to 1000.",
                "Leave them out to have them chosen.",
            )

    def _renew(self) -> None:
        layout = TableLayout(
            self.table,
            "halfvec" if self.half else "vector",
            self.links if self.kind == "hnsw" else 0,
            self.probes,
        )
        object.__setattr__(self, "_table", ServerTable(self.address, layout))

    @property
    def spec(self) -> Spec:
        """This index as text, without a password: that comes from PGPASSWORD or ~/.pgpass."""
        return shown(super().spec)

    def __repr__(self) -> str:
        return str(self)

    def __len__(self) -> int:
        return _table(self).rows

    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None:
        """Append vectors and their labels to the table; they are lost unless kept."""
        refuse_other_sizes(len(embeddings), groups or {})
        _table(self).add(checked(embeddings), groups or {})

    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking:
        """The best ``depth`` rows of each query, or of each group of each query."""
        refuse_depth(depth)
        return _table(self).search(queries, depth, per_group, exhaustive=False)

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        return _table(self).scores(queries, refuse_rows(rows, len(self)))

    def recall(
        self, queries: Embeddings, depth: int, per_group: str | None = None
    ) -> dict[str, float]:
        """For each group (or ``all``), the share of the true best ``depth`` rows that a search
        finds.
        """
        result, truth = (
            _table(self).search(queries, depth, per_group, exhaustive=whole)
            for whole in (False, True)
        )
        if per_group is None:
            return recall_by_group(result, truth, None, ())
        return recall_by_group(
            result, truth, _table(self).codes(truth.rows, per_group), _table(self).names[per_group]
        )

    def about(self) -> dict[str, Any]:
        """What a manifest says of the index."""
        approximate = _table(self).approximate
        return {
            "index": str(self),
            "rows": len(self),
            "approximate": approximate,
            "warnings": warnings_of(approximate=approximate),
        }

    def open(self, place: Path, owner: str) -> int:
        """Attach to the table that is kept for an owner, and return its number of rows."""
        self.close()
        return _table(self).open(Path(place), owner)

    def keep(self, place: Path, owner: str) -> None:
        """Make what was added lasting."""
        _table(self).keep(owner)

    def drop(self, place: Path, owner: str) -> None:
        """Drop the table that is kept for an owner; our own server goes with its data."""
        self.close()
        _table(self).drop(Path(place), owner)

    def close(self) -> None:
        """Leave the server; what was not kept is lost."""
        _table(self).close()
        self._renew()


def _table(index: PgVector) -> ServerTable:
    return index._table  # type: ignore[attr-defined]
