"""Which format a file is in, and how its bytes are opened.

The suffix decides; where it says nothing, the first line does.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast

from fairlead.errors import DataError, UsageError
from fairlead.store.limits import check_growth
from fairlead.store.opening import opened

Format = Literal["csv", "tsv", "jsonl", "parquet", "trec"]

SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json-lines": "jsonl",
    ".parquet": "parquet",
    ".trec": "trec",
    ".run": "trec",
    ".qrels": "trec",
    ".txt": "trec",
}
_PIECE = 1 << 20
SEPARATORS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Trec:
    """A TREC layout: its name, and the names of its values, which white space separates."""

    what: str
    columns: tuple[str, ...]


TREC_RUN = Trec("TREC run", ("query", "Q0", "item", "rank", "score", "tag"))
TREC_QRELS = Trec("TREC qrels file", ("query", "iteration", "item", "gain"))


@dataclass(frozen=True)
class File:
    """A file to read: where, in which format, and with which TREC layout if it has one."""

    path: Path
    format: Format
    trec: Trec | None = None

    @property
    def name(self) -> str:
        """The name used in messages."""
        return self.path.name

    @property
    def zipped(self) -> bool:
        """Whether the bytes are gzip-compressed."""
        return _zipped(self.path)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The uncompressed bytes, as long as they are not very many more than the compressed."""
        with opened(self.path) as packed:
            if not self.zipped:
                yield packed
                return
            with (
                gzip.GzipFile(fileobj=packed) as stream,
                _Unpacked(stream, packed, self) as bounded,
            ):
                yield cast(IO[bytes], bounded)


class _Unpacked(io.BufferedIOBase):
    """The bytes of a compressed stream, counted."""

    def __init__(self, stream: gzip.GzipFile, packed: BinaryIO, file: File) -> None:
        self._stream, self._packed, self._name = stream, packed, file.name
        self._count = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._count

    def readinto(self, buffer: Any) -> int:
        # in pieces, so that a bomb is known before it fills the memory
        view, size = memoryview(buffer), 0
        while size < len(view) and (more := self._stream.readinto(view[size : size + _PIECE])):
            size += self._counted(more)
        return size

    def readline(self, size: int | None = -1) -> bytes:
        line = self._stream.readline(size or -1)
        self._counted(len(line))
        return line

    def _counted(self, size: int) -> int:
        self._count += size
        check_growth(self._count, self._packed.tell(), self._name)
        return size


def locate(path: str | Path, trec: Trec | None) -> File:
    """The file at a path; refused where it is missing, empty or of no known format."""
    place = Path(path).expanduser()
    if not place.exists():
        raise UsageError(f"There is no file {place}.", "Check the path.")
    if not place.is_file():
        raise UsageError(f"{place} is not a file.", "Give the path of a file.")
    first = _first_line(place)
    format = _format(place, first, trec)
    if format is None or (format == "parquet" and _zipped(place)):
        accepted = ", ".join(s for s, f in SUFFIXES.items() if trec or f != "trec")
        raise UsageError(
            f"The format of {place.name} is not known from its name or its first line.",
            f"Accepted: {accepted}.",
        )
    return File(place, format, {"trec": trec}.get(format))


def _format(path: Path, first: bytes, trec: Trec | None) -> Format | None:
    suffix = path.suffix.lower()
    if _zipped(path):
        suffix = Path(path.stem).suffix.lower()
    named = SUFFIXES.get(suffix)
    # .txt says little, so that the first line is looked at even where a TREC file is expected
    if named == "trec" and trec is not None and suffix != ".txt":
        return "trec"
    if named in (None, "trec"):
        return _sniff(first, trec) or ("trec" if named and trec else None)
    # A TREC file saved with tabs is often called .tsv; a table would have a header there, not
    # numbers.
    if named == "tsv" and _sniff(first, trec) == "trec":
        return "trec"
    return named


def _zipped(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _first_line(path: Path) -> bytes:
    """The first line that is not blank, without the byte order mark."""
    file = File(path, "csv")
    try:
        with file.open() as stream:
            while line := stream.readline(1 << 20):
                if line := line.removeprefix(b"\xef\xbb\xbf").strip():
                    return line
    except PermissionError as error:
        raise UsageError(
            f"{file.path} cannot be read: {error.strerror}.", "Check its permissions."
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"{file.name} cannot be decompressed: {error}.",
            "Make it again, or give the uncompressed file.",
        ) from error
    raise DataError(f"{file.name} is empty.", "It needs at least one line of data.")


def _sniff(first: bytes, trec: Trec | None) -> Format | None:
    parts = first.split()
    # before all others: the id at the head of a TREC line may begin like any of them
    if trec is not None and len(parts) == len(trec.columns) and _numbers(parts, trec):
        return "trec"
    if first.startswith(b"PAR1"):
        return "parquet"
    if first.startswith(b"{"):
        return "jsonl"
    if b"\t" in first:
        return "tsv"
    if b"," in first:
        return "csv"
    return None


def _numbers(parts: list[bytes], trec: Trec) -> bool:
    """Whether the values that must be numbers in a TREC layout are numbers."""
    try:
        for name, part in zip(trec.columns, parts, strict=True):
            if name in ("rank", "score", "gain"):
                float(part)
    except ValueError:
        return False
    return True
