"""Skew@k: log ratio of a group's share to its target (Geyik et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.evidence import Lists
from fairlead.metrics.listwise import ListMetric, member, shares
from fairlead.protocols import Direction
from fairlead.ragged import Array

Zero = Literal["half", "one", "eps", "infinite"]


def skews(lists: Lists, zero: Zero, eps: float, floor: bool) -> Array:
    """(q, groups) ln(share / target); a zero share becomes 1/(2k), 1/k, eps or stays minus infinity. NaN where share and target are 0."""
    share = shares(lists)
    known = np.maximum(lists.totals().sum(1, keepdims=True), 1e-300)
    instead = {"half": 1 / (2 * known), "one": 1 / known, "eps": np.full_like(known, eps), "infinite": np.zeros_like(known)}[zero]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(np.where(share == 0, instead, share)) - np.log(lists.target)
    value = np.where((share == 0) & (lists.target == 0), np.nan, value)
    return np.maximum(value, 0.0) if floor else value


@dataclass(frozen=True)
class Skew(ListMetric):
    """ln(share of ``group`` / its target). ``zero`` says what a zero share becomes; ``floor`` cuts at 0, as one library does."""

    group: str = ""
    zero: Zero = "half"
    eps: float = 1e-12
    floor: bool = False
    k: int | None = None

    name: ClassVar[str] = "Skew"
    direction: ClassVar[Direction] = "either"
    range: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    counts_only: ClassVar[bool] = True
    formula: ClassVar[str] = r"\ln\frac{n_g / k}{t_g}, \quad n_g = 0 \to \tfrac{1}{2k}"
    source: ClassVar[str] = "Geyik, Ambler, Kenthapadi (KDD 2019)"
    blind_spot: ClassVar[str] = (
        "One group at a time; blind to order and relevance. The rule for a zero share decides the value of one-sided lists."
    )

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        value = skews(lists, self.zero, self.eps, self.floor)[:, member(lists.names, self.group, "Skew(group=...)")]
        return value, np.ones(len(value))
