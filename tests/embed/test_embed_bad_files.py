"""A folder with bad files of ten kinds among good ones: every file is an item or skipped with the
right reason.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fairlead.engine import galleries
from fairlead.protocols import Capabilities, registry
from fairlead.store.pictures import open_picture


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


BOMB = _png(Image.new("1", (20_000, 20_000)))
Make = Callable[[Path, int, bytes, bytes], None]
BAD: dict[str, tuple[str, str, Make]] = {
    "empty": ("jpg", "empty", lambda p, n, jpeg, png: p.write_bytes(b"") and None),
    "text": (
        "jpg",
        "not a picture",
        lambda p, n, jpeg, png: p.write_text(f"I am text number {n}.") and None,
    ),
    "cut-jpeg": (
        "jpg",
        "truncated",
        lambda p, n, jpeg, png: p.write_bytes(jpeg[: len(jpeg) // 2 + n]) and None,
    ),
    "cut-png": (
        "png",
        "truncated",
        lambda p, n, jpeg, png: p.write_bytes(png[: len(png) // 2 + n]) and None,
    ),
    "header": (
        "png",
        "damaged",
        lambda p, n, jpeg, png: p.write_bytes(png[:8] + bytes([n]) * 60) and None,
    ),
    "bomb": ("png", "too large", lambda p, n, jpeg, png: p.write_bytes(BOMB) and None),
    "twin": ("jpg", "duplicate", lambda p, n, jpeg, png: p.write_bytes(jpeg) and None),
    "link": ("jpg", "missing", lambda p, n, jpeg, png: p.symlink_to(f"nowhere-{n}.jpg")),
    "pipe": ("jpg", "not a file", lambda p, n, jpeg, png: os.mkfifo(p)),
    "heic": (
        "heic",
        "unsupported format",
        lambda p, n, jpeg, png: p.write_bytes(b"\0\0\0\x18ftypheic") and None,
    ),
}


def test_thousand_files_with_a_hundred_bad_ones_of_ten_kinds_are_all_accounted_for(
    tmp_path, photos, portraits, count, bar
):
    good, each = count(100, 900), count(2, 10)
    folder = photos(good)
    contents = portraits(good)
    for kind, (suffix, _, make) in BAD.items():
        for number in range(each):
            make(
                folder / f"zz-{kind}-{number}.{suffix}",
                number,
                contents[2 * number + 1],
                contents[2 * number],
            )
    (folder / "notes.txt").write_text("no picture")
    encoder = registry.make("encoder", "phantom")

    found = galleries.embed(folder, encoder, tmp_path / "out")

    assert found.seen == good + 10 * each
    assert found.items == found.embedded == good
    expected = {
        f"zz-{kind}-{number}.{suffix}": reason
        for kind, (suffix, reason, _) in BAD.items()
        for number in range(each)
    }
    with (tmp_path / "out" / "skipped.csv").open(encoding="utf-8", newline="") as file:
        listed = {row["id"]: row["reason"] for row in csv.DictReader(file)}
    assert listed == expected
    assert sum(found.skipped.values()) == 10 * each
    assert found.manifest["source"]["notes"] == {"files that are no pictures": 1}
    gallery = galleries.open_gallery(tmp_path / "out", encoder)
    assert gallery.collection.images is not None
    some = [open_picture(image) for image in gallery.collection.images[:64]]
    assert np.array_equal(gallery.embeddings.vectors[:64], encoder.images(some, "item").vectors)
    again = galleries.embed(folder, encoder, tmp_path / "out")
    assert (again.embedded, again.reused, again.skipped) == (0, good, found.skipped)
    bar(
        "bad files of ten kinds, each reported with its reason",
        f"{len(listed)} of {10 * each} in {found.seen} files",
        "100 of 100 in 1,000",
    )


def test_nothing_but_bad_files_gives_an_empty_collection_that_opens(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.jpg").write_bytes(b"")
    encoder = registry.make("encoder", "phantom")
    found = galleries.embed(tmp_path / "p", encoder, tmp_path / "out")
    assert (found.items, found.skipped) == (0, {"empty": 1})
    assert len(galleries.open_gallery(tmp_path / "out", encoder).collection) == 0
    (tmp_path / "p" / "b.png").write_bytes(_png(Image.new("RGB", (9, 9))))
    assert galleries.embed(tmp_path / "p", encoder, tmp_path / "out").items == 1


def test_file_that_vanishes_between_looking_and_reading_is_reported(tmp_path, photos):
    folder = photos(10)
    encoder = registry.make("encoder", "phantom")

    class Deleting:
        name, fingerprint = "deleting", "d"

        def images(self, images, role):
            for left in folder.glob("0009*"):
                left.unlink()
            return encoder.images(images, role)

        texts = encoder.texts

        def capabilities(self):
            return Capabilities(batch=2)

    found = galleries.embed(folder, Deleting(), tmp_path / "out", workers=1)
    assert found.seen == found.items + sum(found.skipped.values()) == 10
    assert found.skipped in ({"missing": 1}, {})  # read ahead, or gone


@pytest.mark.parametrize("limit", [63 * 64, 64 * 64])
def test_limit_of_pixels_is_a_choice(tmp_path, photos, limit):
    found = galleries.embed(photos(6), "phantom", tmp_path / "out", max_pixels=limit)
    assert found.skipped == ({"too large": 6} if limit < 64 * 64 else {})


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("files that are no pictures", "file that is no picture"),
        ("hidden files and folders", "hidden file or folder"),
        ("rows of captions that name no picture", "row of captions that names no picture"),
        ("further captions of a picture", "further caption of a picture"),
        ("captions that cannot be read", "caption that cannot be read"),
    ],
)
def test_what_else_was_seen_is_said_of_one(many: str, one: str) -> None:
    from fairlead.cli.embed import one_of

    assert one_of(many) == one
