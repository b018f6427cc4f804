"""How much is read at most of what is compressed, nested or counted: a few bytes may stand for
gigabytes. A limit is raised by the environment variable that its error names.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from fairlead.errors import DataError, UsageError


@dataclass(frozen=True)
class Limit:
    """A limit.

    Attributes:
        what: What is counted.
        variable: The environment variable that replaces it.
        most: How much is accepted without it.
    """

    what: str
    variable: str
    most: int

    @property
    def value(self) -> int:
        """How much is accepted now."""
        said = os.environ.get(self.variable)
        if said is None:
            return self.most
        if not said.isdecimal() or not int(said[:18]):
            raise UsageError(
                f"{self.variable} is '{said}'.", "Give a whole number above 0, without separators."
            )
        return int(said[:18])

    def check(self, count: int, name: str) -> None:
        """Refuse more than is accepted; ``name`` is what has so many."""
        if count > (most := self.value):
            raise self.error(name, most)

    def error(self, name: str, most: int | None = None) -> DataError:
        """The error for what has more."""
        return DataError(
            f"{name} has more than {most or self.value:,} {self.what}.",
            f"If that is meant, set {self.variable} to a larger number.",
        )


LINE = Limit("bytes in a line", "FAIRLEAD_MAX_LINE", 1 << 24)
COLUMNS = Limit("columns", "FAIRLEAD_MAX_COLUMNS", 10_000)
NESTING = Limit("lists and records within each other", "FAIRLEAD_MAX_NESTING", 200)
DOCUMENT = Limit("bytes", "FAIRLEAD_MAX_DOCUMENT", 1 << 28)
MEMBERS = Limit("members", "FAIRLEAD_MAX_MEMBERS", 5_000_000)
NAMES = Limit("names in its braces", "FAIRLEAD_MAX_NAMES", 100_000)
_GROWTH = Limit("times its own size when it is unpacked", "FAIRLEAD_MAX_GROWTH", 50)
# Of small files a few repeated lines are many times their size, and harm nobody.
_FLOOR = 1 << 23


def check_growth(unpacked: int, packed: int, name: str) -> None:
    """Refuse what unpacks to many times the bytes it was read from."""
    if unpacked > _FLOOR:
        _GROWTH.check(-(-unpacked // max(packed, 1)), name)
