"""What measuring gives: rows for people and programs, values per query, and the manifest that says
how they came about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairlead.results.shown import Shown
from fairlead.results.tabular import Tabular
from fairlead.types.ragged import Array

_NULL_FIELDS = ("null", "excess", "excess_ci", "p", "q", "unknown_mass", "target", "source")


@dataclass(frozen=True)
class Row:
    """One metric on one attribute over all queries, or over those with one value of a ``tag``. NaN
    is undefined.
    """

    metric: str
    attribute: str | None
    k: int | None
    mean: float
    ci: tuple[float, float]
    queries: int
    undefined: int
    direction: str
    null: Mapping[str, Any] | None = None
    excess: float = math.nan
    excess_ci: tuple[float, float] = (math.nan, math.nan)
    p: float = math.nan
    q: float = math.nan
    unknown_mass: float = math.nan
    target: str | None = None
    source: str | None = None
    notes: tuple[str, ...] = ()
    spread: float = math.nan
    queries_needed: int | None = None
    variant: str | None = None
    tag: Mapping[str, str] | None = None
    corrected: Mapping[str, Any] | None = None
    label_error: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON values; relevance metrics leave the null fields out."""
        names = [
            "metric",
            "attribute",
            "k",
            "mean",
            "ci",
            *_NULL_FIELDS,
            "queries",
            "undefined",
            "direction",
            "spread",
            "notes",
        ]
        kept = [n for n in names if self.attribute is not None or n not in _NULL_FIELDS]
        extra = [
            n
            for n in ("queries_needed", "variant", "tag", "corrected", "label_error")
            if getattr(self, n) is not None
        ]
        return {n: plain(getattr(self, n)) for n in kept + extra}


@dataclass(frozen=True)
class PerQuery:
    """One metric on one attribute, query by query: arrays of length queries; ``people`` is how many
    items the value looks at.
    """

    metric: str
    attribute: str | None
    value: Array
    null_mean: Array | None = None
    p: Array | None = None
    q: Array | None = None
    unknown_mass: Array | None = None
    null_sd: Array | None = None
    variant: str | None = None
    people: Array | None = None

    def records(self, queries: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """One record per query."""
        # Relevance metrics have a value a query and nothing to hold it against.
        columns = {"value": self.value}
        if (
            self.null_mean is not None
            and self.p is not None
            and self.q is not None
            and self.unknown_mass is not None
        ):
            columns |= {"null_mean": self.null_mean, "excess": self.value - self.null_mean}
            columns |= {"p": self.p, "q": self.q, "unknown_mass": self.unknown_mass}
        about = {"metric": self.metric, "attribute": self.attribute}
        if self.variant is not None:
            about["variant"] = self.variant
        for query, *numbers in zip(
            queries, *(_plain_all(c) for c in columns.values()), strict=True
        ):
            yield {"query": query, **about, **dict(zip(columns, numbers, strict=True))}


@dataclass(frozen=True)
class PairedRow:
    """The difference of two runs on one metric and attribute: first minus second."""

    metric: str
    attribute: str | None
    k: int | None
    first: float
    second: float
    difference: float
    ci: tuple[float, float]
    p: float
    queries: int
    direction: str
    q: float = math.nan
    notes: tuple[str, ...] = ()
    variant: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON values."""
        kept = (
            name
            for name in self.__dataclass_fields__
            if name != "variant" or self.variant is not None
        )
        return {name: plain(getattr(self, name)) for name in kept}


@dataclass(frozen=True)
class ScoreResult(Tabular, Shown):
    """The answer of ``score``: rows, values per query, paired rows where a second run was given,
    and the manifest.

    ``split`` holds the rows of each part of the queries, where they are told apart by a tag.
    """

    rows: tuple[Row, ...]
    values: tuple[PerQuery, ...]
    queries: tuple[str, ...]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    paired: tuple[PairedRow, ...] | None = None
    split: tuple[Row, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know before quoting a number."""
        return tuple(self.manifest.get("warnings", ()))

    def to_dict(self) -> dict[str, Any]:
        """JSON values in the documented shape; undefined is None."""
        answer: dict[str, Any] = {
            "metrics": [row.to_dict() for row in (*self.rows, *self.split)],
            "per_query": [record for part in self.values for record in part.records(self.queries)],
            "manifest": dict(self.manifest),
        }
        if self.paired is not None:
            answer["paired"] = [row.to_dict() for row in self.paired]
        return answer

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``metrics``, ``per_query`` and, where there are any, ``paired``."""
        return {name: records for name, records in self.to_dict().items() if name != "manifest"}


def _plain_all(values: Array) -> list[float | None]:
    """The same as ``plain`` for a long array of numbers."""
    # A whole column at a time: one call of plain for each value of many queries is slow.
    listed = values.astype(object)
    listed[~np.isfinite(values)] = None
    return listed.tolist()


def plain(value: Any) -> Any:
    """JSON values: NaN and infinities become None, numpy scalars Python ones, tuples lists."""
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "item"):
        value = value.item()
    # JSON has no word for NaN and infinity: undefined is null.
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
