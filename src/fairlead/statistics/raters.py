"""Dawid-Skene: the value of each item and the errors of each rater, estimated together.

Each item has one value, drawn with the prevalence p. Rater r answers k where j holds with
probability c_rjk, independently of the others. EM in the log domain starts from the shares of the
votes and alternates

    q_ij  ∝ p_j prod over r that answered i of c_{r, j, answer}                what each item is
    c_rjk ∝ sum over i where r answered k of q_ij + w (a if j = k else (1 - a) / (K - 1))
    p_j   ∝ sum over i of q_ij + 1

The prior is stated and fixed. Each row of each rater starts with ``weight`` answers, of which a
share ``accuracy`` is right. This is a Dirichlet prior: EM climbs the posterior, and raters with few
answers count as ordinary ones. Each value starts with one item, and values that nobody ever gave
are left out. Source: A. P. Dawid, A. M. Skene, Applied Statistics 28 (1979).

An unsure answer says nothing about which value holds, so it is no evidence here. Its share of the
item's answers stays unknown in the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols.spec import Configured
from fairlead.statistics.consensus import Consensus
from fairlead.types.answers import Answers
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class DawidSkene(Configured):
    """Soft shares from answers weighed by how often each rater errs, and with what."""

    accuracy: float = 0.85
    weight: float = 20.0
    tolerance: float = 1e-6
    most: int = 1_000

    name: ClassVar[str] = "dawid-skene"
    source: ClassVar[str] = "Dawid & Skene 1979, with the prior stated above"
    blind_spot: ClassVar[str] = (
        "Errors are independent between raters and the same for all items; what "
        "everybody sees wrongly stays wrong."
    )

    def validate(self) -> None:
        if not 0 < self.accuracy < 1 or self.weight <= 0 or self.tolerance <= 0 or self.most < 1:
            raise UsageError(
                f"{self} has no such prior.",
                "accuracy lies between 0 and 1; weight, tolerance and most are above 0.",
            )

    def __call__(self, answers: Answers) -> Consensus:
        """Soft shares of each item, errors of each rater."""
        votes = answers.counts
        seen = np.flatnonzero(votes.sum(0))
        width = votes.shape[1]
        given = answers.given
        if not len(seen):
            return Consensus(np.zeros(votes.shape), hard=False)
        fitted = self._climb(answers, votes[:, seen], seen)
        share = np.zeros(votes.shape)
        share[:, seen] = fitted.share * (votes.sum(1) / np.maximum(given, 1))[:, None]
        confusion = np.broadcast_to(np.eye(width), (len(answers.raters), width, width)).copy()
        confusion[np.ix_(np.arange(len(answers.raters)), seen, seen)] = fitted.confusion
        prevalence = np.zeros(width)
        prevalence[seen] = fitted.prevalence
        return Consensus(share, False, confusion, prevalence, fitted.rounds, fitted.settled)

    def _climb(self, answers: Answers, votes: Array, seen: Array) -> Consensus:
        """EM on the values that occur, over the items that somebody was sure about."""
        order = np.argsort(answers.item, kind="stable")
        order = order[answers.sure[order]]
        item = answers.item[order]
        rater = answers.rater[order]
        value = np.searchsorted(seen, answers.value[order])
        starts = np.flatnonzero(np.append(True, np.diff(item) > 0))
        rows = item[starts]
        values = len(seen)
        known = votes[rows] / votes[rows].sum(1, keepdims=True)
        cells = rater * values + value
        place = np.repeat(np.arange(len(rows)), np.diff(np.append(starts, len(item))))
        prior = self._prior(values)
        settled = False
        rounds = 0
        while rounds < self.most and not settled:
            rounds += 1
            confusion = _errors(known[place], cells, len(answers.raters), prior)
            prevalence = (known.sum(0) + 1) / (len(known) + values)
            logs = np.log(prevalence) + np.add.reduceat(
                np.log(confusion)[rater, :, value], starts, axis=0
            )
            updated = np.exp(logs - logs.max(1, keepdims=True))
            updated /= updated.sum(1, keepdims=True)
            settled = bool(np.abs(updated - known).max() < self.tolerance)
            known = updated
        share = np.zeros(votes.shape)
        share[rows] = known
        return Consensus(share, False, confusion, prevalence, rounds, settled)

    def _prior(self, values: int) -> Array:
        """(values, values) the answers each row of a rater starts with."""
        if values == 1:
            return np.full((1, 1), self.weight)
        prior = np.full((values, values), self.weight * (1 - self.accuracy) / (values - 1))
        np.fill_diagonal(prior, self.weight * self.accuracy)
        return prior


def _errors(known: Array, cells: Array, raters: int, prior: Array) -> Array:
    """(raters, values, values) how each rater answers.

    ``known`` is (answers, values): what is known of the item behind each answer.
    """
    values = len(prior)
    seen = np.stack(
        [
            np.bincount(cells, known[:, j], raters * values).reshape(raters, values)
            for j in range(values)
        ],
        axis=1,
    )
    counts = seen + prior
    return counts / counts.sum(2, keepdims=True)
