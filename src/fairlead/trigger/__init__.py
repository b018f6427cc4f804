"""The trigger: decides whether the list of a query may be diversified, and says why.

Rules come first (words of ``fairlead.words``), then the encoder's own geometry, then the candidates
at hand. Every query gets a ``Decision`` for the attribute. There is no I/O, no clock and no model
here: the caller hands in an encoder.
"""

from fairlead.trigger.decision import FAMILIES, RULES, Decision
from fairlead.trigger.leaving import Leave
from fairlead.trigger.trigger import ATTRIBUTES, Trigger

__all__ = ["ATTRIBUTES", "FAMILIES", "RULES", "Decision", "Leave", "Trigger"]
