"""Audit a model on a study: encode, rank, mitigate, measure. Who mitigates is not who measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead import targets
from fairlead.evidence import Evidence, Labelled
from fairlead.protocols import Encoder, Index, Progress, Reranker
from fairlead.ragged import Array, locate
from fairlead.report.results import ScoreResult
from fairlead.tasks.score import DEFAULTS, Settings, score_variants
from fairlead.types import Embeddings, Groups, Ranking, Sets, Study


@dataclass(frozen=True, eq=False)
class Audit:
    """An audit's answer: what was measured, and the rankings it was measured on."""

    result: ScoreResult
    rankings: Mapping[str, Ranking]
    study: Study


def encode(study: Study, encoder: Encoder, progress: Progress | None = None, batch: int = 512) -> tuple[Embeddings, Embeddings]:
    """Vectors of the queries and of the items."""
    texts_first = study.modality == "text-to-image"
    sources = (study.queries.texts, study.collection.images) if texts_first else (study.queries.images, study.collection.texts)
    asked, searched = (tuple(s or ()) for s in sources)
    queries = encoder.texts(asked, "query") if texts_first else encoder.images(asked, "query")
    parts = []
    for start in range(0, len(searched), batch):
        if progress is not None:
            progress("encoding", start, len(searched))
        some = searched[start : start + batch]
        parts.append((encoder.images(some, "item") if texts_first else encoder.texts(some, "item")).vectors)
    return queries, Embeddings(np.concatenate(parts))


def rank(study: Study, encoder: Encoder, index: Index, progress: Progress | None = None) -> Ranking:
    """The plain ranking of every query over the whole collection, or over the candidates the protocol fixes."""
    queries, items = encode(study, encoder, progress)
    index.add(items)
    candidates = study.queries.candidates
    if candidates is None:
        return index.search(queries, len(study.collection))
    parts = [index.scores(Embeddings(queries.vectors[q : q + 1]), candidates.of(q)) for q in range(len(study.queries))]
    sizes = np.array([len(p.rows) for p in parts])
    return Ranking(
        np.concatenate([[0], np.cumsum(sizes)]), np.concatenate([p.rows for p in parts]), np.concatenate([p.scores for p in parts])
    )


def evidence_of(study: Study, ranking: Ranking, groups: Mapping[str, Groups]) -> Evidence:
    """The ranking with labels, target, judgements, pool and matched sets."""
    queries, size = study.queries, len(study.collection)
    pool = queries.candidates or Sets(np.array([0, size]), np.arange(size))
    attributes = {name: Labelled(g, targets.uniform(g)) for name, g in groups.items()}
    return Evidence(ranking, queries.ids, attributes, queries.relevant, pool, study.blocks)


def audit(
    study: Study,
    ranking: Ranking,
    metrics: Sequence[Any],
    *,
    rerankers: Sequence[Reranker] = (),
    mitigate: tuple[str, Groups] | None = None,
    settings: Settings = DEFAULTS,
    progress: Progress | None = None,
) -> Audit:
    """Measure a ranking plain and mitigated.

    Args:
        study: The benchmark's question.
        ranking: The plain ranking of the model.
        metrics: What to measure.
        rerankers: Mitigations to try.
        mitigate: Attribute and labels that the rerankers see; metrics see the study's own labels.
        settings: How to measure.
        progress: Told what is measured.
    """
    evidence = evidence_of(study, ranking, study.collection.groups)
    rankings = {"plain": ranking}
    for reranker in rerankers:
        assert mitigate is not None
        name, groups = mitigate
        seen = evidence_of(study, ranking, {name: groups})
        rankings[str(reranker)] = completed(ranking, reranker(seen, study.k, settings.seed))
    variants = {name: evidence.with_ranking(r) for name, r in rankings.items()}
    return Audit(score_variants(variants, metrics, settings=settings, progress=progress), rankings, study)


def completed(plain: Ranking, shown: Ranking) -> Ranking:
    """The shown items first, then the rest of the plain list in its order: a list as long as the plain one."""
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
