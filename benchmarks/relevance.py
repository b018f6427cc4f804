"""nDCG and AP of 194 queries, the top 1,000 of each, and with ``--full`` all 49,664 against ranx.

Every row starts from the same thing and ends with the same two means. From dictionaries, an Arrow
table or a Parquet file the peer is pytrec_eval, the fastest there is; our figure is once the public
door (with chance, intervals and manifest) and once the kernel (reading and two metrics). From
structures that each library has already built for itself the peer is ranx.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytrec_eval
import ranx
from figures import Figure, against, best
from pyarrow import parquet
from shapes import ITEMS, OWN, QUERIES, similarities

import fairlead
from fairlead.metrics.average_precision import AP
from fairlead.metrics.ndcg import NDCG
from fairlead.store.qrels import read_qrels
from fairlead.store.runs import read_run
from fairlead.types import Ranking, Relevant
from fairlead.types.evidence import Evidence

RELEVANT = Relevant(np.arange(QUERIES + 1) * OWN, np.arange(ITEMS))
JUDGED = {f"q{q}": {str(q * OWN + i): 1 for i in range(OWN)} for q in range(QUERIES)}
DEPTH = 1_000
Means = tuple[float, float]


def bench(full: bool) -> Iterator[Figure]:
    scores = similarities()
    yield from trec(scores)
    for depth in (DEPTH, ITEMS) if full else (DEPTH,):
        yield from compiled(scores, depth)


def trec(scores: np.ndarray) -> Iterator[Figure]:
    """Against pytrec_eval, from three kinds of input. Scores are places, so that none are tied."""
    order = np.argsort(-scores, axis=1)[:, :DEPTH]
    places = [float(DEPTH - place) for place in range(DEPTH)]
    runs = {
        f"q{q}": dict(zip(map(str, order[q].tolist()), places, strict=True)) for q in range(QUERIES)
    }
    yield from beside("dictionaries", runs, JUDGED, dict, least=2 / 3)
    run, qrels = columns(runs, "score"), columns(JUDGED, "gain")
    yield from beside("Arrow tables", run, qrels, nested, least=1)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "run.parquet", Path(folder) / "qrels.parquet"
        for file, table in zip(files, (run, qrels), strict=True):
            parquet.write_table(table, file)
        yield from beside("Parquet files", *files, lambda f: nested(parquet.read_table(f)), least=1)


def beside(
    source: str, run: Any, qrels: Any, read: Callable[[Any], Mapping[str, Any]], *, least: float
) -> Iterator[Figure]:
    theirs, other = best(lambda: peer(read(run), read(qrels)), 5)
    kernel, value = best(lambda: bare(run, qrels), 5)
    what = f"nDCG@10 + AP, 194 x {DEPTH:,}, from {source}"
    yield agreeing(f"{what}, kernel", kernel, theirs, value, other)
    if relevance_needs_no_groups():
        door, value = best(lambda: public(run, qrels), 5)
        yield agreeing(f"{what}, fairlead.score", door, theirs, value, other, least)


def agreeing(
    what: str, ours: float, theirs: float, value: Means, other: Means, least: float | None = None
) -> Figure:
    gap = max(abs(a - b) for a, b in zip(value, other, strict=True))
    note = f"values agree to {gap:.0e}"
    figures = 1e3 * ours, "pytrec_eval", 1e3 * theirs
    return against(what, *figures, unit="ms", least=least, agree=gap < 1e-6, note=note)


def peer(run: Mapping[str, Any], qrels: Mapping[str, Any]) -> Means:
    values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map"}).evaluate(run).values()
    ndcg, ap = ([value[name] for value in values] for name in ("ndcg_cut_10", "map"))
    return sum(ndcg) / len(ndcg), sum(ap) / len(ap)


def public(run: Any, qrels: Any) -> Means:
    ndcg, ap = fairlead.score(run, metric=["nDCG@10", "AP"], qrels=qrels).rows
    return ndcg.mean, ap.mean


def bare(run: Any, qrels: Any) -> Means:
    saved = read_run(run)
    judged = read_qrels(qrels, saved).relevant
    evidence = Evidence(saved.ranking, saved.queries, relevant=judged)
    return float(NDCG(k=10)(evidence)[0].mean()), float(AP()(evidence)[0].mean())


def relevance_needs_no_groups() -> bool:
    """Whether the sources that are measured can score relevance alone: older ones cannot."""
    try:
        public({"q": {"a": 1.0}}, {"q": {"a": 1}})
    except (TypeError, fairlead.FairleadError):
        return False
    return True


def columns(runs: Mapping[str, Mapping[str, float]], value: str) -> pa.Table:
    """A table of query, item and value."""
    return pa.table(
        {
            "query": [query for query, items in runs.items() for _ in items],
            "item": [item for items in runs.values() for item in items],
            value: [number for items in runs.values() for number in items.values()],
        }
    )


def nested(table: pa.Table) -> dict[str, dict[str, Any]]:
    """The dictionaries that pytrec_eval asks for."""
    result: dict[str, dict[str, Any]] = {}
    for query, item, number in zip(*(column.to_pylist() for column in table.columns), strict=True):
        result.setdefault(query, {})[item] = number
    return result


def compiled(scores: np.ndarray, depth: int) -> Iterator[Figure]:
    """Against ranx, both from what they have built for themselves."""
    order = np.argsort(-scores, axis=1)[:, :depth]
    found = np.take_along_axis(scores, order, 1)
    ranking = Ranking(np.arange(QUERIES + 1) * depth, order.ravel(), found.ravel())
    runs = {
        f"q{q}": dict(zip(map(str, order[q].tolist()), found[q].tolist(), strict=True))
        for q in range(QUERIES)
    }
    build, run = best(lambda: ranx.Run(runs), 2)
    judging, judged = best(lambda: ranx.Qrels(JUDGED), 2)
    theirs, other = best(lambda: ranx.evaluate(judged, run, ["ndcg", "map"], return_mean=True), 4)
    ours, value = best(lambda: measure(ranking), 5)
    gap = max(abs(value[0] - other["ndcg"]), abs(value[1] - other["map"]))
    note, what = f"values agree to {gap:.0e}", f"nDCG + AP, 194 x {depth:,}"
    yield against(what, 1e3 * ours, "ranx, compiled", 1e3 * theirs, unit="ms", note=note)
    reading, _ = best(lambda: read_qrels(JUDGED, read_run(runs)), 2)
    both = 1e3 * (ours + reading), "ranx", 1e3 * (theirs + build + judging)
    yield against(f"{what}, from dictionaries", *both, unit="ms")


def measure(ranking: Ranking) -> Means:
    evidence = Evidence(ranking, tuple(f"q{q}" for q in range(QUERIES)), relevant=RELEVANT)
    return float(NDCG()(evidence)[0].mean()), float(AP()(evidence)[0].mean())
