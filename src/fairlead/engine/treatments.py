"""Treatments: one way to make mitigated lists, whatever road the candidates came by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.engine.candidates import Candidates
from fairlead.engine.decisions import left_alone
from fairlead.protocols import Reranker
from fairlead.statistics.targets import UnknownPolicy, with_unknown
from fairlead.trigger.decision import Decision
from fairlead.types import Embeddings, Ranking, Sets
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import locate, offsets_of

PLAIN = "plain"


@dataclass(frozen=True, eq=False)
class Treatment:
    """A mitigation, ready to be applied.

    Attributes:
        name: What the variant is called.
        reranker: Reorders the candidates; None where they stay as they were found.
        vectors: Projected vectors of the queries, which look for candidates of their own; None
            where the queries are asked as they are.
        labels: Which of the engine's mitigating labels the reranker sees.
    """

    name: str
    reranker: Reranker | None = None
    vectors: Embeddings | None = None
    labels: str = ""


def evidence_of(
    candidates: Candidates,
    queries: tuple[str, ...],
    attribute: str,
    labelled: Labelled,
    pool: Sets | None,
    unknown: UnknownPolicy,
) -> Evidence:
    """All that a reranker may know: candidates, labels under the policy for unknown ones, target,
    pool, and what a score is worth in the collection.
    """
    evidence = Evidence(
        candidates.ranking,
        queries,
        {attribute: labelled},
        pool=pool,
        background=candidates.background,
    )
    return with_unknown(evidence, unknown)


def treated(
    evidence: Evidence,
    reranker: Reranker | None,
    plain: Ranking,
    decisions: Sequence[Decision],
    *,
    k: int,
    seed: int,
) -> Ranking:
    """The lists that are shown: as the reranker orders them, and plain where a decision says so."""
    left = left_alone(decisions)
    if len(left) == len(decisions):
        return plain.head(k)
    ranking = evidence.ranking.head(k) if reranker is None else reranker(evidence, k, seed)
    return ranking.replaced(left, plain.head(k), left) if len(left) else ranking


def completed(plain: Ranking, shown: Ranking) -> Ranking:
    """The shown items first, then what the plain list has besides, as long as the plain list.

    Shown items may come from deeper than the plain list reaches.
    """
    used = np.zeros(len(plain.rows), np.bool_)
    entries = locate(plain.offsets, plain.rows, shown.offsets, shown.rows)
    used[entries[entries >= 0]] = True
    rest = np.flatnonzero(~used)
    owner = np.concatenate([shown.query_of, plain.query_of[rest]])
    order = np.argsort(owner, kind="stable")
    rows, scores = (
        np.concatenate([shown_part, plain_part[rest]])[order]
        for shown_part, plain_part in ((shown.rows, plain.rows), (shown.scores, plain.scores))
    )
    sizes = np.bincount(owner, minlength=len(plain))
    whole = Ranking(offsets_of(sizes), rows, scores)
    kept = np.flatnonzero(whole.ranks <= plain.lengths[whole.query_of])
    return whole.take(kept, np.minimum(sizes, plain.lengths))
