"""A long ragged run scored by ``fairlead score`` in a process of its own: 1 million lines, with
``--full`` 10 million (50,000 queries).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from figures import Figure, below, child
from pyarrow import csv, parquet

PART = 500_000


def bench(full: bool) -> Iterator[Figure]:
    lines = 10_000_000 if full else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        run, labels = Path(folder) / "run.parquet", Path(folder) / "labels.csv"
        write(run, labels, lines)
        csv.write_csv(parquet.read_table(run), run.with_suffix(".csv"))
        cases = [
            ("Parquet, default metrics", run, []),
            ("CSV, default metrics", run.with_suffix(".csv"), []),
            ("Parquet, NDKL without cut-off", run, ["--metric", "NDKL"]),
            ("Parquet, default metrics, --json", run, ["--json"]),
        ]
        for about, path, extra in cases:
            out = Path(folder) / "out"
            used = child("fairlead", "score", str(path), "--groups", str(labels), *extra, out=out)
            note = f"CPU {used.cpu_s:.0f} s, wall {used.wall_s:.0f} s, file {path.stat().st_size / 1e6:.0f} MB"
            note += f", JSON {out.stat().st_size / 1e6:.0f} MB" if extra == ["--json"] else ""
            yield below(
                f"{lines:,} lines, {about}: peak memory", used.peak_mb, 2_000, "MB", note=note
            )
            yield Figure(f"{lines:,} lines, {about}: CPU", used.cpu_s)


def write(run: Path, labels: Path, lines: int) -> None:
    """Lists of 20 to 2,000 items, 200 on average; two attributes, one of them partly unknown."""
    rng = np.random.default_rng(0)
    sizes, pool = ragged(lines, rng), lines // 10
    schema = pa.schema({"query": pa.string(), "item": pa.string(), "score": pa.float64()})
    with parquet.ParquetWriter(run, schema) as writer:
        done = 0
        for part in np.array_split(sizes, max(1, lines // PART)):
            query = np.repeat(np.arange(len(part)) + done, part)
            step = np.arange(len(query)) - np.repeat(np.cumsum(part) - part, part)
            item = (np.repeat(rng.integers(0, pool, len(part)), part) + 7_919 * step) % pool
            columns = [
                named("query-", query),
                named("images/train/", item),
                pa.array(rng.standard_normal(len(query)).round(4)),
            ]
            writer.write_table(pa.table(columns, schema=schema))
            done += len(part)
    gender = np.array(["female", "male", ""])[rng.choice(3, pool, p=[0.45, 0.5, 0.05])]
    skin = np.array(["dark", "light", "medium", "tan"])[rng.integers(0, 4, pool)]
    csv.write_csv(
        pa.table(
            {
                "item": named("images/train/", np.arange(pool)),
                "gender": pa.array(gender),
                "skin": pa.array(skin),
            }
        ),
        labels,
    )


def ragged(lines: int, rng: np.random.Generator) -> np.ndarray:
    """Sizes from 20 to 2,000 that sum to the lines: many short lists and a few long ones."""
    sizes = np.clip(rng.lognormal(np.log(110), 1.0, lines // 200), 20, 2_000).astype(int)
    while (short := lines - int(sizes.sum())) != 0:
        room = np.flatnonzero(sizes < 2_000 if short > 0 else sizes > 20)
        sizes[rng.choice(room, min(abs(short), len(room)), replace=False)] += np.sign(short)
    return sizes


def named(prefix: str, numbers: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise(prefix, pa.array(numbers).cast(pa.string()), "")
