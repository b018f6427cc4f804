"""The store of human labels: what is kept, what counts, what is refused, several processes at once."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from fairlead.errors import BackendError, DataError, UsageError
from fairlead.store.human import HumanStore
from fairlead.store.human_file import APPLICATION
from fairlead.types.answers import NOT_APPLICABLE, UNSURE, Answer, Task

TIME = datetime(2026, 5, 1, 10, tzinfo=UTC)
TASK = Task("gender", ("female", "male"), "Who is in the picture?", price=0.05, seconds=8)


@pytest.fixture
def store(tmp_path):
    with HumanStore(tmp_path / "labels.db", create=True) as made:
        made.define(TASK, TIME)
        yield made


def _answer(item="a", rater="ann", answer="female", *, at=0, **rest):
    return Answer(item, "gender", rater, answer, TIME + timedelta(seconds=at), **rest)


# Answers


def test_answer_added_comes_back_whole(store):
    given = _answer(id="x1", seconds=4.5)
    assert store.add([given]) == store.add([]).__class__(1, 0)
    assert store.answers("gender") == [replace(given, version=1)]


def test_answer_in_another_zone_is_the_same_time(store):
    store.add([replace(_answer(), time=TIME.astimezone(timezone(timedelta(hours=9))))])
    assert store.answers("gender")[0].time == TIME


def test_answer_given_twice_with_its_id_counts_once(store):
    assert store.add([_answer(id="x1")]).new == 1
    again = store.add([_answer(id="x1", at=60), _answer(id="x1")])
    assert (again.new, again.known) == (0, 2)
    assert len(store.answers("gender", history=True)) == 1


def test_answer_without_an_id_is_known_by_its_content(store):
    assert store.add([_answer(), _answer()]).new == 1
    assert store.add([_answer(), _answer(at=1)]).new == 1


@pytest.mark.parametrize("change", [{"answer": "male"}, {"item": "b"}, {"rater": "bo"}])
def test_answer_with_the_id_of_another_is_refused_and_nothing_is_added(store, change):
    store.add([_answer(id="x1")])
    with pytest.raises(DataError, match="used for another answer"):
        store.add([_answer("c", id="x2"), replace(_answer(id="x1"), **change)])
    assert len(store.answers("gender", history=True)) == 1


def test_correction_is_a_new_row_and_the_latest_counts(store):
    store.add([_answer(answer="female"), _answer(answer="male", at=1), _answer(rater="bo")])
    assert [(a.rater, a.answer) for a in store.answers("gender")] == [
        ("ann", "male"),
        ("bo", "female"),
    ]
    assert [a.answer for a in store.answers("gender", history=True)] == ["female", "male", "female"]


def test_correction_that_arrives_before_what_it_corrects_still_counts(store):
    store.add([_answer(answer="male", at=5)])
    store.add([_answer(answer="female", at=1)])
    assert [a.answer for a in store.answers("gender")] == ["male"]


def test_corrections_of_one_moment_the_last_to_arrive_counts(store):
    store.add(
        [
            _answer(answer="male", id="1"),
            _answer(answer=UNSURE, id="2"),
            _answer(answer=NOT_APPLICABLE, id="3"),
        ]
    )
    assert [a.answer for a in store.answers("gender")] == [NOT_APPLICABLE]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Female", "female"),
        ("not applicable", NOT_APPLICABLE),
        ("N/A", NOT_APPLICABLE),
        ("Unsure", UNSURE),
    ],
)
def test_answer_spelled_otherwise_is_kept_as_the_task_spells_it(store, said, kept):
    store.add([_answer(answer=said)])
    assert store.answers("gender")[0].answer == kept


def test_answer_the_task_does_not_have_is_refused_with_the_nearest(store):
    with pytest.raises(DataError, match="femal") as error:
        store.add([_answer("b"), _answer(answer="femal")])
    assert "female" in error.value.hint
    assert store.answers("gender") == []


def test_answer_to_no_task_or_no_version_is_refused(store):
    with pytest.raises(UsageError, match="no task 'age'"):
        store.add([replace(_answer(), attribute="age")])
    with pytest.raises(DataError, match="no version 2"):
        store.add([_answer(version=2)])


@pytest.mark.parametrize(
    "change",
    [{"item": ""}, {"item": " a"}, {"rater": "a\nb"}, {"id": "x" * 1001}, {"seconds": -1.0}],
)
def test_answer_with_a_value_that_is_none_is_refused(change):
    with pytest.raises(DataError):
        replace(_answer(), **change)


def test_answer_without_a_zone_is_refused():
    with pytest.raises(DataError, match="zone"):
        replace(_answer(), time=datetime(2026, 5, 1))


# Tasks and what is asked


def test_task_unchanged_stays_and_changed_gets_a_new_version(store):
    assert store.define(TASK, TIME).version == 1
    assert store.define(replace(TASK, instructions="Look again."), TIME).version == 2
    store.add([_answer(), _answer("b", version=1)])
    assert [a.version for a in store.answers("gender")] == [2, 1]
    assert {v: t.instructions for v, t in store.versions("gender").items()} == {
        1: "Who is in the picture?",
        2: "Look again.",
    }


def test_task_groups_may_be_added_never_taken_away(store):
    assert store.define(replace(TASK, groups=("female", "male", "androgynous")), TIME).version == 2
    for groups in (("female", "male"), ("male", "female", "androgynous")):
        with pytest.raises(UsageError, match="answers were given"):
            store.define(replace(TASK, groups=groups), TIME)


@pytest.mark.parametrize(
    "groups",
    [(), ("a",), ("a", "A"), ("a", "unsure"), ("a", "Not applicable"), ("a", "n/a"), ("a", "")],
)
def test_task_with_groups_that_are_none_is_refused(groups):
    with pytest.raises((UsageError, DataError)):
        Task("gender", groups)


def test_queue_keeps_its_order_and_takes_an_item_once(store):
    assert store.ask("gender", ["b", "a", "b"], TIME) == 2
    assert store.ask("gender", ["a", "c"], TIME) == 1
    assert store.asked("gender") == ("b", "a", "c")


# Names


def test_raters_unnamed_are_hashed_with_the_secret_of_the_file(store, tmp_path):
    store.add([_answer(id="mturk:3ABC:gender"), _answer("b", "bo")])
    told = store.answers("gender", named=False)
    assert "ann" not in repr(told)
    assert "3ABC" not in repr(told)
    assert [a.rater for a in told] == [store.pseudonym("ann"), store.pseudonym("bo")]
    with HumanStore(tmp_path / "other.db", create=True) as other:
        assert other.pseudonym("ann") != store.pseudonym("ann")
        assert other.pseudonym(store.pseudonym("ann")) == store.pseudonym("ann")


def test_unnamed_answers_given_back_are_known_and_corrections_find_their_rater(store):
    store.add([_answer(id="x1"), _answer(rater="bo")])
    told = store.answers("gender", named=False)
    assert store.add(told).new == 0
    assert (
        store.add([replace(told[0], id=None, answer="male", time=TIME + timedelta(days=1))]).new
        == 1
    )
    assert [(a.rater, a.answer) for a in store.answers("gender")] == [
        ("bo", "female"),
        ("ann", "male"),
    ]


# Removal


def test_removal_by_rater_by_item_and_by_age_takes_that_and_nothing_else(store):
    store.ask("gender", ["a", "b", "c"], TIME)
    store.add([_answer(i, r, at=60 * n) for n, i in enumerate("abc") for r in ("ann", "bo")])
    assert store.remove(TIME, rater="ann") == 3
    assert store.remove(TIME, item="b") == 1
    assert store.asked("gender") == ("a", "c")
    assert store.remove(TIME, before=TIME + timedelta(seconds=1)) == 1
    assert [(a.item, a.rater) for a in store.answers("gender", history=True)] == [("c", "bo")]
    assert [(r.by, r.answers) for r in store.removals()] == [
        ("rater", 3),
        ("item", 1),
        ("before", 1),
    ]


def test_removal_by_pseudonym_and_of_nobody(store):
    store.add([_answer()])
    assert store.remove(TIME, rater="bo") == 0
    assert store.remove(TIME, rater=store.pseudonym("ann")) == 1


@pytest.mark.parametrize("by", [{}, {"rater": "ann", "item": "a"}])
def test_removal_of_everything_by_accident_is_refused(store, by):
    with pytest.raises(UsageError, match="whose"):
        store.remove(TIME, **by)


def test_removal_leaves_no_trace_in_the_files(store, tmp_path):
    store.add([_answer(f"item{n}", "somebody-by-name", seconds=n) for n in range(200)])
    store.remove(TIME, rater="somebody-by-name")
    store.vacuum()
    assert not [p.name for p in tmp_path.iterdir() if b"somebody-by-name" in p.read_bytes()]


def test_answers_are_append_only_even_for_other_programs(store):
    store.add([_answer()])
    with sqlite3.connect(store.path) as raw:
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            raw.execute("UPDATE answer SET answer = 'male'")
        with pytest.raises(sqlite3.IntegrityError, match="on request"):
            raw.execute("DELETE FROM answer")
    raw.close()
    assert len(store.answers("gender")) == 1


# Files


def test_file_is_written_ahead_and_synchronous(store):
    assert store._rows("PRAGMA journal_mode") == [("wal",)]
    assert store._rows("PRAGMA synchronous") == [(2,)]


def test_file_missing_or_a_folder_is_told(tmp_path):
    with pytest.raises(UsageError, match="There is no file"):
        HumanStore(tmp_path / "none.db")
    with pytest.raises(UsageError, match="not a file"):
        HumanStore(tmp_path, create=True)


@pytest.mark.parametrize("content", [b"item,rater\na,b\n", b"x" * 5000, b"\x00" * 200])
def test_file_of_something_else_is_told_and_left_alone(tmp_path, content):
    path = tmp_path / "labels.db"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"labels\.db is no database"):
        HumanStore(path, create=True)
    assert path.read_bytes() == content


def test_file_of_another_program_is_told_and_left_alone(tmp_path):
    path = tmp_path / "labels.db"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE answer (id TEXT)")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(DataError, match="something else"):
        HumanStore(path, create=True)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["labels.db"]


def test_file_of_a_newer_program_is_told(tmp_path):
    path = tmp_path / "labels.db"
    HumanStore(path, create=True).close()
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        raw.execute("UPDATE schema SET version = 99")
    raw.close()
    with pytest.raises(DataError, match="version 99"):
        HumanStore(path)


def test_file_left_empty_by_a_killed_process_is_made_anew(tmp_path):
    path = tmp_path / "labels.db"
    path.touch()
    with HumanStore(path) as store:
        assert store.tasks() == {}


def test_file_locked_by_another_process_is_told_after_the_wait(store):
    with sqlite3.connect(store.path, isolation_level=None) as raw:
        raw.execute("BEGIN IMMEDIATE")
        with (
            HumanStore(store.path, wait=0.1) as other,
            pytest.raises(BackendError, match=r"locked: another process .* 0\.1 s"),
        ):
            other.add([_answer()])
        raw.execute("ROLLBACK")
    raw.close()
    assert store.add([_answer()]).new == 1


_OPEN = """
import os, sys
from fairlead.errors import UsageError
from fairlead.store.human import HumanStore
if os.geteuid() == 0:  # root may write anywhere
    os.setgid(65534)
    os.setuid(65534)
try:
    HumanStore(sys.argv[1], create=True)
except UsageError as error:
    print(error)
"""


@pytest.mark.parametrize("what", ["folder", "file"])
def test_file_in_a_place_that_cannot_be_written_is_told(what):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "kept"
        folder.mkdir()
        path = folder / "labels.db"
        if what == "file":
            HumanStore(path, create=True).close()
            path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
        Path(name).chmod(0o755)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", _OPEN, str(path)], capture_output=True, text=True, check=False
        )
        folder.chmod(0o755)
    assert "labels.db cannot be" in done.stdout, done.stderr


# Several at once


def _many(path: Path, rater: str, count: int) -> int:
    with HumanStore(path) as store:
        return sum(
            store.add([_answer(f"i{n}", rater, id=f"{rater}-{n}")]).new for n in range(count)
        )


def test_several_writers_at_once_lose_nothing(store):
    with ThreadPoolExecutor(4) as pool:
        new = list(pool.map(lambda rater: _many(store.path, rater, 30), ["ann", "bo", "cy", "di"]))
    assert new == [30] * 4
    assert len(store.answers("gender")) == 120


def test_readers_see_a_batch_whole_or_not_at_all(store):
    with HumanStore(store.path) as reader, ThreadPoolExecutor(1) as pool:
        writing = pool.submit(lambda: [_batch(store.path, n) for n in range(30)])
        sizes = set()
        while not writing.done():
            sizes.add(len(reader.answers("gender")))
        writing.result()
    assert all(size % 10 == 0 for size in sizes)


def _batch(path: Path, number: int) -> None:
    with HumanStore(path) as store:
        store.add([_answer(f"i{number}-{part}") for part in range(10)])
