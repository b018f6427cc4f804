"""nDCG and AP against ranx: the top 1,000 of 194 queries, and with ``--full`` all 49,664."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import ranx
from figures import Figure, against, best
from shapes import ITEMS, OWN, QUERIES, similarities

from fairlead.metrics.average_precision import AP
from fairlead.metrics.ndcg import NDCG
from fairlead.store.runs import read_run
from fairlead.types import Ranking, Relevant
from fairlead.types.evidence import Evidence

RELEVANT = Relevant(np.arange(QUERIES + 1) * OWN, np.arange(ITEMS))


def bench(full: bool) -> Iterator[Figure]:
    scores = similarities()
    for depth in (1_000, ITEMS) if full else (1_000,):
        yield from at(scores, depth)


def at(scores: np.ndarray, depth: int) -> Iterator[Figure]:
    order = np.argsort(-scores, axis=1)[:, :depth]
    found = np.take_along_axis(scores, order, 1)
    ranking = Ranking(np.arange(QUERIES + 1) * depth, order.ravel(), found.ravel())
    runs = {
        f"q{q}": dict(zip(map(str, order[q].tolist()), found[q].tolist(), strict=True))
        for q in range(QUERIES)
    }
    judged = ranx.Qrels(
        {f"q{q}": {str(q * OWN + i): 1 for i in range(OWN)} for q in range(QUERIES)}
    )
    build, run = best(lambda: ranx.Run(runs), 2)
    theirs, other = best(lambda: ranx.evaluate(judged, run, ["ndcg", "map"], return_mean=True), 4)
    ours, value = best(lambda: measure(ranking), 5)
    gap = max(abs(value[0] - other["ndcg"]), abs(value[1] - other["map"]))
    what = f"nDCG + AP, 194 x {depth:,}"
    yield against(
        what,
        1e3 * ours,
        "ranx, compiled",
        1e3 * theirs,
        unit="ms",
        note=f"values agree to {gap:.0e}",
    )
    reading, _ = best(lambda: read_run(runs), 2)
    yield against(
        f"{what}, from dictionaries",
        1e3 * (ours + reading),
        "ranx",
        1e3 * (theirs + build),
        unit="ms",
    )


def measure(ranking: Ranking) -> tuple[float, float]:
    evidence = Evidence(ranking, tuple(f"q{q}" for q in range(QUERIES)), relevant=RELEVANT)
    return float(NDCG()(evidence)[0].mean()), float(AP()(evidence)[0].mean())
