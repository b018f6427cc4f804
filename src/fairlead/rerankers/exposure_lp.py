"""Exposure-fair stochastic ranking: groups get their share of attention over many draws.

    maximise    sum over i, n of relevance_i P_in v_n
    subject to  P doubly stochastic,
                | sum over i of (share_ig - t_g m_i) e_i | <= delta sum of v   for each group g,
                e_i = sum over n of P_in v_n

P_in is the probability of item i at place n, v_n = 1 / log2(n + 1) up to k and 0 below, m_i the
labelled mass of an item, and e_i its expected exposure. Singh, Joachims: Fairness of exposure in
rankings (KDD 2018), demographic parity, there for equal groups.

Every doubly stochastic matrix is a mixture of permutations (Birkhoff, von Neumann), so the program
is solved over mixtures, and its solution is its own decomposition. For given prices of the
constraints the best permutation is a sort by relevance minus what is paid. Permutations are added
until no sort is worth more (Dantzig, Wolfe 1960), which proves the mixture optimal. It holds about
as many permutations as there are groups. Each seed draws one of them. Where even mixtures cannot
reach delta, the least that they reach is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols.reranker import CutShort
from fairlead.rerankers.deadline import NEVER, Deadline
from fairlead.rerankers.programs import linear
from fairlead.rerankers.single import SingleLists
from fairlead.rerankers.streams import stream_keys, uniforms
from fairlead.rerankers.timed import LimitedReranker
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

# What a unit of exposure beyond delta costs; far more than relevance can be worth
_PENALTY = 1e4
_LEAST, _ROUNDS = 1e-9, 500


@dataclass(frozen=True)
class ExposureLP(LimitedReranker):
    """A draw from the best mixture of lists in which groups have their share of exposure."""

    delta: float = 0.0
    seconds: float | None = None

    name: ClassVar[str] = "exposure_lp"
    summary: ClassVar[str] = (
        "A draw from the best mixture of lists in which groups have their share of "
        "expected exposure."
    )
    source: ClassVar[str] = (
        "Singh, Joachims: Fairness of exposure in rankings (KDD 2018); here by column generation"
    )
    blind_spot: ClassVar[str] = (
        "Holds over many draws of the same query, each with a seed of its own: a single list "
        "may be as one-sided as the plain one. "
        "Groups as a whole, not items: within a group the best item always comes first. "
        "Needs the extra lp for more than two groups."
    )
    promise: ClassVar[str] = (
        "Expected exposure of every group within delta of its target, or as near as any "
        "mixture comes; no such mixture has more expected "
        "discounted relevance; a list that keeps to delta stays as it is."
    )
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "delta",
        (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4),
    )

    def validate(self) -> None:
        super().validate()
        if not 0 <= self.delta <= 1:
            raise UsageError(
                f"{self.name}(delta={self.delta}) is not a share.", "Accepted: 0 to 1."
            )

    def timed(self, evidence: Evidence, k: int, seed: int) -> tuple[Ranking, tuple[CutShort, ...]]:
        draws = uniforms(stream_keys(seed, self.unlimited, evidence.queries), 1)[:, 0]

        def order(case: SingleLists, deadline: Deadline) -> tuple[Array, float]:
            answer = mixture(case, self.delta, deadline)
            number = int(
                np.searchsorted(np.cumsum(answer.weights), draws[case.number], side="right")
            )
            return answer.lists[min(number, len(answer.lists) - 1)], answer.gap

        return self._one_by_one(evidence, k, order)


@dataclass(frozen=True, eq=False)
class Mixture:
    """Lists and how often each is drawn.

    Attributes:
        lists: (lists, k) places.
        weights: (lists,) probabilities.
        value: Expected discounted relevance, less the penalty.
        bound: No mixture has more.
    """

    lists: Array
    weights: Array
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """How far below the bound the mixture is, relative to the bound."""
        return (self.bound - self.value) / max(1.0, abs(self.bound))


def mixture(case: SingleLists, delta: float, deadline: Deadline = NEVER) -> Mixture:
    """The best mixture of lists of one query."""
    corners = _Corners(case, delta)
    plain = corners.best(np.zeros(len(case.target)))
    # a list that keeps to delta is left as it is
    if (np.abs(plain.off) <= corners.most + _LEAST).all():
        return Mixture(plain.places[None], np.ones(1), plain.worth, plain.worth)
    if len(case.target) == 2:
        return _chord(corners, plain, deadline)
    return _generated(corners, plain, deadline)


@dataclass(frozen=True, eq=False)
class _Corner:
    """One list: its places and its discounted relevance.

    ``off`` is (groups,) by how much the exposure of each group is off.
    """

    places: Array
    worth: float
    off: Array


class _Corners:
    """All lists of one query, of which the best for given prices is found by sorting."""

    def __init__(self, case: SingleLists, delta: float) -> None:
        self.case = case
        self.weight = 1 / np.log2(np.arange(2, case.k + 2))
        self.most = delta * float(self.weight.sum())

    def best(self, prices: Array) -> _Corner:
        """The best list at given prices, by rank among equal items.

        It has the most discounted relevance less (groups,) prices times what its exposure is off
        by.
        """
        keys = self.case.excess @ prices - self.case.relevance
        places = np.argsort(keys, kind="stable")[: self.case.k]
        return _Corner(
            places,
            float(self.case.relevance[places] @ self.weight),
            self.weight @ self.case.excess[places],
        )

    def reduced(self, corner: _Corner, prices: Array) -> float:
        """What a list is worth at given prices."""
        return float(corner.worth - corner.off @ prices)


def _chord(corners: _Corners, plain: _Corner, deadline: Deadline = NEVER) -> Mixture:
    """Two groups: one number is off, so a list on either side of the bound is enough.

    Sorts by the price between two lists find the next one.
    """
    sign = 1.0 if plain.off[0] > 0 else -1.0
    over = plain
    under = corners.best(np.array([sign, 0.0]) * _PENALTY)
    bound = corners.most
    if sign * under.off[0] >= bound:  # out of reach: the nearest there is
        return Mixture(under.places[None], np.ones(1), under.worth, under.worth)
    for _ in range(_ROUNDS):
        price = (over.worth - under.worth) / (sign * (over.off[0] - under.off[0]))
        prices = np.array([sign * price, 0.0])
        corner = corners.best(prices)
        if corners.reduced(corner, prices) <= corners.reduced(over, prices) + _LEAST:
            break
        over, under = (corner, under) if sign * corner.off[0] > bound else (over, corner)
        if deadline.over():
            break
    # the mixture of the two lists that hits the bound exactly
    share = (bound - sign * under.off[0]) / (sign * (over.off[0] - under.off[0]))
    value = share * over.worth + (1 - share) * under.worth
    return Mixture(
        np.stack([over.places, under.places]),
        np.array([share, 1 - share]),
        value,
        corners.reduced(corner, prices) + price * bound,
    )


def _generated(corners: _Corners, plain: _Corner, deadline: Deadline = NEVER) -> Mixture:
    """Any groups: lists are added until none is worth more at the current prices.

    The linear program over the lists so far gives the prices, and a sort gives the next list.
    """
    groups = len(plain.off)
    lists = [
        plain,
        *(corners.best(-unit * sign) for unit in np.eye(groups) for sign in (1.0, -1.0)),
    ]
    low = np.append(1.0, np.full(2 * groups, -np.inf))
    high = np.append(1.0, np.full(2 * groups, corners.most))
    for _ in range(_ROUNDS):
        off = np.stack([c.off for c in lists], axis=1)
        worth = np.array([c.worth for c in lists])
        # the last variable: how far beyond delta
        both = np.column_stack([np.vstack([off, -off]), -np.ones(2 * groups)])
        rows = np.vstack([np.append(np.ones(len(lists)), 0.0), both])
        upper = np.full(len(lists) + 1, np.inf)
        solved = linear(np.append(worth, -_PENALTY), rows, low, high, upper)
        prices = solved.duals[1 : groups + 1] - solved.duals[groups + 1 :]
        corner = corners.best(prices)
        missing = corners.reduced(corner, prices) - float(solved.duals[0])
        if missing <= _LEAST * max(1.0, abs(solved.value)):
            break
        lists.append(corner)
        if deadline.over():
            break
    weights = np.maximum(solved.x[:-1], 0.0)
    used = np.flatnonzero(weights > _LEAST)
    places = np.stack([lists[i].places for i in used])
    return Mixture(
        places, weights[used] / weights[used].sum(), solved.value, solved.value + max(missing, 0.0)
    )
