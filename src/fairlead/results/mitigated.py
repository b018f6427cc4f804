"""What a ``Mitigator`` gives for one list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairlead.trigger.decision import Decision
from fairlead.types.ragged import Array


@dataclass(frozen=True, eq=False)
class MitigatedList:
    """The list to show, and why it is as it is.

    Attributes:
        order: (shown,) places in the input, best first.
        ids: (shown,) the ids at these places.
        decision: What was decided for the query; after ``leave`` the list is the plain one.
        changed: Whether the list differs from the plain one.
        reranker: Text form of the reranker.
    """

    order: Array
    ids: tuple[Any, ...]
    decision: Decision
    changed: bool
    reranker: str

    @property
    def reason(self) -> str:
        """Why the list is as it is, in a sentence for people."""
        # The trigger's reason would be wrong where it allowed a change and none was needed.
        if self.changed or self.decision.decision == "leave":
            return self.decision.reason
        return f"There was nothing to do: {self.reranker} keeps the plain list."

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "order": self.order.tolist(),
            "ids": list(self.ids),
            "changed": self.changed,
            "reason": self.reason,
            "trigger": self.decision.to_dict(),
        }
