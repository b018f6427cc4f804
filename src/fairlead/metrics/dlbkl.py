"""DLBKL@k: KL(target || Q') over language groups (Perspectival biases, 2025).

Q' is the discount-weighted share of each group in the top k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.divergence import Base, Smooth, checked_eps, kl
from fairlead.metrics.listwise import Discount, ListMetric, shares
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class DLBKL(ListMetric):
    """sum_l P_l ln(P_l / Q'_l); a zero share becomes ``eps`` (unpublished; at most 2.5e-7 by their
    tables).
    """

    eps: float = 1e-8
    smooth: Smooth = "replace"
    base: Base = "e"
    discount: Discount = "log2"
    k: int | None = None

    name: ClassVar[str] = "DLBKL"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    counts_only: ClassVar[bool] = True
    epsilon_dominated: ClassVar[bool] = True
    formula: ClassVar[str] = (
        r"\sum_l P_l \ln \frac{P_l}{Q'_l}, \quad "
        r"Q'_l = \frac{\sum_{i \le k} d(i)\,[i \in l]}{\sum_{i \le k} d(i)}"
    )
    source: ClassVar[str] = (
        "Saengsuksiran et al. (arXiv 2510.26861); LBKL after Laosaengpha et al. (2025)"
    )
    blind_spot: ClassVar[str] = (
        "Set by eps where a group is absent, as LBKL; cannot tell irrelevant results "
        "from over-shown relevant ones."
    )

    def validate(self) -> None:
        checked_eps(self.name, self.eps)

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        share = shares(lists, self.discount)
        value = kl(lists.target, share, eps=self.eps, smooth=self.smooth, base=self.base)
        return value, np.ones(len(value))
