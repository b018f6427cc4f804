"""What several raters say together of each item.

Here are the form that every aggregation gives, and the plainest of them, the majority.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.protocols.spec import Configured
from fairlead.types.answers import Answers
from fairlead.types.ragged import Array


@dataclass(frozen=True, eq=False)
class Consensus:
    """What raters say together.

    Attributes:
        share: (items, values) shares of the groups and of not applicable; what a row lacks to one
            is unknown.
        hard: Whether a row is one value or nothing.
        confusion: (raters, values, values) how often a rater answers the second value where the
            first holds; None where not estimated.
        prevalence: (values,) share of each value among all items; None where not estimated.
        rounds: Rounds until nothing moved.
        settled: Whether it came to rest within the rounds allowed.
    """

    share: Array
    hard: bool
    confusion: Array | None = None
    prevalence: Array | None = None
    rounds: int = 0
    settled: bool = True

    @property
    def unknown(self) -> Array:
        """(items,) the unknown mass."""
        return np.clip(1 - self.share.sum(1), 0.0, 1.0)


@dataclass(frozen=True)
class Majority(Configured):
    """The answer that more raters gave than any other, unsure among them; a tie is unknown."""

    name: ClassVar[str] = "majority"
    source: ClassVar[str] = "as in the labelling of Feng & Shah, three raters an item"
    blind_spot: ClassVar[str] = (
        "Takes every rater for equally good, and a narrow vote for a sure one."
    )

    def __call__(self, answers: Answers) -> Consensus:
        """One value for each item, or nothing: (items, values) zeros and ones."""
        # unsure competes, so that two unsure raters outvote one that is sure
        votes = np.column_stack([answers.counts, answers.unsure])
        most = votes.max(1, initial=0, keepdims=True)
        top = (votes == most) & (most > 0)
        winner = top & (top.sum(1, keepdims=True) == 1)
        return Consensus(winner[:, :-1].astype(np.float64), hard=True)
