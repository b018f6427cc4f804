"""The library and the command are one: the same JSON for the same plan, the same bytes for the same
seed.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import fairlead
from fairlead.protocols import registry
from fairlead.report.saving import dumps

PLANS = {
    "defaults": {},
    "relevance": {"qrels": "qrels.txt"},
    "one attribute": {"attribute": ("gender",), "metric": ("NDKL@10", "Bias(positive=female)@20")},
    "intersection": {"attribute": ("gender*skin",), "metric": ("AbsBias@20",)},
    "pool target": {"target": "pool", "metric": ("NDKL@20", "MaxSkew@20")},
    "unknown as a group": {"unknown": "own-group", "metric": ("TV@20",)},
    "unknown spread": {"unknown": "spread", "metric": ("TV@20",)},
    "named null": {"null": "order", "metric": ("AbsBias@20",)},
    "stable ties": {"ties": "stable", "metric": ("NDKL@20",)},
    "another seed": {"seed": 7, "metric": ("NDKL@20",)},
    "percentile": {"interval": "percentile", "metric": ("AbsBias@20",)},
    "power": {"detect": 0.1, "metric": ("AbsBias@20",)},
    "second run": {"against": "run.csv", "metric": ("AbsBias@20",)},
}


def _flags(plan: dict) -> list[str]:
    return [
        part
        for name, value in plan.items()
        for one in (value if isinstance(value, tuple) else (value,))
        for part in (f"--{name}", str(one))
    ]


@pytest.fixture
def in_example(example: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(example)
    return example


@pytest.mark.parametrize("name", PLANS)
def test_score_library_and_command_give_the_same_json(name, in_example, door, schema_faults):
    plan = PLANS[name]
    answer = door("score", "run.csv", "--groups", "labels.csv", *_flags(plan), "--json")
    assert answer.code == 0, answer.out
    assert schema_faults("score", answer.json) == []
    assert answer.out == dumps(fairlead.score("run.csv", "labels.csv", **plan).to_dict()) + "\n"


@pytest.mark.parametrize(
    "mitigate", ["pbm", "detgreedy", "fair_topk(protected=female)", "epsilon_greedy(epsilon=0.3)"]
)
def test_rerank_library_and_command_give_the_same_json(mitigate, in_example, door, schema_faults):
    choices = {"attribute": "gender", "mitigate": mitigate, "k": 10, "seed": 3}
    flags = ["--attribute", "gender", "--mitigate", mitigate, "-k", "10", "--seed", "3"]
    answer = door("rerank", "run.csv", "--groups", "labels.csv", *flags, "--json")
    assert schema_faults("rerank", answer.json) == []
    assert answer.out == dumps(fairlead.rerank("run.csv", "labels.csv", **choices).to_dict()) + "\n"


def test_check_library_and_command_give_the_same_json(in_example, door, schema_faults):
    answer = door("check", "run.csv", "--groups", "labels.csv", "--json")
    assert schema_faults("check", answer.json) == []
    assert answer.json == {**fairlead.check("run.csv", "labels.csv").to_dict(), "failed": []}


def test_demo_json_names_its_variants_and_how_they_were_made(door, schema_faults):
    answer = door("demo", "--json")
    assert schema_faults("demo", answer.json) == []
    assert {row["variant"] for row in answer.json["metrics"]} == {"plain", "pbm"}
    assert answer.json["manifest"]["plan"]["mitigate"] == ["pbm"]
    assert answer.json["manifest"]["plan"]["mitigate_groups"] == "noisy(accuracy=0.9)"
    assert answer.json["manifest"]["mitigate"]["k"] == 20


@pytest.mark.parametrize(
    "kind", ["metrics", "rerankers", "trainings", "encoders", "annotators", "all"]
)
def test_list_json_follows_its_schema(kind, door, schema_faults):
    answer = door("list", kind, "--json")
    assert schema_faults("list", answer.json) == []
    assert (
        len({(entry["kind"], entry["name"]) for entry in answer.json["entries"]})
        == len(answer.json["entries"])
        > (2 if kind == "trainings" else 9)
    )


def test_list_is_a_line_for_each_of_every_kind(door):
    lines = door("list").out.splitlines()
    for kind in (
        "metric",
        "reranker",
        "projection",
        "training",
        "encoder",
        "annotator",
        "benchmark",
        "index",
    ):
        assert f"{kind}es".capitalize() in lines or f"{kind}s".capitalize() in lines
        for name in registry.entries(kind):
            assert any(line.startswith(f"{name} ") for line in lines), name
    assert (
        len(lines)
        < sum(
            len(registry.entries(k)) + 2
            for k in (
                *("metric", "reranker", "projection", "training", "encoder", "annotator"),
                *("source", "benchmark", "index"),
            )
        )
        + 12
    )
    assert (
        "Blind to order" not in "\n".join(lines)
        and "Blind to order" in door("list", "metrics", "--long").out
    )


@pytest.mark.parametrize(("name", "words"), [
    ("levelled", ["reranker", "promises", "cannot see", "price=0.5"]),
    ("phantom", ["encoder", "benchmark", "phantom:skewed"]),
    ("lite", ["encoder", "extra"]),
    ("nDCG", ["metric", "higher"]),
    ("fair_sample", ["training", "EMNLP 2021", "train", "negatives=balanced"]),
])  # fmt: skip
def test_list_of_a_name_is_its_card(name, words, door, schema_faults):
    told = door("list", name)
    assert told.code == 0 and all(word in told.out for word in words)
    answer = door("list", name, "--json").json
    assert schema_faults("list", answer) == [] and {
        entry["name"] for entry in answer["entries"]
    } == {name}


def test_reproduce_json_follows_its_schema_and_equals_the_library(door, schema_faults):
    answer = door("reproduce", "--paper", "pbm", "--runs", "20", "--json")
    assert answer.code in (0, 1)
    assert schema_faults("reproduce", answer.json) == []
    assert answer.out == dumps(fairlead.reproduce(["pbm"], runs=20).to_dict()) + "\n"


@pytest.mark.parametrize("kind", ["mapping", "records", "arrow"])
def test_score_objects_give_the_numbers_of_files(kind, example):
    import pyarrow.csv as csv

    table = csv.read_csv(example / "run.csv")
    run: object = table
    if kind == "records":
        run = table.to_pylist()
    if kind == "mapping":
        run = {}
        for record in table.to_pylist():
            run.setdefault(record["query"], {})[record["item"]] = record["score"]
    choices = {"attribute": "gender", "metric": ["NDKL@20", "AbsBias@20"]}
    ours, theirs = (
        fairlead.score(run, example / "labels.csv", **choices),
        fairlead.score(example / "run.csv", example / "labels.csv", **choices),
    )
    assert ours.to_dict()["per_query"] == theirs.to_dict()["per_query"]
    assert [row.mean for row in ours.rows] == [row.mean for row in theirs.rows]


def test_same_seed_same_bytes_another_seed_other_draws(in_example, door):
    args = ("score", "run.csv", "--groups", "labels.csv", "--metric", "NDKL@20", "--json", "--seed")
    first, again, other = door(*args, 1).out, door(*args, 1).out, door(*args, 2).out
    assert first == again
    assert first != other


def test_query_order_does_not_change_a_query(in_example, tmp_path):
    head, *lines = Path("run.csv").read_text().splitlines()
    queries = list(dict.fromkeys(line.split(",")[0] for line in lines))
    random.Random(5).shuffle(queries)
    mixed = tmp_path / "mixed.csv"
    mixed.write_text(
        "\n".join([head, *(line for q in queries for line in lines if line.split(",")[0] == q)])
        + "\n"
    )
    choices = {"metric": ["NDKL@20", "AbsBias@20", "AWRF@10"], "qrels": "qrels.txt"}
    results = [
        fairlead.score(run, "labels.csv", **choices).to_dict()["per_query"]
        for run in ("run.csv", mixed)
    ]
    a, b = ({(r["query"], r["metric"], r["attribute"]): r for r in records} for records in results)
    assert a.keys() == b.keys()
    for key, record in a.items():
        for field, value in record.items():
            assert b[key][field] == (
                pytest.approx(value, abs=1e-12) if isinstance(value, float) else value
            ), (key, field)


def test_line_order_does_not_change_anything_but_ties(in_example, tmp_path):
    head, *lines = Path("run.csv").read_text().splitlines()
    first = list(dict.fromkeys(line.split(",")[0] for line in lines))
    random.Random(6).shuffle(lines)
    lines.sort(key=lambda line: first.index(line.split(",")[0]))
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("\n".join([head, *lines]) + "\n")
    one, two = (
        fairlead.score(run, "labels.csv", metric=["NDKL@20"]).to_dict()
        for run in ("run.csv", mixed)
    )
    assert one["metrics"] == two["metrics"]
    assert one["per_query"] == two["per_query"]


def test_score_leaves_its_inputs_alone():
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 2.0}}
    labels = {"a": {"gender": "f"}, "b": {"gender": "m"}}
    before = (repr(run), repr(labels))
    fairlead.score(run, labels, metric="AbsBias@1")
    assert (repr(run), repr(labels)) == before


def test_unknown_choice_of_the_library_is_told(example):
    with pytest.raises(fairlead.UsageError, match="There is no choice called 'metrics'"):
        fairlead.score(example / "run.csv", example / "labels.csv", metrics=["NDKL@10"])
    with pytest.raises(fairlead.UsageError, match="'k' must be given"):
        fairlead.rerank(example / "run.csv", example / "labels.csv", mitigate="pbm")


def test_null_fields_are_left_out_for_relevance_and_nan_is_null(in_example, door):
    answer = door(
        "score",
        "run.csv",
        "--groups",
        "labels.csv",
        "--qrels",
        "qrels.txt",
        "--metric",
        "nDCG@10",
        "--json",
    )
    (row,) = answer.json["metrics"]
    assert row["attribute"] is None
    assert (
        not {"null", "excess", "excess_ci", "p", "q", "unknown_mass", "target", "source"}
        & row.keys()
    )
    assert all(
        set(record) == {"query", "metric", "attribute", "value"}
        for record in answer.json["per_query"]
    )
    assert "NaN" not in answer.out and "Infinity" not in answer.out


def test_excess_is_value_minus_chance_and_rows_are_means_of_queries(in_example):
    result = fairlead.score("run.csv", "labels.csv", metric=["AbsBias@20"]).to_dict()
    for row in result["metrics"]:
        own = [r for r in result["per_query"] if r["attribute"] == row["attribute"]]
        assert row["mean"] == pytest.approx(np.mean([r["value"] for r in own]))
        assert row["null"]["mean"] == pytest.approx(np.mean([r["null_mean"] for r in own]))
        assert row["excess"] == pytest.approx(np.mean([r["excess"] for r in own]))
