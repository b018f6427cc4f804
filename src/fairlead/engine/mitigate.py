"""The middle of the road: decide and treat, wherever candidates come from."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from fairlead.engine.ask_trigger import decide, held, left_alone, listed
from fairlead.engine.asked import Asked
from fairlead.engine.candidates import Candidates
from fairlead.engine.cut_short import cut_notes
from fairlead.engine.exclusion import refuse_exclusion
from fairlead.engine.treatments import PLAIN, Treatment, completed, evidence_of, treated, with_plain
from fairlead.protocols import Reranker
from fairlead.statistics.targets import UnknownPolicy
from fairlead.trigger import Decision, Trigger
from fairlead.types import Ranking, Sets
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array

UNNAMED = "gender"
"""What the trigger is asked about where nothing is labelled."""


class Road(Protocol):
    """Where candidates come from: an index, a protocol, a recorded run."""

    @property
    def asked(self) -> Asked: ...
    @property
    def attribute(self) -> str: ...
    @property
    def pool(self) -> Sets | None: ...
    def plain(self, treatment: Treatment | None = None) -> Ranking: ...
    def candidates(self, treatment: Treatment) -> tuple[Candidates, Labelled | None]: ...
    def evidence(self, ranking: Ranking) -> Evidence: ...


@dataclass(frozen=True)
class Rules:
    """How lists are treated.

    Attributes:
        k: Items shown.
        seed: Seed of every random choice.
        unknown: What becomes of unknown labels.
        trigger: Decides which lists stay as they are; None where all are treated.
        lines: The line of a list of what is left out that names each query, where one does.
        stated: Whether somebody stated the target.
        groups: Group names of the attribute, where nothing is mitigated but the trigger is asked.
    """

    k: int
    seed: int = 0
    unknown: UnknownPolicy = "ignore"
    trigger: Trigger | None = None
    lines: tuple[str | None, ...] = ()
    stated: bool = False
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MadeLists:
    """What was made of the queries.

    Attributes:
        plain: The plain lists, as deep as they are measured.
        shown: The lists that are shown, by variant; the plain one is the first.
        measured: The lists that are measured: what is shown, then the rest of what was found.
        decisions: What was decided on each query.
        evidence: What the first reranker saw; None without one.
        candidates: What it chose from.
        labels: Its labels with their target, before anything becomes of unknown ones.
        ms: Milliseconds a query, by variant and step.
        notes: What a reader must know of how they were made.
    """

    plain: Ranking
    shown: dict[str, Ranking]
    measured: dict[str, Ranking]
    decisions: tuple[Decision, ...]
    evidence: Evidence | None = None
    candidates: Candidates | None = None
    labels: Labelled | None = None
    ms: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def left(self) -> Array:
        """Numbers of the queries whose lists stay as they are."""
        return left_alone(self.decisions)


def mitigated(road: Road, treatments: Sequence[Treatment], rules: Rules) -> MadeLists:
    """The plain lists and those of every treatment."""
    # Candidates are fetched before the first lap: searching is told once, for the plain lists and
    # for all that reorder them.
    clock = Clock(len(road.asked))
    first, evidence, candidates, labels = _first(road, treatments, rules)
    plain = road.plain()
    shown, measured = {PLAIN: plain.head(rules.k)}, {PLAIN: plain}
    times, notes = {PLAIN: {"search": clock.lap()}}, list[str]()
    decisions = decisions_of(road, rules, evidence)
    # Whether a list can be mitigated depends on who is labelled, so decisions go by the source of
    # labels; and always on the queries as they were asked, whatever a projection makes of them.
    by_source = {first: decisions}
    # The time of deciding is told nowhere; the next step starts here.
    clock.lap()
    for one in treatments:
        if one.reranker is not None and one.labels not in by_source:
            _, seen, _, _ = _first(
                road, [Treatment(one.name, one.reranker, labels=one.labels)], rules
            )
            by_source[one.labels] = decisions_of(road, rules, seen)
            clock.lap()
        own, seen = _seen(road, one, rules)
        allowed = by_source.get(one.labels, decisions)
        steps = {"search": times[PLAIN]["search"]}
        if one.vectors is not None:
            steps["search"] = clock.lap()
        if one.reranker is not None:
            assert seen is not None
            _refuse(road, seen, one.reranker, rules, left_alone(allowed))
        ranking = own.ranking.head(rules.k)
        if seen is not None:
            ranking, cuts = treated(seen, one.reranker, plain, allowed, k=rules.k, seed=rules.seed)
            notes += cut_notes(one.name, cuts, len(allowed))
        else:
            ranking = with_plain(ranking, plain.head(rules.k), left_alone(allowed))
        shown[one.name] = ranking
        # What a projection found itself completes its lists; those that stay are plain throughout.
        base = plain
        if one.vectors is not None:
            base = with_plain(road.plain(one), plain, left_alone(allowed))
        measured[one.name] = completed(base, ranking)
        if one.reranker is not None:
            steps["rerank"] = clock.lap()
        times[one.name] = steps
    made = MadeLists(plain, shown, measured, decisions, evidence, candidates, labels, times)
    return replace(made, notes=tuple(notes))


def _refuse(road: Road, seen: Evidence, reranker: Reranker, rules: Rules, left: Array) -> None:
    """Refuse what would only leave a group out; lists that stay as they are leave nobody out."""
    words = road.asked.words
    if rules.stated and len(left):
        kept = np.setdiff1d(np.arange(len(seen)), left)
        seen, words = seen.select(kept), tuple(words[query] for query in kept)
    refuse_exclusion(seen, reranker, stated=rules.stated, words=words)


def _first(
    road: Road, treatments: Sequence[Treatment], rules: Rules
) -> tuple[str, Evidence | None, Candidates | None, Labelled | None]:
    """What the first reranker would choose from, for the queries as they were asked."""
    for one in treatments:
        if one.reranker is not None:
            plain = Treatment(one.name, one.reranker, labels=one.labels)
            candidates, labels = road.candidates(plain)
            return one.labels, _evidence(road, candidates, labels, rules), candidates, labels
    return "", None, None, None


def _seen(road: Road, one: Treatment, rules: Rules) -> tuple[Candidates, Evidence | None]:
    """What a treatment chooses from, and what its reranker may know of it."""
    candidates, labels = road.candidates(one)
    return candidates, _evidence(road, candidates, labels, rules)


def _evidence(
    road: Road, candidates: Candidates, labels: Labelled | None, rules: Rules
) -> Evidence | None:
    if labels is None:
        return None
    return evidence_of(candidates, road.asked.ids, road.attribute, labels, road.pool, rules.unknown)


def decisions_of(road: Road, rules: Rules, evidence: Evidence | None) -> tuple[Decision, ...]:
    """What may become of each list, on what is mitigated or else on what is measured first."""
    names = rules.groups
    if evidence is not None:
        names = _named(evidence, rules)
    decisions = decide(road.asked, road.attribute or UNNAMED, names, rules.trigger)
    if evidence is not None:
        # Also without a trigger: where there is one group, or nobody is labelled, lists stay.
        decisions = held(decisions, evidence, rules.k)
    if not rules.lines:
        return decisions
    # Last, so that nothing overrules the user's own list.
    return listed(decisions, rules.lines)


def _named(evidence: Evidence, rules: Rules) -> tuple[str, ...]:
    """The groups by name; to the trigger, unknown items are no group of their own."""
    names = evidence.attribute.groups.names
    # The policy puts them last.
    if rules.unknown == "own-group" and names[-1] == "unknown":
        return names[:-1]
    return names


class Clock:
    """Milliseconds a query between laps."""

    def __init__(self, queries: int) -> None:
        self.queries, self.last = max(queries, 1), time.perf_counter()

    def lap(self) -> float:
        """Milliseconds a query since the last lap."""
        now = time.perf_counter()
        spent = 1e3 * (now - self.last) / self.queries
        self.last = now
        return spent


def reranker_of(treatments: Sequence[Treatment]) -> Reranker | None:
    """The first reranker of some treatments."""
    return next((one.reranker for one in treatments if one.reranker is not None), None)
