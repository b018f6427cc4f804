"""A collection of Qdrant that holds the vectors and labels of an index. Used by ``qdrant``."""

from __future__ import annotations

import hashlib
import os
import secrets
import uuid
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from fairlead.errors import BackendError, MissingExtra, UsageError
from fairlead.indexes.addresses import masked
from fairlead.indexes.keeping import refuse_other_owner
from fairlead.indexes.labels import coded, refuse_attribute
from fairlead.indexes.scoring import QueryVectors
from fairlead.indexes.vectors import reach, refuse_mixing, refuse_other_dimensions
from fairlead.types import UNKNOWN, Embeddings, Groups, Ranking
from fairlead.types.ragged import Array, offsets_of

MEMORY = ":memory:"
_REGISTER = "fairlead_indexes"
_ROWS, _REQUESTS = 256, 64
_WAIT = 60


class Points:
    """A collection, as far as this process knows it."""

    def __init__(self, address: str, name: str, *, approximate: bool, probes: int) -> None:
        self.rows, self.dimensions, self.late = 0, 0, False
        self.names: dict[str, tuple[str, ...]] = {}
        self._address = address
        self._given = name
        self._approximate = approximate
        self._probes = probes
        self._collection = name or f"fairlead_{secrets.token_hex(6)}"
        self._exists = False
        self._drop: Any = None

    def open(self, owner: str) -> int:
        """Attach to what is kept for an owner, and return the number of rows."""
        models, client = models_of(), client_of(self._address)
        with told(self._address):
            if not client.collection_exists(_REGISTER):
                return 0
            notes = client.retrieve(_REGISTER, ids=[_key(self._given, owner)], with_payload=True)
        if not notes:
            return 0
        about = notes[0].payload
        refuse_other_owner(f"The collection '{self._given}'", about["owner"], owner)
        self._collection, self._exists = about["collection"], True
        self.rows = about["rows"]
        self.dimensions = about["dimensions"]
        self.late = about["late"]
        self.names = {attribute: tuple(names) for attribute, names in about["names"]}
        # an interrupted run may have added points and never kept them
        with told(self._address):
            more = client.count(self._collection, exact=True).count - self.rows
            if more > 0:
                unkept = models.HasIdCondition(
                    has_id=list(range(self.rows, self.rows + more + _ROWS))
                )
                client.delete(
                    self._collection,
                    points_selector=models.FilterSelector(filter=models.Filter(must=[unkept])),
                    wait=True,
                )
        return self.rows

    def keep(self, owner: str) -> None:
        """Make what was added lasting, under the name of its owner."""
        if not self._exists:
            return
        models, client = models_of(), client_of(self._address)
        about = {
            "owner": owner,
            "collection": self._collection,
            "rows": self.rows,
            "dimensions": self.dimensions,
            "late": self.late,
        }
        with told(self._address):
            if not client.collection_exists(_REGISTER):
                client.create_collection(
                    _REGISTER,
                    vectors_config=models.VectorParams(size=1, distance=models.Distance.DOT),
                )
            point = models.PointStruct(
                id=_key(self._given, owner),
                vector=[0.0],
                payload={**about, "names": list(self.names.items())},
            )
            client.upsert(_REGISTER, points=[point], wait=True)
        if self._drop is not None:
            self._drop.detach()
            self._drop = None

    def drop(self, owner: str) -> None:
        """Drop what is kept for an owner, and the note about it."""
        if not self.open(owner):
            return
        models, client = models_of(), client_of(self._address)
        key = _key(self._given, owner)
        with told(self._address):
            client.delete_collection(self._collection)
            client.delete(_REGISTER, points_selector=models.PointIdsList(points=[key]), wait=True)
        self.rows, self._exists = 0, False

    def add(self, new: Embeddings, groups: Mapping[str, Groups]) -> None:
        """Append rows; the first rows make the collection."""
        models, client = models_of(), client_of(self._address)
        if self.rows:
            refuse_other_dimensions(self.dimensions, new)
            refuse_mixing(self.late, new)
        if not len(new):
            return
        reach(
            new.vectors,
            new.vectors.astype(np.float32),
            None if new.offsets is not None else self.rows,
        )
        names, codes = dict(self.names), {}
        for attribute, labels in groups.items():
            names[attribute], codes[attribute] = coded(names.get(attribute, ()), labels)
        fields = {_field(names, attribute): own_codes for attribute, own_codes in codes.items()}
        with told(self._address):
            if not self._exists:
                self._create(new)
            for field in fields if self._address != MEMORY else ():
                client.create_payload_index(
                    self._collection, field, models.PayloadSchemaType.INTEGER, wait=True
                )
            for at in range(0, len(new), _ROWS):
                last = min(at + _ROWS, len(new))
                payloads = [
                    {field: int(c[row]) for field, c in fields.items()} for row in range(at, last)
                ]
                ids = list(range(self.rows + at, self.rows + last))
                client.upsert(
                    self._collection,
                    points=models.Batch(ids=ids, vectors=_lists(new, at, last), payloads=payloads),
                    wait=True,
                )
        self.names = names
        self.dimensions = new.vectors.shape[1]
        self.late = new.offsets is not None
        self.rows += len(new)

    def search(
        self, queries: Embeddings, depth: int, per_group: str | None, *, exhaustive: bool
    ) -> Ranking:
        """The best rows of each query, or of each group of each query."""
        if per_group is not None:
            refuse_attribute(per_group, self.names)
        query_vectors = self._asked(queries)
        codes = [None] if per_group is None else [UNKNOWN, *range(len(self.names[per_group]))]
        cells = [
            (query, self._filter(per_group, code))
            for query in range(len(query_vectors))
            for code in codes
        ]
        if self.rows:
            points_of = self._fetched(query_vectors, cells, depth, exhaustive=exhaustive)
        else:
            points_of = [[] for _ in cells]
        best = [sorted(points, key=lambda p: (-p[1], p[0]))[:depth] for points in points_of]
        return _ranking(
            [
                [p for part in best[q * len(codes) : (q + 1) * len(codes)] for p in part]
                for q in range(len(query_vectors))
            ]
        )

    def scores(self, queries: Embeddings, rows: Array) -> Ranking:
        """The given rows, scored and ranked for every query."""
        models = models_of()
        query_vectors = self._asked(queries)
        numbers = np.unique(rows).tolist()
        only = models.Filter(must=[models.HasIdCondition(has_id=numbers)])
        if self.rows:
            points_of = self._fetched(
                query_vectors,
                [(q, only) for q in range(len(query_vectors))],
                max(1, len(numbers)),
                exhaustive=True,
            )
        else:
            points_of = []
        return _ranking(points_of or [[] for _ in range(len(query_vectors))])

    def codes(self, rows: Array, attribute: str) -> Array:
        """(rows,) the group number of rows."""
        field = _field(self.names, attribute)
        with told(self._address):
            points = client_of(self._address).retrieve(
                self._collection, ids=np.unique(rows).tolist(), with_payload=[field]
            )
        code_of = {point.id: (point.payload or {}).get(field, UNKNOWN) for point in points}
        return np.array([code_of[row] for row in rows.tolist()], np.int64)

    def close(self) -> None:
        """Drop what was not kept."""
        if self._drop is not None:
            self._drop()

    def _asked(self, queries: Embeddings) -> QueryVectors:
        query_vectors = QueryVectors.of(queries, self.dimensions)
        if self.late and query_vectors.offsets is None:
            return QueryVectors(query_vectors.vectors, np.arange(len(query_vectors) + 1))
        if self.rows and query_vectors.offsets is not None and not self.late:
            raise UsageError(
                "The index holds one vector per item; this query has many.",
                "Encode queries and items with one model.",
            )
        return query_vectors

    def _fetched(
        self,
        query_vectors: QueryVectors,
        cells: list[tuple[int, Any]],
        depth: int,
        *,
        exhaustive: bool,
    ) -> list[list[tuple[int, float]]]:
        """(row, score) pairs of each cell: the best ``depth``, and all that equal the last of them.

        A cell is a query and its filter.
        """
        limits = [depth + 8] * len(cells)
        points_of: list[list[tuple[int, float]]] = [[] for _ in cells]
        waiting = list(range(len(cells)))
        vectors = [
            _lists(Embeddings(query_vectors.vectors, query_vectors.offsets), q, q + 1)[0]
            for q in range(len(query_vectors))
        ]
        while waiting:
            for start in range(0, len(waiting), _REQUESTS):
                some = waiting[start : start + _REQUESTS]
                requests = [
                    self._request(
                        vectors[cells[c][0]], cells[c][1], limits[c], exhaustive=exhaustive
                    )
                    for c in some
                ]
                with told(self._address):
                    answers = client_of(self._address).query_batch_points(
                        self._collection, requests=requests
                    )
                for cell, answer in zip(some, answers, strict=True):
                    points_of[cell] = [
                        (int(p.id), float(np.float32(p.score))) for p in answer.points
                    ]
            waiting = [
                c
                for c in waiting
                if len(points_of[c]) == limits[c] < self.rows
                and points_of[c][-1][1] >= points_of[c][depth - 1][1]
            ]
            for cell in waiting:
                limits[cell] *= 4
        return points_of

    def _request(self, vector: list[Any], only: Any, limit: int, *, exhaustive: bool) -> Any:
        models = models_of()
        if self._address == MEMORY:
            ways = {}
        else:
            ways = {"params": models.SearchParams(exact=exhaustive or not self._approximate)}
        if ways and self._probes and not ways["params"].exact:
            ways["params"].hnsw_ef = self._probes
        return models.QueryRequest(query=vector, filter=only, limit=limit, **ways)

    def _filter(self, attribute: str | None, code: int | None) -> Any:
        if attribute is None:
            return None
        models, field = models_of(), _field(self.names, attribute)
        match = models.FieldCondition(key=field, match=models.MatchValue(value=code))
        if code != UNKNOWN:
            return models.Filter(must=[match])
        return models.Filter(
            should=[match, models.IsEmptyCondition(is_empty=models.PayloadField(key=field))]
        )

    def _create(self, new: Embeddings) -> None:
        models, client = models_of(), client_of(self._address)
        if client.collection_exists(self._collection):
            raise UsageError(
                f"There is a collection '{self._collection}' already.",
                "Open it for its owner, or give collection=NAME.",
            )
        if new.offsets is None:
            many = None
        else:
            many = models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM)
        size = models.VectorParams(
            size=new.vectors.shape[1], distance=models.Distance.DOT, multivector_config=many
        )
        # without approximate search nobody would walk the graph, so none is built
        graph = {} if self._approximate else {"hnsw_config": models.HnswConfigDiff(m=0)}
        client.create_collection(self._collection, vectors_config=size, **graph)
        self._exists = True
        self._drop = weakref.finalize(self, _dropped, client, self._collection)


@contextmanager
def told(address: str) -> Iterator[None]:
    """Turn errors of Qdrant into errors that say what to do."""
    from qdrant_client.http.exceptions import ApiException

    try:
        yield
    except (ApiException, ValueError, OSError) as error:
        message = masked(str(error)).strip() or type(error).__name__
        hint = "Is the server running, and the address right? A key comes from QDRANT_API_KEY."
        raise BackendError(
            f"Qdrant at {masked(address)} failed: {message.splitlines()[0]}.", hint
        ) from error


@lru_cache(maxsize=8)
def client_of(address: str) -> Any:
    """One client per address; the store in memory lives as long as the process."""
    try:
        from qdrant_client import QdrantClient
    except ModuleNotFoundError as error:
        raise MissingExtra("index 'qdrant'", "qdrant") from error
    if address == MEMORY:
        return QdrantClient(MEMORY)
    return QdrantClient(
        url=address,
        api_key=os.environ.get("QDRANT_API_KEY"),
        timeout=_WAIT,
        check_compatibility=False,
    )


def models_of() -> Any:
    """The classes that requests are made of; the library is loaded when first needed."""
    try:
        from qdrant_client import models
    except ModuleNotFoundError as error:
        raise MissingExtra("index 'qdrant'", "qdrant") from error
    return models


def refuse_no_server(address: str) -> None:
    """Refuse what is not the address of a server."""
    if address != MEMORY and not address.startswith(("http://", "https://")):
        raise UsageError(
            f"qdrant:{masked(address)} is no address of a server.",
            (
                f"Write http://HOST:6333, or {MEMORY}. Folders are not opened: the client "
                "reads them as pickles, which may run code."
            ),
        )


def _dropped(client: Any, collection: str) -> None:
    # the server may be gone at the end of a process, and there is nobody to tell
    with suppress(Exception):
        client.delete_collection(collection)


def _key(name: str, owner: str) -> str:
    return str(
        uuid.UUID(
            hashlib.sha256(
                (f"collection {name}" if name else f"owner {owner}").encode()
            ).hexdigest()[:32]
        )
    )


def _field(names: Mapping[str, Any], attribute: str) -> str:
    return f"label_{list(names).index(attribute)}"


def _lists(vectors: Embeddings, first: int, last: int) -> list[Any]:
    """The vectors of some items as lists of numbers, or as lists of lists where items have many."""
    if vectors.offsets is None:
        return vectors.vectors[first:last].astype(np.float32).tolist()
    cuts = vectors.offsets[first : last + 1].tolist()
    return [vectors.vectors[a:b].astype(np.float32).tolist() for a, b in pairwise(cuts)]


def _ranking(points_of: list[list[tuple[int, float]]]) -> Ranking:
    in_order = [sorted(points, key=lambda p: (-p[1], p[0])) for points in points_of]
    flat = [point for points in in_order for point in points]
    rows, scores = ([p[i] for p in flat] for i in (0, 1))
    return Ranking(
        offsets_of(np.array([len(p) for p in in_order], np.int64)),
        np.array(rows, np.int64),
        np.array(scores) + 0.0,
    )
