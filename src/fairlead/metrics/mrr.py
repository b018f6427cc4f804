"""MRR: one over the rank of the first relevant item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.judged import JudgedMetric
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class MRR(JudgedMetric):
    """Reciprocal rank of the first relevant item, 0 where none is in the list."""

    k: int | None = None

    name: ClassVar[str] = "MRR"
    formula: ClassVar[str] = r"1 / \min \{ i : i \in V^* \}"
    source: ClassVar[str] = "standard"
    blind_spot: ClassVar[str] = (
        "Blind to everything after the first relevant item and to who is shown."
    )

    def __call__(self, evidence: Evidence) -> tuple[Array, Array]:
        """Reciprocal rank of each query."""
        queries, ranks, _ = self.hits(evidence)
        value = np.zeros(len(evidence))
        # the best rank of a query counts; a query without one keeps its 0
        np.maximum.at(value, queries, 1 / ranks)
        return np.where(np.isnan(self.totals(evidence)), np.nan, value), np.ones(len(evidence))
