"""What is embedded for these tests is kept for all of them, apart from anybody's own cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    before, folder = os.environ.get("FAIRLEAD_CACHE"), tmp_path_factory.mktemp("cache")
    os.environ["FAIRLEAD_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["FAIRLEAD_CACHE"]
    else:
        os.environ["FAIRLEAD_CACHE"] = before
