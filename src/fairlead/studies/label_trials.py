"""Simulate label error: how often an interval holds the truth when the labels are wrong at a known
rate.

The protocol, for one pool (share of the larger group), one labeller (sensitivity for the larger and
for the smaller group), one sample:

1. A list shows k items, half of them predicted to be of each group: a mitigation has balanced it on
   predictions. Among the items of a prediction each is truly of a group with the local precision,
   which Bayes' rule gives from the pool and the sensitivities.
2. n items are labelled by people. They are drawn **from other lists of the same kind** (a list of
   100 cannot give 800), at random, so about half of them are predicted to be of each group.
3. The interval is made from the sample and the counts of predictions in the list, and held against
   the true bias of ``LISTS`` such lists: it depends on the predictions alone, which are the same in
   all.

The bias is the signed one, (larger - smaller group) / k: the true bias **of the list that is
shown**, not of an average list. The absolute one is told beside it. An interval of an absolute bias
covers more than it says where the true bias is smaller than what n
labels can tell from 0: it then starts at 0, and can only fail above.

Four intervals are held against the truth: ``naive`` takes the predictions for the truth, so that
    the list is known and balanced;
``wilson`` does so too, but takes its items for draws from a larger lot; ``alone`` looks at the
labelled sample only, without predictions; ``corrected`` is ``statistics.correction``.
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
    """The share truly of the smaller group among the items predicted to be of the larger, and among
    those of the smaller one.

    >>> larger, smaller = local_precision(0.95, (0.98, 0.97))
    >>> round(larger, 4), round(smaller, 4)
    (0.0016, 0.7185)
    """
    rare, (keeps, finds) = 1 - pool, sensitivity
    missed, found = rare * (1 - finds), rare * finds
    return missed / (missed + pool * keeps), found / (found + pool * (1 - keeps))


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
    truths = 1 - 2 * rng.binomial(shown, rates, size=(trials, LISTS, 2)).sum(2) / k
    held, widths, means, empty = np.zeros(4), np.zeros(3), 0.0, 0
    for true in truths:
        labelled = rng.multinomial(n, [0.5, 0.5])
        rare = rng.binomial(labelled, rates)
        table = np.stack([labelled - rare, rare], axis=1)
        found = corrected(shown, table, way=way, draws=draws, rng=rng)
        alone = corrected(
            np.array([k]), table.sum(0, keepdims=True), draws=draws, rng=rng, prior=0.5
        )
        mean, signed = found.gap(0, 1)
        spans = (signed, alone.gap(0, 1)[1], found.absolute()[1])
        held += [
            _inside(true, spans[0]),
            _inside(true, spans[1]),
            _inside(np.abs(true), spans[2]),
            np.mean(true == 0),
        ]
        widths += [high - low for low, high in spans]
        means, empty = means + mean, empty + int(rare.sum() == 0)
    coverage, width = held / trials, widths / trials
    return LabelTrial(
        pool,
        sensitivity,
        n,
        k,
        true_bias=float(1 - rates.sum()),
        naive=0.0,
        coverage_naive=float(coverage[3]),
        coverage_wilson=_inside(truths, _wilson(k)),
        corrected=means / trials,
        coverage_corrected=float(coverage[0]),
        width_corrected=float(width[0]),
        coverage_alone=float(coverage[1]),
        width_alone=float(width[1]),
        coverage_absolute=float(coverage[2]),
        width_absolute=float(width[2]),
        empty=empty / trials,
        trials=trials,
    )


def _inside(values: Array, span: tuple[float, float]) -> float:
    return float(np.mean((values >= span[0] - 1e-9) & (values <= span[1] + 1e-9)))


def _wilson(k: int) -> tuple[float, float]:
    """Wilson's interval of the bias of a list that is balanced on predictions, as if they were
    true.
    """
    reach = 2 * _Z * math.sqrt(0.25 / k + _Z**2 / (4 * k**2)) / (1 + _Z**2 / k)
    return -reach, reach
