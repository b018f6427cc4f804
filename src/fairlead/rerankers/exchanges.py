"""Exchanges: from a set that nearly fits to one that does, and on to a better one.

Items are swapped one or two at a time. A branch-and-bound search is slow to find any set whose
expected counts hit narrow bounds in several groups at once. Among thousands of swaps, and millions
of pairs of swaps, there nearly always is one. The bound of the linear program says how good the set
is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairlead.rerankers.programs import scipy
from fairlead.types.ragged import Array

# How many shown and how many other items are considered: those the linear program was least sure
# about
_WIDTH = 60
_ROUNDS, _PAIRINGS, _NEAREST = 200, 3, 4
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Exchange:
    """A set under exchange.

    Attributes:
        relevance: (n,).
        excess: (n, groups) what each item adds to a group beyond its due.
        slack: How far the sums of a set may be off.
        near: (n,) places, those most worth looking at first.
    """

    relevance: Array
    excess: Array
    slack: float
    near: Array

    def improved(self, chosen: Array) -> Array:
        """(n,) the set after all swaps, and pairs of swaps, that make it better.

        They bring it closer to fitting, or keep it fitting and gain relevance.
        """
        chosen = self._swapped(chosen)
        for _ in range(_PAIRINGS):
            other = self._swapped(self._paired(chosen))
            if self.worth(other) <= self.worth(chosen):
                break
            chosen = other
        return chosen

    def worth(self, chosen: Array) -> tuple[float, float]:
        """Sets compare by how far beyond the slack they are, then by relevance."""
        return -round(self.beyond(chosen), 9), round(float(self.relevance[chosen].sum()), 9)

    def beyond(self, chosen: Array) -> float:
        """How far beyond the slack a set is."""
        return max(0.0, float(np.abs(self.excess[chosen].sum(0)).max()) - self.slack)

    def _swapped(self, chosen: Array) -> Array:
        chosen = chosen.copy()
        for _ in range(_ROUNDS):
            shown, others, shift, gain = self._swaps(chosen)
            held = self.excess[chosen].sum(0)
            beyond = self.beyond(chosen)
            after = np.maximum(np.abs(held + shift).max(1) - self.slack, 0.0)
            if beyond > _LEAST:
                best = int(after.argmin())
            else:
                best = int(np.where(after <= _LEAST, gain, -np.inf).argmax())
            if not len(after):
                break
            # first towards a set that fits, and only then towards more relevance
            if beyond > _LEAST:
                better = after[best] < beyond - _LEAST
            else:
                better = gain[best] > _LEAST and after[best] <= _LEAST
            if not better:
                break
            chosen[shown[best]], chosen[others[best]] = False, True
        return chosen

    def _paired(self, chosen: Array) -> Array:
        """The set after the best two swaps at once."""
        shown, others, shift, gain = self._swaps(chosen)
        if len(shown) < 2:
            return chosen
        held = self.excess[chosen].sum(0)
        # The last group follows from the others where excess adds up to nothing.
        follows = bool(np.abs(self.excess.sum(1)).max() < _LEAST)
        columns = slice(None, -1) if follows else slice(None)
        _, second = (
            scipy("spatial")
            .cKDTree(shift[:, columns])
            .query(-(held + shift)[:, columns], k=min(_NEAREST, len(shift)), p=np.inf)
        )
        second = second.reshape(len(shift), -1)
        # two swaps can only be made at once if they share no item
        apart = (shown[:, None] != shown[second]) & (others[:, None] != others[second])
        after = np.maximum(np.abs(held + shift[:, None] + shift[second]).max(2) - self.slack, 0.0)
        after = np.where(apart, after, np.inf)
        total = gain[:, None] + gain[second]
        score = np.where(after <= _LEAST, total, -np.inf) if (after <= _LEAST).any() else -after
        first, at = np.unravel_index(int(score.argmax()), score.shape)
        if not apart[first, at]:
            return chosen
        both = [int(first), int(second[first, at])]
        result = chosen.copy()
        result[shown[both]], result[others[both]] = False, True
        return result

    def _swaps(self, chosen: Array) -> tuple[Array, Array, Array, Array]:
        """All swaps considered: who leaves, who comes, what shifts and what is gained."""
        taken = chosen[self.near]
        shown = self.near[taken][:_WIDTH]
        others = self.near[~taken][:_WIDTH]
        leave = np.repeat(shown, len(others))
        come = np.tile(others, len(shown))
        return (
            leave,
            come,
            self.excess[come] - self.excess[leave],
            self.relevance[come] - self.relevance[leave],
        )
