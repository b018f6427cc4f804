"""nDCG@k: discounted cumulative gain over the best possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.metrics.judged import JudgedMetric, per_query
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array, within


@dataclass(frozen=True)
class NDCG(JudgedMetric):
    """DCG over the ideal DCG. ``gain=exponential`` uses 2^gain - 1; ``discount=trec`` weighs ranks
    1 and 2 alike.
    """

    gain: Literal["linear", "exponential"] = "linear"
    discount: Literal["log2", "trec"] = "log2"
    k: int | None = None

    name: ClassVar[str] = "nDCG"
    formula: ClassVar[str] = (
        r"\frac{\sum_{i \le k} \mathrm{gain}_i / \log_2(i+1)}{\text{the same for the ideal order}}"
    )
    source: ClassVar[str] = "Järvelin & Kekäläinen (2002); Gomez (SIGIR 2025, SISPI)"
    blind_spot: ClassVar[str] = "Blind to who is shown; unjudged items count as not relevant."

    def __call__(self, evidence: Evidence) -> tuple[Array, Array]:
        """NDCG of each query."""
        queries, ranks, gains = self.hits(evidence)
        totals = self.totals(evidence)
        relevant = evidence.relevant
        assert relevant is not None
        reached = per_query(evidence, queries, self._worth(gains, ranks))
        owner = np.repeat(np.arange(len(relevant)), np.diff(relevant.offsets))
        # the ideal list shows all relevant items of the query, judged from the highest gain down
        best = relevant.gains[np.lexsort((-relevant.gains, owner))]
        ideal_ranks = within(relevant.offsets) + 1
        if self.k is not None:
            shown = ideal_ranks <= self.k
            owner = owner[shown]
            best = best[shown]
            ideal_ranks = ideal_ranks[shown]
        ideal = per_query(evidence, owner, self._worth(best, ideal_ranks))
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.where(np.isnan(totals), np.nan, reached / ideal)
        return value, np.ones(len(evidence))

    def _worth(self, gains: Array, ranks: Array) -> Array:
        worth = gains if self.gain == "linear" else np.exp2(gains) - 1
        places = ranks + 1 if self.discount == "log2" else np.maximum(ranks, 2)
        return worth / np.log2(places)
