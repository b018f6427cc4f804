"""What may become of each list: the trigger reads the query, the candidates may overrule it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairlead.engine.asked import Asked
from fairlead.engine.leaving import leaving
from fairlead.engine.overruling import places_asked
from fairlead.engine.overruling import within as held
from fairlead.protocols import registry
from fairlead.trigger import Decision, Trigger
from fairlead.trigger.geometry import Geometry
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

__all__ = [
    "decide",
    "held",
    "leaving",
    "left_alone",
    "listed",
    "supply",
    "trigger_in",
    "trigger_of",
]


def decide(
    asked: Asked, attribute: str, groups: Sequence[str], trigger: Trigger | None
) -> tuple[Decision, ...]:
    """What may become of each query's list on an attribute; without a trigger, everything.

    Queries without words (pictures, ids that say nothing) are unsure for want of words, unless
    their id is on the user's own list of queries to leave alone.
    """
    if trigger is None:
        return tuple(Decision.by("off", name, attribute) for name in asked.ids)
    # A picture by name can be on the user's list, so its id is read for that alone.
    readable = [
        q
        for q, name in enumerate(asked.ids)
        if asked.words[q] is not None or trigger.leave.match(name) is not None
    ]
    texts = [asked.words[q] or asked.ids[q] for q in readable]
    read = dict(zip(readable, trigger(texts, attribute, groups), strict=True))
    # The trigger was given texts; decisions are told by id, which is what lists go by.
    return tuple(
        replace(read[q], query=name) if q in read else Decision.by(asked.silent, name, attribute)
        for q, name in enumerate(asked.ids)
    )


def listed(decisions: Sequence[Decision], lines: Sequence[str | None]) -> tuple[Decision, ...]:
    """The decisions, where queries on a list of what is left out are left as they are."""
    # Without a list nothing is made anew, however many queries there are.
    if all(line is None for line in lines):
        return tuple(decisions)
    return tuple(
        one if line is None else Decision.by("listed", one.query, one.attribute, (line,))
        for one, line in zip(decisions, lines, strict=True)
    )


def left_alone(decisions: Sequence[Decision]) -> Array:
    """(left queries,) numbers of the queries whose lists stay as they are."""
    return np.flatnonzero([one.decision == "leave" for one in decisions])


def supply(evidence: Evidence, k: int) -> tuple[Array, Array]:
    """(queries, groups) candidates of each group, and places that the target asks for."""
    return evidence.supply, places_asked(evidence, k)


def trigger_in(plan: Any) -> Trigger | None:
    """The trigger that a plan asks for; None where all lists are treated."""
    # Plans that measure only have neither field: nothing they make is shown to anybody.
    if not getattr(plan, "trigger", False):
        return None
    return trigger_of(getattr(plan, "leave", None))


def trigger_of(leave: Any = None, model: Any = None) -> Trigger:
    """A trigger with a list of queries to leave alone and the second opinion of an encoder."""
    if model is None:
        return Trigger(leaving(leave), None)
    return Trigger(leaving(leave), Geometry(registry.make("encoder", model)))
