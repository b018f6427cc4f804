"""An audit of a large collection in a process of its own: 1,000 queries over 100,000 vectors of 512
dimensions in float16, with ``--full`` over 1,000,000, lists fetched to a depth of 1,000.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from figures import Figure, below, child
from pyarrow import parquet

QUERIES, DIMENSIONS, DEPTH, SEED = 1_000, 512, 1_000, 5
MEMORY_MB = 2_500
PART = 50_000


def bench(full: bool) -> Iterator[Figure]:
    items = 1_000_000 if full else 100_000
    with tempfile.TemporaryDirectory() as folder:
        collection, model, queries = write(Path(folder), items)
        cases = (("measured", []), ("measured and mitigated by pbm", ["--mitigate", "pbm"]))
        for about, extra in cases:
            used = child(
                "fairlead",
                "audit",
                *("--model", f"precomputed:{model}", "--collection", str(collection)),
                *("--queries", str(queries), "--attribute", "gender", "--depth", str(DEPTH)),
                *("--metric", f"NDKL@{DEPTH}", "--metric", "AbsBias@100"),
                *("--out", str(Path(folder) / f"out-{len(extra)}.json")),
                *extra,
            )
            yield below(
                f"audit of {QUERIES:,} queries x {items:,} x {DIMENSIONS}, {about}: peak memory",
                used.peak_mb,
                MEMORY_MB,
                "MB",
                note=f"CPU {used.cpu_s:.0f} s, wall {used.wall_s:.0f} s; "
                f"{items * DIMENSIONS * 2 / 1e6:,.0f} MB are the vectors, mapped",
            )


def write(folder: Path, items: int) -> tuple[Path, Path, Path]:
    """A collection of vectors with labels, a model that knows the queries, and the queries."""
    rng = np.random.default_rng(SEED)
    collection, model = folder / "collection", folder / "model"
    collection.mkdir()
    model.mkdir()
    vectors = np.lib.format.open_memmap(
        collection / "vectors.npy", "w+", np.float16, (items, DIMENSIONS)
    )
    for start in range(0, items, PART):
        vectors[start : start + PART] = unit(rng, min(PART, items - start))
    del vectors
    genders = pa.DictionaryArray.from_arrays(
        rng.integers(0, 2, items).astype(np.int32), ["female", "male"]
    )
    ids = pa.array([f"item{row}" for row in range(items)])
    table = pa.table({"id": ids, "gender": genders.cast(pa.string())})
    parquet.write_table(table, collection / "ids.parquet")
    words = [f"query number {row}" for row in range(QUERIES)]
    np.save(model / "texts.npy", unit(rng, QUERIES))
    (model / "texts.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    queries = folder / "queries.csv"
    lines = [f"q{row},{word}" for row, word in enumerate(words)]
    queries.write_text("\n".join(["query,text", *lines]) + "\n", encoding="utf-8")
    return collection, model, queries


def unit(rng: np.random.Generator, count: int) -> np.ndarray:
    """Random directions, in half precision."""
    drawn = rng.standard_normal((count, DIMENSIONS), np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn.astype(np.float16)
