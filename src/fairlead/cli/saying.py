"""The one place where commands print text. Views of rich have their own, ``plain_console``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import click


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text, on standard error where ``err``; what would steer a terminal is escaped."""
    # Loaded when something is said: the help has its own way and must come at once.
    from fairlead.words.visible import visible

    click.echo(visible(text), err=err, nl=nl)


@contextmanager
def warnings_said() -> Iterator[None]:
    """Within, warnings of Python are said as everything else is, and our own in one line."""
    from fairlead.store.cells import GuardedCells

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, GuardedCells):
            say(f"! {message}", err=True)
        else:
            say(warnings.formatwarning(message, category, filename, lineno), err=True, nl=False)

    with warnings.catch_warnings():
        warnings.simplefilter("always", GuardedCells)
        warnings.showwarning = show
        yield
