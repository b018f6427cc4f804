"""What may become of each list: the trigger reads the query, the candidates may overrule it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.engine.asked import Asked
from fairlead.errors import UsageError
from fairlead.protocols import registry
from fairlead.store.leave_out import entries, read_lines
from fairlead.trigger import Decision, Leave, Trigger
from fairlead.trigger.geometry import Geometry
from fairlead.trigger.reach import within_reach
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


def decide(
    asked: Asked, attribute: str, groups: Sequence[str], trigger: Trigger | None
) -> tuple[Decision, ...]:
    """What may become of each query's list on an attribute; without a trigger, everything.

    Queries without words (pictures, ids that say nothing) are unsure for want of words, unless
    their id is on the user's own list of queries to leave alone.
    """
    if trigger is None:
        return tuple(Decision.by("off", name, attribute) for name in asked.ids)
    readable = [
        q
        for q, name in enumerate(asked.ids)
        if asked.words[q] is not None or trigger.leave.match(name) is not None
    ]
    texts = [asked.words[q] or asked.ids[q] for q in readable]
    read = dict(zip(readable, trigger(texts, attribute, groups), strict=True))
    return tuple(
        replace(read[q], query=name) if q in read else Decision.by(asked.silent, name, attribute)
        for q, name in enumerate(asked.ids)
    )


def held(decisions: Sequence[Decision], evidence: Evidence, k: int) -> tuple[Decision, ...]:
    """The decisions, held against the candidates of each group.

    A list that shows all of its candidates anyway has nobody to show again and again, and queries
    that nobody could read keep the reason for it.
    """
    available, wanted = supply(evidence, k)
    names = evidence.labels.names
    have, places = (
        [dict(zip(names, row.tolist(), strict=True)) for row in table]
        for table in (available, wanted)
    )
    narrowed = within_reach(decisions, have, places)
    keeps = evidence.ranking.lengths <= k
    return tuple(
        before if keep or before.rule in ("no-words", "off") else after
        for before, after, keep in zip(decisions, narrowed, keeps, strict=True)
    )


def listed(decisions: Sequence[Decision], lines: Sequence[str | None]) -> tuple[Decision, ...]:
    """The decisions, where queries on a list of what is left out are left as they are."""
    return tuple(
        one if line is None else Decision.by("listed", one.query, one.attribute, (line,))
        for one, line in zip(decisions, lines, strict=True)
    )


def left_alone(decisions: Sequence[Decision]) -> Array:
    """(left queries,) numbers of the queries whose lists stay as they are."""
    return np.flatnonzero([one.decision == "leave" for one in decisions])


def supply(evidence: Evidence, k: int) -> tuple[Array, Array]:
    """(queries, groups) candidates of each group, and places that the target asks for."""
    available = np.zeros((len(evidence), len(evidence.labels.names)))
    np.add.at(available, evidence.ranking.query_of, evidence.labels.share)
    shown = np.minimum(evidence.ranking.lengths, k)
    shares = evidence.attribute.target.rows(np.arange(len(evidence)))
    return available, np.nan_to_num(shares) * shown[:, None]


def trigger_of(leave: Any = None, model: Any = None) -> Trigger:
    """A trigger with a list of queries to leave alone and the second opinion of an encoder."""
    encoder = registry.make("encoder", model) if isinstance(model, str) else model
    return Trigger(leaving(leave), None if encoder is None else Geometry(encoder))


def leaving(leave: Any) -> Leave:
    """Queries to leave alone, from a file or a list."""
    if leave is None or isinstance(leave, Leave):
        return leave or Leave()
    if isinstance(leave, (str, Path)):
        return _queries(read_lines(leave))
    lines = tuple(leave) if isinstance(leave, Iterable) else (None,)
    if not all(isinstance(line, str) for line in lines):
        raise UsageError("Queries to leave alone must be a file or a list of texts.")
    return _queries(lines)


def _queries(lines: Iterable[str]) -> Leave:
    """The queries of a list; one that also names items (``item:``) may be given as it is."""
    return Leave(tuple(text for kind, text in entries(lines, "query") if kind == "query"))
