"""Blocks of a text file for the fast reader: whole records each, and nothing in them that Arrow
would read otherwise than the exact reader, or pass over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from typing import cast

import numpy as np

from fairlead.store.formats import File
from fairlead.store.limits import LINE, NESTING
from fairlead.types.ragged import Array

_BLOCK, _PIECE = 1 << 22, 1 << 17
_BOM = b"\xef\xbb\xbf"
_QUOTE, _LF, _CR = b'"\n\r'
_GAP = re.compile(rb"\}[ \t\r]*\n[ \t\r\n]*\{")
_BLANK_LINE = re.compile(rb"^[ \t\r]*\n", re.MULTILINE)
Seen = Callable[[int], None]
"""Told how many bytes of the file have been read."""


class NotHealthy(Exception):
    """The fast way cannot read this file."""


def line_blocks(file: File, seen: Seen) -> Iterator[bytearray]:
    """Yield the bytes of a file in blocks that end at the end of a line."""
    return _blocks(file, seen, lambda block: block.rfind(b"\n") + 1)


def record_blocks(file: File, seen: Seen, separator: bytes) -> Iterator[tuple[bytearray, bool]]:
    """Yield blocks that end at the end of a record, and whether a quoted value spans lines."""
    quotes = _Quotes(separator)
    for block in _blocks(file, seen, quotes.end):
        # counted only where there are some: to look for two bytes takes as long as to read them
        if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
            raise NotHealthy("a carriage return within a line")
        yield block, quotes.span


def _blocks(file: File, seen: Seen, end: Callable[[bytearray], int]) -> Iterator[bytearray]:
    longest = LINE.value
    with file.open() as opened:
        stream, rest, first = cast(BufferedIOBase, opened), b"", True
        while True:
            block = bytearray(len(rest) + _BLOCK)
            block[: len(rest)] = rest
            # memoryview: read in place, since a copy of every block would cost more than the checks
            with memoryview(block) as view:
                size = stream.readinto(view[len(rest) :])
            del block[len(rest) + size :]
            if first and block.startswith(_BOM):
                del block[: len(_BOM)]
            first = False
            if not size:
                break
            # a zipped stream counts unpacked bytes, of which nobody knows the total
            seen(0 if file.zipped else stream.tell())
            if len(rest) + max(block.find(b"\n", len(rest)) - len(rest), 0) > longest:
                raise NotHealthy("a very long line")
            cut = end(block)
            rest = bytes(block[cut:])
            del block[cut:]
            # a quote that is not closed would have the rest of the file read again and again
            if len(rest) > longest:
                raise NotHealthy("a very long record")
            if block:
                yield _checked(block)
    if block:
        block += b"\n"
        if end(block) < len(block):
            raise NotHealthy("a quote that is not closed")
        yield _checked(block)


def _checked(block: bytearray) -> bytearray:
    """The block, if all of it is text."""
    if 0 in block:
        raise NotHealthy("a NUL character")
    # Arrow passes over this mark at the head of every block
    if block.startswith(_BOM):
        raise NotHealthy("a second byte order mark")
    if not block.isascii():
        # Arrow looks at the columns that are wanted alone
        block.decode()
    return block


class _Quotes:
    """Finds where records end. ``span`` says whether a quoted value of them spans lines.

    Refused is a quote that stands elsewhere than around a whole value, or doubled in one: Arrow
    takes what follows such a quote for part of the value, to the end of the file.
    """

    def __init__(self, separator: bytes) -> None:
        self.span = False
        self._beside = np.zeros(256, np.bool_)
        self._beside[list(b'"\n' + separator)] = True

    def end(self, block: bytearray) -> int:
        """Where the last whole record of a block ends."""
        if _QUOTE not in block:
            self.span = False
            return block.rfind(b"\n") + 1
        marks, self.span = np.frombuffer(block, np.uint8), False
        cut = inside = 0
        # piece by piece: arrays as long as a block take longer to make than to fill
        for start in range(0, len(block), _PIECE):
            piece = marks[start : start + _PIECE]
            places = np.flatnonzero((piece == _QUOTE) | (piece == _LF))
            is_quote = piece[places] == _QUOTE
            quoted = (np.cumsum(is_quote, dtype=np.int32) + inside) % 2 == 1
            ends = places[~is_quote & ~quoted]
            if len(ends):
                cut = start + int(ends[-1]) + 1
            count = int(np.count_nonzero(is_quote))
            self.span = self.span or len(ends) < len(places) - count
            self._check(marks, places[is_quote] + start, inside)
            inside = (inside + count) % 2
        return cut

    def _check(self, marks: Array, quotes: Array, inside: int) -> None:
        opening, closing = quotes[inside::2], quotes[1 - inside :: 2]
        # at the edges of a block a quote stands beside itself; the next block begins before it
        before = marks[np.maximum(opening - 1, 0)]
        after = marks[np.minimum(closing + 1, len(marks) - 1)]
        if not self._beside[before].all() or not (self._beside[after] | (after == _CR)).all():
            raise NotHealthy("a quote within a value")


def check_objects(block: bytearray, rows: int) -> None:
    """Refuse a block of JSON lines of which Arrow made other records than one for each line."""
    marks = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(marks == _LF)
    # Arrow also reads several objects on a line, one object on several lines, and the word Inf
    plain = (
        len(ends) == rows
        and (marks[ends - 1] == ord("}")).all()
        and (marks[ends[:-1] + 1] == ord("{")).all()
    )
    if not plain and rows:
        lines = len(ends) - len(_BLANK_LINE.findall(block))
        if lines != rows or len(_GAP.findall(block)) + 1 != rows:
            raise NotHealthy("not one object on each line")
    # one letter is found far more quickly than three
    if b"I" in block and block.count(b"Inf") != block.count(b"Infinity"):
        raise NotHealthy("a word that is no number")
    # the two marks that open lists and records differ in one bit
    opening = (marks | 32) == ord("{")
    if np.count_nonzero(opening) - rows > (most := NESTING.value):
        counts = np.diff(np.searchsorted(np.flatnonzero(opening), ends), prepend=0)
        if counts.max() > most:
            raise NotHealthy("many lists or records on a line")
