"""The one type of every option that is a number with a point: click's own lets nan and inf through
any range.
"""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A finite number, within bounds where there are any."""

    name = "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or a usage error that says what it is not."""
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return found

    def _describe_range(self) -> str:
        # Click describes a range without ends as x<=None.
        if self.min is None and self.max is None:
            return ""
        return super()._describe_range()
