"""Answers of a search: lists as people read them, with ids, captions, groups, costs and reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairlead.engine.candidates import Candidates
from fairlead.engine.engine import Engine, Outcome
from fairlead.engine.shelf import Shelf
from fairlead.engine.treatments import PLAIN
from fairlead.results.score import PerQuery, Row, ScoreResult
from fairlead.results.search import Cost, Found, QueryAnswer, Supply, Variant
from fairlead.trigger.decision import Decision
from fairlead.types import Embeddings, Groups, Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array, locate

_NAN = float("nan")


def answers_of(
    engine: Engine, outcome: Outcome, *, k: int, offset: int = 0
) -> tuple[QueryAnswer, ...]:
    """The answer to each query, plain and mitigated.

    Args:
        engine: What was asked.
        outcome: What it gave.
        k: How many items of each list are shown.
        offset: How many items stand before them.
    """
    lists, shelf = outcome.lists, engine.shelf
    # Scores of a projected query cannot be compared; those lists are scored as they were asked.
    asked = {str(one): outcome.queries for one in engine.mitigations if one.projection is not None}
    costs = {
        name: costs_of(shelf, lists.shown[PLAIN], shown, asked.get(name))
        for name, shown in lists.shown.items()
        if name != PLAIN
    }
    # Labels that depend on the query belong to places in a list, not to items.
    labels = {
        name: one.groups
        for name, one in outcome.evidence[PLAIN].attributes.items()
        if not one.aligned
    }
    reach = _reach(engine, lists.evidence, lists.candidates, len(outcome.asked))
    left = set(lists.left.tolist())

    def variant(name: str, q: int) -> Variant:
        stays, notes = name != PLAIN and q in left, tuple[str, ...]()
        if q in left:
            # Also beside the plain list's numbers: what was asked for is not bias.
            notes = (f"left alone: {lists.decisions[q].reason}",)
        rows = _rows(outcome.scores, name, q, notes)
        items = _items(shelf, lists.shown[name], labels, q)[offset : offset + k]
        return Variant(name, items, rows, lists.ms[name], stays, costs.get(name, none)[q])

    none = [None] * len(outcome.asked)

    return tuple(
        QueryAnswer(
            name,
            tuple(variant(v, q) for v in lists.shown),
            lists.decisions[q],
            reach[q],
            outcome.asked.ids[q],
        )
        for q, name in enumerate(outcome.asked.names)
    )


def unlabelled(answer: QueryAnswer, line: str | None) -> QueryAnswer:
    """The answer to a query that is left out, by the line of the list that names it: every list as
    it was found, without labels and numbers. Without a line it stays as it is.
    """
    if line is None:
        return answer
    first = answer.variants[0]
    items = tuple(replace(item, groups={}) for item in first.items)
    variants = tuple(
        replace(v, items=items, metrics=(), left=v is not first, cost=None) for v in answer.variants
    )
    decision = Decision.by("listed", answer.query, answer.trigger.attribute, (line,))
    return QueryAnswer(answer.query, variants, decision, id=answer.id)


def costs_of(
    shelf: Shelf, plain: Ranking, mitigated: Ranking, queries: Embeddings | None = None
) -> list[Cost]:
    """What each mitigated list costs.

    Where other vectors found it, ``queries`` are those as asked, whose scores can be compared.
    """
    new = locate(plain.offsets, plain.rows, mitigated.offsets, mitigated.rows) < 0
    costs = []
    for q in range(len(mitigated)):
        start, stop = int(mitigated.offsets[q]), int(mitigated.offsets[q + 1])
        scores = mitigated.scores[start:stop]
        # ``scores`` need not keep the order of the list; mean and lowest do not ask for it.
        if queries is not None and stop > start:
            rows = mitigated.rows[start:stop]
            scores = shelf.index.scores(queries.take(np.array([q])), rows).scores
        mean, lowest = _NAN, _NAN
        if len(scores):
            mean, lowest = float(scores.mean(dtype=np.float64)), float(scores.min())
        costs.append(Cost(int(new[start:stop].sum()), mean, lowest))
    return costs


def label_of(groups: Groups, row: int) -> Any:
    """The group of an item by name; shares where labels are soft; None where unknown."""
    assert groups.not_applicable is not None
    if groups.not_applicable[row]:
        return "not-applicable"
    if groups.codes is not None:
        if groups.codes[row] < 0:
            return None
        return groups.names[groups.codes[row]]
    shares = zip(groups.names, groups.share[row], strict=True)
    return {name: float(share) for name, share in shares}


def _items(
    shelf: Shelf, ranking: Ranking, labels: Mapping[str, Groups], query: int
) -> tuple[Found, ...]:
    """Ids, captions and groups of a list: attached only now."""
    collection = shelf.collection
    start, stop = int(ranking.offsets[query]), int(ranking.offsets[query + 1])
    entries = zip(
        ranking.rows[start:stop].tolist(), ranking.scores[start:stop].tolist(), strict=True
    )
    return tuple(
        Found(
            collection.ids[row],
            score,
            rank,
            {name: label_of(groups, row) for name, groups in labels.items()},
            _at(collection.texts, row),
            _at(collection.images, row),
        )
        for rank, (row, score) in enumerate(entries, start=1)
    )


def _at(part: Sequence[str] | None, row: int) -> str | None:
    """What a part of a collection says of an item; None where the collection has no such part."""
    if part is None:
        return None
    return part[row]


def _rows(
    scores: ScoreResult | None, variant: str, query: int, notes: tuple[str, ...]
) -> tuple[Row, ...]:
    """The rows of one query: its own values, chance levels and p; one query has no interval."""
    if scores is None:
        return ()
    pairs = zip(scores.rows, scores.values, strict=True)
    return tuple(_row(row, values, query, notes) for row, values in pairs if row.variant == variant)


def _row(row: Row, values: PerQuery, query: int, notes: tuple[str, ...]) -> Row:
    def at(part: Array | None) -> float:
        if part is None:
            return _NAN
        return float(part[query])

    value, chance = at(values.value), at(values.null_mean)
    null = None
    if row.null is not None:
        null = {"kind": row.null["kind"], "mean": chance, "sd": at(values.null_sd)}
    return replace(
        row,
        mean=value,
        queries=1,
        undefined=int(np.isnan(value)),
        null=null,
        excess=value - chance,
        notes=notes,
        p=at(values.p),
        q=at(values.q),
        unknown_mass=at(values.unknown_mass),
        # Intervals are over queries, and this is one.
        ci=(_NAN, _NAN),
        excess_ci=(_NAN, _NAN),
        spread=_NAN,
        variant=None,
    )


def _reach(
    engine: Engine, evidence: Evidence | None, candidates: Candidates | None, count: int
) -> list[Supply | None]:
    """How near each list can come to its target."""
    if evidence is None or candidates is None:
        return [None] * count
    # Soft labels are summed: a candidate that is a woman by half fills half a place.
    labels = evidence.labels
    available = np.zeros((len(evidence), len(labels.names)))
    np.add.at(available, candidates.ranking.query_of, labels.share)
    return [
        Supply(
            engine.opened.labels.attribute,
            dict(zip(labels.names, available[q].tolist(), strict=True)),
            float(candidates.missing[q]),
            int(candidates.depth[q]),
            candidates.per_group,
            bool(candidates.exhausted[q]),
        )
        for q in range(len(evidence))
    ]
