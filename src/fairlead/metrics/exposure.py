"""Exposure@k: one group's share of the attention a list gives out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.listwise import Discount, ListMetric, member, shares
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Exposure(ListMetric):
    """Discount-weighted share of ``group`` among labelled items."""

    group: str = ""
    discount: Discount = "log2"
    k: int | None = None

    name: ClassVar[str] = "Exposure"
    direction: ClassVar[Direction] = "either"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"groups"})
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = (
        r"\epsilon_g = "
        r"\frac{\sum_{i \le k} d(i)\,[i \in g]}{\sum_{i \le k} d(i)\,[i \text{ labelled}]}"
    )
    source: ClassVar[str] = "Singh & Joachims (KDD 2018); Biega et al. (SIGIR 2018)"
    blind_spot: ClassVar[str] = (
        "A model of attention, not attention itself; one group at a time; blind to relevance."
    )

    @property
    def groups_named(self) -> Mapping[str, str]:
        """The group it looks at."""
        return {"group": self.group}

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        group = member(lists.names, self.group, "Exposure(group=...)")
        value = shares(lists, self.discount)[:, group]
        return value, np.ones(len(value))
