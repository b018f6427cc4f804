"""TV@k: total variation distance of the top-k shares from the target. Bounded, no epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.divergence import tv
from fairlead.metrics.listwise import Discount, ListMetric, shares
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class TV(ListMetric):
    """Half the summed absolute gaps between top-k shares and target: the share of places that would
    have to change group.
    """

    discount: Discount = "none"
    k: int | None = None

    name: ClassVar[str] = "TV"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = r"\tfrac12 \sum_g |Q_g - t_g|"
    source: ClassVar[str] = (
        "standard; the easiest to explain: the share of places that would have to change group"
    )
    blind_spot: ClassVar[str] = (
        "Says how far, not which group; blind to order (unless discounted) and to relevance."
    )

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        share = shares(lists, self.discount)
        return tv(share, lists.target), np.ones(len(share))
