"""Search: one call of the index whatever the number of variants; candidates are fetched per group,
so that nobody is missing from them.

Who mitigates is not who measures: rerankers see ``Shelf.mitigate``, metrics ``Shelf.measure``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairlead.measuring.score import Nulls, Settings, score
from fairlead.protocols import Index, Reranker
from fairlead.results.score import PerQuery, Row
from fairlead.results.search import Answer, Cost, Found, Reach, Variant
from fairlead.trigger.decision import Decision
from fairlead.trigger.reach import within_reach
from fairlead.types import Collection, Embeddings, Groups, Ranking, Sets
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array, locate

PLAIN = "plain"
_DEEPER = 4
"""How many times deeper the next fetch goes where a target is out of reach."""
_SAMPLE = 128
"""Items whose scores tell the collection's average."""
_NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Shelf:
    """What is searched.

    Attributes:
        collection: The items.
        index: Their vectors, with the labels of ``mitigate`` where there are any.
        measure: The labels and targets that metrics see.
        mitigate: The attribute that is mitigated, with the labels and the target that rerankers
            see.
        nulls: Chance levels so far: they depend on the shelf alone, so the next search need not
            draw them again.
    """

    collection: Collection
    index: Index
    measure: Mapping[str, Labelled]
    mitigate: tuple[str, Labelled] | None = None
    nulls: Nulls = field(default_factory=dict)

    @cached_property
    def pool(self) -> Sets:
        """All rows: what chance draws from."""
        return Sets(np.array([0, len(self.collection)]), np.arange(len(self.collection)))


@dataclass(frozen=True)
class Ask:
    """How much is asked.

    Attributes:
        k: Items shown.
        depth: Candidates fetched at first, of each group where there are labels to mitigate with.
        limit: The deepest fetch where a target is out of reach.
        seed: Seed of every random choice.
        decisions: What may become of each query's list; where none are given, the trigger is off.
    """

    k: int
    depth: int
    limit: int
    seed: int = 0
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, eq=False)
class Treatment:
    """A mitigation.

    Attributes:
        reranker: Reorders the candidates; None where they stay as found.
        queries: Projected vectors of the queries, which look for candidates of their own in the
            same index.
        called: Its name; that of the reranker by default.
    """

    reranker: Reranker | None = None
    queries: Embeddings | None = None
    called: str = ""

    @property
    def name(self) -> str:
        """What the variant is called."""
        return self.called or str(self.reranker)


@dataclass(frozen=True, eq=False)
class _Fetched:
    """Candidates, how deep each query went, and what its list still lacks."""

    ranking: Ranking
    depth: Array
    missing: Array
    exhausted: Array


def search(
    shelf: Shelf,
    queries: Embeddings,
    names: Sequence[str],
    ask: Ask,
    *,
    treatments: Sequence[Treatment] = (),
    metrics: Sequence[Any] = (),
) -> tuple[Answer, ...]:
    """Answer queries, plain and mitigated.

    Args:
        shelf: What is searched.
        queries: Vectors of the queries.
        names: What the queries are called; the names of random streams.
        ask: How much is asked.
        treatments: Mitigations, each a variant.
        metrics: What is measured on every variant.
    """
    clock = _Clock(len(names))
    ids = _distinct(names)
    reordered = any(t.reranker is not None for t in treatments)
    fetched = fetch(shelf, queries, ids, ask, per_group=reordered)
    clock.lap("search")
    rankings, times = {PLAIN: fetched.ranking.head(ask.k)}, {PLAIN: {"search": clock.ms["search"]}}
    reach = _reach(shelf, fetched, ids, per_group=True) if reordered else [None] * len(names)
    decisions = _decided(shelf, names, ask, reach)
    left = np.flatnonzero([d.decision == "leave" for d in decisions])
    looked = clock.ms["search"]
    clock.lap("decide")
    for one in treatments:
        found = (
            fetched
            if one.queries is None
            else fetch(shelf, one.queries, ids, ask, per_group=one.reranker is not None)
        )
        times[one.name] = {"search": looked if one.queries is None else clock.lap("search")}
        mitigated = _reordered(
            shelf,
            found.ranking,
            ids,
            ask,
            one.reranker,
            queries if one.queries is None else one.queries,
        )
        rankings[one.name] = (
            mitigated.replaced(left, rankings[PLAIN], left) if len(left) else mitigated
        )
        times[one.name] |= {} if one.reranker is None else {"rerank": clock.lap("rerank")}
    costs = {
        one.name: costs_of(
            shelf, rankings[PLAIN], rankings[one.name], None if one.queries is None else queries
        )
        for one in treatments
    }
    clock.lap("cost")
    measured = {}
    for name, ranking in rankings.items():
        measured[name] = _measure(shelf, ranking, ids, metrics, ask.seed)
        times[name]["measure"] = clock.lap("measure")

    def variant(name: str, q: int) -> Variant:
        notes = (f"left alone: {decisions[q].reason}",) if q in left else ()
        rows, cost = (
            tuple(_row(m, q, notes) for m in measured[name]),
            costs[name][q] if name in costs else None,
        )
        return Variant(
            name,
            _items(shelf, rankings[name], q),
            rows,
            times[name],
            name != PLAIN and q in left,
            cost,
        )

    return tuple(
        Answer(name, tuple(variant(v, q) for v in rankings), decided, to)
        for q, (name, decided, to) in enumerate(zip(names, decisions, reach, strict=True))
    )


def costs_of(
    shelf: Shelf, plain: Ranking, mitigated: Ranking, queries: Embeddings | None = None
) -> list[Cost]:
    """What each mitigated list costs. Where other vectors found it, ``queries`` are those as asked,
    whose scores can be compared.
    """
    costs, new = [], locate(plain.offsets, plain.rows, mitigated.offsets, mitigated.rows) < 0
    for q, (start, stop) in enumerate(
        zip(mitigated.offsets[:-1].tolist(), mitigated.offsets[1:].tolist(), strict=True)
    ):
        scores = mitigated.scores[start:stop]
        if queries is not None and stop > start:
            scores = shelf.index.scores(
                queries.take(np.array([q])), mitigated.rows[start:stop]
            ).scores
        mean, lowest = (
            (float(scores.mean(dtype=np.float64)), float(scores.min()))
            if len(scores)
            else (_NAN, _NAN)
        )
        costs.append(Cost(int(new[start:stop].sum()), mean, lowest))
    return costs


def unlabelled(answer: Answer, line: str) -> Answer:
    """The answer to a query that is left out, by the line of the list that names it: every list as
    found, no labels, no numbers.
    """
    first = answer.variants[0]
    items = tuple(replace(item, groups={}) for item in first.items)
    variants = tuple(
        replace(v, items=items, metrics=(), left=v is not first, cost=None) for v in answer.variants
    )
    return Answer(
        answer.query,
        variants,
        Decision.by("listed", answer.query, answer.trigger.attribute, (line,)),
    )


def _reordered(
    shelf: Shelf,
    ranking: Ranking,
    ids: tuple[str, ...],
    ask: Ask,
    reranker: Reranker | None,
    queries: Embeddings,
) -> Ranking:
    """The list that is shown: the first of the candidates, or as a reranker orders them."""
    if reranker is None:
        return ranking.head(ask.k)
    evidence = _evidence(shelf, ranking, ids, dict([_mitigated(shelf)]))
    if getattr(reranker, "reads_background", False):
        evidence = replace(evidence, background=_background(shelf, queries))
    return reranker(evidence, ask.k, ask.seed)


def _background(shelf: Shelf, queries: Embeddings) -> Array:
    """(queries,) mean score of the collection, over items spread evenly over it."""
    rows = np.unique(np.linspace(0, len(shelf.collection) - 1, _SAMPLE).astype(np.intp))
    return (
        shelf.index.scores(queries, rows)
        .scores.reshape(len(queries), len(rows))
        .mean(1, dtype=np.float64)
    )


def _decided(
    shelf: Shelf, names: Sequence[str], ask: Ask, reach: Sequence[Reach | None]
) -> Sequence[Decision]:
    """The decisions, held against the candidates of each group where lists are mitigated."""
    if not ask.decisions:
        attribute = (
            shelf.mitigate[0] if shelf.mitigate is not None else next(iter(shelf.measure), "")
        )
        return [Decision.by("off", name, attribute) for name in names]
    available = [to.available for to in reach if to is not None]
    if len(available) < len(names):
        return ask.decisions
    labelled = _mitigated(shelf)[1]
    target = np.nan_to_num(labelled.target.rows(np.arange(len(names)))) * ask.k
    places = [dict(zip(labelled.groups.names, row.tolist(), strict=True)) for row in target]
    return within_reach(ask.decisions, available, places)


def fetch(
    shelf: Shelf, queries: Embeddings, ids: tuple[str, ...], ask: Ask, *, per_group: bool
) -> _Fetched:
    """The candidates of every query; where a target is out of reach, deeper ones, up to the limit."""
    depth = np.full(len(ids), max(ask.depth, ask.k))
    exhausted = depth >= len(shelf.collection)
    if not per_group:
        ranking = shelf.index.search(queries, int(depth.max(initial=1)))
        return _Fetched(ranking, depth, np.zeros(len(ids)), exhausted)
    attribute, labelled = _mitigated(shelf)
    ranking = shelf.index.search(queries, int(depth.max(initial=1)), attribute)
    while True:
        missing = out_of_reach(_evidence(shelf, ranking, ids, {attribute: labelled}), ask.k)
        again = np.flatnonzero((missing >= 1 / ask.k) & (depth < ask.limit) & ~exhausted)
        if not len(again):
            return _Fetched(ranking, depth, missing, exhausted)
        deeper = min(ask.limit, _DEEPER * int(depth[again].max()))
        more = shelf.index.search(queries.take(again), deeper, attribute)
        exhausted[again] = (more.lengths <= ranking.lengths[again]) | (
            deeper >= len(shelf.collection)
        )
        ranking, depth[again] = ranking.replaced(again, more, np.arange(len(again))), deeper


def out_of_reach(evidence: Evidence, k: int) -> Array:
    """(queries,) share of a list of ``k`` that no candidate can fill as the target asks: sum over
    groups of max(0, t - available / k).
    """
    labels, target = evidence.labels, evidence.attribute.target
    available = np.zeros((len(evidence), len(labels.names)))
    np.add.at(available, evidence.ranking.query_of, labels.share)
    lacking = target.rows(np.arange(len(evidence))) - available / k
    return np.nan_to_num(np.maximum(lacking, 0.0)).sum(1)


def for_retrieval(groups: Groups) -> Groups:
    """Labels as an index needs them: one group an item, and what the attribute does not apply to
    fetched beside the unknown.
    """
    absent = groups.not_applicable
    assert absent is not None
    if groups.codes is not None:
        codes = np.where(absent, -1, groups.codes)
    else:
        share = np.column_stack([groups.share, groups.unknown])
        best = share.argmax(1)
        codes = np.where(absent | (best == len(groups.names)), -1, best)
    return replace(groups, codes=codes, soft=None, not_applicable=None)


def recall(found: Ranking, true: Ranking, groups: Groups | None = None, group: int = 0) -> float:
    """The share of the true entries, of one group where groups are given, that were found for the
    same query; NaN without any.
    """
    place = locate(found.offsets, found.rows, true.offsets, true.rows)
    if groups is not None:
        assert groups.codes is not None
        place = place[groups.codes[true.rows] == group]
    return float((place >= 0).mean()) if len(place) else _NAN


def _mitigated(shelf: Shelf) -> tuple[str, Labelled]:
    assert shelf.mitigate is not None
    return shelf.mitigate


def _evidence(
    shelf: Shelf, ranking: Ranking, ids: tuple[str, ...], attributes: Mapping[str, Labelled]
) -> Evidence:
    return Evidence(ranking, ids, attributes, pool=shelf.pool)


def _measure(
    shelf: Shelf, ranking: Ranking, ids: tuple[str, ...], metrics: Sequence[Any], seed: int
) -> list[tuple[Row, PerQuery]]:
    """Each metric on each attribute; chance is a draw from the whole collection."""
    if not metrics or not shelf.measure:
        return []
    found = score(
        _evidence(shelf, ranking, ids, shelf.measure),
        metrics,
        settings=Settings(null="gallery", seed=seed),
        nulls=shelf.nulls,
    )
    return list(zip(found.rows, found.values, strict=True))


def _row(measured: tuple[Row, PerQuery], query: int, notes: tuple[str, ...]) -> Row:
    """The row of one query: its own value, chance level and p; one query has no interval."""
    row, values = measured

    def at(part: Array | None) -> float:
        return _NAN if part is None else float(part[query])

    value, chance = at(values.value), at(values.null_mean)
    null = (
        None
        if row.null is None
        else {"kind": row.null["kind"], "mean": chance, "sd": at(values.null_sd)}
    )
    own: dict[str, Any] = {
        "mean": value,
        "queries": 1,
        "undefined": int(np.isnan(value)),
        "null": null,
        "excess": value - chance,
        "notes": notes,
    }
    chances: dict[str, Any] = {
        "p": at(values.p),
        "q": at(values.q),
        "unknown_mass": at(values.unknown_mass),
    }
    return replace(row, **own, **chances, ci=(_NAN, _NAN), excess_ci=(_NAN, _NAN), spread=_NAN)


def _items(shelf: Shelf, ranking: Ranking, query: int) -> tuple[Found, ...]:
    """Ids, captions and groups of a list: attached only now."""
    collection = shelf.collection
    start, stop = int(ranking.offsets[query]), int(ranking.offsets[query + 1])
    rows, scores = ranking.rows[start:stop].tolist(), ranking.scores[start:stop].tolist()
    return tuple(
        Found(
            collection.ids[row],
            value,
            rank,
            {name: label_of(labelled.groups, row) for name, labelled in shelf.measure.items()},
            None if collection.texts is None else collection.texts[row],
            None if collection.images is None else collection.images[row],
        )
        for rank, (row, value) in enumerate(zip(rows, scores, strict=True), start=1)
    )


def label_of(groups: Groups, row: int) -> Any:
    """The group of an item by name; shares where labels are soft; None where unknown."""
    assert groups.not_applicable is not None
    if groups.not_applicable[row]:
        return "not-applicable"
    if groups.codes is not None:
        return groups.names[groups.codes[row]] if groups.codes[row] >= 0 else None
    return {name: float(share) for name, share in zip(groups.names, groups.share[row], strict=True)}


def _reach(
    shelf: Shelf, fetched: _Fetched, ids: tuple[str, ...], *, per_group: bool
) -> list[Reach | None]:
    attribute, labelled = _mitigated(shelf)
    evidence = _evidence(shelf, fetched.ranking, ids, {attribute: labelled})
    labels, names = evidence.labels, labelled.groups.names
    available = np.zeros((len(ids), len(names)))
    np.add.at(available, fetched.ranking.query_of, labels.share)
    return [
        Reach(
            attribute,
            dict(zip(names, available[q].tolist(), strict=True)),
            float(fetched.missing[q]),
            int(fetched.depth[q]),
            per_group,
            bool(fetched.exhausted[q]),
        )
        for q in range(len(ids))
    ]


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Query ids: the names, numbered where one is asked twice."""
    seen: dict[str, int] = {}
    ids = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        ids.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(ids)


class _Clock:
    """Milliseconds a query between laps."""

    def __init__(self, queries: int) -> None:
        self.queries, self.last, self.ms = max(queries, 1), time.perf_counter(), dict[str, float]()

    def lap(self, name: str) -> float:
        now = time.perf_counter()
        self.ms[name] = 1e3 * (now - self.last) / self.queries
        self.last = now
        return self.ms[name]
