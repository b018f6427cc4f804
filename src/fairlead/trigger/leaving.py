"""The user's own list of queries to leave alone.

Lines are exact queries, or patterns with ``*`` and ``?``. Case, width and spaces do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property


@dataclass(frozen=True)
class Leave:
    """Queries to leave alone.

    Attributes:
        lines: One query or pattern each; empty lines and lines that begin with ``#`` say nothing.

    >>> Leave(("nurse*", "# a comment", "Board of Directors")).match("NURSE in scrubs")
    'nurse*'
    """

    lines: tuple[str, ...] = ()

    @classmethod
    def of(cls, lines: Iterable[str]) -> Leave:
        """From the lines of a file."""
        return cls(
            tuple(
                text
                for line in lines
                if (text := line.strip().lstrip("\ufeff")) and not text.startswith("#")
            )
        )

    def match(self, query: str) -> str | None:
        """The line that names a query; None where none does."""
        text = plain(query)
        found = self._exact.get(text)
        return found or next(
            (line for line, pattern in self._patterns if pattern.match(text)), None
        )

    @cached_property
    def _exact(self) -> dict[str, str]:
        return {plain(line): line for line in self.lines if not is_pattern(line)}

    @cached_property
    def _patterns(self) -> list[tuple[str, re.Pattern[str]]]:
        return [
            (line, re.compile(translate(plain(line).replace("[", "[[]"))))
            for line in self.lines
            if is_pattern(line)
        ]


def is_pattern(line: str) -> bool:
    """Whether a line stands for several queries."""
    return not line.startswith("#") and ("*" in line or "?" in line)


def plain(text: str) -> str:
    """A text as it is compared: case, width and spaces do not count."""
    # NFKC: full-width letters and spaces of East Asian keyboards compare equal
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
