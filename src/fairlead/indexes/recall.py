"""Recall per group: which share of the true best rows an approximate search finds. It loses small groups first, so one number for all
would hide what matters.
"""

from __future__ import annotations

import numpy as np

from fairlead.indexes.labels import UNKNOWN_NAME, Labels
from fairlead.ragged import locate
from fairlead.types import Ranking


def recall_by_group(found: Ranking, truth: Ranking, labels: Labels, per_group: str | None) -> dict[str, float]:
    """The share of the true entries that were found, for each group that has any; under ``all`` where no attribute is given."""
    hit = locate(found.offsets, found.rows, truth.offsets, truth.rows) >= 0
    if per_group is None:
        return {"all": float(hit.mean())} if len(hit) else {}
    group = labels.cells(per_group)[0][truth.rows]
    names = [*labels.names[per_group], UNKNOWN_NAME]
    return {name: float(hit[group == number].mean()) for number, name in enumerate(names) if (group == number).any()}


def worst(recalls: dict[str, float]) -> tuple[str, float] | None:
    """The group that is found least, and its recall."""
    name = min(recalls, key=lambda n: recalls[n], default=None)
    return None if name is None else (name, float(np.round(recalls[name], 6)))
