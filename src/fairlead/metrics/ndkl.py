r"""NDKL: normalised discounted cumulative KL divergence of the prefixes from the target.

NDKL = (1/Z) sum_{n=1..M} d(n) KL(D_n || t), d(n) = 1/log2(n+1), Z = sum d(n), natural logarithm
(Geyik et al. 2019; SISPI).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from fairlead.metrics.divergence import Base, Smooth, checked_eps
from fairlead.metrics.listwise import Discount, ListMetric, discounts
from fairlead.metrics.prefix import prefix_kl
from fairlead.protocols import Direction
from fairlead.types.evidence import Evidence, Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class NDKL(ListMetric):
    """Discounted mean over prefixes of KL(prefix || target); ``over=relevant`` looks at the
    relevant items alone, in their order.
    """

    over: Literal["all", "relevant"] = "all"
    toward: Literal["target", "prefix"] = "target"
    eps: float = 0.0
    smooth: Smooth = "replace"
    base: Base = "e"
    discount: Discount = "log2"
    k: int | None = None

    name: ClassVar[str] = "NDKL"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    formula: ClassVar[str] = (
        r"\frac{1}{Z}\sum_{n=1}^{M} \frac{1}{\log_2(n+1)} \mathrm{KL}(D_n \,\|\, t)"
    )
    source: ClassVar[str] = "Geyik, Ambler, Kenthapadi (KDD 2019); Gomez (SIGIR 2025, SISPI)"
    blind_spot: ClassVar[str] = (
        "Zero is out of reach (the first item alone is a point mass) and the chance level "
        "grows with fewer items and more groups: "
        "read the excess over the null, never the raw value across list lengths. Blind to "
        "relevance, and infinite where a group "
        "with target 0 appears."
    )

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """Labels and a target, and judgements where only relevant items are looked at."""
        if self.over == "relevant":
            return frozenset({"groups", "target", "relevant"})
        return frozenset({"groups", "target"})

    @property
    def whole_lists(self) -> bool:
        """The first k relevant items may stand anywhere."""
        return self.k is None or self.over == "relevant"

    def view(self, evidence: Evidence) -> Evidence:
        if self.over == "all":
            return evidence
        # the pool of the relevant items is themselves
        return replace(evidence.only(evidence.gains > 0), pool=evidence.relevant)

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

    def null_mean(
        self, expected: Callable[[Array], Array], size: int, target: Array
    ) -> Array | None:
        """The exact chance level of complete hard lists.

        Args:
            expected: Gives, for functions of a count (functions, size + 1), their means (functions,
                ..., groups, size) at the count of each group among the first 1, 2, ... items.
            size: The longest list.
            target: (..., groups) target shares.

        Returns:
            (..., size) mean for lists of 1, 2, ... items, NaN where a target share is 0; None where
            there is no formula.
        """
        if self.toward != "target" or self.eps:
            return None
        n = np.arange(1, size + 1)
        c = np.arange(size + 1)
        entropy, count = expected(np.stack([c * np.log(np.maximum(c, 1)), c]))
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = (entropy - count * np.log(target)[..., None]).sum(-2)
        weights = discounts(self.discount, size)
        levels = np.cumsum(weights * (gain / n - np.log(n)), axis=-1) / np.cumsum(weights)
        levels = np.where((target > 0).all(-1, keepdims=True), levels, np.nan)
        return levels / np.log(2) if self.base == "2" else levels
