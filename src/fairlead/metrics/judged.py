"""What every relevance metric shares: gains at ranks, summed per query."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.metrics.listwise import Described
from fairlead.protocols import Direction
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


class JudgedMetric(Described):
    """A metric of relevance within the first ``k``; a query without relevant items is undefined."""

    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"relevant"})
    k: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is not None and self.k < 1:
            raise UsageError(f"{self.name}@{self.k}: the cut-off counts from 1.")

    def hits(self, evidence: Evidence) -> tuple[Array, Array, Array]:
        """Query, rank and gain of each relevant entry within the cut-off, in ranked order."""
        gains = evidence.gains
        ranks = evidence.ranking.ranks
        relevant = gains > 0
        if self.k is not None:
            relevant &= ranks <= self.k
        entries = np.flatnonzero(relevant)
        return evidence.ranking.query_of[entries], ranks[entries], gains[entries]

    def totals(self, evidence: Evidence) -> Array:
        """(queries,) number of relevant items of each query, NaN where there are none."""
        if evidence.relevant is None:
            raise DataError(f"{self.name} needs relevance judgements.", "Give them with --qrels.")
        counts = np.diff(evidence.relevant.offsets).astype(float)
        return np.where(counts > 0, counts, np.nan)


def per_query(evidence: Evidence, queries: Array, values: Array) -> Array:
    """(queries,) sum of values by query."""
    return np.bincount(queries, values, len(evidence)).astype(float)
