"""Texts that are longer than a model reads: they are cut, and every encoder counts its own, whoever
shares the loaded model.
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

from fairlead.words.counts import agreeing, part_of


class LongTexts:
    """How many texts were read, and how many of them were cut."""

    def __init__(self) -> None:
        self.read = self.cut = 0

    def count(self, read: int, cut: int) -> None:
        """So many texts more, and so many of them cut."""
        self.read, self.cut = self.read + read, self.cut + cut

    def notes(self, limit: int | None) -> list[str]:
        """What the manifest says of them; nothing where none was cut."""
        if not self.cut:
            return []
        were = agreeing(self.cut, "was", "were")
        return [
            (
                f"{part_of(self.cut, self.read, 'text')} {were} longer than the model reads "
                f"({limit} tokens) and {were} cut."
            )
        ]


class CountsLongTexts:
    """An encoder that tells in ``about`` how many texts it cut since it was made, or made afresh."""

    @cached_property
    def _long(self) -> LongTexts:
        return LongTexts()

    def afresh(self) -> Self:
        """The same encoder, with what it has loaded, before it has read a text: its counts are of
        one run.
        """
        made = object.__new__(type(self))
        made.__dict__.update(
            {name: value for name, value in self.__dict__.items() if name != "_long"}
        )
        return made
