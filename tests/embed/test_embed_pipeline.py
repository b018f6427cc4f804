"""The pipeline: order, batches, threads, half precision, many vectors an item, encoders that
refuse; and what is encoded at all.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from fairlead.engine import embedding, galleries, readers
from fairlead.errors import BackendError, DataError, UsageError
from fairlead.protocols import Capabilities
from fairlead.types import Embeddings
from fairlead.types.ragged import offsets_of


def vector(image: Any) -> np.ndarray:
    """A vector that depends on the picture alone."""
    small = np.asarray(image.resize((3, 3)), np.float64).ravel() - 99.5
    return (small / np.linalg.norm(small)).astype(np.float32)


@dataclass
class Counting:
    """Sees whole pictures, and remembers how many it saw at once."""

    batch: int = 8
    fingerprint: str = "counting"
    name: str = "counting"
    seen: list[int] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def capabilities(self):
        return Capabilities(batch=self.batch)

    def texts(self, texts, role):
        self.seen.append(len(texts))
        return Embeddings(np.array([[len(t), t.count("a"), 1] for t in texts], np.float32))

    def images(self, images, role):
        assert role == "item"
        assert all(isinstance(i, Image.Image) and i.mode == "RGB" for i in images)
        self.seen.append(len(images))
        return Embeddings(np.stack([vector(i) for i in images]))


@dataclass
class Ahead(Counting):
    """Prepares pictures on other threads."""

    def prepare(self, image):
        self.threads.add(threading.get_ident())
        return vector(image)

    def prepared(self, images, role):
        self.seen.append(len(images))
        assert threading.get_ident() not in self.threads
        return Embeddings(np.stack(images))


@dataclass
class Many(Counting):
    """Gives one to four vectors an item."""

    def images(self, images, role):
        sizes = [1 + i.getpixel((0, 0))[0] % 4 for i in images]
        rows = [
            vector(i) * (at + 1)
            for i, size in zip(images, sizes, strict=True)
            for at in range(size)
        ]
        return Embeddings(np.stack(rows), offsets_of(np.array(sizes)))


@pytest.mark.parametrize("workers", [1, 5])
@pytest.mark.parametrize("kind", [Counting, Ahead])
def test_embed_vectors_are_those_of_the_pictures_in_order(tmp_path, photos, kind, workers):
    encoder = kind(batch=7)
    found = galleries.embed(photos(40), encoder, tmp_path / "out", workers=workers)
    assert (found.seen, found.items, found.embedded, found.skipped) == (40, 40, 40, {})
    assert encoder.seen == [7, 7, 7, 7, 7, 5]
    gallery = galleries.open_gallery(tmp_path / "out", encoder)
    assert gallery.collection.ids == tuple(sorted(gallery.collection.ids))
    expected = np.stack(
        [vector(Image.open(i).convert("RGB")) for i in gallery.collection.images or ()]
    )
    assert np.array_equal(gallery.embeddings.vectors, expected)


def test_embed_added_images_alone_are_encoded_and_come_last(tmp_path, photos):
    encoder, folder = Counting(), photos(20, first=4)
    galleries.embed(folder, encoder, tmp_path / "out")
    before = (tmp_path / "out" / "vectors.bin").read_bytes()
    encoder.seen.clear()
    photos(4)
    photos(6, first=24)
    found = galleries.embed(folder, encoder, tmp_path / "out")
    assert (found.embedded, found.reused, sum(encoder.seen)) == (10, 20, 10)
    assert (tmp_path / "out" / "vectors.bin").read_bytes().startswith(before)
    ids = galleries.open_gallery(tmp_path / "out", encoder).collection.ids
    assert [int(i[:4]) for i in ids] == [*range(4, 24), *range(4), *range(24, 30)]


def test_embed_renamed_touched_and_captioned_files_keep_their_vectors(tmp_path, photos):
    encoder, folder = Counting(), photos(12)
    galleries.embed(folder, encoder, tmp_path / "out")
    expected = {
        n: vector(Image.open(folder / n).convert("RGB")) for n in sorted(os.listdir(folder))
    }
    encoder.seen.clear()
    (folder / "0003.jpg").rename(folder / "renamed.jpg")
    expected["renamed.jpg"] = expected.pop("0003.jpg")
    os.utime(folder / "0004.png", ns=(5, 5))
    (folder / "0005.txt").write_text("a caption")
    (folder / "0006.png").unlink()
    shutil.copy(folder / "0007.jpg", folder / "0008.png")  # changed: now the content of another
    del expected["0006.png"], expected["0008.png"]
    found = galleries.embed(folder, encoder, tmp_path / "out")
    assert encoder.seen == []
    assert (found.items, found.reused, found.skipped) == (10, 10, {"duplicate": 1})
    gallery = galleries.open_gallery(tmp_path / "out", encoder)
    assert {
        i: v.tolist()
        for i, v in zip(gallery.collection.ids, gallery.embeddings.vectors, strict=True)
    } == {i: v.tolist() for i, v in expected.items()}
    assert gallery.collection.texts is not None
    assert (
        dict(zip(gallery.collection.ids, gallery.collection.texts, strict=True))["0005.jpg"]
        == "a caption"
    )


def test_embed_original_of_a_duplicate_removed_makes_the_duplicate_an_item(tmp_path, photos):
    encoder, folder = Counting(), photos(5)
    shutil.copy(folder / "0001.jpg", folder / "z.jpg")
    assert galleries.embed(folder, encoder, tmp_path / "out").skipped == {"duplicate": 1}
    (folder / "0001.jpg").unlink()
    encoder.seen.clear()
    found = galleries.embed(folder, encoder, tmp_path / "out")
    assert (found.items, found.skipped, encoder.seen) == (5, {}, [])


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=30), st.integers(1, 5), st.sampled_from([1, 4])
)
def test_embed_of_equal_contents_the_first_counts(contents, batch, workers):
    """Against a plain loop: items are first occurrences, in order; batches are full but the last."""
    sink, encoder = Sink(), Counting(batch=batch)
    entries = [Thing(str(number), value) for number, value in enumerate(contents)]
    tally = embedding.embed(entries, Plain(), encoder, sink, workers=workers)
    firsts = [
        number
        for number, value in enumerate(contents)
        if value not in contents[:number] and value != 0
    ]
    assert [e.id for e, _ in sink.items] == [str(n) for n in firsts]
    assert tally.skipped == Counter(
        "unusable" if v == 0 else "duplicate" for n, v in enumerate(contents) if n not in firsts
    )
    assert encoder.seen == [batch] * (len(firsts) // batch) + [len(firsts) % batch] * bool(
        len(firsts) % batch
    )
    assert len(np.concatenate(sink.vectors)) == len(firsts) if firsts else not sink.vectors


@dataclass(frozen=True)
class Thing:
    id: str
    value: int
    fault: tuple[str, str] | None = None


class Plain:
    """Reads a number and sees a picture of it; 0 is broken."""

    def read(self, entry):
        return str(entry.value).encode()

    def see(self, entry, content):
        if entry.value == 0:
            raise DataError("It is broken.")
        return Image.new("RGB", (8, 8), (entry.value * 30, 0, 255))


class Sink:
    def __init__(self):
        self.contents, self.items, self.skipped, self.vectors = {}, [], [], []

    def keep(self, entry, content):
        self.contents[content] = entry.id
        self.items.append((entry, content))

    def skip(self, entry, reason, detail):
        self.skipped.append((entry, reason, detail))

    def commit(self, embeddings):
        self.vectors += [] if embeddings is None else [embeddings.vectors]


def test_embed_reason_of_an_unnamed_fault_is_unusable():
    sink = Sink()
    embedding.embed([Thing("a", 0), Thing("b", 1, ("odd", "very"))], Plain(), Counting(), sink)
    assert [(e.id, reason, detail) for e, reason, detail in sink.skipped] == [
        ("a", "unusable", "It is broken."),
        ("b", "odd", "very"),
    ]


def test_embed_half_precision_is_half_the_size_and_nearly_the_same(tmp_path, photos):
    folder, encoder = photos(20), Counting()
    for half in (False, True):
        galleries.embed(folder, encoder, tmp_path / str(half), half=half)
    whole, halved = (
        galleries.open_gallery(tmp_path / str(half), encoder).embeddings.vectors
        for half in (False, True)
    )
    assert (whole.dtype, halved.dtype) == (np.float32, np.float16)
    assert np.abs(whole - halved).max() < 1e-3
    assert (tmp_path / "False" / "vectors.bin").stat().st_size == 2 * (
        tmp_path / "True" / "vectors.bin"
    ).stat().st_size


def test_embed_many_vectors_an_item_keep_their_offsets_through_appends_and_removals(
    tmp_path, photos
):
    encoder, folder = Many(batch=4), photos(13)

    def check() -> None:
        gallery = galleries.open_gallery(tmp_path / "out", encoder)
        images = [Image.open(i).convert("RGB") for i in gallery.collection.images or ()]
        expected = encoder.images(images, "item")
        assert np.array_equal(gallery.embeddings.offsets, expected.offsets)
        assert np.array_equal(gallery.embeddings.vectors, expected.vectors)

    galleries.embed(folder, encoder, tmp_path / "out")
    check()
    photos(6, first=13)
    galleries.embed(folder, encoder, tmp_path / "out")
    check()
    (folder / "0005.jpg").unlink()
    assert galleries.embed(folder, encoder, tmp_path / "out").embedded == 0
    check()


def test_embed_pictures_the_model_refuses_are_skipped_and_the_others_are_not(tmp_path, photos):
    class Fussy(Counting):
        def images(self, images, role):
            made = super().images(images, role)
            if any(i.size == (5, 5) for i in images):
                raise DataError("It gave 1 of 8 vectors that are zero.")
            made.vectors[[i.size == (6, 6) for i in images]] = np.nan
            return made

    folder = photos(10)
    for size in (5, 6):
        Image.new("RGB", (size, size), "red").save(folder / f"0004-{size}.png")
    found = galleries.embed(folder, Fussy(batch=6), tmp_path / "out")
    assert (found.items, found.skipped) == (10, {"no vector": 1, "refused by the model": 1})


def test_embed_model_that_refuses_everything_is_at_fault(tmp_path, photos):
    class Broken(Counting):
        def images(self, images, role):
            raise DataError("The weights cannot be read.")

    with pytest.raises(DataError, match="weights cannot be read"):
        galleries.embed(photos(4), Broken(), tmp_path / "out")


def test_embed_model_that_cannot_prepare_a_picture_skips_it(tmp_path, photos):
    class Narrow(Ahead):
        def prepare(self, image):
            return super().prepare(image.reduce(image.width // (image.width - 9)))

    folder = photos(5)
    Image.new("RGB", (9, 9)).save(folder / "x.png")
    found = galleries.embed(folder, Narrow(), tmp_path / "out")
    assert (found.items, found.skipped) == (5, {"refused by the model": 1})


def test_embed_model_that_loses_items_is_told(tmp_path, photos):
    class Losing(Counting):
        def images(self, images, role):
            return Embeddings(np.ones((1, 3), np.float32))

    with pytest.raises(BackendError, match="gave 1 vectors for 4 images"):
        galleries.embed(photos(4), Losing(), tmp_path / "out")


def test_embed_failure_in_the_middle_keeps_what_was_committed(tmp_path, photos, files):
    class Failing(Counting):
        def images(self, images, role):
            if len(self.seen) == 3:
                raise RuntimeError("out of memory")
            return super().images(images, role)

    Failing.__name__ = Counting.__name__  # what an encoder without a text form is called
    folder, encoder = photos(30), Failing(batch=5)
    with pytest.raises(RuntimeError):
        galleries.embed(folder, encoder, tmp_path / "out")
    assert not list(tmp_path.glob(".*"))
    healthy = Counting(batch=5)
    assert galleries.embed(folder, healthy, tmp_path / "out").embedded == 15
    galleries.embed(folder, Counting(batch=5), tmp_path / "whole")
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_embed_pictures_that_wait_are_bounded_in_number_and_in_bytes(monkeypatch):
    alive, most, lock = [0], [0], threading.Lock()

    class Heavy:
        nbytes = 1000

        def __init__(self):
            with lock:
                alive[0] += 1
                most[0] = max(most[0], alive[0])

        def __del__(self):
            with lock:
                alive[0] -= 1

    class Sees(Plain):
        def see(self, entry, content):
            return Heavy()

    class Slow(Counting):
        def images(self, images, role):
            time.sleep(0.002)
            return Embeddings(np.ones((len(images), 2), np.float32))

    entries = [Thing(str(n), n + 1) for n in range(400)]
    embedding.embed(entries, Sees(), Slow(batch=10), Sink(), workers=4)
    assert most[0] <= 10 + 20 + 4 + 4
    most[0] = 0
    monkeypatch.setattr(readers, "BYTES", 6000)
    embedding.embed(entries, Sees(), Slow(batch=1000), Sink(), workers=4)
    assert most[0] <= 6 + 6 + 4 + 4


def test_embed_captions_of_a_table(tmp_path):
    (tmp_path / "t.csv").write_text(
        "id,caption,lang\na,a nurse,en\nb,,en\nc,ein Pilot,de\nd,a nurse,en\n"
    )
    encoder = Counting()
    found = galleries.embed(tmp_path / "t.csv", encoder, tmp_path / "out")
    assert (found.items, found.skipped) == (2, {"duplicate": 1, "no caption": 1})
    gallery = galleries.open_gallery(tmp_path / "out", encoder)
    assert (gallery.collection.texts, gallery.collection.images) == (("a nurse", "ein Pilot"), None)
    assert gallery.embeddings.vectors.tolist() == [[7, 1, 1], [9, 0, 1]]


def test_embed_captions_of_a_folder_when_asked(tmp_path, photos):
    folder, encoder = photos(3), Counting()
    with pytest.raises(UsageError, match="has no captions"):
        galleries.embed(folder, encoder, tmp_path / "out", side="texts")
    (folder / "0001.txt").write_text("one")
    found = galleries.embed(folder, encoder, tmp_path / "out", side="texts")
    assert (found.items, found.skipped) == (1, {"no caption": 2})
    (folder / "0001.txt").write_text("two words")
    encoder.seen.clear()
    assert galleries.embed(folder, encoder, tmp_path / "out", side="texts").embedded == 1
    assert galleries.open_gallery(tmp_path / "out", encoder).embeddings.vectors.tolist() == [
        [9, 0, 1]
    ]


def test_embed_tells_how_far_it_is(tmp_path, photos):
    told: list[tuple[str, int, int]] = []
    galleries.embed(
        photos(20), Counting(batch=8), tmp_path / "out", progress=lambda *a: told.append(a)
    )
    assert told == [("embedding", 8, 20), ("embedding", 16, 20), ("embedding", 20, 20)]
