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
        queries, ranks, _ = self.hits(evidence)
        hits = per_query(evidence, queries, np.ones(len(ranks)))
        # a list shorter than k is divided by k too: otherwise a list of one hit would read 1
        if self.k is not None:
            value = hits / self.k
        else:
            lengths = evidence.ranking.lengths
            value = hits / np.where(lengths > 0, lengths, np.nan)
        return np.where(np.isnan(self.totals(evidence)), np.nan, value), np.ones(len(evidence))
