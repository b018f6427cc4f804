"""P@k: the share of the first k that is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.judged import JudgedMetric, per_query
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class P(JudgedMetric):
    """Relevant items in the first k over k, also where the list is shorter; without a cut-off, over
    the length of the list.
    """

    k: int | None = None

    name: ClassVar[str] = "P"
    formula: ClassVar[str] = r"\frac{|V_k \cap V^*|}{k}"
    source: ClassVar[str] = "standard"
    blind_spot: ClassVar[str] = "Blind to order within the cut-off and to who is shown."

    def __call__(self, evidence: Evidence) -> tuple[Array, Array]:
        """Precision of each query."""
        queries, ranks, _ = self.found(evidence)
        size = (
            np.where(evidence.ranking.lengths > 0, evidence.ranking.lengths, np.nan)
            if self.k is None
            else self.k
        )
        value = per_query(evidence, queries, np.ones(len(ranks))) / size
        return np.where(np.isnan(self.totals(evidence)), np.nan, value), np.ones(len(evidence))
