"""Where results go: a page, a JSON file, a folder, a ranking; whole or not at all."""

from __future__ import annotations

import csv
import json

import pytest

import fairlead
from fairlead.report.saving import save_ranking, save_score

SCORE = ["score", "run.csv", "--groups", "labels.csv", "--metric", "AbsBias@2"]
RERANK = ["rerank", "run.csv", "--groups", "labels.csv", "--mitigate", "pbm", "-k", "2"]


def test_score_to_json_is_what_the_command_prints(desk, door):
    folder = desk()
    printed = door(*SCORE, "--json", "-o", "result.json")
    assert printed.code == 0
    assert json.loads((folder / "result.json").read_text()) == printed.json


def test_score_to_a_file_in_a_folder_that_is_not_there_names_it_and_makes_nothing(desk, door):
    folder = desk()
    told = door(*SCORE, "-o", "deep/er/result.json")
    assert (
        told.code == 2
        and "There is no folder deep/er" in told.err
        and not (folder / "deep").exists()
    )


def test_score_to_page_is_one_html_file(desk, door):
    folder = desk()
    told = door(*SCORE, "-o", "result.html")
    assert told.code == 0
    assert told.out.endswith("Written to result.html\n")
    assert (folder / "result.html").read_text().startswith("<!doctype html>")
    assert sorted(p.name for p in folder.iterdir()) == [
        "labels.csv",
        "result.html",
        "run.csv",
        "target.csv",
    ]


def test_score_to_folder_holds_everything(desk, door):
    folder = desk()
    answer = door(*SCORE, "--json", "-o", "audit")
    assert sorted(p.name for p in (folder / "audit").iterdir()) == [
        "manifest.json",
        "per_query.csv",
        "report.html",
        "scores.json",
    ]
    assert json.loads((folder / "audit/scores.json").read_text()) == answer.json
    listed = ["manifest.json", "per_query.csv", "report.html", "scores.json"]
    assert json.loads((folder / "audit/manifest.json").read_text()) == answer.json["manifest"] | {
        "files": listed,
        "version": 1,
    }
    with (folder / "audit/per_query.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["query"], float(r["value"])) for r in rows] == [
        (r["query"], r["value"]) for r in answer.json["per_query"]
    ]


def test_score_replaces_its_own_folder_and_never_a_file_of_the_user(desk, door):
    folder = desk()
    assert door(*SCORE, "-o", "audit").code == 0
    assert door(*SCORE, "-o", "audit").code == 0
    (folder / "audit" / "notes.md").write_text("mine")
    (folder / "audit" / "figs").mkdir()
    told = door(*SCORE, "-o", "audit")
    assert (
        told.code == 2
        and "audit holds what fairlead did not write there: figs/, notes.md. Nothing was changed."
        in told.err
    )
    assert (folder / "audit" / "notes.md").read_text() == "mine" and (
        folder / "audit" / "figs"
    ).is_dir()


def test_score_into_the_folder_it_runs_in_is_refused(desk, door):
    folder = desk(manifest__json='{"fairlead": "1", "command": "score", "files": []}')
    before = sorted(p.name for p in folder.iterdir())
    told = door(*SCORE, "-o", ".")
    assert told.code == 2 and "is the folder you are in" in told.err
    assert sorted(p.name for p in folder.iterdir()) == before


def test_score_replaces_an_earlier_page(desk, door):
    folder = desk(result__html="old")
    assert door(*SCORE, "-o", "result.html").code == 0
    assert (folder / "result.html").read_text() != "old"


def test_failure_keeps_the_earlier_result(desk, door):
    folder = desk()
    assert door(*SCORE, "-o", "audit").code == 0
    kept = {p.name: p.read_bytes() for p in (folder / "audit").iterdir()}
    desk(run__csv="query,item,score\nq1,a,nan\n")
    assert door(*SCORE, "-o", "audit").code == 4
    assert {p.name: p.read_bytes() for p in (folder / "audit").iterdir()} == kept
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "trec"])
def test_rerank_writes_the_format_of_the_suffix_and_reads_it_back(suffix, desk, door):
    desk()
    told = door(*RERANK, "-o", f"new.{suffix}")
    assert told.code == 0
    assert f"fairlead score new.{suffix} --groups labels.csv --against run.csv" in told.out
    lists = {r["query"]: r["items"] for r in door(*RERANK, "--json").json["results"]}
    answer = door(
        "score",
        f"new.{suffix}",
        "--groups",
        "labels.csv",
        "--metric",
        "AbsBias@2",
        "--against",
        "run.csv",
        "--json",
    )
    assert answer.code == 0
    assert [r["value"] for r in answer.json["per_query"]] == [0.0, 0.0]
    from fairlead.store.runs import read_run

    saved = read_run(f"new.{suffix}")
    assert {q: saved.of(q) for q in saved.queries} == lists


def test_against_gives_first_minus_second(desk, door):
    desk(old__csv="query,item,score\nq1,a,3\nq1,c,2\nq1,b,1\nq2,a,3\nq2,c,2\nq2,d,1\n")
    answer = door(*SCORE, "--against", "old.csv", "--json")
    (pair,) = answer.json["paired"]
    assert (pair["first"], pair["second"], pair["difference"]) == (0.0, 1.0, -1.0)
    assert pair["queries"] == 2
    assert answer.json["manifest"]["inputs"]["against"]["name"] == "old.csv"
    shown = door(*SCORE, "--against", "old.csv")
    assert "First run against second" in shown.out


def test_library_saves_what_the_command_saves(desk, door):
    folder = desk()
    door(*SCORE, "-o", "command.html")
    save_score(fairlead.score("run.csv", "labels.csv", metric="AbsBias@2"), "library.html")
    assert (folder / "command.html").read_bytes() == (folder / "library.html").read_bytes()
    door(*RERANK, "-o", "command.csv")
    save_ranking(fairlead.rerank("run.csv", "labels.csv", mitigate="pbm", k=2), "library.csv")
    assert (folder / "command.csv").read_bytes() == (folder / "library.csv").read_bytes()


def test_manifest_names_inputs_by_content(desk, door):
    import hashlib

    folder = desk(c__csv="query,cluster\nq1,a\nq2,b\n")
    manifest = door(*SCORE, "--target", "target.csv", "--clusters", "c.csv", "--json").json[
        "manifest"
    ]
    roles = {"run": "run.csv", "groups": "labels.csv", "target": "target.csv", "clusters": "c.csv"}
    assert set(manifest["inputs"]) == set(roles)
    for role, name in roles.items():
        data = (folder / name).read_bytes()
        assert manifest["inputs"][role] == {
            "name": name,
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    assert manifest["plan"]["metric"] == ["AbsBias@2"]


def test_target_word_is_no_input_even_where_a_file_has_that_name(desk, door):
    desk(uniform="query,attribute,group,share\n")
    assert set(door(*SCORE, "--json").json["manifest"]["inputs"]) == {"run", "groups"}
