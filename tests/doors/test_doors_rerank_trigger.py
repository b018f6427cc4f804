"""The trigger in ``rerank``: query ids are read as what was asked, what must not be diversified
stays, and both doors say so.
"""

from __future__ import annotations

import shlex

import pytest

import fairlead

ASKED = ("nurse", "female CEO", "Marie Curie", "red sneakers", "doctor")
LABELS = "item,gender\n" + "".join(f"i{n},{'female' if n < 12 else 'male'}\n" for n in range(20))
RERANK = ["rerank", "asked.csv", "--groups", "people.csv", "--mitigate", "pbm", "-k", "6"]


def _run(queries) -> str:
    return "query,item,score\n" + "".join(
        f"{query},i{n},{20 - n}\n" for query in queries for n in range(20)
    )


@pytest.fixture
def asked(desk):
    return desk(asked__csv=_run(ASKED), people__csv=LABELS)


def _lists(answer) -> dict[str, list[str]]:
    return {one["query"]: one["items"] for one in answer["results"]}


PLAIN = [f"i{n}" for n in range(6)]


def test_rerank_leaves_what_names_a_group_a_person_or_no_person(asked, door, schema_faults):
    answer = door(*RERANK, "--json").json
    assert schema_faults("rerank", answer) == []
    assert {query: items == PLAIN for query, items in _lists(answer).items()} == dict(
        zip(ASKED, [False, True, True, True, False], strict=True)
    )
    rules = [one["trigger"]["rule"] for one in answer["results"]]
    assert (
        rules == ["neutral", "explicit", "name", "no-person", "neutral"]
        and answer["summary"]["left"] == 3
    )
    assert fairlead.rerank("asked.csv", "people.csv", mitigate="pbm", k=6).to_dict() == answer
    said = door(*RERANK, "-o", "new.csv").out
    assert (
        "Left as they are: 3 of 5 queries.\n  'female CEO': says which group it asks for: female.\n"
        in said
    )


def test_rerank_without_the_trigger_mitigates_all_and_says_so(asked, door, schema_faults):
    answer = door(*RERANK, "--no-trigger", "--json").json
    assert schema_faults("rerank", answer) == [] and PLAIN not in _lists(answer).values()
    assert {one["trigger"]["rule"] for one in answer["results"]} == {"off"}
    assert (
        answer
        == fairlead.rerank("asked.csv", "people.csv", mitigate="pbm", k=6, trigger=False).to_dict()
    )
    assert (
        "Mitigated whatever is asked: the trigger is off."
        in door(*RERANK, "--no-trigger", "-o", "new.csv").out
    )


def test_rerank_leaves_what_a_list_names_and_records_the_list(asked, door):
    (asked / "leave.txt").write_text("doc*\n")
    answer = door(*RERANK, "--leave", "leave.txt", "--json").json
    assert _lists(answer)["doctor"] == PLAIN and _lists(answer)["nurse"] != PLAIN
    assert answer["manifest"]["inputs"]["leave"]["name"] == "leave.txt"
    assert (
        fairlead.rerank("asked.csv", "people.csv", mitigate="pbm", k=6, leave=["doc*"]).to_dict()[
            "results"
        ]
        == answer["results"]
    )
    (asked / "leave.csv").write_text("doc*\n")
    told = door(*RERANK, "--leave", "leave.csv", "-o", "leave.csv")
    assert told.code == 2 and "leave.csv is an input" in told.err


def test_rerank_leaves_a_list_with_too_few_of_a_group_as_search_does(asked, door):
    few = "item,gender\n" + "".join(f"i{n},{'female' if n else 'male'}\n" for n in range(20))
    (asked / "people.csv").write_text(few)
    answer = door(*RERANK[:-1], "10", "--json").json
    assert answer["results"][0]["trigger"]["rule"] == "too-few"


@pytest.mark.parametrize(
    "ids", [("q1", "q2"), ("301", "302"), ("9f86d081884c7d65", "60303ae22b998861")]
)
def test_rerank_of_ids_that_are_no_text_mitigates_and_says_that_it_cannot_read_them(
    desk, door, ids
):
    desk(asked__csv=_run(ids), people__csv=LABELS, leave__txt=f"{ids[1]}\n")
    answer = door(*RERANK, "--json").json
    assert PLAIN not in _lists(answer).values()
    assert any(
        f"2 of 2 query ids are no text (e.g. '{ids[0]}')" in note
        for note in answer["manifest"]["warnings"]
    )
    listed = door(*RERANK, "--leave", "leave.txt", "--json").json
    assert [items == PLAIN for items in _lists(listed).values()] == [False, True]
    off = door(*RERANK, "--no-trigger", "--json").json
    assert not any("no text" in note for note in off["manifest"]["warnings"])


def test_rerank_names_a_next_command_that_a_shell_reads_and_that_means_the_same(desk, door):
    labels = "item,gender,race\n" + "".join(
        f"i{n},{'female' if n < 12 else 'male'},{'x' if n % 2 else 'y'}\n" for n in range(20)
    )
    target = "query,attribute,group,share\n*,gender,female,0.3\n*,gender,male,0.7\n"
    folder = desk(people__csv=labels, target__csv=target)
    (folder / "a b.csv").write_text(_run(ASKED))
    new = "out_levelled(price=4).csv"
    flags = [
        "--attribute",
        "gender",
        "--target",
        "target.csv",
        "--unknown",
        "own-group",
        "--seed",
        "3",
    ]
    said = door(
        "rerank",
        "a b.csv",
        "--groups",
        "people.csv",
        *flags,
        "--mitigate",
        "levelled(price=4)",
        "-k",
        "6",
        "-o",
        new,
    )
    assert said.code == 0, said.err
    line = next(line for line in said.out.splitlines() if line.startswith("Next: "))
    words = shlex.split(line.removeprefix("Next: "))
    assert words == [
        "fairlead",
        "score",
        new,
        "--groups",
        "people.csv",
        *flags,
        "--against",
        "a b.csv",
    ]
    assert door(*words[1:]).code == 0
    both = door(
        "rerank",
        "a b.csv",
        "--groups",
        "people.csv",
        "--attribute",
        "gender*race",
        "--mitigate",
        "pbm",
        "-k",
        "6",
        "-o",
        new,
    )
    assert "--attribute 'gender*race' --against" in both.out
