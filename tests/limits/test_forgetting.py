"""Forgetting: what is forgotten leaves no byte in the file or its log; how long answers are kept is
noted, and told.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from fairlead.cli.main import main
from fairlead.commands import annotate as annotating
from fairlead.engine.human import answers as human_answers
from fairlead.engine.human import tasks as human_tasks
from fairlead.errors import BackendError, UsageError
from fairlead.store.human import HumanStore
from fairlead.types.answers import Answer, content_id

TIME = datetime(2030, 6, 1, tzinfo=UTC)
RATERS = ("anneliese-k", "bohumil-v", "cyprian-w")


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "labels.db"
    human_tasks.define(
        path, "gender", TIME - timedelta(days=500), groups=("female", "male"), keep=400
    )
    answers = [
        Answer(
            f"picture-{n:03}.jpg",
            "gender",
            rater,
            "female" if n % 2 else "male",
            TIME - timedelta(days=n),
            id=f"note-{n:03}-{rater}",
        )
        for n in range(120)
        for rater in RATERS
    ]
    with HumanStore(path) as opened:
        opened.add(answers)
        opened.ask("gender", [f"picture-{n:03}.jpg" for n in range(120)], TIME)
    return path


def _bytes(path):
    """Everything on disk: the file, and what SQLite keeps beside it."""
    return b"".join(part.read_bytes() for part in sorted(path.parent.glob(path.name + "*")))


def _run(capsys, *words):
    with pytest.raises(SystemExit) as left:
        main(["annotate", "human", *map(str, words)])
    shown = capsys.readouterr()
    return left.value.code, shown.out, shown.err


@pytest.mark.parametrize(
    ("words", "gone", "count"),
    [
        (("--item", "picture-007.jpg"), [b"picture-007", b"note-007"], 3),
        (("--rater", "bohumil-v"), [b"bohumil-v"], 120),
    ],
)
def test_forget_leaves_no_byte_behind(store, capsys, words, gone, count):
    assert all(part in _bytes(store) for part in gone)
    code, out, _ = _run(capsys, "forget", store, *words, "--json")
    assert (code, json.loads(out)) == (0, {"forgotten": count})
    assert not any(part in _bytes(store) for part in gone)
    assert b"picture-011" in _bytes(store)


def test_forget_what_is_too_old_leaves_no_byte_of_the_answers(store):
    assert human_answers.forget(store, TIME, days=100) == 3 * 19
    assert not any(
        f"note-{n}-{rater}".encode() in _bytes(store) for n in range(101, 120) for rater in RATERS
    )
    assert f"note-100-{RATERS[0]}".encode() in _bytes(store)


def test_forget_with_a_long_log_and_large_pages_leaves_no_byte_behind(tmp_path):
    path, secret = tmp_path / "labels.db", "x-" + "marker" * 150
    human_tasks.define(path, "gender", TIME, groups=("female", "male"))
    with HumanStore(path) as opened:
        for n in range(40):
            opened.add([Answer(secret if n % 2 else f"i{n}", "gender", f"r{n}", "female", TIME)])
        opened.remove(TIME, item=secret)
        opened.add([Answer(f"later{n}", "gender", "ann", "male", TIME) for n in range(50)])
        opened.vacuum()
        assert b"marker" not in _bytes(path)
        given = Answer(secret, "gender", "r1", "female", TIME)
        assert content_id(given).encode() not in _bytes(path)


def test_forget_while_another_process_reads_the_log_is_told(store):
    reader = sqlite3.connect(store)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM answer").fetchone()
    with HumanStore(store, wait=0.2) as opened:
        opened.remove(TIME, item="picture-007.jpg")
        with pytest.raises(BackendError, match=r"another process|locked"):
            opened.vacuum()
    reader.close()
    assert human_answers.forget(store, TIME, item="picture-007.jpg") == 0
    assert b"picture-007" not in _bytes(store)


@pytest.mark.parametrize(
    "words",
    [(), ("--item", "a", "--rater", "b"), ("--expired", "--item", "a"), ("--older-than", "-1")],
)
def test_forget_of_nothing_or_of_two_things_is_refused(store, capsys, words):
    assert _run(capsys, "forget", store, *words)[0] == 2
    with HumanStore(store) as opened:
        assert opened.age()[0] == 360


def test_status_tells_how_long_answers_are_kept_and_what_is_too_old(store, capsys):
    code, out, _ = _run(capsys, "status", store, "--json")
    assert (code, json.loads(out)["kept"]["days"]) == (0, 400)
    assert human_tasks.retention(store, TIME) == human_tasks.Retention(
        400, 360, TIME - timedelta(days=119), 0
    )
    human_tasks.define(store, "gender", TIME, keep=30)
    assert human_tasks.retention(store, TIME).expired == 3 * 89
    human_tasks.define(store, "gender", datetime.now(UTC) + timedelta(days=1), keep=0)
    assert "without end" in _run(capsys, "status", store)[1]
    with pytest.raises(UsageError, match="notes no time"):
        human_answers.forget(store, TIME, expired=True)


def test_forget_what_is_past_its_time(store):
    human_tasks.define(store, "gender", TIME, keep=30)
    assert human_answers.forget(store, TIME, expired=True) == 3 * 89
    assert human_tasks.retention(store, TIME).expired == 0


def test_file_is_made_with_a_year_and_one_of_before_says_that_nothing_is_noted(tmp_path, capsys):
    path = tmp_path / "labels.db"
    _run(capsys, "task", path, "--attribute", "gender", "--group", "f", "--group", "m")
    assert human_tasks.retention(path, TIME).days == 365
    assert "kept for 365 days; none is older" in _run(capsys, "status", path)[1]
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TABLE keeping")
    raw.close()
    assert human_tasks.retention(path, TIME).days is None
    assert "Nothing is noted" in _run(capsys, "status", path)[1]
    human_tasks.define(path, "gender", TIME, keep=90)
    assert human_tasks.retention(path, TIME).days == 90


def test_export_says_beside_the_labels_who_gave_them_when_and_for_how_long(store, tmp_path, capsys):
    out = tmp_path / "out.csv"
    code, _, err = _run(capsys, "export", store, "-o", out, "--format", "labels")
    about = json.loads((tmp_path / "out.csv.about.json").read_text())
    assert code == 0 and "says of single items" in err
    assert about["sources"] == {"gender": "human(3 raters, dawid-skene)"}
    assert (about["file"], about["items"], about["keep_days"]) == ("out.csv", 120, 400)
    assert datetime.fromisoformat(about["made"]).tzinfo is not None
    assert "never identity" in about["means"]


def test_annotate_says_beside_the_labels_who_gave_them_and_when(tmp_path):
    (tmp_path / "photos.csv").write_text("item,caption\np1,A woman\np2,A man\n")
    annotating.annotate(tmp_path / "photos.csv", "caption", "gender").write(tmp_path / "labels.csv")
    about = json.loads((tmp_path / "labels.csv.about.json").read_text())
    assert (about["sources"], about["labels"]) == ({"gender": "caption"}, 2)
