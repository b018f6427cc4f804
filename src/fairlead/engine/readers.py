"""Readers: entries are read, hashed, decoded and prepared ahead of the encoder, in order, by
threads or by processes.

Threads are there at once, but take turns at Python's lock; processes decode as fast as there are
cores, and take a second to start.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Protocol, Self

from fairlead.errors import BackendError, DataError

BYTES = 256 << 20
"""Bytes of decoded pictures that may wait for the encoder."""
Fault = tuple[str, str]
"""Why an entry is skipped: the reason by which it is counted, and what exactly is wrong."""
_REFUSALS = (DataError, ValueError, ArithmeticError, OSError)
"""What an encoder may raise about a single picture."""
_CHUNK = 16
"""Entries that a process is given at once."""


@dataclass(frozen=True, eq=False)
class OpenedEntry:
    """An entry as it comes from a reader: what the encoder will see of its content, or why it
    cannot.
    """

    content: str = ""
    thing: Any = None
    weight: int = 0
    fault: Fault | None = None


class Reader(Protocol):
    """Gives every entry with what was seen of it, in order."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def __iter__(self) -> Iterator[tuple[Any, OpenedEntry]]: ...


def look(
    entry: Any, material: Any, prepare: Callable[[Any], Any] | None, known: Mapping[str, str]
) -> OpenedEntry:
    """What an entry is: read, hashed, decoded, prepared. Contents that are known are not opened."""
    if entry.fault is not None:
        return OpenedEntry(fault=entry.fault)
    try:
        read = material.read(entry)
        content = content_of(read)
        if content in known:
            return OpenedEntry(content)
        thing = material.see(entry, read)
    except DataError as error:
        return OpenedEntry(fault=(getattr(error, "reason", "unusable"), error.message))
    # A model may fail on a single picture in many ways; none of them should end the whole run.
    if prepare is not None:
        try:
            thing = prepare(thing)
        except _REFUSALS as error:
            return OpenedEntry(fault=("refused by the model", f"{type(error).__name__}: {error}"))
    return OpenedEntry(content, thing, _weight(thing))


def content_of(read: bytes) -> str:
    """The name of a content: equal for equal bytes."""
    return hashlib.sha256(read).hexdigest()[:32]


def _weight(thing: Any) -> int:
    """Bytes that a thing holds while it waits."""
    # A picture of Pillow, which is not imported here: texts need none.
    if hasattr(thing, "getbands"):
        return int(thing.width * thing.height * len(thing.getbands()))
    return int(getattr(thing, "nbytes", 0))


class Processes:
    """Entries seen by processes. ``material`` and ``prepare`` travel to them; what is known is not
    told to them, so all is opened.

    At most ``window`` entries are under way or waiting, fewer where those last given held many
    bytes, but enough to keep all busy.
    """

    def __init__(
        self,
        material: Any,
        prepare: Callable[[Any], Any] | None,
        entries: Sequence[Any],
        workers: int,
        window: int,
    ) -> None:
        self._entries, self._fewest, self._ahead = (
            entries,
            workers + 1,
            max(2 * workers, -(-window // _CHUNK)),
        )
        # Not forked: a process that loaded a model or runs threads may hang in its copy.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(
            workers, context, initializer=_begin, initargs=(material, prepare)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def __iter__(self) -> Iterator[tuple[Any, OpenedEntry]]:
        waiting: deque[tuple[Sequence[Any], Future[list[OpenedEntry]]]] = deque()
        weight = 0
        for start in range(0, len(self._entries), _CHUNK):
            chunk = self._entries[start : start + _CHUNK]
            waiting.append((chunk, self._pool.submit(_looked, chunk)))
            # How many bytes a chunk holds is known when it is done, so the last one stands for all.
            while len(waiting) >= self._ahead or (
                len(waiting) >= self._fewest and len(waiting) * weight > BYTES
            ):
                given, future = waiting.popleft()
                seen = _given(future)
                weight = sum(one.weight for one in seen)
                yield from zip(given, seen, strict=True)
        while waiting:
            given, future = waiting.popleft()
            yield from zip(given, _given(future), strict=True)


def _given(future: Future[list[OpenedEntry]]) -> list[OpenedEntry]:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise BackendError(
            "A process that reads pictures ended of itself.",
            "Run it again; with --threads it stays in one process.",
        ) from error


_WORK: list[Any] = []
"""In a process of its own: what it reads with."""


def _begin(material: Any, prepare: Callable[[Any], Any] | None) -> None:
    _WORK[:] = [material, prepare]


def _looked(chunk: Sequence[Any]) -> list[OpenedEntry]:
    material, prepare = _WORK
    return [look(entry, material, prepare, {}) for entry in chunk]


class Threads:
    """Does a thing to each entry on threads, ahead of who asks, and gives the outcomes in order.

    At most ``window`` entries are under way or waiting, fewer where the waiting ones hold many
    bytes. Entries are taken in order, so that the one asked for next is always taken, and nobody
    waits for ever.
    """

    def __init__(
        self, work: Callable[[Any], OpenedEntry], entries: Sequence[Any], workers: int, window: int
    ) -> None:
        self._work, self._entries, self._window = work, entries, window + workers
        self._changed = threading.Condition()
        self._outcomes: dict[int, OpenedEntry | BaseException] = {}
        self._taken = self._given = self._weight = 0
        self._stopped = False
        self._threads = [
            threading.Thread(target=self._run, name=f"fairlead-embed-{n}", daemon=True)
            for n in range(max(1, workers))
        ]

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

    def __iter__(self) -> Iterator[tuple[Any, OpenedEntry]]:
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
                outcome: OpenedEntry | BaseException = self._work(self._entries[number])
            except BaseException as error:
                # Raised where somebody asks for this entry: on this thread nobody would hear it.
                outcome = error
            with self._changed:
                self._outcomes[number] = outcome
                if isinstance(outcome, OpenedEntry):
                    self._weight += outcome.weight
                self._changed.notify_all()

    def _next(self) -> int | None:
        """The number of the next entry to work on, once there is room for it; None when there is no
        more.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._stopped
                    or (self._taken - self._given < self._window and self._weight < BYTES)
                )
            )
            if self._stopped or self._taken == len(self._entries):
                return None
            self._taken += 1
            return self._taken - 1
