"""SelfPreference: does the query's culture beat its meaning? (Perspectival biases, 2025)

It is a forced choice among three images.

Each query ranks a semantic (same concept, other culture), a cultural (other concept, same culture)
and an unrelated candidate. M_x = share of trials won by x; SP = M_cul / M_sem, pooled over trials.
A model that reads the language lets the meaning win and has SP 0 whatever it thinks of cultures; so
`nearer` looks at the two others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.metrics.listwise import Described, member
from fairlead.protocols import Direction
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class SelfPreference(Described):
    """Wins of the cultural over wins of the semantic candidate (``part=sp``), or another part of
    the same count.

    ``sem``, ``cul`` and ``non`` are win shares; ``errors`` is the cultural share of errors, M_cul /
    (M_cul + M_non), and ``nearer`` the share of all trials in which the cultural stands before the
    unrelated candidate; the chance level of both is .5. Labels name the role of each candidate;
    ``ties=all`` counts a tie for every best candidate, as published, ``break`` for the first in the
    ranking.
    """

    part: Literal["sp", "sem", "cul", "non", "errors", "nearer"] = "sp"
    semantic: str = "sem"
    cultural: str = "cul"
    unrelated: str = "non"
    ties: Literal["break", "all"] = "break"

    name: ClassVar[str] = "SelfPreference"
    needs: ClassVar[frozenset[str]] = frozenset({"groups"})
    epsilon_dominated: ClassVar[bool] = False
    shape: ClassVar[Literal["set", "order", "roles"]] = "roles"
    formula: ClassVar[str] = (
        r"\mathrm{SP} = \frac{M_{cul}}{M_{sem}}, \quad "
        r"\text{errors} = \frac{M_{cul}}{M_{cul} + M_{non}}"
    )
    source: ClassVar[str] = (
        "Saengsuksiran et al. (arXiv 2510.26861); the share of errors and nearer are ours"
    )
    blind_spot: ClassVar[str] = (
        "SP mixes 'cannot read the language' with 'prefers the culture': a random guesser "
        "scores 1. Read M_sem and the cultural share "
        "of errors beside it. Country stands for culture."
    )

    def validate(self) -> None:
        if len({self.semantic, self.cultural, self.unrelated}) < 3:
            raise UsageError(
                "SelfPreference needs three different roles.",
                "Name them: SelfPreference(semantic=...,cultural=...,unrelated=...).",
            )

    @property
    def direction(self) -> Direction:  # type: ignore[override]
        """Winning by meaning is better higher, all else lower."""
        return "higher" if self.part == "sem" else "lower"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """SP has no upper bound, and a trial may have several wins; all else is a share."""
        share = self.part in ("errors", "nearer") or (self.part != "sp" and self.ties == "break")
        return (0.0, 1.0 if share else float("inf"))

    @property
    def groups_named(self) -> Mapping[str, str]:
        """The three roles."""
        return {
            "semantic": self.semantic,
            "cultural": self.cultural,
            "unrelated": self.unrelated,
        }

    @property
    def aggregate(self) -> Literal["mean", "pooled"]:
        return "pooled"

    def __call__(self, evidence: Evidence) -> tuple[Array, Array]:
        """Numerator and denominator of each trial, both (queries,)."""
        return self._ratio(*self._counts(evidence))

    def swapped(self, evidence: Evidence) -> tuple[Array, Array]:
        """The same with the cultural and the unrelated role swapped, for the null."""
        sem, cul, non = self._counts(evidence)
        return self._ratio(sem, non, cul)

    def _counts(self, evidence: Evidence) -> tuple[Array, Array, Array]:
        """What is counted for the semantic, the cultural and the unrelated candidate."""
        if self.part == "nearer":
            return self._before(evidence)
        return self._wins(evidence)

    def _wins(self, evidence: Evidence) -> tuple[Array, Array, Array]:
        labels = evidence.labels
        ranking = evidence.ranking
        if self.ties == "all":
            best = np.maximum.reduceat(np.append(ranking.scores, -np.inf), ranking.offsets[:-1])
        else:
            best = None
        wins = ranking.ranks == 1 if best is None else ranking.scores == best[ranking.query_of]
        roles = self._roles(labels.names)
        won = np.zeros((len(evidence), len(labels.names)))
        np.add.at(won, ranking.query_of[wins], labels.share[wins])
        won[won.sum(1) == 0] = np.nan  # an empty list, or a winner whose role nobody knows
        return won[:, roles[0]], won[:, roles[1]], won[:, roles[2]]

    def _before(self, evidence: Evidence) -> tuple[Array, Array, Array]:
        """How often the cultural stands before the unrelated candidate, and the reverse.

        The first of the three is 0, or NaN where a trial says nothing.
        """
        labels = evidence.labels
        ranking = evidence.ranking
        _, cul, non = (labels.share[:, role] for role in self._roles(labels.names))
        wins = []
        for first, second in ((cul, non), (non, cul)):
            total = np.append(0.0, np.cumsum(first))
            # what stands above in the same list
            above = total[:-1] - total[ranking.offsets[:-1]][ranking.query_of]
            wins.append(np.bincount(ranking.query_of, second * above, len(evidence)))
        known = np.where(wins[0] + wins[1] > 0, 0.0, np.nan)
        return known, wins[0] + known, wins[1] + known

    def _roles(self, names: tuple[str, ...]) -> list[int]:
        return [
            member(names, role, "SelfPreference")
            for role in (self.semantic, self.cultural, self.unrelated)
        ]

    def _ratio(self, sem: Array, cul: Array, non: Array) -> tuple[Array, Array]:
        if self.part == "sp":
            return cul, sem
        if self.part in ("errors", "nearer"):
            return cul, cul + non
        # an undefined trial must not count in the denominator either
        trials = np.where(np.isnan(sem), np.nan, 1.0)
        return {"sem": sem, "cul": cul, "non": non}[self.part], trials
