"""Candidates: what treatments may choose from, fetched for each group so that nobody is missing.

Every road has them: a search and an audit fetch them from an index, a protocol may fix them, and a
recorded run brings its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairlead.engine.asked import Asked
from fairlead.engine.shelf import Shelf
from fairlead.types import Embeddings, Ranking
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array, offsets_of

DEPTH = 200
"""Candidates fetched of each group where nothing else is asked for; at least as many as shown."""
LIMIT = 10_000
"""The deepest fetch where a target is out of reach."""
_DEEPER = 4
"""How many times deeper the next fetch goes where a target is out of reach."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """What may be chosen from for each query.

    Attributes:
        ranking: The candidates, best first.
        depth: (queries,) how many were fetched of each group, or in all.
        missing: (queries,) share of a list that no candidate can fill as the target asks.
        exhausted: (queries,) whether there is nothing more to fetch.
        per_group: Whether the depth counts for each group.
        background: (queries,) mean score of the collection; None where it was not looked up.
    """

    ranking: Ranking
    depth: Array
    missing: Array
    exhausted: Array
    per_group: bool = False
    background: Array | None = None


def fetch(
    shelf: Shelf,
    vectors: Embeddings,
    asked: Asked,
    labelled: Labelled,
    *,
    by: str,
    k: int,
    depth: int,
    limit: int,
) -> Candidates:
    """The best ``depth`` of each group, and deeper ones where the target is out of reach.

    Args:
        shelf: What is searched; its index holds the labels under the name ``by``.
        vectors: Vectors of the queries.
        asked: The queries.
        labelled: The labels that mitigate, with their target.
        by: What the index calls these labels.
        k: How many items a list shows.
        depth: How deep to fetch at first.
        limit: How deep to go where the target is out of reach.
    """
    # Each query has a depth of its own: only those whose target is out of reach go deeper.
    deep = np.full(len(asked), max(depth, k))
    exhausted = deep >= len(shelf.collection)
    ranking = shelf.index.search(vectors, int(deep.max(initial=1)), by)
    while True:
        evidence = Evidence(ranking, asked.ids, {by: labelled}, pool=shelf.pool)
        missing = out_of_reach(evidence, k)
        # Where less than one item of a list lacks, no deeper fetch can mend it.
        again = np.flatnonzero((missing >= 1 / k) & (deep < limit) & ~exhausted)
        if not len(again):
            return Candidates(ranking, deep, missing, exhausted, per_group=True)
        deeper = min(limit, _DEEPER * int(deep[again].max()))
        more = shelf.index.search(vectors.take(again), deeper, by)
        # Nothing new from a deeper search means that there is no more, whatever the limit.
        exhausted[again] = (more.lengths <= ranking.lengths[again]) | (
            deeper >= len(shelf.collection)
        )
        ranking, deep[again] = ranking.replaced(again, more, np.arange(len(again))), deeper


def fetch_plain(shelf: Shelf, vectors: Embeddings, depth: int) -> Candidates:
    """The best ``depth`` of all items, whatever their group."""
    ranking = shelf.index.search(vectors, min(depth, max(len(shelf.collection), 1)))
    return given(ranking, depth, exhausted=depth >= len(shelf.collection))


def fixed(shelf: Shelf, vectors: Embeddings, asked: Asked) -> Candidates:
    """The rows that a protocol fixes for each query, by score."""
    candidates = asked.candidates
    assert candidates is not None
    parts = [
        shelf.index.scores(vectors.take(np.array([q])), candidates.of(q)) for q in range(len(asked))
    ]
    sizes = np.array([len(part.rows) for part in parts])
    rows, scores = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "scores")
    )
    return given(Ranking(offsets_of(sizes), rows, scores), int(sizes.max(initial=1)))


def given(ranking: Ranking, depth: int, *, exhausted: bool = True) -> Candidates:
    """Lists as they are, as candidates."""
    count = len(ranking)
    return Candidates(
        ranking, np.full(count, depth), np.zeros(count), np.full(count, exhausted, np.bool_)
    )


def with_background(candidates: Candidates, shelf: Shelf, vectors: Embeddings) -> Candidates:
    """The candidates with what a score is worth in this collection."""
    return replace(candidates, background=shelf.background(vectors))


def out_of_reach(evidence: Evidence, k: int) -> Array:
    """(queries,) share of a list of ``k`` that no candidate can fill as the target asks: sum over
    groups of max(0, t - available / k).
    """
    target = evidence.attribute.target
    lacking = target.rows(np.arange(len(evidence))) - evidence.supply / k
    return np.nan_to_num(np.maximum(lacking, 0.0)).sum(1)
