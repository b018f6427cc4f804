"""MOPR: the k most relevant items that represent every group and intersection in proportion.

    maximise    sum of relevance_i x_i
    subject to  sum of x_i = k,  x_i in {0, 1},
                max over c in C of | sum over i of (c_i - t_c m_i) x_i | <= rho k

C are the groups of each attribute and of their intersections, c_i the share of item i in c, t_c the
target of c and m_i the labelled mass of the item. The left side, over k, is the multi-group
proportional representation of a list. Oesterling, Verdun, Glynn, Long, Vithana, Cardone, Calmon:
Multi-group proportional representation in retrieval (NeurIPS 2024), there also for richer classes
C, with cuts for the worst c; here C is small and all of it is held to at once. The set is shown by
rank.

An attribute that is an intersection (``gender*skin``) brings its factors with it. Evidence on
several attributes is crossed, and the target of an intersection is then the product of theirs. With
one attribute alone this is ``fairexpec``. Where no set keeps to rho, the least that some set keeps
to is taken; see ``selection`` for how it is solved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols.reranker import CutShort
from fairlead.rerankers.deadline import Deadline
from fairlead.rerankers.fairexpec import selected
from fairlead.rerankers.selection import select
from fairlead.rerankers.single import SingleLists
from fairlead.rerankers.timed import LimitedReranker
from fairlead.types import Ranking, cross
from fairlead.types.evidence import Evidence, Labelled, Target
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class MOPR(LimitedReranker):
    """The most relevant set that represents every group and every intersection in proportion."""

    rho: float = 0.05
    seconds: float | None = None

    name: ClassVar[str] = "mopr"
    summary: ClassVar[str] = (
        "The most relevant set that represents every group and intersection in "
        "proportion; solved by HiGHS."
    )
    source: ClassVar[str] = (
        "Oesterling, Verdun, Glynn et al.: Multi-group proportional representation in "
        "retrieval (NeurIPS 2024)"
    )
    blind_spot: ClassVar[str] = (
        "A set, not an order: prefixes may hold one group only. Soft labels of two "
        "attributes are crossed as if independent within an "
        "item, and targets as if independent of each other. Needs the extra lp where "
        "attributes are crossed or labels soft; slow there."
    )
    promise: ClassVar[str] = (
        "Expected counts of every group and intersection within rho k of the target, or "
        "about as near as any set comes. Up to forty "
        "candidates no such set is more relevant; of longer lists relevance is near a bound. "
        "A list that keeps to rho stays as it is."
    )
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "rho",
        (0.001, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4),
    )

    def validate(self) -> None:
        super().validate()
        if not 0 <= self.rho <= 1:
            raise UsageError(f"{self.name}(rho={self.rho}) is not a share.", "Accepted: 0 to 1.")

    def timed(self, evidence: Evidence, k: int, seed: int) -> tuple[Ranking, tuple[CutShort, ...]]:
        evidence = crossed(evidence)
        of = families(evidence.attribute.groups.names)

        def order(case: SingleLists, deadline: Deadline) -> tuple[Array, float]:
            slack = self.rho * case.k
            if of.shape[0] == of.shape[1]:
                found = selected(case, slack, deadline)
            else:
                found = select(case, case.excess @ of, slack, deadline)
            return found.places, found.gap

        return self._one_by_one(evidence, k, order)


def crossed(evidence: Evidence) -> Evidence:
    """Evidence on the intersection of all its attributes; the target of an intersection is the
    product of theirs.
    """
    if len(evidence.attributes) == 1:
        return evidence
    queries = np.arange(len(evidence))
    entries = {
        name: replace(
            a,
            groups=evidence.on(name).labels,
            target=replace(a.target, shares=a.target.rows(queries)),
            aligned=True,
        )
        for name, a in evidence.attributes.items()
    }
    both = reduce(_both, entries.values())
    return replace(evidence, attributes={both.groups.attribute: both})


def _both(a: Labelled, b: Labelled) -> Labelled:
    shares = (a.target.shares[:, :, None] * b.target.shares[:, None, :]).reshape(
        len(a.target.shares), -1
    )
    return Labelled(
        cross(a.groups, b.groups), Target(f"{a.target.name}*{b.target.name}", shares), aligned=True
    )


def families(names: tuple[str, ...]) -> Array:
    """(groups, sets) which groups belong to each set: every group itself, and where groups are
    intersections, every group of a factor.
    """
    parts = [name.split("*") for name in names]
    whole = [np.eye(len(names))]
    if len(parts[0]) > 1 and all(len(p) == len(parts[0]) for p in parts):
        for at in range(len(parts[0])):
            values = list(dict.fromkeys(p[at] for p in parts))
            whole.append(np.array([[float(p[at] == value) for value in values] for p in parts]))
    return np.hstack(whole)
