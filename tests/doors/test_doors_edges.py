"""Small and odd but honest inputs: one query, one result, few labels, odd names. They are measured,
and nothing is overstated.
"""

from __future__ import annotations

import pytest

HEAD = "query,item,score\n"


def test_one_query_has_no_interval_and_says_so(desk, door, schema_faults):
    desk(run__csv=HEAD + "q1,a,3\nq1,b,2\nq1,c,1\n")
    answer = door("score", "run.csv", "--groups", "labels.csv", "--metric", "NDKL@3", "--json")
    assert answer.code == 0
    assert schema_faults("score", answer.json) == []
    (row,) = answer.json["metrics"]
    assert row["ci"] == [None, None]
    assert any("at least two queries" in note for note in row["notes"])
    assert door("score", "run.csv", "--groups", "labels.csv").code == 0


def test_query_with_one_result_is_measured_as_it_is(desk, door):
    desk(run__csv=HEAD + "q1,a,3\nq2,b,2\nq2,c,1\n")
    answer = door("score", "run.csv", "--groups", "labels.csv", "--metric", "AbsBias@2", "--json")
    assert {r["query"]: r["value"] for r in answer.json["per_query"]} == {"q1": 1.0, "q2": 0.0}
    assert any(
        "1 of 2 queries of run.csv has fewer than k = 2 results (least 1)" in w
        for w in answer.json["manifest"]["warnings"]
    )
    assert answer.json["manifest"]["run"]["depth"] == {"min": 1, "median": 1.5, "max": 2}


def test_single_entry_has_a_degenerate_null_and_no_p(desk, door):
    desk(run__csv=HEAD + "q1,a,3\n")
    answer = door("score", "run.csv", "--groups", "labels.csv", "--metric", "AbsBias@1", "--json")
    (row,) = answer.json["metrics"]
    assert row["null"]["degenerate"] is True
    assert row["p"] is None and row["q"] is None
    assert (
        "no chance level"
        in door("score", "run.csv", "--groups", "labels.csv", "--metric", "AbsBias@1").out
    )


def test_two_queries_are_too_few_to_read_closer_than_chance(desk, door):
    desk()
    shown = door("score", "run.csv", "--groups", "labels.csv", "--metric", "AbsBias@3")
    assert "closer than chance" not in shown.out
    assert "unreliable" in shown.out


def test_labels_mostly_unknown_are_never_good_news(desk, door):
    run = HEAD + "".join(f"q{q},{q}-{i},{9 - i}\n" for q in range(12) for i in range(6))
    labels = "item,gender\n" + "".join(f"{q}-0,f\n{q}-1,m\n" for q in range(12)) + "x,f\ny,m\n"
    desk(run__csv=run, labels__csv=labels)
    shown = door(
        "score", "run.csv", "--groups", "labels.csv", "--metric", "AbsBias@6", "--null", "target"
    )
    assert shown.code == 0
    assert "mostly unknown" in shown.out
    assert "66.7 % of the entries of run.csv have no row in labels.csv" in shown.out


def test_query_without_any_label_is_undefined_not_zero(desk, door):
    desk(
        labels__csv="item,gender\na,female\nb,male\nc,\nd,\n",
        run__csv=HEAD + "q1,a,2\nq1,b,1\nq2,c,2\nq2,d,1\n",
    )
    answer = door("score", "run.csv", "--groups", "labels.csv", "--metric", "TV@2", "--json")
    assert {r["query"]: r["value"] for r in answer.json["per_query"]} == {"q1": 0.0, "q2": None}
    assert answer.json["metrics"][0]["undefined"] == 1


@pytest.mark.parametrize(
    "name", ["[red]x", "a[/b]", ":smile:", "gender=", "<b>x</b>", "größe 😀", "100 % [0, 1]"]
)
def test_odd_names_are_printed_as_they_are(name, desk, door):
    odd = f'"{name}"'
    desk(
        run__csv=HEAD + f"{odd},a,3\n{odd},b,2\nq2,c,2\nq2,d,1\n",
        labels__csv=f"item,{odd}\na,f\nb,m\nc,f\nd,f\n",
    )
    shown = door("score", "run.csv", "--groups", "labels.csv", "--metric", "AbsBias@2")
    assert shown.code == 0, shown.err
    assert name in shown.out
    assert door("check", "run.csv", "--groups", "labels.csv").code == 0
    assert door("score", "run.csv", "--groups", "labels.csv", "-o", "page.html").code == 0


def test_ties_are_told_with_how_they_are_ordered(desk, door):
    desk(run__csv=HEAD + "q1,a,1\nq1,b,1\nq2,c,2\nq2,d,1\n")
    assert "seeded hash" in door("score", "run.csv", "--groups", "labels.csv").out
    stable = door("score", "run.csv", "--groups", "labels.csv", "--ties", "stable")
    assert "they stand as in the file" in stable.out
    assert "seeded hash" not in stable.out


def test_check_coverage_below_the_bar_exits_one(desk, door, schema_faults):
    desk(labels__csv="item,gender\na,female\nb,male\n")
    answer = door("check", "run.csv", "--groups", "labels.csv", "--min-coverage", "0.9", "--json")
    assert answer.code == 1
    assert answer.json["failed"] == ["gender"]
    assert schema_faults("check", answer.json) == []
    told = door("check", "run.csv", "--groups", "labels.csv", "--min-coverage", "0.9")
    assert told.code == 1
    assert "Below the coverage of 0.9: gender" in told.err
    assert door("check", "run.csv", "--groups", "labels.csv", "--min-coverage", "0.3").code == 0


def test_check_tells_the_real_depth(desk, door):
    desk()
    assert door("check", "run.csv", "--groups", "labels.csv", "--json").json["run"]["depth"] == {
        "min": 3,
        "median": 3.0,
        "max": 3,
    }
    assert "2 queries, 6 entries, 3 deep" in door("check", "run.csv", "--groups", "labels.csv").out


def test_second_run_brings_its_own_warnings(desk, door):
    desk(old__csv=HEAD + "q1,a,1\nq1,b,1\nq3,c,1\n")
    answer = door(
        "score",
        "run.csv",
        "--groups",
        "labels.csv",
        "--metric",
        "AbsBias@2",
        "--against",
        "old.csv",
        "--json",
    )
    warnings = " ".join(answer.json["manifest"]["warnings"])
    assert "of old.csv are tied" in warnings
    assert "2 queries are in one of the two runs only" in warnings
    assert answer.json["paired"][0]["queries"] == 1


def test_group_with_target_zero_that_is_shown_is_infinite_and_told(desk, door, schema_faults):
    zero = "query,attribute,group,share\n*,gender,female,0\n*,gender,male,1\n"
    desk(target__csv=zero, old__csv=HEAD + "q1,b,3\nq1,a,2\nq2,d,3\nq2,b,2\n")
    args = (
        "score",
        "run.csv",
        "--groups",
        "labels.csv",
        "--target",
        "target.csv",
        "--metric",
        "NDKL@2",
        "--against",
        "old.csv",
    )
    answer = door(*args, "--json")
    assert answer.code == 0, answer.out
    assert schema_faults("score", answer.json) == []
    (row,) = answer.json["metrics"]
    assert row["mean"] is None
    assert any("a group with target 0 is shown" in note for note in row["notes"])
    (pair,) = answer.json["paired"]
    assert (pair["difference"], pair["p"], pair["q"]) == (None, None, None)
    assert "infinite in" in pair["notes"][0]
    assert door(*args).code == 0
    assert door(*args, "-o", "page.html").code == 0
