"""Rerankers: evidence to a new order."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class CutShort:
    """A list whose search ended at its time limit: it is the best so far.

    Attributes:
        query: Its number in the evidence.
        gap: How much of the bound on the best list it may lack, at most; inf where none is known.
    """

    query: int
    gap: float


@runtime_checkable
class TimedReranker(Protocol):
    """A reranker that can be given a time limit, and says which lists it cut."""

    def timed(
        self, evidence: Evidence, k: int, seed: int
    ) -> tuple[Ranking, tuple[CutShort, ...]]: ...
