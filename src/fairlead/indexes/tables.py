"""A table of PostgreSQL that holds the vectors and labels of an index. Used by ``pgvector``."""

from __future__ import annotations

import hashlib
import secrets
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairlead.errors import BackendError, DataError, UsageError
from fairlead.indexes.keeping import refuse_other_owner
from fairlead.indexes.labels import coded, refuse_attribute
from fairlead.indexes.postgres import (
    connect,
    delete_local_server,
    local_server,
    set_effort,
    statements,
    told,
    widening,
)
from fairlead.indexes.scoring import QueryVectors
from fairlead.indexes.vectors import reach, refuse_other_dimensions
from fairlead.types import UNKNOWN, Embeddings, Groups, Ranking
from fairlead.types.ragged import Array, offsets_of

_REGISTER = "fairlead_indexes"
# A table of fewer rows is scanned, whatever is asked for: that costs less than any detour, and
# finds all.
_FEW = 2_000
# So many queries go in one round trip.
_BATCH = 256
# A copy is sent in parts of so many rows.
_ROWS = 8_192
# Bytes of a vector that still fit a page with its row; longer ones are stored aside, which makes
# scans several times slower.
_INLINE = 7_500
# Dimensions that pgvector allows: of a column, and of an approximate index.
_LONGEST = {"vector": (16_000, 2_000), "halfvec": (16_000, 4_000)}


@dataclass(frozen=True)
class TableLayout:
    """How a table is made and searched.

    Attributes:
        name: Its name, or none to be named after its owner.
        type: What a vector is stored as.
        links: Of the approximate index; 0 for none.
        probes: Candidates that index keeps open; 0 to choose.
    """

    name: str
    type: Literal["vector", "halfvec"]
    links: int
    probes: int


class ServerTable:
    """A table, as far as this process knows it.

    Everything added is one transaction until it is kept.
    """

    def __init__(self, address: str, layout: TableLayout) -> None:
        self.rows = 0
        self.names: dict[str, tuple[str, ...]] = {}
        self._address, self._layout = address, layout
        self._place: Path | None = None
        self._name = layout.name or f"fairlead_{secrets.token_hex(6)}"
        self._dimensions = 0
        self._exists = self._indexed = self._unkept = False
        self._held: Any = None

    @property
    def approximate(self) -> bool:
        """Whether a search may miss rows."""
        return self._layout.links > 0 and self.rows >= _FEW

    def open(self, place: Path, owner: str) -> int:
        """Attach to what is kept for an owner, and return the number of rows."""
        self._place = place
        self._name = self._layout.name or _name_of(owner)
        if not self._address and not (place / "postgres").exists():
            return 0
        connection = self._connection()
        with told("Looking for the index"):
            if connection.execute("SELECT to_regclass(%s)", [_REGISTER]).fetchone()[0] is None:
                return 0
            row = connection.execute(
                f"SELECT owner, about FROM {_REGISTER} WHERE name = %s", [self._name]
            ).fetchone()
        if row is None:
            return 0
        theirs, about = row
        refuse_other_owner(f"The table '{self._name}'", theirs, owner)
        if about["type"] != self._layout.type:
            raise DataError(
                f"The table '{self._name}' holds {about['type']}.",
                "Say half=true or leave it out, as when it was built.",
            )
        self.rows = about["rows"]
        self._dimensions = about["dimensions"]
        self._indexed = about["indexed"]
        self._exists = True
        self.names = {attribute: tuple(names) for attribute, names in about["names"]}
        return self.rows

    def keep(self, owner: str) -> None:
        """Make what was added lasting, under the name of its owner."""
        sql = statements()
        from psycopg.types.json import Jsonb

        if not self._address and self._place is None:
            raise UsageError(
                "An index of a server of our own is kept where it was opened.",
                "Open it at its place before adding.",
            )
        if not self._exists:
            return
        connection = self._begun()
        self._build()
        name = self._layout.name or _name_of(owner)
        about: dict[str, Any] = {
            "rows": self.rows,
            "dimensions": self._dimensions,
            "type": self._layout.type,
            "indexed": self._indexed,
        }
        # pairs, since their order is that of the columns
        about["names"] = list(self.names.items())
        with told("Keeping the index"):
            with connection.transaction():
                if self._exists and name != self._name:
                    connection.execute(
                        sql.SQL("ALTER TABLE {} RENAME TO {}").format(
                            self._id(), sql.Identifier(name)
                        )
                    )
                connection.execute(
                    f"CREATE TABLE IF NOT EXISTS {_REGISTER} (name text PRIMARY KEY, "
                    "owner text NOT NULL, about jsonb NOT NULL)"
                )
                connection.execute(
                    f"INSERT INTO {_REGISTER} VALUES (%s, %s, %s) "
                    "ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, about = "
                    "excluded.about",
                    [name, owner, Jsonb(about)],
                )
            connection.execute("COMMIT")
        self._name, self._unkept = name, False

    def drop(self, place: Path, owner: str) -> None:
        """Drop the table that is kept for an owner, and the note about it.

        A server of our own is deleted with all its data: what a dropped table held would stay in
        its logs for a while.
        """
        if not self._address:
            delete_local_server(place)
            return
        if not self.open(place, owner):
            return
        connection = self._connection()
        statement = statements().SQL("DROP TABLE IF EXISTS {}").format(self._id())
        with told("Dropping the index"), connection.transaction():
            connection.execute(statement)
            connection.execute(f"DELETE FROM {_REGISTER} WHERE name = %s", [self._name])
        self.rows, self._exists = 0, False

    def add(self, new: Embeddings, groups: Mapping[str, Groups]) -> None:
        """Append rows; the first rows make the table."""
        sql = statements()
        if new.offsets is not None:
            raise UsageError(
                "pgvector holds one vector per item; this encoder gives many.",
                "Use the index exact, or qdrant.",
            )
        if self._dimensions:
            refuse_other_dimensions(self._dimensions, new)
        if not len(new):
            return
        connection = self._begun()
        with told("Adding rows"), connection.transaction():
            if not self._exists:
                self._create(new.vectors.shape[1])
            names, codes = dict(self.names), {}
            for attribute, labels in groups.items():
                if attribute not in names:
                    column = _column(len(names))
                    connection.execute(
                        sql.SQL("ALTER TABLE {} ADD COLUMN {} integer NOT NULL DEFAULT -1").format(
                            self._id(), column
                        )
                    )
                names[attribute], codes[attribute] = coded(names.get(attribute, ()), labels)
            columns = [
                sql.Identifier("item"),
                sql.Identifier("vector"),
                *(_column(list(names).index(attribute)) for attribute in codes),
            ]
            statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
                self._id(), sql.SQL(", ").join(columns)
            )
            with connection.cursor().copy(statement) as copy:
                copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
                for at in range(0, len(new), _ROWS):
                    part = slice(at, at + _ROWS)
                    copy.write(
                        _binary(
                            self.rows + at,
                            new.vectors[part],
                            [c[part] for c in codes.values()],
                            self._layout.type,
                        )
                    )
                copy.write(b"\xff\xff")
        self._exists = self._unkept = True
        self.names = names
        self._dimensions = new.vectors.shape[1]
        self.rows = self.rows + len(new)

    def search(
        self, queries: Embeddings, depth: int, per_group: str | None, *, exhaustive: bool
    ) -> Ranking:
        """The best rows of each query, or of each group of each query."""
        sql = statements()
        if per_group is not None:
            refuse_attribute(per_group, self.names)
        query_vectors = self._asked(queries)
        if not self.rows or not len(query_vectors):
            return Ranking.of([[] for _ in range(len(query_vectors))])
        self._build()
        walk = self.approximate and not exhaustive
        if walk:
            set_effort(self._connection(), depth, self._layout.probes)
        label = sql.SQL("0") if per_group is None else _column(list(self.names).index(per_group))
        codes = [0] if per_group is None else [UNKNOWN, *range(len(self.names[per_group]))]
        if walk:
            pattern = _WALK
        elif per_group is None:
            pattern = _PLAIN
        else:
            pattern = _GROUPS
        parts = {
            "table": self._id(),
            "label": label,
            "wide": self._wide(),
            "narrow": sql.SQL(f"::{self._layout.type}"),
        }
        statement = sql.SQL(pattern).format(**parts)
        return self._answer(statement, query_vectors, {"codes": codes, "depth": depth})

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        sql = statements()
        query_vectors = self._asked(queries)
        if not self.rows or not len(query_vectors):
            return Ranking.of([[] for _ in range(len(query_vectors))])
        statement = sql.SQL(_GIVEN).format(table=self._id(), wide=self._wide())
        return self._answer(statement, query_vectors, {"items": np.unique(rows).tolist()})

    def codes(self, rows: Array, attribute: str) -> Array:
        """(rows,) the group number of rows."""
        sql = statements()
        statement = sql.SQL("SELECT item, {} FROM {} WHERE item = ANY(%s)").format(
            _column(list(self.names).index(attribute)), self._id()
        )
        with told("Reading labels"):
            code_of = dict(
                self._connection().execute(statement, [np.unique(rows).tolist()]).fetchall()
            )
        return np.array([code_of[row] for row in rows.tolist()], np.int64)

    def close(self) -> None:
        """Leave the server; what was not kept is lost."""
        if self._held is not None:
            self._held.close()

    def _answer(
        self, statement: Any, query_vectors: QueryVectors, values: dict[str, Any]
    ) -> Ranking:
        from pgvector import Vector

        parts: list[Array] = []
        connection = self._connection()
        for at in range(0, len(query_vectors), _BATCH):
            with told("Searching"):
                parameters = {
                    **values,
                    "queries": [
                        Vector(vector) for vector in query_vectors.vectors[at : at + _BATCH]
                    ],
                }
                rows = connection.cursor(binary=True).execute(statement, parameters).fetchall()
            parts.append(np.array(rows, np.float64).reshape(-1, 3) + [at - 1, 0, 0])
        query, item, score = np.concatenate(parts).T
        order = np.lexsort((item, -score, query))
        sizes = np.bincount(query.astype(np.int64), minlength=len(query_vectors))
        return Ranking(offsets_of(sizes), item[order].astype(np.int64), score[order] + 0.0)

    def _asked(self, queries: Embeddings) -> QueryVectors:
        query_vectors = QueryVectors.of(queries, self._dimensions)
        if query_vectors.offsets is not None:
            raise UsageError(
                "pgvector holds one vector per item; this query has many.",
                "Encode queries and items with one model.",
            )
        return query_vectors

    def _create(self, dimensions: int) -> None:
        sql = statements()
        longest = _LONGEST[self._layout.type][self._layout.links > 0]
        if dimensions > longest:
            raise DataError(
                f"pgvector takes up to {longest} dimensions here, got {dimensions}.",
                "Try kind=flat, half=true, or exact.",
            )
        connection = self._connection()
        if (
            connection.execute(
                "SELECT to_regclass(%s)", [self._id().as_string(connection)]
            ).fetchone()[0]
            is not None
        ):
            raise DataError(
                f"There is a table '{self._name}' already.",
                "Open it for its owner, or give table=NAME.",
            )
        kind = sql.SQL(f"{self._layout.type}({int(dimensions)})")
        connection.execute(
            sql.SQL("CREATE TABLE {} (item integer PRIMARY KEY, vector {} NOT NULL)").format(
                self._id(), kind
            )
        )
        if dimensions * (2 if self._layout.type == "halfvec" else 4) <= _INLINE:
            connection.execute(
                sql.SQL("ALTER TABLE {} ALTER COLUMN vector SET STORAGE PLAIN").format(self._id())
            )

    def _build(self) -> None:
        """Make the approximate index if requested and the table is large enough."""
        sql = statements()
        if not self.approximate or self._indexed:
            return
        connection = self._begun()
        with told("Building the index"), connection.transaction():
            # PostgreSQL itself adds the rows that come later
            way = sql.SQL("CREATE INDEX ON {} USING hnsw (vector {}) WITH (m = {})")
            operators = sql.SQL(f"{self._layout.type}_ip_ops")
            connection.execute(way.format(self._id(), operators, sql.Literal(self._layout.links)))
            for number in range(len(self.names)):
                connection.execute(
                    sql.SQL("CREATE INDEX ON {} ({})").format(self._id(), _column(number))
                )
            connection.execute(sql.SQL("ANALYZE {}").format(self._id()))
        self._indexed = True

    def _connection(self) -> Any:
        if self._held is not None and self._held.closed and self._unkept:
            raise BackendError(
                "The connection to PostgreSQL was lost, and with it what was added and not kept.",
                "Add it again.",
            )
        if self._held is None or self._held.closed:
            self._held = connect(self._address or local_server(self._place))
            weakref.finalize(self, self._held.close)
        return self._held

    def _begun(self) -> Any:
        """The connection, inside a transaction."""
        from psycopg.pq import TransactionStatus

        connection = self._connection()
        if connection.info.transaction_status == TransactionStatus.IDLE:
            with told("Beginning"):
                connection.execute("BEGIN")
        return connection

    def _id(self) -> Any:
        sql = statements()
        return sql.Identifier(*self._name.split("."))

    def _wide(self) -> Any:
        return statements().SQL(widening(self._layout.type))


_GIVEN = """
SELECT q.n, t.item, -(t.vector{wide} <#> q.v)
FROM unnest(%(queries)s::vector[]) WITH ORDINALITY AS q(v, n)
CROSS JOIN {table} AS t WHERE t.item = ANY(%(items)s)"""
# Adding 0 keeps PostgreSQL from using an approximate index.
_PLAIN = """
SELECT q.n, t.item, -t.d
FROM unnest(%(queries)s::vector[]) WITH ORDINALITY AS q(v, n) CROSS JOIN LATERAL (
  SELECT item, (vector{wide} <#> q.v) + 0 AS d FROM {table}
  ORDER BY d, item LIMIT %(depth)s) AS t"""
# The scores of a query are computed once, and the best of each group are taken from them.
_GROUPS = """
SELECT q.n, t.item, -t.d
FROM unnest(%(queries)s::vector[]) WITH ORDINALITY AS q(v, n) CROSS JOIN LATERAL (
  WITH scored AS MATERIALIZED (
    SELECT item, {label} AS label, vector{wide} <#> q.v AS d FROM {table})
  SELECT best.item, best.d FROM unnest(%(codes)s::integer[]) AS code CROSS JOIN LATERAL (
    SELECT item, d FROM scored WHERE label = code ORDER BY d, item LIMIT %(depth)s) AS best) AS t"""
_WALK = """
SELECT q.n, t.item, -t.d FROM unnest(%(queries)s::vector[]) WITH ORDINALITY AS q(v, n)
CROSS JOIN unnest(%(codes)s::integer[]) AS code CROSS JOIN LATERAL (
  SELECT item, vector{wide} <#> q.v AS d FROM {table} WHERE {label} = code
  ORDER BY vector <#> q.v{narrow} LIMIT %(depth)s) AS t"""


def _column(number: int) -> Any:
    sql = statements()
    return sql.Identifier(f"label_{number}")


def _name_of(owner: str) -> str:
    return f"fairlead_{hashlib.sha256(owner.encode()).hexdigest()[:12]}"


def _binary(first: int, vectors: Array, codes: list[Array], kind: str) -> bytes:
    """Rows in the binary form of COPY."""
    dimensions = vectors.shape[1]
    value = ">f2" if kind == "halfvec" else ">f4"
    reach(vectors, vectors.astype(np.float32), first)
    fields: list[Any] = [
        ("fields", ">i2"),
        ("item_size", ">i4"),
        ("item", ">i4"),
        ("vector_size", ">i4"),
        ("dimensions", ">i2"),
    ]
    fields += [("unused", ">i2"), ("vector", value, (dimensions,))]
    fields += [(f"{what}{n}", ">i4") for n in range(len(codes)) for what in ("size", "code")]
    rows = np.zeros(len(vectors), np.dtype(fields))
    rows["fields"], rows["item_size"], rows["item"] = (
        2 + len(codes),
        4,
        np.arange(first, first + len(vectors)),
    )
    rows["dimensions"], rows["vector_size"] = (
        dimensions,
        4 + rows["vector"].dtype.itemsize * dimensions,
    )
    with np.errstate(over="ignore"):
        rows["vector"] = vectors
    if kind == "halfvec" and not np.isfinite(rows["vector"]).all():
        raise DataError("Vectors hold values that half precision cannot.", "Leave out half=true.")
    for number, codes_of_rows in enumerate(codes):
        rows[f"size{number}"], rows[f"code{number}"] = 4, codes_of_rows
    return rows.tobytes()
