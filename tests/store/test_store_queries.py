"""Files of queries: every format gives the same, and faults have their place."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from fairlead.errors import DataError, UsageError
from fairlead.store.queries import read_queries

ROWS = {
    "query": ["q1", "q2", "q3"],
    "text": ["a nurse", 'a "judge", at work', "护士"],
    "language": ["en", "en", "zh"],
    "pair": ["1", "", "1"],
}


def _saved(folder, end):
    path, frame = folder / f"queries{end}", pd.DataFrame(ROWS)
    if end == ".parquet":
        frame.to_parquet(path)
    elif end == ".jsonl":
        records = frame.to_dict("records")
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        frame.to_csv(path, sep="\t" if end == ".tsv" else ",", index=False)
    return path


@pytest.mark.parametrize("end", [".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz"])
def test_every_format_gives_the_same_queries(end, tmp_path):
    queries = read_queries(_saved(tmp_path, end))
    assert queries.ids == ("q1", "q2", "q3")
    assert queries.texts == tuple(ROWS["text"])
    assert queries.images is None
    assert queries.tags == {"language": ("en", "en", "zh"), "pair": ("1", "", "1")}


def test_frames_mappings_and_lists_are_taken():
    by_frame, by_columns = read_queries(pd.DataFrame(ROWS)), read_queries(ROWS)
    assert by_frame.ids == by_columns.ids and by_frame.tags == by_columns.tags
    listed = read_queries(["a nurse", "a judge"])
    assert listed.ids == listed.texts == ("a nurse", "a judge")


@pytest.mark.parametrize("header", ["query", "text", "prompt"])
def test_texts_alone_are_their_own_ids(header, tmp_path):
    (tmp_path / "q.csv").write_text(f"{header}\na nurse\na judge\n")
    queries = read_queries(tmp_path / "q.csv")
    assert queries.ids == queries.texts == ("a nurse", "a judge")


def test_text_file_is_read_line_by_line_whatever_it_holds(tmp_path):
    (tmp_path / "q.txt").write_text("\ufeffa nurse, smiling\n\n  a\tjudge \n", encoding="utf-8")
    assert read_queries(tmp_path / "q.txt").texts == ("a nurse, smiling", "a\tjudge")


def test_pictures_are_found_from_the_folder_of_the_table(tmp_path):
    (tmp_path / "q.csv").write_text("query,image\na,pics/1.png\nb,/x/2.png\n")
    images = read_queries(tmp_path / "q.csv").images
    assert images == (str(tmp_path.resolve() / "pics" / "1.png"), "/x/2.png")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("query,text\nq1,a\nq1,b\n", "'q1' twice: line 2 and line 3"),
        ("query,text\nq1,a\nq2,\n", "line 3: the text is empty"),
        ("query,text\n,a\n", "line 2: the query is empty"),
        ("language,pair\nen,1\n", "asks nothing: its columns are language, pair"),
        ("query,text\nq1\n", "line 2: 1 value where the header has 2"),
        ("", "is empty"),
    ],
)
def test_fault_of_a_table_is_told_with_its_line(content, said, tmp_path):
    (tmp_path / "q.csv").write_text(content)
    with pytest.raises(DataError, match=said):
        read_queries(tmp_path / "q.csv")


def test_fault_of_a_text_file_is_told_with_its_line(tmp_path):
    (tmp_path / "q.txt").write_text("a\nb\na\n")
    with pytest.raises(DataError, match="line 3: 'a' stands on line 1 already"):
        read_queries(tmp_path / "q.txt")
    (tmp_path / "q.txt").write_text("\n")
    with pytest.raises(DataError, match="asks nothing"):
        read_queries(tmp_path / "q.txt")
    with pytest.raises(UsageError, match="There is no file"):
        read_queries(tmp_path / "no.txt")
