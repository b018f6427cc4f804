"""Skew@k: log ratio of a group's share to its target (Geyik et al. 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.metrics.divergence import checked_eps
from fairlead.metrics.listwise import ListMetric, member, shares
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array

Zero = Literal["half", "one", "eps", "infinite"]


def skews(lists: Lists, zero: Zero, eps: float) -> Array:
    """(q, groups) ln(share / target), NaN where nothing is known or both are 0.

    A zero share becomes 1/(2k), 1/k or eps, or stays and gives minus infinity; k counts the
    labelled items shown (at least one).
    """
    share = shares(lists)
    # at least one, so that a list without labels divides by something; it is NaN in the end
    known = np.maximum(lists.totals().sum(1, keepdims=True), 1.0)
    instead = {
        "half": 1 / (2 * known),
        "one": 1 / known,
        "eps": np.full_like(known, eps),
        "infinite": np.zeros_like(known),
    }[zero]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(np.where(share == 0, instead, share)) - np.log(lists.target)
    return np.where((share == 0) & (lists.target == 0), np.nan, value)


@dataclass(frozen=True)
class Skew(ListMetric):
    """ln(share of ``group`` among labelled items / its target). ``zero`` says what a zero share
    becomes; ``floor`` cuts below 0.
    """

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
        "One group at a time; blind to order and relevance. The rule for a zero share "
        "decides the value of one-sided lists."
    )

    def validate(self) -> None:
        checked_eps(self.name, self.eps)

    @property
    def groups_named(self) -> Mapping[str, str]:
        """The group it looks at."""
        return {"group": self.group}

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        group = member(lists.names, self.group, "Skew(group=...)")
        value = skews(lists, self.zero, self.eps)[:, group]
        if self.floor:
            value = np.maximum(value, 0.0)
        return value, np.ones(len(value))
