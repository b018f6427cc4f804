"""An index over vectors that are already on a server; it asks and never writes.

The best of each group are asked for with the server's own columns as a filter wherever a group is
exactly the items with certain values of one column; else with the list of its items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, cast

import numpy as np

from fairlead.errors import UsageError
from fairlead.indexes.labels import RowLabels, refuse_attribute, refuse_depth, refuse_rows
from fairlead.indexes.recall import warnings_of
from fairlead.indexes.scoring import QueryVectors
from fairlead.indexes.served import ServedVectors
from fairlead.types import UNKNOWN, Embeddings, Groups, Ranking
from fairlead.types.ragged import Array, offsets_of

Hit = tuple[int, float]
"""A row of the server, -1 for one that came after it was opened, and its score."""
# So many unwanted rows are skipped by asking for more; with more of them, the wanted are named.
_FEW = 1_000
_DEEPER = 4


@dataclass(frozen=True, eq=False)
class Within:
    """Where to look: everywhere, where a column has certain values, or among certain rows.

    Attributes:
        column: The name of the column; none for everywhere, or for ``rows``.
        values: The values, None among them where the column may be empty.
        rows: (rows,) of the server.
    """

    column: str | None = None
    values: tuple[str | None, ...] = ()
    rows: Array | None = None


@dataclass(frozen=True, eq=False)
class Column:
    """A column that can be a filter: (server rows,) codes, and the value of each code."""

    codes: Array
    values: tuple[str | None, ...]

    @classmethod
    def of(cls, cells: Sequence[str | None]) -> Column:
        """A column from its cells."""
        number = {value: code for code, value in enumerate(dict.fromkeys(cells))}
        return cls(np.array([number[value] for value in cells], np.int64), tuple(number))


class Server(Protocol):
    """The server that answers; its rows are numbered in its own order of ids."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def approximate(self) -> bool: ...
    def best(self, query_vectors: QueryVectors, depth: int, within: Within) -> list[list[Hit]]: ...
    def scores(self, query_vectors: QueryVectors, rows: Array) -> list[list[Hit]]: ...
    def vectors(self, rows: Array) -> Array: ...


@dataclass(frozen=True, eq=False)
class AttachedIndex:
    """Some rows of a server, numbered from 0.

    Attributes:
        server: Answers.
        columns: The columns that can be a filter, by their names.
        rows: (rows,) the server's number of each row, rising.
        labels: The groups to fetch by, attribute by attribute.
    """

    server: Server
    columns: Mapping[str, Column]
    rows: Array
    labels: RowLabels = field(default_factory=RowLabels)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return self.server.name

    @property
    def embeddings(self) -> Embeddings:
        """The vectors, fetched only when somebody looks at them."""
        served = ServedVectors(self.server.vectors, self.rows, self.server.dimensions)
        return Embeddings(cast(Array, served))

    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None:
        """Always refused: data that belongs to others is not written."""
        raise UsageError(
            f"{self} is searched where it lies, and never written.",
            "Add rows with what it was made with.",
        )

    def labelled(self, groups: Mapping[str, Groups]) -> AttachedIndex:
        """The same rows with labels to fetch by."""
        labels = RowLabels()
        labels.append(len(self), groups)
        return replace(self, labels=labels)

    def take(self, rows: Array) -> AttachedIndex:
        """Some of the rows, without labels."""
        return AttachedIndex(self.server, self.columns, self.rows[np.asarray(rows)])

    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking:
        """The best ``depth`` rows of each query, or of each group of each query."""
        refuse_depth(depth)
        query_vectors = self._asked(queries)
        parts = [
            self._best(query_vectors, depth, group_rows) for group_rows in self._cells(per_group)
        ]
        return _ranking(
            [[hit for part in parts for hit in part[q]] for q in range(len(query_vectors))]
        )

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        server_rows = self.rows[np.unique(refuse_rows(rows, len(self)))]
        query_vectors = self._asked(queries)
        if not len(query_vectors) or not len(server_rows):
            return _ranking([[] for _ in range(len(query_vectors))])
        hits = self.server.scores(query_vectors, server_rows)
        return _ranking([self._mine(one) for one in hits])

    def about(self) -> dict[str, Any]:
        """What a manifest says of the index."""
        approximate = self.server.approximate
        return {
            "index": str(self),
            "rows": len(self),
            "approximate": approximate,
            "warnings": warnings_of(approximate=approximate),
        }

    @cached_property
    def _place(self) -> Array:
        """(server rows + 1,) the number here of each row of the server, -1 for rows that are not
        here.

        The last entry stands for rows that came later.
        """
        place = np.full(self.server.size + 1, -1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        return place

    def _mine(self, hits: list[Hit]) -> list[Hit]:
        """The hits among rows that are here, by their numbers here."""
        numbered = [(int(self._place[row]), score) for row, score in hits]
        return [(row, score) for row, score in numbered if row >= 0]

    def _cells(self, attribute: str | None) -> list[Array]:
        """The rows of each group, with unknown as a group of its own; all rows without an
        attribute.
        """
        if attribute is None:
            return [np.arange(len(self))]
        refuse_attribute(attribute, self.labels.names)
        codes = self.labels.codes(attribute)
        return [np.flatnonzero(codes == code) for code in np.unique(codes) if code >= UNKNOWN]

    def _best(self, query_vectors: QueryVectors, depth: int, group_rows: Array) -> list[list[Hit]]:
        """The best rows of a group, for each query."""
        if not len(group_rows) or not len(query_vectors):
            return [[] for _ in range(len(query_vectors))]
        within, count = self._within(group_rows), min(depth, len(group_rows))
        # rows that are left out or came later take up places, so more are asked for
        ask = count + (0 if within.rows is not None else self._left_out)
        while True:
            hits_of_server = self.server.best(query_vectors, ask, within)
            mine = [self._mine(hits) for hits in hits_of_server]
            if not any(
                len(hits) >= ask and len(usable) < count
                for hits, usable in zip(hits_of_server, mine, strict=True)
            ):
                return [_in_order(hits)[:count] for hits in mine]
            ask *= _DEEPER

    @property
    def _left_out(self) -> int:
        return self.server.size - len(self.rows)

    def _within(self, group_rows: Array) -> Within:
        """How the server is told to look only among some rows."""
        rows = self.rows[group_rows]
        if self._left_out > _FEW:
            return Within(rows=rows)
        if len(group_rows) == len(self):
            return Within()
        for name, column in self.columns.items():
            codes = np.unique(column.codes[rows])
            # no row outside the group may have one of these values
            if int(np.isin(column.codes[self.rows], codes).sum()) == len(rows):
                return Within(name, tuple(column.values[code] for code in codes))
        return Within(rows=rows)

    def _asked(self, queries: Embeddings) -> QueryVectors:
        query_vectors = QueryVectors.of(queries, self.server.dimensions)
        if query_vectors.offsets is not None:
            raise UsageError(
                f"{self} holds one vector per item; this query has many.",
                "Encode queries and items with one model.",
            )
        return query_vectors


def _in_order(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


def _ranking(hits: list[list[Hit]]) -> Ranking:
    ordered = [_in_order(one) for one in hits]
    flat = [hit for one in ordered for hit in one]
    sizes = np.array([len(one) for one in ordered], np.int64)
    rows = np.array([row for row, _ in flat], np.int64)
    return Ranking(offsets_of(sizes), rows, np.array([score for _, score in flat]) + 0.0)
