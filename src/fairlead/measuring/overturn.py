"""Overturn: how wrong the labels would have to be for a row to read differently.

A row reads *worse than chance* where the interval of its excess lies on the worse side of 0, else
*not worse*. Wrong labels are put right at random at a rising rate, and the answer is the smallest
rate at which the row reads the other way. Labels are wrong in one of two ways. ``any``: a label of
any group is wrong at this rate, and truly of one of the other groups, evenly. One-sided: only the
labels of one group are wrong. One-sided error is what a labeller of 97 % does to a group that is
rare in the pool, and it is what can hide a bias in a list that is balanced on predictions. Even
error can only wash a bias out.

No sample is needed for this. Beside a sample, it says whether the error that was measured is near
the error that would matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairlead.measuring.relabel import Readings, Relabelling
from fairlead.measuring.settings import Settings, stream
from fairlead.protocols import Progress
from fairlead.results.score import Row
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

RATES = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Rates tried in turn; between the last that changed nothing and the first that did, the answer is
narrowed down.
"""
# Labellings at each rate, how many of them have a chance level of their own, draws whose interval
# is looked at. All are few: every row tries a dozen rates, for every group.
_DRAWS, _LEVELS, _LOOKS = 20, 2, 3
_HALVINGS, _MOST_GROUPS = 3, 8


def overturn(
    rows: Sequence[Row],
    evidence: Evidence,
    metrics: Sequence[Any],
    *,
    settings: Settings,
    plain: Evidence | None = None,
    progress: Progress | None = None,
) -> tuple[Row, ...]:
    """The rows of ``score``, each with the rates of label error that would change its reading.

    A rate is None where half of the labels wrong would not do it.
    """
    by_name = {str(m): m for m in metrics}
    read_rows = list(rows)
    for i, row in enumerate(rows):
        if (
            row.attribute is None
            or by_name[row.metric].shape == "roles"
            or math.isnan(sum(row.excess_ci))
        ):
            continue
        if progress is not None:
            progress("how wrong labels may be", i, len(rows))
        lists = Relabelling.of(row.attribute, evidence, plain, settings)
        read_rows[i] = replace(row, label_error=_rates(row, lists, by_name[row.metric], settings))
    return tuple(read_rows)


def reads_worse(row_direction: str, interval: tuple[float, float]) -> bool:
    """Whether an interval of an excess lies on the worse side of chance."""
    low, high = interval
    if row_direction == "either":
        return low > 0 or high < 0
    if row_direction == "lower":
        return low > 0
    return high < 0


def _rates(row: Row, lists: Relabelling, metric: Any, settings: Settings) -> dict[str, Any]:
    # A rate of wrong labels is of hard ones: soft ones stand for their likeliest group.
    codes = lists.labelled.groups.codes
    if codes is None:
        codes = lists.labelled.groups.share.argmax(1)
    names = lists.labelled.groups.names
    worse = reads_worse(row.direction, row.excess_ci)

    def changed(rate: float, group: int | None) -> bool:
        # the same items go wrong first at every rate
        rng = stream(settings.seed, "overturn", row.metric, row.attribute)
        parts = []
        levels = []
        for draw in range(_DRAWS):
            under = lists.under(_wrong(np.asarray(codes), rate, group, len(names), rng))
            parts.append(metric(under[0]))
            # chance levels cost far more than values and hardly move between draws
            if draw < _LEVELS:
                levels.append(lists.chance(metric, under))
        how = {"method": settings.interval, "clusters": settings.clusters, "looks": _LOOKS}
        return (
            reads_worse(row.direction, Readings.of(metric, parts, levels).excess(rng=rng, **how)[1])
            != worse
        )

    def smallest(group: int | None) -> float | None:
        return _smallest(lambda rate: changed(rate, group))

    # with many groups one-sided error takes long, and says little
    sides = {name: smallest(g) for g, name in enumerate(names) if len(names) <= _MOST_GROUPS}
    reads = "not worse than chance"
    if worse:
        reads = "worse than chance"
    return {
        "reads": reads,
        "any": smallest(None),
        "one_sided": sides,
    }


def _wrong(
    codes: Array, rate: float, group: int | None, groups: int, rng: np.random.Generator
) -> Array:
    """Labels of which some are put right: truly of another group, evenly."""
    goes = rng.random(len(codes))
    to = rng.integers(1, groups, len(codes))
    # Unknown and not applicable are no groups, and stay what they are.
    may = codes >= 0
    if group is not None:
        may = codes == group
    at = (goes < rate) & may
    return np.where(at, (codes + to) % groups, codes)


def _smallest(changed: Callable[[float], bool]) -> float | None:
    """The smallest rate that changes the reading, to about a tenth of itself.

    None where no rate up to the last one does.
    """
    before = 0.0
    for rate in RATES:
        if not changed(rate):
            before = rate
            continue
        low = before
        high = rate
        # three halvings bring the rate to about a tenth of itself
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if changed(middle):
                high = middle
            else:
                low = middle
        return float(f"{high:.2g}")
    return None
