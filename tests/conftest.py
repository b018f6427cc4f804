"""Counts of the bars: reduced by default (make test), full with FAIRLEAD_BARS=full (make bars), which prints the closing table."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

# a busy machine is no fault of the example at hand
settings.register_profile("fairlead", deadline=None)
settings.load_profile("fairlead")

FULL = os.environ.get("FAIRLEAD_BARS") == "full"


@pytest.fixture(scope="session")
def full() -> bool:
    """Whether the full counts of the bars are asked for."""
    return FULL


@pytest.fixture(scope="session")
def count() -> Callable[[int, int], int]:
    """``count(reduced, full)``: how many repetitions this run makes."""
    return lambda reduced, whole: whole if FULL else reduced


@pytest.fixture
def bar(record_property: Callable[[str, Any], None]) -> Callable[[str, str, str], None]:
    """``bar(what, figure, bound)``: a line of the closing table."""
    return lambda what, figure, bound: record_property("bar", f"{what}\t{figure}\t{bound}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what the bars measured."""
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, ()) if r.when == "call"]
    lines = sorted({str(value) for r in reports for name, value in r.user_properties if name == "bar"})
    if FULL and lines:
        terminalreporter.section("bars")
        for line in lines:
            what, figure, bound = line.split("\t")
            terminalreporter.write_line(f"{what:<78} {figure:<32} bar: {bound}")
