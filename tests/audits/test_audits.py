"""The road from a model's name to a report, on the ideal phantom."""

from __future__ import annotations

import json

import pytest

import fairlead
from fairlead.cli.main import main
from fairlead.commands import audit as audits
from fairlead.engine.treatments import completed
from fairlead.errors import DataError, UsageError
from fairlead.phantom.stereotypes import GENDER_PULL, controls
from fairlead.protocols import registry
from fairlead.store.saved_run import read_saved
from fairlead.types import Ranking

SMALL = "phantom(seeds=6)"


def test_ideal_phantom_reads_chance_at_dose_zero_and_more_with_more_dose() -> None:
    excess = []
    for dose in (0, 0.4, 0.8):
        found = audits.audit(
            f"phantom_ideal(dose={dose})", SMALL, attribute="gender", metric="NDKL(over=relevant)"
        )
        excess.append(found.result.rows[0])
    assert excess[0].excess_ci[0] <= 0 <= excess[0].excess_ci[1]
    assert excess[0].excess < excess[1].excess < excess[2].excess
    assert excess[2].q < 0.01


def test_only_injected_occupations_are_found() -> None:
    found = audits.audit(
        "phantom_ideal(dose=0.8)",
        "phantom(seeds=16)",
        attribute="gender",
        metric="NDKL(over=relevant)",
    )
    values = found.result.values[0]
    called = {q for q, p in zip(found.result.queries, values.q, strict=True) if p < 0.05}
    injected = {o for o, pull in GENDER_PULL.items() if pull}
    assert len(called & set(controls("gender"))) <= 1
    assert len(called & injected) >= 0.9 * len(injected)


def test_who_mitigates_is_not_who_measures() -> None:
    clean = audits.audit(
        "phantom_ideal(dose=0.8)", SMALL, attribute="gender", metric="AbsBias@20", mitigate="pbm"
    )
    noisy = audits.audit(
        "phantom_ideal(dose=0.8)",
        SMALL,
        attribute="gender",
        metric="AbsBias@20",
        mitigate="pbm",
        mitigate_groups="noisy(accuracy=0.8)",
    )
    plain, perfect, guessed = (
        clean.result.rows[0].mean,
        clean.result.rows[1].mean,
        noisy.result.rows[1].mean,
    )
    assert perfect < guessed < plain
    assert any(
        "labels that mitigate are the labels that measure" in w for w in clean.result.warnings
    )
    assert not noisy.result.warnings
    assert noisy.result.manifest["mitigate"]["labels"] == "noisy(accuracy=0.8)"


def test_folder_replays_to_the_same_numbers(tmp_path) -> None:
    found = audits.audit(
        "phantom_ideal(dose=0.4)",
        SMALL,
        attribute="gender",
        metric=["NDKL@20", "nDCG@20"],
        mitigate="detgreedy",
    )
    audits.save_audit(found, tmp_path / "run")
    again = fairlead.replay(tmp_path / "run")
    assert again.result.to_dict() == json.loads((tmp_path / "run" / "scores.json").read_text())
    assert list(read_saved(tmp_path / "run" / "run.parquet").lists) == ["plain", "detgreedy"]
    with pytest.raises(DataError, match="no folder of an audit"):
        fairlead.replay(tmp_path)


def test_stored_rankings_can_be_scored_again_without_the_model(tmp_path) -> None:
    import fairlead

    found = audits.audit("phantom_ideal(dose=0.4)", SMALL, attribute="gender", metric="AbsBias@20")
    audits.save_audit(found, tmp_path / "run")
    assert fairlead.score(tmp_path / "run").rows == found.result.rows
    study = registry.make("benchmark", SMALL).study()
    labels = {
        i: {"gender": study.collection.groups["gender"].names[c]}
        for i, c in zip(study.collection.ids, study.collection.groups["gender"].codes, strict=True)
    }
    again = fairlead.score(tmp_path / "run" / "run.parquet", labels, metric="AbsBias@20")
    assert again.rows[0].mean == pytest.approx(found.result.rows[0].mean)


def test_all_unknown_names_of_a_plan_are_told_together() -> None:
    with pytest.raises(UsageError) as caught:
        audits.audit("phantm", "phantom", mitigate="pbn", metric="NDLK@10")
    assert all(word in str(caught.value) for word in ("phantm", "pbn", "NDLK", "3 things"))
    with pytest.raises(UsageError, match="no attribute"):
        audits.audit("phantom_ideal", SMALL, attribute="age")


def test_completed_list_shows_the_mitigated_items_first_and_loses_none() -> None:
    plain, shown = Ranking.of([[5, 6, 7, 8], [1, 2, 3]]), Ranking.of([[7, 5], [3]])
    assert completed(plain, shown).rows.tolist() == [7, 5, 6, 8, 3, 1, 2]


def test_command_prints_json_rows_with_their_variant(capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main(["audit", "--model", "phantom_ideal(dose=0.8)", "--benchmark", SMALL, "--attribute", "gender", "--metric", "AbsBias@20",
              "--mitigate", "pbm", "--json"])  # fmt: skip
    rows = json.loads(capsys.readouterr().out)["metrics"]
    assert left.value.code == 0 and [r["variant"] for r in rows] == ["plain", "pbm"]
