"""--groups: who measures. The benchmark's labels, an annotator's, or those of a file."""

from __future__ import annotations

import csv
import json

import pytest

import fairlead
from fairlead.cli.main import main
from fairlead.commands import audit as audits
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry

SMALL = "phantom(seeds=4)"
MODEL = "phantom_ideal(dose=0.8)"
PLAIN = {"attribute": "gender", "metric": "AbsBias@20"}


@pytest.fixture(scope="module")
def study():
    return registry.make("benchmark", SMALL).study()


def write(path, records):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    return path


def gendered(study, keep=lambda number: True):
    groups = study.collection.groups["gender"]
    return [
        {"item": name, "gender": groups.names[code]}
        for number, (name, code) in enumerate(zip(study.collection.ids, groups.codes, strict=True))
        if keep(number)
    ]


def test_file_with_the_benchmarks_own_labels_measures_the_same(study, tmp_path):
    path = write(tmp_path / "labels.csv", gendered(study))
    own, read = (
        audits.audit(MODEL, SMALL, **PLAIN),
        audits.audit(MODEL, SMALL, groups=path, **PLAIN),
    )
    assert (
        read.result.rows[0].mean == own.result.rows[0].mean
        and read.result.rows[0].excess == own.result.rows[0].excess
    )
    assert (own.result.rows[0].source, read.result.rows[0].source) == ("label", "labels.csv")
    assert (
        read.result.manifest["inputs"]["groups"]["name"] == "labels.csv"
        and not read.result.warnings
    )


def test_attributes_of_a_file_are_what_is_measured(study, tmp_path):
    path = write(tmp_path / "labels.csv", gendered(study))
    assert {
        row.attribute
        for row in audits.audit(MODEL, SMALL, groups=path, metric="NDKL@20").result.rows
    } == {"gender"}
    with pytest.raises(UsageError, match=r"no attribute in labels\.csv called 'skin'"):
        audits.audit(MODEL, SMALL, groups=path, attribute="skin")


def test_items_without_a_row_count_as_unknown_and_are_told(study, tmp_path):
    path = write(tmp_path / "labels.csv", gendered(study, keep=lambda number: number % 4))
    result = audits.audit(MODEL, SMALL, groups=path, **PLAIN).result
    assert "25.0 % of the items have no row in labels.csv" in result.warnings[0]
    assert result.rows[0].unknown_mass == pytest.approx(0.25, abs=0.06)
    assert result.manifest["labels"]["gender"]["coverage"]["missing"] == pytest.approx(0.25)


def test_noisy_labels_measure_less_of_the_same_bias_and_say_who_they_are():
    own, noisy = (
        audits.audit(MODEL, SMALL, groups=groups, **PLAIN).result
        for groups in (None, "noisy(accuracy=0.8)")
    )
    assert noisy.rows[0].source == "noisy(accuracy=0.8)"
    assert 0 < noisy.rows[0].excess < 0.9 * own.rows[0].excess


def test_intersection_told_by_an_annotator_is_that_of_its_parts():
    found = audits.audit("phantom_ideal", SMALL, groups="noisy(accuracy=0.7)", metric="NDKL@20")
    groups = found.study.collection.groups
    for joint, gender, skin in zip(
        groups["gender*skin"].codes, groups["gender"].codes, groups["skin"].codes, strict=True
    ):
        assert (
            groups["gender*skin"].names[joint]
            == f"{groups['gender'].names[gender]}*{groups['skin'].names[skin]}"
        )


def test_who_mitigates_sees_the_truth_through_its_own_noise_only(study):
    choices = {"mitigate": "pbm", "mitigate_groups": "noisy(accuracy=0.85)", **PLAIN}
    own = audits.audit(MODEL, SMALL, **choices)
    other = audits.audit(MODEL, SMALL, groups="noisy(accuracy=0.6)", **choices)
    assert own.rankings["pbm"].rows.tolist() == other.rankings["pbm"].rows.tolist()
    assert (
        not other.result.warnings
        and other.result.manifest["mitigate"]["labels"] == "noisy(accuracy=0.85)"
    )
    same = audits.audit(MODEL, SMALL, groups="noisy(accuracy=0.6)", mitigate="pbm", **PLAIN)
    assert any(
        "labels that mitigate are the labels that measure" in w for w in same.result.warnings
    )


def test_mitigating_labels_may_come_from_a_file(study, tmp_path):
    path = write(tmp_path / "guessed.csv", gendered(study))
    found = audits.audit(MODEL, SMALL, mitigate="pbm", mitigate_groups=path, **PLAIN)
    assert (
        found.result.manifest["mitigate"]["labels"] == "guessed.csv" and not found.result.warnings
    )
    assert (
        found.rankings["pbm"].rows.tolist()
        == audits.audit(MODEL, SMALL, mitigate="pbm", **PLAIN).rankings["pbm"].rows.tolist()
    )


def test_roles_of_a_trial_can_be_told_by_an_annotator_or_a_file(tmp_path):
    asked = {
        "model": "phantom(dose=1,kind=culture)",
        "benchmark": "phantom:culture(seeds=1)",
        "metric": "SelfPreference(part=nearer)",
    }
    own = audits.audit(**asked)
    study = own.study
    pairs = [
        (q, study.collection.ids[r])
        for n, q in enumerate(study.queries.ids)
        for r in study.queries.candidates.of(n)
    ]
    codes = study.roles["role"].codes
    path = write(
        tmp_path / "roles.csv",
        [
            {"query": q, "item": i, "role": study.roles["role"].names[c]}
            for (q, i), c in zip(pairs, codes, strict=True)
        ],
    )
    read = audits.audit(groups=path, **asked)
    assert (
        read.result.rows[0].mean == own.result.rows[0].mean
        and read.result.rows[0].source == "roles.csv"
    )
    noisy = audits.audit(groups="noisy(accuracy=0.5)", **asked).result
    assert noisy.rows[0].source == "noisy(accuracy=0.5)" and noisy.rows[0].undefined > 0


def test_audit_of_a_file_replays(study, tmp_path):
    path = write(tmp_path / "labels.csv", gendered(study))
    audits.save_audit(audits.audit(MODEL, SMALL, groups=path, **PLAIN), tmp_path / "run")
    assert fairlead.replay(tmp_path / "run").result.to_dict() == json.loads(
        (tmp_path / "run" / "scores.json").read_text()
    )


@pytest.mark.parametrize("choice", ["groups", "mitigate_groups"])
def test_labels_of_nobody_are_told(choice):
    with pytest.raises(UsageError, match="neither an annotator nor a file of labels called 'nosy"):
        audits.audit(MODEL, SMALL, **{choice: "nosy(accuracy=0.9)", "mitigate": "pbm"}, **PLAIN)
    with pytest.raises(UsageError, match=r"noisy\(accuracy=2\)"):
        audits.audit(MODEL, SMALL, **{choice: "noisy(accuracy=2)", "mitigate": "pbm"}, **PLAIN)


def test_labels_of_other_items_or_of_single_queries_are_told(study, tmp_path):
    with pytest.raises(DataError, match="labels no item"):
        audits.audit(
            MODEL,
            SMALL,
            groups=write(tmp_path / "a.csv", [{"item": "x", "gender": "male"}]),
            **PLAIN,
        )
    single = write(tmp_path / "b.csv", [{"query": "*", **record} for record in gendered(study)])
    for choice in ({"groups": single}, {"mitigate": "pbm", "mitigate_groups": single}):
        with pytest.raises(DataError, match="labels items for single queries"):
            audits.audit(MODEL, SMALL, **choice, **PLAIN)


def test_command_takes_labels_and_prints_their_source(study, tmp_path, capsys):
    path = write(tmp_path / "labels.csv", gendered(study))
    with pytest.raises(SystemExit) as left:
        main(
            [
                "audit",
                "--model",
                MODEL,
                "--benchmark",
                SMALL,
                "--metric",
                "AbsBias@20",
                "--groups",
                str(path),
            ]
        )
    assert left.value.code == 0 and "labels from 'labels.csv'" in capsys.readouterr().out
    with pytest.raises(SystemExit) as left:
        main(["audit", "--groups", str(tmp_path / "none.csv")])
    assert left.value.code == 2 and "none.csv" in capsys.readouterr().err
