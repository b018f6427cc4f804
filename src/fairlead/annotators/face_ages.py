"""Groups of ages: what their names mean in years, and the shares that an expected age gives them.

    share = F((end - a) / s) - F((start - a) / s),   F(x) = e^x / 2 for x < 0, else 1 - e^-x / 2

F is Laplace's distribution around the expected age a: most estimates are near, and some far off,
which a normal one cannot both say.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

import numpy as np

from fairlead.errors import UsageError
from fairlead.types.ragged import Array

FAIRFACE = "0-2|3-9|10-19|20-29|30-39|40-49|50-59|60-69|more than 70"
"""The groups of FairFace; its 'more than 70' begins with 70."""
# Fitted, with the temperature of gender, on half of the FairFace sample: docs/face.md.
SPREAD = 8.0
"""Years by which people are seen older or younger than the expected age, on average."""
_NAME = re.compile(r"\s*(?:(\d{1,3})\s*-\s*(\d{1,3})|(?:more than\s+)?(\d{1,3})\s*\+?)\s*")
_HINT = "Write years in ascending order, e.g. 0-17|18-64|65+."


@lru_cache(maxsize=16)
def bounds_of(text: str) -> dict[str, tuple[float, float]]:
    """Name, first year and the year after the last of each group.

    >>> bounds_of("0-17|65+")
    {'0-17': (0.0, 18.0), '65+': (65.0, inf)}
    """
    bounds: dict[str, tuple[float, float]] = {}
    last = -1.0
    for name in text.split("|"):
        match = _NAME.fullmatch(name)
        if match is None:
            raise UsageError(
                f"face(ages=...) cannot read '{name.strip()}' as a group of ages.", _HINT
            )
        # Whoever is 17 is so for a year: 0-17 ends where 18 begins.
        if match[1]:
            start, end = float(match[1]), float(match[2]) + 1
        else:
            start, end = float(match[3]), math.inf
        if start < last or end <= start:
            raise UsageError(
                f"face(ages=...): '{name.strip()}' does not follow the group before it.", _HINT
            )
        bounds[name.strip()], last = (start, end), end
    if len(bounds) < 2:
        raise UsageError("face(ages=...) needs two groups or more.", _HINT)
    return bounds


def shares_of_age(expected: float, text: str, *, calibrated: bool) -> Array:
    """(groups,) shares of an expected age; uncalibrated, 1 for the group in which it lies.

    What falls in no group is unknown.
    """
    bounds = bounds_of(text)
    if not calibrated:
        return np.array([float(start <= expected < end) for start, end in bounds.values()])

    def below(year: float) -> float:
        half = math.exp(-abs(year - expected) / SPREAD) / 2
        # Nobody is younger than 0: what the law puts below belongs to the first year.
        if year <= 0:
            return 0.0
        if year < expected:
            return half
        return 1 - half

    return np.array([below(end) - below(start) for start, end in bounds.values()])
