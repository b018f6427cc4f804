"""Judgements."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from fairlead.errors import DataError
from fairlead.store.qrels import Qrels, read_qrels
from fairlead.store.runs import read_run

RUN = read_run({"q1": {"a": 3, "b": 2}, "q2": {"b": 2, "c": 1}, "q3": {"a": 1}})
ROWS = [
    ("q2", "z", 2),
    ("q1", "b", 1),
    ("q1", "a", 0),
    ("q9", "a", 1),
    ("q1", "a2", 3),
    ("q2", "c", -1),
    ("q9", "w", 1),
]


def gains(found: Qrels) -> dict[str, dict[str, float]]:
    offsets = found.relevant.offsets
    return {
        query: {
            found.items[int(r)]: g
            for r, g in zip(
                found.relevant.of(n), found.relevant.gains[offsets[n] : offsets[n + 1]], strict=True
            )
        }
        for n, query in enumerate(RUN.queries)
    }


EXPECTED = {"q1": {"b": 1.0, "a2": 3.0}, "q2": {"z": 2.0}, "q3": {}}
TABLE = "query,item,gain\n" + "".join(f"{q},{i},{g}\n" for q, i, g in ROWS)
FILES = {
    "a.qrels": "".join(f"{q} 0 {i} {g}\n" for q, i, g in ROWS),
    "a.txt": "".join(f"{q}\t0\t{i}\t{g}\n" for q, i, g in ROWS),
    "a.tsv": "".join(f"{q}\t0\t{i}\t{g}\n" for q, i, g in ROWS),
    "beir.tsv": TABLE.replace(",", "\t").replace(
        "query\titem\tgain", "query-id\tcorpus-id\trelevance"
    ),
    "a.csv": TABLE,
    "rel.csv": TABLE.replace("gain", "rel"),
    "a.jsonl": "".join(
        f'{{"query": "{q}", "item": "{i}", "relevance": {g}}}\n' for q, i, g in ROWS
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_qrels_file_of_any_form_is_the_same(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(FILES[name])
    found = read_qrels(tmp_path / name, RUN)
    assert gains(found) == EXPECTED
    assert len(found.relevant) == 3
    assert list(found.items) == ["a", "b", "c", "z", "a2"] or sorted(found.items) == [
        "a",
        "a2",
        "b",
        "c",
        "z",
    ]
    assert list(found.items)[:3] == list(RUN.items)
    assert (found.judged, found.others, found.name) == (2, 1, name)


def test_qrels_objects_are_read(tmp_path: Path) -> None:
    nested: dict[str, dict[str, int]] = {}
    for query, item, gain in ROWS:
        nested.setdefault(query, {})[item] = gain
    query, item, gain = zip(*ROWS, strict=True)
    table = pa.table({"query_id": query, "doc_id": item, "relevance": gain})
    pq.write_table(table, tmp_path / "a.parquet")
    for source in (nested, table, tmp_path / "a.parquet"):
        assert gains(read_qrels(source, RUN)) == EXPECTED


def test_qrels_twice_alike_count_once(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 a 1\nq1 0 a 1\n")
    assert read_qrels(tmp_path / "a.qrels", RUN).relevant.rows.tolist() == [0]


def test_qrels_without_a_relevant_item_leave_every_query_empty() -> None:
    found = read_qrels({"q1": {"a": 0}}, RUN)
    assert found.judged == 0 and found.relevant.offsets.tolist() == [0, 0, 0, 0]


def test_qrels_extend_the_items_given() -> None:
    items, _ = RUN.items.extend(["e"])
    found = read_qrels({"q1": {"z": 1, "e": 1}}, RUN, items=items)
    assert list(found.items) == ["a", "b", "c", "e", "z"]
    assert sorted(found.relevant.rows.tolist()) == [3, 4]


FAULTS = {
    "few.qrels": (
        "q1 0 a 1\nq1 0 b\n",
        "few.qrels, line 2: 3 values where a TREC qrels file has 4 (query iteration item gain).",
    ),
    "word.qrels": ("q1 0 a yes\n", "word.qrels, line 1: the gain 'yes' is not a number."),
    "inf.qrels": ("q1 0 a inf\n", "inf.qrels, line 1: the gain inf is not a finite number."),
    "other.qrels": (
        "nurse 0 a 1\n",
        "other.qrels judges no query of the dict: it has 'nurse', the run has 'q1'. The query ids of both",
    ),
    "differ.qrels": (
        "q1 0 a 1\nq1 0 b 1\nq1 0 a 2\n",
        "differ.qrels judges item 'a' twice for query 'q1', differently: line 1 and line 3.",
    ),
    "column.csv": (
        "query,item,grade\nq1,a,1\n",
        "column.csv has no column 'gain' (also accepted: relevance, rel). Its columns are: query, item,",
    ),
    "empty.qrels": ("", "empty.qrels is empty."),
}


@pytest.mark.parametrize("name", FAULTS)
def test_bad_qrels_are_told_with_their_place(tmp_path: Path, name: str) -> None:
    text, message = FAULTS[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError) as caught:
        read_qrels(tmp_path / name, RUN)
    assert message in str(caught.value)
