"""The trigger: decides whether the list of a query may be diversified, and says why.

Rules come first (words of ``fairlead.words``), then the encoder's own geometry, then the candidates
at hand. Every query gets a ``Decision`` for the attribute. There is no I/O, no clock and no model
here: the caller hands in an encoder.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fairlead.trigger.decision import FAMILIES, RULES, Decision
from fairlead.trigger.leaving import Leave

if TYPE_CHECKING:
    from fairlead.trigger.trigger import ATTRIBUTES, Trigger

__all__ = ["ATTRIBUTES", "FAMILIES", "RULES", "Decision", "Leave", "Trigger"]


def __getattr__(name: str) -> Any:
    # Decisions are needed everywhere; the rules and their words only where a query is read.
    if name not in __all__:
        raise AttributeError(f"module 'fairlead.trigger' has no attribute '{name}'")
    return getattr(import_module("fairlead.trigger.trigger"), name)
