"""A page for others: single queries that look at very few people are counted in the means, and
their own values are not told.

The value of a list of three people is nearly a label of three people. JSON and CSV are for those
who hold the labels anyway: complete.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fairlead.results.score import PerQuery, ScoreResult
from fairlead.statistics.cells import SMALLEST, alone
from fairlead.words.counts import part_of


def for_others(result: ScoreResult) -> ScoreResult:
    """The result as a page shows it; the limit is that of the plan (``least``), and 0 shows all,
    and says so.
    """
    least = int(result.manifest.get("plan", {}).get("least", SMALLEST))
    parts = tuple(_told(part, least) for part in result.values)
    # Only what is hidden now counts: a value that was undefined before tells nothing of anybody.
    gone = max(
        (
            int((np.isnan(new.value) & ~np.isnan(old.value)).sum())
            for new, old in zip(parts, result.values, strict=True)
        ),
        default=0,
    )
    notes = []
    if gone:
        words = (
            f"{part_of(gone, len(result.queries), 'query')} looked at fewer than {least} "
            "people, or would give such a one away"
        )
        notes.append(f"{words}: counted in every mean, not shown alone.")
    elif least < 2:
        notes.append(
            "Single queries are shown however few people they look at: asked for with --least 0."
        )
    return replace(
        result, values=parts, manifest={**result.manifest, "warnings": [*result.warnings, *notes]}
    )


def _told(part: PerQuery, least: int) -> PerQuery:
    if part.people is None:
        return part
    gone = alone(part.people, least)
    if not gone.any():
        return part
    blank: dict[str, Any] = {
        n: np.where(gone, np.nan, v)
        for n in ("value", "null_mean", "p", "q", "unknown_mass", "null_sd")
        if (v := getattr(part, n)) is not None
    }
    return replace(part, **blank)
