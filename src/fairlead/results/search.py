"""What searching gives: for each query the plain list and its mitigated variants, measured against
chance, with the time they took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlead.results.score import Row, plain
from fairlead.results.shown import Shown
from fairlead.results.tabular import Tabular
from fairlead.trigger.decision import Decision


@dataclass(frozen=True)
class Found:
    """One item of a list: for each attribute a group or shares of groups; None is unknown."""

    id: str
    score: float
    rank: int
    groups: Mapping[str, Any]
    text: str | None = None
    image: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON values; the caption only where there is one."""
        shown = {"id": self.id, "score": self.score, "rank": self.rank, "groups": dict(self.groups)}
        if self.text is not None:
            shown["text"] = self.text
        return plain(shown)


@dataclass(frozen=True)
class Supply:
    """How near a list of ``k`` can come to its target with the candidates that were fetched.

    Attributes:
        attribute: What is mitigated.
        available: Candidates of each group, expected counts where labels are soft.
        missing: Share of the list that no fetched candidate can fill as the target asks: 0 is
            within reach, to a rounding of 1 / k.
        depth: How many were fetched of each group, or in all.
        per_group: Whether the depth counts for each group.
        exhausted: Whether the index has no more candidates to give.
    """

    attribute: str
    available: Mapping[str, float]
    missing: float
    depth: int
    per_group: bool
    exhausted: bool

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Cost:
    """What a mitigated list costs: items that the plain list does not show, and how well its items
    answer the query as it was asked.

    ``mean_score`` and ``lowest_score`` are of the query's own scores, also where a projection
    looked with another vector.
    """

    new: int
    mean_score: float
    lowest_score: float

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Variant:
    """One order of the answer: plain, or mitigated by the reranker it is called after; ``left``
    where it is the plain one on purpose.
    """

    name: str
    items: tuple[Found, ...]
    metrics: tuple[Row, ...]
    ms: Mapping[str, float]
    left: bool = False
    cost: Cost | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        answer: dict[str, Any] = {
            "variant": self.name,
            "items": [item.to_dict() for item in self.items],
            "metrics": [row.to_dict() for row in self.metrics],
            "ms": plain({name: round(value, 3) for name, value in self.ms.items()}),
        }
        # The plain list has no cost, and only a mitigated one can be left as it is.
        if self.cost is not None:
            answer["cost"] = self.cost.to_dict()
        if self.left:
            answer["left"] = True
        return answer


@dataclass(frozen=True)
class QueryAnswer:
    """The variants of one query, the first being the plain list, and what the trigger decided on
    it.
    """

    query: str
    variants: tuple[Variant, ...]
    trigger: Decision
    reach: Supply | None = None
    id: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        # The answer names its query already.
        decided = {name: value for name, value in self.trigger.to_dict().items() if name != "query"}
        answer: dict[str, Any] = {
            "query": self.query,
            "variants": [variant.to_dict() for variant in self.variants],
            "trigger": decided,
        }
        if self.reach is not None:
            answer["reach"] = self.reach.to_dict()
        # Two queries may ask the same; a run knows them by their ids.
        if self.id and self.id != self.query:
            answer["id"] = self.id
        return answer


@dataclass(frozen=True)
class SearchResult(Tabular, Shown):
    """The answer of ``search``: one answer a query, and the manifest."""

    results: tuple[QueryAnswer, ...]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know."""
        return tuple(self.manifest.get("warnings", ()))

    def to_dict(self) -> dict[str, Any]:
        """JSON values in the documented shape."""
        return {
            "results": [answer.to_dict() for answer in self.results],
            "manifest": dict(self.manifest),
        }

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``results``: one record an item; ``metrics``: one a query, variant and metric."""
        each = [(answer, variant) for answer in self.results for variant in answer.variants]
        return {
            "results": [
                {"query": a.query, "variant": v.name, **_flat(item)}
                for a, v in each
                for item in v.items
            ],
            "metrics": [
                {"query": a.query, "variant": v.name, **row.to_dict()}
                for a, v in each
                for row in v.metrics
            ],
        }


def _flat(item: Found) -> dict[str, Any]:
    """An item with one column an attribute."""
    record = item.to_dict()
    return {
        **{name: value for name, value in record.items() if name != "groups"},
        **record["groups"],
    }
