"""Epsilon-greedy: each place in turn swaps its item at random, with probability epsilon.

For i = 1 .. N: with probability epsilon swap the items at i and j, j uniform among the places after
i (the paper's text) or from i on (``partner=from``, a public re-implementation). Swaps are in place
and in sequence, so an item can move repeatedly. Feng, Shah: Has CEO gender bias really been fixed?
(AAAI 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.streams import stream_keys
from fairlead.rerankers.swaps import Partner, swapped
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class EpsilonGreedy(DescribedReranker):
    """Random swaps with items further down, equally likely at every place."""

    epsilon: float = 0.2
    partner: Partner = "after"

    name: ClassVar[str] = "epsilon_greedy"
    summary: ClassVar[str] = "Random swaps with items further down, equally likely at every place."
    source: ClassVar[str] = "Feng, Shah: Has CEO gender bias really been fixed? (AAAI 2022)"
    blind_spot: ClassVar[str] = (
        "Knows neither labels nor target: it moves every list towards the mix of its own "
        "candidates, "
        "adds bias to a list that had little, and costs relevance at every place."
    )
    promise: ClassVar[str] = "epsilon=0 leaves every list as it is; same seed, same answer."
    uses_target: ClassVar[bool] = False

    def validate(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise UsageError(
                f"{self.name}(epsilon={self.epsilon}) is not a probability.", "Accepted: 0 to 1."
            )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        keys = stream_keys(seed, str(self), evidence.queries)
        return swapped(evidence, k, keys, chance=self._chance, partner=self.partner)

    def _chance(self, places: Array, lengths: Array) -> Array:
        return np.full((len(lengths), len(places)), self.epsilon)
