"""LBKL@k: KL(target || Q) over language groups (Perspectival biases, 2025).

Q is the share of each group in the top k.
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
class LBKL(ListMetric):
    """sum_l P_l ln(P_l / Q_l); a zero share becomes ``eps`` (unpublished; at most 2.5e-7 by their
    tables).
    """

    eps: float = 1e-8
    smooth: Smooth = "replace"
    base: Base = "e"
    discount: Discount = "none"
    k: int | None = None

    name: ClassVar[str] = "LBKL"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    counts_only: ClassVar[bool] = True
    epsilon_dominated: ClassVar[bool] = True
    formula: ClassVar[str] = r"\sum_l P_l \ln \frac{P_l}{Q_l}, \quad Q_l = \frac{n_l}{k}"
    source: ClassVar[str] = (
        "Saengsuksiran et al. (arXiv 2510.26861); LBKL after Laosaengpha et al. (2025)"
    )
    blind_spot: ClassVar[str] = (
        "Set by eps where a group is absent: a single-group list reads 8.52 at eps 1e-8 and "
        "13.1 at 1e-12, and a language-blind "
        "retriever reads about .7 at k = 5. Not comparable across k, eps or number of "
        "groups. Blind to order and relevance."
    )

    def validate(self) -> None:
        checked_eps(self.name, self.eps)

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        share = shares(lists, self.discount)
        value = kl(lists.target, share, eps=self.eps, smooth=self.smooth, base=self.base)
        return value, np.ones(len(value))
