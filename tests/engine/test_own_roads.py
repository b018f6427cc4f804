"""One's own files on every road: audit, frontier and search take them, runs are saved and repeated."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairlead.cli.main import main
from fairlead.commands.audit import audit
from fairlead.commands.score import score
from fairlead.errors import UsageError
from fairlead.protocols import registry

MODEL = "phantom(dose=1)"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection, queries, labels and judgements as a stranger would write them."""
    folder = tmp_path_factory.mktemp("own")
    study = registry.make("benchmark", "phantom(seeds=2)").study()
    people, gender = study.collection, study.collection.groups["gender"]

    def write(name: str, header: list[str], rows: Any) -> None:
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])

    write("collection.csv", ["id", "image"], zip(people.ids, people.images or (), strict=True))
    texts = zip(study.queries.ids, study.queries.texts or (), strict=True)
    write("queries.csv", ["query", "text"], texts)
    labels = [
        [name, gender.names[code]] for name, code in zip(people.ids, gender.codes, strict=True)
    ]
    write("labels.csv", ["item", "gender"], labels)
    write("qrels.csv", ["query", "item", "gain"], [[i.split("/")[0], i, 1] for i in people.ids])
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def command(*words: Any, code: int = 0) -> str:
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        output = capsys.readouterr()
        assert left.value.code == code, output.err
        return output.out

    return command


def own(files: Path, *, judged: bool = True) -> list[Any]:
    words = ["--collection", files / "collection.csv", "--queries", files / "queries.csv"]
    words += ["--groups", files / "labels.csv"]
    return words + (["--qrels", files / "qrels.csv"] if judged else [])


def test_audit_of_own_files_equals_that_of_the_benchmark_they_were_written_from(
    files: Path, run: Callable[..., Any]
) -> None:
    choices = ["--model", MODEL, "--metric", "AbsBias@20", "--metric", "nDCG@20", "-k", "20"]
    choices += ["--mitigate", "pbm", "--null", "gallery", "--json"]
    mine = json.loads(run("audit", *choices, *own(files)))["metrics"]
    theirs = audit(
        MODEL,
        "phantom(seeds=2)",
        attribute="gender",
        metric=["AbsBias@20", "nDCG@20"],
        mitigate="pbm",
        k=20,
        null="gallery",
    ).to_dict()["metrics"]
    assert [row["mean"] for row in mine] == [row["mean"] for row in theirs]


def test_saved_audit_of_own_files_is_scored_and_mitigated_again(
    files: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    choices = ["--model", MODEL, "-k", "10", "--mitigate", "detgreedy", "--out", tmp_path / "run"]
    run("audit", *choices, *own(files))
    saved = json.loads((tmp_path / "run" / "scores.json").read_text())
    again = json.loads(run("score", tmp_path / "run", "--json"))
    assert again["metrics"] == saved["metrics"] and again["paired"] == saved["paired"]
    run("rerank", tmp_path / "run", "--mitigate", "detgreedy", "-k", "10", "-o", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().count("\n") == 28 * 10 + 1


def test_search_of_a_file_of_queries_writes_a_run_that_scores_the_same(
    files: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    words = ["search", "--model", MODEL, "-k", "8", "--mitigate", "pbm", "--mitigate", "levelled"]
    words += ["--attribute", "gender", *own(files, judged=False)]
    answer = json.loads(run(*words, "-o", tmp_path / "run.parquet", "--json"))
    again = score(tmp_path / "run.parquet")
    for number, one in enumerate(answer["results"]):
        for variant in one["variants"]:
            for row in variant["metrics"]:
                part = next(
                    v
                    for v in again.values
                    if (v.variant, v.metric) == (variant["variant"], row["metric"])
                )
                assert row["mean"] == pytest.approx(part.value[number], abs=0)
    labelled = score(tmp_path / "run.parquet", files / "labels.csv", metric="AbsBias@8")
    assert np.isfinite(labelled.rows[0].mean)


def test_frontier_check_of_own_files_says_what_may_be_switched_on(
    files: Path, run: Callable[..., Any]
) -> None:
    words = ["frontier", "--check", "--model", MODEL, "--mitigate", "pbm(theta=1)", "-k", "10"]
    words += ["--all-queries", "--json"]
    # the labels of half of the queries' items are wrong at random, which no mitigation survives
    found = json.loads(run(*words, *own(files)))
    assert [verdict["passed"] for verdict in found["checks"]] == [True]
    wrong = ["--mitigate-groups", "noisy(accuracy=0.5,soft=true)"]
    found = json.loads(run(*words, *wrong, *own(files), code=1))
    assert [verdict["passed"] for verdict in found["checks"]] == [False]


def test_own_files_need_both_a_collection_and_queries(files: Path) -> None:
    with pytest.raises(UsageError, match="need a collection and queries"):
        audit(MODEL, collection=files / "collection.csv")


def test_labels_of_a_saved_run_that_are_gone_are_told(
    files: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text((files / "labels.csv").read_text())
    words = ["audit", "--model", MODEL, "-k", "10", "--out", tmp_path / "run"]
    words += ["--collection", files / "collection.csv", "--queries", files / "queries.csv"]
    run(*words, "--groups", labels)
    labels.unlink()
    run("score", tmp_path / "run", code=2)


def test_audit_of_vectors_alone_equals_that_of_the_pictures_they_are_of(
    files: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    """Who has vectors, ids and labels, and no picture, audits all the same."""
    study = registry.make("benchmark", "phantom(seeds=2)").study()
    encoder = registry.make("encoder", MODEL)
    vectors, words = tmp_path / "vectors", tmp_path / "words"
    vectors.mkdir()
    words.mkdir()
    items = encoder.images(study.collection.images, "item").vectors
    np.save(vectors / "vectors.npy", items)
    (vectors / "ids.csv").write_text("\n".join(["id", *study.collection.ids]) + "\n", "utf-8")
    np.save(words / "texts.npy", encoder.texts(study.queries.texts, "query").vectors)
    (words / "texts.txt").write_text("\n".join(study.queries.texts) + "\n", "utf-8")
    choices = ["--metric", "AbsBias@20", "--metric", "nDCG@20", "-k", "20", "--json"]
    choices += ["--mitigate", "pbm"]
    pictures = json.loads(run("audit", "--model", MODEL, *choices, *own(files)))["metrics"]
    files_of = own(files)[2:]
    alone = json.loads(
        run(
            *("audit", "--model", f"precomputed:{words}", *choices),
            *("--collection", vectors, *files_of),
        )
    )["metrics"]
    assert [row["mean"] for row in alone] == [row["mean"] for row in pictures]
    assert [row.get("null") for row in alone] == [row.get("null") for row in pictures]
