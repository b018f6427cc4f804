"""``fairlead frontier``: the documented rows, the trigger, projections before rerankers, and a
check that refuses.
"""

from __future__ import annotations

import json

import pytest

SMALL = ("--repeats", "1", "--all-queries", "-k", "5")


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    from fairlead.commands import frontier as frontiers

    return frontiers.frontier(
        mitigate=("pbm", "levelled", "orthogonal+levelled(price=1)"), repeats=1, k=10
    ).to_dict()


def row(rows, method, value=None):
    return next(
        r
        for r in rows
        if r["method"] == method and (value is None or value in (r["knob"] or {}).values())
    )


def test_frontier_answer_follows_its_schema_and_starts_with_plain(answer, schema_faults):
    assert not schema_faults("frontier", answer)
    first = answer["rows"][0]
    assert (first["method"], first["knob"]) == ("plain", None)
    assert {"nDCG", "P@1"} <= set(first["relevance"]) and {"AbsBias", "NDKL_excess"} <= set(
        first["bias"]
    )


def test_frontier_theta_of_zero_changes_nothing_and_a_higher_one_lowers_bias(answer):
    rows = answer["rows"]
    assert (
        row(rows, "pbm", 1.0)["bias"]["AbsBias"]
        < row(rows, "pbm", 0.1)["bias"]["AbsBias"]
        <= rows[0]["bias"]["AbsBias"]
    )
    assert (
        row(rows, "levelled", 3.0)["bias"]["AbsBias"]
        < row(rows, "levelled", 0.5)["bias"]["AbsBias"]
    )


def test_frontier_bound_in_hindsight_lies_above_every_method_but_by_lists_that_look_deeper(answer):
    for gap in answer["gaps"]:
        if gap["difference"] is not None:
            assert (
                gap["relevance"] + gap["difference"] <= gap["bounds"]["in hindsight"] + 0.02
            )  # soft labels may look deeper


def test_frontier_explicit_queries_are_left_alone_with_the_trigger_and_harmed_without(answer):
    asked = [r for r in answer["explicit"] if r["metric"] == "nDCG" and r["method"] != "plain"]
    assert all(r["share"] >= 0.98 for r in asked)
    assert min(r["without_trigger"] for r in asked) < asked[0]["plain"] - 0.02


def test_frontier_projection_and_reranker_is_a_point_of_its_own(answer):
    both, alone = (
        row(answer["rows"], "orthogonal+levelled(price=1)"),
        row(answer["rows"], "levelled", 1.0),
    )
    assert both["knob"] is None and both["bias"] != alone["bias"]


def test_frontier_check_says_why_and_leaves_with_one(door, tmp_path):
    page = tmp_path / "f.html"
    found = door(
        "frontier",
        *SMALL,
        "--mitigate",
        "pbm(theta=1)",
        "--mitigate",
        "levelled(price=0)",
        "--check",
        "--json",
        "-o",
        page,
    )
    checks = {c["method"]: c for c in found.json["checks"]}
    assert found.code == 1 and not checks["levelled(price=0)"]["passed"]
    assert "AbsBias is not shown to fall" in checks["levelled(price=0)"]["reasons"][0]
    text = page.read_text()
    assert (
        "<script" not in text
        and "http:" not in text.replace("http://www.w3.org/2000/svg", "")
        and "levelled(price=0)" in text
    )


def test_frontier_check_passes_what_helps_and_harms_nobody(door):
    found = door(
        "frontier",
        *SMALL,
        "--mitigate",
        "levelled(price=1)",
        "--check",
        "--tolerance",
        "0.2",
        "--repeats",
        "2",
    )
    assert found.code == 0 and "May it be switched on?" in found.out and "yes" in found.out


def test_frontier_check_refuses_what_harms_explicit_queries(door):
    found = door(
        "frontier",
        *SMALL,
        "--mitigate",
        "pbm(theta=1)",
        "--no-trigger",
        "--check",
        "--tolerance",
        "1",
        "--json",
    )
    reasons = found.json["checks"][0]["reasons"]
    assert found.code == 1 and any(
        "Queries that ask for a group keep" in reason for reason in reasons
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--mitigate", "pbn"), "pbm"),
        (("--mitigate", "pbm+leace"), "Vectors come first"),
        (("--attribute", "height"), "gender"),
        (("-k", "0"), "k"),
        (("--repeats", "0"), "repeats"),
        (("--mitigate-groups", "labels.csv"), "labels.csv"),
        (("-o", "f.xlsx"), ".html"),
        (("--tolerance", "-1"), "tolerance"),
    ],
)
def test_frontier_bad_choice_is_told_what_is_accepted(words, said, door):
    found = door("frontier", "--repeats", "1", *words)
    assert found.code == 2 and said in found.err and "Traceback" not in found.err


def test_frontier_json_file_holds_what_is_printed(door, tmp_path):
    place = tmp_path / "f.json"
    found = door(
        "frontier", *SMALL, "--mitigate", "detgreedy", "--no-trigger", "--json", "-o", place
    )
    written = json.loads(place.read_text())
    assert found.code == 0 and written["rows"][1]["bias"] == found.json["rows"][1]["bias"]


def test_frontier_without_the_trigger_has_no_column_of_numbers_made_with_it(door):
    found = door("frontier", *SMALL, "--mitigate", "pbm(theta=1)", "--no-trigger")
    assert (
        found.code == 0
        and "without the trigger" in found.out
        and "with the trigger" not in found.out
    )


def test_frontier_of_more_than_two_groups_says_nothing_of_bounds(door):
    found = door(
        "frontier",
        *SMALL,
        "--mitigate",
        "pbm",
        "--mitigate",
        "levelled",
        "--attribute",
        "gender*skin",
    )
    words = " ".join(found.out.split())
    assert found.code == 0 and "Bounds are found for two groups only." in words
    assert ", ." not in words and "same labels" not in words and "pbm reads nDCG" in words


def test_frontier_equal_lists_have_equal_intervals_and_the_manifest_says_how_they_are_made(door):
    found = door(
        "frontier",
        *SMALL,
        "-k",
        "10",
        "--mitigate",
        "pbm(theta=1)",
        "--mitigate",
        "detgreedy",
        "--json",
    ).json
    first, second = found["rows"][1:]
    assert first["bias"] == second["bias"] and first["ci"] == second["ci"]
    assert "clusters of queries" in found["manifest"]["intervals"]
