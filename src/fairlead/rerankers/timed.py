"""Rerankers whose search for a list can be limited: ``seconds``, for each list.

Where the time is up the best list so far is shown, and how far it may lie below the best there is.
A limit that is not reached changes nothing, the numbers drawn included.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace

from fairlead.errors import UsageError
from fairlead.protocols.reranker import CutShort
from fairlead.rerankers.deadline import Deadline
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.single import SingleLists, one_by_one
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

TimedOrder = Callable[[SingleLists, Deadline], tuple[Array, float]]
"""Gives the places of at most k candidates, in their new order, and by how much of its bound the
list may be worth less than it, at most; that is asked only where the deadline cut the search.
"""


class LimitedReranker(DescribedReranker):
    """A reranker with a field ``seconds``: the limit on the search for each list, None for none."""

    seconds: float | None

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return self.timed(evidence, k, seed)[0]

    @abstractmethod
    def timed(
        self, evidence: Evidence, k: int, seed: int
    ) -> tuple[Ranking, tuple[CutShort, ...]]: ...

    def validate(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise UsageError(
                f"{self.name}(seconds={self.seconds}) leaves no time.",
                "Accepted: above 0, or none for no limit.",
            )

    @property
    def unlimited(self) -> str:
        """The text form without the limit: it names the random numbers."""
        return str(replace(self, seconds=None))  # type: ignore[type-var]

    def _one_by_one(
        self, evidence: Evidence, k: int, order: TimedOrder
    ) -> tuple[Ranking, tuple[CutShort, ...]]:
        cuts: list[CutShort] = []

        def limited(case: SingleLists) -> Array:
            deadline = Deadline.after(self.seconds)
            places, gap = order(case, deadline)
            if deadline.cut:
                cuts.append(CutShort(case.number, gap))
            return places

        return one_by_one(evidence, k, limited), tuple(cuts)
