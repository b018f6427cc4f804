"""The injected stereotypes: which occupation is pulled towards which group. Made up, and known.

Occupations take turns in alphabetical order, so the table says nothing about the world: every other
occupation is pulled by gender, every other one by skin, each to alternating sides; the rest are
controls.
"""

from __future__ import annotations

from typing import Literal

from fairlead.phantom.people import OCCUPATIONS

Kind = Literal["gender", "skin", "joint"]

# Of eight in a row two are pulled by both, two by gender alone, two by skin alone, and two are
# controls of every kind.
_ORDER = sorted(OCCUPATIONS)
GENDER_PULL: dict[str, int] = {name: (1, 0, -1, 0)[i % 4] for i, name in enumerate(_ORDER)}
"""+1 towards male, -1 towards female, 0 a control."""
SKIN_PULL: dict[str, int] = {
    name: (1, 1, -1, -1, 0, 0, 0, 0)[i % 8] for i, name in enumerate(_ORDER)
}
"""+1 towards light, -1 towards dark, 0 a control."""


def pull(occupation: str, kind: Kind) -> tuple[int, int]:
    """The pull of an occupation by gender and by skin, for a kind of injected stereotype."""
    gender = GENDER_PULL[occupation] if kind in ("gender", "joint") else 0
    skin = SKIN_PULL[occupation] if kind in ("skin", "joint") else 0
    return gender, skin


def controls(kind: Kind) -> tuple[str, ...]:
    """The occupations without an injected stereotype of that kind."""
    return tuple(name for name in _ORDER if pull(name, kind) == (0, 0))
