"""Simulate label error: how often an interval holds the truth, at a known rate of wrong labels.

The protocol, for one pool (share of the larger group), one labeller (sensitivity for the larger and
for the smaller group) and one sample:

1. A list shows k items, half of them predicted to be of each group: a mitigation has balanced it on
   predictions. Each item of a prediction is truly of a group with the local precision, which
   follows from the pool and the sensitivities by Bayes' rule.
2. People label n items. These are drawn **from other lists of the same kind** (a list of 100 cannot
   give 800), at random, so about half of them are predicted to be of each group.
3. The interval is made from the sample and the counts of predictions in the list, and compared with
   the true bias of ``LISTS`` such lists: it depends on the predictions alone, which are the same in
   all of them.

The bias is the signed one, (larger - smaller group) / k: the true bias **of the list that is
shown**, not of an average list. The absolute one stands beside it. An interval of an absolute bias
covers more than it says where the true bias is smaller than what n labels can tell from 0: it then
starts at 0, and can only fail above.

Four intervals are compared with the truth. ``naive`` takes predictions for the truth, so that the
list is known and balanced. ``wilson`` does so too, but takes its items for draws from a larger lot.
``alone`` looks at the labelled sample only, without predictions. ``corrected`` is
``statistics.correction``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols import Progress
from fairlead.results.score import plain
from fairlead.results.tabular import Tabular
from fairlead.statistics.correction import Way, corrected
from fairlead.types.ragged import Array

LISTS = 20
"""True lists each interval is held against."""
_Z = 1.959964


@dataclass(frozen=True)
class LabelTrial:
    """One pool, labeller and size of sample.

    Attributes:
        pool: Share of the larger group in the pool.
        sensitivity: Of the labeller, for the larger and for the smaller group.
        sample: How many items were labelled.
        k: Items of the list.
        true_bias: Expected bias of such lists.
        naive: Bias of the predictions.
        coverage_naive: How often the predictions alone are right about the list.
        coverage_wilson: The same with an interval over its items.
        corrected: Mean of the corrected bias over trials.
        coverage_corrected: How often the corrected interval holds the true bias of a list.
        width_corrected: Its mean width.
        coverage_alone: How often the interval from the labelled sample alone holds it.
        width_alone: Its mean width.
        coverage_absolute: How often the corrected interval of the absolute bias holds it.
        width_absolute: Its mean width.
        empty: Share of the trials whose sample has no item of the smaller group; their intervals
            are counted with the others.
        trials: How many samples were drawn.
    """

    pool: float
    sensitivity: tuple[float, float]
    sample: int
    k: int
    true_bias: float
    naive: float
    coverage_naive: float
    coverage_wilson: float
    corrected: float
    coverage_corrected: float
    width_corrected: float
    coverage_alone: float
    width_alone: float
    coverage_absolute: float
    width_absolute: float
    empty: float
    trials: int

    def to_dict(self) -> dict[str, object]:
        """JSON values."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


@dataclass(frozen=True)
class LabelTrials(Tabular):
    """The answer of ``simulate labels``: a row for each pool, labeller and size of sample."""

    rows: tuple[LabelTrial, ...]
    way: str

    def to_dict(self) -> dict[str, object]:
        """JSON values."""
        return {"rows": [row.to_dict() for row in self.rows], "way": self.way}

    def tables(self) -> dict[str, list[dict[str, object]]]:
        """``rows``."""
        return {"rows": [row.to_dict() for row in self.rows]}


def local_precision(pool: float, sensitivity: tuple[float, float]) -> tuple[float, float]:
    """The shares truly of the smaller group among the items predicted to be of either group.

    The first is among those predicted to be of the larger group.

    >>> larger, smaller = local_precision(0.95, (0.98, 0.97))
    >>> round(larger, 4), round(smaller, 4)
    (0.0016, 0.7185)
    """
    rare, (keeps, finds) = 1 - pool, sensitivity
    missed_rare = rare * (1 - finds)
    kept_rare = rare * finds
    return missed_rare / (missed_rare + pool * keeps), kept_rare / (kept_rare + pool * (1 - keeps))


def simulate_labels(
    pools: Sequence[float] = (0.6, 0.9, 0.95, 0.99),
    sensitivities: Sequence[tuple[float, float]] = ((0.98, 0.97), (0.88, 0.81)),
    *,
    samples: Sequence[int] = (50, 200, 800),
    k: int = 100,
    trials: int = 500,
    way: Way = "direct",
    draws: int = 1_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> LabelTrials:
    """Every pool with every labeller and every size of sample; see the module for the protocol."""
    _check(pools, sensitivities, samples, k, trials)
    cells = [(pool, s, n) for pool in pools for s in sensitivities for n in samples]
    rows = []
    for done, (pool, sensitivity, n) in enumerate(cells):
        if progress is not None:
            progress("simulating", done, len(cells))
        # Every cell has a stream of its own: asking for fewer pools changes none of the others.
        rng = np.random.default_rng([seed, k, n, *(round(1e6 * x) for x in (pool, *sensitivity))])
        rows.append(_cell(pool, sensitivity, n, k, trials, way, draws, rng))
    if progress is not None:
        progress("simulating", len(cells), len(cells))
    return LabelTrials(tuple(rows), way)


def _check(
    pools: Sequence[float],
    sensitivities: Sequence[tuple[float, float]],
    samples: Sequence[int],
    k: int,
    trials: int,
) -> None:
    for pool in pools:
        if not 0 < pool < 1:
            raise UsageError(
                f"--pool {pool:g} is no share of the larger group.",
                "Give a number between 0 and 1.",
            )
    for pair in sensitivities:
        if not all(0 < s <= 1 for s in pair):
            raise UsageError(
                f"--sensitivity {pair[0]:g} {pair[1]:g}: a sensitivity is a share above 0.",
                "Give two, e.g. 0.98 0.97.",
            )
    if min(samples, default=0) < 1 or k < 2 or k % 2 or trials < 1:
        raise UsageError(
            f"A sample of {min(samples, default=0)}, k = {k} and {trials} trials: one of "
            "them is too small, or k is odd."
        )


def _cell(
    pool: float,
    sensitivity: tuple[float, float],
    n: int,
    k: int,
    trials: int,
    way: Way,
    draws: int,
    rng: np.random.Generator,
) -> LabelTrial:
    rates = np.array(local_precision(pool, sensitivity))
    shown = np.array([k // 2, k // 2])
    # every list shows the same predictions; only which of them are wrong differs
    truths = 1 - 2 * rng.binomial(shown, rates, size=(trials, LISTS, 2)).sum(2) / k
    hits = np.zeros(4)
    widths = np.zeros(3)
    means = 0.0
    empty = 0
    for true in truths:
        # people label items of other lists of the same kind, half of them of each prediction
        labelled = rng.multinomial(n, [0.5, 0.5])
        rare = rng.binomial(labelled, rates)
        table = np.stack([labelled - rare, rare], axis=1)
        mean, held, reach = _intervals(true, table, shown, way=way, draws=draws, rng=rng)
        hits += held
        widths += reach
        means += mean
        empty += int(rare.sum() == 0)
    corrected_hits, alone_hits, absolute_hits, naive_hits = (hits / trials).tolist()
    corrected_width, alone_width, absolute_width = (widths / trials).tolist()
    return LabelTrial(
        pool,
        sensitivity,
        n,
        k,
        true_bias=float(1 - rates.sum()),
        # The predictions are half and half: to them the list has no bias.
        naive=0.0,
        coverage_naive=naive_hits,
        coverage_wilson=_inside(truths, _wilson(k)),
        corrected=means / trials,
        coverage_corrected=corrected_hits,
        width_corrected=corrected_width,
        coverage_alone=alone_hits,
        width_alone=alone_width,
        coverage_absolute=absolute_hits,
        width_absolute=absolute_width,
        empty=empty / trials,
        trials=trials,
    )


def _intervals(
    true: Array,
    table: Array,
    shown: Array,
    *,
    way: Way,
    draws: int,
    rng: np.random.Generator,
) -> tuple[float, list[float], list[float]]:
    """The corrected bias, how often each interval holds the truth, and how wide each is.

    Intervals are the corrected one, that of the sample alone, that of the absolute bias; the
    predictions, taken for the truth, come last and have no width.
    """
    estimate = corrected(shown, table, way=way, draws=draws, rng=rng)
    sample = table.sum(0, keepdims=True)
    # As if all predictions were one group: the sample then speaks for the list by itself.
    alone = corrected(shown.sum(keepdims=True), sample, draws=draws, rng=rng, prior=0.5)
    mean, signed = estimate.gap(0, 1)
    _, signed_alone = alone.gap(0, 1)
    _, absolute = estimate.absolute()
    held = [
        _inside(true, signed),
        _inside(true, signed_alone),
        _inside(np.abs(true), absolute),
        # The predictions say 0 and have no interval, so they are right or wrong.
        float(np.mean(true == 0)),
    ]
    return mean, held, [high - low for low, high in (signed, signed_alone, absolute)]


def _inside(values: Array, span: tuple[float, float]) -> float:
    # True biases are fractions of k, and ends of intervals can fall on one of them but for
    # rounding.
    return float(np.mean((values >= span[0] - 1e-9) & (values <= span[1] + 1e-9)))


def _wilson(k: int) -> tuple[float, float]:
    """Wilson's interval of the bias of a list that is balanced on predictions.

    Predictions are taken as if they were true.
    """
    half = _Z * math.sqrt(0.25 / k + _Z**2 / (4 * k**2))
    # a bias runs from -1 to 1, twice the length of a share
    reach = 2 * half / (1 + _Z**2 / k)
    return -reach, reach
