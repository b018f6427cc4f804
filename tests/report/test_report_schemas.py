"""The schemas themselves: valid, as strict as the contract, and shipped."""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import fairlead

FOLDER = files("fairlead.report") / "schemas"
NAMES = (
    "annotate", "audit", "calibrate", "check", "data_check", "demo", "doctor", "embed", "error", "evaluate", "frontier", "label_quality", "labellers", "list",
    "manifest", "reproduce", "rerank", "score", "search", "simulate", "trigger",
)  # fmt: skip
SCHEMAS = {
    name: json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in NAMES
}
REGISTRY = Registry().with_resources(
    [(f"{name}.json", Resource.from_contents(schema)) for name, schema in SCHEMAS.items()]
)
EXAMPLE = Path(str(files("fairlead") / "example"))

METRICS = (
    "metric", "attribute", "k", "mean", "ci", "null", "excess", "excess_ci", "p", "q", "queries", "undefined", "unknown_mass",
    "target", "source", "direction",
)  # fmt: skip
PER_QUERY = (
    "query",
    "metric",
    "attribute",
    "value",
    "null_mean",
    "excess",
    "p",
    "q",
    "unknown_mass",
)


def _valid(name: str, value: Any) -> bool:
    return bool(Draft202012Validator(SCHEMAS[name], registry=REGISTRY).is_valid(value))


@pytest.fixture(scope="module")
def answer() -> dict[str, Any]:
    choices = {
        "attribute": "gender",
        "metric": ["AbsBias@20", "nDCG@20"],
        "qrels": EXAMPLE / "qrels.txt",
        "against": EXAMPLE / "run.csv",
    }
    return fairlead.score(EXAMPLE / "run.csv", EXAMPLE / "labels.csv", **choices).to_dict()


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_valid_and_knows_its_name(name):
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMAS[name]["$id"] == f"{name}.json"
    assert SCHEMAS[name]["title"]


def test_every_schema_file_is_known():
    assert sorted(entry.name for entry in FOLDER.iterdir()) == [f"{name}.json" for name in NAMES]


def test_contract_fields_are_required():
    rows = SCHEMAS["score"]["$defs"]
    assert set(METRICS) <= set(rows["grouped"]["required"])
    assert set(PER_QUERY) <= set(rows["of_groups"]["required"])
    assert {"kind", "mean", "sd"} <= set(rows["null"]["required"])
    assert SCHEMAS["score"]["required"] == ["metrics", "per_query", "manifest"]
    assert set(SCHEMAS["error"]["properties"]["error"]["required"]) == {"kind", "message", "hint"}


@pytest.mark.parametrize("table", ["metrics", "per_query", "paired"])
def test_drift_of_a_row_is_caught(table, answer):
    assert _valid("score", answer)
    for row in range(2):
        more = copy.deepcopy(answer)
        more[table][-row]["surprise"] = 1
        assert not _valid("score", more)
        for field in answer[table][-row]:
            less = copy.deepcopy(answer)
            del less[table][-row][field]
            assert not _valid("score", less), field


def test_relevance_with_null_fields_is_caught(answer):
    wrong = copy.deepcopy(answer)
    wrong["metrics"][-1]["null"] = {"kind": "order", "mean": 0.0, "sd": 0.0}
    assert not _valid("score", wrong)


def test_manifest_of_another_shape_is_caught(answer):
    for change in ({"fairlead": None}, {"inputs": {"run": {"name": "x"}}}, {"surprise": 1}):
        assert not _valid("manifest", answer["manifest"] | change)


def test_error_of_an_unknown_kind_is_caught():
    assert _valid("error", {"error": {"kind": "data", "message": "x", "hint": ""}})
    assert not _valid("error", {"error": {"kind": "oops", "message": "x", "hint": ""}})
    assert not _valid(
        "error", {"error": {"kind": "data", "message": "x", "hint": "", "traceback": "..."}}
    )
