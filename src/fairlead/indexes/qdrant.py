"""``qdrant:http://…``: vectors and labels as points of Qdrant, on a server or in this process.

Scores are the server's own inner products, and its MaxSim where items have many vectors. By default
every point is scored (``kind=flat``); ``kind=hnsw`` walks a graph and misses rows, those of small
groups first; ``recall`` says how many. The best of each group are one filtered request each, all of
them in a batch; equal scores that reach beyond the depth are fetched until they end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from fairlead.errors import UsageError
from fairlead.indexes.addresses import shown
from fairlead.indexes.labels import refuse_depth, refuse_other_sizes, refuse_rows
from fairlead.indexes.points import MEMORY, Points, refuse_no_server
from fairlead.indexes.recall import recall_by_group, warnings_of
from fairlead.indexes.vectors import checked
from fairlead.protocols.reach import FILES, SERVER, Reach, Things
from fairlead.protocols.spec import Configured, Spec
from fairlead.types import Embeddings, Groups, Ranking
from fairlead.types.ragged import Array


def _reached(spec: Spec) -> Things:
    """What a choice reaches: this process, or the server at its address."""
    if (spec.address or MEMORY) == MEMORY:
        return FILES
    return SERVER


@dataclass(frozen=True, repr=False)
class Qdrant(Configured):
    """A collection of a Qdrant server at an address, or in this process.

    ``collection`` names it (else it is named after its owner). ``kind=hnsw`` is approximate;
    ``probes`` is how many candidates it keeps open (0: the server's own choice).
    """

    address: str = MEMORY
    collection: str = ""
    kind: Literal["flat", "hnsw"] = "flat"
    probes: int = 0

    name: ClassVar[str] = "qdrant"
    addressed: ClassVar[str] = "address"
    reaches: ClassVar[Reach] = Reach(SERVER, _reached)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._renew()

    def validate(self) -> None:
        refuse_no_server(self.address)
        if self.probes < 0:
            raise UsageError(
                f"qdrant(probes={self.probes}) is not a count.",
                "Give 1 or more; 0 lets the server choose.",
            )

    def _renew(self) -> None:
        points = Points(
            self.address, self.collection, approximate=self.kind == "hnsw", probes=self.probes
        )
        object.__setattr__(self, "_points", points)

    @property
    def spec(self) -> Spec:
        """This index as text, without a password: a key comes from QDRANT_API_KEY."""
        return shown(super().spec)

    def __repr__(self) -> str:
        return str(self)

    def __len__(self) -> int:
        return _points(self).rows

    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None:
        """Append vectors and labels; unless kept, they are dropped when this object goes."""
        refuse_other_sizes(len(embeddings), groups or {})
        _points(self).add(checked(embeddings), groups or {})

    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking:
        """The best ``depth`` rows of each query, or of each group of each query."""
        refuse_depth(depth)
        return _points(self).search(queries, depth, per_group, exhaustive=False)

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        return _points(self).scores(queries, refuse_rows(rows, len(self)))

    def recall(
        self, queries: Embeddings, depth: int, per_group: str | None = None
    ) -> dict[str, float]:
        """For each group (or ``all``), the share of the true best ``depth`` rows that a search
        finds.
        """
        points = _points(self)
        result, truth = (
            points.search(queries, depth, per_group, exhaustive=whole) for whole in (False, True)
        )
        if per_group is None:
            return recall_by_group(result, truth, None, ())
        return recall_by_group(
            result, truth, points.codes(truth.rows, per_group), points.names[per_group]
        )

    def about(self) -> dict[str, Any]:
        """What a manifest says of the index."""
        approximate = self.kind == "hnsw"
        return {
            "index": str(self),
            "rows": len(self),
            "approximate": approximate,
            "warnings": warnings_of(approximate=approximate),
        }

    def open(self, place: Path, owner: str) -> int:
        """Attach to the collection that is kept for an owner, and return its number of rows."""
        self.close()
        return _points(self).open(owner)

    def keep(self, place: Path, owner: str) -> None:
        """Make what was added lasting."""
        _points(self).keep(owner)

    def drop(self, place: Path, owner: str) -> None:
        """Drop the collection that is kept for an owner."""
        self.close()
        _points(self).drop(owner)

    def close(self) -> None:
        """Leave the server; what was not kept is dropped."""
        _points(self).close()
        self._renew()


def _points(index: Qdrant) -> Points:
    return index._points  # type: ignore[attr-defined]
