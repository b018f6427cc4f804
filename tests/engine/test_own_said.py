"""What is said of data of one's own, and of lists that a mitigation could not or must not change."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fairlead
from fairlead.cli.main import main
from fairlead.commands.audit import audit, save_audit
from fairlead.commands.replay import replay
from fairlead.commands.rerank import rerank
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.store.queries import read_queries

MODEL = "phantom(dose=1)"


@pytest.fixture(scope="module")
def world() -> Any:
    return registry.make("benchmark", "phantom(seeds=2)").study().collection


@pytest.fixture
def files(world: Any, tmp_path: Path) -> Path:
    """A collection, two queries and labels of which one in ten is missing."""
    gender = world.groups["gender"]
    labels = [
        [name, gender.names[code]] for name, code in zip(world.ids, gender.codes, strict=True)
    ]
    for row in labels[::10]:
        row[1] = ""
    asked = [["q1", "a photo of a nurse"], ["q2", "a photo of a female judge"]]
    write(tmp_path / "collection.csv", ["id", "image"], zip(world.ids, world.images, strict=True))
    write(tmp_path / "labels.csv", ["item", "gender"], labels)
    write(tmp_path / "queries.csv", ["query", "text"], asked)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def command(*words: Any) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return command


def write(path: Path, header: list[str], rows: Any) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def own(files: Path) -> dict[str, Any]:
    names = {"collection": "collection", "queries": "queries", "groups": "labels"}
    return {field: files / f"{name}.csv" for field, name in names.items()}


def flags(files: Path) -> list[Any]:
    return [word for name, path in own(files).items() for word in (f"--{name}", path)]


def test_queries_in_a_column_that_is_nearly_called_text_are_refused(tmp_path):
    write(tmp_path / "queries.csv", ["query", "txt"], [["a", "a boy jumping"]])
    with pytest.raises(DataError, match="no column 'text', but one called 'txt'"):
        read_queries(tmp_path / "queries.csv")
    write(tmp_path / "queries.csv", ["query", "context"], [["a boy jumping", "sport"]])
    assert read_queries(tmp_path / "queries.csv").texts == ("a boy jumping",)


def test_check_counts_what_there_is_and_fails_below_a_coverage(files, run):
    code, out, _ = run("check", *flags(files), "--json")
    found = json.loads(out)
    assert code == 0
    assert found["holds"] == {"items": 448, "queries": 2}
    assert found["coverage"]["gender"]["unknown"] == pytest.approx(45 / 448)
    code, _, err = run("check", *flags(files), "--min-coverage", "0.95")
    assert code == 1
    assert "gender" in err
    assert run("check", *flags(files), "--min-coverage", "0.85")[0] == 0


def test_check_goes_by_the_names_that_a_map_gives(files, run):
    text = (files / "labels.csv").read_text()
    (files / "labels.csv").write_text(text.replace(",female", ",woman").replace(",male", ",man"))
    shares = [["*", "gender", "female", 0.5], ["*", "gender", "male", 0.5]]
    write(files / "target.csv", ["query", "attribute", "group", "share"], shares)
    command = ["check", *flags(files), "--target", files / "target.csv"]
    assert run(*command)[0] == 1
    assert run(*command, "--map", "woman=female", "--map", "man=male")[0] == 0
    code, _, err = run("audit", "--model", MODEL, *flags(files), "--target", files / "target.csv")
    assert code == 2
    assert "--map man=female" in err


def test_audit_of_own_data_measures_as_deep_as_it_shows(files):
    found = audit(MODEL, k=7, **own(files))
    assert {row.k for row in found.result.rows} == {7}
    assert {row.source for row in found.result.rows} == {"labels.csv"}
    assert {"queries", "groups"} <= found.result.manifest["inputs"].keys()
    assert audit(MODEL, "phantom:skewed", k=7, attribute="gender").result.rows[0].k != 7


def test_audit_says_which_lists_stay_and_how_little_is_known(files):
    few = files / "few.csv"
    few.write_text("\n".join((files / "labels.csv").read_text().split("\n")[:60]) + "\n")
    found = audit(MODEL, mitigate="detgreedy", mitigate_groups=few, k=10, **own(files))
    notes = found.result.manifest["warnings"]
    assert any("1 of 2 lists" in one and "'q2'" in one for one in notes), notes
    assert any("The labels that mitigate know" in one for one in notes)
    plain = audit(MODEL, k=10, **own(files)).result.manifest["warnings"]
    assert not any("stay" in one or "labels that mitigate know" in one for one in plain)


def test_groups_that_differ_in_case_alone_are_told_by_audits_too(files):
    text = (files / "labels.csv").read_text()
    (files / "labels.csv").write_text(text.replace(",female", ",Female", 3))
    notes = audit(MODEL, k=10, **own(files)).result.manifest["warnings"]
    assert any("differ in case only: Female, female" in one for one in notes)


def test_a_benchmark_beside_data_of_ones_own_is_refused(files):
    with pytest.raises(UsageError, match="of its own"):
        audit(MODEL, "phantom:skewed", **own(files))


def test_replay_says_which_file_has_changed(files):
    save_audit(audit(MODEL, k=10, **own(files)), files / "run")
    same = replay(files / "run")
    assert not any("Changed since" in one for one in same.result.manifest["warnings"])
    with (files / "labels.csv").open("a") as file:
        file.write("stranger,female\n")
    again = replay(files / "run")
    assert any(
        "Changed since the run was saved: labels.csv" in one
        for one in again.result.manifest["warnings"]
    )


def test_answers_carry_the_ids_of_queries_that_ask_the_same(files, run):
    write(files / "queries.csv", ["query", "text"], [["x1", "a nurse"], ["x2", "a nurse"]])
    words = ["search", "--model", MODEL, "--collection", files / "collection.csv"]
    code, out, _ = run(*words, "--queries", files / "queries.csv", "-k", "3", "--json")
    assert code == 0
    assert [one["id"] for one in json.loads(out)["results"]] == ["x1", "x2"]


def test_target_that_leaves_a_group_out_is_refused_for_lists_that_would_change_alone():
    lists = {"Marie Curie": {"a": 2.0, "b": 1.0}}
    labels = {"a": {"gender": "male"}, "b": {"gender": "female"}}
    target = {"female": 0.001, "male": 0.999}
    found = rerank(lists, labels, mitigate="detgreedy", k=2, target=target)
    assert found.decisions[0].decision == "leave"
    with pytest.raises(UsageError, match="leave a group out"):
        rerank({"nurse": lists["Marie Curie"]}, labels, mitigate="detgreedy", k=2, target=target)


def test_lists_of_which_nobody_is_labelled_stay_under_a_stated_target():
    found = fairlead.rerank(
        {"nurse": {"a": 2.0, "b": 1.0}},
        {"a": {"gender": None}, "b": {"gender": None}},
        mitigate="detgreedy", k=2, target={"gender": {"female": 0.5, "male": 0.5}},
    )  # fmt: skip
    assert found.ranking.rows.tolist() == [0, 1]
    assert found.decisions[0].decision == "leave"
