"""What the trigger gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.results.score import plain
from fairlead.results.shown import Shown
from fairlead.results.tabular import Tabular
from fairlead.trigger.decision import Decision
from fairlead.trigger.evaluation import TriggerEvaluation


@dataclass(frozen=True)
class Decisions(Tabular, Shown):
    """The answer of ``decide``: one decision a query and attribute, in the order of the queries."""

    decisions: tuple[Decision, ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """JSON values: a list of decisions."""
        return [decision.to_dict() for decision in self.decisions]

    def tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """``decisions``: one record a decision."""
        return {"decisions": self.to_dict()}


@dataclass(frozen=True)
class Evaluated(Shown):
    """The answer of ``fairlead trigger --evaluate``: both sets of labelled queries together, and
    each alone.

    Attributes:
        half: Which half of the queries.
        parts: By set: ``both``, ``first`` (written before the rules) and ``second`` (written after
            them, to break them).
        per_second: Queries that the rules decide in a second.
    """

    half: str
    parts: Mapping[str, TriggerEvaluation]
    per_second: float

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        sets = {name: part.to_dict() for name, part in self.parts.items()}
        return plain(
            {"half": self.half, "sets": sets, "queries_per_second": round(self.per_second)}
        )
