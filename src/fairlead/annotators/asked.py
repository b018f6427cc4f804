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
    hint = "It can label nothing here."
    if names:
        hint = f"It can label: {names}."
    return UsageError(f"{annotator} cannot label '{attribute}'.", hint)


# Words of attributes that no picture shows; docs/ethics.md says why they are refused.
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
    # By whole words: 'party' is refused, and 'partygoer' is not.
    words = re.findall(r"[^\W\d_]+", attribute.casefold())
    unseen = next((word for word in words if word in _UNSEEN), None)
    if unseen is not None and _LOOKS & set(annotator.needs):
        raise UsageError(
            f"'{attribute}' cannot be seen in a picture, and {annotator} will not guess it.",
            "Take what people say of themselves (table:FILE), or leave it. Why: docs/ethics.md.",
        )
