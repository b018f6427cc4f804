"""Somebody's own table in PostgreSQL: read and searched, and left as it is.

Used by the source ``pgvector``.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.indexes.attached import Hit, Within
from fairlead.indexes.postgres import connect, set_effort, statements, told, widening
from fairlead.indexes.scoring import QueryVectors
from fairlead.types.ragged import Array

# So many queries go in one round trip.
_BATCH = 256
_TYPE = re.compile(r"(?:.*\.)?(vector|halfvec)(?:\((\d+)\))?")


@dataclass(frozen=True)
class Names:
    """What a table and its columns are called.

    Attributes:
        table: The table or view, also ``schema.table``.
        id: The column of ids.
        vector: The column of vectors.
        cosine: Whether vectors are compared by their cosine; else by their inner product.
        approximate: Whether the table's own approximate index is asked.
    """

    table: str
    id: str
    vector: str
    cosine: bool
    approximate: bool


class AttachedTable:
    """A table, on a connection that the server itself keeps from writing."""

    def __init__(self, address: str, names: Names, called: str) -> None:
        self.name = called
        self.approximate = names.approximate
        self._names = names
        self._connection = connect(address, writes=False)
        weakref.finalize(self, self._connection.close)
        types = self._types()
        self._key_type = types[names.id]
        self._narrow, self.dimensions = self._vector_type(types[names.vector])
        if names.approximate:
            self._refuse_no_index()
        self.keys: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many rows there were when the table was read."""
        return len(self.keys)

    def read(self, columns: Iterable[str]) -> tuple[dict[str, list[str | None]], int]:
        """The cells of some columns as text, in the order of ids, and how many rows have no vector.

        Rows without a vector are left out.

        Raises:
            UsageError: Where there is no such column.
            DataError: Where ids are missing, or not distinct.
        """
        sql, names = statements(), list(columns)
        types = self._types()
        for name in names:
            if name not in types:
                raise unknown_name(f"column of {self._names.table}", name, types)
        cells = [sql.SQL("{}::text").format(sql.Identifier(n)) for n in (self._names.id, *names)]
        # ordered by the column's own type, as in a search, not by the text it is read as
        statement = sql.SQL(
            "SELECT {cells} FROM {table} AS rows WHERE {vector} IS NOT NULL ORDER BY rows.{id}"
        ).format(cells=sql.SQL(", ").join(cells), **self._parts)
        lacking = sql.SQL("SELECT count(*) FROM {table} WHERE {vector} IS NULL")
        with told(f"Reading {self._names.table}"):
            rows = self._connection.execute(statement).fetchall()
            without = self._connection.execute(lacking.format(**self._parts)).fetchone()[0]
        keys = [row[0] for row in rows]
        if None in keys or len(set(keys)) < len(keys):
            raise DataError(
                f"The column '{self._names.id}' of {self._names.table} does not name every row, or "
                "names two alike.",
                "Give the column of distinct ids: id=COLUMN.",
            )
        self.keys = tuple(keys)
        return {name: [row[at] for row in rows] for at, name in enumerate(names, 1)}, without

    def best(self, query_vectors: QueryVectors, depth: int, within: Within) -> list[list[Hit]]:
        """The best rows of each query."""
        sql = statements()
        if self.approximate:
            set_effort(self._connection, depth)
        # adding 0 keeps PostgreSQL from using an approximate index
        distance = sql.SQL("{vector}{wide} {operator} fairlead.v").format(**self._parts)
        order = sql.SQL("{vector} {operator} fairlead.v{narrow}").format(**self._parts)
        if not self.approximate:
            distance = order = sql.SQL("({}) + 0").format(distance)
            order = sql.SQL("2, 1")
        statement = sql.SQL(_BEST).format(
            distance=distance, order=order, where=self._where(within), **self._parts
        )
        values: dict[str, Any] = {"depth": depth}
        if within.rows is not None:
            values["keys"] = [self.keys[row] for row in within.rows.tolist()]
        values["values"] = [value for value in within.values if value is not None]
        return self._answer(statement, query_vectors, values)

    def scores(self, query_vectors: QueryVectors, rows: Array) -> list[list[Hit]]:
        """The scores of some rows for each query."""
        sql = statements()
        distance = sql.SQL("{vector}{wide} {operator} fairlead.v").format(**self._parts)
        statement = sql.SQL(_GIVEN).format(
            distance=distance, where=self._where(Within(rows=rows)), **self._parts
        )
        return self._answer(
            statement, query_vectors, {"keys": [self.keys[r] for r in rows.tolist()]}
        )

    def vectors(self, rows: Array) -> Array:
        """(rows, dimensions) the vectors of some rows."""
        sql = statements()
        statement = sql.SQL(
            "SELECT {id}::text, {vector}::vector::real[] FROM {table} WHERE {where}"
        ).format(where=self._where(Within(rows=rows)), **self._parts)
        keys = [self.keys[row] for row in rows.tolist()]
        with told("Reading vectors"):
            cursor = self._connection.cursor(binary=True)
            vector_of = dict(cursor.execute(statement, {"keys": keys}).fetchall())
        if lost := [key for key in keys if key not in vector_of]:
            raise DataError(
                f"The row '{lost[0]}' is no longer in {self._names.table}.", "Open it again."
            )
        vectors = np.array([vector_of[key] for key in keys], np.float32)
        return vectors.reshape(len(rows), self.dimensions)

    def _answer(
        self, statement: Any, query_vectors: QueryVectors, values: dict[str, Any]
    ) -> list[list[Hit]]:
        from pgvector import Vector

        hits: list[list[Hit]] = [[] for _ in range(len(query_vectors))]
        for at in range(0, len(query_vectors), _BATCH):
            queries = [Vector(vector) for vector in query_vectors.vectors[at : at + _BATCH]]
            with told("Searching"):
                cursor = self._connection.cursor(binary=True)
                rows = cursor.execute(statement, {**values, "queries": queries}).fetchall()
            for query, key, distance in rows:
                score = 1.0 - distance if self._names.cosine else -distance
                row = self._row_of.get(key, -1)
                hits[at + query - 1].append((row, float(np.float32(score))))
        return hits

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.keys)}

    @cached_property
    def _parts(self) -> dict[str, Any]:
        """What every statement is made of; names are quoted."""
        sql, names = statements(), self._names
        return {
            "table": sql.Identifier(*names.table.split(".")),
            "id": sql.Identifier(names.id),
            "vector": sql.Identifier(names.vector),
            "operator": sql.SQL("<=>" if names.cosine else "<#>"),
            "wide": sql.SQL(widening(self._narrow)),
            "narrow": sql.SQL(f"::{self._narrow}"),
        }

    def _where(self, within: Within) -> Any:
        """The SQL condition for where to look."""
        sql = statements()
        if within.rows is not None:
            # compared in the column's own type, so that PostgreSQL can use its index
            return sql.SQL("{} = ANY(%(keys)s::text[]::{}[])").format(
                self._parts["id"], sql.SQL(self._key_type)
            )
        if within.column is None:
            return sql.SQL("true")
        column = sql.Identifier(within.column)
        named = sql.SQL("{}::text = ANY(%(values)s::text[])").format(column)
        if None not in within.values:
            return named
        return sql.SQL("({} OR {} IS NULL)").format(named, column)

    def _types(self) -> dict[str, str]:
        """The types of the table's columns by their names."""
        sql, names = statements(), self._names
        name = sql.Identifier(*names.table.split(".")).as_string(self._connection)
        with told(f"Looking at {names.table}"):
            table_oid = self._connection.execute("SELECT to_regclass(%s)::oid", [name]).fetchone()[
                0
            ]
            types = dict(self._connection.execute(_TYPES, [table_oid]).fetchall())
        if not types:
            raise UsageError(
                f"There is no table {names.table}, or you may not see it.",
                "Give table=NAME or table=SCHEMA.NAME; a view is fine.",
            )
        for column in (names.id, names.vector):
            if column not in types:
                raise unknown_name(f"column of {names.table}", column, types)
        return types

    def _vector_type(self, told_type: str) -> tuple[str, int]:
        """The type of the vectors and their dimensions."""
        sql, names = statements(), self._names
        match = _TYPE.fullmatch(told_type)
        if match is None:
            raise UsageError(
                f"The column '{names.vector}' of {names.table} is of type {told_type}.",
                "Give a column of type vector or halfvec: vector=COLUMN.",
            )
        if match[2] is not None:
            return match[1], int(match[2])
        statement = sql.SQL("SELECT min(vector_dims({0})), max(vector_dims({0})) FROM {1}").format(
            sql.Identifier(names.vector), sql.Identifier(*names.table.split("."))
        )
        with told(f"Looking at {names.table}"):
            least, most = self._connection.execute(statement).fetchone()
        if least != most:
            raise DataError(
                f"The column '{names.vector}' holds vectors of {least} to {most} dimensions.",
                "Give a view of those that one model made.",
            )
        return match[1], int(least or 0)

    def _refuse_no_index(self) -> None:
        """Refuse an approximate search where no index is there for this comparison."""
        names = self._names
        operators = "cosine" if names.cosine else "ip"
        table = statements().Identifier(*names.table.split(".")).as_string(self._connection)
        with told(f"Looking at {names.table}"):
            rows = self._connection.execute(_INDEXES, [table, names.vector]).fetchall()
        kinds = sorted({kind for (kind,) in rows})
        if not any(kind.endswith(f"_{operators}_ops") for kind in kinds):
            raise UsageError(
                f"No index of {names.table} answers for the "
                f"{'cosine' if names.cosine else 'inner product'} of '{names.vector}'; there is "
                f"{', '.join(kinds) or 'none'}.",
                "Leave out approximate=true, and every row is scored.",
            )


# The queries are in a schema-like name, so that they never clash with columns of the table.
_BEST = """
SELECT fairlead.n, best.key::text, best.distance
FROM unnest(%(queries)s::vector[]) WITH ORDINALITY AS fairlead(v, n)
CROSS JOIN LATERAL (
  SELECT {id} AS key, {distance} AS distance FROM {table} AS rows
  WHERE {vector} IS NOT NULL AND {where} ORDER BY {order} LIMIT %(depth)s) AS best"""
_GIVEN = """
SELECT fairlead.n, given.key::text, given.distance
FROM unnest(%(queries)s::vector[]) WITH ORDINALITY AS fairlead(v, n)
CROSS JOIN LATERAL (
  SELECT {id} AS key, {distance} AS distance FROM {table} AS rows
  WHERE {vector} IS NOT NULL AND {where}) AS given"""
_TYPES = """
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped"""
_INDEXES = """
SELECT o.opcname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
JOIN pg_am AS m ON m.oid = c.relam JOIN pg_opclass AS o ON o.oid = i.indclass[0]
JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
WHERE i.indrelid = to_regclass(%s) AND a.attname = %s AND m.amname IN ('hnsw', 'ivfflat')"""
