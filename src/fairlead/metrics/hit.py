"""Hit@k: whether anything relevant is in the first k (Acc@k of the cross-modal papers)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.judged import JudgedMetric, per_query
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Hit(JudgedMetric):
    """1 where a relevant item is in the first k."""

    k: int | None = None

    name: ClassVar[str] = "Hit"
    formula: ClassVar[str] = r"\left[V_k \cap V^* \neq \emptyset\right]"
    source: ClassVar[str] = "standard; Acc@5 of Saengsuksiran et al. (arXiv 2510.26861)"
    blind_spot: ClassVar[str] = "Blind to how many, to order and to who is shown."

    def __call__(self, evidence: Evidence) -> tuple[Array, Array]:
        """1 or 0 of each query."""
        queries, ranks, _ = self.hits(evidence)
        value = (per_query(evidence, queries, np.ones(len(ranks))) > 0).astype(float)
        return np.where(np.isnan(self.totals(evidence)), np.nan, value), np.ones(len(evidence))
