"""Versions: what another version saved is refused with the command that makes it anew."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fairlead
from fairlead.annotators.mlp_file import Classifier, read_classifier, stored
from fairlead.commands.audit import save_audit
from fairlead.engine.kept.index import owner
from fairlead.errors import DataError
from fairlead.phantom.encoder import weights_file
from fairlead.store import versions
from fairlead.store.embedded import read_manifest
from fairlead.store.human import HumanStore
from fairlead.store.journal import header_line, read_header
from fairlead.store.projection_file import Kept, read_projection, write_projection
from fairlead.store.saved_run import read_saved
from fairlead.store.versions import FORMS, refuse_other

Make = Callable[[Path, object], Callable[[], Any]]


def in_json(file: Path, version: object) -> None:
    """The version in a manifest, or none."""
    found = json.loads(file.read_text())
    found.pop("version")
    file.write_text(json.dumps(found if version is None else {**found, "version": version}))


def audit(folder: Path, version: object) -> Callable[[], Any]:
    choices: dict[str, Any] = {"attribute": "gender", "metric": "AbsBias@4"}
    found = fairlead.audit("phantom_ideal(dose=0)", "phantom(seeds=1)", **choices)
    save_audit(found, folder / "audit")
    in_json(folder / "audit" / "manifest.json", version)
    return lambda: fairlead.replay(folder / "audit")


def embedded(folder: Path, version: object) -> Callable[[], Any]:
    (folder / "texts.csv").write_text("id,text\na,a nurse\nb,a judge\n")
    fairlead.embed(folder / "texts.csv", model="phantom", out=folder / "emb")
    in_json(folder / "emb" / "manifest.json", version)
    return lambda: read_manifest(folder / "emb")


def journal(folder: Path, version: object) -> Callable[[], Any]:
    header = json.loads(header_line({"side": "texts"})) | {"version": version}
    (folder / "items.jsonl").write_text(json.dumps(header) + "\n")
    return lambda: read_header(folder / "items.jsonl")


def projection(folder: Path, version: object) -> Callable[[], Any]:
    names = ("projection", "model", "attribute", "groups", "samples")
    write_projection(folder / "p.npz", Kept(dict.fromkeys(names, "x"), {}, np.zeros(0, np.uint64)))
    in_npz(folder / "p.npz", version)
    return lambda: read_projection(folder / "p.npz")


def classifier(folder: Path, version: object) -> Callable[[], Any]:
    layers = [(np.zeros((2, 2)), np.zeros(2))]
    about = {"classes": ["a", "b"], "temperature": 1.0, "root": False}
    np.savez(folder / "c.npz", **stored(Classifier([layers], about)))  # type: ignore[arg-type]
    in_npz(folder / "c.npz", version)
    return lambda: read_classifier(folder / "c.npz")


def in_npz(file: Path, version: object) -> None:
    with np.load(file) as found:
        arrays = {name: found[name] for name in found.files}
    about = json.loads(bytes(arrays["about"])) | {"form": version}
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(file, **arrays)


def human(folder: Path, version: object) -> Callable[[], Any]:
    with HumanStore(folder / "labels.db", create=True):
        pass
    with sqlite3.connect(folder / "labels.db") as connection:
        connection.execute("UPDATE schema SET version = ?", (version,))
    connection.close()
    return lambda: HumanStore(folder / "labels.db").__enter__()


def train(folder: Path, version: object) -> Callable[[], Any]:
    manifest = {"fairlead": "0", "command": "train", "version": version}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return lambda: weights_file(str(folder), "image")


@pytest.mark.parametrize("version", [0, 99])
@pytest.mark.parametrize(
    "make",
    [audit, embedded, journal, projection, classifier, human, train],
    ids=lambda f: f.__name__,
)
def test_what_another_version_saved_is_refused_with_the_command(
    make: Make, version: int, tmp_path: Path
) -> None:
    opened = make(tmp_path, version)
    with pytest.raises(DataError, match=f"of version {version}; this fairlead reads") as refused:
        opened()
    command = FORMS[make.__name__].again.split("{")[0]
    assert command in refused.value.hint
    assert ("newer fairlead" in refused.value.hint) == (version == 99)


def test_embedded_folder_without_a_version_is_refused_and_embedded_again(tmp_path: Path) -> None:
    opened = embedded(tmp_path, None)
    with pytest.raises(DataError, match="without a version") as refused:
        opened()
    assert "fairlead embed SOURCE" in refused.value.hint
    again = fairlead.embed(tmp_path / "texts.csv", model="phantom", out=tmp_path / "emb")
    assert again.embedded == 0 and opened()["version"] == FORMS["embedded"].version


def test_saved_run_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices: dict[str, Any] = {"attribute": "gender", "metric": "AbsBias@4"}
    found = fairlead.audit("phantom_ideal(dose=0)", "phantom(seeds=1)", **choices)
    save_audit(found, tmp_path / "audit")
    newer = versions.Form("a saved run", 2, "fairlead audit ... --out {place}")
    monkeypatch.setitem(versions.FORMS, "run", newer)
    with pytest.raises(DataError, match="a saved run of version 1; this fairlead reads version 2"):
        read_saved(tmp_path / "audit" / "run.parquet")


def test_kept_index_of_another_version_belongs_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    gallery: Any = SimpleNamespace(fingerprint="f")
    before = owner(gallery, {})
    monkeypatch.setitem(versions.FORMS, "index", versions.Form("a kept index", 2, ""))
    assert owner(gallery, {}) != before


def test_version_that_is_written_is_read() -> None:
    for kind, form in FORMS.items():
        refuse_other(kind, form.version, "place")
