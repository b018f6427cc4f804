"""ExposureRatio@k: the least over the most favoured group, each by exposure per target share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.listwise import Discount, ListMetric, shares
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class ExposureRatio(ListMetric):
    """min_g (exposure_g / target_g) / max_g (exposure_g / target_g); groups with target 0 are left
    out.

    Undefined where only such groups are shown.
    """

    discount: Discount = "log2"
    k: int | None = None

    name: ClassVar[str] = "ExposureRatio"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = r"\frac{\min_g \epsilon_g / t_g}{\max_g \epsilon_g / t_g}"
    source: ClassVar[str] = "after Singh & Joachims (KDD 2018); the shape of an impact ratio"
    blind_spot: ClassVar[str] = (
        "Zero as soon as one group is absent, however small its target; blind to relevance."
    )

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        share = shares(lists, self.discount)
        with np.errstate(divide="ignore", invalid="ignore"):
            favour = np.where(lists.target > 0, share / lists.target, np.nan)
            value = np.fmin.reduce(favour, axis=1) / np.fmax.reduce(favour, axis=1)
        return value, np.ones(len(value))
