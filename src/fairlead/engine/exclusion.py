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
from fairlead.protocols import Reranker
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
    target = None
    if stated:
        target = evidence.attribute.target.rows(np.arange(len(evidence)))
    texts = [word or name for word, name in zip(words, evidence.queries, strict=False)]
    groups = evidence.attribute.groups
    refuse(groups, target, evidence.supply, texts or evidence.queries, reranker)


def refuse(
    groups: Groups, target: Array | None, present: Array, queries: Sequence[str], reranker: Any
) -> None:
    """The same for (queries, groups) target shares, or none, and how much of each group could be
    shown; all queries where none is named.
    """
    refuse_one_group(reranker)
    if target is None:
        return
    share = _shares(present)
    for query, group in np.argwhere(excluded(target, present)):
        # A list may come without a query: then nothing was asked for, and none is named.
        text, about = "", ""
        if queries:
            text = queries[query]
        if text:
            if _asks(text, groups):
                continue
            about = f" for '{text}'"
        raise UsageError(
            f"The target{about} has no place for '{groups.names[group]}', "
            f"{share[query, group]:.0%} of what could be shown: "
            "its only effect is to leave a group out.",
            _HINT,
        )


def excluded(target: Array, present: Array) -> Array:
    """(queries, groups) whether lists held to a target would be made without a group that could be
    shown.
    """
    return (target < NEXT_TO_NOTHING) & (_shares(present) > _TIMES * target)


def _shares(present: Array) -> Array:
    """(queries, groups) what part each group is of what could be shown; 0 of nothing."""
    total = present.sum(1, keepdims=True)
    return np.divide(present, total, out=np.zeros(present.shape), where=total > 0)


def refuse_one_group(reranker: Reranker | None) -> None:
    """Refuse a reranker whose floor for one group leaves next to nothing for all others."""
    # No share of a target says so: such a reranker keeps others out whatever it is held to.
    if reranker is not None and 1 - reranker.floor < NEXT_TO_NOTHING:
        raise UsageError(f"{reranker} leaves no place for anybody but one group.", _HINT)


def _asks(query: str, groups: Groups) -> bool:
    """Whether a query says itself which group it asks for."""
    # The rules are loaded only where a target leaves somebody out.
    from fairlead.trigger import Trigger

    (decision,) = Trigger()([query], groups.attribute, groups.names)
    return decision.decision == "leave" and decision.family == "explicit"
