"""The candidates at hand: whether a group has enough of them to be shown.

Where it has hardly any, a list would show the same one or two people again and again. A group has
too few where its candidates are less than a quarter of the places its target asks for. A group with
no candidate at all is reported by ``reach``; it is no reason to leave the other groups as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairlead.trigger.decision import Decision

FEWEST = 0.25
"""The share of the places asked for that a group must have candidates for."""
# Expected candidates below which there is nobody
_NOBODY = 0.5


def within_reach(
    decisions: Sequence[Decision],
    available: Sequence[Mapping[str, float]],
    asked: Sequence[Mapping[str, float]],
) -> tuple[Decision, ...]:
    """The decisions, held against the candidates of each group.

    Only those change that would diversify a list.

    Args:
        decisions: One a query.
        available: Candidates of each group, one mapping a query.
        asked: Places that the target asks for, of each group, one mapping a query.

    >>> one = Decision.by("neutral", "nurse", "gender")
    >>> within_reach([one], [{"female": 1, "male": 30}], [{"female": 5, "male": 5}])[0].reason
    'The query has too few candidates of a group for an honest choice: female (1 for 5 places).'
    """
    return tuple(
        decision if decision.decision == "leave" else _held(decision, have, places)
        for decision, have, places in zip(decisions, available, asked, strict=True)
    )


def _held(decision: Decision, have: Mapping[str, float], places: Mapping[str, float]) -> Decision:
    few = [
        group for group, asked in places.items() if _NOBODY <= have.get(group, 0.0) < FEWEST * asked
    ]
    if not few:
        return decision
    # rounded: expected counts of soft labels are no whole numbers
    counts = "; ".join(f"{have[group]:.0f} for {places[group]:.0f} places" for group in few)
    return Decision.by("too-few", decision.query, decision.attribute, tuple(few), counts)
