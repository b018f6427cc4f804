"""Readers: processes see what threads see, and a folder embedded by one is byte for byte that of
the other.
"""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from fairlead.engine.readers import Processes, Threads, look
from fairlead.errors import BackendError
from fairlead.store.materials import Files
from fairlead.store.sources.choose import find_source


@pytest.fixture
def prepares(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    return importlib.import_module("preparing_pictures")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place, rng = tmp_path_factory.mktemp("pictures"), np.random.default_rng(0)
    for number in range(40):
        Image.fromarray(rng.integers(0, 256, (8, 8, 3), np.uint8)).save(place / f"{number:02}.png")
    Image.new("RGB", (8, 8)).save(place / "90-black.png")
    (place / "91-broken.png").write_bytes(b"no picture")
    return place


def test_processes_see_what_threads_see_in_the_same_order(
    folder: Path, prepares: ModuleType
) -> None:
    entries = find_source(folder).entries
    material = Files()
    with Threads(lambda e: look(e, material, prepares.darkest, {}), entries, 3, 8) as threads:
        expected = list(threads)
    with Processes(material, prepares.darkest, entries, 3, 8) as processes:
        found = list(processes)
    assert [entry.id for entry, _ in found] == [entry.id for entry, _ in expected]
    for (_, one), (_, other) in zip(found, expected, strict=True):
        assert (one.content, one.fault, one.weight) == (other.content, other.fault, other.weight)
        assert np.array_equal(one.thing, other.thing)
    assert sum(seen.fault is not None for _, seen in found) == 2


def test_a_reader_that_dies_is_told(folder: Path, prepares: ModuleType) -> None:
    entries = find_source(folder).entries
    with (
        Processes(Files(), prepares.dying, entries, 2, 8) as processes,
        pytest.raises(BackendError, match="ended of itself"),
    ):
        list(processes)


def test_a_folder_embedded_by_processes_equals_one_by_threads(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairlead.engine import embedding, galleries
    from fairlead.testing.tiny_models import tiny_hf

    monkeypatch.setattr(embedding, "_MANY", 1)
    model = f"hf:{tiny_hf('clip', tmp_path / 'model')}"
    digests = []
    for processes in (True, False):
        out = tmp_path / f"out-{processes}"
        galleries.embed(folder, model, out, workers=3, processes=processes)
        digests.append(
            {
                f.name: hashlib.sha256(f.read_bytes()).hexdigest()
                for f in sorted(out.iterdir())
                if f.is_file()
            }
        )
    assert digests[0] == digests[1]
