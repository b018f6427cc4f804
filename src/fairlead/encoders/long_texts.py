"""Texts longer than a model reads are cut; every encoder counts its own.

It does so even where several encoders share a loaded model.
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
        """Count so many more texts, and so many of them cut."""
        self.read, self.cut = self.read + read, self.cut + cut

    def notes(self, limit: int | None) -> list[str]:
        """What the manifest says about them; nothing where none was cut."""
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
    """An encoder that says in ``about`` how many texts it has cut since it was made."""

    @cached_property
    def _long(self) -> LongTexts:
        return LongTexts()

    def afresh(self) -> Self:
        """The same encoder with what it has loaded, before it has read a text."""
        # a new object, since counts are those of one run
        copy = object.__new__(type(self))
        copy.__dict__.update(
            {name: value for name, value in self.__dict__.items() if name != "_long"}
        )
        return copy
