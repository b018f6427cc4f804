"""What ``audit`` gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairlead.results.score import ScoreResult
from fairlead.results.shown import Shown
from fairlead.types import Ranking, Study


@dataclass(frozen=True, eq=False)
class Audit(Shown):
    """An audit's answer: what was measured, and the rankings it was measured on."""

    result: ScoreResult
    rankings: Mapping[str, Ranking]
    study: Study

    def to_dict(self) -> dict[str, Any]:
        """JSON values of what was measured, in the documented shape."""
        return self.result.to_dict()
