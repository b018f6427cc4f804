"""Mitigate evidence: a new order, and what it could not do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairlead.protocols import Reranker
from fairlead.rerankers.bounds import violations
from fairlead.results.rerank import RerankResult
from fairlead.trigger.decision import Decision
from fairlead.trigger.reach import within_reach
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array
from fairlead.words.counts import agreeing, part_of

_BOUND = "floor(n t)"
"""What some rerankers promise of every prefix; that others fall below it is no fault of theirs."""


def rerank(
    evidence: Evidence, reranker: Reranker, k: int, seed: int, *, decisions: Sequence[Decision] = ()
) -> RerankResult:
    """Rerank every query that no decision leaves as it is, and report what the new order promises
    and breaks.
    """
    ranking = reranker(evidence, k, seed)
    left = np.array(
        [one.decision == "leave" for one in decisions] or [False] * len(evidence), np.bool_
    )
    if left.any():
        ranking = ranking.replaced(
            np.flatnonzero(left), evidence.ranking.head(k), np.flatnonzero(left)
        )
    notes = _notes(evidence.select(np.flatnonzero(~left)) if left.any() else evidence, reranker, k)
    after = evidence.with_ranking(ranking)
    broken = sum(
        1
        for prefixes, kept in zip(violations(after), left, strict=True)
        if len(prefixes) and not kept
    )
    if broken and _BOUND in getattr(reranker, "promise", ""):
        notes.append(
            f"{part_of(broken, len(evidence), 'query')} {agreeing(broken, 'has', 'have')} a "
            f"prefix below {_BOUND}: supply ran out, "
            f"or {reranker} does not bound it."
        )
    moved = _moved(evidence.ranking, ranking, k)
    return RerankResult(
        ranking,
        evidence.queries,
        str(reranker),
        moved,
        broken,
        tuple(notes),
        decisions=tuple(decisions),
    )


def within(decisions: Sequence[Decision], evidence: Evidence, k: int) -> tuple[Decision, ...]:
    """The decisions, held against the candidates of each group; those for want of words stay, for
    they say nothing.
    """
    available, wanted = _supply(evidence, k)
    names = evidence.labels.names
    have, places = (
        [dict(zip(names, row.tolist(), strict=True)) for row in table]
        for table in (available, wanted)
    )
    held = within_reach(decisions, have, places)
    return tuple(
        one if one.rule == "no-words" else new for one, new in zip(decisions, held, strict=True)
    )


def _notes(evidence: Evidence, reranker: Reranker, k: int) -> list[str]:
    """What can be said of what is mitigated before the new order is known."""
    notes = list[str]()
    if len(evidence.attribute.groups.names) == 1:
        notes.append(
            f"'{evidence.attribute.groups.attribute}' has one group only: there is "
            "nothing to balance."
        )
    return notes + (out_of_reach(evidence, k) if getattr(reranker, "uses_target", False) else [])


def out_of_reach(evidence: Evidence, k: int) -> list[str]:
    """A note where candidates cannot fill the places the target asks for, to a whole item: in how
    many queries, and how far at best.
    """
    lengths, names = evidence.ranking.lengths, evidence.labels.names
    available, wanted = _supply(evidence, k)
    lacking = np.maximum(wanted - available, 0.0)
    out = np.flatnonzero(lacking.max(1) >= 1 - 1e-9)
    if not len(out):
        return []
    worst = int(out[lacking[out].sum(1).argmax()])
    group, met = (
        int(lacking[worst].argmax()),
        1 - lacking[worst].sum() / min(int(lengths[worst]), k),
    )
    return [
        f"In {part_of(len(out), len(evidence), 'query')} the candidates cannot meet the "
        f"target at k = {k}. Furthest off is "
        f"'{evidence.queries[worst]}': it has {available[worst, group]:.3g} of the "
        f"{wanted[worst, group]:.3g} '{names[group]}' items asked "
        f"for, so that at best {100 * met:.0f} % of the list is as the target asks."
    ]


def _supply(evidence: Evidence, k: int) -> tuple[Array, Array]:
    """(queries, groups) candidates of each group, and places that the target asks for."""
    available = np.zeros((len(evidence), len(evidence.labels.names)))
    np.add.at(available, evidence.ranking.query_of, evidence.labels.share)
    shown = np.minimum(evidence.ranking.lengths, k)
    return available, np.nan_to_num(
        evidence.attribute.target.rows(np.arange(len(evidence)))
    ) * shown[:, None]


def _moved(plain: Ranking, new: Ranking, k: int) -> float:
    """Share of new entries that were not among the plain first k."""
    from fairlead.types.ragged import locate

    if not len(new.rows):
        return 0.0
    entries = locate(plain.offsets, plain.rows, new.offsets, new.rows)
    return float(np.mean(entries - plain.offsets[:-1][new.query_of] >= k))
