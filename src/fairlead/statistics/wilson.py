"""Wilson's interval of a share of independent trials.

It is honest for few trials too, and for shares near 0 and 1.
"""

from __future__ import annotations

import math

_Z = 1.959964


def wilson(share: float, size: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``size`` trials; NaN where there are no trials.

    >>> [round(x, 3) for x in wilson(0.9, 20)]
    [0.699, 0.972]
    """
    if size < 1:
        return math.nan, math.nan
    scale = 1 + _Z * _Z / size
    centre = (share + _Z * _Z / (2 * size)) / scale
    variance = share * (1 - share) / size
    half = _Z / scale * math.sqrt(variance + (_Z / (2 * size)) ** 2)
    return centre - half, centre + half
