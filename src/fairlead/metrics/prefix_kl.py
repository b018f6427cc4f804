"""PrefixKL: the bias of Feng & Shah, the plain mean over prefixes of KL(target || prefix).

bias = (1/N) sum_i KL(t || p_i), a zero share replaced by 1e-4, natural logarithm (recovered from
their Table 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.metrics.divergence import Base, Smooth, checked_eps
from fairlead.metrics.listwise import Discount, ListMetric
from fairlead.metrics.prefix import prefix_kl
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class PrefixKL(ListMetric):
    """Mean over prefixes of KL(target || prefix), zeros replaced by ``eps``."""

    toward: Literal["target", "prefix"] = "prefix"
    eps: float = 1e-4
    smooth: Smooth = "replace"
    base: Base = "e"
    discount: Discount = "none"
    k: int | None = None

    name: ClassVar[str] = "PrefixKL"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    epsilon_dominated: ClassVar[bool] = True
    formula: ClassVar[str] = (
        r"\frac{1}{N}\sum_{i=1}^{N} \mathrm{KL}(t \,\|\, p_i), \quad p_i(x)=0 \to \varepsilon"
    )
    source: ClassVar[str] = "Feng & Shah (AAAI 2022), Equation 1"
    blind_spot: ClassVar[str] = (
        "Its size is set by eps: one list reads 0.89, 2.05 or 3.20 at eps 1e-2, 1e-4 or "
        "1e-6. For two equal groups the first item "
        "alone costs (ln .5 - .5 ln eps) / N, so .020 at N = 200 is the floor, not a "
        "residual bias. Blind to relevance."
    )

    def validate(self) -> None:
        checked_eps(self.name, self.eps)

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        values = prefix_kl(
            lists,
            toward=self.toward,
            eps=self.eps,
            smooth=self.smooth,
            base=self.base,
            discount=self.discount,
        )
        return values, np.ones(len(values))
