"""Errors, exit codes, nearest names, and the registry with its plug-ins."""

from __future__ import annotations

import importlib
import json
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from fairlead.errors import (
    BackendError,
    DataError,
    FairleadError,
    MissingExtra,
    UsageError,
    exit_code,
    together,
    unknown_name,
)
from fairlead.metrics.ndkl import NDKL
from fairlead.protocols import registry


def test_exit_code_of_each_error_is_its_own():
    assert exit_code(UsageError("x")) == 2
    assert exit_code(DataError("x")) == 4
    assert exit_code(MissingExtra("x", "torch")) == 5
    assert exit_code(BackendError("x")) == 6
    assert exit_code(FairleadError("x")) == exit_code(ValueError("x")) == 70


def test_error_text_is_the_message_and_the_hint():
    assert str(UsageError("This is wrong.", "Do that.")) == "This is wrong. Do that."
    assert str(UsageError("This is wrong.")) == "This is wrong."
    assert str(MissingExtra("The encoder", "lp")).startswith(
        "The encoder needs the extra 'lp'. Install it: "
    )


def _noted(tmp_path, monkeypatch, noted):
    """fairlead as if installed with this note of where it is from (PEP 610)."""
    folder = tmp_path / "site" / "fairlead-0.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: fairlead\nVersion: 0.1\n")
    if noted is not None:
        (folder / "direct_url.json").write_text(
            noted if isinstance(noted, str) else json.dumps(noted)
        )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


@pytest.mark.parametrize("editable", [True, False])
def test_missing_extra_installed_from_a_clone_names_the_clone(editable, tmp_path, monkeypatch):
    clone = tmp_path / "my clone"
    clone.mkdir()
    _noted(
        tmp_path,
        monkeypatch,
        {"url": clone.as_uri(), "dir_info": {"editable": True} if editable else {}},
    )
    hint = MissingExtra("index 'faiss'", "faiss").hint
    assert (
        hint
        == f'Install it: {shlex.quote(sys.executable)} -m pip install {"--editable " if editable else ""}"{clone}[faiss]"'
    )


def test_missing_extra_installed_from_a_file_or_an_address_names_it(tmp_path, monkeypatch):
    wheel = tmp_path / "fairlead-0.1-py3-none-any.whl"
    wheel.touch()
    _noted(tmp_path, monkeypatch, {"url": wheel.as_uri(), "archive_info": {}})
    assert MissingExtra("x", "lp").hint.endswith(
        f'-m pip install "fairlead[lp] @ {wheel.as_uri()}"'
    )
    _noted(
        tmp_path / "other",
        monkeypatch,
        {"url": "https://example.org/f.git", "vcs_info": {"vcs": "git"}},
    )
    assert MissingExtra("x", "lp").hint.endswith(
        '-m pip install "fairlead[lp] @ git+https://example.org/f.git"'
    )


@pytest.mark.parametrize(
    "noted", [None, "no JSON", {"url": "file:///no/such/clone", "dir_info": {"editable": True}}]
)
def test_missing_extra_of_unknown_origin_asks_for_a_clone(noted, tmp_path, monkeypatch):
    _noted(tmp_path, monkeypatch, noted)
    assert MissingExtra("x", "lp").hint.endswith(
        f'in a clone of fairlead, {shlex.quote(sys.executable)} -m pip install ".[lp]"'
    )


@pytest.mark.parametrize(
    ("extra", "said"), [("lite", True), ("hf", True), ("faiss", False), ("face", False)]
)
def test_missing_extra_with_torch_says_that_the_cpu_build_is_smaller(extra, said):
    assert ("CPU build of torch first" in MissingExtra("x", extra).hint) is said


def test_missing_extra_with_torch_is_known_for_every_extra_that_needs_it():
    extras = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    needing = {
        name for name, packages in extras.items() if any(p.startswith("torch") for p in packages)
    }
    assert {name for name in extras if "CPU build" in MissingExtra("x", name).hint} == needing | {
        "all"
    }


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("NDCG", "nDCG"),
        ("ndlk", "NDKL"),
        ("Recal", "Recall"),
        ("max_skew", "MaxSkew"),
        ("Exposur", "Exposure"),
        ("prefixkl", "PrefixKL"),
    ],
)
def test_unknown_metric_is_answered_with_the_nearest_name(name, offered):
    with pytest.raises(UsageError, match=f"no metric called '{name}'.*{offered}"):
        registry.make("metric", name)


def test_unknown_name_far_from_all_is_answered_with_all():
    error = unknown_name("colour", "zzzz", ["red", "blue"])
    assert str(error) == "There is no colour called 'zzzz'. Known: blue, red."
    assert unknown_name("colour", "zzzz", []).hint == "Known: none."


def test_several_errors_are_told_as_one_of_the_kind_of_the_first():
    one, two = DataError("first.", "hint."), UsageError("second.")
    assert together([one]) is one
    both = together([one, two])
    assert isinstance(both, DataError)
    assert (
        "2 things are wrong" in str(both) and "first. hint." in str(both) and "second." in str(both)
    )
    assert isinstance(together([two, one]), UsageError)
    assert isinstance(together([BackendError("a"), two]), BackendError)


def test_every_registered_name_loads_and_bears_its_name():
    for kind in ("metric", "reranker"):
        for name, entry in registry.entries(kind).items():
            if (
                kind == "reranker"
                and importlib.util.find_spec(entry.path.partition(":")[0]) is None
            ):
                continue
            assert registry.load(kind, name).name == name


def test_make_passes_objects_through_and_builds_texts():
    metric = NDKL(k=5)
    assert registry.make("metric", metric) is metric
    assert registry.make("metric", "NDKL@5") == metric


def install(folder, name: str, entry_points: str, code: str = "") -> None:
    """A tiny installed package: a module and the metadata that declares its entry points."""
    (folder / f"{name}.py").write_text(code)
    metadata = folder / f"{name}-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(entry_points)


PLUGIN = """
from dataclasses import dataclass
from typing import ClassVar
from fairlead.metrics.tv import TV

@dataclass(frozen=True)
class Twice(TV):
    name: ClassVar[str] = "Twice"
"""


def test_plug_in_is_found_by_its_entry_point(tmp_path, monkeypatch):
    install(tmp_path, "fairlead_twice", "[fairlead.metric]\nTwice = fairlead_twice:Twice\n", PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "Twice" in registry.entries("metric")
    assert str(registry.make("metric", "Twice(discount=log2)@3")) == "Twice(discount=log2)@3"
    sys.modules.pop("fairlead_twice")


def test_plug_in_with_a_built_in_name_is_refused(tmp_path, monkeypatch):
    install(tmp_path, "fairlead_thief", "[fairlead.metric]\nNDKL = fairlead_thief:NDKL\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match="takes the name 'NDKL'"):
        registry.entries("metric")


def test_missing_heavy_part_names_its_extra(monkeypatch):
    entry = registry.Extension("metric", "Heavy", "fairlead_not_installed:Heavy", "heavy")
    monkeypatch.setattr(registry, "_BUILT_IN", [entry])
    with pytest.raises(MissingExtra, match=r"metric 'Heavy' needs the extra 'heavy'"):
        registry.load("metric", "Heavy")
