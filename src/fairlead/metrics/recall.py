"""Recall@k: how much of what is relevant is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.metrics.judged import JudgedMetric, per_query
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Recall(JudgedMetric):
    """Relevant items shown over relevant items. ``average=micro`` pools queries (PBM's Recall@K),
    ``macro`` averages them.
    """

    average: Literal["micro", "macro"] = "micro"
    k: int | None = None

    name: ClassVar[str] = "Recall"
    formula: ClassVar[str] = r"\frac{\sum_c |V_{c,k} \cap V^*_c|}{\sum_c |V^*_c|}"
    source: ClassVar[str] = "Kong et al. (NeurIPS 2023, PBM): micro"
    blind_spot: ClassVar[str] = "Blind to order within the cut-off and to who is shown."

    @property
    def aggregate(self) -> Literal["mean", "pooled"]:
        return "pooled" if self.average == "micro" else "mean"

    def __call__(self, evidence: Evidence) -> tuple[Array, Array]:
        """Relevant items shown, and relevant items, of each query."""
        queries, ranks, _ = self.hits(evidence)
        totals = self.totals(evidence)
        shown = per_query(evidence, queries, np.ones(len(ranks)))
        return np.where(np.isnan(totals), np.nan, shown), totals
