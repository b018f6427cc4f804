"""Searching end to end: what fetching per group, one reranker and measuring add to a plain search.

200,000 vectors; 1 million with ``--full``. Once with as many candidates of each group as are shown,
and once with the default depth of every road.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from figures import Figure, best

from fairlead.engine.answers import answers_of
from fairlead.engine.asked import of_texts
from fairlead.engine.engine import Engine
from fairlead.engine.live import Labels
from fairlead.engine.mitigations import Mitigation
from fairlead.engine.opened import Opened
from fairlead.engine.setup import Setup
from fairlead.engine.shelf import Shelf, for_retrieval
from fairlead.protocols.registry import make
from fairlead.types import Collection, Embeddings, Groups, Queries, Study
from indexes import WIDTH, world

K, QUERIES, ROUNDS = 20, 16, 12
RERANKERS = ("detgreedy", "levelled")
METRICS = (f"AbsBias@{K}", f"NDKL@{K}")


@dataclass(frozen=True, eq=False)
class Case:
    """What is searched: vectors in an index, with a label each."""

    shelf: Shelf
    groups: Groups
    vectors: Any

    def search(self, reranker: str, depth: int | None, *, measured: bool) -> Callable[[int], Any]:
        """Searches of the first queries, plain or mitigated, with or without measures."""
        mitigations, mitigate = (), {}
        if reranker:
            mitigations = (Mitigation(reranker=make("reranker", reranker)),)
            mitigate = {"g": self.groups}
        metrics = tuple(make("metric", text) for text in METRICS) if measured else ()
        study = Study("made up", self.shelf.collection, Queries(()), ())
        labels = Labels({"g": self.groups}, attribute="g", mitigate=mitigate)
        opened = Opened(study, None, None, "made up", labels)
        engine = Engine(setup(depth), opened, self.shelf, mitigations, {}, metrics, None)

        def run(count: int) -> Any:
            asked = of_texts([f"q{number}" for number in range(count)])
            outcome = engine.run(asked, Embeddings(self.vectors[:count]), paired=False)
            return answers_of(engine, outcome, k=K)

        return run


def setup(depth: int | None) -> Setup:
    """Ten items more or less: what a search asks for by default."""
    return Setup(
        model=None,
        index=None,
        groups=None,
        mitigate=(),
        mitigate_groups=None,
        attribute=("g",),
        target="uniform",
        metric=(),
        k=K,
        depth=depth,
        limit=10_000,
        unknown="ignore",
        null=None,
        interval="studentised",
        trigger=False,
        leave=None,
        leave_out=None,
        seed=0,
    )


def bench(full: bool) -> Iterator[Figure]:
    """One row for each number of queries, reranker and depth."""
    size = 1_000_000 if full else 200_000
    given = world(size)
    groups = Groups("g", tuple(f"group {n}" for n in range(8)), codes=given.codes)
    index = make("index", "exact")
    index.add(Embeddings(given.vectors), {"g": for_retrieval(groups)})
    collection = Collection(tuple(map(str, range(size))), groups={"g": groups})
    case = Case(Shelf(collection, index), groups, given.queries)
    for count in (1, QUERIES):
        for reranker in RERANKERS:
            for depth in (K, None):
                yield compared(case, reranker, count, depth)


def compared(case: Case, reranker: str, count: int, depth: int | None) -> Figure:
    """Searches of the three kinds in turn, so that what else the machine does falls on all of them;
    the best of each.
    """
    kinds = [
        case.search("", K, measured=False),
        case.search(reranker, depth, measured=False),
        case.search(reranker, depth, measured=True),
    ]
    kinds[-1](count)  # chance levels are drawn once for a collection
    rounds = [[best(lambda run=run: run(count), 1)[0] for run in kinds] for _ in range(ROUNDS)]
    plain, ours, measured = (min(times) for times in zip(*rounds, strict=True))
    size = len(case.shelf.collection)
    queries = "query" if count == 1 else "queries"
    what = f"{size:,} x {WIDTH}, {count} {queries}: search per group of 8 with {reranker}"
    what += f", depth {K}" if depth else ", default depth"
    note = f"{100 * (ours / plain - 1):+.1f} %; with AbsBias, NDKL and their chance "
    note += f"{100 * (measured / plain - 1):+.1f} %"
    times = (1e3 * ours / count, "ms", "plain search", 1e3 * plain / count)
    if depth is None:
        return Figure(what, *times, note=note)
    return Figure(what, *times, "<= 5 % more", bool(ours <= 1.05 * plain), note)
