"""``own:DIR``: an audit of one's own data, from a folder.

The files may also be named one by one: ``OwnData`` is the same without the folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from fairlead.benchmarks.own.data import Choices, OwnData
from fairlead.benchmarks.own.folder import data_of
from fairlead.errors import UsageError
from fairlead.protocols.spec import Configured
from fairlead.store.faults import FileFault
from fairlead.types import Study

__all__ = ["Choices", "Own", "OwnData", "check_own"]


@dataclass(frozen=True)
class Own(Configured):
    """Your own pictures or captions, queries and labels: ``own:DIR``.

    Lists are written ``one|two``: ``metrics``, ``attributes`` and ``by``, the tags by whose values
    the results are also told apart. ``target`` is ``uniform``, ``pool`` or ``relevant`` where the
    folder states none. ``clusters`` is a tag whose queries do not stand for themselves. ``asks``
    says who searches, where a query has both a text and a picture.
    """

    folder: str
    k: int | None = None
    metrics: str = ""
    attributes: str = ""
    target: Literal["uniform", "pool", "relevant"] = "uniform"
    by: str = ""
    clusters: str = ""
    asks: Literal["auto", "text", "image"] = "auto"

    name: ClassVar[str] = "own"
    addressed: ClassVar[str | None] = "folder"

    def validate(self) -> None:
        if not self.folder:
            raise UsageError("own needs a folder.", "Write own:DIR.")
        if self.k is not None and self.k < 1:
            raise UsageError(f"own(k={self.k}) shows nothing.", "Give 1 or more.")

    @property
    def data(self) -> OwnData:
        """The files that the folder holds."""
        choices = Choices(
            self.k,
            _parts(self.metrics),
            _parts(self.attributes),
            _parts(self.by),
            self.clusters,
            self.asks,
        )
        return data_of(Path(self.folder).expanduser(), str(self), self.target, choices)

    def study(self) -> Study:
        """The collection, the queries and how the answers are measured.

        Raises:
            DataError: Where anything is wrong with the files: all of it, with file and line.
        """
        return self.data.study()

    def faults(self) -> tuple[FileFault, ...]:
        """Everything that is wrong with the files, with file and line."""
        return self.data.faults()


def check_own(folder: str | Path) -> tuple[FileFault, ...]:
    """Everything that is wrong with a folder of one's own data, with file and line.

    Grave faults come first: they stop an audit. The others are notes, such as labels of items that
    are not there. An empty answer says that all is well.

    Raises:
        UsageError: Where there is no such folder.
    """
    return Own(str(folder)).faults()


def _parts(text: str) -> tuple[str, ...]:
    # Not commas: specs use those between their parameters.
    return tuple(part.strip() for part in text.split("|") if part.strip())
