"""PM-2, proportionality: places are seats, given to the group that is owed most.

With s_g the seats a group has so far, it is owed o_g = t_g / (2 s_g + 1) (Sainte-Lague). For each
place the group h that is owed most is served by the item with the largest

    f o_h p_ih + (1 - f) sum over g other than h of o_g p_ig,    p_ig = relevance_i share_ig

and the seat is divided: s_g grows by p_ig / sum over g of p_ig. f is ``focus``. Dang, Croft:
Diversity by proportionality (SIGIR 2012); there p is the relevance of a document to an aspect.
Items without any share have no claim to a seat and are woven in by rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.rerankers.aspects import greedy
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.single import SingleLists, one_by_one
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

# The least relevance of a claim
_TRACE = 1e-9


@dataclass(frozen=True)
class PM2(DescribedReranker):
    """Places as seats of an election: each goes to the group that is owed most, by the item that
    serves it best.
    """

    focus: float = 0.5

    name: ClassVar[str] = "pm2"
    summary: ClassVar[str] = (
        "Places as seats of an election: each goes to the group that is owed most, by "
        "the item that serves it best."
    )
    source: ClassVar[str] = (
        "Dang, Croft: Diversity by proportionality: an election-based approach to "
        "diversification (SIGIR 2012)"
    )
    blind_spot: ClassVar[str] = (
        "Has no setting that is the plain list: seats are always shared out. Relevance is a "
        "factor, so a low focus may serve a relevant "
        "item of a group that is owed nothing; unsure labels hold a fraction of a seat in "
        "every group."
    )
    promise: ClassVar[str] = (
        "With focus=1 and hard labels, seats follow Sainte-Lague exactly while items last; "
        "of two items of the same shares the better one "
        "comes first."
    )
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = ("focus", (0.5, 0.6, 0.7, 0.8, 0.9, 1.0))

    def validate(self) -> None:
        if not 0 <= self.focus <= 1:
            raise UsageError(
                f"{self.name}(focus={self.focus}) is not a weight.", "Accepted: 0 to 1."
            )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        return one_by_one(evidence, k, self._order)

    def _order(self, case: SingleLists) -> Array:
        known = case.shares.any(1)
        if known.all():
            return self._seated(case.shares, case.relevance, case.target, case.k)
        places = np.flatnonzero(known)
        if not len(places):
            return case.plain
        seated = places[
            self._seated(
                case.shares[places], case.relevance[places], case.target, min(case.k, len(places))
            )
        ]
        others = np.flatnonzero(~known)[: case.k]
        # An item without a claim waits for all that is seated before a better-ranked one, hence the
        # running maximum.
        keys = np.concatenate([np.maximum.accumulate(seated), others])
        return np.concatenate([seated, others])[keys.argsort(kind="stable")[: case.k]]

    def _seated(self, shares: Array, relevance: Array, target: Array, k: int) -> Array:
        # The last of a list has relevance 0; a trace of it keeps the groups apart even there.
        claims = shares * np.maximum(relevance, _TRACE)[:, None]
        columns = np.ascontiguousarray(claims.T)
        values = np.empty(len(claims))
        seats = 2 * claims / claims.sum(1, keepdims=True)
        held = np.ones(len(target))
        left = (claims > 0).sum(0)
        lasting = bool(left.min() >= k)
        others = 1 - self.focus
        turn = 2 * self.focus - 1

        def owed() -> Array:
            due = target / held
            if not lasting:  # a group that has run out is owed nothing
                due[left <= 0] = 0.0
            most = int(due.argmax())
            weights = due * others
            weights[most] += turn * due[most]
            return weights

        def step(place: int) -> Array:
            nonlocal held, left
            held = held + seats[place]
            if not lasting:
                left = left - (claims[place] > 0)
            return np.dot(owed(), columns, out=values)

        return greedy(np.dot(owed(), columns), step, k)
