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

_BLOCK = 1 << 23
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

    def end(block: bytearray) -> int:
        if _QUOTE not in block:
            return block.rfind(b"\n") + 1
        ends = _line_ends(block, False)
        return int(ends[-1]) + 1 if len(ends) else 0

    for block in _blocks(file, seen, end):
        if block.count(b"\r") != block.count(b"\r\n"):
            raise NotHealthy("a carriage return within a line")
        spans = False
        if _QUOTE in block:
            _check_quotes(block, separator[0])
            spans = len(_line_ends(block, True)) > 0
        yield block, spans


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
            if block:
                yield _checked(block)
    if block:
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


def _line_ends(block: bytearray, quoted: bool) -> Array:
    """Where lines end, within quotes or without."""
    marks = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(marks == _LF)
    before = np.searchsorted(np.flatnonzero(marks == _QUOTE), ends)
    return ends[before % 2 == quoted]


def _check_quotes(block: bytearray, separator: int) -> None:
    """Refuse a block in which a quote stands elsewhere than around a whole value, or doubled in
    one: Arrow takes what follows such a quote for part of the value, to the end of the file.
    """
    marks = np.frombuffer(b"".join((b"\n", block, b"\n")), np.uint8)
    quotes = np.flatnonzero(marks == _QUOTE)
    before, after = marks[quotes[::2] - 1], marks[quotes[1::2] + 1]
    sound = len(quotes) % 2 == 0
    for sides, ends in ((before, (_QUOTE, separator, _LF)), (after, (_QUOTE, separator, _LF, _CR))):
        fits = np.zeros(len(sides), np.bool_)
        for mark in ends:
            fits |= sides == mark
        sound &= bool(fits.all())
    if not sound:
        raise NotHealthy("a quote within a value")


def check_objects(block: bytearray, rows: int) -> None:
    """Refuse a block of JSON lines of which Arrow made other records than one for each line."""
    # Arrow also reads several objects on a line, one object on several lines, and these words
    gaps = block.count(b"}\n{") + 1
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    if gaps != rows or lines != rows:
        gaps = len(_GAP.findall(block)) + 1
        lines -= len(_BLANK_LINE.findall(block))
    if rows and (gaps != rows or lines != rows):
        raise NotHealthy("not one object on each line")
    if b"Inf" in block and block.count(b"Inf") != block.count(b"Infinity"):
        raise NotHealthy("a word that is no number")
    if block.count(b"[") + block.count(b"{") - rows > (most := NESTING.value):
        _check_nesting(block, most)


def _check_nesting(block: bytearray, most: int) -> None:
    marks = np.frombuffer(block, np.uint8)
    # the two marks differ in one bit
    openings = np.flatnonzero((marks | 32) == ord("{"))
    ends = np.flatnonzero(marks == _LF)
    counts = np.diff(np.searchsorted(openings, ends), prepend=0, append=len(openings))
    if counts.max() > most:
        raise NotHealthy("many lists or records on a line")
