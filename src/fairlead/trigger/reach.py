"""The candidates at hand: what they leave to choose from, before a list is diversified.

Where a group has hardly any candidates, a list would show the same one or two people again and
again. A group has too few where its candidates are less than a quarter of the places its target
asks for. A group with no candidate at all is reported by ``reach``; it is no reason to leave the
other groups as they are. Where all candidates are shown anyway, nobody is shown more often than
before, and no group has too few.

Where one group alone has candidates, or none has, there is nothing to choose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairlead.trigger.decision import Decision

FEWEST = 0.25
"""The share of the places asked for that a group must have candidates for."""
# Expected candidates below which there is nobody
_NOBODY = 0.5
# Rules that know nothing of what was asked: few candidates are then no reason to leave a list
_UNREAD = ("off", "no-words")


def with_choice(
    decisions: Sequence[Decision], available: Sequence[Mapping[str, float]]
) -> tuple[Decision, ...]:
    """The decisions; a list with candidates of one group only, or of none, is left.

    Args:
        decisions: One a query.
        available: Candidates of each group, one mapping a query.

    >>> one = Decision.by("neutral", "nurse", "gender")
    >>> with_choice([one], [{"female": 7, "male": 0}])[0].reason
    'The query has candidates of one group only: female.'
    """
    return tuple(
        decision if decision.decision == "leave" else _chosen(decision, have)
        for decision, have in zip(decisions, available, strict=True)
    )


def within_reach(
    decisions: Sequence[Decision],
    available: Sequence[Mapping[str, float]],
    asked: Sequence[Mapping[str, float]],
    all_shown: Sequence[bool] | None = None,
) -> tuple[Decision, ...]:
    """The decisions, held against the candidates of each group.

    Only those change that would diversify a list.

    Args:
        decisions: One a query.
        available: Candidates of each group, one mapping a query.
        asked: Places that the target asks for, of each group, one mapping a query.
        all_shown: Whether the list shows every candidate whatever its order, one a query; of no
            query where it is not given.

    >>> one = Decision.by("neutral", "nurse", "gender")
    >>> within_reach([one], [{"female": 1, "male": 30}], [{"female": 5, "male": 5}])[0].reason
    'The query has too few candidates of a group for an honest choice: female (1 for 5 places).'
    """
    whole = [False] * len(decisions) if all_shown is None else all_shown
    return tuple(
        decision if every or stands(decision) else _held(decision, have, places)
        for decision, have, places, every in zip(decisions, available, asked, whole, strict=True)
    )


def stands(decision: Decision) -> bool:
    """Whether few candidates change nothing about a decision."""
    return decision.decision == "leave" or decision.rule in _UNREAD


def _chosen(decision: Decision, have: Mapping[str, float]) -> Decision:
    present = tuple(group for group, count in have.items() if count > 0)
    if len(present) > 1:
        return decision
    rule = "one-group" if present else "unlabelled"
    return Decision.by(rule, decision.query, decision.attribute, present)


def _held(decision: Decision, have: Mapping[str, float], places: Mapping[str, float]) -> Decision:
    few = [
        group for group, asked in places.items() if _NOBODY <= have.get(group, 0.0) < FEWEST * asked
    ]
    if not few:
        return decision
    # rounded: expected counts of soft labels are no whole numbers
    counts = "; ".join(f"{have[group]:.0f} for {places[group]:.0f} places" for group in few)
    return Decision.by("too-few", decision.query, decision.attribute, tuple(few), counts)
