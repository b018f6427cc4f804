"""Labels from files, and a program joined with people."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from fairlead.annotators.hybrid import Hybrid
from fairlead.commands import annotate as annotating
from fairlead.engine.human import tasks as human_tasks
from fairlead.engine.human import work as human_work
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.store.human import HumanStore
from fairlead.types import Collection, Groups, Queries, Sets
from fairlead.types.answers import Answer

TIME = datetime(2026, 5, 1, tzinfo=UTC)
CAPTIONS = {
    "a": "a woman",
    "b": "a man",
    "c": "a street",
    "d": "a house",
    "e": "a field",
    "f": "a girl",
}
ITEMS = Collection(tuple(CAPTIONS), texts=tuple(CAPTIONS.values()))


def make(text):
    return registry.make("annotator", text)


@pytest.fixture
def store(tmp_path):
    """People say of c and d that they show a man; nobody was asked about e."""
    path = tmp_path / "labels.db"
    human_tasks.define(path, "gender", TIME, groups=["Male", "Female"])
    with HumanStore(path) as opened:
        opened.add(
            [
                Answer(item, "gender", f"r{n}", "Male", TIME)
                for item in ("a", "c", "d")
                for n in range(3)
            ]
        )
    return path


def test_table_labels_what_it_lists_and_names_its_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "item,gender,skin=dark,skin=light\na,female,0.2,0.7\nb,unknown,,\nd,not-applicable,,\n"
    )
    table = make(f'table:"{path}"')
    told = table(ITEMS, "gender")
    assert told.codes.tolist() == [0, -1, -1, -2, -1, -1] and told.source == str(table)
    assert table(ITEMS, "skin").soft[0].tolist() == pytest.approx([0.2, 0.7])
    assert table.attributes(ITEMS) == ("gender", "skin")
    with pytest.raises(UsageError, match=r"cannot label 'age'. It can label: gender, skin\."):
        table(ITEMS, "age")


def test_table_that_contradicts_itself_or_is_missing_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("item,gender\na,female\na,male\n")
    with pytest.raises(DataError, match="labels item 'a' twice for 'gender', differently"):
        make(f'table:"{path}"')(ITEMS, "gender")
    path.write_text("query,item,gender\nq,a,female\n")
    with pytest.raises(DataError, match="single queries"):
        make(f'table:"{path}"')(ITEMS, "gender")
    with pytest.raises(UsageError, match="there is no file"):
        make("table:nowhere.csv")(ITEMS, "gender")


def lists(*rows):
    return Queries(tuple(f"q{n}" for n in range(len(rows)))), Sets(
        np.cumsum([0, *map(len, rows)]), np.concatenate(rows)
    )


def test_hybrid_asks_people_where_the_program_answers_too_seldom(store):
    hybrid = make(f'hybrid:"{store}"(auto=caption,aggregate=majority)')
    asked = lists([0, 1, 2], [0, 2, 3, 4])  # two of three answered; one of four
    told = hybrid.of_candidates(ITEMS, "gender", *asked)
    assert told.names == ("female", "male")
    assert told.share.argmax(1)[[0, 1, 3, 4, 5]].tolist() == [0, 1, 0, 1, 1]
    assert told.unknown.tolist() == [
        0,
        0,
        1,
        0,
        0,
        0,
        1,
    ]  # c in the first list stays with the program, e waits for people
    assert told.source.endswith("1 of 2 lists went to people, by what was answered")
    assert hybrid.wanted(ITEMS, "gender", *asked) == ("e",)


def test_hybrid_can_hand_over_whole_lists_as_the_paper_does(store):
    hybrid = make(f'hybrid:"{store}"(auto=caption,scope=all)')
    told = hybrid.of_candidates(ITEMS, "gender", *lists([0, 2, 3, 4]))
    assert told.share[0].argmax() == 1  # people saw a man where the caption says woman
    assert hybrid.wanted(ITEMS, "gender", *lists([5, 2, 3, 4])) == ("f", "e")


def test_hybrid_over_its_threshold_is_the_program_alone(store):
    hybrid, caption = make(f'hybrid:"{store}"(auto=caption)'), make("caption")(ITEMS, "gender")
    assert (
        hybrid(ITEMS, "gender").share.tolist() == caption.share.tolist()
    )  # three of six, not less than half
    assert (
        make("hybrid(auto=caption,threshold=0.51)")(ITEMS, "gender").share.tolist()
        == caption.share.tolist()
    )  # nobody to ask


def test_hybrid_with_other_groups_or_no_program_is_refused(tmp_path):
    path = tmp_path / "labels.db"
    human_tasks.define(path, "gender", TIME, groups=["w", "m"])
    with pytest.raises(
        DataError, match=r"of 'gender' are w, m for human.*, and female, male for caption"
    ):
        make(f'hybrid:"{path}"(auto=caption)')(ITEMS, "gender")
    for spec in (
        "hybrid(auto=nobody)",
        "hybrid(threshold=2)",
        "hybrid(auto=hybrid)",
        'hybrid(auto="human:x.db")',
    ):
        with pytest.raises(UsageError):
            make(spec)


def test_hybrid_of_a_run_writes_what_people_should_label(tmp_path, store):
    (tmp_path / "items.csv").write_text(
        "item,caption\n" + "".join(f"{k},{v}\n" for k, v in CAPTIONS.items())
    )
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 3.0, "e": 2.0, "a": 1.0}}
    found = annotating.annotate(
        tmp_path / "items.csv", f'hybrid:"{store}"(auto=caption)', "gender", run=run, k=2
    )
    assert found.wanted == ("e",)
    assert found.write_wanted(tmp_path / "next.csv") == 1
    assert human_work.plan(store, "gender", items=tmp_path / "next.csv").items == ("e",)
    assert found.write(tmp_path / "labels.csv") == 4
    assert (tmp_path / "labels.csv").read_text().splitlines()[
        0
    ] == "query,item,gender=female,gender=male"


@pytest.fixture
def faces(tmp_path):
    """Ten pictures, six with faces; four of these show a woman and a man, which is no one answer."""
    woman, man = (
        {"Confidence": 99.0, "Gender": {"Value": value, "Confidence": 99.0}}
        for value in ("Female", "Male")
    )
    seen = [[woman, man]] * 4 + [[woman], [man]] + [[]] * 4
    lines = [
        json.dumps({"item": f"p{n}", "response": {"FaceDetails": found}})
        for n, found in enumerate(seen)
    ]
    path = tmp_path / "faces.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path, Collection(tuple(f"p{n}" for n in range(10)))


def test_hybrid_counts_pictures_with_a_face_as_the_paper_does(faces, store):
    path, items = faces
    auto = f"rekognition:{path}"
    whole = lists(list(range(10)))

    def told(by):
        made = Hybrid(store=str(store), auto=auto, aggregate="majority", by=by)
        return made.of_candidates(items, "gender", *whole)

    assert told("detected").source.endswith("0 of 1 lists went to people, by what was detected")
    assert told("answered").source.endswith("1 of 1 lists went to people, by what was answered")
    assert told("auto").source.endswith("by what was detected")
    assert told("detected").labels_by_source() == {auto: 10, "people": 0, "nobody": 0}
    assert told("answered").labels_by_source() == {auto: 2, "people": 0, "nobody": 8}


def test_hybrid_by_faces_with_a_program_that_looks_for_none_is_refused():
    with pytest.raises(UsageError, match="does not say where it found a face"):
        make("hybrid(auto=caption,by=detected)")


def test_hybrid_says_of_every_list_who_labelled_it(tmp_path, store):
    (tmp_path / "items.csv").write_text(
        "item,caption\n" + "".join(f"{k},{v}\n" for k, v in CAPTIONS.items())
    )
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 3.0, "d": 2.5, "e": 2.0, "a": 1.0}}
    found = annotating.annotate(
        tmp_path / "items.csv", f'hybrid:"{store}"(auto=caption)', "gender", run=run
    )
    assert found.lists == [
        {"query": "q1", "labels": {"caption": 2, "people": 0, "nobody": 0}},
        {"query": "q2", "labels": {"caption": 1, "people": 2, "nobody": 1}},
    ]
    assert found.to_dict()["lists"] == found.lists
    found.write(tmp_path / "labels.csv")
    about = json.loads((tmp_path / "labels.csv.about.json").read_text())
    assert about["lists"] == found.lists
    assert annotating.annotate(tmp_path / "items.csv", "caption", "gender").lists == []


def test_sources_of_labels_are_kept_with_the_items():
    groups = Groups(
        "g",
        ("b", "a"),
        codes=np.array([0, 1, -1]),
        sources=("program", "people"),
        given_by=np.array([0, 1, -1]),
    )
    taken = groups.take(np.array([2, 1])).by_name.mapped({"a": "c"})
    assert taken.given_by.tolist() == [-1, 1]
    assert taken.labels_by_source() == {"program": 0, "people": 1, "nobody": 1}
    assert groups.labels_by_source(np.array([0])) == {"program": 1, "people": 0, "nobody": 0}
    with pytest.raises(DataError, match="one of its 1 sources for each of its 3 items"):
        Groups("g", ("a",), codes=np.zeros(3, int), sources=("x",), given_by=np.array([0, 1, 0]))
