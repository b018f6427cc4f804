"""The null of forced choices.

Under it the cultural and the unrelated candidate are exchangeable, trial by trial.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.protocols import Direction
from fairlead.statistics.distributions import Distribution
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

# Where more of the draws have nothing below, a ratio has no chance level
_MOST_INFINITE = 0.01


@dataclass(frozen=True)
class RoleNull:
    """Each trial counts as observed or with the two roles swapped, with equal chance.

    The pooled ratio is taken anew for each draw.

    Attributes:
        observed: Numerator and denominator of each trial.
        swapped: The same with the roles exchanged.
    """

    direction: Direction
    observed: tuple[Array, Array]
    swapped: tuple[Array, Array]
    kind: str = "roles"

    @classmethod
    def of(cls, metric: Any, evidence: Evidence) -> RoleNull:
        """The null of a role metric on evidence of trials."""
        return cls(metric.direction, metric(evidence), metric.swapped(evidence))

    def select(self, trials: Array) -> RoleNull:
        """The null of some trials."""
        n, d, sn, sd = (values[trials] for values in (*self.observed, *self.swapped))
        return replace(self, observed=(n, d), swapped=(sn, sd))

    def row(
        self, draws: int, rng: np.random.Generator, clusters: Array | None = None
    ) -> tuple[float, float, float]:
        """Mean and spread of the pooled ratio under the null, and p.

        They are NaN where swapping changes nothing. Trials of one of the ``clusters`` (one word
        asked several times) are swapped together.
        """
        nothing = float("nan"), float("nan"), float("nan")
        parts = np.stack([*self.observed, *self.swapped])
        defined = ~np.isnan(parts[:2]).any(0)
        n, d, sn, sd = parts[:, defined]
        if not len(n) or (np.array_equal(n, sn) and np.array_equal(d, sd)):
            return nothing
        if clusters is not None:
            _, member = np.unique(clusters[defined], return_inverse=True)
            n, d, sn, sd = (np.bincount(member, values) for values in (n, d, sn, sd))
        # a hundred draws at a time bound the memory of many trials
        ratios = np.concatenate(
            [_swapped(n, d, sn, sd, min(100, draws - start), rng) for start in range(0, draws, 100)]
        )
        observed = float(_ratio(n.sum()[None], d.sum()[None])[0])
        if not np.isfinite(observed) or np.isinf(ratios).mean() > _MOST_INFINITE:
            return nothing
        # the few infinite ratios count in p, where their size does not matter
        finite = ratios[np.isfinite(ratios)]
        mean = float(finite.mean())
        spread = float(finite.std())
        return mean, spread, Distribution(np.sort(ratios)).tail(observed, self.direction)


def _swapped(
    n: Array, d: Array, sn: Array, sd: Array, draws: int, rng: np.random.Generator
) -> Array:
    """(draws,) pooled ratios where each trial counts as observed or as swapped by chance."""
    swap = rng.random((draws, len(n))) < 0.5
    return _ratio(np.where(swap, sn, n).sum(1), np.where(swap, sd, d).sum(1))


def _ratio(numerator: Array, denominator: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        without = np.where(numerator > 0, np.inf, 0.0)
        return np.where(denominator > 0, numerator / denominator, without)
