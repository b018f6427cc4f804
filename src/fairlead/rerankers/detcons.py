"""DetCons: like DetGreedy, but a free place goes to the group whose lower bound comes due first.

At position n, if some group has fewer than floor(n t_g) items, take the best head of those groups;
otherwise, of the groups with fewer than ceil(n t_g), take the one with the smallest ceil(n t_g) /
t_g, ties by rank. A group in that case holds j = ceil(n t_g) - 1 items, so the value is (j + 1) /
t_g. Geyik, Ambler, Kenthapadi (KDD 2019), Algorithm 2. Unknown items are woven in by score; n
counts labelled items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.rerankers.bounds import deadlines, releases
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.merge import MergeRule, dense, merged, whole
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class DetCons(DescribedReranker):
    """A free place goes to the group whose lower bound comes due first."""

    name: ClassVar[str] = "detcons"
    summary: ClassVar[str] = "A free place goes to the group whose lower bound comes due first."
    source: ClassVar[str] = (
        "Geyik, Ambler, Kenthapadi: Fairness-aware ranking in search and recommendation "
        "systems (KDD 2019)"
    )
    blind_spot: ClassVar[str] = (
        "Scores decide only ties and overdue places, so relevance may drop more than under "
        "detgreedy; "
        "no proof of the lower bounds beyond three groups. Sees one hard label per item."
    )
    promise: ClassVar[str] = (
        "floor(n t) at every prefix for up to three groups while the supply lasts; no "
        "promise to leave a good list alone."
    )
    bounds_prefixes: ClassVar[bool] = True

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return merged(evidence, k, _rule)


def _rule(target: Array, width: int) -> MergeRule:
    with np.errstate(divide="ignore", over="ignore"):
        priority = np.arange(1, width + 1) / target[..., None]
    return MergeRule(
        whole(deadlines(target, width), width),
        whole(releases(target, width), width),
        dense(priority),
    )
