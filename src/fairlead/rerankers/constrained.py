"""Constrained: the most relevant list whose every prefix keeps to counts of each group.

    maximise    sum over n of relevance(n) / log2(n + 1)
    subject to  floor(n (t_g - slack)) <= count of g in the first n <= ceil(n (t_g + slack))
                for every n <= k and group g

Celis, Straszak, Vishnoi: Ranking with fairness constraints (ICALP 2018). Groups are disjoint here,
so each is served best first. The j-th item of a group may come from the first n whose upper count
allows j items, and is due at the first n whose lower count asks for them. What remains is to assign
items to places within these windows, which the assignment problem solves exactly.

Sometimes no list keeps to the bounds, because a group is in short supply or because they contradict
each other. Then as few items as possible come early, late or not at all, and after that relevance
is the largest. n counts labelled items; unknown ones are woven in by rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.rerankers.bounds import TOLERANCE
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.programs import assigned
from fairlead.rerankers.queues import END, queue_up, rerank
from fairlead.rerankers.single import unit_scores
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

# Up to how many items a place all of them are looked at
_CLOSE = 1.5


@dataclass(frozen=True)
class Constrained(DescribedReranker):
    """The most relevant list whose every prefix keeps to lower and upper counts of each group."""

    slack: float = 0.0
    bounds: Literal["both", "lower", "upper"] = "both"

    name: ClassVar[str] = "constrained"
    summary: ClassVar[str] = (
        "The most relevant list whose every prefix keeps to lower and upper counts of "
        "each group; exact."
    )
    source: ClassVar[str] = (
        "Celis, Straszak, Vishnoi: Ranking with fairness constraints (ICALP 2018), for "
        "disjoint groups"
    )
    blind_spot: ClassVar[str] = (
        "Sees one hard label per item and takes it as certain. Every prefix is held to the "
        "bounds, also where chance alone would explain "
        "more. Needs the extra lp."
    )
    promise: ClassVar[str] = (
        "No list that keeps to the bounds has more discounted relevance; where none "
        "does, few items come early, late or not at all."
    )
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "slack",
        (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4),
    )

    def validate(self) -> None:
        if not 0 <= self.slack <= 1:
            raise UsageError(
                f"{self.name}(slack={self.slack}) is not a share.", "Accepted: 0 to 1."
            )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        queues = queue_up(evidence, k)
        relevance = unit_scores(evidence.ranking)

        def order(first: int, last: int, width: int) -> Array:
            part = queues.part(first, last)
            known = np.full((len(part), width), END)
            targets = np.broadcast_to(part.target, (len(part), part.target.shape[1]))
            heads = part.heads(width)
            for query in range(len(part)):
                jobs = self._jobs(targets[query], heads[query], relevance)
                places = min(width, int(part.sizes[query, :-1].sum()))
                if places:
                    known[query, :places] = _assigned(jobs, places)
            return part.weave(known)

        return rerank(evidence, k, order, columns=3 * queues.target.shape[1])

    def _jobs(self, target: Array, heads: Array, relevance: Array) -> _Jobs:
        """The items of one query by rank, with their windows."""
        width = heads.shape[1]
        release, due = _windows(self, target.tobytes(), width)
        flat = heads.ravel()
        at = np.flatnonzero((flat < END) & (release <= width))
        if len(at) < width:  # too few that may come in time: all of them
            at = np.flatnonzero(flat < END)
        at = at[flat[at].argsort()]
        entries = flat[at]
        return _Jobs(entries, relevance[entries], release[at], due[at], at // width)


@lru_cache(maxsize=64)
def _windows(bounds: Constrained, target: bytes, width: int) -> tuple[Array, Array]:
    """(groups * width,) the first and the last place of each item of each group.

    They are beyond the width for never. Item j (0-based) may come from the first n whose upper
    count is above j, and is due at the first n whose lower count is.
    """
    share = np.frombuffer(target)
    n = np.arange(1, width + 1)
    if bounds.bounds != "upper":
        low = np.floor(n * np.maximum(share - bounds.slack, 0)[:, None] + TOLERANCE)
    else:
        low = np.zeros((len(share), 1))
    if bounds.bounds != "lower":
        high = np.ceil(n * np.minimum(share + bounds.slack, 1)[:, None] - TOLERANCE)
    else:
        high = n + np.zeros((len(share), 1))
    first, last = (
        np.stack([np.searchsorted(row, np.arange(width), side="right") for row in counts]) + 1
        for counts in (high, low)
    )
    if bounds.bounds == "upper":
        last = np.full_like(first, width + 1)
    return first.ravel(), last.ravel()


@dataclass(frozen=True, eq=False)
class _Jobs:
    """Items to be placed, by rank.

    All are (jobs,): entry, relevance, first and last place at which it may come (beyond k for
    never), group.
    """

    entries: Array
    relevance: Array
    release: Array
    due: Array
    group: Array

    def fit(self, places: int) -> bool:
        """Whether the first ones, by rank, keep to their windows and nothing else is due.

        Then no list is better.
        """
        n = np.arange(1, places + 1)
        timely = (self.release[:places] <= n) & (n <= self.due[:places])
        return bool(timely.all() and (self.due[places:] > places).all())

    def soonest(self, places: int) -> Array | None:
        """(places,) the best job that may come, place by place.

        None where that leaves a place empty or a job late. It is the best list under upper counts
        alone, so no list is better where nothing is late.
        """
        arrivals: list[list[int]] = [[] for _ in range(places + 1)]
        for job, first in enumerate(self.release.tolist()):
            if first <= places:
                arrivals[first].append(job)
        due = self.due.tolist()
        waiting = list[int]()
        order = list[int]()
        for n in range(1, places + 1):
            for job in arrivals[n]:
                heappush(waiting, job)
            if not waiting or due[waiting[0]] < n:
                return None
            order.append(heappop(waiting))
        if any(due[job] <= places for job in waiting):
            return None
        return np.array(order)

    def needed(self, places: int) -> _Jobs:
        """The jobs that can be part of a best list.

        They are due, or have fewer than ``places`` better ones that may come as soon.
        """
        if len(self.entries) <= _CLOSE * places:
            return self
        release = np.minimum(self.release, places + 1)
        steps, step = np.unique(release, return_inverse=True)
        before = np.cumsum(step[:, None] <= np.arange(len(steps)), axis=0)[
            np.arange(len(step)), step
        ]
        at = np.flatnonzero((before <= places) | (self.due <= places))
        return _Jobs(
            self.entries[at], self.relevance[at], self.release[at], self.due[at], self.group[at]
        )


def _assigned(jobs: _Jobs, places: int) -> Array:
    """(places,) entries in their new order."""
    if jobs.fit(places):
        return jobs.entries[:places]
    soonest = jobs.soonest(places)
    if soonest is not None:
        return jobs.entries[soonest]
    everyone = jobs
    jobs = jobs.needed(places)
    # from the last place up, which is the quicker way to assign them
    n = np.arange(places, 0, -1)[:, None]
    worth = jobs.relevance / np.log2(n + 1)
    # A broken bound weighs more than all relevance there is; what is due and comes in time is a
    # merit.
    heavy = 1.0 + places
    worth += heavy * ((jobs.due <= places) & (n <= jobs.due)) - heavy * (n < jobs.release)
    return _served(everyone, jobs.group[assigned(worth)[::-1]])


def _served(jobs: _Jobs, groups: Array) -> Array:
    """(places,) entries: the n-th place of a group goes to its n-th item.

    It does so whichever of equal items the assignment took.
    """
    result = np.empty(len(groups), np.int64)
    for g in np.unique(groups):
        at = np.flatnonzero(groups == g)
        result[at] = jobs.entries[jobs.group == g][: len(at)]
    return result
