"""FairExpec: the k items of most relevance whose expected counts keep to the target, for labels
that are only probable.

    maximise  sum of relevance_i x_i    subject to    sum of x_i = k,  x_i in {0, 1},
              | sum over i of q_ig x_i - k t_g | <= delta k   for each group g

q_ig is the probability that item i belongs to group g. Mehrotra, Celis: Mitigating bias in set
selection with noisy protected attributes (FAccT 2021), as adapted by Kong, Yuan, Hao, Henao:
Mitigating test-time bias for fair image retrieval (NeurIPS 2023), which has two groups, t = 1/2 and
delta = .001, and prints the upper bound with a minus. The set is shown by rank.

Ours: any groups and target. ``mass=labelled`` reads k t_g as t_g times the labelled mass of the
    list, so that unknown and not-applicable items may be shown; ``mass=k`` is the program of the
    paper, in which they cannot fill the list while every group has items. Where no set
keeps to delta (an odd k and hard labels, a group in short supply), the least delta that some set
keeps to is taken. Solved by HiGHS; of two groups to a relative gap of 1e-4, the default of the
commercial solver there; see ``selection``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols.reranker import CutShort
from fairlead.rerankers.deadline import NEVER, Deadline
from fairlead.rerankers.selection import Selected, select, select_hard
from fairlead.rerankers.single import SingleLists
from fairlead.rerankers.timed import LimitedReranker
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class FairExpec(LimitedReranker):
    """The most relevant set whose expected counts keep to the target."""

    delta: float = 0.001
    mass: Literal["labelled", "k"] = "labelled"
    seconds: float | None = None

    name: ClassVar[str] = "fairexpec"
    summary: ClassVar[str] = (
        "The most relevant set whose expected counts keep to the target; solved by HiGHS."
    )
    source: ClassVar[str] = (
        "Mehrotra, Celis: Mitigating bias in set selection with noisy protected attributes "
        "(FAccT 2021), "
        "as adapted by Kong et al. (NeurIPS 2023)"
    )
    blind_spot: ClassVar[str] = (
        "A set, not an order: prefixes may hold one group only. Takes probabilities as "
        "calibrated and errors as independent of the query, "
        "and unsure labels count as half of each group. Needs the extra lp where labels are "
        "soft; slow there."
    )
    promise: ClassVar[str] = (
        "Expected counts within delta k of the target, or about as near as any set comes. "
        "With hard labels, and up to forty candidates, no "
        "such set is more relevant; of longer lists relevance is near a bound that is known. "
        "A list that keeps to delta stays as it is."
    )
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "delta",
        (0.001, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4),
    )

    def validate(self) -> None:
        super().validate()
        if not 0 <= self.delta <= 1:
            raise UsageError(
                f"{self.name}(delta={self.delta}) is not a share.", "Accepted: 0 to 1."
            )

    def timed(self, evidence: Evidence, k: int, seed: int) -> tuple[Ranking, tuple[CutShort, ...]]:
        whole = self.mass == "k"

        def order(case: SingleLists, deadline: Deadline) -> tuple[Array, float]:
            found = selected(case, self.delta * case.k, deadline, whole=whole)
            return found.places, found.gap

        return self._one_by_one(evidence, k, order)


def selected(
    case: SingleLists, slack: float, deadline: Deadline = NEVER, *, whole: bool = False
) -> Selected:
    """The best set of one list, on the groups of its one attribute; counts are held against the
    ``whole`` list, or against its labelled part.
    """
    if case.hard:
        codes = _codes(case.shares)
        return select_hard(case.relevance, codes, case.target, case.k, slack, whole=whole)
    # Exactly k items are chosen, so that each of them may carry its part of k t_g.
    excess = case.shares - case.target if whole else case.excess
    return select(case, excess, slack, deadline)


def _codes(shares: Array) -> Array:
    """(n,) the group of each hard label, -1 for unknown."""
    return np.where(shares.any(1), shares.argmax(1), -1)
