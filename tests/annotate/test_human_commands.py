"""``fairlead annotate human`` at the door: the whole way, bad input, exit codes, and what is not
written.
"""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from fairlead.cli import annotate
from fairlead.cli.main import cli, main

COMMANDS = ("task", "plan", "import", "export", "status", "forget", "delete")
ANSWERS = "item,attribute,rater,answer\n" + "".join(
    f"i{n},gender,{rater}@example.org,{'female' if n % 3 else 'male'}\n"
    for n in range(12)
    for rater in ("ann", "bo", "cy")
)


def _run(capsys, *words):
    with pytest.raises(SystemExit) as left:
        main(["annotate", "human", *map(str, words)])
    shown = capsys.readouterr()
    return left.value.code, shown.out, shown.err


@pytest.fixture
def store(tmp_path, capsys):
    path = tmp_path / "labels.db"
    (tmp_path / "answers.csv").write_text(ANSWERS)
    assert (
        _run(
            capsys,
            "task",
            path,
            "--attribute",
            "gender",
            "--group",
            "female",
            "--group",
            "male",
            "--price",
            0.05,
        )[0]
        == 0
    )
    return path


def test_the_whole_way_from_task_to_labels(store, tmp_path, capsys):
    run = tmp_path / "run.csv"
    run.write_text("query,item,score\n" + "".join(f"q{n % 2},i{n},{20 - n}\n" for n in range(12)))
    code, out, _ = _run(
        capsys, "plan", store, "--attribute", "gender", "--run", run, "--labels", 9, "--json"
    )
    plan = json.loads(out)
    assert (code, plan["cost"]["labels"], plan["whole"]["money"]) == (
        0,
        9,
        pytest.approx(36 * 0.05),
    )
    code, out, _ = _run(capsys, "import", store, tmp_path / "answers.csv")
    assert (code, out.splitlines()[0]) == (
        0,
        "answers.csv: 36 new answers to gender, 0 there already",
    )
    code, out, _ = _run(capsys, "status", store, "--json")
    (status,) = json.loads(out)["tasks"]
    assert (status["complete"], status["agreement"]["raw"], status["spent"]["money"]) == (
        12,
        1.0,
        pytest.approx(1.8),
    )
    assert "example.org" not in out
    code, out, _ = _run(capsys, "status", store)
    assert "Agreement" in out
    assert "example.org" not in out
    assert "ann@example.org" in _run(capsys, "status", store, "--raters")[1]
    code, out, _ = _run(
        capsys,
        "export",
        store,
        "-o",
        tmp_path / "labels.csv",
        "--format",
        "labels",
        "--aggregate",
        "majority",
    )
    assert (tmp_path / "labels.csv").read_text().splitlines()[:3] == [
        "item,gender",
        "i0,male",
        "i1,female",
    ]
    with pytest.raises(SystemExit) as left:
        main(["check", str(run), "--groups", str(tmp_path / "labels.csv"), "--min-coverage", "1"])
    assert left.value.code == 0


def test_import_makes_the_task_where_it_is_told_the_groups(tmp_path, capsys):
    (tmp_path / "answers.csv").write_text(ANSWERS)
    new = tmp_path / "new.db"
    code, _, err = _run(capsys, "import", new, tmp_path / "answers.csv", "--attribute", "gender")
    assert (code, "There is no file" in err) == (2, True)
    groups = ("--group", "female", "--group", "male")
    assert _run(capsys, "import", new, tmp_path / "answers.csv", *groups)[0] == 2
    assert not new.exists()
    assert (
        _run(capsys, "import", new, tmp_path / "answers.csv", "--attribute", "gender", *groups)[0]
        == 0
    )
    assert json.loads(_run(capsys, "status", new, "--json")[1])["tasks"][0]["answers"] == 36


def test_import_of_a_bad_file_makes_no_task_and_no_store(tmp_path, capsys):
    (tmp_path / "answers.csv").write_text(ANSWERS + "i1,gender,di,robot\n")
    code, out, _ = _run(
        capsys,
        "import",
        tmp_path / "new.db",
        tmp_path / "answers.csv",
        "--attribute",
        "gender",
        "--group",
        "female",
        "--group",
        "male",
        "--json",
    )
    assert (code, json.loads(out)["error"]["kind"]) == (4, "data")
    assert "line 38" in json.loads(out)["error"]["message"]
    assert not (tmp_path / "new.db").exists()


def test_task_changed_keeps_what_is_not_told(store, tmp_path, capsys):
    (tmp_path / "how.txt").write_text("Look at the person in the middle.\n")
    code, out, _ = _run(
        capsys,
        "task",
        store,
        "--attribute",
        "gender",
        "--instructions",
        tmp_path / "how.txt",
        "--json",
    )
    task = json.loads(out)
    assert (code, task["version"], task["price"], task["groups"]) == (
        0,
        2,
        0.05,
        ["female", "male"],
    )
    assert task["instructions"] == "Look at the person in the middle."


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (
            ("task", "{store}", "--attribute", "gender", "--group", "f", "--group", "m"),
            2,
            "answers were given under them",
        ),
        (("task", "{new}", "--attribute", "gender", "--group", "f"), 2, "two or more"),
        (
            ("task", "{store}", "--attribute", "age", "--group", "a", "--group", "unsure"),
            2,
            "every task has",
        ),
        (
            ("task", "{store}", "--attribute", "gender", "--instructions", "{new}"),
            2,
            "There is no file",
        ),
        (("status", "{new}"), 2, "There is no file"),
        (("status", "{answers}"), 4, "no database of human labels"),
        (
            ("plan", "{store}", "--attribute", "gendr", "--items", "{answers}"),
            2,
            "Did you mean gender",
        ),
        (("plan", "{store}", "--attribute", "gender"), 2, "nothing to choose from"),
        (
            (
                "plan",
                "{store}",
                "--attribute",
                "gender",
                "--run",
                "{answers}",
                "--items",
                "{answers}",
            ),
            2,
            "Give one",
        ),
        (("import", "{store}", "{new}"), 2, "There is no file"),
        (("import", "{store}", "{answers}", "--attribute", "age"), 2, "no task called 'age'"),
        (("export", "{store}", "-o", "{store}"), 2, "it would be lost"),
        (("export", "{store}", "-o", "{new}", "--attribute", "age"), 2, "no task 'age'"),
        (
            ("export", "{store}", "-o", "{new}", "--format", "labels", "--aggregate", "mean"),
            2,
            "no aggregation called",
        ),
        (("delete", "{store}", "--rater", "ann"), 2, "Say --yes"),
        (("delete", "{store}", "--yes"), 2, "Say whose answers"),
        (("delete", "{store}", "--yes", "--rater", "ann", "--item", "i1"), 2, "Give one of"),
    ],
)
def test_bad_requests_are_told_and_change_nothing(store, tmp_path, capsys, words, code, told):
    places = {"store": store, "new": tmp_path / "new.csv", "answers": tmp_path / "answers.csv"}
    before = sorted(p.name for p in tmp_path.iterdir())
    found, _, err = _run(capsys, *(w.format(**places) for w in words))
    assert found == code
    assert told in err
    assert "Traceback" not in err
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert (
        json.loads(_run(capsys, "status", store, "--json")[1])["tasks"][0]["task"]["version"] == 1
    )


def test_delete_removes_a_rater_and_says_how_much(store, tmp_path, capsys):
    _run(capsys, "import", store, tmp_path / "answers.csv")
    code, out, _ = _run(capsys, "delete", store, "--rater", "ann@example.org", "--yes")
    assert (code, out.strip()) == (0, f"Removed from {store}: 12 answers")
    assert b"ann@example.org" not in store.read_bytes()
    assert (
        _run(capsys, "delete", store, "--older-than", "1", "--yes")[1]
        .strip()
        .endswith(": 0 answers")
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_has_an_example(name):
    done = CliRunner().invoke(cli, ["annotate", "human", name, "--help"])
    assert done.exit_code == 0
    assert f"fairlead annotate human {name} " in done.output


def test_help_loads_nothing_heavy():
    code = "import sys; from fairlead.cli.main import cli; cli.main({}, standalone_mode=False); print(*sys.modules)"
    words = ["annotate", "human", "--help"]
    done = subprocess.run(
        [sys.executable, "-c", code.format(words)], capture_output=True, text=True, check=True
    )
    assert not {"rich", "pyarrow", "sqlite3", "pydantic"} & set(done.stdout.split())


def test_no_command_shows_the_help(capsys):
    with pytest.raises(SystemExit) as left:
        main(["annotate"])
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("Usage: fairlead annotate")


def test_a_word_that_is_no_command_is_a_collection_once_there_is_such_a_command(monkeypatch):
    seen = []

    @click.command()
    @click.argument("collection")
    @click.option("--with", "spec")
    def plain(collection, spec):
        seen.append((collection, spec))

    module = type(sys)("fairlead.cli.plain_for_a_test")
    module.command = plain
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(
        annotate.command.table, "collection", ("plain_for_a_test", "Label a collection.")
    )
    for words in (["photos", "--with", "table:x.csv"], ["--with", "table:x.csv", "photos"]):
        assert CliRunner().invoke(cli, ["annotate", *words]).exit_code == 0
    assert seen == [("photos", "table:x.csv")] * 2
    assert CliRunner().invoke(cli, ["annotate", "human", "--help"]).exit_code == 0
    monkeypatch.undo()
    with pytest.raises(
        click.UsageError, match="Missing parameter: annotator"
    ):  # the collection's own command asks for its --with
        cli.main(["annotate", "photos"], standalone_mode=False)
