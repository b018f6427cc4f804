"""Metrics: evidence to one number per query."""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol, runtime_checkable

from fairlead.types.evidence import Evidence, Lists
from fairlead.types.ragged import Array

Direction = Literal["lower", "higher", "either"]
"""Which way is better; ``either`` marks signed metrics, whose two sides are both worse."""


@runtime_checkable
class Metric(Protocol):
    """Turns evidence into a numerator and a denominator per query; undefined is NaN.

    ``aggregate`` says how queries add up: ``mean`` of the ratios, or ``pooled`` (sum over sum).
    """

    name: ClassVar[str]
    direction: ClassVar[Direction]
    range: ClassVar[tuple[float, float]]
    needs: ClassVar[frozenset[str]]

    @property
    def aggregate(self) -> Literal["mean", "pooled"]: ...
    def __call__(self, evidence: Evidence) -> tuple[Array, Array]: ...


class GroupMetric(Metric, Protocol):
    """A metric of group labels.

    It is computed on rectangular lists, so that nulls can be drawn without evidence.

    ``shape`` is ``set`` where only the counts within the cut-off matter, ``order`` where the order
    does too.
    """

    epsilon_dominated: ClassVar[bool]

    @property
    def shape(self) -> Literal["set", "order", "roles"]: ...
    @property
    def k(self) -> int | None: ...
    def measure(self, lists: Lists) -> tuple[Array, Array]: ...
