"""Results as text and in notebooks, without knowing how either is drawn."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Shown:
    """Mixin for results that can be printed; the report draws them, loaded when somebody looks.

    A result is a value and knows no rendering. ``report.showing`` holds the one table of which view
    belongs to which result.
    """

    def __str__(self) -> str:
        return str(_showing().text(self))

    def _repr_html_(self) -> str:
        return str(_showing().html(self))


def _showing() -> Any:
    # By name: results lie below the report, and a result that nobody looks at loads no rendering.
    return import_module("fairlead.report.showing")
