"""Errors, exit codes, nearest names, and the registry with its plug-ins."""

from __future__ import annotations

import importlib
import sys

import pytest

from fairlead import registry
from fairlead.errors import BackendError, DataError, FairleadError, MissingExtra, UsageError, exit_code, together, unknown_name
from fairlead.metrics.ndkl import NDKL


def test_exit_code_of_each_error_is_its_own():
    assert exit_code(UsageError("x")) == 2
    assert exit_code(DataError("x")) == 4
    assert exit_code(MissingExtra("x", "torch")) == 5
    assert exit_code(BackendError("x")) == 6
    assert exit_code(FairleadError("x")) == exit_code(ValueError("x")) == 70


def test_error_text_is_the_message_and_the_hint():
    assert str(UsageError("This is wrong.", "Do that.")) == "This is wrong. Do that."
    assert str(UsageError("This is wrong.")) == "This is wrong."
    assert 'pip install "fairlead[torch]"' in str(MissingExtra("The encoder", "torch"))


@pytest.mark.parametrize(
    ("name", "offered"),
    [("NDCG", "nDCG"), ("ndlk", "NDKL"), ("Recal", "Recall"), ("max_skew", "MaxSkew"), ("Exposur", "Exposure"), ("prefixkl", "PrefixKL")],
)
def test_unknown_metric_is_answered_with_the_nearest_name(name, offered):
    with pytest.raises(UsageError, match=f"no metric called '{name}'.*{offered}"):
        registry.make("metric", name)


def test_unknown_name_far_from_all_is_answered_with_all():
    error = unknown_name("colour", "zzzz", ["red", "blue"])
    assert str(error) == "There is no colour called 'zzzz'. Known: blue, red."


def test_several_errors_are_told_as_one_of_the_kind_of_the_first():
    one, two = DataError("first.", "hint."), UsageError("second.")
    assert together([one]) is one
    both = together([one, two])
    assert isinstance(both, DataError)
    assert "2 things are wrong" in str(both) and "first. hint." in str(both) and "second." in str(both)
    assert isinstance(together([two, one]), UsageError)
    assert isinstance(together([BackendError("a"), two]), BackendError)


def test_every_registered_name_loads_and_bears_its_name():
    for kind in ("metric", "reranker"):
        for name, entry in registry.entries(kind).items():
            if kind == "reranker" and importlib.util.find_spec(entry.path.partition(":")[0]) is None:
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
    entry = registry.Entry("metric", "Heavy", "fairlead_not_installed:Heavy", "heavy")
    monkeypatch.setattr(registry, "_BUILT_IN", [entry])
    with pytest.raises(MissingExtra, match=r"metric 'Heavy' needs the extra 'heavy'"):
        registry.load("metric", "Heavy")
