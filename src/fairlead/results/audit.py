"""What ``audit`` gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairlead.results.score import ScoreResult
from fairlead.results.shown import Shown
from fairlead.types import Ranking, Study
from fairlead.types.saved import SavedRun


# Rankings are arrays, of which == gives no truth value: an audit is compared by identity.
@dataclass(frozen=True, eq=False)
class Audit(Shown):
    """An audit's answer: what was measured, the lists it was measured on, and all that is needed
    to do it again.
    """

    result: ScoreResult
    rankings: Mapping[str, Ranking]
    study: Study
    run: SavedRun

    def to_dict(self) -> dict[str, Any]:
        """JSON values of what was measured, in the documented shape."""
        return self.result.to_dict()
