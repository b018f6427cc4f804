"""Sensitivity: how much of each group a labeller recognises, and the ratio of two groups.

The ratio is the rho of Kong et al. 2023, there male by female and light by dark skin; 1 is a
labeller that errs evenly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_Z = 1.959964
_NOTHING = (math.nan, math.nan)


def share_of(part: float, whole: float) -> float:
    """A share of a whole; NaN where there is no whole to have a share of.

    >>> share_of(1, 4), share_of(0, 0)
    (0.25, nan)
    """
    if whole:
        return part / whole
    return math.nan


@dataclass(frozen=True)
class Ratio:
    """The sensitivity of one group by that of another.

    Attributes:
        value: The ratio.
        ci: Its interval; NaN where the two groups were picked because they differ most.
        above: The group above the line.
        below: The group below the line.
    """

    value: float
    ci: tuple[float, float]
    above: str
    below: str

    def to_dict(self) -> dict[str, Any]:
        """The ratio as JSON takes it."""
        # JSON has no word for NaN.
        numbers = [None if math.isnan(x) else x for x in (self.value, *self.ci)]
        return {
            "value": numbers[0],
            "ci": numbers[1:],
            "above": self.above,
            "below": self.below,
        }


def ratio_of(groups: Mapping[str, tuple[int, int]]) -> Ratio | None:
    """The ratio of two groups, the second by the first, or of more the least by the greatest.

    ``groups`` are the recognised and all items of each group; None with fewer than two.

    >>> ratio_of({"female": (8, 10), "male": (9, 10)}).value
    1.125
    """
    if len(groups) < 2:
        return None
    shares = {name: share_of(hits, size) for name, (hits, size) in groups.items()}
    if len(groups) == 2:
        below, above = groups
        span = ratio_interval(*zip(*groups.values(), strict=True))
    else:
        below = max(shares, key=shares.__getitem__)
        above = min(shares, key=shares.__getitem__)
        # Picked because they differ most: an interval for two given groups would be too narrow.
        span = _NOTHING
    return Ratio(share_of(shares[above], shares[below]), span, above, below)


def ratio_interval(hits: Sequence[int], sizes: Sequence[int]) -> tuple[float, float]:
    """The interval of a ratio of two shares, on the logarithm, with half a case added to each count
    (Walter 1975).
    """
    if not all(sizes):
        return _NOTHING
    # The half keeps the logarithm finite where a group is never recognised.
    parts = [(h + 0.5, n + 0.5) for h, n in zip(hits, sizes, strict=True)]
    middle = math.log(parts[1][0] / parts[1][1]) - math.log(parts[0][0] / parts[0][1])
    error = math.sqrt(sum(1 / h - 1 / n for h, n in parts))
    return math.exp(middle - _Z * error), math.exp(middle + _Z * error)
