"""Named random numbers: every draw is the hash of a text key, not of a library's generator."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Stream:
    """Random draws under one key. Each draw has a name of its own: adding one never moves another.

    >>> Stream("portrait/7").below("hue", 6) == Stream("portrait/7").below("hue", 6)
    True
    """

    key: str

    def below(self, name: str, bound: int) -> int:
        """A whole number in 0..bound-1."""
        # A library's generator may draw otherwise in its next version; a hash does not. The
        # remainder favours small numbers by less than one part in 2**64 / bound.
        digest = hashlib.blake2b(f"{self.key}/{name}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % bound

    def between(self, name: str, low: int, high: int) -> int:
        """A whole number in low..high, both included."""
        return low + self.below(name, high - low + 1)

    def chance(self, name: str, percent: int) -> bool:
        """True in ``percent`` of a hundred keys."""
        return self.below(name, 10_000) < percent * 100

    def pick(self, name: str, options: Sequence[str]) -> str:
        """One of the options, each as likely; name an option twice to make it twice as likely."""
        # Another number of options is another choice for nearly every seed, and so other drawings.
        return options[self.below(name, len(options))]
