"""Labels of an annotator: what they add up to, and how far they agree with known labels.

No file is touched here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.statistics.cells import SMALLEST, hidden, limit
from fairlead.statistics.reliability import calibration_error, cross_tempered
from fairlead.statistics.wilson import wilson
from fairlead.types import Groups
from fairlead.types.ragged import Array

UNKNOWN, ABSENT = "unknown", "not-applicable"


@dataclass(frozen=True)
class LabelTally:
    """What labels add up to.

    Attributes:
        attribute: What is labelled.
        source: Who says so.
        labels: How many items, or candidates of queries, were labelled.
        counts: Expected number of each group, of unknown and of not applicable; None where
            withheld.
        least: The lowest count that is shown; 0 shows all.
    """

    attribute: str
    source: str
    labels: int
    counts: Mapping[str, float | None]
    least: int = SMALLEST

    def to_dict(self) -> dict[str, Any]:
        """The tally as JSON takes it."""
        about = {"attribute": self.attribute, "source": self.source, "labels": self.labels}
        return {**about, "counts": dict(self.counts), "least": self.least}


def tally(groups: Groups, least: int = SMALLEST) -> LabelTally:
    """Add up the labels of items; counts from which a person could be found are left out."""
    assert groups.not_applicable is not None
    mass, unknown = groups.mass()
    # rounded: sums of soft labels must not count as below a limit by rounding
    counts = np.round(np.array([*mass, unknown, float(groups.not_applicable.sum())]), 6)
    few = hidden(counts, limit(least))
    names = (*groups.names, UNKNOWN, ABSENT)
    shown = {
        name: None if low else float(count)
        for name, count, low in zip(names, counts, few, strict=True)
    }
    return LabelTally(groups.attribute, groups.source, len(groups), shown, least)


@dataclass(frozen=True)
class AccuracyCell:
    """How an annotator does on some items.

    Attributes:
        group: What the items have in common, e.g. ``Black*Female``.
        n: Items whose group is known.
        answered: Those the annotator gave a group.
        right: Those it gave the right one.
    """

    group: str
    n: int
    answered: int
    right: int

    @property
    def accuracy(self) -> float:
        """Share of the answers that are right; NaN without answers."""
        if self.answered:
            return self.right / self.answered
        return math.nan

    def to_dict(self) -> dict[str, Any]:
        """The cell as JSON takes it; ``ci`` is Wilson's interval of the accuracy."""
        low, high = wilson(self.accuracy, self.answered)
        share = self.answered / self.n if self.n else math.nan
        counts = {
            "group": self.group,
            "n": self.n,
            "answered": self.answered,
            "answered_share": _number(share),
            "right": self.right,
        }
        return counts | {"accuracy": _number(self.accuracy), "ci": [_number(low), _number(high)]}


@dataclass(frozen=True)
class LabelCalibration:
    """Whether soft labels mean what they say, on the items that were answered.

    Attributes:
        error: Expected calibration error.
        tempered: What it would be with the best temperature, measured on the half the temperature
            was not fitted on.
        factor: The best temperature, as a factor of the one at hand; 1 is calibrated, more is too
            sure.
    """

    error: float
    tempered: float
    factor: float


@dataclass(frozen=True)
class Evaluation:
    """How far an annotator agrees with known labels.

    It is told overall, in cells of which none is hidden, and group by group.
    """

    attribute: str
    source: str
    overall: AccuracyCell
    cells: tuple[AccuracyCell, ...]
    confusion: Mapping[str, Mapping[str, int]]
    calibration: LabelCalibration | None = None
    notes: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """Difference between the highest and the lowest accuracy of a cell.

        NaN with fewer than two cells.
        """
        known = [cell.accuracy for cell in self.cells if cell.answered]
        if len(known) > 1:
            return max(known) - min(known)
        return math.nan

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as JSON takes it."""
        if self.calibration is None:
            soft = None
        else:
            soft = {name: _number(value) for name, value in vars(self.calibration).items()}
        overall = {name: value for name, value in self.overall.to_dict().items() if name != "group"}
        return {
            "attribute": self.attribute,
            "annotator": self.source,
            "overall": {**overall, "gap": _number(self.gap), "calibration": soft},
            "cells": [cell.to_dict() for cell in self.cells],
            "confusion": {true: dict(row) for true, row in self.confusion.items()},
            "notes": list(self.notes),
        }


def answers(groups: Groups) -> Array:
    """(items,) the group an annotator settles on, -1 where it settles on none.

    It settles on none where unknown is as likely or the attribute does not apply.
    """
    assert groups.not_applicable is not None
    best = groups.share.argmax(1)
    most = groups.share[np.arange(len(best)), best]
    sure = (most > groups.unknown) & (most > 0)
    return np.where(sure & ~groups.not_applicable, best, -1)


def evaluate(
    told: Groups,
    truth: Groups,
    by: Mapping[str, Sequence[str]] | None = None,
    notes: Sequence[str] = (),
) -> Evaluation:
    """Hold labels against known ones.

    Args:
        told: What the annotator says.
        truth: Known labels of the same items; items without one are left out.
        by: Columns whose combinations are the cells; by default the known groups themselves.
        notes: What else to say.

    Raises:
        DataError: Where the two have no group in common, or nothing is known.
    """
    names = _matched(told, truth)
    known = np.flatnonzero(answers(truth) >= 0)
    if not len(known):
        raise DataError(
            f"No item has a known '{truth.attribute}'.",
            "Give labels of the items that are evaluated.",
        )
    true = answers(truth)[known]
    predicted = answers(told)[known]
    given = np.where(predicted >= 0, names[predicted], -1)
    columns = by or {truth.attribute: [truth.names[code] for code in answers(truth)]}
    labels = np.array(["*".join(parts) for parts in zip(*columns.values(), strict=True)])[known]
    # sorted, so that the page does not depend on the order of the items
    cells = tuple(
        _cell(name, true[labels == name], given[labels == name])
        for name in dict.fromkeys(sorted(labels))
    )
    confusion = {
        name: _counts(told, predicted[true == code])
        for code, name in enumerate(truth.names)
        if (true == code).any()
    }
    whole = _cell("all", true, given)
    return Evaluation(
        truth.attribute,
        told.source,
        whole,
        cells,
        confusion,
        _calibration(told, known, true, names),
        tuple(notes),
    )


def _matched(told: Groups, truth: Groups) -> Array:
    """(groups of the annotator,) the known group of the same name, case aside.

    It is -2, which is never right, where there is none.
    """
    # annotators and data sets differ in case alone often enough
    places = {name.casefold(): place for place, name in enumerate(truth.names)}
    numbers = np.array([places.get(name.casefold(), -2) for name in told.names])
    if (numbers < 0).all():
        raise DataError(
            (
                f"{told.source} labels {', '.join(told.names)}; the known labels of "
                f"'{truth.attribute}' are {', '.join(truth.names)}."
            ),
            "They must have groups of the same name.",
        )
    return numbers


def _cell(name: str, true: Array, given: Array) -> AccuracyCell:
    answered = given != -1
    right = (given == true)[answered]
    return AccuracyCell(name, len(true), int(answered.sum()), int(right.sum()))


def _counts(told: Groups, said: Array) -> dict[str, int]:
    """How often each group, or none, was said."""
    return {name: int((said == code).sum()) for code, name in enumerate(told.names)} | {
        UNKNOWN: int((said < 0).sum())
    }


def _calibration(told: Groups, known: Array, true: Array, names: Array) -> LabelCalibration | None:
    """The calibration of the shares among the groups, where they are soft and say anything."""
    if told.soft is None:
        return None
    place_of = {int(name): place for place, name in enumerate(names) if name >= 0}
    total = told.soft[known].sum(1)
    use = np.flatnonzero((total > 0) & np.isin(true, list(place_of)))
    if len(use) < 2:
        return None
    # calibration is of the groups among themselves: unknown mass is no claim
    share = told.soft[known][use] / total[use, None]
    code = np.array([place_of[int(t)] for t in true[use]])
    after, factor = cross_tempered(share, code)
    return LabelCalibration(calibration_error(share, code), calibration_error(after, code), factor)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
