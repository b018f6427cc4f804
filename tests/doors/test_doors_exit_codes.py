"""One table maps errors to exit codes; plug-ins meet the same doors as what is built in."""

from __future__ import annotations

import pytest

from fairlead.errors import (
    BackendError,
    DataError,
    FairleadError,
    MissingExtra,
    UsageError,
    exit_code,
)

PLUG_IN = '''
from dataclasses import dataclass
from typing import ClassVar
from fairlead.errors import BackendError, MissingExtra
from fairlead.metrics.abs_bias import AbsBias


@dataclass(frozen=True)
class Mine(AbsBias):
    """The gap, by another name."""
    name: ClassVar[str] = "Mine"


@dataclass(frozen=True)
class NeedsExtra(AbsBias):
    """Needs what is not there."""
    name: ClassVar[str] = "NeedsExtra"
    def measure(self, lists):
        raise MissingExtra("metric 'NeedsExtra'", "ranx")


@dataclass(frozen=True)
class Remote(AbsBias):
    """Asks a machine that is down."""
    name: ClassVar[str] = "Remote"
    def measure(self, lists):
        raise BackendError("The database does not answer.", "Start it.")


@dataclass(frozen=True)
class Faulty(AbsBias):
    """Has a fault."""
    name: ClassVar[str] = "Faulty"
    def measure(self, lists):
        return 1 / 0
'''


@pytest.fixture
def plugged(desk, monkeypatch):
    folder = desk()
    site = folder / "site"
    (site / "plug-1.0.dist-info").mkdir(parents=True)
    (site / "plug_in.py").write_text(PLUG_IN)
    (site / "plug-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n"
    )
    names = ("Mine", "NeedsExtra", "Remote", "Faulty")
    (site / "plug-1.0.dist-info" / "entry_points.txt").write_text(
        "[fairlead.metric]\n" + "".join(f"{n} = plug_in:{n}\n" for n in names)
    )
    monkeypatch.syspath_prepend(str(site))
    return folder


def test_exit_codes_are_the_documented_table():
    assert exit_code(UsageError("x")) == 2
    assert exit_code(DataError("x")) == 4
    assert exit_code(MissingExtra("x", "y")) == 5
    assert exit_code(BackendError("x")) == 6
    assert exit_code(ValueError("x")) == 70
    assert exit_code(FairleadError("x")) == 70


def test_plug_in_is_measured_listed_and_reported_like_the_rest(plugged, door):
    answer = door(
        "score",
        "run.csv",
        "--groups",
        "labels.csv",
        "--metric",
        "Mine@2",
        "--metric",
        "AbsBias@2",
        "--json",
    )
    assert answer.code == 0
    mine, built_in = answer.json["metrics"]
    assert (mine["metric"], mine["mean"]) == ("Mine@2", built_in["mean"])
    assert "Mine" in [e["name"] for e in door("list", "metrics", "--json").json["entries"]]
    assert (
        door(
            "score", "run.csv", "--groups", "labels.csv", "--metric", "Mine@2", "-o", "page.html"
        ).code
        == 0
    )
    assert "The gap, by another name." in (plugged / "page.html").read_text()


@pytest.mark.parametrize(
    ("metric", "code", "kind", "fragment"),
    [
        ("NeedsExtra@2", 5, "missing-extra", '[ranx]"'),
        ("Remote@2", 6, "backend", "Start it."),
        ("Faulty@2", 70, "internal", "ZeroDivisionError"),
    ],
)
def test_failure_of_a_part_has_its_own_exit_code(
    metric, code, kind, fragment, plugged, door, schema_faults
):
    args = ("score", "run.csv", "--groups", "labels.csv", "--metric", metric, "-o", "out")
    told = door(*args)
    assert told.code == code
    assert fragment in told.err
    assert "Traceback" not in told.err
    answer = door(*args, "--json")
    assert answer.code == code
    assert answer.json["error"]["kind"] == kind
    assert schema_faults("error", answer.json) == []
    assert not (plugged / "out").exists()
    assert not [p for p in plugged.iterdir() if p.name.startswith(".")]


def test_debug_shows_the_traceback(plugged, door):
    told = door("--debug", "score", "run.csv", "--groups", "labels.csv", "--metric", "Faulty@2")
    assert told.code == 70
    assert "Traceback" in told.err and "ZeroDivisionError" in told.err
    assert "Traceback" in door("--debug", "score", "none.csv", "--groups", "labels.csv").err


def test_plug_in_may_not_take_a_built_in_name(plugged, door):
    (plugged / "site" / "plug-1.0.dist-info" / "entry_points.txt").write_text(
        "[fairlead.metric]\nNDKL = plug_in:Mine\n"
    )
    told = door("list", "metrics")
    assert told.code == 2
    assert "takes the name 'NDKL'" in told.err
