"""Embedding a source: every entry becomes an item with vectors, or is skipped with a reason.
Nothing is lost silently.

Entries are read, hashed, decoded and prepared on other threads, ahead of the encoder and in order;
the encoder sees batches whose bounds depend on the entries alone, so that a run which is killed and
continued gives the same vectors. Of equal contents the first is embedded. Memory is bounded by a
window of entries and by the bytes of the pictures in it. An encoder that can begin a batch and be
asked for its vectors later (``begin``) works on it while the batch before is written and the next
is gathered.
"""

from __future__ import annotations

import functools
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from fairlead.engine import readers
from fairlead.engine.readers import Fault, OpenedEntry, Processes, Reader, Threads, look
from fairlead.errors import BackendError, DataError
from fairlead.protocols import Beginning, Encoder, Preparing, Progress, Role, Side
from fairlead.protocols.encoder import capabilities
from fairlead.types import Embeddings
from fairlead.types.ragged import Array, offsets_of

_MANY = 1_000
"""Entries from which on processes are worth their start."""
_NO_VECTOR: Fault = ("no vector", "The model gives it a vector that is not finite.")


class Entry(Protocol):
    """One thing that a source names; ``fault`` says why it cannot be used, where the source already
    shows it.
    """

    @property
    def id(self) -> str: ...
    @property
    def fault(self) -> Fault | None: ...


E = TypeVar("E", bound=Entry)
E_in = TypeVar("E_in", bound=Entry, contravariant=True)


class Material(Protocol[E_in]):
    """What is behind an entry: its bytes, which tell equal contents, and what an encoder sees of
    them.

    Both raise ``DataError``, with the reason in its attribute ``reason``, for an entry that cannot
    be used.
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


def embed(
    entries: Sequence[E],
    material: Material[E],
    encoder: Encoder,
    sink: Sink[E],
    *,
    side: Side = "images",
    role: Role = "item",
    workers: int | None = None,
    processes: bool = False,
    progress: Progress | None = None,
) -> Tally:
    """Embed entries into a sink, in order.

    Args:
        entries: What is to be embedded; what the sink already has is left out by the caller.
        material: Reads and opens entries.
        encoder: Its ``prepare`` runs on other threads, where it has one.
        sink: Takes items and skipped entries.
        side: Whether the encoder sees pictures or texts.
        role: Whether they ask or are searched.
        workers: Threads or processes that read and decode; as many as there are cores, at most 16,
            by default.
        processes: Read with processes where there is much to read and the encoder can prepare
            without its model. A script that asks for this must keep its own work under ``if
            __name__ == "__main__"``.
        progress: Told how many entries are done.
    """
    run, done = _Run(material, encoder, sink, side, role), 0

    def told(batch: _Batch) -> None:
        nonlocal done
        run.commit(batch)
        done += len(batch.rows)
        if progress is not None:
            progress("embedding", done, len(entries))

    # ``last`` is with the encoder while ``batch`` is gathered; a sink gets them in order.
    batch, last = _Batch(), _Batch()
    with run.reader(entries, workers or min(16, os.cpu_count() or 1), processes=processes) as ahead:
        for entry, seen in ahead:
            # Whether this is a twin depends on what becomes of the other: the model may refuse it.
            if seen.fault is None and seen.content in last.contents:
                told(last)
                last = _Batch()
            batch.add(entry, seen, sink.contents)
            if len(batch.contents) >= run.size or batch.weight >= readers.BYTES:
                begins = run.begin(batch)
                if last.rows:
                    told(last)
                last, batch = batch, _Batch()
                # An encoder that works while it is called has nothing to wait for.
                if not begins:
                    told(last)
                    last = _Batch()
    if last.rows:
        told(last)
    told(batch)
    return run.tally


def vectors_of(
    things: Sequence[Any], encoder: Encoder, *, side: Side = "images", role: Role = "item"
) -> Embeddings:
    """The vectors of things that the encoder takes as they are: texts, opened pictures, references.

    Nothing is skipped: what an encoder refuses is raised.
    """
    size = max(1, capabilities(encoder).batch)
    parts = [
        _call(things[start : start + size], encoder, side, role)
        for start in range(0, max(len(things), 1), size)
    ]
    return joined(parts)


def joined(parts: Sequence[Embeddings]) -> Embeddings:
    """The vectors of batches, one after the other."""
    if len(parts) == 1:
        return parts[0]
    sizes = [np.diff(part.offsets) for part in parts if part.offsets is not None]
    vectors = np.concatenate([part.vectors for part in parts])
    if not sizes:
        return Embeddings(vectors)
    return Embeddings(vectors, offsets_of(np.concatenate(sizes)))


def taken(embeddings: Embeddings, kept: Array) -> Embeddings:
    """The vectors of some things, as (things,) says."""
    # Taking copies: vectors on disk stay there while all of them are kept.
    if kept.all():
        return embeddings
    return embeddings.take(np.flatnonzero(kept))


def _call(things: Sequence[Any], encoder: Encoder, side: Side, role: Role) -> Embeddings:
    """One call of an encoder: nowhere else is a picture encoded."""
    made = encoder.texts(things, role) if side == "texts" else encoder.images(things, role)
    return _checked(made, len(things), side)


def _checked(made: Embeddings, count: int, side: Side) -> Embeddings:
    """What an encoder gave, refused where it is not a vector for each thing."""
    if len(made) != count or made.vectors.ndim != 2:
        raise BackendError(
            f"The model gave {len(made)} vectors for {count} {side}.",
            "It must give one for each.",
        )
    return made


class _Batch:
    """Entries on their way to the encoder, in order, with those that are skipped between them."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, OpenedEntry]] = []
        self.contents: dict[str, str] = {}
        self.weight = 0
        self.begun: Callable[[], Embeddings] | None = None

    @property
    def things(self) -> list[Any]:
        """What the encoder sees of it."""
        return [seen.thing for _, seen in self.rows if seen.fault is None]

    def add(self, entry: Entry, seen: OpenedEntry, kept: Mapping[str, str]) -> None:
        """Take an entry in. Of equal contents the first counts, be it in this batch or before."""
        if (
            seen.fault is None
            and (twin := kept.get(seen.content) or self.contents.get(seen.content)) is not None
        ):
            seen = OpenedEntry(
                seen.content, fault=("duplicate", f"It has the content of '{twin}'.")
            )
        if seen.fault is None:
            self.contents[seen.content] = entry.id
            self.weight += seen.weight
        self.rows.append((entry, seen))


class _Run:
    """The encoder and what it needs, with the two halves of the work: one entry, and a batch."""

    def __init__(
        self,
        material: Material[Any],
        encoder: Encoder,
        sink: Sink[Any],
        side: Side,
        role: Role,
    ) -> None:
        self.material, self.encoder, self.sink = material, encoder, sink
        self.side, self.role = side, role
        self.preparing: Preparing | None = None
        self.beginning: Beginning | None = None
        # Only pictures are worth preparing ahead: references are looked up, texts are short.
        if side == "images" and capabilities(encoder).pictures != "references":
            if isinstance(encoder, Preparing):
                self.preparing = encoder
            if isinstance(encoder, Beginning):
                self.beginning = encoder
        self.size = max(1, capabilities(encoder).batch)
        self.tally, self._first, self._warm = Tally(), threading.Lock(), False

    def seen(self, entry: Entry) -> OpenedEntry:
        """What an entry is, on a thread."""
        prepare = None
        if self.preparing is not None:
            prepare = functools.partial(self._prepared, self.preparing)
        return look(entry, self.material, prepare, self.sink.contents)

    def reader(self, entries: Sequence[Any], workers: int, *, processes: bool) -> Reader:
        """Who reads the entries ahead: processes where the encoder can prepare without its model,
        else threads.
        """
        prepare = None
        if self.beginning is not None:
            prepare = self.beginning.preparer
        if processes and prepare is not None and workers > 2 and len(entries) >= _MANY:
            return Processes(self.material, prepare, entries, workers, 2 * self.size)
        # Twice a batch ahead, so that the next is there when the encoder is done with this one.
        return Threads(self.seen, entries, workers, 2 * self.size)

    def _prepared(self, encoder: Preparing, thing: Any) -> Any:
        """Prepared; one after the other until the first is done, because many encoders load what
        they need with the first.
        """
        if self._warm:
            return encoder.prepare(thing)
        with self._first:
            made = encoder.prepare(thing)
            self._warm = True
        return made

    def begin(self, batch: _Batch) -> bool:
        """Start an encoder on a batch whose work goes on by itself (a GPU's): the batch before is
        then committed meanwhile.
        """
        if self.beginning is not None and batch.contents:
            # A refusal is found again, and by whose fault, when the batch is committed.
            with suppress(DataError):
                batch.begun = self.beginning.begin(batch.things, self.role)
        return batch.begun is not None

    def commit(self, batch: _Batch) -> None:
        """Encode what is good of a batch, and give all of it to the sink."""
        embeddings, faults = self._encoded(batch.things, batch.begun)
        left, tally = iter(faults), self.tally
        for entry, seen in batch.rows:
            fault = seen.fault or next(left)
            if fault is None:
                self.sink.keep(entry, seen.content)
                tally.embedded += 1
            else:
                self.sink.skip(entry, *fault)
                tally.skipped[fault[0]] += 1
        self.sink.commit(embeddings)

    def _encoded(
        self, things: Sequence[Any], begun: Callable[[], Embeddings] | None = None
    ) -> tuple[Embeddings | None, Sequence[Fault | None]]:
        """The vectors of the things that have some, and for each thing why it has none."""
        if not things:
            return None, ()
        try:
            made = self._called(things, begun)
        except DataError as error:
            return self._one_by_one(things, error)
        # A vector with NaN would poison every score beside it, so its item is skipped and told.
        good: Array = np.asarray(np.isfinite(made.vectors).all(1))
        if made.offsets is not None:
            # Of many vectors an item all must be finite; an item without any has nothing to score.
            starts, sizes = np.asarray(made.offsets[:-1], np.intp), np.diff(made.offsets)
            good = np.asarray(np.minimum.reduceat(np.append(good, True), starts) & (sizes > 0))
        faults = [None if fine else _NO_VECTOR for fine in good]
        return taken(made, good), faults

    def _called(self, things: Sequence[Any], begun: Callable[[], Embeddings] | None) -> Embeddings:
        if begun is not None:
            return _checked(begun(), len(things), self.side)
        if self.preparing is not None:
            made = self.preparing.prepared(things, self.role)
            return _checked(made, len(things), self.side)
        return _call(things, self.encoder, self.side, self.role)

    def _one_by_one(
        self, things: Sequence[Any], error: DataError
    ) -> tuple[Embeddings | None, Sequence[Fault | None]]:
        """Which of a batch the model refuses; where it refuses all, the model is at fault."""
        if len(things) == 1:
            return None, [(getattr(error, "reason", "refused by the model"), error.message)]
        parts, faults = [], list[Fault | None]()
        for thing in things:
            part, fault = self._encoded([thing])
            faults += fault
            if part is not None and len(part):
                parts.append(part)
        if not parts:
            raise error
        return joined(parts), faults
