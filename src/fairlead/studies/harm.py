"""Do no harm: whether a mitigation may be switched on.

It is compared with plain search, on queries on which nothing was chosen. Three things must hold.
The paired interval shows less bias. It rules out that relevance falls by more than a tolerance: its
lower end stays above that (lists whose relevance is the same need no interval). And queries that
ask for a group by name keep their accuracy up to a tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fairlead.results.frontier import Verdict, least_kept
from fairlead.studies.frontier import PLAIN, Frontier


@dataclass(frozen=True)
class Tolerance:
    """What a mitigation may cost.

    ``relevance`` is in its own unit, ``explicit`` is a share of the accuracy on queries that ask
    for a group.
    """

    relevance: float = 0.05
    explicit: float = 0.02


def verdicts(found: Frontier, tolerance: Tolerance) -> tuple[Verdict, ...]:
    """One verdict for every setting of every method."""
    return tuple(
        _verdict(found, number, tolerance)
        for number, method in enumerate(found.methods)
        if method.name != PLAIN
    )


def _verdict(found: Frontier, number: int, tolerance: Tolerance) -> Verdict:
    method = found.methods[number]
    bias, bias_ci = found.paired(number, found.bias)
    relevance, relevance_ci = found.paired(number, found.relevance)
    # the measure of accuracy that suffers most decides
    kept = least_kept(found.explicit[number :: len(found.methods)])
    reasons = []
    # written as a negation, so that an undefined interval is a reason too
    if not bias_ci[1] < 0:
        reasons.append(
            f"{found.bias} is not shown to fall: {bias:+.3f} [{bias_ci[0]:+.3f}, "
            f"{bias_ci[1]:+.3f}]."
        )
    # Without an interval, lists whose relevance is the same pass, and any fall does not.
    if relevance_ci[0] < -tolerance.relevance or (math.isnan(relevance_ci[0]) and relevance < 0):
        span = f"[{relevance_ci[0]:+.3f}, {relevance_ci[1]:+.3f}]"
        reasons.append(
            f"{found.relevance} may fall by more than {tolerance.relevance:g}: "
            f"{relevance:+.3f} {span}."
        )
    if kept < 1 - tolerance.explicit:
        reasons.append(
            f"Queries that ask for a group keep {100 * kept:.1f} % of their accuracy, "
            f"less than {100 - 100 * tolerance.explicit:g} %."
        )
    return Verdict(
        method.name,
        method.knob,
        method.value,
        not reasons,
        tuple(reasons),
        bias,
        bias_ci,
        relevance,
        relevance_ci,
        kept,
    )
