"""DetRelaxed: like DetCons with whole steps, so that scores decide among the groups due at the same
position.

At position n, if some group has fewer than floor(n t_g) items, take the best head of those groups;
otherwise, of the groups with fewer than ceil(n t_g), those with the smallest ceil(ceil(n t_g) /
t_g), and of these the best head. A group in that case holds j = ceil(n t_g) - 1 items, so the value
is the deadline ceil((j + 1) / t_g). Geyik, Ambler, Kenthapadi (KDD 2019), Algorithm 2. Unknown
items are woven in by score; n counts labelled items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fairlead.rerankers.bounds import deadlines, releases
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.merge import MergeRule, dense, merged, whole
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class DetRelaxed(DescribedReranker):
    """A free place goes to the groups whose lower bound comes due at the earliest position, the
    best-scored of them first.
    """

    name: ClassVar[str] = "detrelaxed"
    summary: ClassVar[str] = (
        "A free place goes to the groups whose lower bound comes due at the earliest "
        "position, the best-scored of them first."
    )
    source: ClassVar[str] = (
        "Geyik, Ambler, Kenthapadi: Fairness-aware ranking in search and recommendation "
        "systems (KDD 2019)"
    )
    blind_spot: ClassVar[str] = (
        "No proof of the lower bounds beyond three groups; no promise to leave a good list "
        "alone. Sees one hard label per item; "
        "nothing of relevance beyond the order."
    )
    promise: ClassVar[str] = (
        "floor(n t) at every prefix for up to three groups while the supply lasts; "
        "closer to the scores than detcons."
    )
    bounds_prefixes: ClassVar[bool] = True

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return merged(evidence, k, _rule)


def _rule(target: Array, width: int) -> MergeRule:
    due = deadlines(target, width)
    return MergeRule(whole(due, width), whole(releases(target, width), width), dense(due))
