"""Benchmarks: a collection, queries and a protocol that says how the answers are measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self, runtime_checkable

from fairlead.types import Study

CARD = ("name", "revision", "licence", "citation", "obtain")
"""What every benchmark says of itself, in ``Study.card``."""


@runtime_checkable
class Benchmark(Protocol):
    """Gives a study: who is searched, with what, and how the answers are measured.

    ``study().card`` says at least what ``CARD`` names. ``str`` gives the text form, which is the
    study's name. What else a benchmark can do is said by the small protocols below.
    """

    def study(self) -> Study: ...


# Not a Benchmark: annotators that draw at random can be drawn again as well.
@runtime_checkable
class Repeatable(Protocol):
    """A benchmark or an annotator that can be drawn again: its numbers differ in luck alone."""

    def numbered(self, number: int) -> Self:
        """The same choice with another seed, ``number`` further on; 0 is itself."""
        ...


@runtime_checkable
class Skewed(Benchmark, Protocol):
    """A benchmark whose share of the largest group can be set."""

    def with_majority(self, share: float) -> Self:
        """The same benchmark with that share of the largest group.

        Raises:
            UsageError: For a share that it cannot have.
        """
        ...


@runtime_checkable
class Referenced(Benchmark, Protocol):
    """A benchmark with other items beside it, to fit mitigations on what is not measured."""

    def reference(self) -> Benchmark | None:
        """The benchmark of those items; None where this choice has none."""
        ...


@runtime_checkable
class Inspected(Protocol):
    """Data in files of one's own, which can be looked through for everything that is wrong."""

    def study(self) -> Study: ...
    def faults(self) -> Sequence[Any]:
        """Every fault with ``file``, ``line``, ``message``, ``hint``, ``grave``; grave first."""
        ...
