"""Metrics: evidence to one number per query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Literal, Protocol, runtime_checkable

from fairlead.types.evidence import Evidence, Lists
from fairlead.types.ragged import Array

Direction = Literal["lower", "higher", "either"]
"""Which way is better; ``either`` marks signed metrics, whose two sides are both worse."""


@runtime_checkable
class Metric(Protocol):
    """Turns evidence into a numerator and a denominator per query; undefined is NaN.

    ``needs`` names what it looks at: ``groups``, ``target``, ``relevant``. ``aggregate`` says how
    queries add up: ``mean`` of the ratios, or ``pooled`` (sum over sum). ``k`` is how far down it
    looks, None for all there is; ``whole_lists`` says that a list cut behind k is not enough.
    ``groups_named`` are the groups that its parameters name, by parameter; an empty name is one
    that must still be given.
    """

    name: ClassVar[str]
    direction: ClassVar[Direction]
    range: ClassVar[tuple[float, float]]
    needs: ClassVar[frozenset[str]]

    @property
    def aggregate(self) -> Literal["mean", "pooled"]: ...
    @property
    def k(self) -> int | None: ...
    @property
    def whole_lists(self) -> bool: ...
    @property
    def groups_named(self) -> Mapping[str, str]: ...
    def __call__(self, evidence: Evidence) -> tuple[Array, Array]: ...


class GroupMetric(Metric, Protocol):
    """A metric of group labels.

    It is computed on rectangular lists, so that nulls can be drawn without evidence.

    ``shape`` is ``set`` where only the counts within the cut-off matter, ``order`` where the order
    does too. ``view`` is the part of the evidence that it looks at.
    """

    epsilon_dominated: ClassVar[bool]

    @property
    def shape(self) -> Literal["set", "order", "roles"]: ...
    def view(self, evidence: Evidence) -> Evidence: ...
    def measure(self, lists: Lists) -> tuple[Array, Array]: ...


@runtime_checkable
class KnownChance(Protocol):
    """A metric whose chance level has a formula for complete hard lists.

    ``null_mean(expected, size, target)`` gives its mean at every length up to ``size``, and None
    where its parameters leave no formula.
    """

    def null_mean(
        self, expected: Callable[[Array], Array], size: int, target: Array
    ) -> Array | None: ...
