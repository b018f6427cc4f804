"""Mitigate evidence: a new order, and what it could not do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairlead.evidence import Evidence
from fairlead.protocols import Reranker
from fairlead.ragged import Array
from fairlead.report.tabular import Tabular
from fairlead.rerankers.bounds import violations
from fairlead.trigger.decision import Decision
from fairlead.trigger.reach import within_reach
from fairlead.types import Ranking
from fairlead.words.counts import agreeing, part_of

_BOUND = "floor(n t)"
"""What some rerankers promise of every prefix; that others fall below it is no fault of theirs."""


@dataclass(frozen=True, eq=False)
class RerankResult(Tabular):
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
            {"query": q, "items": [self.items[int(r)] for r in rows[offsets[i] : offsets[i + 1]]], **_decided(self.decisions[i : i + 1])}
            for i, q in enumerate(self.queries)
        ]
        summary = {"reranker": self.reranker, "moved": self.moved, "violated": self.violated, "left": self.left}
        return {"results": lists, "summary": summary, "manifest": dict(self.manifest)}

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``results``: one record an item, by query and rank."""
        lists = self.to_dict()["results"]
        return {
            "results": [{"query": one["query"], "rank": n, "item": item} for one in lists for n, item in enumerate(one["items"], start=1)]
        }

    def _repr_html_(self) -> str:
        from fairlead.report.notebook import preformatted

        return preformatted(str(self))

    def __str__(self) -> str:
        from fairlead.report.files import rerank_text

        return rerank_text(self)


def rerank(evidence: Evidence, reranker: Reranker, k: int, seed: int, *, decisions: Sequence[Decision] = ()) -> RerankResult:
    """Rerank every query that no decision leaves as it is, and report what the new order promises and breaks."""
    ranking = reranker(evidence, k, seed)
    left = np.array([one.decision == "leave" for one in decisions] or [False] * len(evidence), np.bool_)
    if left.any():
        ranking = ranking.replaced(np.flatnonzero(left), _head(evidence.ranking, k), np.flatnonzero(left))
    notes = _notes(evidence.select(np.flatnonzero(~left)) if left.any() else evidence, reranker, k)
    after = evidence.with_ranking(ranking)
    broken = sum(1 for prefixes, kept in zip(violations(after), left, strict=True) if len(prefixes) and not kept)
    if broken and _BOUND in getattr(reranker, "promise", ""):
        notes.append(
            f"{part_of(broken, len(evidence), 'query')} {agreeing(broken, 'has', 'have')} a prefix below {_BOUND}: supply ran out, "
            f"or {reranker} does not bound it."
        )
    moved = _moved(evidence.ranking, ranking, k)
    return RerankResult(ranking, evidence.queries, str(reranker), moved, broken, tuple(notes), decisions=tuple(decisions))


def within(decisions: Sequence[Decision], evidence: Evidence, k: int) -> tuple[Decision, ...]:
    """The decisions, held against the candidates of each group; those for want of words stay, for they say nothing."""
    available, wanted = _supply(evidence, k)
    names = evidence.labels.names
    have, places = ([dict(zip(names, row.tolist(), strict=True)) for row in table] for table in (available, wanted))
    held = within_reach(decisions, have, places)
    return tuple(one if one.rule == "no-words" else new for one, new in zip(decisions, held, strict=True))


def _notes(evidence: Evidence, reranker: Reranker, k: int) -> list[str]:
    """What can be said of what is mitigated before the new order is known."""
    notes = list[str]()
    if len(evidence.attribute.groups.names) == 1:
        notes.append(f"'{evidence.attribute.groups.attribute}' has one group only: there is nothing to balance.")
    return notes + (out_of_reach(evidence, k) if getattr(reranker, "uses_target", False) else [])


def out_of_reach(evidence: Evidence, k: int) -> list[str]:
    """A note where candidates cannot fill the places the target asks for, to a whole item: in how many queries, and how far at best."""
    lengths, names = evidence.ranking.lengths, evidence.labels.names
    available, wanted = _supply(evidence, k)
    lacking = np.maximum(wanted - available, 0.0)
    out = np.flatnonzero(lacking.max(1) >= 1 - 1e-9)
    if not len(out):
        return []
    worst = int(out[lacking[out].sum(1).argmax()])
    group, met = int(lacking[worst].argmax()), 1 - lacking[worst].sum() / min(int(lengths[worst]), k)
    return [
        f"In {part_of(len(out), len(evidence), 'query')} the candidates cannot meet the target at k = {k}. Furthest off is "
        f"'{evidence.queries[worst]}': it has {available[worst, group]:.3g} of the {wanted[worst, group]:.3g} '{names[group]}' items asked "
        f"for, so that at best {100 * met:.0f} % of the list is as the target asks."
    ]


def _supply(evidence: Evidence, k: int) -> tuple[Array, Array]:
    """(queries, groups) candidates of each group, and places that the target asks for."""
    available = np.zeros((len(evidence), len(evidence.labels.names)))
    np.add.at(available, evidence.ranking.query_of, evidence.labels.share)
    shown = np.minimum(evidence.ranking.lengths, k)
    return available, np.nan_to_num(evidence.attribute.target.rows(np.arange(len(evidence)))) * shown[:, None]


def _decided(one: Sequence[Decision]) -> dict[str, Any]:
    """A decision within the answer, which names the query; nothing where none was taken."""
    return {} if not one else {"trigger": {name: value for name, value in one[0].to_dict().items() if name != "query"}}


def _head(plain: Ranking, k: int) -> Ranking:
    return plain.take(np.flatnonzero(plain.ranks <= k), np.minimum(plain.lengths, k))


def _moved(plain: Ranking, new: Ranking, k: int) -> float:
    """Share of new entries that were not among the plain first k."""
    from fairlead.ragged import locate

    if not len(new.rows):
        return 0.0
    entries = locate(plain.offsets, plain.rows, new.offsets, new.rows)
    return float(np.mean(entries - plain.offsets[:-1][new.query_of] >= k))
