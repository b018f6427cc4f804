"""The trigger that knows when not to: decides for a query and an attribute whether its list may be
diversified, and says why.

Rules first (words of ``fairlead.words``), the encoder's own geometry second, the candidates at hand
last. Every query gets a ``Decision``; none is silent. No I/O, no clock, no model of its own: an
encoder is handed in.
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
