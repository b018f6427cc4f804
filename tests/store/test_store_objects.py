"""Objects of other libraries: real ones where installed, and stand-ins with the same face
everywhere.
"""

import os
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from fairlead.store.labels import read_groups
from fairlead.store.qrels import read_qrels
from fairlead.store.runs import Run, read_run

SCORES = {"q1": {"a": 0.5, "b": 0.75}, "q2": {"c": 1.0, "a": 2.0, "b": -1.0}}
EXPECTED = {"q1": ["b", "a"], "q2": ["a", "c", "b"]}
COLUMNS = {
    "query": [q for q, part in SCORES.items() for _ in part],
    "item": [i for part in SCORES.values() for i in part],
    "score": [s for part in SCORES.values() for s in part.values()],
}


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class RunLike:
    """A run that knows only how to become a mapping, as ranx's does."""

    def to_dict(self) -> dict[str, dict[str, float]]:
        return SCORES


def lists(run: Run) -> dict[str, list[str]]:
    return {query: run.of(query) for query in run.queries}


def documents() -> list[ScoredDoc]:
    return [ScoredDoc(*row) for row in zip(*COLUMNS.values(), strict=True)]


@pytest.mark.parametrize(
    "source",
    [
        SCORES,
        RunLike(),
        documents(),
        tuple(documents()),
        (d for d in documents()),
        COLUMNS,
        {name: np.array(values) for name, values in COLUMNS.items()},
        [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
        pa.table(COLUMNS),
        pa.RecordBatch.from_pydict(COLUMNS),
    ],
    ids=[
        "mapping",
        "to_dict",
        "documents",
        "tuple",
        "generator",
        "columns",
        "arrays",
        "records",
        "table",
        "batch",
    ],
)
def test_run_object_gives_the_same_lists(source: object) -> None:
    run = read_run(source)
    assert lists(run) == EXPECTED and run.path is None


def test_run_mapping_with_numbers_for_ids_reads_them_as_text() -> None:
    assert lists(read_run({1: {10: 0.5, 11: np.float32(0.75)}})) == {"1": ["11", "10"]}


def test_qrels_named_tuples_are_read() -> None:
    found = read_qrels(
        [Qrel("q1", "a", 1), Qrel("q1", "b", 0), Qrel("q2", "c", 2)], read_run(SCORES)
    )
    assert found.relevant.gains.tolist() == [1, 2]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_run_and_labels_from_a_data_frame(library: str) -> None:
    frames = pytest.importorskip(library)
    run = read_run(frames.DataFrame(COLUMNS))
    assert lists(run) == EXPECTED
    found = read_groups(
        frames.DataFrame(
            {"item": ["a", "b", "c"], "gender": ["f", None, "m"], "skin": [1, 0, None]}
        ),
        run,
    )
    codes = {
        name: groups.codes.tolist()
        for name, groups in found.attributes.items()
        if groups.codes is not None
    }
    names = {name: groups.names for name, groups in found.attributes.items()}
    by_item = {item: row for row, item in enumerate(found.items)}
    assert names == {"gender": ("f", "m"), "skin": ("0", "1")}
    assert [codes["gender"][by_item[i]] for i in "abc"] == [0, -1, 1]
    assert [codes["skin"][by_item[i]] for i in "abc"] == [1, 0, -1]


def test_run_from_pandas_categories_and_a_filtered_index() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(COLUMNS).astype({"item": "category", "query": "category"})
    run = read_run(frame[frame["item"] != "c"])
    assert lists(run) == {"q1": ["b", "a"], "q2": ["a", "b"]} and "c" not in run.items


@pytest.mark.skipif(
    os.environ.get("FAIRLEAD_BARS") != "full",
    reason="ranx compiles for half a minute; its stand-in runs always",
)
def test_run_from_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    run = read_run(ranx.Run(SCORES))
    assert lists(run) == EXPECTED
    assert read_qrels(ranx.Qrels({"q1": {"a": 1}}), run).judged == 1


def test_run_from_ir_measures() -> None:
    measures = pytest.importorskip("ir_measures")
    run = read_run(measures.ScoredDoc(q, i, s) for q, i, s in zip(*COLUMNS.values(), strict=True))
    assert lists(run) == EXPECTED
    assert read_qrels([measures.Qrel("q1", "a", 1)], run).judged == 1
