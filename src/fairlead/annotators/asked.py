"""What annotators say when they are asked for something that they cannot give."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from fairlead.errors import UsageError


def cannot(annotator: object, attribute: str, known: Iterable[str]) -> UsageError:
    """An error for an attribute that an annotator has no labels or no model for, naming those it
    has.
    """
    names = ", ".join(known)
    return UsageError(
        f"{annotator} cannot label '{attribute}'.",
        f"It can label: {names}." if names else "It can label nothing here.",
    )


# Words of attributes that no picture shows.
_UNSEEN = frozenset(
    (
        "religion",
        "religious",
        "faith",
        "belief",
        "creed",
        "sexuality",
        "sexual",
        "gay",
        "lesbian",
        "queer",
        "lgbt",
        "politics",
        "political",
        "party",
        "health",
        "illness",
        "disease",
        "hiv",
        "disability",
        "criminality",
        "criminal",
    )
)
_LOOKS = frozenset(("encoder", "pictures"))


def refuse_unseen(annotator: Any, attribute: str) -> None:
    """Refuse to read off a picture what no picture shows: belief, orientation, health, guilt.

    People may have said such things of themselves: labels from a file or from a panel are not
    refused.

    Raises:
        UsageError: For such an attribute, where the annotator looks at pictures.
    """
    words = re.findall(r"[^\W\d_]+", attribute.casefold())
    unseen = next((word for word in words if word in _UNSEEN), None)
    if unseen is not None and _LOOKS & set(annotator.needs):
        raise UsageError(
            f"'{attribute}' cannot be seen in a picture, and {annotator} will not guess it.",
            "Take what people say of themselves (table:FILE), or leave it. Why: docs/ethics.md.",
        )
