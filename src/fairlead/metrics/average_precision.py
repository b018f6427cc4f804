"""AP: precision at each relevant item, averaged over all that is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.judged import JudgedMetric, per_query
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class AP(JudgedMetric):
    """Mean over relevant items of the precision at their rank; items not in the list count 0."""

    k: int | None = None

    name: ClassVar[str] = "AP"
    formula: ClassVar[str] = r"\frac{1}{|V^*|}\sum_{i \in V^*} \frac{|V_i \cap V^*|}{i}"
    source: ClassVar[str] = "standard; mAP of Gomez (SIGIR 2025, SISPI)"
    blind_spot: ClassVar[str] = "Binary relevance; blind to who is shown."

    def __call__(self, evidence: Evidence) -> tuple[Array, Array]:
        """Average precision of each query."""
        queries, ranks, _ = self.hits(evidence)
        totals = self.totals(evidence)
        starts = np.searchsorted(queries, np.arange(len(evidence)))
        # entries come in ranked order, so their number is how many relevant ones are shown so far
        nth = np.arange(1, len(queries) + 1) - starts[queries]
        value = per_query(evidence, queries, nth / ranks) / totals
        return value, np.ones(len(evidence))
