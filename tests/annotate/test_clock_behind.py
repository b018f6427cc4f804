"""The order of answers does not hang on the clock: one that is given now comes last, also where the
clock was put back; nothing is forgotten by a clock that cannot be right.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.cli.main import main
from fairlead.engine.human import answers as human
from fairlead.engine.human import tasks
from fairlead.errors import UsageError
from fairlead.store.human import HumanStore
from fairlead.store.human_file import _SCHEMA
from fairlead.types.answers import Answer, Answers, Task

TIME = datetime(2026, 5, 1, 10, tzinfo=UTC)
BACK = TIME - timedelta(days=400)
TASK = Task("gender", ("female", "male"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "labels.db"
    tasks.define(path, "gender", BACK, groups=TASK.groups)
    return path


def imported(store: Path, text: str, now: datetime, name: str = "answers.csv") -> human.Imported:
    file = store.with_name(name)
    file.write_text(text)
    return human.import_answers(store, file, now)


def counted(store: Path) -> list[tuple[str, str, str]]:
    with HumanStore(store) as opened:
        latest = opened.answers("gender")
        history = Answers.of(TASK, opened.answers("gender", history=True))
    said = [(a.item, a.rater, a.answer) for a in latest]
    values = [*TASK.values, "unsure"]
    again = [
        (history.items[i], history.raters[r], values[v])
        for i, r, v in zip(history.item, history.rater, history.value, strict=True)
    ]
    assert sorted(said) == sorted(again), "the status counts what the labels count"
    return said


def table(*answers: str) -> str:
    return "\n".join(["item,attribute,rater,answer", *(f"a,gender,ann,{x}" for x in answers), ""])


def test_correction_after_the_clock_went_back_counts(store):
    imported(store, table("female"), TIME)
    imported(store, table("male"), BACK)
    assert counted(store) == [("a", "ann", "male")]
    imported(store, table("unsure"), BACK + timedelta(days=1))
    assert counted(store) == [("a", "ann", "unsure")]
    with HumanStore(store) as opened:
        assert [a.time for a in opened.answers("gender", history=True)] == [
            TIME,
            BACK,
            BACK + timedelta(days=1),
        ], "the time of an answer is what the clock said"


def test_answer_that_states_a_later_time_still_comes_later(store):
    imported(store, table("female"), TIME)
    imported(store, table("male"), BACK)
    later = (TIME + timedelta(days=9)).isoformat()
    stated = f"item,attribute,rater,answer,time\na,gender,ann,female,{later}\n"
    imported(store, stated, BACK + timedelta(days=2))
    assert counted(store) == [("a", "ann", "female")]


def test_answers_of_files_that_state_times_go_by_these_in_whatever_order_they_come(store):
    stated = "item,attribute,rater,answer,time\na,gender,ann,{},{}\n"
    imported(store, stated.format("male", TIME.isoformat()), TIME + timedelta(days=3))
    imported(store, stated.format("female", BACK.isoformat()), TIME + timedelta(days=4))
    assert counted(store) == [("a", "ann", "male")]


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["ann", "bo"]), st.integers(-900, 900)),
        min_size=1,
        max_size=12,
    )
)
def test_the_last_to_come_counts_whatever_the_clock_does(tmp_path_factory, given_answers):
    path = tmp_path_factory.mktemp("clock") / "labels.db"
    last = {}
    with HumanStore(path, create=True) as opened:
        opened.define(TASK, TIME)
        for number, (item, rater, day) in enumerate(given_answers):
            now, said = TIME + timedelta(days=day), ("female", "male")[number % 2]
            opened.add([Answer(item, "gender", rater, said, now, f"id-{number}")], now=now)
            last[item, rater] = said
    assert {(i, r): a for i, r, a in counted(path)} == last


@pytest.mark.parametrize("form", ["answers", "label-studio"])
def test_order_outlives_an_export_and_an_import(store, tmp_path, form):
    imported(store, table("female"), TIME)
    imported(store, table("male"), BACK)
    out = tmp_path / ("out.csv" if form == "answers" else "out.json")
    human.export_answers(store, out, form=form, raters=True, history=True)
    other = tmp_path / "other.db"
    tasks.define(other, "gender", TIME, groups=TASK.groups)
    human.import_answers(other, out, TIME + timedelta(days=50))
    assert counted(other) == [("a", "ann", "male")]


def test_change_in_label_studio_counts_though_its_clock_is_behind(store, tmp_path):
    imported(store, table("female"), TIME)
    out = tmp_path / "out.json"
    human.export_answers(store, out, form="label-studio", raters=True)
    content = json.loads(out.read_text())
    note = content[0]["annotations"][0]
    note["updated_at"] = BACK.isoformat()
    note["result"][0]["value"]["choices"] = ["male"]
    out.write_text(json.dumps(content))
    human.import_answers(store, out, TIME)
    assert counted(store) == [("a", "ann", "male")]


def test_exports_without_such_a_case_have_no_further_column(store, tmp_path):
    imported(store, table("female"), TIME)
    human.export_answers(store, tmp_path / "out.csv", form="answers")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == (
        "item,attribute,rater,answer,time,id,version,seconds"
    )


def test_file_of_before_is_read_and_goes_by_time_until_something_new_comes(store):
    imported(store, table("female"), TIME)
    old = store.with_name("old.db")
    with sqlite3.connect(old) as raw:
        for statement in _SCHEMA:
            raw.execute(statement.replace(" counts_as TEXT,", ""))
        raw.execute("ATTACH ? AS new", (str(store),))
        mark = raw.execute("PRAGMA new.application_id").fetchone()[0]
        raw.execute(f"PRAGMA application_id = {mark}")
        raw.execute("INSERT INTO schema SELECT * FROM new.schema")
        raw.execute("INSERT INTO task SELECT * FROM new.task")
        columns = "seq, id, alias, attribute, item, rater, answer, version, time, seconds"
        raw.execute(f"INSERT INTO answer SELECT {columns} FROM new.answer")
    raw.close()
    assert counted(old) == [("a", "ann", "female")]
    imported(old, table("male"), BACK)
    assert counted(old) == [("a", "ann", "male")]


# Forgetting


@pytest.mark.parametrize("choice", [{"expired": True}, {"days": 30}])
def test_nothing_is_forgotten_by_a_clock_behind_the_newest_answer(store, choice):
    imported(store, table("female"), BACK)
    imported(store, table("male"), TIME)
    tasks.define(store, "gender", BACK, keep=30)
    wrong = TIME - timedelta(days=300)
    with pytest.raises(UsageError, match="one of them is wrong") as told:
        human.forget(store, wrong, **choice)
    assert "--yes" in told.value.hint
    with HumanStore(store) as opened:
        assert opened.age()[0] == 2
    assert human.forget(store, wrong, **choice, yes=True) == 1
    assert human.forget(store, TIME - timedelta(minutes=1), **choice) == 0


def test_forget_at_the_door_needs_yes_where_the_clock_is_behind(store, capsys):
    ahead = datetime.now(UTC) + timedelta(days=900)
    imported(store, table("female"), BACK)
    imported(store, table("male"), ahead)

    def forget(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main(["annotate", "human", "forget", str(store), *words])
        shown = capsys.readouterr()
        return left.value.code, shown.out + shown.err

    code, said = forget("--expired")
    assert code == 2 and "Set the clock right, or say --yes" in said
    assert forget("--expired", "--yes")[0] == 0
    assert counted(store) == [("a", "ann", "male")]
    assert forget("--item", "a")[0] == 0, "what does not go by age needs no clock"
