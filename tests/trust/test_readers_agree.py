"""The fast reader and the exact one give the same table or the same refusal, whatever became of a
file; no row is lost without a word.
"""

from __future__ import annotations

import gzip
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from fairlead.errors import FairleadError
from fairlead.store import blocks, sound, tables
from fairlead.store.formats import TREC_QRELS, TREC_RUN, locate
from fairlead.store.labels import read_groups
from fairlead.store.qrels import read_qrels
from fairlead.store.runs import Run, read_run
from fairlead.store.targets import read_target

sys.path.insert(0, str(Path(__file__).parent))
from mutations import FORMS, KINDS, file_of, mutated, records, rows_of, written

Count = Callable[[int, int], int]
CHANCE = random.Random(0)
RUN = read_run(
    {"query": [r["query"] for r in rows_of("runs", CHANCE)],
     "item": [r["item"] for r in rows_of("runs", CHANCE)],
     "score": [r["score"] for r in rows_of("runs", CHANCE)]}
)  # fmt: skip
LAYOUTS = {"runs": TREC_RUN, "qrels": TREC_QRELS}
READERS: dict[str, Callable[[Path], Any]] = {
    "runs": read_run,
    "qrels": lambda path: read_qrels(path, RUN),
    "targets": read_target,
    "labels": lambda path: read_groups(path, RUN),
    "soft": lambda path: read_groups(path, RUN),
}


def plain(value: Any) -> Any:
    """A value that compares: arrays as lists, NaN equal to itself."""
    if isinstance(value, np.ndarray):
        return [repr(one) for one in value.tolist()]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    if type(value).__module__.startswith("fairlead") and not isinstance(value, Run):
        names = getattr(value, "__dataclass_fields__", None)
        if names:
            return [plain(getattr(value, name)) for name in names]
    if isinstance(value, Run):
        return [value.queries, list(value.items), plain(value.ranking), repr(value.ties)]
    return repr(value) if isinstance(value, float) else value


def outcome(read: Callable[[Path], Any], path: Path) -> Any:
    try:
        return plain(read(path))
    except FairleadError as error:
        return f"{type(error).__name__}: {error}"


def not_healthy(*_: Any) -> Any:
    raise sound.NotHealthy("told so")


@pytest.fixture
def size_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of records of the tables that were read."""
    sizes: list[int] = []
    table = tables._Gather.table

    def noted(self: Any, *rest: Any) -> Any:
        sizes.append(self.size)
        return table(self, *rest)

    monkeypatch.setattr(tables._Gather, "table", noted)
    return sizes


@pytest.mark.parametrize("form", [form for form in FORMS if form != "parquet"])
def test_fast_and_exact_read_the_same(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_of: list[int], count: Count, bar: Any
) -> None:  # fmt: skip
    chance = random.Random(f"agree {form}")
    kinds = ("runs", "qrels") if form == "trec" else KINDS
    fast = blocks.batches
    cases, wrong, lost, healthy = count(120, 1250), [], [], 0
    for case in range(cases):
        kind = kinds[case % len(kinds)]
        content = mutated(written(kind, form, chance), chance)
        path = file_of(tmp_path, kind, form, content, chance)
        monkeypatch.setattr(sound, "_BLOCK", chance.choice([16, 64, 300, 1000, 1 << 23]))
        monkeypatch.setattr(sound, "_PIECE", chance.choice([7, 100, 1 << 17]))
        monkeypatch.setattr(blocks, "batches", fast)
        size_of.clear()
        first = outcome(READERS[kind], path)
        monkeypatch.setattr(blocks, "batches", not_healthy)
        second = outcome(READERS[kind], path)
        sizes = set(size_of)
        if first != second:
            wrong.append((content, first, second))
        elif not isinstance(first, str):
            healthy += 1
            form_there = locate(path, LAYOUTS.get(kind)).format
            there = records(form_there, unpacked(path).decode("utf-8-sig"))
            if sizes != {there}:
                lost.append((content, sizes, there))
        path.unlink()
    bar(f"fast = exact, {form}", f"{cases - len(wrong)} of {cases}", "all")
    assert not wrong, wrong[:3]
    assert not lost, lost[:3]
    assert healthy > cases / 20


def unpacked(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def odd_columns(rows: list[dict[str, Any]], chance: random.Random) -> pa.Table:
    """Sound rows with columns as other programs write them, now and then in place of ours."""
    table = pa.Table.from_pylist(rows)
    size = len(table)
    odd = [
        pa.array([[1, 2]] * size),
        pa.array([{"bytes": b"\xff\xd8", "path": "a.jpg"}] * size),
        pa.array([b"\xff\xfe"] * size),
        pa.array([b"text"] * size),
        pa.array([b"\xff\xfe"] * size).view(pa.string()),
        pa.array(["a"] * size).dictionary_encode(),
        pa.array([None] * size),
        pa.array([True, None] * size)[:size],
        pa.array(["f"] * size, pa.large_string()),
        pa.array([1 << 62] * size),
        pa.array([float("nan")] * size),
        pa.array([1 << 60] * size, pa.timestamp("us")),
        pa.array([5] * size, pa.duration("s")),
        pa.array([[("a", 1)]] * size, pa.map_(pa.string(), pa.int8())),
        pa.array([b"\xff\xfe"] * size).view(pa.string()).dictionary_encode(),
        pa.array(["x\0y"] * size),
    ]
    for _ in range(chance.randrange(1, 4)):
        column = chance.choice(odd)
        if chance.random() < 0.5:
            name = chance.choice(table.column_names)
            table = table.set_column(table.column_names.index(name), name, column)
        else:
            table = table.append_column(chance.choice(["image", "tags", "x", "gender=z"]), column)
    return table


def test_parquet_is_read_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_of: list[int], count: Count, bar: Any
) -> None:
    chance = random.Random("parquet")
    cases, good = count(150, 1500), 0
    for case in range(cases):
        kind = KINDS[case % len(KINDS)]
        table = odd_columns(rows_of(kind, chance), chance)
        path = tmp_path / f"{kind}.parquet"
        pq.write_table(table, path, row_group_size=chance.choice([5, 1000]))
        if chance.random() < 0.6:
            content = bytearray(path.read_bytes())
            for _ in range(chance.choice([1, 2, 8])):
                content[chance.randrange(len(content))] = chance.randrange(256)
            path.write_bytes(content[: chance.choice([len(content)] * 4 + [len(content) // 2])])
        size_of.clear()
        # what is neither a table nor a refusal is raised here
        if not isinstance(outcome(READERS[kind], path), str):
            assert set(size_of) == {len(table)}
            good += 1
    bar("Parquet read or refused", f"{cases} of {cases}", "all")
    assert good > cases / 20
