"""1,000 permutations of the whole NDKL batch 194 x 256 x {2, 4, 8}, in a process of its own: time
and peak memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from figures import Figure, below, child


def bench(full: bool) -> Iterator[Figure]:
    for case, about in (
        ("balanced", "shared keys"),
        ("unbalanced", "a key of its own for every list"),
    ):
        runs = [child("nulls:permute", case) for _ in range(3)]
        spent = min(runs, key=lambda run: run.answer["seconds"])
        lists = spent.answer["distributions"]
        yield below(
            f"1,000 permutations, {about}",
            spent.answer["seconds"],
            3,
            "s",
            note=f"{lists} distinct nulls",
        )
        yield below(
            f"1,000 permutations, {about}: peak memory",
            spent.peak_mb,
            1_000,
            "MB",
            note="of the whole process",
        )


def permute(case: str) -> dict[str, float]:
    """The order null of three attributes."""
    import shapes

    from fairlead.metrics.ndkl import NDKL
    from fairlead.statistics.nulls import null_of

    seconds, distributions = 0.0, 0
    for groups in (2, 4, 8):
        evidence = shapes.evidence_of(getattr(shapes, case)(groups), groups)
        start = time.process_time()
        null = null_of(NDKL(), evidence, "order", seed=0, draws=1_000)
        seconds += time.process_time() - start
        distributions += len(null.distributions)
    return {"seconds": seconds, "distributions": distributions}
