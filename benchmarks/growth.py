"""How time and memory grow: fair_topk and noisy_fair with k, NDKL and its null with queries. A
figure is for the largest; the note says what each doubling costs.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from big_run import named
from figures import Figure, below, child
from pyarrow import csv, parquet
from shapes import evidence_of, soft_evidence

from fairlead.protocols.registry import make
from fairlead.rerankers import mtables
from fairlead.rerankers.deadline import Deadline, OutOfTimeError
from fairlead.rerankers.noisy_fair import Blocks, solved
from fairlead.rerankers.single import SingleLists, unit_scores

LISTS, SHOWN = 200_000, 20
PATIENCE = 60.0
"""Seconds for one program."""


def bench(full: bool) -> Iterator[Figure]:
    sizes = (800, 1_600, 3_200, 6_400) + ((12_800, 25_600) if full else ())
    yield growth("fair_topk, m-table", sizes, table, most=1.5)
    yield growth("fair_topk, 20 lists, tables known", sizes, fair_topk, most=1.25)
    yield growth("noisy_fair, one list", (100, 200, 400) + ((800,) if full else ()), noisy_fair)
    yield growth("NDKL@20 and its null, lists", (25_000, 50_000, 100_000, LISTS), ndkl)
    with tempfile.TemporaryDirectory() as folder:
        run, labels = Path(folder) / "run.parquet", Path(folder) / "labels.csv"
        write(run, labels)
        words = ("score", str(run), "--groups", str(labels), "--metric", f"NDKL@{SHOWN}")
        used = child("fairlead", *words)
    what = f"fairlead score --metric NDKL@20 on {LISTS:,} x {SHOWN}: peak memory"
    yield below(what, used.peak_mb, 1_000, "MB", note=f"{used.cpu_s:.0f} s of CPU")


def growth(
    what: str, sizes: tuple[int, ...], run: Callable[[int], float], most: float | None = None
) -> Figure:
    """Time at the largest size; the order is the exponent over all sizes."""
    # what is loaded or kept at first is no growth
    run(sizes[0])
    spent = [run(size) for size in sizes]
    known = [(size, time) for size, time in zip(sizes, spent, strict=True) if math.isfinite(time)]
    order = float(np.polyfit(*np.log(np.array(known)).T, 1)[0]) if len(known) > 1 else math.nan
    each = ", ".join(
        f"{size:,}: {time:.3g} s" if math.isfinite(time) else f"{size:,}: over {PATIENCE:g} s"
        for size, time in zip(sizes, spent, strict=True)
    )
    bar = "" if most is None else f"order < {most:g}"
    met = None if most is None else bool(order < most)
    return Figure(
        f"{what}, {known[-1][0]:,}",
        known[-1][1],
        bar=bar,
        met=met,
        note=f"order {order:.2f}; {each}",
    )


def table(k: int) -> float:
    """Tables of five shares, made anew."""
    mtables.adjusted_table.cache_clear()
    start = time.process_time()
    for p in (0.1, 0.3, 0.37, 0.5, 0.8):
        mtables.adjusted_table(k, p, 0.1, "conservative")
    return time.process_time() - start


def fair_topk(k: int) -> float:
    codes = (np.random.default_rng(0).random((20, 2 * k)) < 0.3).astype(int)
    evidence, one = evidence_of(codes, 2), make("reranker", "fair_topk")
    one(evidence, k, 0)
    start = time.process_time()
    one(evidence, k, 0)
    return time.process_time() - start


def noisy_fair(k: int) -> float:
    evidence = soft_evidence(1, 10 * k, 4)
    shares = evidence.labels.share
    target = np.full(4, 0.25)
    case = SingleLists(unit_scores(evidence.ranking), shares, target, k, 0, False)
    start = time.process_time()
    try:
        solved(Blocks.of(case, 10, 0.0), Deadline.after(PATIENCE))
    except OutOfTimeError:
        return math.inf
    return time.process_time() - start


def ndkl(lists: int) -> float:
    start = time.process_time()
    _measured(lists)
    return time.process_time() - start


def write(run: Path, labels: Path) -> None:
    """The lists, and two groups of which one in twenty is not known."""
    rng, pool = np.random.default_rng(0), 2 * LISTS
    query = np.repeat(np.arange(LISTS), SHOWN)
    item = np.repeat(rng.integers(0, pool, LISTS), SHOWN) + 7_919 * np.tile(np.arange(SHOWN), LISTS)
    columns = {
        "query": named("query-", query),
        "item": named("image-", item % pool),
        "score": pa.array(rng.standard_normal(len(query)).round(4)),
    }
    parquet.write_table(pa.table(columns), run)
    gender = np.array(["female", "male", ""])[rng.choice(3, pool, p=[0.45, 0.5, 0.05])]
    table = pa.table({"item": named("image-", np.arange(pool)), "gender": pa.array(gender)})
    csv.write_csv(table, labels)


def _measured(lists: int) -> None:
    from fairlead.statistics.nulls import null_of

    evidence = evidence_of(np.random.default_rng(0).integers(0, 2, (lists, SHOWN)), 2)
    metric = make("metric", f"NDKL@{SHOWN}")
    values = metric(evidence)[0]
    null = null_of(metric, evidence, "order", seed=0)
    null.p(values, lists)
    null.row(values, 10_000, np.random.default_rng(0))
