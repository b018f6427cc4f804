"""Projections through the doors: fitted to a file, named as a mitigation, refused in words."""

from __future__ import annotations

import fairlead

MODEL, SMALL = "phantom_ideal(dose=0.8)", "phantom(seeds=1)"
FIT = [
    "train",
    "projection",
    "leace",
    "--model",
    MODEL,
    "--benchmark",
    "phantom(seeds=2,first=50)",
    "--attribute",
    "gender",
]


def test_train_projection_writes_a_file_that_audit_and_search_take(
    door, tmp_path, schema_faults, monkeypatch
):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    written = door(*FIT, "-o", "gender.npz", "--json")
    assert written.code == 0 and written.json["written"] == "gender.npz"
    assert written.json["card"]["samples"] == {"female": 224, "male": 224}
    told = door("audit", "--model", MODEL, "--benchmark", SMALL, "--attribute", "gender", "--metric", "AbsBias@10", "--mitigate",
                "fitted:gender.npz", "--mitigate", "fitted:gender.npz+pbm", "--json")  # fmt: skip
    assert told.code == 0 and schema_faults("audit", told.json) == []
    variants = {row["variant"] for row in told.json["metrics"]}
    assert variants == {"plain", "fitted:gender.npz", "fitted:gender.npz+pbm"}
    assert told.json["manifest"]["projections"]["fitted:gender.npz"]["projection"] == "leace"
    found = door("search", "a photo of a nurse", "--model", MODEL, "--collection", SMALL, "--mitigate", "fitted:gender.npz+pbm", "-k", 4,
                 "--json")  # fmt: skip
    assert found.code == 0 and schema_faults("search", found.json) == []
    same = fairlead.search(
        "a photo of a nurse", model=MODEL, collection=SMALL, mitigate="fitted:gender.npz+pbm", k=4
    )
    assert [i["id"] for i in found.json["results"][0]["variants"][1]["items"]] == [
        i.id for i in same.results[0].variants[1].items
    ]
    assert (
        door(*FIT, "-o", "again.npz").out.splitlines()[0]
        == "leace for 'gender' of phantom_ideal(dose=0.8): female 224, male 224."
    )
    assert (tmp_path / "gender.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()
    other = door(
        "search",
        "a photo of a nurse",
        "--model",
        "phantom_ideal",
        "--collection",
        SMALL,
        "--mitigate",
        "fitted:gender.npz",
    )
    assert other.code == 4 and "was fitted on vectors of phantom_ideal(dose=0.8)" in other.err


def test_train_projection_that_cannot_be_met_is_refused_in_words(door, tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    cases = {
        ("leace", "-o", "x.txt"): (2, "ends in .npz"),
        ("leace", "--collection", "a", "--benchmark", "b", "-o", "x.npz"): (2, "not both"),
        ("leace", "-o", "x.npz"): (2, "--collection or --benchmark"),
        ("leace+pbm", "-o", "x.npz"): (2, "no projection called"),
        ("mi_clip(dims=400)", "--model", MODEL, "--benchmark", SMALL, "-o", "x.npz"): (
            2,
            "400 of 38 dimensions",
        ),
        ("leace", "--model", MODEL, "--benchmark", SMALL, "--attribute", "hat", "-o", "x.npz"): (
            2,
            "no labelled attribute called 'hat'",
        ),
    }
    for args, (code, words) in cases.items():
        told = door("train", "projection", *args)
        assert told.code == code and words in told.err, told
    assert not list(tmp_path.glob("*.npz"))


def test_list_projections_is_what_the_registry_holds(door, schema_faults):
    from fairlead.protocols.registry import entries

    told = door("list", "projections", "--json")
    assert [card["name"] for card in told.json["entries"]] == list(entries("projection"))
    assert schema_faults("list", told.json) == []
    assert "leace" in door("list", "projections").out


def test_rerank_of_a_saved_ranking_has_no_vectors_to_project(door, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.csv").write_text("query,item,score\nq,a,3\nq,b,2\n")
    (tmp_path / "labels.csv").write_text("item,gender\na,female\nb,male\n")
    for name in ("leace", "leace+pbm"):
        told = door(
            "rerank",
            "run.csv",
            "--groups",
            "labels.csv",
            "--mitigate",
            name,
            "-k",
            2,
            "-o",
            "new.csv",
        )
        assert (
            told.code == 2
            and "acts on vectors" in told.err
            and "audit, search or frontier" in told.err
        )
