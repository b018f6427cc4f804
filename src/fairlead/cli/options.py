"""Options that several commands share, and how results and progress are shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from fairlead.cli.saying import say
from fairlead.protocols import Progress

_FIRST_LINE, _LONGEST_GAP = 5.0, 60.0
"""Seconds before the first line of progress, and at most between two lines."""
_PIPED = 140
"""Columns of a table that goes to a file or another program."""
ONE_BY_ONE = (
    "{out} says of single items how people in them appear. Keep it only as long as you need it; "
    "see docs/ethics.md."
)
"""Said on standard error wherever a table of single items was asked for."""


class OutputPath(click.Path):
    """The type of an option of a door that names a file or folder to write.

    Args:
        about: Whether a note on who gave the labels is written beside it.
    """

    def __init__(self, *, about: bool = False) -> None:
        super().__init__()
        self.about = about


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for programs instead of tables."
)


def said_again(*names: str) -> list[str]:
    """Options of the command at hand that were given, for another command that knows them too; what
    is the default need not be said.
    """
    context, words = click.get_current_context(), list[str]()
    options = {one.name: one for one in context.command.params if isinstance(one, click.Option)}
    for name in names:
        given = context.params[name]
        if given is None or given == options[name].get_default(context):
            continue
        # The last name of an option is its long one.
        values = given if options[name].multiple else (given,)
        words += [word for value in values for word in (options[name].opts[-1], str(value))]
    return words


def show(view: Any) -> None:
    """Print a rich view."""
    from fairlead.report.terminal import as_text, plain_console

    # A pipe has no width of its own: what is written there must not depend on the terminal.
    console = plain_console()
    if console.is_terminal:
        console.print(view)
    else:
        say(as_text(view, _PIPED), nl=False)


def show_json(value: Any) -> None:
    """Print a value as JSON."""
    from fairlead.report.saving import dumps

    say(dumps(value))


def warn_unfit(manifest: Mapping[str, Any], *, as_json: bool) -> None:
    """What the card of a model says against its use, on standard error, but where a terminal has
    shown it with the other warnings.
    """
    if as_json or not sys.stdout.isatty():
        for note in manifest.get("not_for", ()):
            say(f"! {note}", err=True)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on standard error; where that is no terminal, a line now and then."""
    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        yield Lines().tell
        return
    from rich.progress import (
        BarColumn,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar
    from rich.text import Text

    from fairlead.report.terminal import plain_console
    from fairlead.words.visible import visible

    class Rate(ProgressColumn):
        """How many a second."""

        def render(self, task: Task) -> Text:
            if not task.speed:
                return Text("")
            return Text(rate(task.speed))

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=plain_console(stderr=True), transient=True) as bar:
        task, labels = bar.add_task("reading", total=None), {"reading"}

        def tell(label: str, done: int, total: int) -> None:
            # Escaped before rich measures it: a label that needs more room would be cut off.
            label = visible(label)
            # Other work: its speed says nothing about that of what was done before.
            if label not in labels:
                labels.add(label)
                bar.reset(task, description=label, total=total, completed=done)
            bar.update(task, description=label, completed=done, total=total)

        yield tell


class Lines:
    """Progress as lines on standard error: none in the first seconds, then fewer and fewer.

    Args:
        clock: Seconds, rising.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._next = _FIRST_LINE

    def tell(self, label: str, done: int, total: int) -> None:
        """What is done of how much; said where it is time for a line."""
        passed = self._clock() - self._started
        if passed < self._next:
            return
        # Each gap is as long as all that has passed: a log of hours stays short.
        self._next = passed + min(max(passed, _FIRST_LINE), _LONGEST_GAP)
        share = f"{done:,}"
        if total:
            share = f"{share} of {total:,}"
        say(f"{label}: {share}, {passed:.0f} s", err=True)


def rate(speed: float) -> str:
    """So many a second, short.

    >>> rate(0.25), rate(812.0), rate(3_400_000.0)
    ('0.2/s', '812/s', '3.4 M/s')
    """
    # Thousands are written out up to ten thousand: four digits are no longer than "3.4 k".
    for unit, size, least in (("G", 1e9, 1e9), ("M", 1e6, 1e6), ("k", 1e3, 1e4)):
        if speed >= least:
            return f"{speed / size:.1f} {unit}/s"
    if speed >= 10:
        return f"{speed:.0f}/s"
    return f"{speed:.1f}/s"
