"""One list through ``fairlead.Mitigator``: against the reranker alone, a dozen lines of plain Python,
``fairlead.rerank``, and the first call against ``import numpy``.

``FAIRLEAD_OLD=DIR`` names a checkout of an older version, whose ``rerank`` is measured too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import plain_python
from figures import Figure, against
from shapes import names
from startup import least

import fairlead
from fairlead.engine.given_lists import CandidateList, evidence_of

K, TURNS = 100, 400
RERANKERS = {"detgreedy": 1.0, "levelled": 2.5}
"""How many times as long as plain Python's detgreedy each may take."""
FIRST = (
    "import fairlead\n"
    "one = fairlead.Mitigator.of('levelled', attribute='g', groups=('a', 'b'), k=2)\n"
    "one(['x', 'y', 'z'], [1.0, 2.0, 3.0], ['a', 'b', 'a'])\n"
)
OLD = """
import json, sys, time
sys.path.insert(0, {source!r})
import fairlead
run, table, k = json.loads(sys.stdin.read())
assert fairlead.__file__.startswith({source!r})
best = 9.0
for _ in range(20):
    start = time.process_time()
    fairlead.rerank(run, table, mitigate={name!r}, k=k, trigger=False)
    best = min(best, time.process_time() - start)
print(best)
"""


@dataclass(frozen=True)
class Shape:
    """One list: its candidates in no order, the groups unevenly spread over the scores."""

    name: str
    ids: list[str]
    scores: np.ndarray
    groups: tuple[str, ...]
    labels: Any

    @property
    def table(self) -> dict[str, Any]:
        """The labels as the columns of a table."""
        if isinstance(self.labels, list):
            return {"item": self.ids, "g": self.labels}
        columns = {f"g={g}": self.labels[:, n].tolist() for n, g in enumerate(self.groups)}
        return {"item": self.ids, **columns}


def shapes() -> tuple[Shape, ...]:
    rng = np.random.default_rng(0)
    ids, scores = [f"img_{n:06}.jpg" for n in range(1_000)], rng.standard_normal(1_000)
    few = scores[:200]
    rare = rng.random(200) < 1 / (1 + np.exp(1.2 + few))  # one in five, and fewer at the top
    labels = [names(2)[0 if one else 1] for one in rare]
    shares = rng.dirichlet(rng.dirichlet(np.full(8, 5.0)) * 8 * 0.3, 1_000)
    return (
        Shape("200 candidates, 2 groups", ids[:200], few, names(2), labels),
        Shape("1,000 candidates, 8 groups, soft labels", ids, scores, names(8), shares),
    )


def bench(full: bool) -> Iterator[Figure]:
    for shape in shapes():
        for name, most in RERANKERS.items():
            yield from one_list(shape, name, most)
    first, numpy, bare = (least([sys.executable, "-c", c]) for c in (FIRST, "import numpy", "pass"))
    yield Figure(
        "Mitigator: first call, imports included",
        first,
        "s",
        "import numpy",
        numpy,
        "<= 4x",
        first <= 4 * numpy,
        f"Python itself {bare:.3f} s",
    )


def one_list(shape: Shape, name: str, most: float) -> Iterator[Figure]:
    mitigator = fairlead.Mitigator.of(name, attribute="g", groups=shape.groups, k=K)
    codes = shape.labels
    if isinstance(codes, list):
        codes = np.array([shape.groups.index(label) for label in codes])
    target, scores = dict.fromkeys(shape.groups, 1 / len(shape.groups)), shape.scores.tolist()

    def call() -> Any:
        return mitigator(shape.ids, shape.scores, shape.labels)

    def plain() -> list[str]:
        labels = shape.labels
        if not isinstance(labels, list):
            labels = plain_python.most_probable(labels.tolist(), shape.groups)
        return plain_python.detgreedy(shape.ids, scores, labels, target, K)

    if name == "detgreedy":
        assert list(call().ids) == plain()
    assert call().changed

    def kernel() -> Callable[[], object]:
        groups = mitigator.labels.read(shape.ids, codes)
        candidates = CandidateList.of(shape.ids, shape.scores, groups, "", None, 0)
        ready = evidence_of([candidates], mitigator.target, aligned=True)
        return lambda: mitigator.reranker(ready, K, 0)

    by_code, alone, called, python = in_turn(
        lambda: lambda: mitigator(shape.ids, shape.scores, codes),
        kernel,
        lambda: call,
        lambda: plain,
    )
    what = f"Mitigator, {name} k={K} of {shape.name}"
    yield limited(what, by_code, "its own kernel", alone, 1.5)
    yield limited(what, called, "plain Python's detgreedy", python, most)
    run = {"q1": dict(zip(shape.ids, scores, strict=True))}

    def rerank() -> object:
        return fairlead.rerank(run, shape.table, mitigate=name, k=K, trigger=False)

    (now,) = in_turn(lambda: rerank, turns=20)
    yield against(what, called, "fairlead.rerank", now, unit="ms")
    if "FAIRLEAD_OLD" in os.environ:
        before = old_rerank(run, shape.table, name)
        yield against(what, called, "the older fairlead.rerank", before, unit="ms", least=8)


def limited(what: str, ours: float, peer: str, theirs: float, most: float) -> Figure:
    """A figure that may be at most so many times the peer's."""
    note = f"{ours / theirs:.2f} times"
    return Figure(what, ours, "ms", peer, theirs, f"<= {most:g}x", ours <= most * theirs, note)


def in_turn(*makers: Callable[[], Callable[[], object]], turns: int = TURNS) -> list[float]:
    """The least milliseconds of each, called one after the other so that none has the cache to
    itself; what is made for a call does not count.
    """
    spent = [float("inf")] * len(makers)
    for _ in range(turns):
        for number, make in enumerate(makers):
            function = make()
            start = time.process_time()
            function()
            spent[number] = min(spent[number], 1e3 * (time.process_time() - start))
    return spent


def old_rerank(run: Any, table: Any, name: str) -> float:
    """Milliseconds that the ``rerank`` of the older checkout needs."""
    source = str(Path(os.environ["FAIRLEAD_OLD"]) / "src")
    done = subprocess.run(
        [sys.executable, "-c", OLD.format(source=source, name=name)],
        input=json.dumps([run, table, K]),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": source},
    )
    return 1e3 * float(done.stdout)
