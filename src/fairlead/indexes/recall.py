"""Recall per group: which share of the true best rows an approximate search finds.

It loses small groups first, so one number for all would hide what matters.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairlead.indexes.labels import UNKNOWN_NAME
from fairlead.types import Ranking
from fairlead.types.ragged import Array, locate

APPROXIMATE = (
    "Approximate search misses rows, those of small groups first: measure it with "
    "recall(queries, depth, per_group)."
)
"""What an approximate index says of itself."""


def warnings_of(*, approximate: bool) -> list[str]:
    """What the manifest of an index warns of."""
    if approximate:
        return [APPROXIMATE]
    return []


def recall_by_group(
    found: Ranking, truth: Ranking, codes: Array | None, names: Sequence[str]
) -> dict[str, float]:
    """The share of the true entries that were found, for each group that has any.

    Args:
        found: What a search gave.
        truth: What an exhaustive search gives.
        codes: (entries of the truth,) group numbers, below 0 for unknown; None to count all
            together, as ``all``.
        names: The groups.
    """
    hit = locate(found.offsets, found.rows, truth.offsets, truth.rows) >= 0
    if codes is None:
        if len(hit):
            return {"all": float(hit.mean())}
        return {}
    members = {name: codes == number for number, name in enumerate(names)} | {
        UNKNOWN_NAME: codes < 0
    }
    return {name: float(hit[member].mean()) for name, member in members.items() if member.any()}
