"""A picture that changed while its size and its time stayed the same is found by ``embed``: the
disk notes every change, and no program can set that back.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fairlead.engine.galleries import embed
from fairlead.store import embedded
from fairlead.types import Embeddings

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="the disk must note when a file was last touched"
)


class Corner:
    """The first pixel of a picture; counts what it sees."""

    name, fingerprint = "corner", "corner"

    def __init__(self) -> None:
        self.seen = 0

    def texts(self, texts, role): ...

    def images(self, images, role):
        self.seen += len(images)
        return Embeddings(np.stack([np.asarray(i, np.float32)[0, 0] for i in images]) + 1)


def draw(file: Path, shade: int) -> None:
    """Bitmaps of one size have the same number of bytes."""
    Image.fromarray(np.full((4, 4, 3), shade, np.uint8)).save(file, "BMP")


def redraw(file: Path, shade: int) -> None:
    """Another picture in the same file, with its size and its time."""
    before = file.stat()
    draw(file, shade)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = file.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(6):
        draw(folder / f"{number}.bmp", 10 * number)
    draw(folder / "twin.bmp", 30)
    (folder / "broken.bmp").write_bytes((folder / "0.bmp").read_bytes()[:40])
    return folder


def shades(folder: Path) -> dict[str, int]:
    found = embedded.open_embedded(folder)
    return {
        name: int(vector[0]) - 1
        for name, vector in zip(found.collection.ids, found.embeddings.vectors, strict=True)
    }


def test_picture_changed_with_equal_size_and_time_is_embedded_again(photos, tmp_path):
    encoder, out = Corner(), tmp_path / "out"
    embed(photos, encoder, out)
    redraw(photos / "2.bmp", 200)
    result = embed(photos, encoder, out)
    assert (encoder.seen, result.embedded) == (6 + 1, 1)
    assert shades(out) == {f"{n}.bmp": 200 if n == 2 else 10 * n for n in range(6)}
    before = {f.name: f.read_bytes() for f in out.iterdir()}
    assert embed(photos, encoder, out).embedded == 0
    assert {f.name: f.read_bytes() for f in out.iterdir()} == before


def test_twin_of_a_picture_that_changed_becomes_an_item(photos, tmp_path):
    out = tmp_path / "out"
    embed(photos, Corner(), out)
    redraw(photos / "3.bmp", 77)
    embed(photos, Corner(), out)
    assert shades(out)["twin.bmp"] == 30 and shades(out)["3.bmp"] == 77


def test_skipped_file_that_was_mended_with_equal_size_and_time_becomes_an_item(photos, tmp_path):
    out, twin = tmp_path / "out", photos / "twin.bmp"
    embed(photos, Corner(), out)
    redraw(twin, 99)
    embed(photos, Corner(), out)
    assert shades(out)["twin.bmp"] == 99


def test_files_that_were_only_touched_are_read_once_and_nothing_is_written(
    photos, tmp_path, monkeypatch
):
    encoder, out = Corner(), tmp_path / "out"
    embed(photos, encoder, out)
    journal = (out / "items.jsonl").read_bytes()
    for file in photos.iterdir():
        file.chmod(0o640)
    embed(photos, encoder, out)
    assert encoder.seen == 6
    assert (out / "items.jsonl").read_bytes() == journal
    reads = []
    kept = embedded._changed
    monkeypatch.setattr(
        embedded,
        "_changed",
        lambda j, touched, c: reads.append(len(touched)) or kept(j, touched, c),
    )
    embed(photos, encoder, out)
    assert reads == [0]


def test_file_of_another_caption_that_changed_too_is_not_taken_for_what_it_was(photos, tmp_path):
    out = tmp_path / "out"
    embed(photos, Corner(), out)
    redraw(photos / "4.bmp", 123)
    (photos / "4.txt").write_text("a caption")
    embed(photos, Corner(), out)
    assert shades(out)["4.bmp"] == 123


def test_folder_of_before_and_one_that_is_not_finished_are_looked_at_too(photos, tmp_path):
    out = tmp_path / "out"
    embed(photos, Corner(), out)
    manifest = embedded.read_manifest(out)
    del manifest["source"]["touched"]
    embedded.manifest_file.write_manifest(out / "manifest.json", manifest)
    redraw(photos / "1.bmp", 150)
    shutil.copytree(out, tmp_path / "begun", copy_function=shutil.copy2)
    (tmp_path / "begun" / "manifest.json").unlink()
    for folder in (out, tmp_path / "begun"):
        embed(photos, Corner(), folder)
        assert shades(folder)["1.bmp"] == 150


def test_vectors_kept_in_the_cache_follow_where_they_are_brought_in_line(photos, tmp_path):
    """``embed`` calls ``bring``, which looks; a search of a folder goes by size and time alone."""
    from fairlead.engine.galleries import open_gallery

    encoder, cache = Corner(), tmp_path / "cache"
    first = open_gallery(photos, encoder, cache=cache)
    redraw(photos / "5.bmp", 240)
    assert open_gallery(photos, encoder, cache=cache).fingerprint == first.fingerprint
    draw(photos / "new.bmp", 60)  # anything else that is new leads to a look at all of them
    assert shades(open_gallery(photos, encoder, cache=cache).folder)["5.bmp"] == 240
