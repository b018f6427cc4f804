"""Files of answers: what other tools write is read, what we write comes back, what is wrong is told
with its place and changes nothing.
"""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairlead.engine.human import answers as human_answers
from fairlead.engine.human import tasks as human_tasks
from fairlead.engine.human import work as human_work
from fairlead.errors import DataError, FairleadError, UsageError
from fairlead.store.human import HumanStore
from fairlead.types.answers import Answer

pytestmark = pytest.mark.filterwarnings("ignore::fairlead.store.cells.GuardedCells")

TIME = datetime(2026, 5, 1, 10, tzinfo=UTC)
NOW = datetime(2026, 6, 1, tzinfo=UTC)
FORMS = [("answers", "out.csv"), ("label-studio", "out.json"), ("mturk", "out.csv")]


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "labels.db"
    human_tasks.define(path, "gender", TIME, groups=["female", "male"], price=0.05)
    human_tasks.define(path, "age", TIME, groups=["young", "old"])
    return path


def _said(path, attribute="gender", **choices):
    with HumanStore(path) as store:
        return [(a.item, a.rater, a.answer) for a in store.answers(attribute, **choices)]


def _written(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


# A plain table


def test_table_is_read_whatever_the_order_and_the_names_of_its_columns(store, tmp_path):
    path = _written(
        tmp_path,
        "a.csv",
        "Label,worker_id,item_id,comment,attribute\nFemale,ann,i1,x,gender\nnot applicable,bo,i1,,gender\n",
    )
    found = human_answers.import_answers(store, path, NOW)
    assert (found.new, found.known) == (2, 0)
    assert _said(store) == [("i1", "ann", "female"), ("i1", "bo", "not-applicable")]


def test_table_read_again_changes_nothing_even_after_a_correction(store, tmp_path):
    path = _written(tmp_path, "a.csv", "item,rater,answer\ni1,ann,female\n")
    human_answers.import_answers(store, path, TIME, attribute="gender")
    later = _written(tmp_path, "b.csv", "item,rater,answer\ni1,ann,male\n")
    human_answers.import_answers(store, later, NOW, attribute="gender")
    assert (
        human_answers.import_answers(store, path, NOW + timedelta(days=9), attribute="gender").known
        == 1
    )
    assert _said(store) == [("i1", "ann", "male")]


def test_table_with_times_tells_corrections_apart(store, tmp_path):
    rows = "item,attribute,rater,answer,time,seconds,version\ni1,gender,ann,male,2026-05-02T10:00:00Z,4.5,1\n"
    rows += (
        "i1,gender,ann,female,2026-05-01 10:00,3,\ni1,gender,ann,male,2026-04-01T10:00:00+02:00,,\n"
    )
    human_answers.import_answers(store, _written(tmp_path, "a.csv", rows), NOW)
    assert _said(store) == [("i1", "ann", "male")]
    assert len(_said(store, history=True)) == 3


def test_table_attribute_of_the_flag_leaves_others_out(store, tmp_path):
    path = _written(
        tmp_path, "a.csv", "item,attribute,rater,answer\ni1,gender,ann,male\ni1,age,ann,old\n"
    )
    assert human_answers.import_answers(store, path, NOW, attribute="age").skipped == {
        "other attributes": 1
    }
    assert (_said(store), _said(store, "age")) == ([], [("i1", "ann", "old")])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "item,attribute,rater,answer\ni1,gender,ann,male\ni2,gender,ann,mal\n",
            "line 3: 'mal' is no answer",
        ),
        ("item,attribute,rater,answer\ni1,gender,ann,\n", "line 2: the answer is empty"),
        ("item,attribute,rater,answer\ni1,gender,,male\n", "line 2: the rater is empty"),
        ("item,attribute,rater,answer\n,gender,ann,male\n", "line 2: the item is empty"),
        ("item,attribute,rater,answer\ni1,sex,ann,male\n", "line 2: There is no task called 'sex'"),
        (
            "item,attribute,rater,answer,time\ni1,gender,ann,male,yesterday\n",
            "line 2: the time 'yesterday'",
        ),
        (
            "item,attribute,rater,answer,seconds\ni1,gender,ann,male,quick\n",
            "line 2: 'quick' is no number",
        ),
        (
            "item,attribute,rater,answer,seconds\ni1,gender,ann,male,-3\n",
            "line 2: An answer took -3",
        ),
        ("item,attribute,rater,answer,version\ni1,gender,ann,male,7\n", "no version 7"),
        (
            "item,attribute,rater,answer,version\ni1,gender,ann,male,new\n",
            "line 2: the version 'new'",
        ),
        ("item,attribute,rater,answer\ni1,gender,ann\n", "line 2: 3 values where the header has 4"),
        ("item,rater,answer\ni1,ann,male\n", "no column 'attribute'"),
        ("item,attribute,answer\ni1,gender,male\n", "no column 'rater'"),
        ("item,attribute,rater,answer\n", "holds no answer"),
        ("", "empty|not known"),
        (
            "item,attribute,rater,answer,id\ni1,gender,ann,male,x\ni2,gender,ann,male,x\n",
            "'x' .* was used for another answer",
        ),
    ],
)
def test_table_with_a_fault_is_told_with_its_line_and_nothing_is_imported(
    store, tmp_path, text, told
):
    with pytest.raises(FairleadError, match=told):
        human_answers.import_answers(store, _written(tmp_path, "a.csv", text), NOW)
    assert _said(store) == []


# Label Studio


def _task(annotations, **data):
    return {
        "id": 7,
        "data": {"image": "s3://photos/1.jpg", **data},
        "annotations": annotations,
        "predictions": [_annotation("male")],
    }


def _annotation(choice, by=1, name="gender", **rest):
    choices = choice if isinstance(choice, list) else [choice]
    result = {
        "from_name": name,
        "to_name": "image",
        "type": "choices",
        "value": {"choices": choices},
    }
    comment = {
        "from_name": "why",
        "to_name": "image",
        "type": "textarea",
        "value": {"text": ["hm"]},
    }
    return {
        "completed_by": by,
        "created_at": "2026-05-01T10:00:00.5Z",
        "lead_time": 4.2,
        "result": [result, comment],
        **rest,
    }


def _label_studio(tmp_path, tasks):
    return _written(tmp_path, "export.json", json.dumps(tasks))


def test_label_studio_annotations_are_read_predictions_are_not(store, tmp_path):
    tasks = [
        _task(
            [
                _annotation("Female", 1),
                _annotation("Unsure", {"id": 2, "email": "bo@example.org"}),
                _annotation("Male", 3, was_cancelled=True),
            ]
        ),
        _task([], item="i2"),
    ]
    found = human_answers.import_answers(
        store, _label_studio(tmp_path, tasks), NOW, item_field="image"
    )
    assert (found.new, found.skipped) == (2, {"cancelled": 1})
    assert _said(store) == [
        ("s3://photos/1.jpg", "1", "female"),
        ("s3://photos/1.jpg", "bo@example.org", "unsure"),
    ]
    with HumanStore(store) as opened:
        assert opened.answers("gender")[0].time == datetime(2026, 5, 1, 10, 0, 0, 500_000, UTC)
        assert opened.answers("gender")[0].seconds == 4.2


def test_label_studio_item_is_taken_before_the_image_and_one_question_needs_no_name(
    store, tmp_path
):
    path = _label_studio(tmp_path, [_task([_annotation("male", name="choice")], item="i1")])
    with pytest.raises(DataError, match="answers choice; asked is"):
        human_answers.import_answers(store, path, NOW)
    human_answers.import_answers(store, path, NOW, attribute="gender")
    assert _said(store) == [("i1", "1", "male")]


def test_label_studio_annotation_changed_later_is_a_correction(store, tmp_path):
    first = _annotation("male", unique_id="u1", updated_at="2026-05-01T10:00:00Z")
    human_answers.import_answers(store, _label_studio(tmp_path, [_task([first])]), NOW)
    assert (
        human_answers.import_answers(store, _label_studio(tmp_path, [_task([first])]), NOW).known
        == 1
    )
    second = _annotation("female", unique_id="u1", updated_at="2026-05-02T10:00:00Z")
    assert (
        human_answers.import_answers(store, _label_studio(tmp_path, [_task([second])]), NOW).new
        == 1
    )
    assert [answer for _, _, answer in _said(store)] == ["female"]


def test_label_studio_without_ids_and_times_is_known_again(store, tmp_path):
    bare = {k: v for k, v in _annotation("male").items() if k != "created_at"}
    path = _label_studio(tmp_path, [_task([bare])])
    assert human_answers.import_answers(store, path, TIME).new == 1
    assert human_answers.import_answers(store, path, NOW).known == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[{", "line 1 is not JSON"),
        ('[\n{"data": 3}\n]', "task 1 is no task"),
        (
            '[{"image": "a.jpg", "gender": "male", "annotator": 1}]',
            "task 1 is no task of Label Studio",
        ),
        (
            json.dumps([_task([_annotation(["male", "female"])])]),
            r"task 1 \(id 7\), annotation 1: 'gender' holds",
        ),
        (
            json.dumps([_task([_annotation("male"), _annotation("robot")])]),
            "annotation 2: 'robot' is no answer",
        ),
        (json.dumps([_task([_annotation("male", by=None)])]), "does not say who made it"),
        (
            json.dumps(
                [_task([{**_annotation("male"), "result": _annotation("male")["result"] * 2}])]
            ),
            "twice",
        ),
        (json.dumps([_task([{**_annotation("male"), "result": "male"}])]), "'result' is no list"),
        (json.dumps([_task("male")]), "'annotations' is no list"),
        (json.dumps([_task([])]), "answers nothing"),
        (json.dumps([_task([_annotation("male", created_at="soon")])]), "the time 'soon'"),
        (
            json.dumps([{"data": {"a": "x", "b": "y"}, "annotations": [_annotation("male")]}]),
            "which field names the item: it has a, b",
        ),
    ],
)
def test_label_studio_with_a_fault_is_told_with_its_task_and_nothing_is_imported(
    store, tmp_path, content, told
):
    with pytest.raises(FairleadError, match=told):
        human_answers.import_answers(store, _written(tmp_path, "export.json", content), NOW)
    assert _said(store) == []


# MTurk

_HEAD = '"HITId","AssignmentId","WorkerId","AssignmentStatus","SubmitTime","WorkTimeInSeconds","Input.image_url"'


def _mturk(tmp_path, answers, *rows):
    lines = [f"{_HEAD},{answers},Approve,Reject", *(f"{row},," for row in rows)]
    return _written(tmp_path, "Batch_1_batch_results.csv", "\n".join(lines) + "\n")


def test_mturk_batch_is_read_and_rejected_work_is_not(store, tmp_path):
    path = _mturk(
        tmp_path,
        '"Answer.gender","Answer.comment"',
        'H1,A1,W1,Submitted,"Tue Mar 03 10:15:32 PST 2026",12,u1,female,nice',
        'H1,A2,W2,Approved,"Tue Jun 02 10:15:32 PDT 2026",7,u1,unsure,',
        'H1,A3,W3,Rejected,"Tue Mar 03 10:15:32 PST 2026",1,u1,male,',
        'H2,A4,W1,Submitted,"Tue Mar 03 10:15:32 PST 2026",5,u2,,',
    )
    found = human_answers.import_answers(store, path, NOW)
    assert (found.new, found.skipped) == (2, {"rejected": 1, "no answer": 1})
    assert human_answers.import_answers(store, path, NOW).known == 2
    with HumanStore(store) as opened:
        first, second = opened.answers("gender")
    assert (first.item, first.rater, first.answer, first.seconds) == ("u1", "W1", "female", 12)
    assert (first.time, second.time) == (
        datetime(2026, 3, 3, 18, 15, 32, tzinfo=UTC),
        datetime(2026, 6, 2, 17, 15, 32, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("columns", "cells"),
    [
        ("Answer.gender.label", "Female"),
        ("Answer.gender.female,Answer.gender.male,Answer.gender.unsure", "true,false,false"),
        ("Answer.gender.male,Answer.gender.female", ",on"),
    ],
)
def test_mturk_answers_of_every_widget_are_read(store, tmp_path, columns, cells):
    human_answers.import_answers(
        store,
        _mturk(tmp_path, columns, f"H1,A1,W1,Approved,2026-03-03T10:15:32Z,5,u1,{cells}"),
        NOW,
    )
    assert _said(store) == [("u1", "W1", "female")]


def test_mturk_two_questions_are_two_answers(store, tmp_path):
    human_answers.import_answers(
        store, _mturk(tmp_path, "Answer.gender,Answer.age", "H1,A1,W1,Approved,,5,u1,male,old"), NOW
    )
    assert (_said(store), _said(store, "age")) == ([("u1", "W1", "male")], [("u1", "W1", "old")])


@pytest.mark.parametrize(
    ("columns", "row", "told"),
    [
        ("Answer.gender", "H1,A1,W1,Approved,,5,u1,robot", "line 2: 'robot' is no answer"),
        ("Answer.gender", "H1,A1,W1,Approved,noon,5,u1,male", "line 2: the time 'noon'"),
        (
            "Answer.gender",
            "H1,A1,W1,Approved,Tue Foo 03 10:15:32 PST 2026,5,u1,male",
            "line 2: the time",
        ),
        (
            "Answer.gender",
            "H1,A1,W1,Approved,Tue Feb 30 10:15:32 PST 2026,5,u1,male",
            "line 2: the time",
        ),
        ("Answer.gender", "H1,A1,,Approved,,5,u1,male", "line 2: WorkerId"),
        (
            "Answer.gender.male,Answer.gender.female",
            "H1,A1,W1,Approved,,5,u1,true,true",
            "line 2: 'gender' has 2 answers",
        ),
        ("Answer.mood", "H1,A1,W1,Approved,,5,u1,good", "answers mood; asked is"),
    ],
)
def test_mturk_with_a_fault_is_told_with_its_line_and_nothing_is_imported(
    store, tmp_path, columns, row, told
):
    with pytest.raises(DataError, match=told):
        human_answers.import_answers(store, _mturk(tmp_path, columns, row), NOW)
    assert _said(store) == []


# Round trips

_TEXT = (
    st.text(
        st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=12
    )
    .map(str.strip)
    .filter(lambda text: text and text.isprintable())
)


@st.composite
def panels_of_people(draw):
    pairs = draw(
        st.lists(
            st.tuples(_TEXT, _TEXT, st.sampled_from(["gender", "age"])),
            min_size=1,
            max_size=8,
            unique=True,
        )
    )
    values = {
        "gender": ["female", "male", "unsure", "not-applicable"],
        "age": ["young", "old", "unsure", "not-applicable"],
    }
    return [
        Answer(item, name, rater, draw(st.sampled_from(values[name])), TIME + timedelta(microseconds=draw(st.integers(0, 10**12))),
               draw(st.none() | st.just(f"id-{number}")), 1, draw(st.none() | st.floats(0, 1e6)))
        for number, (item, rater, name) in enumerate(pairs)
    ]  # fmt: skip


def _stores(tmp_path_factory, answers):
    folder = tmp_path_factory.mktemp("trip")
    for name in ("a.db", "b.db"):
        human_tasks.define(folder / name, "gender", TIME, groups=["female", "male"], price=0.05)
        human_tasks.define(folder / name, "age", TIME, groups=["young", "old"])
    with HumanStore(folder / "a.db") as store:
        store.add(answers)
    return folder


def _all(path, **choices):
    with HumanStore(path) as store:
        return sorted(
            (a for name in store.tasks() for a in store.answers(name, **choices)),
            key=lambda a: (a.item, a.rater, a.attribute),
        )


@pytest.mark.parametrize(("form", "name"), FORMS)
@given(answers=panels_of_people())
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_exported_with_names_comes_back_whole(tmp_path_factory, form, name, answers):
    folder = _stores(tmp_path_factory, answers)
    human_answers.export_answers(folder / "a.db", folder / name, form=form, raters=True)
    assert human_answers.import_answers(folder / "b.db", folder / name, NOW).new == len(answers)
    assert _all(folder / "b.db") == _all(folder / "a.db")
    assert human_answers.import_answers(folder / "a.db", folder / name, NOW).new == 0


@pytest.mark.parametrize(("form", "name"), FORMS)
@given(answers=panels_of_people())
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_exported_without_names_comes_back_under_hashes(
    tmp_path_factory, form, name, answers
):
    folder = _stores(tmp_path_factory, answers)
    human_answers.export_answers(folder / "a.db", folder / name, form=form)
    assert human_answers.import_answers(folder / "b.db", folder / name, NOW).new == len(answers)
    assert _all(folder / "b.db") == _all(folder / "a.db", named=False)
    assert human_answers.import_answers(folder / "a.db", folder / name, NOW).new == 0


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_export_holds_no_names_unless_asked(store, tmp_path, form, name):
    with HumanStore(store) as opened:
        opened.add(
            [
                Answer("i1", "gender", "Ann Nobody", "male", TIME, "mturk:3SECRET:gender"),
                Answer("i1", "gender", "Bo", "male", TIME),
            ]
        )
    human_answers.export_answers(store, tmp_path / name, form=form)
    text = (tmp_path / name).read_text()
    assert "Nobody" not in text
    assert "3SECRET" not in text
    human_answers.export_answers(store, tmp_path / name, form=form, raters=True)
    assert "Ann Nobody" in (tmp_path / name).read_text()


def test_export_history_holds_what_was_corrected(store, tmp_path):
    with HumanStore(store) as opened:
        opened.add(
            [
                Answer("i1", "gender", "ann", said, TIME + timedelta(hours=n))
                for n, said in enumerate(["male", "female"])
            ]
        )
    counts = [
        human_answers.export_answers(store, tmp_path / "a.csv", form="answers", history=h)
        for h in (False, True)
    ]
    assert counts == [1, 2]


def test_export_to_a_place_that_is_no_file_leaves_nothing(store, tmp_path):
    with pytest.raises(UsageError):
        human_answers.export_answers(store, tmp_path, form="answers")
    assert sorted(p.suffix for p in tmp_path.iterdir() if not p.name.startswith("labels.db")) == []


def test_work_to_hand_out_carries_the_other_columns(store, tmp_path):
    items = _written(tmp_path, "items.csv", "item,image_url\ni1,u1\ni2,u2\n")
    made = human_work.plan(store, "gender", items=items)
    human_work.write_work(store, made, tmp_path / "work.csv", items)
    human_work.write_work(store, made, tmp_path / "work.json", items)
    with (tmp_path / "work.csv").open() as file:
        assert {(row["item"], row["image_url"]) for row in csv.DictReader(file)} == {
            ("i1", "u1"),
            ("i2", "u2"),
        }
    assert {
        task["data"]["image_url"] for task in json.loads((tmp_path / "work.json").read_text())
    } == {"u1", "u2"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("item\na\na\n", "line 3: the item 'a' stands there twice"),
        ("item,x\n,1\n", "line 2: the item is empty"),
    ],
)
def test_table_of_items_with_a_fault_is_told(store, tmp_path, text, told):
    with pytest.raises(DataError, match=told):
        human_work.plan(store, "gender", items=_written(tmp_path, "items.csv", text))
