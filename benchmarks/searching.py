"""Searching end to end: what fetching per group, one reranker and measuring add to a plain search.

200,000 vectors; 1 million with ``--full``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from figures import Figure, best

from fairlead.engine.search import Ask, Shelf, Treatment, for_retrieval, search
from fairlead.protocols.registry import make
from fairlead.statistics import targets
from fairlead.types import Collection, Embeddings, Groups
from fairlead.types.evidence import Labelled
from indexes import WIDTH, world

K, QUERIES, ROUNDS = 20, 16, 12
RERANKERS = ("detgreedy", "levelled")


def bench(full: bool) -> Iterator[Figure]:
    size = 1_000_000 if full else 200_000
    given = world(size)
    labels = Groups("g", tuple(f"group {n}" for n in range(8)), codes=given.codes)
    labelled = Labelled(labels, targets.uniform(labels))
    index = make("index", "exact")
    index.add(Embeddings(given.vectors), {"g": for_retrieval(labels)})
    shelf = Shelf(
        Collection(tuple(map(str, range(size))), groups={"g": labels}),
        index,
        {"g": labelled},
        ("g", labelled),
    )
    metrics = [make("metric", f"AbsBias@{K}"), make("metric", f"NDKL@{K}")]
    for count in (1, QUERIES):
        for reranker in RERANKERS:
            yield compared(shelf, Embeddings(given.queries[:count]), reranker, metrics)


def compared(shelf: Shelf, asked: Embeddings, reranker: str, metrics: Sequence[Any]) -> Figure:
    """Searches of the three kinds in turn, so that what else the machine does falls on all of them;
    the best of each.
    """
    size, count, treatments = (
        len(shelf.collection),
        len(asked),
        [Treatment(make("reranker", reranker))],
    )
    names, ask = [f"q{n}" for n in range(count)], Ask(K, K, 10_000)
    search(
        shelf, asked, names, ask, treatments=treatments, metrics=metrics
    )  # chance levels are drawn once for a collection
    kinds: list[dict[str, Any]] = [
        {},
        {"treatments": treatments},
        {"treatments": treatments, "metrics": metrics},
    ]
    rounds = [
        [best(lambda k=kind: search(shelf, asked, names, ask, **k), 1)[0] for kind in kinds]
        for _ in range(ROUNDS)
    ]
    plain, ours, told = (min(times) for times in zip(*rounds, strict=True))
    what = f"{size:,} x {WIDTH}, {count} {'query' if count == 1 else 'queries'}: search per group of 8 with {reranker}"
    note = f"{100 * (ours / plain - 1):+.1f} %; with AbsBias and NDKL and their chance {100 * (told / plain - 1):+.1f} %"
    return Figure(
        what,
        1e3 * ours / count,
        "ms",
        "plain search",
        1e3 * plain / count,
        "<= 5 % more",
        bool(ours <= 1.05 * plain),
        note,
    )
