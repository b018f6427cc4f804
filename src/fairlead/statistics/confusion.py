"""Confusion: how a labeller errs, counted on items whose true group is known.

What counts is the local precision. A labeller of 97-98 % accuracy is wrong about every fourth item
that it assigns to a group of 5 % of the pool, and about two of three at 1 %: what the error does to
a list depends on who is in the pool. So the table is counted on items **of the lists that are
audited**, and read from prediction to truth (precision), not from truth to prediction
(sensitivity).

Each cell starts with a quarter of an item: over the four cells of two groups the prior is worth one
labelled item. With it, a sample without a single item of a group gives a wide and finite answer,
which is flagged. The weight was chosen by ``fairlead simulate labels``: with a half, the interval
is wider than the labelled sample's own where the pool is 99:1; with less, it covers too seldom.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.errors import DataError
from fairlead.types.ragged import Array

PRIOR = 0.25
"""Items in each cell of the table before any is labelled."""
FEW = 10
"""Below so many labelled items of one prediction, the prior has a say."""


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of labelled items, by stratum, prediction and truth.

    Attributes:
        truths: The true groups (and ``not-applicable``, where it occurs).
        predictions: What the labeller says: the groups, ``unknown``, and ``not-applicable`` where
            it occurs.
        counts: (strata, predictions, truths) labelled items.
        strata: Names of the strata: queries, the top of the lists and the rest; one where they are
            not told apart.
    """

    truths: tuple[str, ...]
    predictions: tuple[str, ...]
    counts: Array
    strata: tuple[str, ...] = ("all",)

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts, np.float64)
        counts = counts[None] if counts.ndim == 2 else counts
        shape = (len(self.strata), len(self.predictions), len(self.truths))
        if counts.shape != shape or (counts < 0).any():
            raise DataError(
                f"A confusion of {shape} strata, predictions and truths got counts of "
                f"{counts.shape}, or negative ones."
            )
        object.__setattr__(self, "counts", counts)

    @classmethod
    def of(
        cls,
        predicted: Array,
        true: Array,
        *,
        truths: Sequence[str],
        predictions: Sequence[str],
        stratum: Array | None = None,
        strata: Sequence[str] = ("all",),
    ) -> Confusion:
        """Count labelled items from (items,) codes of predictions, truths and, if any, strata."""
        shape = (len(strata), len(predictions), len(truths))
        where = np.zeros(len(true), np.int64) if stratum is None else np.asarray(stratum)
        cells = np.ravel_multi_index((where, np.asarray(predicted), np.asarray(true)), shape)
        return cls(
            tuple(truths),
            tuple(predictions),
            np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape),
            tuple(strata),
        )

    @property
    def labelled(self) -> int:
        """How many items were labelled."""
        return int(self.counts.sum())

    @property
    def table(self) -> Array:
        """(predictions, truths) counts over all strata."""
        return self.counts.sum(0)

    def precision(self, prior: float = PRIOR) -> Array:
        """(strata, predictions, truths) share of each truth among items of a prediction."""
        cells = self.counts + prior
        return cells / cells.sum(2, keepdims=True)

    def sensitivity(self, prior: float = PRIOR) -> Array:
        """(strata, truths, predictions) share of each prediction among items of a truth."""
        cells = np.swapaxes(self.counts, 1, 2) + prior
        return cells / cells.sum(2, keepdims=True)

    def flags(self, needed: Array | None = None) -> Iterator[str]:
        """What the table cannot say: predictions with few labels, groups with none.

        ``needed`` are the (predictions,) counts in the lists. A prediction that does not occur
        there needs no labels.
        """
        wanted = np.ones(len(self.predictions)) if needed is None else needed
        for name, count, shown in zip(self.predictions, self.table.sum(1), wanted, strict=True):
            if shown and count == 0:
                yield (
                    f"no labelled item among those predicted '{name}': their truth is the "
                    "prior's, which is anything"
                )
            elif shown and count < FEW:
                yield f"only {count:.0f} labelled items among those predicted '{name}'"
        for name, count in zip(self.truths, self.table.sum(0), strict=True):
            if count == 0:
                yield f"no labelled item is truly '{name}': its share rests on the prior"


def shares_drawn(
    counts: Array, draws: int, rng: np.random.Generator, prior: float = PRIOR
) -> Array:
    """(draws, ..., truths) posterior draws of the shares behind counts (..., truths).

    The prior is Dirichlet, with ``prior`` items in each cell.
    """
    weights = np.asarray(counts, np.float64) + prior
    gammas = rng.standard_gamma(np.broadcast_to(weights, (draws, *weights.shape)))
    total = gammas.sum(-1, keepdims=True)
    # weights far below 1 can all be drawn as 0: then nothing is known, and the shares are even
    even = 1 / gammas.shape[-1]
    return np.where(total > 0, gammas / np.where(total > 0, total, 1), even)
