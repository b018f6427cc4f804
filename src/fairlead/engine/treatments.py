"""Treatments: one way to make mitigated lists, whatever road the candidates came by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.engine.ask_trigger import left_alone
from fairlead.engine.candidates import Candidates
from fairlead.engine.cut_short import ordered
from fairlead.protocols import Reranker
from fairlead.protocols.reranker import CutShort
from fairlead.statistics.targets import UnknownPolicy, with_unknown
from fairlead.trigger.decision import Decision
from fairlead.types import Embeddings, Ranking, Sets
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array, locate, offsets_of

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


def variants_of(plain: Evidence, lists: Mapping[str, Ranking]) -> dict[str, Evidence]:
    """The lists of every variant as metrics see them; the plain ones are seen already."""
    variants = {}
    for name, ranking in lists.items():
        variants[name] = plain
        if ranking is not plain.ranking:
            variants[name] = plain.with_ranking(ranking)
    return variants


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
) -> tuple[Ranking, tuple[CutShort, ...]]:
    """The lists that are shown: as the reranker orders them, and plain where a decision says so;
    and which of them were cut at a time limit.
    """
    left = left_alone(decisions)
    # A reranker may take long: where all lists stay it is not asked.
    if len(left) == len(decisions):
        return plain.head(k), ()
    ranking, cuts = evidence.ranking.head(k), tuple[CutShort, ...]()
    if reranker is not None:
        ranking, cuts = ordered(reranker, evidence, k, seed)
    plain_ones = set(left.tolist())
    cuts = tuple(cut for cut in cuts if cut.query not in plain_ones)
    return with_plain(ranking, plain.head(k), left), cuts


def with_plain(ranking: Ranking, plain: Ranking, left: Array) -> Ranking:
    """Lists with the plain ones in place of those of the queries that are ``left`` alone."""
    if not len(left):
        return ranking
    return ranking.replaced(left, plain, left)


def completed(plain: Ranking, shown: Ranking) -> Ranking:
    """The shown items first, then what the plain list has besides, as long as the plain list.

    Shown items may come from deeper than the plain list reaches.
    """
    used = np.zeros(len(plain.rows), np.bool_)
    entries = locate(plain.offsets, plain.rows, shown.offsets, shown.rows)
    used[entries[entries >= 0]] = True
    rest = np.flatnonzero(~used)
    owner = np.concatenate([shown.query_of, plain.query_of[rest]])
    # Stable: of each query what is shown stays before the rest, and both keep their order.
    order = np.argsort(owner, kind="stable")
    rows, scores = (
        np.concatenate([shown_part, plain_part[rest]])[order]
        for shown_part, plain_part in ((shown.rows, plain.rows), (shown.scores, plain.scores))
    )
    sizes = np.bincount(owner, minlength=len(plain))
    whole = Ranking(offsets_of(sizes), rows, scores)
    # As many as the plain list has: metrics that look at all entries compare lists of one length.
    kept = np.flatnonzero(whole.ranks <= plain.lengths[whole.query_of])
    return whole.take(kept, np.minimum(sizes, plain.lengths))
