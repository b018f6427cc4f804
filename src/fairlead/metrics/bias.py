"""Bias@k: the signed gap between one group and the others.

It comes with both published denominators and with the weighted form of the authors' notebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.metrics.listwise import Discount, ListMetric, member, weighted_totals
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Bias(ListMetric):
    """(n_positive - n_negative) / k, k counting the items shown. ``denominator=known`` divides by
    those of either group (none: 0).

    ``negative`` is all other groups by default. ``discount=trec`` gives the notebook's form: mean
    over k of w_i b_i, with w = 1, 1, 1/log2 3, ..., not divided by the sum of w.
    """

    positive: str = ""
    negative: str = ""
    denominator: Literal["shown", "known"] = "shown"
    discount: Discount = "none"
    k: int | None = None

    name: ClassVar[str] = "Bias"
    direction: ClassVar[Direction] = "either"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"groups"})
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = (
        r"\frac{n_{+} - n_{-}}{k} \quad\text{or}\quad \frac{n_{+} - n_{-}}{n_{+} + n_{-}}"
    )
    source: ClassVar[str] = "Kong et al. (NeurIPS 2023, PBM); Wang, Liu, Wang (EMNLP 2021)"
    blind_spot: ClassVar[str] = (
        "Queries skewed to opposite sides cancel in the mean: read it beside AbsBias. "
        "Blind to order and to relevance."
    )

    def validate(self) -> None:
        if self.positive and self.positive == self.negative:
            raise UsageError(
                f"Bias compares two groups, got '{self.positive}' twice.",
                "Leave out negative to compare with all others.",
            )

    @property
    def groups_named(self) -> Mapping[str, str]:
        """The groups it compares."""
        negative = {"negative": self.negative} if self.negative else {}
        return {"positive": self.positive, **negative}

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        plus = member(lists.names, self.positive, "Bias(positive=...)")
        minus = [g for g in range(len(lists.names)) if g != plus]
        if self.negative:
            minus = [member(lists.names, self.negative, "Bias(negative=...)")]
        totals = weighted_totals(lists, self.discount)
        gap = totals[:, plus] - totals[:, minus].sum(1)
        if self.denominator == "shown":
            with np.errstate(invalid="ignore", divide="ignore"):
                value = np.where(lists.lengths > 0, gap / lists.lengths, np.nan)
            return value, np.ones(len(gap))
        # the discount weighs the gap alone, as in the notebook: the denominator counts items
        known = lists.totals()
        size = known[:, plus] + known[:, minus].sum(1)
        value = np.where(size > 0, gap / np.maximum(size, 1e-12), 0.0)
        return np.where(lists.lengths > 0, value, np.nan), np.ones(len(gap))
