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
from fairlead.studies.sensitivity import Ratio, ratio_of, share_of
from fairlead.types import Groups
from fairlead.types.joining import places
from fairlead.types.ragged import Array
from fairlead.words.counts import counted

UNKNOWN, ABSENT = "unknown", "not-applicable"
# Codes of a group that the known labels lack, which is never right, and of not applicable. They
# differ from -1, no answer: such a group is an answer, and counts as one.
_NEVER, _ABSENT = -3, -2


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
        return share_of(self.right, self.answered)

    def to_dict(self) -> dict[str, Any]:
        """The cell as JSON takes it; ``ci`` is Wilson's interval of the accuracy."""
        # Of the answered: how often no answer is given is a number of its own.
        low, high = wilson(self.accuracy, self.answered)
        share = share_of(self.answered, self.n)
        counts = {
            "group": self.group,
            "n": self.n,
            "answered": self.answered,
            "answered_share": _number(share),
            "right": self.right,
        }
        return counts | {"accuracy": _number(self.accuracy), "ci": [_number(low), _number(high)]}


@dataclass(frozen=True)
class ClassScore:
    """How well one class is told from the others, over all items whose label is known.

    Attributes:
        name: A group, or ``not-applicable``.
        n: Items of this class.
        said: Items, of any class, that the annotator said are of it.
        right: Items of which both hold.
    """

    name: str
    n: int
    said: int
    right: int

    @property
    def sensitivity(self) -> float:
        """Share of the class that was recognised; what is not answered counts as missed."""
        return share_of(self.right, self.n)

    @property
    def precision(self) -> float:
        """Share of what was said to be of the class that is."""
        return share_of(self.right, self.said)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and sensitivity."""
        # The same number without a division by a precision or sensitivity that is undefined.
        return share_of(2 * self.right, self.n + self.said)

    def to_dict(self) -> dict[str, Any]:
        """The scores as JSON takes them; ``ci`` is Wilson's interval of the sensitivity."""
        low, high = wilson(self.sensitivity, self.n)
        return {
            "class": self.name,
            "n": self.n,
            "said": self.said,
            "right": self.right,
            "sensitivity": _number(self.sensitivity),
            "ci": [_number(low), _number(high)],
            "precision": _number(self.precision),
            "f1": _number(self.f1),
        }


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
    classes: tuple[ClassScore, ...] = ()
    ratio: Ratio | None = None

    @property
    def f1(self) -> float:
        """Mean of the classes' F1; NaN without classes."""
        return share_of(sum(one.f1 for one in self.classes), len(self.classes))

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
        soft = rho = None
        if self.calibration is not None:
            soft = {name: _number(value) for name, value in vars(self.calibration).items()}
        if self.ratio is not None:
            rho = self.ratio.to_dict()
        overall = {name: value for name, value in self.overall.to_dict().items() if name != "group"}
        return {
            "attribute": self.attribute,
            "annotator": self.source,
            "overall": {
                **overall,
                "gap": _number(self.gap),
                "f1": _number(self.f1),
                "rho": rho,
                "calibration": soft,
            },
            "cells": [cell.to_dict() for cell in self.cells],
            "classes": [one.to_dict() for one in self.classes],
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
    """Hold labels against known ones, joined by the names of their groups.

    Items to which the attribute does not apply are no part of a cell. They have a row of their own
    in the confusion, and are a class of their own beside the groups.

    Args:
        told: What the annotator says.
        truth: Known labels of the same items; items without one are left out.
        by: Columns whose combinations are the cells; by default the known groups themselves.
        notes: What else to say.

    Raises:
        DataError: Where the two have different groups, or nothing is known.
    """
    # Both in one order: the two may list the same groups differently.
    told = told.by_name
    truth = truth.by_name
    at, spelling = places(
        told.names, truth.names, attribute=truth.attribute, whose=told.source or "the annotator"
    )
    names = np.where(at < 0, _NEVER, at)
    true = answers(truth)
    predicted = answers(told)
    known = np.flatnonzero(true >= 0)
    if not len(known):
        raise DataError(
            f"No item has a known '{truth.attribute}'.",
            "Give labels of the items that are evaluated.",
        )
    given = np.where(predicted >= 0, names[predicted], -1)
    columns = by or {truth.attribute: [truth.names[code] for code in true]}
    labels = np.array(["*".join(parts) for parts in zip(*columns.values(), strict=True)])[known]
    # sorted, so that the page does not depend on the order of the items
    cells = tuple(
        _cell(name, true[known][labels == name], given[known][labels == name])
        for name in dict.fromkeys(sorted(labels))
    )
    classes = _classes(truth, told, given)
    return Evaluation(
        truth.attribute,
        told.source,
        _cell("all", true[known], given[known]),
        cells,
        _confusion(told, predicted, truth),
        _calibration(told, known, true[known], names),
        (*notes, *spelling, *_guessed(truth, predicted)),
        classes,
        ratio_of({c.name: (c.right, c.n) for c in classes if c.n and c.name != ABSENT}),
    )


def _classes(truth: Groups, told: Groups, given: Array) -> tuple[ClassScore, ...]:
    """Every class, over the items whose label is known; ``given`` is in the truth's codes."""
    assert truth.not_applicable is not None
    assert told.not_applicable is not None
    true = np.where(truth.not_applicable, _ABSENT, answers(truth))
    given = np.where(told.not_applicable, _ABSENT, given)
    known = true != -1
    codes = [*range(len(truth.names)), _ABSENT]
    scores = []
    for code, name in zip(codes, (*truth.names, ABSENT), strict=True):
        here = known & (true == code)
        called = known & (given == code)
        # not applicable is a class only where the known labels say so
        if here.any() or (called.any() and code != _ABSENT):
            counts = int(here.sum()), int(called.sum()), int((here & called).sum())
            scores.append(ClassScore(name, *counts))
    return tuple(scores)


def _confusion(told: Groups, predicted: Array, truth: Groups) -> dict[str, dict[str, int]]:
    """How often each group, or none, was said of each known group.

    What the attribute does not apply to has a row of its own.
    """
    assert truth.not_applicable is not None
    assert told.not_applicable is not None
    true = answers(truth)
    rows = {name: true == code for code, name in enumerate(truth.names)}
    # Else pictures of nobody that are called a group would stand nowhere.
    rows[ABSENT] = truth.not_applicable
    return {
        name: _counts(told, predicted[at], told.not_applicable[at])
        for name, at in rows.items()
        if at.any()
    }


def _guessed(truth: Groups, predicted: Array) -> list[str]:
    """That groups were seen where there are none: an error that no cell counts."""
    assert truth.not_applicable is not None
    count = int(truth.not_applicable.sum())
    guessed = int((predicted[truth.not_applicable] >= 0).sum())
    if not guessed:
        return []
    share = f"{guessed / count:.0%} of the {counted(count, 'item')}"
    return [f"A group was named for {share} to which '{truth.attribute}' does not apply."]


def _cell(name: str, true: Array, given: Array) -> AccuracyCell:
    answered = given != -1
    right = (given == true)[answered]
    return AccuracyCell(name, len(true), int(answered.sum()), int(right.sum()))


def _counts(told: Groups, said: Array, absent: Array) -> dict[str, int]:
    """How often each group, or none, was said."""
    counts = {name: int((said == code).sum()) for code, name in enumerate(told.names)}
    return counts | {UNKNOWN: int(((said < 0) & ~absent).sum()), ABSENT: int(absent.sum())}


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
