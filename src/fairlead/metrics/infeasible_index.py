"""InfeasibleIndex@k: how many prefixes hold too few of a group (Geyik et al. 2019).

Too few are less than floor(n t_g).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.metrics.listwise import ListMetric, group_mass, known_mass
from fairlead.protocols import Direction
from fairlead.types.evidence import Lists
from fairlead.types.ragged import Array

# Slack for products such as 10 x 0.3 that fall short of a whole number by rounding alone
_ROUNDING = 1e-9


@dataclass(frozen=True)
class InfeasibleIndex(ListMetric):
    """Number of prefixes of the first k in which some group's count is below floor(n t_g), n
    counting the known items of the prefix.

    ``share`` divides by the length of the list.
    """

    share: bool = False
    k: int | None = None

    name: ClassVar[str] = "InfeasibleIndex"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    formula: ClassVar[str] = (
        r"\sum_{n \le k} \left[\exists g: n_g(n) < \lfloor n\, t_g \rfloor\right]"
    )
    source: ClassVar[str] = "Geyik, Ambler, Kenthapadi (KDD 2019)"
    blind_spot: ClassVar[str] = (
        "Counts violated prefixes, not how far they are off; lower bounds only; blind to relevance."
    )

    def measure(self, lists: Lists) -> tuple[Array, Array]:
        known = known_mass(lists).cumsum(1)
        short = np.zeros(known.shape, np.bool_)
        # one group at a time, so that memory does not grow with the number of groups
        for g in range(len(lists.names)):
            least = np.floor(known * lists.target[:, g, None] + _ROUNDING)
            short |= group_mass(lists, g).cumsum(1) < least - _ROUNDING
        inside = np.arange(lists.width) < lists.lengths[:, None]
        violated = (short & inside).sum(1).astype(float)
        undefined = (known[:, -1:] == 0).all(1) | np.isnan(lists.target).any(1)
        size = np.maximum(lists.lengths, 1) if self.share else 1
        return np.where(undefined, np.nan, violated / size), np.ones(len(violated))
