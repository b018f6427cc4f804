"""FA*IR: enough protected items in every prefix that a fair draw would look like it.

An m-table says how many of the first i items must be protected (see ``mtables``). Place i takes the
best protected item if there are fewer than m_i so far, else the best item of all; if one queue is
empty it takes the other. Zehlike, Bonchi, Castillo, Hajian, Megahed, Baeza-Yates: FA*IR (CIKM
2017). With more than two groups it is the protected one against the rest. The table is made for the
shown length, min(k, candidates); i counts labelled items, and unknown ones are woven in by score.

``p`` defaults to the target share of the protected group. ``protected=auto`` takes, for each list,
the group whose share, averaged over the prefixes up to k, lies furthest below its target (ties: the
first listed). That is the group that is short at the head of that very list.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError, unknown_name
from fairlead.rerankers.bounds import TOLERANCE
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.merge import MergeRule, merge
from fairlead.rerankers.mtables import Adjust, adjusted_table
from fairlead.rerankers.queues import Queues, hard_codes, rerank
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

_PROTECTED, _REST, _UNKNOWN = 0, 1, 2


@dataclass(frozen=True)
class FairTopK(DescribedReranker):
    """Enough items of the protected group in every prefix to pass a binomial test."""

    p: float | None = None
    alpha: float = 0.1
    adjust: Adjust = "conservative"
    protected: str = "auto"

    name: ClassVar[str] = "fair_topk"
    summary: ClassVar[str] = (
        "Enough items of the protected group in every prefix to pass a binomial test (FA*IR)."
    )
    source: ClassVar[str] = (
        "Zehlike, Bonchi, Castillo, Hajian, Megahed, Baeza-Yates: FA*IR: a fair top-k "
        "ranking algorithm (CIKM 2017)"
    )
    blind_spot: ClassVar[str] = (
        "Lower bound for one group only, and a lenient one: alpha=0.1 tolerates what chance "
        "explains. Never moves a protected item down; "
        "groups other than the protected one are not told apart. Sees one hard label per item."
    )
    promise: ClassVar[str] = (
        "Every prefix holds at least the table's number of protected items while they last; "
        "a list that passes stays as it is; "
        "adjust=conservative: a fair draw fails with probability at most alpha."
    )

    def validate(self) -> None:
        if self.p is not None and not 0 <= self.p <= 1:
            raise UsageError(
                f"{self.name}(p={self.p}) is not a share.",
                "Accepted: 0 to 1, or none for the target share.",
            )
        if not 0 < self.alpha < 1:
            raise UsageError(
                f"{self.name}(alpha={self.alpha}) is not a significance level.",
                "Accepted: above 0 and below 1.",
            )

    @property
    def floor(self) -> float:
        """p, where it is given."""
        return 0.0 if self.p is None else self.p

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        ranking = evidence.ranking
        labelled = evidence.attribute
        codes = hard_codes(evidence)
        target = labelled.target.rows(np.arange(len(ranking)))
        protected = self._protected(labelled.groups.names, codes, ranking, target, k)
        if self.p is not None:
            p = np.full(len(ranking), self.p)
        else:
            p = target[np.arange(len(ranking)), protected]
        undecided = np.isnan(p) | (np.isnan(target[:, 0]) & (self.protected == "auto"))
        roles = np.where(codes == np.repeat(protected, ranking.lengths), _PROTECTED, _REST)
        roles[(codes < 0) | np.repeat(undecided, ranking.lengths)] = _UNKNOWN
        queues = Queues.of(roles, ranking, np.zeros((1, 2)))
        sizes = np.minimum(ranking.lengths, k)

        def order(first: int, last: int, width: int) -> Array:
            part = queues.part(first, last)
            keys = zip(
                sizes[first:last].tolist(),
                np.where(undecided, 0.0, p)[first:last].tolist(),
                strict=True,
            )
            return part.weave(merge(part, self._rule(list(keys), width), width))

        return rerank(evidence, k, order, columns=6)

    def _protected(
        self, names: tuple[str, ...], codes: Array, ranking: Ranking, target: Array, k: int
    ) -> Array:
        """(queries,) the protected group of each list."""
        if self.protected == "auto":
            return most_short(codes, ranking, target, k)
        if self.protected not in names:
            raise unknown_name("group to protect", self.protected, [*names, "auto"])
        return np.full(len(ranking), names.index(self.protected))

    def _rule(self, keys: list[tuple[int, float]], width: int) -> MergeRule:
        distinct = list(dict.fromkeys(keys))
        due = np.full((len(distinct), 2, width), width + 1)
        for row, (size, p) in enumerate(distinct):
            due[row, _PROTECTED] = _due(size, p, self.alpha, self.adjust, width)
        if len(distinct) == 1:
            return MergeRule(due)
        number = {key: row for row, key in enumerate(distinct)}
        return MergeRule(due[[number[key] for key in keys]])


@lru_cache(maxsize=1024)
def _due(size: int, p: float, alpha: float, adjust: Adjust, width: int) -> Array:
    """(width,) the place at which each protected item is due."""
    table = adjusted_table(size, p, alpha, adjust) if size else ()
    places = np.searchsorted(np.array(table, np.int64), np.arange(width), side="right") + 1
    return np.where(places > size, width + 1, places)


def most_short(codes: Array, ranking: Ranking, target: Array, k: int) -> Array:
    """(queries,) the group whose share lies furthest below its target.

    Shares are averaged over prefixes up to k labelled items. An item at labelled place i is in the
    prefixes n = i .. K and adds 1/n to each, so it weighs 1/i + ... + 1/K.
    """
    groups = target.shape[1]
    known = codes >= 0
    counts = np.append(0, np.cumsum(known))
    before = counts[ranking.offsets[:-1]]
    shown = np.minimum(counts[ranking.offsets[1:]] - before, k)
    places = counts[:-1] - np.repeat(before, ranking.lengths)
    counted = known & (places < k)
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, k + 1)))
    query = ranking.query_of[counted]
    weight = harmonic[shown[query]] - harmonic[places[counted]]
    total = np.bincount(query * groups + codes[counted], weight, len(ranking) * groups).reshape(
        -1, groups
    )
    gap = np.nan_to_num(total / np.maximum(shown, 1)[:, None] - target, nan=0.0)
    return (gap <= gap.min(axis=1, keepdims=True) + TOLERANCE).argmax(axis=1)
