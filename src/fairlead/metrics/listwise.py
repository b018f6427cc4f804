"""What every metric of group labels shares: the walk over lists, and its card."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.protocols import Direction
from fairlead.protocols.spec import Configured
from fairlead.types.evidence import Evidence, Lists
from fairlead.types.ragged import Array, within

Discount = Literal["none", "log2", "trec"]


class Described(Configured):
    """A metric's card: what it says of itself in the reference, in tables and in reports."""

    direction: ClassVar[Direction]
    range: ClassVar[tuple[float, float]]
    needs: ClassVar[frozenset[str]]
    formula: ClassVar[str]
    source: ClassVar[str]
    blind_spot: ClassVar[str]

    @property
    def aggregate(self) -> Literal["mean", "pooled"]:
        """How queries add up."""
        return "mean"

    @property
    def k(self) -> int | None:
        """How far down it looks; metrics with a cut-off have a field of this name."""
        return None

    @property
    def whole_lists(self) -> bool:
        """Whether a list that is cut behind k is not enough."""
        return self.k is None

    @property
    def groups_named(self) -> Mapping[str, str]:
        """The groups that parameters name; empty where one must be given."""
        return {}

    def view(self, evidence: Evidence) -> Evidence:
        """The part of the evidence this metric looks at."""
        return evidence


class ListMetric(Described):
    """A metric of the group labels in the first ``k`` of each list.

    ``measure`` sees rectangular lists only, so that nulls can be drawn for it without evidence.
    ``counts_only`` says that, without a discount, only the counts within the cut-off matter.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"groups", "target"})
    counts_only: ClassVar[bool] = False
    epsilon_dominated: ClassVar[bool] = False
    k: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is not None and self.k < 1:
            raise UsageError(f"{self.name}@{self.k}: the cut-off counts from 1.")

    @property
    def shape(self) -> Literal["set", "order", "roles"]:
        """``set`` where only counts matter, ``order`` where the order does too."""
        return "set" if self.counts_only and self.discount == "none" else "order"

    @property
    def discount(self) -> Discount:
        """How places are weighed; metrics that can weigh them have a field of this name."""
        return "none"

    @abstractmethod
    def measure(self, lists: Lists) -> tuple[Array, Array]:
        """Numerator and denominator of each list, both (q,); NaN where undefined."""

    def __call__(self, evidence: Evidence) -> tuple[Array, Array]:
        """Numerator and denominator of each query, both (queries,); NaN where undefined."""
        view = self.view(evidence)
        _refuse_gaps(self.name, view)
        numerator = np.full(len(evidence), np.nan)
        denominator = np.ones(len(evidence))
        for lists in view.lists(self.k):
            numerator[lists.queries], denominator[lists.queries] = self.measure(lists)
        return numerator, denominator


def _refuse_gaps(name: str, evidence: Evidence) -> None:
    """Refuse lists of which single ranks are missing."""
    ranking = evidence.ranking
    if ranking.positions is None:
        return
    expected = within(ranking.offsets) + 1
    # a metric of labels needs every item down to k: gaps would shift all later prefixes
    gaps = np.flatnonzero(ranking.positions != expected)
    if len(gaps):
        query = evidence.queries[ranking.query_of[gaps[0]]]
        rank = int(expected[gaps[0]])
        raise DataError(
            f"{name} needs whole lists, but the ranking of '{query}' has nothing at rank {rank}.",
            "Keep every entry down to k.",
        )


def discounts(kind: Discount, size: int) -> Array:
    """(size,) weight of each position: none 1, log2 1/log2(i+1), trec 1/log2(max(i, 2))."""
    ranks = np.arange(1, size + 1)
    if kind == "none":
        return np.ones(size)
    return 1 / np.log2(ranks + 1 if kind == "log2" else np.maximum(ranks, 2))


def member(names: tuple[str, ...], group: str, what: str) -> int:
    """The number of a group, or an error that lists the groups."""
    if group not in names:
        raise UsageError(
            f"{what} got '{group}'." if group else f"{what} must name a group.",
            f"Groups: {', '.join(names)}.",
        )
    return names.index(group)


def group_mass(lists: Lists, group: int) -> Array:
    """(q, m) share of one group at each position."""
    if lists.codes is not None:
        return (lists.codes == group).astype(np.float64)
    return lists.share[..., group]


def known_mass(lists: Lists) -> Array:
    """(q, m) known mass at each position.

    1 for a hard label; 0 for unknown, not applicable and padding.
    """
    if lists.codes is not None:
        return (lists.codes >= 0).astype(np.float64)
    return lists.share.sum(-1)


def shares(lists: Lists, discount: Discount = "none") -> Array:
    """(q, groups) share of each group in the known mass, which may be discounted by rank.

    NaN where nothing is known.
    """
    totals = weighted_totals(lists, discount)
    with np.errstate(invalid="ignore"):
        return totals / totals.sum(1, keepdims=True)


def weighted_totals(lists: Lists, discount: Discount) -> Array:
    """(q, groups) mass of each group in each list, every position weighted by the discount."""
    # hard labels without weights are merely counted, which is faster than adding up ones
    weights = None if discount == "none" else discounts(discount, lists.width)
    return lists.totals(weights)
