"""Embedding a source: every entry becomes an item with vectors, or is skipped with a reason. Nothing is lost silently.

Entries are read, hashed, decoded and prepared on other threads, ahead of the encoder and in order; the encoder sees batches whose
bounds depend on the entries alone, so that a run which is killed and continued gives the same vectors. Of equal contents the first is
embedded. Memory is bounded by a window of entries and by the bytes of the pictures in it.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self, TypeVar

import numpy as np

from fairlead.errors import BackendError, DataError
from fairlead.protocols import Encoder, Preparing, Progress
from fairlead.ragged import Array, offsets_of
from fairlead.types import Embeddings

Side = Literal["images", "texts"]
BATCH = 64
"""How many items an encoder gets at once that does not say."""
_BYTES = 256 << 20
"""Bytes of decoded pictures that may wait for the encoder, and that a batch may hold."""
Fault = tuple[str, str]
"""Why an entry is skipped: the reason by which it is counted, and what exactly is wrong."""
_NO_VECTOR: Fault = ("no vector", "The model gives it a vector that is not finite.")
_REFUSALS = (DataError, ValueError, ArithmeticError, OSError)
"""What an encoder may raise about a single picture."""


class Entry(Protocol):
    """One thing that a source names; ``fault`` says why it cannot be used, where the source already shows it."""

    @property
    def id(self) -> str: ...
    @property
    def fault(self) -> Fault | None: ...


E = TypeVar("E", bound=Entry)
E_in = TypeVar("E_in", bound=Entry, contravariant=True)


class Material(Protocol[E_in]):
    """What is behind an entry: its bytes, which tell equal contents, and what an encoder sees of them.

    Both raise ``DataError``, with the reason in its attribute ``reason``, for an entry that cannot be used.
    """

    def read(self, entry: E_in) -> bytes: ...
    def see(self, entry: E_in, content: bytes) -> Any: ...


class Sink(Protocol[E_in]):
    """Where items go: noted one by one, made lasting by a commit with their vectors."""

    @property
    def contents(self) -> Mapping[str, str]:
        """The id of the item with a content, for all items so far."""
        ...

    def keep(self, entry: E_in, content: str) -> None: ...
    def skip(self, entry: E_in, reason: str, detail: str) -> None: ...
    def commit(self, embeddings: Embeddings | None) -> None: ...


@dataclass
class Tally:
    """What a run did: items embedded, and entries skipped by reason."""

    embedded: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, eq=False)
class Seen:
    """An entry as it comes from a thread: what the encoder will see of its content, or why it cannot."""

    content: str = ""
    thing: Any = None
    weight: int = 0
    fault: Fault | None = None


def embed(
    entries: Sequence[E],
    material: Material[E],
    encoder: Encoder,
    sink: Sink[E],
    *,
    side: Side = "images",
    workers: int | None = None,
    progress: Progress | None = None,
) -> Tally:
    """Embed entries into a sink, in order.

    Args:
        entries: What is to be embedded; what the sink already has is left out by the caller.
        material: Reads and opens entries.
        encoder: Its ``prepare`` runs on other threads, where it has one.
        sink: Takes items and skipped entries.
        side: Whether the encoder sees pictures or texts.
        workers: Threads that read and decode; as many as there are cores, at most 16, by default.
        progress: Told how many entries are done.
    """
    tally, run, done = Tally(), _Run(material, encoder, sink, side), 0
    batch = _Batch()
    with _Ahead(run.seen, entries, workers or min(16, os.cpu_count() or 1), 2 * run.size) as ahead:
        for entry, seen in ahead:
            done += 1
            batch.add(entry, seen, sink.contents)
            if len(batch.contents) >= run.size or batch.weight >= _BYTES:
                run.commit(batch, tally)
                batch = _Batch()
                if progress is not None:
                    progress("embedding", done, len(entries))
    run.commit(batch, tally)
    if progress is not None:
        progress("embedding", done, len(entries))
    return tally


class _Batch:
    """Entries on their way to the encoder, in order, with those that are skipped between them."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, Seen]] = []
        self.contents: dict[str, str] = {}
        self.weight = 0

    def add(self, entry: Entry, seen: Seen, kept: Mapping[str, str]) -> None:
        """Take an entry in. Of equal contents the first counts, be it in this batch or before."""
        if seen.fault is None and (twin := kept.get(seen.content) or self.contents.get(seen.content)) is not None:
            seen = Seen(seen.content, fault=("duplicate", f"It has the content of '{twin}'."))
        if seen.fault is None:
            self.contents[seen.content] = entry.id
            self.weight += seen.weight
        self.rows.append((entry, seen))


class _Run:
    """The encoder and what it needs, with the two halves of the work: on one entry, and on a batch."""

    def __init__(self, material: Material[Any], encoder: Encoder, sink: Sink[Any], side: Side) -> None:
        self.material, self.encoder, self.sink, self.side = material, encoder, sink, side
        self.preparing = encoder if side == "images" and isinstance(encoder, Preparing) else None
        self.size = max(1, int(getattr(encoder, "batch", BATCH)))
        self._first, self._warm = threading.Lock(), False

    def seen(self, entry: Entry) -> Seen:
        """What an entry is, on a thread: read, hashed, decoded, prepared."""
        if entry.fault is not None:
            return Seen(fault=entry.fault)
        try:
            read = self.material.read(entry)
            content = content_of(read)
            if content in self.sink.contents:
                return Seen(content)
            thing = self.material.see(entry, read)
        except DataError as error:
            return Seen(fault=(getattr(error, "reason", "unusable"), error.message))
        if self.preparing is not None:
            try:
                thing = self._prepared(self.preparing, thing)
            except _REFUSALS as error:
                return Seen(fault=("refused by the model", f"{type(error).__name__}: {error}"))
        return Seen(content, thing, _weight(thing))

    def _prepared(self, encoder: Preparing, thing: Any) -> Any:
        """Prepared; one after the other until the first is done, because many encoders load what they need with the first."""
        if self._warm:
            return encoder.prepare(thing)
        with self._first:
            made = encoder.prepare(thing)
            self._warm = True
        return made

    def commit(self, batch: _Batch, tally: Tally) -> None:
        """Encode what is good of a batch, and give all of it to the sink."""
        embeddings, faults = self._encoded([seen.thing for _, seen in batch.rows if seen.fault is None])
        left = iter(faults)
        for entry, seen in batch.rows:
            fault = seen.fault or next(left)
            if fault is None:
                self.sink.keep(entry, seen.content)
                tally.embedded += 1
            else:
                self.sink.skip(entry, *fault)
                tally.skipped[fault[0]] += 1
        self.sink.commit(embeddings)

    def _encoded(self, things: Sequence[Any]) -> tuple[Embeddings | None, Sequence[Fault | None]]:
        """The vectors of the things that have some, and for each thing why it has none."""
        if not things:
            return None, ()
        try:
            made = self._called(things)
        except DataError as error:
            return self._one_by_one(things, error)
        good: Array = np.asarray(np.isfinite(made.vectors).all(1))
        if made.offsets is not None:
            starts, sizes = np.asarray(made.offsets[:-1], np.intp), np.diff(made.offsets)
            good = np.asarray(np.minimum.reduceat(np.append(good, True), starts) & (sizes > 0))
        return (made if good.all() else made.take(np.flatnonzero(good))), [None if fine else _NO_VECTOR for fine in good]

    def _called(self, things: Sequence[Any]) -> Embeddings:
        if self.side == "texts":
            made = self.encoder.texts(things, "item")
        elif self.preparing is not None:
            made = self.preparing.prepared(things, "item")
        else:
            made = self.encoder.images(things, "item")
        if len(made) != len(things) or made.vectors.ndim != 2:
            raise BackendError(f"The model gave {len(made)} vectors for {len(things)} {self.side}.", "It must give one for each.")
        return made

    def _one_by_one(self, things: Sequence[Any], error: DataError) -> tuple[Embeddings | None, Sequence[Fault | None]]:
        """Which of a batch the model refuses; where it refuses all of them, the model is at fault."""
        if len(things) == 1:
            return None, [("refused by the model", error.message)]
        parts, faults = [], list[Fault | None]()
        for thing in things:
            part, fault = self._encoded([thing])
            faults += fault
            parts += [] if part is None or not len(part) else [part]
        if not parts:
            raise error
        sizes = None if parts[0].offsets is None else np.concatenate([np.diff(np.asarray(p.offsets)) for p in parts])
        return Embeddings(np.concatenate([p.vectors for p in parts]), None if sizes is None else offsets_of(sizes)), faults


def content_of(read: bytes) -> str:
    """The name of a content: equal for equal bytes."""
    return hashlib.sha256(read).hexdigest()[:32]


def _weight(thing: Any) -> int:
    """Bytes that a thing holds while it waits."""
    if hasattr(thing, "getbands"):
        return int(thing.width * thing.height * len(thing.getbands()))
    return int(getattr(thing, "nbytes", 0))


class _Ahead:
    """Does a thing to each entry on threads, ahead of who asks, and gives the outcomes in order.

    At most ``window`` entries are under way or waiting, fewer where the waiting ones hold many bytes. Entries are taken in order, so
    that the one asked for next is always taken, and nobody waits for ever.
    """

    def __init__(self, work: Callable[[Any], Seen], entries: Sequence[Any], workers: int, window: int) -> None:
        self._work, self._entries, self._window = work, entries, window + workers
        self._changed = threading.Condition()
        self._outcomes: dict[int, Seen | BaseException] = {}
        self._taken = self._given = self._weight = 0
        self._stopped = False
        self._threads = [threading.Thread(target=self._run, name=f"fairlead-embed-{n}", daemon=True) for n in range(max(1, workers))]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def __iter__(self) -> Iterator[tuple[Any, Seen]]:
        for number, entry in enumerate(self._entries):
            with self._changed:
                while number not in self._outcomes:
                    self._changed.wait()
                outcome = self._outcomes.pop(number)
                self._given += 1
                if isinstance(outcome, BaseException):
                    raise outcome
                self._weight -= outcome.weight
                self._changed.notify_all()
            yield entry, outcome

    def _run(self) -> None:
        while (number := self._next()) is not None:
            try:
                outcome: Seen | BaseException = self._work(self._entries[number])
            except BaseException as error:  # told to who asks for this entry
                outcome = error
            with self._changed:
                self._outcomes[number] = outcome
                self._weight += outcome.weight if isinstance(outcome, Seen) else 0
                self._changed.notify_all()

    def _next(self) -> int | None:
        """The number of the next entry to work on, once there is room for it; None when there is no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or (self._taken - self._given < self._window and self._weight < _BYTES))
            if self._stopped or self._taken == len(self._entries):
                return None
            self._taken += 1
            return self._taken - 1
