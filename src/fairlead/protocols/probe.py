"""Probes: queries reworded."""

from __future__ import annotations

from typing import Protocol

from fairlead.types import Queries


class Probe(Protocol):
    """Rewrites queries in ways that should not change who is shown."""

    def __call__(self, queries: Queries) -> Queries: ...
