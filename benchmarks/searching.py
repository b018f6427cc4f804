"""Searching end to end: what fetching per group, one reranker and measuring add to a plain search.

200,000 vectors; 1 million with ``--full``.
"""

from __future__ import annotations

from collections.abc import Iterator

from figures import Figure, best

from fairlead import targets
from fairlead.evidence import Labelled
from fairlead.registry import make
from fairlead.tasks.search import Ask, Shelf, Treatment, for_retrieval, search
from fairlead.types import Collection, Embeddings, Groups
from indexes import WIDTH, world

K, QUERIES = 20, 16


def bench(full: bool) -> Iterator[Figure]:
    size = 1_000_000 if full else 200_000
    given = world(size)
    labels = Groups("g", tuple(f"group {n}" for n in range(8)), codes=given.codes)
    labelled = Labelled(labels, targets.uniform(labels))
    index = make("index", "exact")
    index.add(Embeddings(given.vectors), {"g": for_retrieval(labels)})
    shelf = Shelf(Collection(tuple(map(str, range(size))), groups={"g": labels}), index, {"g": labelled}, ("g", labelled))
    treatments, metrics = [Treatment(make("reranker", "detgreedy"))], [make("metric", f"AbsBias@{K}"), make("metric", f"NDKL@{K}")]
    for count in (1, QUERIES):
        asked = Embeddings(given.queries[:count])
        names, ask = [f"q{n}" for n in range(count)], Ask(K, K, 10_000)
        search(shelf, asked, names, ask, treatments=treatments, metrics=metrics)  # chance levels are drawn once for a collection
        plain, _ = best(lambda a=asked, n=names, k=ask: search(shelf, a, n, k), 5)
        ours, _ = best(lambda a=asked, n=names, k=ask: search(shelf, a, n, k, treatments=treatments), 5)
        told, _ = best(lambda a=asked, n=names, k=ask: search(shelf, a, n, k, treatments=treatments, metrics=metrics), 5)
        what = f"{size:,} x {WIDTH}, {count} {'query' if count == 1 else 'queries'}: search per group of 8 with detgreedy"
        note = f"{100 * (ours / plain - 1):+.1f} %; with AbsBias and NDKL and their chance {100 * (told / plain - 1):+.1f} %"
        yield Figure(what, 1e3 * ours / count, "ms", "plain search", 1e3 * plain / count, "<= 5 % more", bool(ours <= 1.05 * plain), note)
