"""A long ragged run is read within a bound of memory: 10 million lines with FAIRLEAD_BARS=full,
fewer otherwise.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from pyarrow import parquet as pq

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
LINES = 10_000_000 if FULL else 300_000
LIMIT = 2_000_000_000 if FULL else 500_000_000

READ = """
import json, resource, sys, time
from fairlead.store.runs import read_run
calls = []
start = time.perf_counter()
run = read_run(sys.argv[1], progress=lambda label, done, total: calls.append((done, total)))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
if sys.platform == "linux":  # there ru_maxrss counts the parent's memory at the time of the fork
    peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"peak": peak, "seconds": time.perf_counter() - start, "entries": len(run.ranking.rows),
                  "queries": len(run.queries), "items": len(run.items), "ties": run.ties,
                  "last": calls[-1], "calls": len(calls),
                  "falling": bool(all((run.ranking.scores[a:b - 1] >= run.ranking.scores[a + 1:b]).all()
                                      for a, b in zip(run.ranking.offsets[:-1], run.ranking.offsets[1:])))}))
"""


def ragged_sizes(lines: int, rng: np.random.Generator) -> np.ndarray:
    """Sizes from 20 to 2,000 with a mean of 200, which sum to the lines: many short lists and a few
    long ones.
    """
    queries = lines // 200
    sizes = np.clip(rng.lognormal(np.log(110), 1.0, queries), 20, 2000).astype(int)
    while (short := lines - sizes.sum()) != 0:
        room = np.flatnonzero(sizes < 2000) if short > 0 else np.flatnonzero(sizes > 20)
        chosen = rng.choice(room, min(abs(int(short)), len(room)), replace=False)
        sizes[chosen] += np.sign(short)
    return sizes


def write_long_run(path: Path, lines: int) -> int:
    rng = np.random.default_rng(0)
    sizes = ragged_sizes(lines, rng)
    pool = max(lines // 10, 4000)
    schema = pa.schema({"query": pa.string(), "item": pa.string(), "score": pa.float64()})
    form = {".csv": _csv, ".parquet": _parquet, ".trec": _trec}[path.suffix]
    with form(path, schema) as write:
        for part in np.array_split(sizes, max(1, lines // 500_000)):
            query = np.repeat(np.arange(len(part)) + write.done, part)
            start = np.repeat(rng.integers(0, pool, len(part)), part)
            step = np.arange(len(query)) - np.repeat(np.cumsum(part) - part, part)
            item = (start + step * 7919) % pool
            score = np.round(rng.standard_normal(len(query)), 4)
            write.table(
                pa.table(
                    [
                        _names("query-", query),
                        _names("images/train/", item, ".jpg"),
                        pa.array(score),
                    ],
                    schema=schema,
                )
            )
            write.done += len(part)
    return len(sizes)


def _names(prefix: str, numbers: np.ndarray, suffix: str = "") -> pa.Array:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(prefix, pa.array(numbers).cast(pa.string()), suffix, "")


class _csv:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.writer, self.done = csv.CSVWriter(path, schema), 0

    def __enter__(self):
        return self

    def table(self, table: pa.Table) -> None:
        self.writer.write_table(table)

    def __exit__(self, *_: object) -> None:
        self.writer.close()


class _parquet(_csv):
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.writer, self.done = pq.ParquetWriter(path, schema), 0


class _trec(_csv):
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        names = ["query", "q0", "item", "rank", "score", "tag"]
        kinds = [pa.string(), pa.string(), pa.string(), pa.int64(), pa.float64(), pa.string()]
        self.schema = pa.schema(list(zip(names, kinds, strict=True)))
        options = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
        self.writer, self.done = csv.CSVWriter(path, self.schema, write_options=options), 0

    def table(self, table: pa.Table) -> None:
        size = len(table)
        query, item, score = table.columns
        columns = [
            query,
            pa.array(["Q0"] * size),
            item,
            pa.array(np.zeros(size, int)),
            score,
            pa.array(["t"] * size),
        ]
        self.writer.write_table(pa.table(columns, schema=self.schema))


@pytest.mark.parametrize("suffix", [".csv", ".trec", ".parquet"])
def test_long_ragged_run_is_read_within_its_memory(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"long{suffix}"
    queries = write_long_run(path, LINES)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
    )
    result = json.loads(done.stdout)
    print(suffix, path.stat().st_size, result)  # noqa: T201
    assert (result["entries"], result["queries"]) == (LINES, queries)
    assert result["falling"]
    assert result["peak"] < LIMIT
    assert result["last"] == [path.stat().st_size] * 2
