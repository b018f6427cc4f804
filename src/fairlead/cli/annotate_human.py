"""``fairlead annotate human``: labels that people give."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from fairlead.cli.numbers import Number
from fairlead.cli.options import (
    ONE_BY_ONE,
    json_option,
    least_option,
    leave_out_option,
    show,
    show_json,
)
from fairlead.words.counts import counted

_FORMS = click.Choice(["answers", "label-studio", "mturk"])
_store = click.argument("store", type=click.Path())


def _now() -> datetime:
    return datetime.now(UTC)


class _InOrder(click.Group):
    """A group that lists its commands in the order of the work."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_InOrder)
def command() -> None:
    """Labels that people give: tasks, plans, answers, agreement, cost.

    Everything stands in one file, which only grows. An answer that was taken is never lost; several
    programs may write at once. An answer is a group, 'not-applicable' (no person, a drawing) or
    'unsure', which stays unknown and is never guessed. Raters are shown and exported under hashed
    names unless you ask for --raters.

    \b
    Examples:
      fairlead annotate human task labels.db --attribute gender --group female --group male --price
      0.05 --seconds 8 fairlead annotate human plan labels.db --attribute gender --run run.csv -k 20
      --labels 300 -o work.csv fairlead annotate human import labels.db batch_results.csv fairlead
      annotate human status labels.db fairlead annotate human export labels.db -o labels.csv
      --format labels
    """


@command.command("task", short_help="Make a task, or change it.")
@_store
@click.option(
    "--attribute",
    required=True,
    metavar="NAME",
    help="What is labelled: perceived presentation, never identity.",
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME",
    help="A group to choose; two or more. Those of the task by default.",
)
@click.option(
    "--instructions",
    type=click.Path(),
    metavar="FILE",
    help="Text that raters are shown; a change makes a new version.",
)
@click.option(
    "--raters",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many people answer for each item; 3 by default.",
)
@click.option(
    "--price", type=Number(min=0), metavar="MONEY", help="What one answer costs, fees included."
)
@click.option("--seconds", type=Number(min=0), metavar="S", help="How long one answer takes.")
@click.option(
    "--keep",
    type=click.IntRange(min=0),
    metavar="DAYS",
    help="How long answers of the file are kept; 365 where it is made, 0 without end.",
)
@json_option
def define(
    store: str,
    attribute: str,
    groups: tuple[str, ...],
    instructions: str | None,
    as_json: bool,
    **numbers: Any,
) -> None:
    """Make a task in STORE, or change it.

    Whatever is not given stays as it was. Answers keep the version of the instructions they were
    given under.

    \b
    Example:
      fairlead annotate human task labels.db --attribute gender --group female --group male
      --instructions how.txt --raters 3
    """
    from dataclasses import asdict

    from fairlead.commands import human as panels

    task = panels.define(
        store, attribute, _now(), groups=groups, instructions=instructions, **numbers
    )
    if as_json:
        show_json(asdict(task))
        return
    asked = (
        f"{', '.join(task.groups)}; {counted(task.raters, 'rater')} an item; version {task.version}"
    )
    click.echo(f"{store}: {task.attribute} ({asked})")
    click.echo(
        "Next: "
        f"{shlex.join(['fairlead', 'annotate', 'human', 'plan', store, '--attribute', task.attribute, '--run', 'RUN'])}"
    )


@command.command("plan", short_help="What to label next, and what it will cost.")
@_store
@click.option("--attribute", required=True, metavar="NAME", help="The task.")
@click.option(
    "--run",
    type=click.Path(),
    metavar="RUN",
    help="Ranking whose first k items of each query are to be labelled.",
)
@click.option(
    "--items",
    type=click.Path(),
    metavar="FILE",
    help="Or a table with 'item': all of it. Other columns go into the work file.",
)
@click.option(
    "-k",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many items of each query.",
)
@click.option(
    "--labels",
    "budget",
    type=click.IntRange(min=0),
    metavar="N",
    help="At most so many answers; all missing ones by default.",
)
@click.option(
    "--by",
    type=click.Choice(["interval", "top", "disputed", "random"]),
    default="interval",
    show_default=True,
    help=(
        "What to label first: where the interval of a query's share is widest, the best "
        "ranks, the least certain, or any."
    ),
)
@leave_out_option
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of what is drawn by lot."
)
@click.option(
    "-o",
    "--out",
    type=click.Path(),
    metavar="FILE",
    help="Write the items as work: .csv (for MTurk) or .json (Label Studio).",
)
@click.option("--add", is_flag=True, help="Put the items in the queue of the task.")
@json_option
def plan(store: str, out: str | None, add: bool, as_json: bool, **choices: Any) -> None:
    """Say what to label next and what it will cost, before anybody is asked.

    The cost is answers times price and seconds of the task. By 'interval', each label goes where it
    is expected to narrow the interval of a query's share most: to queries with few answers, mixed
    groups, or raters who differ.

    \b
    Examples:
      fairlead annotate human plan labels.db --attribute gender --run run.csv -k 20
      fairlead annotate human plan labels.db --attribute gender --run run.csv --labels 300 -o
      work.json --add fairlead annotate human plan labels.db --attribute gender --items photos.csv
      --by random --labels 150
    """
    from fairlead.commands import human as panels
    from fairlead.report.human import plan_view

    if out is not None:
        panels.refuse_place(out, store)
    made = panels.plan(store, **choices)
    if out is not None:
        panels.write_work(store, made, out, choices["items"])
    added = panels.ask(store, made, _now()) if add else 0
    if as_json:
        show_json(made.to_dict())
        return
    show(plan_view(made))
    if out is not None:
        click.echo(f"Written to {out}")
    if add:
        click.echo(f"In the queue: {counted(added, 'new item')}")


@command.command("import", short_help="Read answers: a table, Label Studio, MTurk.")
@_store
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--format", "form", type=_FORMS, help="Form of the files; told by their content by default."
)
@click.option(
    "--attribute",
    metavar="NAME",
    help="Read this attribute only; also names the answers of a file with one question.",
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME",
    help="Make the task --attribute with these groups, where there is none.",
)
@click.option(
    "--item-field",
    metavar="NAME",
    help="The field that names the item, where it cannot be guessed.",
)
@leave_out_option
@json_option
def import_(store: str, files: tuple[str, ...], form: Any, as_json: bool, **choices: Any) -> None:
    """Read answers into STORE: a table, Label Studio's JSON or MTurk's batch results.

    A table has item, attribute, rater, answer, and where known time, id, version, seconds. Each
    file is read whole or not at all. Reading a file again changes nothing. Predictions, skipped
    tasks and rejected work are left out.

    \b
    Examples:
      fairlead annotate human import labels.db answers.csv
      fairlead annotate human import labels.db Batch_results.csv --attribute gender --item-field
      image_url fairlead annotate human import labels.db project-1.json --attribute gender --group
      female --group male
    """
    from fairlead.commands import human as panels

    found = [panels.import_answers(store, path, _now(), form=form, **choices) for path in files]
    if as_json:
        show_json(
            {
                "files": [
                    {"file": Path(path).name, **each.to_dict()}
                    for path, each in zip(files, found, strict=True)
                ]
            }
        )
        return
    for path, each in zip(files, found, strict=True):
        left = "".join(f", {count:,} left out ({reason})" for reason, count in each.skipped.items())
        new = f"{counted(each.new, 'new answer')} to {', '.join(each.tasks)}"
        click.echo(f"{Path(path).name}: {new}, {each.known:,} there already{left}")
    click.echo(f"Next: {shlex.join(['fairlead', 'annotate', 'human', 'status', store])}")


@command.command("export", short_help="Write answers, or the labels made of them.")
@_store
@click.option(
    "-o", "--out", required=True, type=click.Path(), metavar="FILE", help="Where to write."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["answers", "labels", "label-studio", "mturk"]),
    help=(
        "answers: a table of who said what; labels: one line an item, for --groups. By "
        "default label-studio for .json, answers else."
    ),
)
@click.option(
    "--attribute", "attributes", multiple=True, metavar="NAME", help="The task; all by default."
)
@click.option(
    "--raters", is_flag=True, help="With the names of raters. Without it raters and ids are hashed."
)
@click.option("--history", is_flag=True, help="With answers that were corrected later.")
@click.option(
    "--aggregate",
    default="dawid-skene",
    show_default=True,
    metavar="SPEC",
    help="How labels are made: dawid-skene (soft) or majority.",
)
def export(store: str, out: str, form: Any, **choices: Any) -> None:
    """Write answers, or the labels made of them, to a file.

    Names of raters are not written unless you say --raters: they are replaced by hashes that nobody
    can trace without STORE. Beside FILE stands FILE.about.json: who gave the labels, when, and how
    long they are kept.

    \b
    Examples:
      fairlead annotate human export labels.db -o labels.csv --format labels
      fairlead annotate human export labels.db -o labels.csv --format labels --aggregate majority
      fairlead annotate human export labels.db -o answers.csv
      fairlead annotate human export labels.db -o tasks.json --raters
    """
    from fairlead.commands import human as panels

    panels.refuse_place(out, store)
    chosen: Any = form or ("label-studio" if Path(out).suffix.lower() == ".json" else "answers")
    count = panels.export_answers(store, out, form=chosen, **choices)
    named = (
        "" if chosen == "labels" else ", raters by name" if choices["raters"] else ", raters hashed"
    )
    click.echo(
        f"Written to {out}: {counted(count, 'item' if chosen == 'labels' else 'answer')}{named}"
    )
    click.echo(ONE_BY_ONE.format(out=out), err=True)


@command.command("status", short_help="Progress, agreement, cost, who disagrees.")
@_store
@click.option("--raters", is_flag=True, help="Show the names of raters; hashed by default.")
@least_option
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the intervals.")
@json_option
def status(store: str, as_json: bool, **choices: Any) -> None:
    """Say how the tasks of STORE stand: progress, agreement with its interval, cost so far, who
    disagrees.

    \b
    Examples:
      fairlead annotate human status labels.db
      fairlead annotate human status labels.db --json
    """
    from fairlead.commands import human as panels
    from fairlead.report.human import kept_line, status_view

    found, kept = panels.status(store, **choices), panels.retention(store, _now())
    if as_json:
        show_json({"tasks": [task.to_dict() for task in found], "kept": kept.to_dict()})
    else:
        show(status_view(found, kept_line(kept.days, kept.answers, kept.expired, store)))


@command.command(
    "forget", short_help="Forget answers for good: of a rater, about an item, or too old."
)
@_store
@click.option("--rater", metavar="NAME", help="All answers of a rater, by name or by hash.")
@click.option("--item", metavar="ID", help="All answers about an item, and the item in the queue.")
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(min=0),
    metavar="DAYS",
    help="All answers given longer ago.",
)
@click.option(
    "--expired",
    is_flag=True,
    help="All answers older than the file says they are kept (task --keep).",
)
@json_option
def forget(store: str, as_json: bool, **choices: Any) -> None:
    """Forget answers for good: of a rater, about an item, or too old. It cannot be undone, and
    nothing else is ever removed.

    What is gone is overwritten, the file is made smaller and its log emptied: no byte of it is left
        in either. The file notes when and
    how much was forgotten, not whose it was. Files you imported or exported, and backups, are yours
    to delete.

    \b
    Examples:
      fairlead annotate human forget labels.db --item photos/p17.jpg
      fairlead annotate human forget labels.db --rater r-5b1c7de2a9f01c34
      fairlead annotate human forget labels.db --older-than 365
    """
    from fairlead.commands import human as panels

    count = panels.forget(store, _now(), **choices)
    show_json({"forgotten": count}) if as_json else click.echo(
        f"Forgotten in {store}: {counted(count, 'answer')}"
    )


@command.command("delete", hidden=True)
@_store
@click.option("--rater", metavar="NAME", help="All answers of a rater, by name or by hash.")
@click.option("--item", metavar="ID", help="All answers about an item, and the item in the queue.")
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(min=0),
    metavar="DAYS",
    help="All answers given longer ago.",
)
@click.option("--yes", is_flag=True, help="Do it. It cannot be undone.")
def delete(store: str, yes: bool, **choices: Any) -> None:
    """Remove answers for good: the same as forget, which needs no --yes.

    \b
    Example:
      fairlead annotate human delete labels.db --older-than 365 --yes
    """
    from fairlead.commands import human as panels

    if not yes:
        raise click.UsageError("Removed answers do not come back. Say --yes to remove them.")
    click.echo(
        f"Removed from {store}: {counted(panels.forget(store, _now(), **choices), 'answer')}"
    )
