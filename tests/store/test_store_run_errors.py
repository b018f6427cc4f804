"""Bad runs: every fault is told with its place, and what to do."""

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from fairlead.errors import DataError, UsageError
from fairlead.store.runs import read_run

GOOD = "query,item,score\nq1,a,1\nq1,b,2\n"
TREC = "q1 Q0 a 1 1 t\nq1 Q0 b 2 0.5 t\n"

FAULTS = {
    "few.csv": (
        GOOD + "q1,c\n",
        "few.csv, line 4: 2 values where the header has 3. Put values that contain the separator",
    ),
    "many.csv": (GOOD + "\nq1,c,1,2\n", "many.csv, line 5: 4 values where the header has 3."),
    "one.tsv": ("query\titem\tscore\nq1\n", "one.tsv, line 2: 1 value where the header has 3."),
    "word.csv": (
        GOOD + "q1,c,abc\n",
        "word.csv, line 4: the score 'abc' is not a number. Write numbers as 0.25",
    ),
    "under.csv": (GOOD + "q1,c,1_0\n", "under.csv, line 4: the score '1_0' is not a number."),
    "none.csv": (
        GOOD + "q1,c,\n",
        "none.csv, line 4: the score is missing. Every line needs a number",
    ),
    "nan.csv": (
        GOOD + "q1,c,NaN\n",
        "nan.csv, line 4: the score of item 'c' for query 'q1' is nan, which is not a finite number.",
    ),
    "inf.csv": (
        GOOD + "q1,c,-inf\n",
        "inf.csv, line 4: the score of item 'c' for query 'q1' is -inf",
    ),
    "huge.csv": (
        GOOD + "q1,c,1e300\n",
        "huge.csv, line 4: the score of item 'c' for query 'q1' is 1e+300",
    ),
    "noid.csv": (GOOD + "q1,,3\n", "noid.csv, line 4: the item is empty."),
    "blank.csv": (GOOD + "\n ,c,3\n", "blank.csv, line 5: the query is empty."),
    "commas.csv": (GOOD + ",,\n", "commas.csv, line 4: the score is missing."),
    "twice.csv": (
        GOOD + "q2,a,1\n\nq1,a,3\n",
        "twice.csv lists item 'a' twice for query 'q1': line 2 and line 6. Keep one",
    ),
    "quote.csv": (
        GOOD + 'q1,"c,3\n',
        "quote.csv, line 4: unexpected end of data. Double quotes must be closed",
    ),
    "head.csv": ("query,item,score\n", "head.csv has no data. It needs at least one line"),
    "names.csv": (
        "query,itm,score\nq,a,1\n",
        "names.csv has no column 'item' (also accepted: item_id, docid, doc_id, docno, corpus_id, image_id).",
    ),
    "near.csv": (
        "query,itm,score\nq,a,1\n",
        "Its columns are: query, itm, score. Did you mean itm?",
    ),
    "noscore.csv": (
        "query,item\nq,a\n",
        "noscore.csv has no column 'score' (also accepted: sim, similarity).",
    ),
    "dup.csv": ("query,item,score,score\nq,a,1,2\n", "dup.csv has two columns called 'score'."),
    "nul.csv": (GOOD + "q1,c\0,1\0\n", "nul.csv, line 4 holds a NUL character."),
    "few.trec": (
        TREC + "q1 Q0 c 3\n",
        "few.trec, line 3: 4 values where a TREC run has 6 (query Q0 item rank score tag). Ids must not",
    ),
    "first.trec": ("q1 a 1\n", "first.trec, line 1: 3 values where a TREC run has 6"),
    "word.trec": (
        TREC + "q1 Q0 c 3 high t\n",
        "word.trec, line 3: the score 'high' is not a number.",
    ),
    "nan.trec": (
        TREC + "q1 Q0 c 3 nan t\n",
        "nan.trec, line 3: the score of item 'c' for query 'q1' is nan",
    ),
    "twice.trec": (
        TREC + "q1 Q0 a 3 0.1 t\n",
        "twice.trec lists item 'a' twice for query 'q1': line 1 and line 3.",
    ),
    "bad.jsonl": (
        '{"query": "q", "item": "a", "score": 1}\n{"query": \n',
        "bad.jsonl, line 2 is not JSON: Expecting value",
    ),
    "list.jsonl": (
        '{"query": "q", "item": "a", "score": 1}\n[1]\n',
        "list.jsonl, line 2 is not a JSON object.",
    ),
    "lack.jsonl": (
        '{"query": "q", "item": "a", "score": 1}\n{"query": "q", "item": "b"}\n',
        "lack.jsonl, line 2: the score of item 'b' for",
    ),
    "null.jsonl": (
        '{"query": "q", "item": "a", "score": 1}\n{"query": "q", "item": null, "score": 2}\n',
        "null.jsonl, line 2: the item is empty",
    ),
    "bool.jsonl": (
        '{"query": "q", "item": "a", "score": 1}\n{"query": "q", "item": "b", "score": true}\n',
        "line 2: the score True is not a",
    ),
    "deep.jsonl": (
        '{"query": "q", "item": "a", "score": 1}\n{"query": "q", "item": {"x": 1}, "score": 1}\n',
        'line 2: the item is {"x": 1}.',
    ),
    "float.jsonl": (
        '{"query": "q", "item": 1.5, "score": 1}\n',
        "float.jsonl, line 1: the item is 1.5. Ids are text or whole numbers.",
    ),
    "against.csv": (
        "query,item,score,rank\nq,a,0.9,2\nq,b,0.8,1\n",
        "In against.csv, query 'q', ranks and scores contradict each other: 'a' (score 0.9, rank 2) and 'b' (score 0.8, rank 1).",
    ),
    "half.csv": (
        "query,item,rank\nq,a,1\nq,b,1.5\n",
        "half.csv, line 3: the rank 1.5 is not a whole number.",
    ),
    "empty.csv": ("", "empty.csv is empty. It needs at least one line of data."),
    "empty.trec": ("\n\n", "empty.trec is empty."),
}


@pytest.mark.parametrize("name", FAULTS)
def test_bad_run_is_told_with_its_place(tmp_path: Path, name: str) -> None:
    content, message = FAULTS[name]
    (tmp_path / name).write_bytes(content.encode())
    with pytest.raises(DataError) as caught:
        read_run(tmp_path / name)
    assert message in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "line"), [("latin.csv", 3), ("latin.trec", 2), ("latin.jsonl", 2)]
)
def test_run_in_another_encoding_is_told_with_its_line(
    tmp_path: Path, name: str, line: int
) -> None:
    rows = {
        ".csv": "query,item,score\nq,a,1\nq,müller,2\n",
        ".trec": "q Q0 a 1 2 t\nq Q0 müller 2 1 t\n",
        ".jsonl": '{"query": "q", "item": "a", "score": 1}\n{"query": "q", "item": "müller", "score": 1}\n',
    }
    (tmp_path / name).write_bytes(rows[Path(name).suffix].encode("latin-1"))
    with pytest.raises(
        DataError, match=rf"^{name}, line {line} is not UTF-8 text\. Save the file as UTF-8\.$"
    ):
        read_run(tmp_path / name)


def test_run_in_utf_16_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_bytes(GOOD.encode("utf-16"))
    with pytest.raises(DataError, match=r"^run\.csv, line 1 is not UTF-8 text"):
        read_run(tmp_path / "run.csv")


def test_run_path_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no file .*nowhere\.csv\. Check the path\."):
        read_run(tmp_path / "nowhere.csv")
    with pytest.raises(UsageError, match="is not a file"):
        read_run(tmp_path)


def test_run_of_no_known_format_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "run.xyz").write_text("hello\n")
    with pytest.raises(
        UsageError, match=r"The format of run\.xyz is not known .* Accepted: \.csv, \.tsv"
    ):
        read_run(tmp_path / "run.xyz")


def test_run_parquet_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.parquet").write_text("query,item,score\n")
    with pytest.raises(DataError, match=r"^run\.parquet is not a Parquet file"):
        read_run(tmp_path / "run.parquet")


def test_run_parquet_faults_name_the_row(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"query": ["q", "q"], "item": ["a", "b"], "score": [1.0, None]}),
        tmp_path / "run.parquet",
    )
    with pytest.raises(
        DataError, match=r"run\.parquet, row 2: the score of item 'b' for query 'q' is nan"
    ):
        read_run(tmp_path / "run.parquet")
    pq.write_table(
        pa.table({"query": ["q"], "item": ["a"], "score": ["x"]}), tmp_path / "word.parquet"
    )
    with pytest.raises(DataError, match=r"word\.parquet, row 1: the score 'x' is not a number"):
        read_run(tmp_path / "word.parquet")
    pq.write_table(pa.table({"query": pa.array([], pa.string()), "item": pa.array([], pa.string()), "score": pa.array([], pa.float64())}),
                   tmp_path / "none.parquet")  # fmt: skip
    with pytest.raises(DataError, match=r"none\.parquet has no data"):
        read_run(tmp_path / "none.parquet")


def test_run_zip_that_is_cut_off_is_told(tmp_path: Path) -> None:
    whole = gzip.compress(
        b"query,item,score\n"
        + b"".join(b"q,item-%d,%d\n" % (n * 7919 % 10007, n) for n in range(5000))
    )
    (tmp_path / "run.csv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"run\.csv\.gz cannot be read to its end"):
        read_run(tmp_path / "run.csv.gz")
    (tmp_path / "not.csv.gz").write_text("query,item,score\nq,a,1\n")
    with pytest.raises(DataError, match=r"not\.csv\.gz cannot be decompressed"):
        read_run(tmp_path / "not.csv.gz")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"q": {"a": float("nan")}}, "the dict, row 1: the score of item 'a' for query 'q' is nan"),
        ({"q": {"a": "high"}}, "Query 'q', item 'a': 'high' is not a number."),
        ({"q": {"a": None}}, "Query 'q', item 'a': None is not a number."),
        ({"q": {}}, "The mapping has no entries."),
        ({}, "The mapping has no entries."),
        ([], "the list has no rows."),
        (
            {"query": ["q", "q"], "item": ["a", "a"], "score": [1, 2]},
            "the dict lists item 'a' twice for query 'q': row 1 and row 2.",
        ),
        ({"query": ["q"], "item": ["a"]}, "the dict has no column 'score'"),
        ({"query": ["q"], "item": ["a", "b"], "score": [1]}, "the dict cannot be read as a table"),
        (
            {"query": ["q"], "item": [["a"]], "score": [1]},
            "the dict, row 1: the item ['a'] is not an id.",
        ),
        (
            {"query": ["q"], "item": ["a"], "score": ["x"]},
            "the dict, row 1: the score 'x' is not a number.",
        ),
    ],
)
def test_bad_run_object_is_told(source: object, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_run(source)
    assert message in str(caught.value)


def test_run_object_of_no_known_kind_is_a_usage_error() -> None:
    with pytest.raises(
        UsageError, match=r"int cannot be read as a table\. Give a path, a data frame"
    ):
        read_run(7)
