"""MaxSkew@k: the skew of the most over-shown group (Geyik et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.evidence import Lists
from fairlead.metrics.listwise import ListMetric
from fairlead.metrics.skew import Zero, skews
from fairlead.protocols import Direction
from fairlead.ragged import Array


@dataclass(frozen=True)
class MaxSkew(ListMetric):
    """max_g ln(share_g / target_g). ``zero`` says what a zero share becomes; ``floor`` cuts at 0, as one library does."""

    zero: Zero = "half"
    eps: float = 1e-12
    floor: bool = False
    k: int | None = None

    name: ClassVar[str] = "MaxSkew"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = r"\max_g \ln\frac{n_g / k}{t_g}"
    source: ClassVar[str] = "Geyik, Ambler, Kenthapadi (KDD 2019)"
    blind_spot: ClassVar[str] = (
        "Only the most over-shown group is seen; blind to order and relevance. At least five definitions share this name: read its full text form."
    )

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        value = skews(lists, self.zero, self.eps, self.floor)
        empty = np.isnan(value).all(1)
        return np.where(empty, np.nan, np.nanmax(np.where(empty[:, None], 0.0, value), axis=1)), np.ones(len(value))
