"""Options that several commands share, and how results and progress are shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from fairlead.protocols import Progress

_PIPED = 140
"""Columns of a table that goes to a file or another program."""
ONE_BY_ONE = (
    "{out} says of single items how people in them appear. Keep it only as long as you need it; "
    "see docs/ethics.md."
)
"""Said on standard error wherever a table of single items was asked for."""
F = TypeVar("F", bound=Callable[..., Any])


def files(command: F) -> F:
    """RUN, --groups and the choices that say how both are read."""
    labels = "Labels: CSV, TSV, JSONL or Parquet with 'item' and one column per attribute."
    targets, orders = "uniform|pool|relevant|FILE", click.Choice(["hash", "stable"])
    equal = "Order of equal scores: a seeded hash, or as in the file."
    decorators = [
        click.argument("run", type=click.Path()),
        click.option("--groups", required=True, type=click.Path(), metavar="FILE", help=labels),
        click.option(
            "--attribute",
            multiple=True,
            metavar="NAME",
            help="Attribute; gender*skin is the intersection. Default: all.",
        ),
        click.option(
            "--target",
            default="uniform",
            show_default=True,
            metavar=targets,
            help="What lists are held against.",
        ),
        click.option(
            "--qrels",
            type=click.Path(),
            metavar="FILE",
            help="Relevance judgements: TREC qrels or query,item,gain.",
        ),
        click.option("--ties", type=orders, default="hash", show_default=True, help=equal),
        click.option(
            "--blocks",
            metavar="COLUMN",
            help="Column of the labels that names matched sets (images drawn from one seed).",
        ),
        click.option(
            "--source",
            default="label",
            show_default=True,
            help="Who made the labels; printed beside every number.",
        ),
        leave_out_option,
        click.option(
            "--seed", type=int, default=0, show_default=True, help="Seed of every random choice."
        ),
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


unknown_option = click.option(
    "--unknown",
    type=click.Choice(["ignore", "own-group", "spread"]),
    default="ignore",
    show_default=True,
    help="What becomes of unknown labels.",
)
least_option = click.option(
    "--least",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="Counts of fewer people are withheld, and what would give them away; 0 shows all.",
)
leave_out_option = click.option(
    "--leave-out",
    type=click.Path(),
    metavar="FILE",
    help=(
        "What is neither labelled nor measured: an item a line, or 'query: TEXT'; * and ? "
        "stand for any letters."
    ),
)
trigger_option = click.option(
    "--trigger/--no-trigger",
    default=True,
    show_default=True,
    help="Leave alone what names a group, a person, the past or no person.",
)
leave_option = click.option(
    "--leave",
    type=click.Path(),
    metavar="FILE",
    help="More queries to leave alone, one a line; * and ? stand for any letters.",
)
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
        if given is not None and given != options[name].get_default(context):
            words += [
                word
                for value in (given if options[name].multiple else (given,))
                for word in (options[name].opts[-1], str(value))
            ]
    return words


def show(view: Any) -> None:
    """Print a rich view."""
    from fairlead.report.terminal import as_text, plain_console

    console = plain_console()
    if console.is_terminal:
        console.print(view)
    else:
        click.echo(as_text(view, _PIPED), nl=False)


def show_json(value: Any) -> None:
    """Print a value as JSON."""
    from fairlead.report.saving import dumps

    click.echo(dumps(value))


def warn_unfit(manifest: Mapping[str, Any], *, as_json: bool) -> None:
    """What the card of a model says against its use, on standard error, but where a terminal has
    shown it with the other warnings.
    """
    if as_json or not sys.stdout.isatty():
        for note in manifest.get("not_for", ()):
            click.echo(f"! {note}", err=True)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on standard error, where that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
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

    class Rate(ProgressColumn):
        """How many a second."""

        def render(self, task: Task) -> Text:
            return Text("" if not task.speed else rate(task.speed))

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task, labels = bar.add_task("reading", total=None), {"reading"}

        def tell(label: str, done: int, total: int) -> None:
            if (
                label not in labels
            ):  # other work: its speed says nothing about that of what was done before
                labels.add(label)
                bar.reset(task, description=label, total=total, completed=done)
            bar.update(task, description=label, completed=done, total=total)

        yield tell


def rate(speed: float) -> str:
    """So many a second, short.

    >>> rate(0.25), rate(812.0), rate(3_400_000.0)
    ('0.2/s', '812/s', '3.4 M/s')
    """
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e4)):
        if speed >= size:
            return f"{speed / (1e3 if unit == 'k' else size):.1f} {unit}/s"
    return f"{speed:.0f}/s" if speed >= 10 else f"{speed:.1f}/s"
