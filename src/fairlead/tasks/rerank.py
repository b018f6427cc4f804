"""Mitigate evidence: a new order, and what it could not do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairlead.evidence import Evidence
from fairlead.protocols import Reranker
from fairlead.report.tabular import Tabular
from fairlead.rerankers.bounds import violations
from fairlead.types import Ranking
from fairlead.words.counts import agreeing, part_of


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
    """

    ranking: Ranking
    queries: tuple[str, ...]
    reranker: str
    moved: float
    violated: int
    notes: tuple[str, ...] = ()
    items: Sequence[str] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON values: the lists by id, with the manifest."""
        offsets, rows = self.ranking.offsets, self.ranking.rows
        lists = [{"query": q, "items": [self.items[int(r)] for r in rows[offsets[i] : offsets[i + 1]]]} for i, q in enumerate(self.queries)]
        summary = {"reranker": self.reranker, "moved": self.moved, "violated": self.violated}
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


def rerank(evidence: Evidence, reranker: Reranker, k: int, seed: int) -> RerankResult:
    """Rerank every query and report what the new order promises and breaks."""
    ranking = reranker(evidence, k, seed)
    after = evidence.with_ranking(ranking)
    broken = sum(1 for prefixes in violations(after) if len(prefixes))
    notes, uses_target = [], getattr(reranker, "uses_target", False)
    if len(evidence.attribute.groups.names) == 1:
        notes.append(f"'{evidence.attribute.groups.attribute}' has one group only: there is nothing to balance.")
    if uses_target:
        notes += out_of_reach(evidence, k)
    if broken and uses_target:
        notes.append(
            f"{part_of(broken, len(evidence), 'query')} {agreeing(broken, 'has', 'have')} a prefix below floor(n t): supply ran out, "
            f"or {reranker} does not bound it."
        )
    return RerankResult(ranking, evidence.queries, str(reranker), _moved(evidence.ranking, ranking, k), broken, tuple(notes))


def out_of_reach(evidence: Evidence, k: int) -> list[str]:
    """A note where candidates cannot fill the places the target asks for, to a whole item: in how many queries, and how far at best."""
    lengths, target = evidence.ranking.lengths, evidence.attribute.target
    names, available = evidence.labels.names, np.zeros((len(evidence), len(evidence.labels.names)))
    np.add.at(available, evidence.ranking.query_of, evidence.labels.share)
    wanted = np.nan_to_num(target.rows(np.arange(len(evidence)))) * np.minimum(lengths, k)[:, None]
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


def untouched(result: RerankResult, evidence: Evidence, queries: Sequence[bool], k: int) -> RerankResult:
    """The result with the plain lists of some queries, as (queries,) says."""
    left = np.flatnonzero(queries)
    if not len(left):
        return result
    plain = evidence.ranking
    first = plain.take(np.flatnonzero(plain.ranks <= k), np.minimum(plain.lengths, k))
    ranking = result.ranking.replaced(left, first, left)
    return replace(result, ranking=ranking, moved=_moved(plain, ranking, k))


def _moved(plain: Ranking, new: Ranking, k: int) -> float:
    """Share of new entries that were not among the plain first k."""
    from fairlead.ragged import locate

    if not len(new.rows):
        return 0.0
    entries = locate(plain.offsets, plain.rows, new.offsets, new.rows)
    return float(np.mean(entries - plain.offsets[:-1][new.query_of] >= k))
