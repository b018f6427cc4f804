"""Imputation: draws of the true labels of all items that nobody has labelled.

Any metric can then be measured on each draw. An item that a person labelled keeps that label. Any
other is drawn from the shares of truths among items of the same prediction, in the same band (the
top of the lists, or the rest) and the same query. Those shares are drawn anew each time
(``pooling``). So the spread of a metric over draws holds both what is not known about the labeller
and which of the items at hand it got wrong (Rubin 1987).

The bands are separate where each has enough labelled items, otherwise there is one band. Items of
the collection that stand in no list are taken to be like those of an average list, if none of them
is labelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairlead.statistics.confusion import FEW
from fairlead.statistics.pooling import LabelCounts, Pooled
from fairlead.types.ragged import Array

NOBODY = -1
"""Truth of an item that nobody has labelled."""


@dataclass(frozen=True, eq=False)
class Units:
    """What is to be labelled: items, or entries of the ranking where labels depend on the query.

    Attributes:
        predicted: (units,) what the labeller says.
        truth: (units,) the true label, or ``NOBODY``.
        query: (units,) the query in whose list the item stands highest; ``queries`` for items in no
            list.
        top: (units,) whether it stands within the cut-off of some list.
        truths: How many true labels there are.
        predictions: How many predictions there are.
        queries: How many queries there are.
    """

    predicted: Array
    truth: Array
    query: Array
    top: Array
    truths: int
    predictions: int
    queries: int

    @property
    def labelled(self) -> Array:
        """(units,) which have a true label."""
        return self.truth != NOBODY

    @property
    def apart(self) -> bool:
        """Whether the top of the lists and the rest both have enough labelled items.

        If so, each speaks for itself.
        """
        at_top = (self.labelled & self.top).sum()
        elsewhere = (self.labelled & ~self.top).sum()
        return bool(min(at_top, elsewhere) >= FEW)

    @property
    def one_list(self) -> bool:
        """Whether everything labelled and everything shown is of one query.

        Then there is nothing to pool.
        """
        return self.queries == 1 and not (self.query[self.labelled] == 1).any()


@dataclass(frozen=True, eq=False)
class Imputation:
    """Draws of the true labels of all units. A cell is a prediction in a query.

    Attributes:
        units: What is labelled.
        parts: For each band: what is known of it, the prediction and the query of its cells, its
            unlabelled units, and their cells.
    """

    units: Units
    parts: tuple[tuple[Pooled, Array, Array, Array, Array], ...]

    @classmethod
    def fit(cls, units: Units, draws: int, rng: np.random.Generator) -> Imputation:
        """Fit the local precision of every band."""
        bands = [np.ones(len(units.top), np.bool_)]
        if units.apart:
            bands = [units.top, ~units.top]
        return cls(units, tuple(_part(units, band, draws, rng) for band in bands))

    def draws(self, rng: np.random.Generator) -> Iterator[Array]:
        """(units,) true labels, one array for each draw."""
        for draw in range(len(self.parts[0][0].spread)):
            truth = self.units.truth.copy()
            for pooled, prediction, query, free, cell in self.parts:
                shares = pooled.shares(draw, prediction, query, rng)
                ladder = np.cumsum(shares, axis=1)[:, :-1]
                coins = rng.random(len(free))[:, None]
                truth[free] = (coins >= ladder[cell]).sum(1)
            yield truth


def _part(
    units: Units, band: Array, draws: int, rng: np.random.Generator
) -> tuple[Pooled, Array, Array, Array, Array]:
    """One band of the units, ready to be drawn.

    Queries with labelled items get the first numbers; to the model all others are new queries.
    """
    labelled = np.flatnonzero(band & units.labelled)
    free = np.flatnonzero(band & ~units.labelled)
    seen, query = np.unique(units.query[labelled], return_inverse=True)
    cells, row = np.unique(units.predicted[labelled] * len(seen) + query, return_inverse=True)
    flat = np.bincount(
        row * units.truths + units.truth[labelled], minlength=len(cells) * units.truths
    )
    counts = flat.reshape(len(cells), units.truths)
    order = np.full(units.queries + 1, -1)
    # queries with labels come first, in the order the model counts them
    order[seen] = np.arange(len(seen))
    order[order < 0] = np.arange(len(seen), units.queries + 1)
    if units.queries not in seen:  # the collection beyond the lists, of which nothing is labelled
        order[units.queries] = -1
    if units.one_list:
        table = np.zeros((units.predictions, units.truths), np.int64)
        np.add.at(table, cells // max(len(seen), 1), counts)
        pooled = Pooled.alone(table, draws, rng)
        queries_of_free = np.zeros(len(free), np.int64)
    else:
        pooled = Pooled.fit_of(
            LabelCounts(
                counts, cells % len(seen), cells // len(seen), len(seen), units.predictions
            ),
            draws,
            rng,
        )
        queries_of_free = order[units.query[free]]
    wide = units.queries + 2
    wanted, cell = np.unique(
        units.predicted[free] * wide + queries_of_free + 1, return_inverse=True
    )
    return pooled, wanted // wide, wanted % wide - 1, free, cell
