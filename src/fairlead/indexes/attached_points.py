"""Somebody's own collection of Qdrant: read and searched, and left as it is.

Used by the source ``qdrant``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.indexes.attached import Hit, Within
from fairlead.indexes.points import MEMORY, client_of, models_of, told
from fairlead.indexes.scoring import QueryVectors
from fairlead.types.ragged import Array

# So many points are read at a time.
_PAGE = 2_048
_REQUESTS = 64
_DEEPER = 4


@dataclass(frozen=True)
class PointsPlace:
    """Where points lie.

    Attributes:
        address: Of the server.
        collection: Its name there.
        vector: The name of the vector, where points have several; else empty.
        approximate: Whether the server's graph is walked.
    """

    address: str
    collection: str
    vector: str
    approximate: bool


class AttachedPoints:
    """A collection that is only read."""

    def __init__(self, place: PointsPlace, called: str) -> None:
        self.name = called
        self.approximate = place.approximate
        self._place = place
        self._client = client_of(place.address)
        self.dimensions, self.cosine = self._look()
        self.keys: tuple[int | str, ...] = ()
        self._row_of: dict[int | str, int] = {}
        self._raw: dict[str, dict[str, Any]] = {}

    @property
    def size(self) -> int:
        """How many points there were when the collection was read."""
        return len(self.keys)

    def read(self, fields: Iterable[str]) -> dict[str, list[str | None]]:
        """Some fields of all points as text, in the order of the points' ids.

        Raises:
            UsageError: Where no point has such a field.
        """
        names, keys = list(fields), list[int | str]()
        cells: dict[str, list[str | None]] = {name: [] for name in names}
        self._raw = {name: {} for name in names}
        page: Any = None
        while True:
            with told(self._place.address):
                points, page = self._client.scroll(
                    self._place.collection,
                    limit=_PAGE,
                    offset=page,
                    with_payload=names or False,
                    with_vectors=False,
                )
            for point in points:
                keys.append(point.id)
                for name in names:
                    cells[name].append(self._text(name, point.payload or {}))
            if page is None:
                break
        for name in names:
            if keys and all(cell is None for cell in cells[name]):
                raise UsageError(
                    f"No point of {self._place.collection} has a field '{name}' with one value.",
                    "Name fields of the payload as they are written there.",
                )
        self.keys = tuple(keys)
        self._row_of = {key: row for row, key in enumerate(keys)}
        return cells

    def best(self, query_vectors: QueryVectors, depth: int, within: Within) -> list[list[Hit]]:
        """The best points of each query, and all that are as good as the last of them."""
        limits, only = [depth + 8] * len(query_vectors), self._filter(within)
        hits: list[list[Hit]] = [[] for _ in range(len(query_vectors))]
        waiting = list(range(len(query_vectors)))
        while waiting:
            for start in range(0, len(waiting), _REQUESTS):
                some = waiting[start : start + _REQUESTS]
                asking = [self._request(query_vectors.vectors[q], only, limits[q]) for q in some]
                for query, hits_of_query in zip(some, self._ask(asking), strict=True):
                    hits[query] = hits_of_query
            # the server cuts a row of equal scores anywhere, so it is asked until they end
            waiting = [q for q in waiting if _cut(hits[q], depth, limits[q], self.size)]
            for query in waiting:
                limits[query] *= _DEEPER
        return hits

    def scores(self, query_vectors: QueryVectors, rows: Array) -> list[list[Hit]]:
        """The scores of some points for each query."""
        only = self._filter(Within(rows=rows))
        asking = [
            self._request(vector, only, len(rows), exact=True) for vector in query_vectors.vectors
        ]
        return [
            hits_of_query
            for start in range(0, len(asking), _REQUESTS)
            for hits_of_query in self._ask(asking[start : start + _REQUESTS])
        ]

    def vectors(self, rows: Array) -> Array:
        """(rows, dimensions) the vectors of some points."""
        name = self._place.vector
        keys = [self.keys[row] for row in rows.tolist()]
        with told(self._place.address):
            points = self._client.retrieve(
                self._place.collection,
                ids=list(dict.fromkeys(keys)),
                with_payload=False,
                with_vectors=[name] if name else True,
            )
        vector_of = {point.id: point.vector[name] if name else point.vector for point in points}
        if lost := [key for key in keys if key not in vector_of]:
            raise DataError(
                f"The point '{lost[0]}' is no longer in {self._place.collection}.", "Open it again."
            )
        vectors = np.array([vector_of[key] for key in keys], np.float32)
        return vectors.reshape(len(rows), self.dimensions)

    def _look(self) -> tuple[int, bool]:
        """The dimensions of the vectors, and whether they are compared by cosine."""
        models, place = models_of(), self._place
        with told(place.address):
            if not self._client.collection_exists(place.collection):
                raise UsageError(f"There is no collection '{place.collection}' there.")
            configured = self._client.get_collection(place.collection).config.params.vectors
        kinds: Mapping[str, Any] = (
            configured if isinstance(configured, Mapping) else {"": configured}
        )
        if place.vector not in kinds:
            names = ", ".join(name for name in kinds if name) or "one without a name"
            raise UsageError(
                f"{place.collection} has no vector called '{place.vector}'; it has {names}.",
                "Give vector=NAME, or leave it out where points have one.",
            )
        kind = kinds[place.vector]
        if kind.distance not in (models.Distance.DOT, models.Distance.COSINE):
            raise UsageError(
                f"{place.collection} compares vectors by {kind.distance.value}.",
                "Collections are searched that compare by Dot or Cosine.",
            )
        if kind.multivector_config is not None:
            raise UsageError(
                f"{place.collection} holds many vectors per point.",
                "Collections with one vector per point are searched in place.",
            )
        return int(kind.size), kind.distance == models.Distance.COSINE

    def _text(self, name: str, payload: Mapping[str, Any]) -> str | None:
        """A field of a point as text; a list or a record has none."""
        value: Any = payload.get(name)
        if value is None and "." in name:
            value = payload
            for part in name.split("."):
                value = value.get(part) if isinstance(value, Mapping) else None
        if value is None or isinstance(value, (list, Mapping)):
            return None
        self._raw[name].setdefault(str(value), value)
        return str(value)

    def _filter(self, within: Within) -> Any:
        """Where to look, in the server's terms."""
        models, rows = models_of(), within.rows
        if within.column is None and rows is None:
            return None
        if rows is not None:
            keys = [self.keys[row] for row in rows.tolist()]
            return models.Filter(must=[models.HasIdCondition(has_id=keys)])
        assert within.column is not None
        raw, either = self._raw[within.column], list[Any]()
        for value in within.values:
            if value is None:
                field = models.PayloadField(key=within.column)
                either += [
                    models.IsEmptyCondition(is_empty=field),
                    models.IsNullCondition(is_null=field),
                ]
            else:
                match = models.MatchValue(value=raw[value])
                either.append(models.FieldCondition(key=within.column, match=match))
        return models.Filter(should=either)

    def _request(self, vector: Array, only: Any, limit: int, *, exact: bool = False) -> Any:
        models = models_of()
        choices: dict[str, Any] = {"using": self._place.vector} if self._place.vector else {}
        if self._place.address != MEMORY:
            whole = exact or not self.approximate
            choices["params"] = models.SearchParams(exact=whole)
        return models.QueryRequest(query=vector.tolist(), filter=only, limit=limit, **choices)

    def _ask(self, requests: list[Any]) -> list[list[Hit]]:
        with told(self._place.address):
            answers = self._client.query_batch_points(self._place.collection, requests=requests)
        return [
            [(self._row_of.get(p.id, -1), float(np.float32(p.score))) for p in answer.points]
            for answer in answers
        ]


def _cut(hits: list[Hit], depth: int, limit: int, size: int) -> bool:
    """Whether a list may be cut within a row of equal scores."""
    return len(hits) == limit < size and hits[-1][1] >= hits[depth - 1][1]
