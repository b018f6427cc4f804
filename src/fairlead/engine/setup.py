"""What an engine is opened with: the fields that searches, audits and frontiers share."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

from fairlead.statistics.hard_nulls import Kind
from fairlead.statistics.intervals import Method
from fairlead.statistics.targets import UnknownPolicy
from fairlead.types.joining import read_map


@dataclass(frozen=True)
class Setup:
    """The choices of a plan that the engine reads; the plan describes them, with defaults."""

    model: Any
    index: Any
    groups: Any
    mitigate: tuple[Any, ...]
    mitigate_groups: Any
    attribute: tuple[str, ...] | None
    target: Any
    metric: tuple[Any, ...]
    k: int
    depth: int | None
    limit: int
    unknown: UnknownPolicy
    null: Kind | None
    interval: Method
    trigger: bool
    leave: Any
    leave_out: Any
    seed: int
    map: tuple[str, ...] = ()
    saved: bool = False
    """Whether the lists will be written, with all that measuring them again needs."""

    @property
    def rename(self) -> dict[str, str]:
        """New names of groups, by the old ones."""
        return read_map(self.map)

    @classmethod
    def of(cls, plan: Any, **changes: Any) -> Self:
        """The choices of a plan, some of them changed."""
        names = [item.name for item in fields(cls) if item.name not in ("saved", *changes)]
        known = {name: getattr(plan, name) for name in names} | changes
        return cls(**{**known, "attribute": known["attribute"] or None})
