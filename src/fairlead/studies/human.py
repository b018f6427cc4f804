"""Human labels: answers become groups, and a task reports how far it is.

No file is touched here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairlead.statistics.agreement import Agreement, agreement, with_others
from fairlead.statistics.cells import hidden, limit
from fairlead.statistics.consensus import Consensus, Majority
from fairlead.statistics.panel import source_of
from fairlead.statistics.raters import DawidSkene
from fairlead.studies.sensitivity import share_of
from fairlead.types.answers import Answer, Answers, Task
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class LabelCost:
    """What labels cost: how many, in money and in hours of work."""

    labels: int
    money: float
    hours: float


def cost_of(labels: int, task: Task) -> LabelCost:
    """The cost of answers that are still to be given."""
    return LabelCost(labels, labels * task.price, labels * task.seconds / 3600)


def spent(answers: Sequence[Answer], versions: Mapping[int, Task]) -> LabelCost:
    """What was spent so far.

    Each rater is paid once an item, at the price of the version that was answered. Hours follow
    from the seconds given, else from those of the task.
    """
    newest = max(versions)
    # A correction is no second answer, so it costs no second price; the time it took was worked.
    last = {(a.item, a.rater): versions[a.version or newest] for a in answers}
    seconds = sum(
        versions[a.version or newest].seconds if a.seconds is None else a.seconds for a in answers
    )
    return LabelCost(len(last), math.fsum(task.price for task in last.values()), seconds / 3600)


@dataclass(frozen=True)
class RaterLine:
    """How one rater compares with the others.

    It holds the answers, the share of pairs with others that agree, and how often the rater is
    right according to Dawid-Skene.
    """

    rater: str
    answers: int
    agree: float
    accuracy: float


@dataclass(frozen=True)
class TaskStatus:
    """How a task stands.

    Attributes:
        task: The newest version.
        items: Items asked for or answered.
        begun: Items with an answer.
        complete: Items with as many answers as the task asks for.
        answers: Answers that count.
        corrected: Earlier answers that later ones replaced.
        unsure: Share of the answers that are unsure.
        disputed: Complete items of which the majority says nothing.
        counts: Items of each value by the majority; None where withheld.
        least: The lowest count that is shown; 0 shows all.
        agreement: Raw agreement and alpha.
        spent: What was spent so far.
        left: What the missing answers will cost.
        raters: Who disagrees most, first; those with few answers are not shown.
        raters_hidden: How many those are.
        by_version: Answers under each version of the instructions.
        source: What labels made of this are said to come from.
    """

    task: Task
    items: int
    begun: int
    complete: int
    answers: int
    corrected: int
    unsure: float
    disputed: int
    counts: Mapping[str, int | None]
    least: int
    agreement: Agreement
    spent: LabelCost
    left: LabelCost
    raters: tuple[RaterLine, ...]
    raters_hidden: int
    by_version: Mapping[int, int]
    source: str

    def to_dict(self) -> dict[str, Any]:
        """The status as JSON takes it; undefined is null."""
        plain = asdict(self)
        raters_agreement = plain.pop("agreement")
        bounds = raters_agreement.pop("interval")
        plain["agreement"] = {
            **raters_agreement,
            "ci": [bounds["low"], bounds["high"]],
            "note": bounds["note"],
        }
        plain["by_version"] = {str(version): count for version, count in self.by_version.items()}
        defined: dict[str, Any] = _without_nan(plain)
        return defined


def status_of(
    history: Sequence[Answer],
    versions: Mapping[int, Task],
    asked: Sequence[str],
    *,
    seed: int,
    least: int,
) -> TaskStatus:
    """Summarise how far a task is.

    Args:
        history: All answers ever given, in the order they came.
        versions: Every version of the task.
        asked: Items in the queue.
        seed: Seed of the bootstrap.
        least: The lowest count that is shown.
    """
    task = versions[max(versions)]
    # items in the queue first, in its order; then any others that were answered
    items = list(dict.fromkeys([*asked, *(a.item for a in history)]))
    answers = Answers.of(task, history, items)
    given = answers.given
    votes = Majority()(answers).share
    complete = given >= task.raters
    sizes = np.bincount(votes.argmax(1)[votes.any(1)], minlength=votes.shape[1])
    # what is not applicable points at nobody
    small = np.append(hidden(sizes[:-1], limit(least)), False)
    shown = [None if low else int(size) for size, low in zip(sizes, small, strict=True)]
    method = DawidSkene()
    lines = _lines(answers, method(answers))
    return TaskStatus(
        task=task,
        items=len(items),
        begun=int((given > 0).sum()),
        complete=int(complete.sum()),
        answers=len(answers),
        corrected=len(history) - len(answers),
        unsure=float(share_of(answers.unsure.sum(), len(answers))),
        disputed=int((complete & ~votes.any(1)).sum()),
        counts=dict(zip(task.values, shown, strict=True)),
        least=least,
        agreement=agreement(answers.counts, rng=np.random.default_rng(seed)),
        spent=spent(history, versions),
        left=cost_of(int(np.maximum(task.raters - given, 0).sum()), task),
        # Of few answers, agreement is mostly luck.
        raters=tuple(line for line in lines if line.answers >= least),
        raters_hidden=sum(line.answers < least for line in lines),
        by_version=_by_version(history, versions),
        source=source_of(answers, method),
    )


def _lines(answers: Answers, found: Consensus) -> list[RaterLine]:
    """A line for each rater; who agrees least with the others comes first."""
    agree, pairs = with_others(answers)
    count = np.bincount(answers.rater, minlength=len(answers.raters))
    right = np.full(len(answers.raters), math.nan)
    if found.confusion is not None and found.prevalence is not None:
        right = np.diagonal(found.confusion, axis1=1, axis2=2) @ found.prevalence
    share: Array = np.divide(agree, pairs, out=np.full(len(pairs), math.nan), where=pairs > 0)
    lines = [
        RaterLine(*line)
        for line in zip(answers.raters, count.tolist(), share.tolist(), right.tolist(), strict=True)
    ]
    # raters without pairs come last, for they disagree with nobody
    return sorted(lines, key=lambda line: (math.isnan(line.agree), line.agree, line.rater))


def _by_version(history: Sequence[Answer], versions: Mapping[int, Task]) -> dict[int, int]:
    numbers = [a.version or max(versions) for a in history]
    return {version: numbers.count(version) for version in sorted(versions)}


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
