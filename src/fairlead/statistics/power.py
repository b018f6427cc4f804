"""How many queries show a given difference, and how small a difference given queries show."""

from __future__ import annotations

import math
from statistics import NormalDist

from fairlead.errors import UsageError


def queries_needed(
    spread: float, difference: float, *, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Queries needed to see a mean difference with the given power in a two-sided test.

    Args:
        spread: Standard deviation of the per-query value (for two runs: of the per-query
            difference).
        difference: The mean difference to be seen.
        power: Chance of seeing it.
        alpha: Two-sided level.

    >>> queries_needed(0.1, 0.05)
    34
    """
    if difference == 0 or spread < 0 or not 0 < power < 1 or not 0 < alpha < 1:
        raise UsageError(
            "queries_needed takes a difference other than 0, a spread >= 0, and power "
            "and alpha between 0 and 1."
        )
    ratio = _sum_of_quantiles(power, alpha) * spread / abs(difference)
    # what estimating the spread costs (Guenther 1981)
    lost = NormalDist().inv_cdf(1 - alpha / 2) ** 2 / 2
    return max(2, math.ceil(ratio**2 + lost))


def visible_difference(
    spread: float, queries: int, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """The smallest mean difference that this many queries show with the given power."""
    return _sum_of_quantiles(power, alpha) * spread / math.sqrt(queries)


def _sum_of_quantiles(power: float, alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
