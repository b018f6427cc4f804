"""InfeasibleIndex@k: how many prefixes hold fewer of a group than floor(n t_g) (Geyik et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.evidence import Lists
from fairlead.metrics.listwise import ListMetric
from fairlead.protocols import Direction
from fairlead.ragged import Array


@dataclass(frozen=True)
class InfeasibleIndex(ListMetric):
    """Number of prefixes n <= k in which some group's count is below floor(n t_g); ``share`` divides by the length. n counts known items."""

    share: bool = False
    k: int | None = None

    name: ClassVar[str] = "InfeasibleIndex"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    formula: ClassVar[str] = r"\sum_{n \le k} \left[\exists g: n_g(n) < \lfloor n\, t_g \rfloor\right]"
    source: ClassVar[str] = "Geyik, Ambler, Kenthapadi (KDD 2019)"
    blind_spot: ClassVar[str] = "Counts violated prefixes, not how far they are off; lower bounds only; blind to relevance."

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        counts = lists.share.cumsum(1)
        least = np.floor(counts.sum(-1, keepdims=True) * lists.target[:, None] + 1e-9)
        inside = np.arange(lists.width) < lists.lengths[:, None]
        violated = ((counts < least - 1e-9).any(-1) & inside).sum(1).astype(float)
        undefined = (lists.lengths == 0) | np.isnan(lists.target).any(1)
        size = np.maximum(lists.lengths, 1) if self.share else 1
        return np.where(undefined, np.nan, violated / size), np.ones(len(violated))
