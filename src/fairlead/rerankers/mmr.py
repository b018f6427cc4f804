"""MMR, maximal marginal relevance, with groups as what makes two items alike.

The next item is the one with the largest

    (1 - d) relevance_i - d sim(i, S),    sim(i, j) = sum over g of share_ig share_jg

where S are the items chosen so far and d is ``diversity``. Two items are alike as far as they share
a group. Carbonell, Goldstein: The use of MMR, diversity-based reranking for reordering documents
and producing summaries (SIGIR 1998).

There sim(i, S) is the largest similarity to any item of S (``over=max``): of hard labels a group
then counts once, whether it has been shown once or ninety times. ``over=mean``, the default, is
ours: the mean similarity to S, so that what is shown often counts more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.rerankers.aspects import Step, greedy
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.single import SingleLists, one_by_one
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class MMR(DescribedReranker):
    """Relevance against likeness to what is already shown; items are alike as far as they share a
    group.
    """

    diversity: float = 0.5
    over: Literal["mean", "max"] = "mean"

    name: ClassVar[str] = "mmr"
    summary: ClassVar[str] = (
        "Relevance against likeness to what is already shown; items are alike as far as "
        "they share a group."
    )
    source: ClassVar[str] = (
        "Carbonell, Goldstein: The use of MMR, diversity-based reranking (SIGIR 1998); "
        "over=mean is ours"
    )
    blind_spot: ClassVar[str] = (
        "Knows no target: it seeks variety, not a share, and promises no count. Unknown "
        "items are like nothing and so are favoured. "
        "With over=max, a group that has been shown once counts no more when it is shown again."
    )
    promise: ClassVar[str] = (
        "diversity=0 is the plain list; of two items of the same shares the better one comes first."
    )
    uses_target: ClassVar[bool] = False
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "diversity",
        (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    )

    def validate(self) -> None:
        if not 0 <= self.diversity <= 1:
            raise UsageError(
                f"{self.name}(diversity={self.diversity}) is not a weight.", "Accepted: 0 to 1."
            )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return one_by_one(evidence, k, self._order, targeted=False)

    def _order(self, case: SingleLists) -> Array:
        if not case.shares.any():  # nothing is alike, even where relevance weighs nothing
            return case.plain
        relevance = (1 - self.diversity) * case.relevance
        step = self._mean(case, relevance) if self.over == "mean" else self._max(case, relevance)
        return greedy(relevance, step, case.k)

    def _mean(self, case: SingleLists, relevance: Array) -> Step:
        columns = np.ascontiguousarray(case.shares.T)
        values = np.empty(len(relevance))
        held = np.zeros(len(case.target))
        count = 0

        def step(place: int) -> Array:
            nonlocal held, count
            held = held + case.shares[place]
            count = count + 1
            np.dot(held * (-self.diversity / count), columns, out=values)
            return np.add(values, relevance, out=values)

        return step

    def _max(self, case: SingleLists, relevance: Array) -> Step:
        columns = np.ascontiguousarray(case.shares.T)
        values = np.empty(len(relevance))
        like = np.zeros(len(relevance))

        def step(place: int) -> Array:
            np.dot(case.shares[place], columns, out=values)
            np.maximum(like, values, out=like)
            np.multiply(like, -self.diversity, out=values)
            return np.add(values, relevance, out=values)

        return step
