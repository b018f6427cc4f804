"""What to leave out: items and queries, from a text file with one entry per line.

    # who asked not to be labelled
    p3
    holiday/*.jpg
    query: my neighbour*

A line is an item; ``query:`` makes it a query, and ``item:`` says what a bare line means. ``*`` and
``?`` stand for any letters; case, width and spaces do not count. A line without ``/`` also names
the item whose last part it is (``p3.jpg`` is ``album/p3.jpg``): of two readings the one that leaves
out more is taken. Empty lines and lines that begin with ``#`` say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.trigger.leaving import Leave, is_pattern, plain
from fairlead.types.ragged import Array
from fairlead.words.counts import agreeing, counted

Kind = Literal["item", "query"]
_KINDS: dict[str, Kind] = {"item": "item", "query": "query"}
# A list with more bytes than this was not written by a person.
_LARGEST = 10_000_000


@dataclass(frozen=True)
class LeaveOut:
    """Items and queries that are neither labelled nor measured.

    >>> out = LeaveOut.of(["p3", "query: my neighbour*"])
    >>> out.items(["p1", "album/P3"]).tolist(), out.queries(["My neighbour at home"]).tolist()
    ([False, True], [True])
    """

    of_items: Leave = field(default_factory=Leave)
    of_queries: Leave = field(default_factory=Leave)
    path: Path | None = None

    @classmethod
    def of(cls, lines: Iterable[str], path: Path | None = None) -> LeaveOut:
        """Read the lines of a list."""
        named = entries(lines)
        return cls(
            Leave(tuple(t for k, t in named if k == "item")),
            Leave(tuple(t for k, t in named if k == "query")),
            path,
        )

    def __bool__(self) -> bool:
        return bool(self.of_items.lines or self.of_queries.lines)

    def items(self, ids: Sequence[str]) -> Array:
        """(items,) whether each is left out."""
        if not self.of_items.lines:
            return np.zeros(len(ids), np.bool_)
        return np.fromiter((self._item(name) is not None for name in ids), np.bool_, len(ids))

    def queries(self, *names: Sequence[str]) -> Array:
        """(queries,) whether each is left out; a query may have several names: an id and a text."""
        if not self.of_queries.lines:
            return np.zeros(len(names[0]), np.bool_)
        return np.array(
            [
                any(self.of_queries.match(name) is not None for name in each)
                for each in zip(*names, strict=True)
            ],
            np.bool_,
        )

    def query(self, text: str) -> str | None:
        """The line that names a query; None where no line does."""
        return self.of_queries.match(text)

    def left(self, ids: Sequence[str], queries: Sequence[Sequence[str]] = ()) -> dict[str, int]:
        """How many items and queries are left out, and how many lines name nothing here."""
        named = set[str]()
        # millions of ids are spelled out only where a line could name one of them
        if self.of_items.lines:
            named = {plain(name) for name in ids} | {plain(_last(name)) for name in ids}
        idle = _idle(self.of_items, named)
        left_queries = 0
        # without queries, as where a collection is labelled, lines of queries are not idle
        if queries:
            left_queries = int(self.queries(*queries).sum())
            idle += _idle(self.of_queries, {plain(q) for part in queries for q in part})
        return {
            "items": int(self.items(ids).sum()),
            "queries": left_queries,
            "unmatched": idle,
        }

    def _item(self, name: str) -> str | None:
        line = self.of_items.match(name)
        if line is not None or "/" not in name:
            return line
        return self._without_folders.match(_last(name))

    @cached_property
    def _without_folders(self) -> Leave:
        return Leave(tuple(line for line in self.of_items.lines if "/" not in line))


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _idle(leave: Leave, named: set[str]) -> int:
    """How many lines name nothing."""
    return sum(not _names_one(line, named) for line in leave.lines)


def _names_one(line: str, named: set[str]) -> bool:
    # only a pattern has to be tried on every name
    if is_pattern(line):
        return any(map(Leave((line,)).match, named))
    return plain(line) in named


def left_notes(left: Mapping[str, int] | None) -> list[str]:
    """What a reader must know about what was left out; None means that there was no list."""
    if left is None:
        return []
    notes = [
        (
            f"Left out on request: {counted(left['items'], 'item')} and "
            f"{counted(left['queries'], 'query')}."
        )
    ]
    if idle := left["unmatched"]:
        lines = f"{counted(idle, 'line')} {agreeing(idle, 'names', 'name')}"
        notes.append(
            f"Of the list of what to leave out, {lines} nothing here: are the names spelled alike?"
        )
    return notes


def entries(lines: Iterable[str], bare: Kind = "item") -> list[tuple[Kind, str]]:
    """What each line names, and the text. A line without ``item:`` or ``query:`` is ``bare``.

    Raises:
        DataError: For a line that names nothing.
    """
    named: list[tuple[Kind, str]] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip().lstrip("\ufeff").strip()
        if not text or text.startswith("#"):
            continue
        head, colon, rest = text.partition(":")
        kind = bare
        # ids may hold a colon too, so only these two words before one mean something
        if colon and (said := _KINDS.get(head.strip().casefold())):
            kind, text = said, rest.strip()
        if not text:
            raise DataError(
                f"Line {number} of the list names no {kind}.",
                "Write the id of an item, or 'query: ' and the query.",
            )
        named.append((kind, text))
    return named


def read_leave_out(source: Any) -> LeaveOut | None:
    """What to leave out: from a file, a list of lines, or as it is; None stays None."""
    if source is None or isinstance(source, LeaveOut):
        return source
    if isinstance(source, (str, Path)):
        place = Path(source).expanduser()
        return LeaveOut.of(read_lines(place, "an item or a query a line"), place)
    lines: tuple[Any, ...] = (None,)
    if isinstance(source, Iterable):
        lines = tuple(source)
    if not all(isinstance(line, str) for line in lines):
        raise UsageError(
            "What to leave out must be a file or a list of texts.",
            "Give one item a line, or 'query: TEXT'.",
        )
    return LeaveOut.of(lines)


def read_lines(path: str | Path, what: str = "one query a line") -> list[str]:
    """The lines of a text file."""
    place, hint = Path(path), f"Give a text file with {what}."
    if not place.is_file():
        raise UsageError(f"There is no file '{path}'.", hint)
    if place.stat().st_size > _LARGEST:
        raise DataError(f"'{path}' is larger than {_LARGEST // 1_000_000} MB.", hint)
    try:
        return place.read_text(encoding="utf-8-sig").splitlines()
    except (UnicodeDecodeError, OSError) as error:
        raise DataError(f"'{path}' cannot be read as UTF-8 text: {error}.", hint) from None
