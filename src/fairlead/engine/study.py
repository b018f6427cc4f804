"""A study's queries and items as vectors, and the plain ranking of one by the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fairlead.protocols import Encoder, Index, Progress, Role
from fairlead.types import Embeddings, Ranking, Study
from fairlead.types.ragged import Array, offsets_of


def encode(
    study: Study, encoder: Encoder, progress: Progress | None = None, batch: int = 512
) -> tuple[Embeddings, Embeddings]:
    """Vectors of the queries and of the items."""
    return encode_queries(study, encoder, progress, batch), encode_items(
        study, encoder, progress, batch
    )


def encode_queries(
    study: Study, encoder: Encoder, progress: Progress | None = None, batch: int = 512
) -> Embeddings:
    """Vectors of the queries."""
    if study.modality == "text-to-image":
        return _vectors(encoder.texts, study.queries.texts or (), "query", progress, batch)
    return _vectors(encoder.images, study.queries.images or (), "query", progress, batch)


def encode_items(
    study: Study, encoder: Encoder, progress: Progress | None = None, batch: int = 512
) -> Embeddings:
    """Vectors of the items."""
    if study.modality == "text-to-image":
        return _vectors(encoder.images, study.collection.images or (), "item", progress, batch)
    return _vectors(encoder.texts, study.collection.texts or (), "item", progress, batch)


def _vectors(
    encoded: Callable[[Sequence[str], Role], Embeddings],
    things: Sequence[str],
    role: Role,
    progress: Progress | None,
    batch: int,
) -> Embeddings:
    parts = []
    for start in range(0, len(things), batch):
        if progress is not None:
            progress(
                "encoding queries" if role == "query" else "encoding items", start, len(things)
            )
        parts.append(encoded(things[start : start + batch], role))
    sizes = [np.diff(part.offsets) for part in parts if part.offsets is not None]
    return Embeddings(
        np.concatenate([part.vectors for part in parts]),
        offsets_of(np.concatenate(sizes)) if sizes else None,
    )


def rank(study: Study, encoder: Encoder, index: Index, progress: Progress | None = None) -> Ranking:
    """The plain ranking of every query over the whole collection, or over the candidates the
    protocol fixes.
    """
    queries, items = encode(study, encoder, progress)
    index.add(items)
    return searched(study, queries, index)


def searched(study: Study, queries: Embeddings, index: Index) -> Ranking:
    """The ranking of queries over an index that holds the items of the study."""
    candidates = study.queries.candidates
    if candidates is None:
        return index.search(queries, len(study.collection))
    parts = [
        index.scores(queries.take(np.array([q])), candidates.of(q))
        for q in range(len(study.queries))
    ]
    sizes = np.array([len(p.rows) for p in parts])
    return Ranking(
        offsets_of(sizes),
        np.concatenate([p.rows for p in parts]),
        np.concatenate([p.scores for p in parts]),
    )


def head(ranking: Ranking, query: int, k: int) -> Array:
    """The item rows of the first ``k`` of a query."""
    start = int(ranking.offsets[query])
    return ranking.rows[start : min(start + k, int(ranking.offsets[query + 1]))]
