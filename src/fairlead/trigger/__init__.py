"""The trigger that knows when not to: decides for a query and an attribute whether its list may be
diversified, and says why.

Rules first (words of ``fairlead.words``), the encoder's own geometry second, the candidates at hand
last. Every query gets a ``Decision``; none is silent. No I/O, no clock, no model of its own: an
encoder is handed in.
"""

from fairlead.trigger.decision import FAMILIES, RULES, Decision
from fairlead.trigger.leaving import Leave
from fairlead.trigger.trigger import ATTRIBUTES, Trigger

__all__ = ["ATTRIBUTES", "FAMILIES", "RULES", "Decision", "Leave", "Trigger"]
