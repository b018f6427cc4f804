"""Indexes: the best 100 of each of 8 uneven groups, against the best 100 of all by numpy and by
faiss. 100,000 vectors; with ``--full`` 1 million x 512 float32 (about 12 GB of memory at the peak,
and 1 GB of disk for a while).

The vectors are clustered, as embeddings are: topics, clusters within them, a few strong directions
    and some noise. Each cluster has its
own mix of groups. Queries are drawn like items.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from figures import Figure, against, below, best, child

from fairlead.indexes.exact import Exact
from fairlead.protocols.registry import make
from fairlead.types import Embeddings, Groups

SHARES = np.array([50, 20, 10, 8, 5, 4, 2, 1]) / 100
NAMES = tuple(f"group {100 * share:g} %" for share in SHARES)
WIDTH, QUERIES, DEPTH, PART = 512, 100, 100, 50_000


@dataclass(frozen=True)
class World:
    vectors: np.ndarray
    queries: np.ndarray
    codes: np.ndarray

    @property
    def groups(self) -> dict[str, Groups]:
        return {"g": Groups("g", NAMES, codes=self.codes)}

    def built(self, text: str) -> Any:
        index = make("index", text)
        index.add(Embeddings(self.vectors), self.groups)
        return index


def bench(full: bool) -> Iterator[Figure]:
    size = 1_000_000 if full else 100_000
    yield from memory(size)
    given = world(size)
    asked = Embeddings(given.queries)
    rate, read = limits()
    index = given.built("exact")
    plain, truth = best(lambda: numpy_top(given), 3)
    ours, _ = best(lambda: index.search(asked, DEPTH, "g"), 3)
    flops = 2 * size * WIDTH * QUERIES / 1e9
    note = f"{flops / ours:.0f} GFLOP/s in all, {100 * flops / ours / rate:.0f} % of a large matmul's {rate:.0f}"
    what = f"{size:,} x {WIDTH}, {QUERIES} queries: exact, top {DEPTH} of each of 8 groups"
    yield at_most(what, ours, "numpy, plain top", plain, 1.3, note=note)
    own, listed = best(lambda: index.search(asked, DEPTH), 3)
    agree = np.array_equal(np.sort(listed.rows.reshape(QUERIES, DEPTH)), np.sort(truth))
    yield Figure(
        f"{size:,}: exact, plain top {DEPTH}",
        own,
        "s",
        "numpy, plain top",
        plain,
        note=f"same rows: {agree}",
    )
    flat, theirs = best(faiss_top(given), 3)
    same = (
        float(
            np.mean(
                [len(set(a) & set(b)) for a, b in zip(theirs.tolist(), truth.tolist(), strict=True)]
            )
        )
        / DEPTH
    )
    yield at_most(
        what,
        ours,
        "faiss IndexFlatIP, plain top",
        flat,
        1.0,
        note=f"it finds {100 * same:.1f} % of the same rows",
    )
    yield sorted_rows(given, ours)
    yield from one_at_a_time(given, index, read, 10 if full else None)
    if full:
        yield from filters(world(100_000))
    yield from postgres(world(20_000))


def world(size: int, seed: int = 0) -> World:
    """Vectors of length 1, made part by part."""
    rng = np.random.default_rng(seed)
    clusters = max(50, size // 1000)
    topics = gauss(rng, 40)
    centres = topics[rng.integers(0, 40, clusters)] + gauss(rng, clusters)
    directions = 0.9 * gauss(rng, 48) * np.arange(1, 49, dtype=np.float32)[:, None] ** -0.5
    weight, mix = (
        rng.dirichlet(np.ones(clusters)),
        np.cumsum(rng.dirichlet(20 * SHARES, clusters), axis=1),
    )

    def draw(count: int) -> tuple[np.ndarray, np.ndarray]:
        cluster = rng.choice(clusters, count, p=weight)
        made = (
            centres[cluster]
            + rng.standard_normal((count, 48), np.float32) @ directions
            + 0.35 * gauss(rng, count)
        )
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made, (rng.random(count)[:, None] > mix[cluster]).sum(1).clip(max=len(SHARES) - 1)

    vectors, codes = np.empty((size, WIDTH), np.float32), np.empty(size, np.int16)
    for start in range(0, size, PART):
        part = slice(start, min(size, start + PART))
        vectors[part], codes[part] = draw(part.stop - start)
    return World(vectors, draw(QUERIES)[0], codes)


def gauss(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.standard_normal((count, WIDTH), np.float32) / np.float32(np.sqrt(WIDTH))


def numpy_top(given: World) -> np.ndarray:
    """What one writes by hand."""
    scores = given.queries @ given.vectors.T
    rows = np.argpartition(scores, len(given.vectors) - DEPTH, axis=1)[:, -DEPTH:]
    order = np.argsort(-np.take_along_axis(scores, rows, 1), axis=1)
    return np.take_along_axis(rows, order, 1)


def faiss_top(given: World) -> Callable[[], np.ndarray]:
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(WIDTH)
    index.add(given.vectors)
    return lambda: index.search(given.queries, DEPTH)[1]


def sorted_rows(given: World, ours: float) -> Figure:
    """Whether a copy of the vectors sorted by group would pay."""
    order = np.argsort(given.codes, kind="stable")
    other = World(given.vectors[order], given.queries, given.codes[order]).built("exact")
    spent, _ = best(lambda: other.search(Embeddings(given.queries), DEPTH, "g"), 2)
    return Figure(
        "the same, rows as they come",
        ours,
        "s",
        "exact, rows sorted by group",
        spent,
        note="so no sorted copy is kept",
    )


def one_at_a_time(given: World, index: Exact, read: float, least: float | None) -> Iterator[Figure]:
    queries = [Embeddings(given.queries[q : q + 1]) for q in range(QUERIES)]
    slow = best(lambda: [index.search(q, DEPTH, "g") for q in queries[:10]], 3)[0] / 10
    plain = (
        best(
            lambda: [np.argpartition(given.vectors @ q.vectors[0], -DEPTH) for q in queries[:10]], 3
        )[0]
        / 10
    )
    moved = given.vectors.nbytes / 1e9 / slow
    note = f"{moved:.1f} GB/s, {100 * moved / read:.0f} % of what one core reads ({read:.1f} GB/s)"
    size = len(given.vectors)
    yield Figure(
        f"{size:,}: one query, exact, 8 groups",
        1e3 * slow,
        "ms",
        "numpy, plain top",
        1e3 * plain,
        note=note,
    )
    start = time.process_time()
    near = given.built("faiss(kind=ivf,per_group=g)")
    near.search(queries[0], DEPTH, "g")
    made = time.process_time() - start
    fast = best(lambda: [near.search(q, DEPTH, "g") for q in queries], 3)[0] / QUERIES
    recalls = near.recall(Embeddings(given.queries), DEPTH, "g")
    worst = min(recalls, key=lambda name: recalls[name])
    note = f"recall {recalls[worst]:.3f} in its worst group ({worst}); built in {made:.0f} s"
    what = f"{size:,}: one query, faiss ivf with a shard per group, 8 groups"
    yield against(
        what,
        1e3 * fast,
        "exact",
        1e3 * slow,
        unit="ms",
        least=least,
        agree=recalls[worst] >= 0.95,
        note=note,
    )


def filters(given: World) -> Iterator[Figure]:
    """What a filter over one approximate index costs the smallest group, and what shards give."""
    queries = Embeddings(given.queries)
    for text in (
        "faiss(kind=ivf,probes=20)",
        "faiss(kind=ivf)",
        "faiss(kind=hnsw,links=32)",
        "faiss(kind=hnsw,per_group=g)",
    ):
        index = given.built(text)
        index.search(queries, DEPTH, "g")
        spent = best(lambda index=index: index.search(queries, DEPTH, "g"), 2)[0] / QUERIES
        recalls = index.recall(queries, DEPTH, "g")
        note = (
            "recall "
            + ", ".join(f"{recalls[name]:.2f}" for name in NAMES)
            + " from the largest group to the smallest"
        )
        yield Figure(
            f"{len(given.vectors):,}: one query of a batch, {text}, 8 groups",
            1e3 * spent,
            "ms",
            note=note,
        )


def postgres(given: World) -> Iterator[Figure]:
    """PostgreSQL works in a process of its own: wall time."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        index = make("index", "pgvector")
        try:
            index.open(Path(folder) / "index", "bench")
            index.add(Embeddings(given.vectors), given.groups)
            some = Embeddings(given.queries[:10])
            spent = {
                group: wall(lambda group=group: index.search(some, DEPTH, group), 3) / 10
                for group in (None, "g")
            }
        finally:
            index.close()
    what = f"{len(given.vectors):,}: one query of a batch, pgvector, 8 groups"
    yield Figure(
        what, 1e3 * spent["g"], "ms", "pgvector, plain top", 1e3 * spent[None], note="wall time"
    )


def wall(function: Callable[[], Any], times: int) -> float:
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        spent.append(time.perf_counter() - start)
    return min(spent)


def limits() -> tuple[float, float]:
    """GFLOP/s of a large matrix product, and GB/s that a sum over memory reads."""
    square, line = np.ones((2048, 2048), np.float32), np.ones(1 << 27, np.float32)
    product = best(lambda: square @ square, 3)[0]
    return 2 * 2048**3 / product / 1e9, line.nbytes / best(lambda: line @ line, 3)[0] / 1e9


def at_most(what: str, ours: float, peer: str, theirs: float, most: float, *, note: str) -> Figure:
    return Figure(
        what, ours, "s", peer, theirs, f"<= {most:g} of theirs", bool(ours <= most * theirs), note
    )


# Memory


def memory(size: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.bin"
        rng = np.random.default_rng(0)
        with path.open("wb") as stream:
            for start in range(0, size, PART):
                gauss(rng, min(PART, size - start)).astype(np.float16).tofile(stream)
        used = child("indexes:search_mapped", str(path))
        note = f"file {path.stat().st_size / 1e6:,.0f} MB; at the end {used.answer['anonymous']:,.0f} MB of its own and "
        note += f"{used.answer['mapped']:,.0f} MB of the file, which count while they are mapped and can be dropped; CPU {used.cpu_s:.1f} s"
        what = f"{size:,} x {WIDTH} float16, memory-mapped, 100 queries, 8 groups: peak memory"
        yield below(what, used.peak_mb, 1_500, "MB", note=note)


def search_mapped(path: str) -> dict[str, float]:
    """Search a file in a process of its own; how its resident memory is made up."""
    mapped = np.memmap(path, np.float16, "r").reshape(-1, WIDTH)
    index, rng = Exact(), np.random.default_rng(1)
    index.add(
        Embeddings(mapped),
        {"g": Groups("g", NAMES, codes=rng.choice(len(SHARES), len(mapped), p=SHARES))},
    )
    index.search(Embeddings(gauss(rng, QUERIES)), DEPTH, "g")
    status = Path("/proc/self/status")
    lines = (
        dict(line.split(":", 1) for line in status.read_text().splitlines())
        if status.exists()
        else {}
    )
    own, file = (
        float(lines.get(name, "nan kB").split()[0]) / 1e3 for name in ("RssAnon", "RssFile")
    )
    return {"anonymous": own, "mapped": file}
