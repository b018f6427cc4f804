"""Flipped bits in kept vectors, their table and kept indexes are found before a number is shown;
what was found sound is not read again until it changes.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from fairlead.errors import DataError
from fairlead.indexes import keeping
from fairlead.indexes.faiss import Faiss
from fairlead.store import checked, embedded
from fairlead.store.embedding import EmbeddingWriter
from fairlead.store.journal import Journal
from fairlead.store.sources.entries import SourceEntry
from fairlead.types import Embeddings

HEADER = {
    "source": {"kind": "folder", "path": "/p"},
    "model": {"spec": "m", "fingerprint": "f"},
    "dtype": "float32",
    "side": "images",
    "max_pixels": 9,
}
ABOUT = {"command": "embed", "source": HEADER["source"], "model": HEADER["model"]}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files count as old at once, so that what was checked is remembered."""
    monkeypatch.setattr(checked, "_YOUNG", -(10**12))
    return


def collection(folder: Path, *, late: bool, items: int = 40) -> Path:
    rng = np.random.default_rng(1)
    with EmbeddingWriter(folder, HEADER, Journal()) as writer:
        for start in range(0, items, 8):
            rows = range(start, min(start + 8, items))
            for row in rows:
                columns = (("gender", ("female", "male")[row % 2]),)
                writer.keep(SourceEntry(f"{row}.jpg", f"/p/{row}.jpg", columns=columns), f"c{row}")
            sizes = [1 + row % 3 if late else 1 for row in rows]
            vectors = rng.normal(size=(sum(sizes), 16)).astype(np.float32)
            offsets = np.concatenate([[0], np.cumsum(sizes)]) if late else None
            writer.commit(Embeddings(vectors, offsets))
        writer.finish(ABOUT)
    return folder


def flipped(file: Path, bit: int) -> None:
    """Flip a bit; the time of change that people see stays as it was."""
    before = file.stat()
    with file.open("r+b") as stream:
        stream.seek(bit // 8)
        byte = stream.read(1)[0] ^ (1 << bit % 8)
        stream.seek(bit // 8)
        stream.write(bytes([byte]))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def found(file: Path, read: Callable[[], object], flips: int) -> int:
    """In how many of some flips of a bit reading is refused; the file is as before in the end."""
    rng, refused = random.Random(3), 0
    for _ in range(flips):
        bit = rng.randrange(8 * file.stat().st_size)
        flipped(file, bit)
        try:
            read()
        except DataError:
            refused += 1
        flipped(file, bit)
    read()
    return refused


@pytest.mark.parametrize(
    ("late", "name"), [(False, "vectors.bin"), (True, "vectors.bin"), (True, "offsets.bin")]
)
def test_flipped_bits_of_vectors_are_found(tmp_path, old, count, bar, late, name) -> None:
    folder, flips = collection(tmp_path / "e", late=late), count(24, 400)
    embedded.open_embedded(folder)
    refused = found(folder / name, lambda: embedded.open_embedded(folder), flips)
    bar(
        f"flipped bits in {name} found ({'many' if late else 'one'} a picture)",
        f"{refused} of {flips}",
        "all",
    )
    assert refused == flips


def test_flipped_bits_of_the_table_change_no_name_and_no_label(tmp_path, old, count) -> None:
    folder = collection(tmp_path / "e", late=False)
    sound = embedded.open_embedded(folder).collection

    def read() -> None:
        told = embedded.open_embedded(folder).collection
        assert told.ids == sound.ids and told.images == sound.images
        assert np.array_equal(told.groups["gender"].codes, sound.groups["gender"].codes)

    # A bit that nobody reads, such as one of the writer's name, may be another one.
    assert found(folder / embedded.ITEMS, read, count(40, 2_000))


def test_flipped_bits_of_a_kept_index_are_found(tmp_path, old, count, bar) -> None:
    pytest.importorskip("faiss")
    vectors = np.random.default_rng(0).normal(size=(3_000, 8)).astype(np.float32)
    index, place, flips = Faiss("ivf"), tmp_path / "index", count(24, 200)
    index.add(Embeddings(vectors))
    index.keep(place, "mine")
    files = [f for f in sorted(place.iterdir()) if f.name != "index.json"]
    refused = sum(found(f, lambda: Faiss("ivf").open(place, "mine"), flips) for f in files)
    bar("flipped bits in a kept index found", f"{refused} of {len(files) * flips}", "all")
    assert refused == len(files) * flips
    Faiss("ivf").drop(place, "mine")
    assert not list(place.iterdir()), "one that is damaged can be let go of"


def test_index_kept_before_there_were_checksums_is_made_anew(tmp_path) -> None:
    pytest.importorskip("faiss")
    index, place = Faiss(), tmp_path / "index"
    index.add(Embeddings(np.eye(4, dtype=np.float32)))
    index.keep(place, "mine")
    manifest = keeping.manifest_file.read_manifest(place / "index.json")
    del manifest["crc32"]
    keeping.write_manifest(place / "index.json", manifest)
    assert Faiss().open(place, "mine") == 0


def test_what_was_found_sound_is_not_read_again_until_it_changes(
    tmp_path, cache, old, monkeypatch
) -> None:
    folder, reads = collection(tmp_path / "e", late=False), []
    verify = embedded.verify
    monkeypatch.setattr(embedded, "verify", lambda *given: (reads.append(given), verify(*given)))
    for _ in range(3):
        embedded.open_embedded(folder)
    assert len(reads) == 1
    (folder / "vectors.bin").touch()
    for _ in range(3):
        embedded.open_embedded(folder)
    assert len(reads) == 2
    (copy := tmp_path / "copy").mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    embedded.open_embedded(copy)
    assert len(reads) == 3, "a copy is another file"
    assert len(list((cache / "checked").iterdir())) == 2


def test_file_that_was_just_changed_is_checked_every_time(tmp_path, cache, monkeypatch) -> None:
    file, checks = tmp_path / "file", []
    file.write_text("a")
    for _ in range(2):
        checked.check_once([file], lambda: checks.append(1))
    assert len(checks) == 2 and not (cache / "checked").exists()
    now = time.time_ns()
    monkeypatch.setattr(checked.time, "time_ns", lambda: now + 3_000_000_000)
    for _ in range(3):
        checked.check_once([file], lambda: checks.append(1))
    assert len(checks) == 3


def test_cache_that_cannot_be_written_only_costs_time(tmp_path, monkeypatch, old) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "file"))
    folder = collection(tmp_path / "e", late=False)
    for _ in range(2):
        embedded.open_embedded(folder)
    flipped(folder / "vectors.bin", 77)
    with pytest.raises(DataError, match="not those that were written"):
        embedded.open_embedded(folder)
