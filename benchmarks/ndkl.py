"""NDKL of the batch 194 x 256 x {2, 4, 8 groups}, labels gathered from the ranking, against
``reranking`` and FairRankTune.
"""

from __future__ import annotations

from collections.abc import Iterator

import FairRankTune
import numpy as np
import pandas as pd
import reranking
from figures import Figure, against, best
from shapes import QUERIES, balanced, evidence_of, names

from fairlead.metrics.ndkl import NDKL
from fairlead.types.evidence import Evidence

GROUPS = (2, 4, 8)


def bench(full: bool) -> Iterator[Figure]:
    codes = {g: balanced(g) for g in GROUPS}
    evidence = {g: evidence_of(codes[g], g) for g in GROUPS}
    lists = {g: [[names(g)[c] for c in row] for row in codes[g].tolist()] for g in GROUPS}
    each: dict[int, tuple[float, float]] = {}
    values = []
    for g in GROUPS:
        ours, value = best(lambda g=g: NDKL()(fresh(evidence[g]))[0], 30)
        target = dict.fromkeys(names(g), 1 / g)
        theirs, other = best(
            lambda g=g, target=target: [reranking.ndkl(labels, target) for labels in lists[g]],
            3 if full else 2,
        )
        each[g] = ours, theirs
        values.append(np.abs(value - other).max())
        yield against(
            f"NDKL 194 x 256, {g} groups", 1e3 * ours, "reranking", 1e3 * theirs, unit="ms"
        )
    ours, theirs = (sum(pair[i] for pair in each.values()) for i in (0, 1))
    gap = max(values)
    note = f"values agree to {gap:.0e}"
    yield against(
        "NDKL batch 194 x 256 x {2, 4, 8}",
        1e3 * ours,
        "reranking",
        1e3 * theirs,
        unit="ms",
        least=300,
        agree=gap < 1e-6,
        note=note,
    )
    tune, gap = tuned(evidence, lists, 20)
    note = f"on 20 of 194 lists; its target is each list's own mix and its eps 1e-7: values agree to {gap:.0e}"
    yield against(
        "NDKL batch 194 x 256 x {2, 4, 8}",
        1e3 * ours,
        "FairRankTune",
        1e3 * tune * QUERIES / 20,
        unit="ms",
        note=note,
    )


def fresh(evidence: Evidence) -> Evidence:
    """The same evidence with nothing kept from the last run."""
    return Evidence(evidence.ranking, evidence.queries, evidence.attributes)


def tuned(
    evidence: dict[int, Evidence], lists: dict[int, list[list[str]]], some: int
) -> tuple[float, float]:
    """FairRankTune on the first lists: seconds, and the largest difference."""
    seconds, gap = 0.0, 0.0
    for g, part in lists.items():
        frames = [(pd.DataFrame(range(len(x))), dict(enumerate(x))) for x in part[:some]]
        spent, values = best(
            lambda frames=frames: [FairRankTune.NDKL(frame, groups) for frame, groups in frames], 2
        )
        seconds += spent
        gap = max(gap, float(np.abs(NDKL()(evidence[g])[0][:some] - values).max()))
    return seconds, gap
