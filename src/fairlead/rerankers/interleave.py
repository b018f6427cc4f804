"""Interleave: proportional round robin over the groups' own orders.

Item j (0-based) of group g has the virtual place (j + 0.5) / t_g; items are served by virtual
place, ties by rank. With a uniform target this is round robin, each round in score order; in
general it is the seat allocation of Webster and Sainte-Lague served one seat at a time. A group of
share 0 comes last. Unknown items are woven in by score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.merge import MergeRule, dense, merged
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Interleave(DescribedReranker):
    """Round robin over the groups, as often as their target share says, best first within each."""

    name: ClassVar[str] = "interleave"
    summary: ClassVar[str] = (
        "Round robin over the groups, as often as their target share says, best first within each."
    )
    source: ClassVar[str] = "Proportional round robin (Webster / Sainte-Lague order); ours"
    blind_spot: ClassVar[str] = (
        "Counts stay near n t but no bound is promised at each prefix; a good list may be "
        "reordered. Sees one hard label per item; "
        "nothing of relevance beyond the order within a round."
    )
    promise: ClassVar[str] = (
        "With a uniform target, counts of two groups that have not run out never differ "
        "by more than one."
    )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return merged(evidence, k, _rule)


def _rule(target: Array, width: int) -> MergeRule:
    with np.errstate(divide="ignore", over="ignore"):
        priority = (np.arange(width) + 0.5) / target[..., None]
    return MergeRule(np.full(priority.shape, width + 1), priority=dense(priority))
