"""AbsBias@k: the gap between the most and the least shown group.

For two groups it is |n_1 - n_2| / k (PBM).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.metrics.listwise import ListMetric
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class AbsBias(ListMetric):
    """(max_g n_g - min_g n_g) / k, k counting the items shown; unlabelled ones count in k
    (``shown``, the paper) or not (``known``).

    With ``shown`` a list without any label reads 0, as published: read it beside the unknown mass.
    """

    denominator: Literal["shown", "known"] = "shown"
    k: int | None = None

    name: ClassVar[str] = "AbsBias"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"groups"})
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = r"\frac{\max_g n_g - \min_g n_g}{k}"
    source: ClassVar[str] = "Kong, Yuan, Hao, Henao (NeurIPS 2023, PBM); more than two groups: ours"
    blind_spot: ClassVar[str] = (
        "Blind to order within the cut-off, to the target (its ideal is equal counts) and to "
        "relevance. "
        "A fair coin reads .25 at k = 10 and .08 at k = 100."
    )

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        counts = lists.totals()
        size = lists.lengths if self.denominator == "shown" else counts.sum(1)
        gap = np.ptp(counts, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.where(size > 0, gap / size, np.nan)
        return value, np.ones(len(value))
