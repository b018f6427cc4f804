"""``doctor`` says what is there, asks nobody, and falls ill from nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from importlib.resources import files

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import fairlead
from fairlead.cli.main import cli
from fairlead.protocols import registry
from fairlead.protocols.reach import FILES
from fairlead.protocols.registry import Extension
from fairlead.store.telemetry import SWITCHES


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "one.bin").write_bytes(bytes(1_500_000))
    (folder / "two.bin").write_bytes(b"ab")
    monkeypatch.setenv("FAIRLEAD_CACHE", str(folder))
    return folder


def test_both_doors_say_the_same_in_the_shape_of_the_schema(own_cache):
    shape = json.loads((files("fairlead.report") / "schemas" / "doctor.json").read_text("utf-8"))
    found = CliRunner().invoke(cli, ["doctor", "--json"])
    assert found.exit_code == 0
    answer = json.loads(found.output)
    Draft202012Validator(shape).validate(answer)
    assert answer == json.loads(json.dumps(fairlead.doctor().to_dict()))
    assert answer["cache"] == {"path": str(own_cache), "files": 2, "bytes": 1_500_002}


def test_terminal_names_everything_that_was_found(own_cache):
    found = fairlead.doctor()
    text = " ".join(CliRunner().invoke(cli, ["doctor"]).output.split())
    assert f"fairlead {fairlead.__version__}" in text
    assert "2 files, 1.5 MB" in text
    for one in (*found.extras, *found.outward):
        assert one.name in text
    for library, (variable, _) in SWITCHES.items():
        assert library in text
        assert variable in text
    assert str(found).split()[0] == "fairlead"


def test_what_reaches_out_is_what_the_registry_says():
    found = {(one.kind, one.name): set(one.reaches) for one in fairlead.doctor().outward}
    for kind in ("encoder", "index", "source", "annotator", "metric", "benchmark"):
        for name in registry.entries(kind):
            beyond = registry.declared(kind, name).most - FILES
            assert found.get((kind, name), set()) == beyond
    assert "code" in found["encoder", "py"]


def test_extras_are_those_of_the_package():
    known = set(metadata.metadata("fairlead").get_all("Provides-Extra") or ()) - {"all"}
    found = {one.name: one for one in fairlead.doctor().extras}
    assert {*found} == known
    for one in found.values():
        assert one.packages
        assert set(one.missing) <= {*one.packages}


def test_package_that_is_not_installed_is_missing(monkeypatch):
    plain = metadata.version

    def version(name: str) -> str:
        if name == "numpy" or name.startswith("faiss"):
            raise metadata.PackageNotFoundError(name)
        return plain(name)

    monkeypatch.setattr(metadata, "version", version)
    found = {one.name: one for one in fairlead.doctor().extras}
    assert found["faiss"].missing == ("faiss-cpu",)
    text = CliRunner().invoke(cli, ["doctor"]).output
    assert re.search(r"faiss +missing +faiss-cpu \(missing\)", text)


def test_plug_in_that_fails_is_told_and_one_that_is_silent_counts_as_code(monkeypatch):
    broken = Extension("encoder", "broken", "no_such_module_at_all:Encoder")
    silent = Extension("annotator", "silent", "tests.trust.hostile:Undeclared")
    monkeypatch.setattr(registry, "_BUILT_IN", [*registry._BUILT_IN, broken, silent])
    for one in (broken, silent):
        monkeypatch.setitem(registry._BUILT_IN_AT, (one.kind, one.name), one)
    found = {one.name: one for one in fairlead.doctor().outward}
    assert "no_such_module_at_all" in found["broken"].fault
    assert "code" in found["silent"].reaches
    assert "unknown: No module named" in CliRunner().invoke(cli, ["doctor"]).output


def test_switch_that_the_user_turned_on_is_told(monkeypatch):
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "0")
    found = {one.library: one.is_off for one in fairlead.doctor().telemetry}
    assert found["huggingface_hub"] is False
    assert "NOT switched off" in CliRunner().invoke(cli, ["doctor"]).output


def test_without_an_installed_package_there_are_no_extras_to_tell(monkeypatch):
    def requires(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert fairlead.doctor().extras == ()
    assert CliRunner().invoke(cli, ["doctor"]).exit_code == 0


def test_nothing_heavy_is_loaded():
    code = "import fairlead, sys; fairlead.doctor(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"torch", "transformers", "onnxruntime", "qdrant_client", "psycopg", "faiss"}
    assert not heavy & {*done.stdout.split()}
