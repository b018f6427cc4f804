"""What is behind an entry of a source: its bytes, and what an encoder sees of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairlead.store import pictures
from fairlead.store.sources.entries import SourceEntry


@dataclass(frozen=True)
class Files:
    """Pictures in files and archives, opened and decoded.

    More than ``max_pixels`` are refused, and ``least`` pixels a side are enough.

    What ``takes`` takes stays as its file has it.
    """

    max_pixels: int = pictures.MAX_PIXELS
    least: int | None = None
    takes: pictures.Takes | None = None

    def read(self, entry: SourceEntry) -> bytes:
        """The bytes of the file."""
        return pictures.read(str(entry.image))

    def see(self, entry: SourceEntry, content: bytes) -> Any:
        """An upright Pillow image in RGB, or the picture as its file has it."""
        return pictures.decode(
            content, max_pixels=self.max_pixels, least=self.least, takes=self.takes
        )


@dataclass(frozen=True)
class References:
    """References as they are, for encoders that know what they mean."""

    def read(self, entry: SourceEntry) -> bytes:
        """The reference."""
        return str(entry.image).encode()

    def see(self, entry: SourceEntry, content: bytes) -> str:
        """The reference."""
        return str(entry.image)


@dataclass(frozen=True)
class Captions:
    """The captions of entries."""

    def read(self, entry: SourceEntry) -> bytes:
        """The caption."""
        return str(entry.text).encode()

    def see(self, entry: SourceEntry, content: bytes) -> str:
        """The caption."""
        return str(entry.text)
