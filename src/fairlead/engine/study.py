"""A study's queries and items as vectors, and the plain ranking of one by the other."""

from __future__ import annotations

import numpy as np

from fairlead.engine.vectors import Vectors, of_side
from fairlead.errors import DataError
from fairlead.protocols import Encoder, Index, Progress
from fairlead.types import Embeddings, Ranking, Study
from fairlead.types.ragged import Array, offsets_of


def encode_queries(study: Study, encoder: Encoder, progress: Progress | None = None) -> Embeddings:
    """Vectors of the queries."""
    return _whole(study, of_side(study, encoder, "query", progress))


def encode_items(study: Study, encoder: Encoder, progress: Progress | None = None) -> Embeddings:
    """Vectors of the items."""
    return _whole(study, of_side(study, encoder, "item", progress))


def _whole(study: Study, made: Vectors) -> Embeddings:
    """Vectors of all things asked for; ``vectors.of_study`` says what is there where some lack."""
    if made.skipped:
        reasons = ", ".join(sorted(set(made.skipped.values())))
        raise DataError(
            f"{len(made.skipped):,} of {made.things:,} pictures of {study.name} cannot be used: "
            f"{reasons}.",
            "Leave them out with --leave-out, or mend their files.",
        )
    return made.embeddings


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
