"""Audit a model on a study: encode, rank, mitigate, measure. Who mitigates is not who measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.engine.vectors import Vectors, of_side
from fairlead.errors import DataError
from fairlead.measuring.score import DEFAULTS, Settings, score_variants
from fairlead.measuring.study import evidence_of
from fairlead.protocols import Encoder, Index, Progress, Reranker
from fairlead.results.audit import Audit
from fairlead.types import Embeddings, Ranking, Study
from fairlead.types.evidence import Labelled
from fairlead.types.ragged import Array, locate, offsets_of


@dataclass(frozen=True, eq=False)
class Variant:
    """A mitigated variant.

    Attributes:
        name: What it is called.
        ranking: What it starts from: the plain ranking, or that of projected vectors.
        reranker: Reorders it; None where it stays.
        mitigate: Attribute, labels and target that the reranker sees.
    """

    name: str
    ranking: Ranking
    reranker: Reranker | None = None
    mitigate: tuple[str, Labelled] | None = None


def encode(
    study: Study, encoder: Encoder, progress: Progress | None = None
) -> tuple[Embeddings, Embeddings]:
    """Vectors of the queries and of the items."""
    return encode_queries(study, encoder, progress), encode_items(study, encoder, progress)


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


def audit(
    study: Study,
    ranking: Ranking,
    metrics: Sequence[Any],
    *,
    variants: Sequence[Variant] = (),
    settings: Settings = DEFAULTS,
    progress: Progress | None = None,
) -> Audit:
    """Measure a ranking plain and mitigated.

    Args:
        study: The benchmark's question.
        ranking: The plain ranking of the model.
        metrics: What to measure.
        variants: Mitigations to try; metrics see the study's own labels, rerankers those of their
            variant.
        settings: How to measure.
        progress: Told what is measured.
    """
    evidence = evidence_of(study, ranking, study.collection.groups, study.roles)
    rankings = {
        "plain": ranking,
        **{variant.name: _mitigated(study, variant, settings.seed) for variant in variants},
    }
    measured = {name: evidence.with_ranking(r) for name, r in rankings.items()}
    return Audit(
        score_variants(measured, metrics, settings=settings, progress=progress), rankings, study
    )


def _mitigated(study: Study, variant: Variant, seed: int) -> Ranking:
    if variant.reranker is None:
        return variant.ranking
    assert variant.mitigate is not None
    seen = replace(evidence_of(study, variant.ranking, {}), attributes=dict([variant.mitigate]))
    return completed(variant.ranking, variant.reranker(seen, study.k, seed))


def completed(plain: Ranking, shown: Ranking) -> Ranking:
    """The shown items first, then the rest of the plain list in its order: a list as long as the
    plain one.
    """
    used = np.zeros(len(plain.rows), np.bool_)
    entries = locate(plain.offsets, plain.rows, shown.offsets, shown.rows)
    used[entries] = True
    rest = np.flatnonzero(~used)
    order = np.concatenate([entries, rest])
    owner = np.concatenate([shown.query_of, plain.query_of[rest]])
    return plain.take(order[np.argsort(owner, kind="stable")], plain.lengths)


def head(ranking: Ranking, query: int, k: int) -> Array:
    """The item rows of the first ``k`` of a query."""
    start = int(ranking.offsets[query])
    return ranking.rows[start : min(start + k, int(ranking.offsets[query + 1]))]
