"""Assembly of human labels: the store, the files of answers and the use cases, joined for the
command, the web and the library.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairlead.annotators.human import human_groups_of
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.statistics.cells import SMALLEST
from fairlead.statistics.sampling import By
from fairlead.store import lines
from fairlead.store.answer_files.choose import Form, read_answers
from fairlead.store.answer_files.label_studio import write_label_studio, write_tasks
from fairlead.store.answer_files.mturk import write_mturk
from fairlead.store.answer_files.plain import write_plain
from fairlead.store.answer_files.records import Expected
from fairlead.store.atomic import atomic
from fairlead.store.formats import locate
from fairlead.store.human import HumanStore
from fairlead.store.label_writing import write_about, write_labels
from fairlead.store.leave_out import LeaveOut, read_leave_out
from fairlead.store.runs import ITEM_ALIASES, read_run
from fairlead.store.tables import Header
from fairlead.studies.human import TaskStatus, status_of
from fairlead.studies.human_plan import NextLabels, plan_of
from fairlead.types import Ranking
from fairlead.types.answers import Task

Place = str | Path
Out = Literal["answers", "label-studio", "mturk", "labels"]
KEEP = 365
"""Days that answers are kept, where nobody says otherwise."""


@dataclass(frozen=True)
class Imported:
    """What an import brought: new answers, answers that were there already, entries left out by
    reason.
    """

    new: int
    known: int
    skipped: Mapping[str, int]
    tasks: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The import as JSON takes it."""
        return {
            "new": self.new,
            "known": self.known,
            "skipped": dict(self.skipped),
            "tasks": list(self.tasks),
        }


def define(
    store: Place,
    attribute: str,
    time: datetime,
    *,
    groups: Sequence[str] = (),
    instructions: Place | None = None,
    raters: int | None = None,
    price: float | None = None,
    seconds: float | None = None,
    keep: int | None = None,
) -> Task:
    """Make a task, or a new version of it; what is not given stays as it was. The file is made
    where there is none.

    Args:
        store: The file of human labels.
        attribute: What is labelled.
        time: When the task is made.
        groups: The groups to choose from.
        instructions: A text file that raters are shown.
        raters: How many people answer for each item.
        price: What one answer costs.
        seconds: How long one answer takes.
        keep: Days that answers of this file are kept, 0 being without end; noted when the file is
            made, and told by its status.
    """
    text = None if instructions is None else _text(Path(instructions).expanduser())
    told = {
        "groups": tuple(groups) or None,
        "instructions": text,
        "raters": raters,
        "price": price,
        "seconds": seconds,
    }
    given: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    fresh = not Path(store).expanduser().exists()
    if fresh:
        Task(
            attribute, **{"groups": (), **given}
        )  # what is refused is refused before a file is made
    with HumanStore(store, create=True) as opened:
        if fresh or keep is not None:
            opened.keep(KEEP if keep is None else keep, time)
        last = opened.tasks().get(attribute)
        return opened.define(
            Task(attribute, **{"groups": (), **given}) if last is None else replace(last, **given),
            time,
        )


def import_answers(
    store: Place,
    path: Place,
    time: datetime,
    *,
    form: Form | None = None,
    attribute: str | None = None,
    groups: Sequence[str] = (),
    item_field: str | None = None,
    leave_out: Any = None,
    keep: int = KEEP,
) -> Imported:
    """Read a file of answers into a store, all of it or nothing.

    Args:
        store: The file of human labels.
        path: The file of answers.
        time: When answers count as given whose file does not say.
        form: Its form; told by the file by default.
        attribute: The only attribute to read.
        groups: Groups of the task ``attribute``, which is made where it is not there.
        item_field: The field that names the item, where it cannot be guessed.
        leave_out: Items whose answers are not taken: a file, or a list of lines.
        keep: Days that answers are kept, where the file is made here.
    """
    if groups and attribute is None:
        raise UsageError("Groups make a task, and it has no name.", "Name it with --attribute.")
    fresh = bool(groups) and not Path(store).expanduser().exists()
    with nullcontext() if fresh else HumanStore(store) as there:
        tasks = {} if there is None else there.tasks()
    made = (
        Task(attribute, tuple(groups))
        if groups and attribute is not None and attribute not in tasks
        else None
    )
    tasks |= {} if made is None else {made.attribute: made}
    if attribute is not None and attribute not in tasks:
        raise unknown_name("task", attribute, tasks)
    read = read_answers(path, Expected(tasks, time, attribute, item_field), form)
    out = read_leave_out(leave_out) or LeaveOut()
    gone = out.items([answer.item for answer in read.answers])
    answers, skipped = (
        [a for a, left in zip(read.answers, gone, strict=True) if not left],
        dict(read.skipped),
    )
    skipped |= {"left out on request": int(gone.sum())} if gone.any() else {}
    if not answers:
        raise DataError(
            f"{Path(path).name} holds no answer.",
            f"Left out: {_counted(skipped)}." if skipped else "",
        )
    with HumanStore(store, create=fresh) as opened:
        if fresh:
            opened.keep(keep, time)
        if made is not None:
            opened.define(made, time)
        added = opened.add(answers)
    return Imported(
        added.new, added.known, skipped, tuple(dict.fromkeys(a.attribute for a in answers))
    )


def export_answers(
    store: Place,
    out: Place,
    *,
    form: Out,
    attributes: Sequence[str] = (),
    raters: bool = False,
    history: bool = False,
    aggregate: str = "dawid-skene",
    time: datetime | None = None,
) -> int:
    """Write answers, or the labels made of them, to a file. Returns how many answers or items were
    written.

    Args:
        store: The file of human labels.
        out: The file to write.
        form: ``labels`` writes one line an item, as other commands read it; the others write
            answers.
        attributes: The tasks; all by default.
        raters: With the names of raters and their own ids; hashed by default.
        history: Earlier answers that were corrected, too.
        aggregate: How labels are made of answers.
        time: When they are written, which stands beside them; now by default.
    """
    with HumanStore(store) as opened:
        tasks = {name: opened.task(name) for name in attributes or opened.tasks()}
        labels = (
            {n: human_groups_of(opened, n, None, aggregate) for n in tasks}
            if form == "labels"
            else {}
        )
        with atomic(out) as file:
            count = (
                write_labels(file, labels)
                if form == "labels"
                else _write_answers(opened, file, tasks, form, raters, history)
            )
        sources = {
            name: labels[name][1].source if name in labels else "answers of people"
            for name in tasks
        }
        written = {"items" if form == "labels" else "answers": count}
        write_about(out, sources, time or datetime.now(UTC), **written, keep_days=opened.kept())
        return count


def _write_answers(
    store: HumanStore, file: Path, tasks: Mapping[str, Task], form: Out, raters: bool, history: bool
) -> int:
    answers = [a for name in tasks for a in store.answers(name, history=history, named=raters)]
    if form == "answers":
        write_plain(file, answers)
    elif form == "mturk":
        write_mturk(file, answers, {name: task.price for name, task in tasks.items()})
    else:
        write_label_studio(file, answers, {})
    return len(answers)


def status(
    store: Place, *, raters: bool = False, seed: int = 0, least: int = SMALLEST
) -> list[TaskStatus]:
    """How every task of a store stands; raters are hashed unless asked for."""
    with HumanStore(store) as opened:
        return [
            status_of(
                opened.answers(name, history=True, named=raters),
                opened.versions(name),
                opened.asked(name),
                seed=seed,
                least=least,
            )
            for name in opened.tasks()
        ]


def plan(
    store: Place,
    attribute: str,
    *,
    run: Any = None,
    items: Place | None = None,
    k: int = 20,
    budget: int | None = None,
    by: By = "interval",
    leave_out: Any = None,
    seed: int = 0,
) -> NextLabels:
    """What to label next, and what it costs: of the first k of a run's queries, of a table of
    items, or of what is in the queue.

    What is on the list to leave out is not put before anybody.
    """
    if run is not None and items is not None:
        raise UsageError(
            "A run and a table of items were given.", "Give one: the run has its items."
        )
    with HumanStore(store) as opened:
        task, answers, asked = (
            opened.task(attribute),
            opened.answers(attribute),
            opened.asked(attribute),
        )
    out = read_leave_out(leave_out) or LeaveOut()
    named = list(item_fields(items)) if items is not None else list(asked)
    kept = [name for name, gone in zip(named, out.items(named), strict=True) if not gone]
    lists, ids = first_of(without(run, out)[0], k)[1:] if run is not None else _one_list(kept)
    if not ids:
        raise UsageError(
            f"There is nothing to choose from for '{attribute}'.", "Give --run RUN or --items FILE."
        )
    return plan_of(task, answers, lists, ids, budget=budget, by=by, seed=seed)


def write_work(store: Place, made: NextLabels, out: Place, items: Place | None = None) -> None:
    """Write the items of a plan as work to hand out: tasks of Label Studio (.json), or a table
    (.csv), as MTurk takes it.
    """
    fields = item_fields(items) if items is not None else {}
    with HumanStore(store) as opened, atomic(out) as file:
        if Path(out).suffix.lower() == ".json":
            write_tasks(file, opened.task(made.attribute), made.items, fields)
            return
        columns = list(dict.fromkeys(name for about in fields.values() for name in about))
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, ["item", *columns], restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows({**fields.get(item, {}), "item": item} for item in made.items)


def refuse_place(out: Place, store: Place) -> None:
    """Refuse to write over the store."""
    if os.path.realpath(Path(out).expanduser()) == os.path.realpath(Path(store).expanduser()):
        raise UsageError(
            f"{out} is the file of human labels itself; it would be lost.", "Choose another path."
        )


def ask(store: Place, made: NextLabels, time: datetime) -> int:
    """Put the items of a plan in the queue of its task. Returns how many are new there."""
    with HumanStore(store) as opened:
        return opened.ask(made.attribute, made.items, time)


@dataclass(frozen=True)
class Retention:
    """How long the answers of a file are kept.

    Attributes:
        days: As noted in the file; 0 is without end, None where nothing is noted.
        answers: All that are there, corrected ones too.
        oldest: When the oldest was given.
        expired: How many are older than that. They stay until somebody has them forgotten.
    """

    days: int | None
    answers: int
    oldest: datetime | None
    expired: int

    def to_dict(self) -> dict[str, Any]:
        """The retention as JSON takes it."""
        oldest = None if self.oldest is None else self.oldest.isoformat(timespec="seconds")
        return {
            "days": self.days,
            "answers": self.answers,
            "oldest": oldest,
            "expired": self.expired,
        }


def retention(store: Place, time: datetime) -> Retention:
    """How long answers are kept, and how many are older than that at a time."""
    with HumanStore(store) as opened:
        days, (count, oldest) = opened.kept(), opened.age()
        return Retention(
            days, count, oldest, opened.older(time - timedelta(days=days)) if days else 0
        )


def forget(
    store: Place,
    time: datetime,
    *,
    rater: str | None = None,
    item: str | None = None,
    days: int | None = None,
    expired: bool = False,
) -> int:
    """Forget answers for good: of a rater, about an item, older than some days or than the file
    says they are kept. Returns how many.
    """
    if expired:
        if any(value is not None for value in (rater, item, days)):
            raise UsageError(
                "More than one thing is to be forgotten.",
                "Give one: a rater, an item, an age, or what is past its time.",
            )
        with HumanStore(store) as opened:
            days = opened.kept()
        if not days:
            raise UsageError(
                f"{Path(store).name} notes no time after which answers go.",
                "Note one: annotate human task ... --keep DAYS",
            )
    return remove(
        store,
        time,
        rater=rater,
        item=item,
        before=None if days is None else time - timedelta(days=days),
    )


def remove(
    store: Place,
    time: datetime,
    *,
    rater: str | None = None,
    item: str | None = None,
    before: datetime | None = None,
) -> int:
    """Remove answers on request, and every trace of them in the file. Returns how many."""
    with HumanStore(store) as opened:
        count = opened.remove(time, rater=rater, item=item, before=before)
        opened.vacuum()
        return count


def item_fields(path: Place) -> dict[str, dict[str, str]]:
    """The items of a table with the rest of its columns, e.g. where the picture is."""
    file = locate(path, None)
    if file.format == "parquet":
        raise UsageError(f"{file.name} is Parquet.", "Give items as .csv, .tsv or .jsonl.")
    names, _ = lines.header(file)
    item = Header(file.name, names).need("item", ITEM_ALIASES)
    found: dict[str, dict[str, str]] = {}
    for line, values in lines.records(file, names):
        cells = {
            name: "" if value is None else str(value)
            for name, value in zip(names, values, strict=True)
        }
        name = cells.pop(item).strip()
        if not name or name in found:
            fault = f"the item '{name}' stands there twice" if name else "the item is empty"
            raise DataError(f"{file.name}, line {line}: {fault}.", "Every line is one item.")
        found[name] = cells
    return found


def first_of(run: Any, k: int) -> tuple[tuple[str, ...], Ranking, list[str]]:
    """The queries of a run, the first k of each, and the items these rank."""
    if k < 1:
        raise UsageError(f"-k is {k}.", "Give 1 or more.")
    found = read_run(run)
    ranks = np.arange(len(found.ranking.rows)) - found.ranking.offsets[:-1][found.ranking.query_of]
    kept = np.flatnonzero(ranks < k)
    top = found.ranking.take(kept, np.minimum(found.ranking.lengths, k))
    rows, inside = np.unique(top.rows, return_inverse=True)
    return found.queries, replace(top, rows=inside), [found.items[int(row)] for row in rows]


def without(run: Any, leave_out: Any) -> tuple[Any, dict[str, int] | None]:
    """A run without what is left out, and how much that is; as it is where there is no list."""
    out = read_leave_out(leave_out)
    if out is None:
        return run, None
    found = read_run(run)
    return found.without(out.items(found.items), out.queries(found.queries)), out.left(
        found.items, [found.queries]
    )


def _one_list(items: list[str]) -> tuple[Ranking, list[str]]:
    return Ranking.of([range(len(items))]), items


def _text(path: Path) -> str:
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", "Give a text file of instructions.")
    try:
        return path.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        raise DataError(f"{path.name} is not UTF-8 text.", "Save the file as UTF-8.") from None


def _counted(skipped: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in skipped.items())
