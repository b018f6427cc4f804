"""xQuAD, explicit query aspect diversification.

Aspects are groups, and the target is their weight.

The next item is the one with the largest

    (1 - d) relevance_i + d sum over g of t_g share_ig product over shown j of (1 - fade share_jg)

d is ``diversity``. What a group still asks for fades with every item of it that is shown. Santos,
Macdonald, Ounis: Exploiting query reformulations for web search result diversification (WWW 2010);
there ``fade=1``: one item satisfies its aspect for good, which suits an information need and not a
share. The slower fade, and shares as the probability that an item covers an aspect, are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.rerankers.aspects import greedy
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.single import SingleLists, one_by_one
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class XQuAD(DescribedReranker):
    """Relevance and what the groups still ask for, which fades as they are shown."""

    diversity: float = 0.5
    fade: float = 0.1

    name: ClassVar[str] = "xquad"
    summary: ClassVar[str] = (
        "Relevance and what the groups still ask for, which fades as they are shown."
    )
    source: ClassVar[str] = (
        "Santos, Macdonald, Ounis: Exploiting query reformulations for web search result "
        "diversification (WWW 2010); fade is ours"
    )
    blind_spot: ClassVar[str] = (
        "Seeks coverage, not a share: the target weighs the groups but no count is promised, "
        "and once every group has faded the plain "
        "order returns (with fade=1 after one item of each). Unknown items cover nothing and "
        "so are put back."
    )
    promise: ClassVar[str] = (
        "diversity=0 is the plain list; of two items of the same shares the better one comes first."
    )
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "diversity",
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    )

    def validate(self) -> None:
        if not 0 <= self.diversity <= 1:
            raise UsageError(
                f"{self.name}(diversity={self.diversity}) is not a weight.", "Accepted: 0 to 1."
            )
        if not 0 < self.fade <= 1:
            raise UsageError(
                f"{self.name}(fade={self.fade}) is not a share.", "Accepted: above 0, at most 1."
            )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return one_by_one(evidence, k, self._order)

    def _order(self, case: SingleLists) -> Array:
        relevance = (1 - self.diversity) * case.relevance
        columns = np.ascontiguousarray(case.shares.T)
        asked = self.diversity * case.target
        left = 1 - self.fade * case.shares
        values = np.empty(len(relevance))

        def step(place: int) -> Array:
            nonlocal asked
            asked = asked * left[place]
            np.dot(asked, columns, out=values)
            return np.add(values, relevance, out=values)

        return greedy(np.dot(asked, columns) + relevance, step, case.k)
