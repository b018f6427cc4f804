"""Encoders that begin a batch and are asked for its vectors later: the outcome is that of encoders
that do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fairlead.engine import embedding, readers
from fairlead.errors import DataError
from fairlead.protocols import Capabilities
from fairlead.store.materials import Files
from fairlead.store.sources.choose import find_source
from fairlead.types import Embeddings


class Plain:
    """Prepares numbers; refuses -1, finds no direction in -2."""

    fingerprint, batch = "plain", 3

    def __init__(self) -> None:
        self.log: list[str] = []

    def capabilities(self) -> Capabilities:
        return Capabilities(batch=self.batch)

    def texts(self, texts: Sequence[str], role: str) -> Embeddings:
        raise NotImplementedError

    def images(self, images: Sequence[Any], role: str) -> Embeddings:
        return self.prepared(images, role)

    def prepare(self, image: int) -> int:
        return image

    def prepared(self, images: Sequence[int], role: str) -> Embeddings:
        if -1 in images:
            raise DataError("It is refused.")
        return Embeddings(np.array([[np.nan if i == -2 else i, 1] for i in images], np.float32))


class Begins(Plain):
    """The same, begun: refusals come at once or late."""

    preparer = None

    def __init__(self, late: bool) -> None:
        super().__init__()
        self.late = late

    def begin(self, images: Sequence[int], role: str) -> Callable[[], Embeddings]:
        self.log.append("begin")
        if not self.late:
            self.prepared(images, role)

        def wait() -> Embeddings:
            self.log.append("wait")
            return self.prepared(images, role)

        return wait


@dataclass(frozen=True)
class Thing:
    id: str
    value: int
    fault: tuple[str, str] | None = None


class Numbers:
    def read(self, entry: Thing) -> bytes:
        return str(entry.value).encode()

    def see(self, entry: Thing, content: bytes) -> int:
        if entry.value == 0:
            raise DataError("It is broken.")
        return entry.value


class Sink:
    def __init__(self) -> None:
        self.contents: dict[str, str] = {}
        self.story: list[Any] = []
        self.commits: list[int] = []

    def keep(self, entry: Thing, content: str) -> None:
        self.contents[content] = entry.id
        self.story.append(entry.id)

    def skip(self, entry: Thing, reason: str, detail: str) -> None:
        self.story.append((entry.id, reason, detail))

    def commit(self, embeddings: Embeddings | None) -> None:
        self.story.append(None if embeddings is None else embeddings.vectors.tolist())


def ran(encoder: Plain, values: Sequence[int]) -> tuple[list[Any], Counter[str], int, list[int]]:
    sink, told = Sink(), list[int]()
    entries = [Thing(str(row), value) for row, value in enumerate(values)]
    tally = embedding.embed(
        entries,
        Numbers(),
        encoder,
        sink,
        workers=2,
        progress=lambda _, done, total: told.append(done),
    )
    return sink.story, tally.skipped, tally.embedded, told


@given(st.lists(st.integers(-2, 9), max_size=25), st.booleans())
def test_begun_batches_give_what_batches_give_whatever_is_refused_broken_or_there_twice(
    values: list[int], late: bool
) -> None:
    if values and set(values) <= {-1, 0}:
        values = [*values, 1]  # a model that refuses everything is at fault
    try:
        expected = ran(Plain(), values)
    except DataError:
        with pytest.raises(DataError):
            ran(Begins(late), values)
        return
    assert ran(Begins(late), values) == expected


def test_begun_batch_is_waited_for_after_the_next_is_begun() -> None:
    encoder = Begins(late=True)
    ran(encoder, range(1, 10))
    assert encoder.log == ["begin", "begin", "wait", "begin", "wait", "wait"]


def test_processes_with_heavy_pictures_give_all_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100):
        Image.new("RGB", (8, 8), (number, 0, 0)).save(tmp_path / f"{number:03}.png")
    monkeypatch.setattr(readers, "BYTES", 1)
    entries = find_source(tmp_path).entries
    with readers.Processes(Files(), None, entries, 2, 1000) as processes:
        found = [seen.thing.getpixel((0, 0))[0] for _, seen in processes]
    assert found == list(range(100))
