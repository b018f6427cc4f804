"""Rerankers: evidence to a new order."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from fairlead.types import Ranking
from fairlead.types.evidence import Evidence


@runtime_checkable
class Reranker(Protocol):
    """Turns evidence on one attribute into a new order of at most ``k`` of its candidates.

    Randomness comes from ``hash(seed, query id, spec)``: batch = one by one = any sharding.
    """

    name: ClassVar[str]

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking: ...
