"""Partial pooling: the local precision of a labeller where each query has few labels.

Precision depends on who is in the local pool, so it differs from query to query. One average for
all would hide a bias that goes one way in some queries and the other way in others. But a sample of
200 over 24 queries leaves eight items a query. What helps is Bayes' rule. Where the labeller errs
alike in all queries and only the pools differ, the log share of truth t among the items of
prediction p in query q has a part of the labeller and a part of the pool, up to the sum to 1:

    theta[q, p, t] ~ exp(a[p, t] + u[q, t])
    exp a[p, t] ~ Gamma(PRIOR)     so that the shares of a prediction alone are Dirichlet(PRIOR)
    u[q, t] ~ Normal(0, tau)       tau ~ half-normal(SPREAD): 0 where all pools are alike

A query with many labelled items speaks for itself. One with few leans on the others as far as those
are alike, and one with none is a new draw. Draws come from a Metropolis sampler, which changes the
scale of u both with u and without it, because either move alone would get stuck (Yu, Meng 2011).
A single query is not pooled: its shares are Dirichlet(PRIOR + counts).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairlead.statistics.confusion import PRIOR, shares_drawn
from fairlead.types.ragged import Array

SPREAD = 1.5
"""How far apart the pools of queries may lie before any item is labelled, in log shares."""
# Steps before the first draw, between draws, and moves of each part in a step
_WARM, _APART, _MOVES = 400, 5, 2
_AIM, _GAIN, _STEP = 0.35, 0.05, 0.4
_DEEP = -60.0


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """Labelled items, one row for each query and prediction that has any.

    Attributes:
        counts: (rows, truths) labelled items.
        query: (rows,) number of the query, among ``queries``.
        prediction: (rows,) number of the prediction, among ``predictions``.
        queries: How many queries have labelled items.
        predictions: How many predictions there are.
    """

    counts: Array
    query: Array
    prediction: Array
    queries: int
    predictions: int

    def fit(self, labeller: Array, pools: Array) -> Array:
        """(rows,) log likelihood."""
        logits = labeller[self.prediction] + pools[self.query]
        logits = logits - logits.max(1, keepdims=True)
        likelihood: Array = (self.counts * logits).sum(1) - self.counts.sum(1) * np.log(
            np.exp(logits).sum(1)
        )
        return likelihood

    def by_query(self, rows: Array) -> Array:
        """(queries,) sums."""
        return np.bincount(self.query, rows, self.queries)

    def by_prediction(self, rows: Array) -> Array:
        """(predictions,) sums."""
        return np.bincount(self.prediction, rows, self.predictions)


@dataclass(frozen=True, eq=False)
class Pooled:
    """Posterior draws of the labeller's and the pools' parts.

    Attributes:
        labeller: (draws, predictions, truths) log weights.
        pools: (draws, queries with labelled items, truths) log weights.
        spread: (draws,) how far apart pools are; 0 where nothing is pooled.
    """

    labeller: Array
    pools: Array
    spread: Array

    @classmethod
    def fit_of(cls, labelled: LabelCounts, draws: int, rng: np.random.Generator) -> Pooled:
        """Draw from the posterior."""
        chain = _Chain(labelled, rng)
        for _ in range(_WARM):
            chain.step(tune=True)
        states = []
        for _ in range(draws):
            # neighbouring states of the chain are too alike to count as two draws
            for _ in range(_APART):
                chain.step()
            states.append((chain.labeller, chain.pools, chain.spread))
        labeller, pools, spread = (np.stack([state[i] for state in states]) for i in range(3))
        return cls(labeller, pools, spread)

    @classmethod
    def alone(cls, counts: Array, draws: int, rng: np.random.Generator) -> Pooled:
        """Draw from the posterior of (predictions, truths) counts of one list alone."""
        shares = shares_drawn(counts, draws, rng)
        logs = np.log(np.maximum(shares, np.exp(_DEEP)))
        return cls(logs, np.zeros((draws, 0, counts.shape[1])), np.zeros(draws))

    def shares(self, draw: int, prediction: Array, query: Array, rng: np.random.Generator) -> Array:
        """(cells, truths) shares of some cells in one draw.

        ``query`` numbers the queries with labelled items first, then any others; -1 is the average
        of those with labelled items.
        """
        known = self.pools[draw]
        truths = self.labeller.shape[2]
        others = max(0, int(query.max(initial=-1)) + 1 - len(known))
        average = known.mean(0) if len(known) else np.zeros(truths)
        pools = np.vstack(
            [known, self.spread[draw] * rng.standard_normal((others, truths)), average]
        )
        logits = self.labeller[draw][prediction] + pools[query]
        weights = np.exp(logits - logits.max(1, keepdims=True))
        shares: Array = weights / weights.sum(1, keepdims=True)
        return shares


class _Chain:
    """The state of the sampler and its moves."""

    def __init__(self, labelled: LabelCounts, rng: np.random.Generator) -> None:
        self.data = labelled
        self.rng = rng
        truths = labelled.counts.shape[1]
        total = np.stack(
            [labelled.by_prediction(labelled.counts[:, t]) for t in range(truths)], axis=1
        )
        self.labeller = np.log(shares_drawn(total, 1, rng, prior=1.0)[0])
        self.pools, self.spread = np.zeros((labelled.queries, truths)), 0.5
        self.reach = (np.full(labelled.predictions, 0.5), np.full(labelled.queries, 0.7))
        self.rows = labelled.fit(self.labeller, self.pools)

    def step(self, *, tune: bool = False) -> None:
        """One round of all moves; ``tune`` adapts how far they go."""
        for _ in range(_MOVES):
            self._move_labeller(tune)
            self._move_pools(tune)
            self._move_spread()
            self._stretch()
        # moves that leave all shares as they are: without them the parts wander apart slowly
        self._lift()
        self._shift()

    def _accept(self, gain: Array) -> Array:
        return np.log(self.rng.random(gain.shape)) < gain

    def _move_labeller(self, tune: bool) -> None:
        new = self.labeller + self.reach[0][:, None] * self.rng.standard_normal(self.labeller.shape)
        rows = self.data.fit(new, self.pools)
        accepted = self._accept(
            self.data.by_prediction(rows - self.rows) + _prior(new) - _prior(self.labeller)
        )
        self.labeller, self.rows = (
            np.where(accepted[:, None], new, self.labeller),
            np.where(accepted[self.data.prediction], rows, self.rows),
        )
        if tune:
            self.reach = (self.reach[0] * np.exp(_GAIN * (accepted - _AIM)), self.reach[1])

    def _move_pools(self, tune: bool) -> None:
        new = self.pools + self.reach[1][:, None] * self.rng.standard_normal(self.pools.shape)
        rows = self.data.fit(self.labeller, new)
        nearer = ((self.pools**2).sum(1) - (new**2).sum(1)) / (2 * self.spread**2)
        accepted = self._accept(self.data.by_query(rows - self.rows) + nearer)
        self.pools, self.rows = (
            np.where(accepted[:, None], new, self.pools),
            np.where(accepted[self.data.query], rows, self.rows),
        )
        if tune:
            self.reach = (self.reach[0], self.reach[1] * np.exp(_GAIN * (accepted - _AIM)))

    def _move_spread(self) -> None:
        """Propose another spread for the same pools."""
        new = self._other_spread()
        squares = (self.pools**2).sum()
        gain = (
            _prior_spread(new)
            - _prior_spread(self.spread)
            + self.pools.size * np.log(self.spread / new)
        )
        gain += squares / 2 * (self.spread**-2 - new**-2)
        if self._accept(np.array(gain)):
            self.spread = new

    def _stretch(self) -> None:
        """Propose another spread, with the pools stretched by the same factor."""
        new = self._other_spread()
        pools = self.pools * (new / self.spread)
        rows = self.data.fit(self.labeller, pools)
        if self._accept(
            np.array((rows - self.rows).sum() + _prior_spread(new) - _prior_spread(self.spread))
        ):
            self.spread = new
            self.pools = pools
            self.rows = rows

    def _other_spread(self) -> float:
        return float(self.spread * np.exp(_STEP * self.rng.standard_normal()))

    def _lift(self) -> None:
        """Propose log weights of a prediction that are all up or all down: its shares stay."""
        new = self.labeller + self.rng.standard_normal((len(self.labeller), 1))
        self.labeller = np.where(
            self._accept(_prior(new) - _prior(self.labeller))[:, None], new, self.labeller
        )

    def _shift(self) -> None:
        """Propose to move what all pools share to the labeller: all shares stay."""
        by = (
            self.spread
            / np.sqrt(max(len(self.pools), 1))
            * self.rng.standard_normal(self.pools.shape[1])
        )
        labeller = self.labeller + by
        pools = self.pools - by
        nearer = ((self.pools**2).sum() - (pools**2).sum()) / (2 * self.spread**2)
        if self._accept(np.array(_prior(labeller).sum() - _prior(self.labeller).sum() + nearer)):
            self.labeller = labeller
            self.pools = pools


def _prior(logs: Array) -> Array:
    """(predictions,) log density of log weights whose exponentials are Gamma(PRIOR)."""
    density: Array = (PRIOR * logs - np.exp(np.minimum(logs, 50))).sum(1)
    return density


def _prior_spread(spread: float) -> float:
    """Log density of the log of a half-normal spread."""
    return float(np.log(spread) - spread**2 / (2 * SPREAD**2))
