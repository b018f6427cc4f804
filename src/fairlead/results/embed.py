"""What ``fairlead embed`` did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class EmbedResult:
    """What ``embed`` did: ``items`` and ``skipped`` together are all that was ``seen``."""

    folder: Path
    seen: int
    items: int
    embedded: int
    skipped: Mapping[str, int]
    seconds: float
    manifest: Mapping[str, Any]

    @property
    def reused(self) -> int:
        """Items whose vectors were there already."""
        return self.items - self.embedded

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        speed = None
        if self.seconds > 0:
            speed = round(self.embedded / self.seconds, 1)
        return {
            "folder": str(self.folder),
            "seen": self.seen,
            "items": self.items,
            "embedded": self.embedded,
            "reused": self.reused,
            "skipped": dict(self.skipped),
            "seconds": round(self.seconds, 3),
            "per_second": speed,
            "manifest": dict(self.manifest),
        }
