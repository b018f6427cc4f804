"""Rerankers: evidence to a new order."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from fairlead.types import Ranking
from fairlead.types.evidence import Evidence


@runtime_checkable
class Reranker(Protocol):
    """Turns evidence on one attribute into a new order of at most ``k`` of its candidates.

    Randomness comes from ``hash(seed, query id, spec)``: batch = one by one = any sharding.

    ``uses_target`` says whether the target changes its lists, ``reads_background`` whether it asks
    what a score is worth in the collection, ``bounds_prefixes`` whether it promises each group
    floor(n t) of every first n items. ``floor`` is the share of every list that it promises to one
    group, whatever the target; 0 for most.
    """

    name: ClassVar[str]
    uses_target: ClassVar[bool]
    reads_background: ClassVar[bool]
    bounds_prefixes: ClassVar[bool]

    @property
    def floor(self) -> float: ...

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking: ...
