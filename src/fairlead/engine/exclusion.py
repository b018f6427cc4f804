"""Refuse a mitigation whose only effect is to leave a group out.

A list of k held to a share t of a group that makes up a share c of what could be shown is made
without that group where t is next to nothing and c is not:

    t < 0.01 and c > 10 t

Such a target is no balance but a filter on how people appear. It is refused, unless the query
itself asks for a group (then the list is what was asked for), or nobody of the group is among the
candidates (then nothing is left out). Measuring against such a target changes no list, so ``score``
takes it. Targets that are counted (``pool``, ``relevant``) follow what is there and are not
refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.trigger import Trigger
from fairlead.types import Groups
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

NEXT_TO_NOTHING, _TIMES = 0.01, 10
_HINT = (
    "Give every group a share. To look for one group, ask for it in the query; to measure "
    "lists against such a target, use score. "
    "Why: docs/ethics.md."
)


def refuse_exclusion(
    evidence: Evidence, reranker: Any, *, stated: bool, words: Sequence[str | None] = ()
) -> None:
    """Refuse to rerank evidence on one attribute where that would only leave a group out.

    Args:
        evidence: What is to be reranked.
        reranker: Who reranks.
        stated: Whether somebody stated the target; a counted one follows what is there.
        words: What was asked, where it is known; else query ids are read as what was asked.

    Raises:
        UsageError: For a group that lists are to be made without.
    """
    labels, groups = evidence.labels, evidence.attribute.groups
    present = np.zeros((len(evidence), len(groups.names)))
    np.add.at(present, evidence.ranking.query_of, labels.share)
    target = evidence.attribute.target.rows(np.arange(len(evidence))) if stated else None
    texts = [word or name for word, name in zip(words, evidence.queries, strict=False)]
    refuse(groups, target, present, texts or evidence.queries, reranker)


def refuse(
    groups: Groups, target: Array | None, present: Array, queries: Sequence[str], reranker: Any
) -> None:
    """The same for (queries, groups) target shares, or none, and how much of each group could be
    shown; all queries where none is named.
    """
    total = present.sum(1, keepdims=True)
    share = np.divide(present, total, out=np.zeros_like(present, dtype=float), where=total > 0)
    excluded = (
        np.zeros(share.shape, np.bool_)
        if target is None
        else (target < NEXT_TO_NOTHING) & (share > _TIMES * target)
    )
    refuse_one_group(reranker)
    for query, group in np.argwhere(excluded):
        text = queries[query] if queries else ""
        if text and _asks(text, groups):
            continue
        about = f" for '{text}'" if text else ""
        raise UsageError(
            f"The target{about} has no place for '{groups.names[group]}', "
            f"{share[query, group]:.0%} of what could be shown: "
            "its only effect is to leave a group out.",
            _HINT,
        )


def refuse_one_group(reranker: Any) -> None:
    """Refuse a reranker whose floor for one group leaves next to nothing for all others: 1 - p."""
    floor = getattr(reranker, "p", None)
    if floor is not None and 1 - floor < NEXT_TO_NOTHING:
        raise UsageError(f"{reranker} leaves no place for anybody but one group.", _HINT)


def _asks(query: str, groups: Groups) -> bool:
    """Whether a query says itself which group it asks for."""
    (decision,) = Trigger()([query], groups.attribute, groups.names)
    return decision.decision == "leave" and decision.family == "explicit"
