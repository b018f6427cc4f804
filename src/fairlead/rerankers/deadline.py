"""A time limit on the search for one list. Nowhere else does an algorithm look at a clock."""

from __future__ import annotations

import time
from dataclasses import dataclass


class OutOfTimeError(Exception):
    """A program was cut before it had any answer."""


@dataclass(eq=False)
class Deadline:
    """When a search has to end, and whether it did so for that reason.

    Attributes:
        end: On the clock that never goes back; None for never.
        cut: Whether something was left undone.
    """

    end: float | None = None
    cut: bool = False

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """So many seconds from now; None for never."""
        if seconds is None:
            return cls()
        return cls(time.monotonic() + seconds)

    @property
    def options(self) -> dict[str, float]:
        """What HiGHS is told of it."""
        if self.end is None:
            return {}
        return {"time_limit": max(0.0, self.end - time.monotonic())}

    def over(self) -> bool:
        """Whether the time is up; whoever asks leaves something undone if it is."""
        if self.end is not None and time.monotonic() >= self.end:
            self.cut = True
        return self.cut


NEVER = Deadline()
"""No limit."""
