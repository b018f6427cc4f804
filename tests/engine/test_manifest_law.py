"""The law of the manifest: what it says of target, chance level, unknown policy, seed and sources
of labels is what the rows were made with, for every command and every choice.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import fairlead
from fairlead.commands.audit import save_audit

COLLECTION = "phantom(seeds=1)"
MODEL = "phantom_ideal(dose=0.8)"
ITEMS = [f"i{number}" for number in range(24)]
CASES = range(14)


def drawn(seed: int, folder: Path) -> tuple[random.Random, dict[str, Any]]:
    """Choices that every measuring command has."""
    rng = random.Random(seed)
    stated = folder / "stated.csv"
    stated.write_text(
        "query,attribute,group,share\n*,gender,female,0.3\n*,gender,male,0.7\n", encoding="utf-8"
    )
    choices: dict[str, Any] = {
        "target": rng.choice(["uniform", "pool", str(stated)]),
        "unknown": rng.choice(["ignore", "own-group", "spread"]),
        "seed": rng.randrange(5),
        "attribute": ("gender",),
    }
    null = rng.choice([None, "order", "gallery", "target"])
    return rng, choices if null is None else {**choices, "null": null}


def run_and_labels(rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    run = {
        f"query {number}": {item: rng.random() for item in rng.sample(ITEMS, 14)}
        for number in range(5)
    }
    names = ("female", "male", None)
    gender = {item: rng.choices(names, (3, 3, 1))[0] for item in ITEMS}
    gender |= {"i0": "female", "i1": "male"}
    return run, {item: {"gender": name} for item, name in gender.items()}


def assert_stated(result: Any, choices: dict[str, Any]) -> None:
    """The manifest names what was asked, and the labels what the plan names."""
    manifest = result.manifest
    for name, value in choices.items():
        text = list(value) if isinstance(value, tuple) else value
        assert manifest["plan"][name] == text, name
    labels = manifest["labels"]["gender"]
    assert labels["target"] == Path(choices["target"]).name


def assert_rows(rows: Any, manifest: dict[str, Any]) -> None:
    """Every row was made with what the manifest says."""
    assert rows
    for row in rows:
        labels = manifest["labels"][row.attribute]
        assert row.target == labels["target"]
        assert row.source == labels["source"]
        if row.null is None:
            continue
        kind = row.null["kind"]
        assert manifest["null"][f"{row.metric} on {row.attribute}"] == kind
        asked = manifest["plan"].get("null", kind)
        # Matched sets leave no choice: chance is drawn within them, and a note says so.
        assert asked == kind or any(f"not '{asked}' as asked" in w for w in manifest["warnings"])


def replayed(plan: dict[str, Any], *without: str) -> dict[str, Any]:
    return {name: value for name, value in plan.items() if name not in without}


@pytest.mark.parametrize("seed", CASES)
def test_score_says_what_its_rows_were_made_with(seed: int, tmp_path: Path) -> None:
    rng, choices = drawn(seed, tmp_path)
    run, labels = run_and_labels(rng)
    choices["source"] = rng.choice(["label", "people", "mlp:gender.npz"])
    found = fairlead.score(run, labels, metric=["AbsBias@5", "TV@5"], **choices)
    assert_stated(found, choices)
    assert_rows(found.rows, found.manifest)
    again = fairlead.score(run, labels, **replayed(found.manifest["plan"], "run", "groups"))
    assert [row.to_dict() for row in again.rows] == [row.to_dict() for row in found.rows]


@pytest.mark.parametrize("seed", CASES)
def test_rerank_and_check_say_what_they_were_made_with(seed: int, tmp_path: Path) -> None:
    rng, choices = drawn(seed, tmp_path)
    choices.pop("null", None)
    run, labels = run_and_labels(rng)
    source = rng.choice(["label", "people"])
    checked = fairlead.check(run, labels, source=source, **choices)
    assert_stated(checked, choices)
    assert checked.manifest["labels"]["gender"]["source"] == source
    mitigate = rng.choice(["pbm", "detgreedy", "epsilon_greedy"])
    found = fairlead.rerank(run, labels, mitigate=mitigate, k=5, source=source, **choices)
    assert_stated(found, choices)
    assert found.manifest["labels"]["gender"]["source"] == source
    again = fairlead.rerank(run, labels, **replayed(found.manifest["plan"], "run", "groups"))
    assert again.ranking.rows.tolist() == found.ranking.rows.tolist()


@pytest.mark.parametrize("seed", CASES[:6])
def test_audit_and_its_saved_run_say_what_their_rows_were_made_with(
    seed: int, tmp_path: Path
) -> None:
    rng, choices = drawn(seed, tmp_path)
    choices["groups"] = rng.choice(["noisy(accuracy=0.9)", "noisy(accuracy=0.9,soft=true)"])
    choices["mitigate_groups"] = rng.choice(["noisy(accuracy=0.7)", "noisy(accuracy=0.8)"])
    choices["mitigate"] = ("pbm",)
    if choices.get("null") == "order":
        choices["null"] = "gallery"
    found = fairlead.audit(MODEL, COLLECTION, metric=["AbsBias@5", "TV@5"], k=5, **choices)
    assert_stated(found.result, choices)
    assert_rows(found.result.rows, found.result.manifest)
    who = str(fairlead.make("annotator", choices["mitigate_groups"]))
    assert found.result.manifest["mitigate"]["labels"] == who
    save_audit(found, tmp_path / "audit")
    again = fairlead.score(tmp_path / "audit")
    assert_rows(again.rows, again.manifest)
    for name in ("target", "unknown", "seed", "null"):
        assert again.manifest["plan"].get(name) == choices.get(name), name
    assert [row.mean for row in again.rows] == [row.mean for row in found.result.rows]


@pytest.mark.parametrize("seed", CASES[:6])
def test_search_says_what_its_rows_were_made_with(seed: int, tmp_path: Path) -> None:
    rng, choices = drawn(seed, tmp_path)
    choices["groups"] = rng.choice(["noisy(accuracy=0.9)", "noisy(accuracy=0.8)"])
    if choices.get("null") == "order":
        choices["null"] = "gallery"
    found = fairlead.search(
        "a photo of a nurse", collection=COLLECTION, mitigate="pbm", k=5, **choices
    )
    assert_stated(found, choices)
    source = found.manifest["labels"]["gender"]["source"]
    assert source == str(fairlead.make("annotator", choices["groups"]))
    kinds = set(found.manifest["null"].values())
    assert kinds and kinds <= {choices.get("null", next(iter(kinds)))}
