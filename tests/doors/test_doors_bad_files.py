"""Files that are not what they claim to be: a clear message, the right exit code, never a
traceback, nothing written.
"""

from __future__ import annotations

from pathlib import Path

import pytest

HEAD = "query,item,score\n"
SCORE = ["score", "run.csv", "--groups", "labels.csv"]
TARGETED = [*SCORE, "--target", "target.csv"]
SHARES = "query,attribute,group,share\n"

BAD = {
    "nan score": (
        {"run.csv": HEAD + "q1,a,1\nq1,b,nan\n"},
        SCORE,
        4,
        ["run.csv, line 3", "item 'b'", "query 'q1'", "not a finite number"],
    ),
    "infinite score": (
        {"run.csv": HEAD + "q1,a,inf\n"},
        SCORE,
        4,
        ["run.csv, line 2", "not a finite number"],
    ),
    "score that is a word": (
        {"run.csv": HEAD + "q1,a,high\n"},
        SCORE,
        4,
        ["run.csv, line 2", "'high' is not a number"],
    ),
    "score left out": (
        {"run.csv": HEAD + "q1,a,\n"},
        SCORE,
        4,
        ["run.csv, line 2", "score is missing"],
    ),
    "item twice": (
        {"run.csv": HEAD + "q1,a,2\nq1,b,1\nq1,a,1\n"},
        SCORE,
        4,
        ["'a' twice for query 'q1'", "line 2 and line 4"],
    ),
    "empty run": ({"run.csv": ""}, SCORE, 4, ["run.csv is empty"]),
    "empty labels": ({"labels.csv": ""}, SCORE, 4, ["labels.csv is empty"]),
    "header alone": ({"run.csv": HEAD}, SCORE, 4, ["run.csv has no data"]),
    "short line": (
        {"run.csv": HEAD + "q1,a,2\nq1,b\n"},
        SCORE,
        4,
        ["run.csv, line 3", "2 values where the header has 3"],
    ),
    "open quote": ({"run.csv": HEAD + 'q1,"a,2\n'}, SCORE, 4, ["run.csv, line 2"]),
    "missing column": (
        {"run.csv": "query,item\nq1,a\n"},
        SCORE,
        4,
        ["run.csv has no column 'score'", "Its columns are: query, item"],
    ),
    "rank against score": (
        {"run.csv": "query,item,score,rank\nq1,a,2,2\nq1,b,1,1\n"},
        SCORE,
        4,
        ["ranks and scores contradict each other", "'a'", "'b'"],
    ),
    "short trec line": (
        {"run.trec": "q1 Q0 a 1 2.0 t\nq1 Q0 b 2\n"},
        ["score", "run.trec", "--groups", "labels.csv"],
        4,
        ["run.trec, line 2", "4 values where a TREC run has 6"],
    ),
    "broken json line": (
        {"run.jsonl": '{"query": "q1", "item": "a", "score": 1}\n{"query": \n'},
        ["score", "run.jsonl", "--groups", "labels.csv"],
        4,
        ["run.jsonl, line 2 is not JSON"],
    ),
    "not utf-8": (
        {"run.csv": HEAD.encode() + b"q1,caf\xe9,1\n"},
        SCORE,
        4,
        ["run.csv, line 2 is not UTF-8 text", "Save the file as UTF-8"],
    ),
    "labels not utf-8": (
        {"labels.csv": b"item,gender\ncaf\xe9,f\n"},
        SCORE,
        4,
        ["labels.csv, line 2 is not UTF-8 text"],
    ),
    "not parquet": (
        {"run.parquet": "PAR1 no"},
        ["score", "run.parquet", "--groups", "labels.csv"],
        4,
        ["run.parquet is not a Parquet file"],
    ),
    "labels of other items": (
        {"labels.csv": "item,gender\nx,f\ny,m\n"},
        SCORE,
        4,
        ["labels no item of run.csv", "'x'", "'a'", "spelled alike"],
    ),
    "conflicting labels": (
        {"labels.csv": "item,gender\na,f\nb,m\na,m\n"},
        SCORE,
        4,
        ["item 'a' twice for 'gender'", "line 2 and line 4"],
    ),
    "all labels unknown": (
        {"labels.csv": "item,gender\na,\nb,NA\nc,unknown\nd,\n"},
        SCORE,
        4,
        ["'gender'", "holds no label"],
    ),
    "all that is ranked unknown": (
        {"labels.csv": "item,gender\na,\nb,\nc,\nd,\nx,female\ny,male\n"},
        SCORE,
        4,
        ["Nothing that run.csv ranks has a known label for 'gender'"],
    ),
    "one group": (
        {"labels.csv": "item,gender\na,f\nb,f\nc,f\nd,f\n"},
        SCORE,
        4,
        ["one group only ('f')", "Name the missing groups in a target"],
    ),
    "soft shares above one": (
        {"labels.csv": "item,gender=f,gender=m\na,1,0\nb,0.7,0.6\nc,0,1\nd,0,1\n"},
        SCORE,
        4,
        ["labels.csv, line 3", "f 0.7, m 0.6", "sum to at most 1"],
    ),
    "negative share": (
        {"labels.csv": "item,gender=f,gender=m\na,-0.1,0\n"},
        SCORE,
        4,
        ["labels.csv, line 2", "f -0.1"],
    ),
    "no label column": (
        {"labels.csv": "item\na\n"},
        SCORE,
        4,
        ["labels.csv has no column of labels"],
    ),
    "target sums to less": (
        {"target.csv": SHARES + "*,gender,female,0.4\n*,gender,male,0.4\n"},
        TARGETED,
        4,
        ["sums to 0.8", "sum to 1"],
    ),
    "target lacks a group": (
        {"target.csv": SHARES + "*,gender,female,1\n"},
        TARGETED,
        4,
        ["lacks group 'male' of 'gender'"],
    ),
    "target of another attribute": (
        {"target.csv": SHARES + "*,skin,dark,1\n"},
        TARGETED,
        4,
        ["no rows for attribute 'gender'", "It has skin"],
    ),
    "target of other groups": (
        {"target.csv": SHARES + "*,gender,femal,0.5\n*,gender,male,0.5\n"},
        TARGETED,
        2,
        ["'femal'", "Did you mean female"],
    ),
    "target lacks a query": (
        {"target.csv": SHARES + "q1,gender,female,0.5\nq1,gender,male,0.5\n"},
        TARGETED,
        4,
        ["no shares for query 'q2'", "Add rows with query *"],
    ),
    "target share above one": (
        {"target.csv": SHARES + "*,gender,female,1.5\n"},
        TARGETED,
        4,
        ["target.csv, line 2", "1.5 is not in [0, 1]"],
    ),
    "target that is no json": (
        {"target.json": '{"gender": {"female": 0.5'},
        [*SCORE, "--target", "target.json"],
        4,
        ["line 1 is not JSON"],
    ),
    "target json of another shape": (
        {"target.json": '{"gender": {"female": 0.5, "male": 0.5}}'},
        [*SCORE, "--target", "target.json"],
        4,
        ["target.json has no column 'query'"],
    ),
    "judgements of other queries": (
        {"qrels.txt": "x 0 a 1\n"},
        [*SCORE, "--qrels", "qrels.txt"],
        4,
        ["judges no query of run.csv"],
    ),
    "second run without shared query": (
        {"old.csv": HEAD + "x,a,1\nx,b,0\n"},
        [*SCORE, "--against", "old.csv"],
        4,
        ["share no query"],
    ),
    "query without a cluster": (
        {"c.csv": "query,cluster\nq1,a\n"},
        [*SCORE, "--clusters", "c.csv"],
        4,
        ["Query 'q2' has no cluster"],
    ),
    "query in two clusters": (
        {"c.csv": "query,cluster\nq1,a\nq2,a\nq1,b\n"},
        [*SCORE, "--clusters", "c.csv"],
        4,
        ["c.csv, line 4", "query 'q1' is in cluster 'a' already"],
    ),
    "second run at fault": (
        {"old.csv": HEAD + "q1,a,1\nq1,a,0\n"},
        [*SCORE, "--against", "old.csv"],
        4,
        ["old.csv lists item 'a' twice"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_tells_what_and_where(case, desk, door, schema_faults):
    texts, args, code, fragments = BAD[case]
    folder = desk(**{name.replace(".", "__"): text for name, text in texts.items()})
    before = _snapshot(folder)
    told = door(*args, "-o", "result.html")
    assert told.code == code
    assert told.out == ""
    assert told.err.startswith("error: ")
    assert "Traceback" not in told.err
    for fragment in fragments:
        assert fragment in told.err
    answer = door(*args, "--json", "-o", "result.html")
    assert answer.code == code
    assert answer.err == ""
    assert schema_faults("error", answer.json) == []
    assert answer.json["error"]["kind"] == {2: "usage", 4: "data"}[code]
    for fragment in fragments:
        assert fragment in f"{answer.json['error']['message']} {answer.json['error']['hint']}"
    assert _snapshot(folder) == before


@pytest.mark.parametrize(
    "command", [["check"], ["rerank", "--mitigate", "pbm", "-k", "2", "-o", "new.csv"]]
)
@pytest.mark.parametrize(
    "case",
    [
        "nan score",
        "item twice",
        "not utf-8",
        "labels of other items",
        "soft shares above one",
    ],
)
def test_bad_file_is_refused_by_every_command(case, command, desk, door):
    texts, _, code, fragments = BAD[case]
    folder = desk(**{name.replace(".", "__"): text for name, text in texts.items()})
    before = _snapshot(folder)
    told = door(command[0], "run.csv", "--groups", "labels.csv", *command[1:])
    assert told.code == code
    assert fragments[0] in told.err
    assert _snapshot(folder) == before


def test_labels_of_one_group_are_refused_by_check_and_leave_lists_plain_in_rerank(desk, door):
    texts, _, code, fragments = BAD["one group"]
    desk(**{name.replace(".", "__"): text for name, text in texts.items()})
    told = door("check", "run.csv", "--groups", "labels.csv")
    assert told.code == code and fragments[0] in told.err
    told = door(
        "rerank", "run.csv", "--groups", "labels.csv", "--mitigate", "pbm", "-k", "2", "--json"
    )
    assert told.code == 0 and "one group only" in told.out


@pytest.mark.parametrize(
    ("args", "fragment"),
    [
        (["none.csv", "--groups", "labels.csv"], "There is no file none.csv"),
        (["run.csv", "--groups", "none.csv"], "There is no file none.csv"),
        ([".", "--groups", "labels.csv"], "is not a file"),
        (["run.csv", "--groups", "."], "is not a file"),
        (["run.csv", "--groups", "labels.csv", "--qrels", "none.txt"], "There is no file none.txt"),
        (
            ["run.csv", "--groups", "labels.csv", "--target", "none.csv"],
            "There is no file none.csv",
        ),
        (
            ["run.csv", "--groups", "labels.csv", "--against", "none.csv"],
            "There is no file none.csv",
        ),
        (
            ["run.csv", "--groups", "labels.csv", "--target", "unifrom"],
            "neither a target nor a file called 'unifrom'",
        ),
    ],
)
def test_path_that_is_no_file_is_a_usage_error(args, fragment, desk, door):
    desk()
    told = door("score", *args)
    assert told.code == 2
    assert fragment in told.err


def test_target_spelled_wrongly_offers_the_nearest(desk, door):
    desk()
    assert (
        "Did you mean uniform?"
        in door("score", "run.csv", "--groups", "labels.csv", "--target", "unifrom").err
    )


def test_unlabelled_attribute_is_told_but_check_still_reports(desk, door):
    desk(labels__csv="item,gender,skin\na,f,\nb,m,\nc,f,\nd,m,\nx,f,dark\ny,m,light\n")
    told = door("score", "run.csv", "--groups", "labels.csv")
    assert told.code == 4
    assert "known label for 'skin'" in told.err
    assert door("score", "run.csv", "--groups", "labels.csv", "--attribute", "gender").code == 0
    seen = door("check", "run.csv", "--groups", "labels.csv", "--json")
    assert seen.code == 0
    assert {a["attribute"]: a["coverage"]["known"] for a in seen.json["attributes"]} == {
        "gender": 1.0,
        "skin": 0.0,
    }


def test_one_group_is_measured_where_a_target_names_the_missing_one(desk, door):
    desk(labels__csv="item,gender\na,female\nb,female\nc,female\nd,female\n")
    answer = door(
        "score",
        "run.csv",
        "--groups",
        "labels.csv",
        "--target",
        "target.csv",
        "--metric",
        "TV@2",
        "--json",
    )
    assert answer.code == 0
    assert answer.json["metrics"][0]["mean"] == 0.5
    assert answer.json["manifest"]["labels"]["gender"]["groups"] == ["female", "male"]


def _snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b""
        for p in sorted(folder.rglob("*"))
    }
