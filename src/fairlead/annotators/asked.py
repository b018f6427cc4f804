"""What annotators say when they are asked for something they cannot give."""

from __future__ import annotations

from collections.abc import Iterable

from fairlead.errors import UsageError


def cannot(annotator: object, attribute: str, known: Iterable[str]) -> UsageError:
    """An error for an attribute that an annotator has no labels or no model for, naming those it has."""
    names = ", ".join(known)
    return UsageError(f"{annotator} cannot label '{attribute}'.", f"It can label: {names}." if names else "It can label nothing here.")
