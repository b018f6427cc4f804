"""JS@k: Jensen-Shannon divergence of the top-k shares from the target. Bounded, no epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.divergence import Base, js
from fairlead.metrics.listwise import Discount, ListMetric, shares
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class JS(ListMetric):
    """JS(top-k shares, target), base 2: 0 at the target, 1 for disjoint shares."""

    discount: Discount = "none"
    base: Base = "2"
    k: int | None = None

    name: ClassVar[str] = "JS"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = (
        r"\tfrac12 \mathrm{KL}_2(Q \| M) + \tfrac12 \mathrm{KL}_2(t \| M), "
        r"\quad M = \tfrac12 (Q + t)"
    )
    source: ClassVar[str] = "Lin (1991)"
    blind_spot: ClassVar[str] = (
        "Says how far, not which group; blind to order (unless discounted) and to relevance."
    )

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        share = shares(lists, self.discount)
        return js(share, lists.target, base=self.base), np.ones(len(share))
