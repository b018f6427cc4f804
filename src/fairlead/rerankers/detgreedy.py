"""DetGreedy: at each position the best-scored group among those below their quota.

At position n, if some group has fewer than floor(n t_g) items, take the best head of those groups;
otherwise take the best head of the groups that have fewer than ceil(n t_g). Geyik, Ambler,
Kenthapadi (KDD 2019), Algorithm 1. Once every group below its ceiling has run out, the best head of
any group is taken. Unknown items are woven in by score; n counts labelled items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fairlead.rerankers.bounds import deadlines, releases
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.merge import MergeRule, merged, whole
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class DetGreedy(DescribedReranker):
    """The best item whose group is still below ceil(n t); a group below floor(n t) goes first."""

    name: ClassVar[str] = "detgreedy"
    summary: ClassVar[str] = (
        "The best item whose group is still below ceil(n t); a group below floor(n t) goes first."
    )
    source: ClassVar[str] = (
        "Geyik, Ambler, Kenthapadi: Fairness-aware ranking in search and recommendation "
        "systems (KDD 2019)"
    )
    blind_spot: ClassVar[str] = (
        "With four or more groups a lower bound can be missed (t in proportion 8:7:2:4 "
        "misses prefix 3 on some lists); "
        "rerank reports how many lists are hit. Sees one hard label per item; nothing of "
        "relevance beyond the order."
    )
    promise: ClassVar[str] = (
        "floor(n t) at every prefix for up to three groups while the supply lasts; "
        "a list within floor and ceil at every prefix stays as it is."
    )
    bounds_prefixes: ClassVar[bool] = True

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return merged(evidence, k, _rule)


def _rule(target: Array, width: int) -> MergeRule:
    return MergeRule(whole(deadlines(target, width), width), whole(releases(target, width), width))
