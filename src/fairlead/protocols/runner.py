"""Runners, and what long work reports to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol


class Runner(Protocol):
    """Maps a task over parts: local processes or a cluster, the same task code."""

    def map(self, task: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]: ...


class Progress(Protocol):
    """What long work reports to: a label, how far, out of how much."""

    def __call__(self, label: str, done: int, total: int) -> None: ...
