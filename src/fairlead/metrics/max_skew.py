"""MaxSkew@k: the skew of the most over-shown group (Geyik et al. 2019)."""

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
class MaxSkew(ListMetric):
    """max_g ln(share_g / target_g). ``zero`` says what a zero share becomes; groups with neither
    share nor target are left out.
    """

    zero: Zero = "half"
    eps: float = 1e-12
    k: int | None = None

    name: ClassVar[str] = "MaxSkew"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = r"\max_g \ln\frac{n_g / k}{t_g}"
    source: ClassVar[str] = "Geyik, Ambler, Kenthapadi (KDD 2019)"
    blind_spot: ClassVar[str] = (
        "Only the most over-shown group is seen; blind to order and relevance. "
        "At least five definitions share this name: read its full text form."
    )

    def validate(self) -> None:
        checked_eps(self.name, self.eps)

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        value = np.fmax.reduce(skews(lists, self.zero, self.eps), axis=1)
        # never below 0 but for rounding: some group holds its target or more
        return np.maximum(value, 0.0), np.ones(len(value))
