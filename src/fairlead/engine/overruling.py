"""What may become of lists, once their candidates are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairlead.trigger.decision import Decision
from fairlead.trigger.reach import stands, with_choice, within_reach
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array


def within(decisions: Sequence[Decision], evidence: Evidence, k: int) -> tuple[Decision, ...]:
    """The decisions, held against the candidates of each group."""
    names = evidence.labels.names
    have = [dict(zip(names, row, strict=True)) for row in evidence.supply.tolist()]
    chosen = with_choice(decisions, have)
    if all(map(stands, chosen)):
        return chosen
    places = [dict(zip(names, row, strict=True)) for row in places_asked(evidence, k).tolist()]
    return within_reach(chosen, have, places, (evidence.ranking.lengths <= k).tolist())


def places_asked(evidence: Evidence, k: int) -> Array:
    """(queries, groups) places of lists of ``k`` that the target asks for."""
    shown = np.minimum(evidence.ranking.lengths, k)
    target = evidence.attribute.target.rows(np.arange(len(evidence)))
    return np.nan_to_num(target) * shown[:, None]
