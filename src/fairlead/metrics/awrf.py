"""AWRF@k: attention-weighted rank fairness.

1 - Jensen-Shannon divergence of the exposure shares from the target.
"""

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
class AWRF(ListMetric):
    """1 - JS(exposure shares, target), base 2; ``discount=trec`` weighs ranks as the TREC Fair
    Ranking track does.
    """

    discount: Discount = "log2"
    base: Base = "2"
    k: int | None = None

    name: ClassVar[str] = "AWRF"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = (
        r"1 - \mathrm{JS}_2(\epsilon, t), \quad "
        r"\epsilon_g = \frac{\sum_{i \le k} d(i)\,[i \in g]}{\sum_{i \le k} d(i)}"
    )
    source: ClassVar[str] = "Sapiezynski et al. (2019); TREC Fair Ranking 2022 (Jensen-Shannon)"
    blind_spot: ClassVar[str] = (
        "Says how far, not which group; blind to relevance. Its chance level is below 1 "
        "and rises with k."
    )

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        share = shares(lists, self.discount)
        return 1 - js(share, lists.target, base=self.base), np.ones(len(share))
