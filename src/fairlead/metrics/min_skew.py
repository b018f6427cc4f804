"""MinSkew@k: the skew of the most under-shown group (Geyik et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.divergence import checked_eps
from fairlead.metrics.listwise import ListMetric
from fairlead.metrics.skew import Zero, skews
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class MinSkew(ListMetric):
    """min_g ln(share_g / target_g). ``zero`` says what a zero share becomes; groups with neither
    share nor target are left out.
    """

    zero: Zero = "half"
    eps: float = 1e-12
    k: int | None = None

    name: ClassVar[str] = "MinSkew"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = r"\min_g \ln\frac{n_g / k}{t_g}"
    source: ClassVar[str] = "Geyik, Ambler, Kenthapadi (KDD 2019)"
    blind_spot: ClassVar[str] = (
        "Only the most under-shown group is seen; blind to order and relevance. A one-sided "
        "list is decided by the rule for a zero share; "
        "where 1/(2k) lies above every target (very short lists) it even reads above 0."
    )

    def validate(self) -> None:
        checked_eps(self.name, self.eps)

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        value = np.fmin.reduce(skews(lists, self.zero, self.eps), axis=1)
        return value, np.ones(len(value))
