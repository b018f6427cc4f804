"""What to label next and what it will cost, before anybody is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairlead.statistics.consensus import Consensus
from fairlead.statistics.raters import DawidSkene
from fairlead.statistics.sampling import By, Known, choose
from fairlead.studies.human import LabelCost, cost_of
from fairlead.types import Ranking
from fairlead.types.answers import Answer, Answers, Task


@dataclass(frozen=True)
class NextLabels:
    """What to label next.

    Attributes:
        attribute: The task.
        by: How items were chosen.
        items: The items, in the order they are best labelled.
        labels: How many answers each is to get.
        cost: What all of it costs.
        whole: What it would cost to give every item of the lists its answers.
        lists: How many lists there are.
        width_now: Half the width of the 95 % interval of a list's share, now: mean over the lists,
            and the widest.
        width_then: The same as expected with the labels.
        accuracy: How often raters are taken to be right.
    """

    attribute: str
    by: str
    items: tuple[str, ...]
    labels: tuple[int, ...]
    cost: LabelCost
    whole: LabelCost
    lists: int
    width_now: tuple[float, float]
    width_then: tuple[float, float]
    accuracy: float

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON takes it."""
        return asdict(self)


def plan_of(
    task: Task,
    answers: Sequence[Answer],
    lists: Ranking,
    ids: Sequence[str],
    *,
    budget: int | None,
    by: By,
    seed: int,
) -> NextLabels:
    """Choose what to label next.

    Args:
        task: What is asked.
        answers: Answers so far.
        lists: The first k of each query, as rows of ``ids``.
        ids: The items.
        budget: How many labels may be asked for; all that are missing by default.
        by: The plan; see ``fairlead.statistics.sampling``.
        seed: Seed of what is drawn by lot.
    """
    panel = Answers.of(task, answers, ids)
    consensus = DawidSkene()(panel)
    given = panel.given
    accuracy = _accuracy(panel, consensus)
    known = Known(consensus.share, given, panel.unsure / np.maximum(given, 1), accuracy)
    chosen = choose(
        lists, known, raters=task.raters, budget=budget, by=by, rng=np.random.default_rng(seed)
    )
    # an item in several lists is paid once
    missing = int(np.maximum(task.raters - given, 0)[np.unique(lists.rows)].sum())
    return NextLabels(
        attribute=task.attribute,
        by=by,
        items=tuple(panel.items[row] for row in chosen.rows),
        labels=tuple(int(n) for n in chosen.labels),
        cost=cost_of(int(chosen.labels.sum()), task),
        whole=cost_of(missing, task),
        lists=len(lists),
        width_now=(float(chosen.before.mean()), float(chosen.before.max())),
        width_then=(float(chosen.after.mean()), float(chosen.after.max())),
        accuracy=accuracy,
    )


def _accuracy(panel: Answers, found: Consensus) -> float:
    """How often a rater is right, weighted by answers; the prior's where nothing is known."""
    if found.confusion is None or found.prevalence is None:
        # Without answers nothing is known of raters, and a plan is wanted all the same.
        return DawidSkene().accuracy
    right = np.diagonal(found.confusion, axis1=1, axis2=2) @ found.prevalence
    return float(np.average(right, weights=np.bincount(panel.rater, minlength=len(panel.raters))))
