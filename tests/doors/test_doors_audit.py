"""``audit`` and ``calibrate`` through both doors: the same JSON, in the shape of their own schemas,
and a schema as strict as the plan.
"""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from typing import Any

import pytest

import fairlead
from fairlead.commands.audit import AuditPlan
from fairlead.report.saving import dumps

MODEL, BENCHMARK = "phantom_ideal(dose=0.8)", "phantom(seeds=3)"
CHOICES = {"attribute": ["gender"], "metric": ["AbsBias@10", "NDKL@10", "nDCG@10"], "mitigate": ["pbm", "detgreedy"],
           "mitigate_groups": "noisy(accuracy=0.9)", "seed": 3}  # fmt: skip


@pytest.fixture(scope="module")
def answer() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(dumps(fairlead.audit(MODEL, BENCHMARK, **CHOICES).to_dict()))
    return found


def test_audit_library_and_command_give_the_same_json(answer, door, schema_faults):
    flags = [
        part
        for name in ("attribute", "metric", "mitigate")
        for value in CHOICES[name]
        for part in (f"--{name}", value)
    ]
    said = door("audit", "--model", MODEL, "--benchmark", BENCHMARK, *flags, "--mitigate-groups", CHOICES["mitigate_groups"], "--seed", 3,
                "--json")  # fmt: skip
    assert said.code == 0 and said.json == answer
    assert (
        schema_faults("audit", answer)
        == []
        == schema_faults("score", answer)
        == schema_faults("demo", answer)
    )
    assert (
        {row["variant"] for row in answer["metrics"]}
        == {"plain", "pbm", "detgreedy"}
        == {r["variant"] for r in answer["per_query"]}
    )
    assert {row["variant"] for row in answer["paired"]} == {"pbm", "detgreedy"}


def test_audit_without_mitigation_has_no_pairs_and_follows_its_schema(schema_faults):
    found = fairlead.audit(
        MODEL, BENCHMARK, metric="AbsBias@10", null="target", interval="percentile"
    ).to_dict()
    assert (
        schema_faults("audit", found) == []
        and found["paired"] == []
        and found["manifest"]["mitigate"] is None
    )
    assert schema_faults("demo", found)


def test_audit_folder_holds_what_the_schema_says(tmp_path, door, schema_faults):
    said = door(
        "audit",
        "--model",
        MODEL,
        "--benchmark",
        BENCHMARK,
        "--metric",
        "TV@10",
        "--out",
        tmp_path / "run",
    )
    assert said.code == 0
    assert (
        schema_faults(
            "audit", json.loads((tmp_path / "run" / "scores.json").read_text(encoding="utf-8"))
        )
        == []
    )
    assert (
        schema_faults(
            "manifest", json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
        )
        == []
    )


@pytest.mark.parametrize("table", ["metrics", "per_query", "paired"])
def test_audit_row_without_its_variant_or_with_a_surprise_is_caught(table, answer, schema_faults):
    less, more = copy.deepcopy(answer), copy.deepcopy(answer)
    del less[table][0]["variant"]
    more[table][0]["surprise"] = 1
    assert schema_faults("audit", less) and schema_faults("audit", more)


def test_audit_schema_knows_every_choice_of_the_plan(answer, schema_faults):
    schema = json.loads(
        (files("fairlead.report") / "schemas" / "audit.json").read_text(encoding="utf-8")
    )
    plan = schema["properties"]["manifest"]["properties"]["plan"]
    assert set(plan["properties"]) == set(AuditPlan.model_fields)
    always = {name for name, field in AuditPlan.model_fields.items() if field.default is not None}
    assert set(plan["required"]) == always
    for change in ({"surprise": 1}, {"null": "coin"}, {"seed": "one"}, {"model": None}):
        other = copy.deepcopy(answer)
        other["manifest"]["plan"] |= change
        assert schema_faults("audit", other), change


def test_score_is_no_audit(example, schema_faults):
    scored = fairlead.score(
        example / "run.csv", example / "labels.csv", metric="AbsBias@10"
    ).to_dict()
    assert schema_faults("score", scored) == [] and schema_faults("audit", scored)


def test_calibrate_json_follows_its_schema(door, schema_faults):
    said = door("calibrate", "--seeds", 3, "--json")
    assert said.code in (0, 3) and schema_faults("calibrate", said.json) == []
    assert said.json["passed"] == (said.code == 0)


def test_calibrate_with_few_repetitions_says_so_and_is_inconclusive(door):
    said = door("calibrate", "--seeds", 3)
    assert said.code == 3
    assert "too few repetitions to say" in said.out and "does not respond" not in said.out
    assert "leave out --seeds" in said.out
