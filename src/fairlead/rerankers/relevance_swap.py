"""Relevance-aware swapping: random swaps that spare the places where relevance counts most.

    w_i = (1 - i/N) / log2(i + 1),   swap probability at place i = sensitivity * (1 - w_i)

N is the number of candidates, i = 1 .. N. The weight belongs to the place, not to the item that has
moved there. Partner as in epsilon-greedy. Feng, Shah: Has CEO gender bias really been fixed? (AAAI
2022), Algorithm 1.
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
class RelevanceSwap(DescribedReranker):
    """Random swaps with items further down, rarer at the top of the list."""

    sensitivity: float = 0.2
    partner: Partner = "after"

    name: ClassVar[str] = "relevance_swap"
    summary: ClassVar[str] = "Random swaps with items further down, rarer at the top of the list."
    source: ClassVar[str] = (
        "Feng, Shah: Has CEO gender bias really been fixed? (AAAI 2022), Algorithm 1"
    )
    blind_spot: ClassVar[str] = (
        "Knows neither labels nor target: it moves every list towards the mix of its own "
        "candidates "
        "and adds bias to a list that had little. Relevance is the place only, not the score."
    )
    promise: ClassVar[str] = "sensitivity=0 leaves every list as it is; same seed, same answer."
    uses_target: ClassVar[bool] = False

    def validate(self) -> None:
        if not 0 <= self.sensitivity <= 1:
            raise UsageError(
                f"{self.name}(sensitivity={self.sensitivity}) is not a probability.",
                "Accepted: 0 to 1.",
            )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        keys = stream_keys(seed, str(self), evidence.queries)
        return swapped(evidence, k, keys, chance=self._chance, partner=self.partner)

    def _chance(self, places: Array, lengths: Array) -> Array:
        return self.sensitivity * (1 - (1 - places / np.maximum(lengths, 1)) / np.log2(places + 1))
