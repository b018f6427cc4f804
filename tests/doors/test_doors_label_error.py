"""``score`` with a labelled sample: what it adds, what it refuses, what it warns of; and ``simulate
labels``.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fairlead
from fairlead.measuring.circular import circular
from fairlead.report.saving import score_page as page

EXAMPLE = Path(str(files("fairlead") / "example"))


@pytest.fixture(scope="module")
def world() -> dict[str, Any]:
    """Lists of 20, balanced on predictions, in pools where group b is rare; predictions, the truth,
    and a sample of it.
    """
    rng = np.random.default_rng(0)
    run, predicted, truth = {}, {}, {}
    for q in range(12):
        items = [f"q{q}-{i}" for i in range(40)]
        run[f"q{q}"] = {item: float(40 - i) for i, item in enumerate(items)}
        for i, item in enumerate(items):
            predicted[item] = {"group": "ab"[i % 2]}
            truth[item] = {"group": "b" if rng.random() < (0.7 if i % 2 else 0.01) else "a"}
    shown = [item for lists in run.values() for item in list(lists)[:20]]
    sample = {item: truth[item] for item in rng.choice(shown, 100, replace=False)}
    return {"run": run, "predicted": predicted, "truth": truth, "sample": sample}


CHOICES: dict[str, Any] = {
    "metric": ["AbsBias@20", "Bias(positive=a)@20", "NDKL@20"],
    "null": "target",
}


@pytest.fixture(scope="module")
def found(world: dict[str, Any]) -> fairlead.ScoreResult:
    return fairlead.score(world["run"], world["predicted"], label_sample=world["sample"], **CHOICES)


def test_score_with_a_sample_corrects_every_metric_toward_the_truth(world, found):
    true = fairlead.score(world["run"], world["truth"], **CHOICES)
    for row, real in zip(found.rows, true.rows, strict=True):
        corrected = row.corrected
        assert corrected is not None
        assert corrected["lists_ci"][0] <= real.mean <= corrected["lists_ci"][1]
        assert abs(corrected["mean"] - real.mean) < abs(row.mean - real.mean)
        assert (
            corrected["ci"][0]
            <= corrected["lists_ci"][0]
            <= corrected["mean"]
            <= corrected["lists_ci"][1]
            <= corrected["ci"][1]
        )
        assert corrected["excess_ci"][0] <= real.excess <= corrected["excess_ci"][1]
        assert corrected["sample"] == 100
        assert corrected["method"] == "imputation"


def test_score_with_a_sample_leaves_the_naive_numbers_as_they_are(world, found):
    plain = fairlead.score(world["run"], world["predicted"], **CHOICES)
    for row, old in zip(found.rows, plain.rows, strict=True):
        assert (row.mean, row.ci, row.p, row.q) == (old.mean, old.ci, old.p, old.q)
        assert old.corrected is None
        assert "corrected" not in old.to_dict()


def test_score_with_a_sample_is_told_in_json_text_and_page(found, schema_faults):
    answer = json.loads(json.dumps(found.to_dict()))
    assert schema_faults("score", answer) == []
    about = answer["manifest"]["label_sample"]["group"]
    assert about["labelled"] == 100
    assert about["predicted"]["b"]["ci"][0] < 0.7 < about["predicted"]["b"]["ci"][1]
    text, html = str(found), page(found)
    for words in ("Were the labels true", "How wrong labels would have to be"):
        assert words in text
        assert words in html


def test_score_with_a_sample_repeats_itself_whatever_else_is_asked(world, found):
    again = fairlead.score(
        world["run"],
        world["predicted"],
        label_sample=world["sample"],
        metric=["AbsBias@20", "TV@5"],
        null="target",
    )
    assert (again.rows[0].corrected, again.rows[0].label_error) == (
        found.rows[0].corrected,
        found.rows[0].label_error,
    )


def test_balanced_list_one_sided_error_overturns_the_reading_and_even_error_does_not(found):
    row = found.rows[0]
    assert row.label_error is not None
    assert row.label_error["reads"] == "not worse than chance"
    assert row.label_error["any"] is None
    assert 0.1 < row.label_error["one_sided"]["b"] < 0.5


def test_skewed_list_even_error_overturns_the_reading():
    run = {f"q{q}": {f"q{q}-{i}": float(-i) for i in range(20)} for q in range(12)}
    labels = {
        item: {"group": "b" if int(item.split("-")[1]) % 5 == 0 else "a"}
        for lists in run.values()
        for item in lists
    }
    row = fairlead.score(run, labels, metric="AbsBias@20", null="target", label_error=True).rows[0]
    assert row.corrected is None
    assert row.label_error is not None
    assert row.label_error["reads"] == "worse than chance"
    assert 0.1 < row.label_error["any"] < 0.5


def test_one_list_with_a_sample_has_the_interval_of_the_list_alone(world):
    run = {"q0": world["run"]["q0"]}
    row = fairlead.score(
        run, world["predicted"], label_sample=world["sample"], metric="AbsBias@20", null="target"
    ).rows[0]
    assert row.corrected is not None
    assert np.isnan(row.corrected["ci"][0])
    assert np.isfinite(row.corrected["lists_ci"]).all()


def test_sample_without_the_rare_group_is_finite_and_flagged(world):
    sample = {
        item: labels
        for item, labels in world["sample"].items()
        if labels["group"] == "a" and world["predicted"][item]["group"] == "a"
    }
    row = fairlead.score(
        world["run"], world["predicted"], label_sample=sample, metric="AbsBias@20", null="target"
    ).rows[0]
    assert row.corrected is not None
    assert np.isfinite(row.corrected["ci"]).all()
    assert any(
        "no labelled item among those predicted 'b'" in note for note in row.corrected["notes"]
    )
    assert any("no labelled item is truly 'b'" in note for note in row.corrected["notes"])


def test_sample_with_unknown_and_not_applicable_items_says_what_becomes_of_them(world):
    predicted = {item: dict(labels) for item, labels in world["predicted"].items()}
    for n, item in enumerate(list(predicted)):
        predicted[item]["group"] = (
            "unknown"
            if n % 10 == 0
            else "not-applicable"
            if n % 17 == 0
            else predicted[item]["group"]
        )
    sample = {item: {"group": "" if n % 9 == 0 else "not-applicable" if n % 13 == 0 else labels["group"]}
              for n, (item, labels) in enumerate(world["sample"].items())}  # fmt: skip
    row = fairlead.score(
        world["run"], predicted, label_sample=sample, metric="AbsBias@20", null="target"
    ).rows[0]
    assert row.corrected is not None
    assert any("no answer" in note for note in row.corrected["notes"])
    assert np.isfinite(row.corrected["ci"]).all()


def test_sample_by_query_equals_the_sample_by_item(world, found, tmp_path):
    place = tmp_path / "sample.csv"
    with place.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "item", "group"])
        writer.writerows(
            [item.split("-")[0], item, labels["group"]] for item, labels in world["sample"].items()
        )
    by_query = fairlead.score(
        world["run"], world["predicted"], label_sample=place, metric="AbsBias@20", null="target"
    ).rows[0]
    assert by_query.corrected == found.rows[0].corrected


def test_soft_labels_with_a_sample_are_corrected_by_their_likeliest_group(world):
    soft = {"item": list(world["predicted"]), "group=a": [], "group=b": []}
    for labels in world["predicted"].values():
        soft["group=a"].append(0.8 if labels["group"] == "a" else 0.1)
        soft["group=b"].append(0.2 if labels["group"] == "a" else 0.9)
    row = fairlead.score(
        world["run"], soft, label_sample=world["sample"], metric="AbsBias@20", null="target"
    ).rows[0]
    assert row.corrected is not None
    assert np.isfinite(row.corrected["mean"])


def test_against_and_pool_target_with_a_sample_work_together(world):
    first = {
        q: dict(reversed([(i, -s) for i, s in lists.items()])) for q, lists in world["run"].items()
    }
    found = fairlead.score(
        first,
        world["predicted"],
        against=world["run"],
        label_sample=world["sample"],
        metric="TV@20",
        target="pool",
        null="order",
    )
    assert found.rows[0].corrected is not None
    assert np.isfinite(found.rows[0].corrected["excess_ci"]).all()


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ("item,group\nq0-0,c\n", "of 'group' are c for"),
        ("item,colour\nq0-0,red\n", "attribute"),
        ("item,group\nnowhere,a\n", "labels no item"),
        ("item,group\nq0-0,\n", "holds no label"),
        ("item,group\nq0-0,a\nq0-0,b\n", "twice"),
        ("query,item,group\nq0,q0-0,a\nq1,q0-0,b\n", None),
    ],
)
def test_samples_that_cannot_be_used_are_refused_in_words(
    sample, words, world, door: Callable[..., Any], tmp_path
):
    _write(tmp_path, world)
    (tmp_path / "sample.csv").write_text(sample)
    answer = door(
        "score",
        tmp_path / "run.csv",
        "--groups",
        tmp_path / "labels.csv",
        "--label-sample",
        tmp_path / "sample.csv",
    )
    if words is None:  # what another query says of an item it does not rank is no conflict
        assert answer.code == 0
        return
    assert answer.code in (2, 4)
    assert words in answer.err
    assert "Traceback" not in answer.err


def test_the_labels_as_their_own_sample_are_warned_of(world, tmp_path):
    _write(tmp_path, world)
    labels = tmp_path / "labels.csv"
    found = fairlead.score(
        tmp_path / "run.csv", labels, label_sample=labels, metric="AbsBias@20", null="target"
    )
    assert any("checked against itself" in warning for warning in found.warnings)


def test_a_model_that_ranks_and_labels_is_warned_of(world):
    choices = {"metric": "AbsBias@20", "null": "target", "ranked_by": "open_clip:ViT-B-32/openai"}
    same = fairlead.score(
        world["run"],
        world["predicted"],
        source="zeroshot_embedding(model=open_clip:ViT-B-32/openai)",
        **choices,
    )
    other = fairlead.score(world["run"], world["predicted"], source="mlp(model=lite)", **choices)
    assert any("the same model ranked" in warning for warning in same.warnings)
    assert not other.warnings


@pytest.mark.parametrize(
    ("source", "model", "fingerprint", "warned"),
    [
        ("zeroshot_prompt(model=phantom)", "phantom(dose=0.5)", "", True),
        ("labels by 3f9a", "hf:some/model", "3f9a", True),
        ("st:clip-ViT-B-32-multilingual", "st:clip-ViT-B-32", "", False),
        ("label", "phantom", "", False),
        ("hybrid by phantom: 2 of 3 lists went to people", "phantom", "", True),
        ("table:phantom.csv", "phantom", "", False),
    ],
)
def test_circularity_is_seen_by_spec_and_fingerprint(source, model, fingerprint, warned):
    assert (circular(source, ranked_by=model, fingerprint=fingerprint) is not None) == warned


def test_simulate_labels_gives_rows_of_the_contract(door: Callable[..., Any], schema_faults):
    choices = ("--pool", 0.95, "--sensitivity", 0.98, 0.97, "--sample", 200, "--trials", 20)
    answer = door("simulate", "labels", *choices, "--json")
    assert answer.code == 0
    assert schema_faults("simulate", answer.json) == []
    (row,) = answer.json["rows"]
    assert row["true_bias"] == pytest.approx(0.28, abs=0.005)
    assert row["coverage_naive"] < 0.05
    assert "95:5" in door("simulate", "labels", *choices).out


@pytest.mark.parametrize(
    "flags",
    [
        ("--pool", 1),
        ("--sensitivity", 0, 1),
        ("--sample", 0),
        ("-k", 3),
        ("--way", "guess"),
        ("--trials", 0),
    ],
)
def test_simulate_labels_with_impossible_choices_is_refused(flags, door: Callable[..., Any]):
    answer = door("simulate", "labels", *flags)
    assert answer.code == 2
    assert "Traceback" not in answer.err


def _write(folder: Path, world: dict[str, Any]) -> None:
    lines = [
        f"{q},{item},{score}" for q, lists in world["run"].items() for item, score in lists.items()
    ]
    (folder / "run.csv").write_text("\n".join(["query,item,score", *lines]) + "\n")
    labels = [f"{item},{labels['group']}" for item, labels in world["predicted"].items()]
    (folder / "labels.csv").write_text("\n".join(["item,group", *labels]) + "\n")
