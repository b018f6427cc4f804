"""What ``rerank`` gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlead.results.shown import Shown
from fairlead.results.tabular import Tabular
from fairlead.trigger.decision import Decision
from fairlead.types import Ranking


@dataclass(frozen=True, eq=False)
class RerankResult(Tabular, Shown):
    """The answer of ``rerank``: the new ranking with ids, and the manifest.

    Attributes:
        ranking: The new order, scores as in the plain run.
        queries: Query ids.
        reranker: Its text form.
        moved: Share of the shown items that the plain list would not have shown among its first k.
        violated: Queries with a prefix that holds fewer of a group than floor(n t).
        notes: What the reader must know.
        items: Item ids.
        manifest: How it came about.
        decisions: What the trigger decided on each query; those it leaves keep their plain list.
    """

    ranking: Ranking
    queries: tuple[str, ...]
    reranker: str
    moved: float
    violated: int
    notes: tuple[str, ...] = ()
    items: Sequence[str] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()

    @property
    def left(self) -> int:
        """How many queries keep their plain list."""
        return sum(one.decision == "leave" for one in self.decisions)

    def to_dict(self) -> dict[str, Any]:
        """JSON values: the lists by id, with the manifest."""
        offsets, rows = self.ranking.offsets, self.ranking.rows
        lists = [
            {
                "query": q,
                "items": [self.items[int(r)] for r in rows[offsets[i] : offsets[i + 1]]],
                # A slice, not an index: without a trigger there are no decisions at all.
                **_decided(self.decisions[i : i + 1]),
            }
            for i, q in enumerate(self.queries)
        ]
        summary = {
            "reranker": self.reranker,
            "moved": self.moved,
            "violated": self.violated,
            "left": self.left,
        }
        return {"results": lists, "summary": summary, "manifest": dict(self.manifest)}

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``results``: one record an item, by query and rank."""
        lists = self.to_dict()["results"]
        return {
            "results": [
                {"query": one["query"], "rank": n, "item": item}
                for one in lists
                for n, item in enumerate(one["items"], start=1)
            ]
        }


def _decided(one: Sequence[Decision]) -> dict[str, Any]:
    """A decision within the answer, which names the query; nothing where none was taken."""
    if not one:
        return {}
    return {"trigger": {name: value for name, value in one[0].to_dict().items() if name != "query"}}
