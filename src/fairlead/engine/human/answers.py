"""Answers of people: brought in from files, written out, and forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from fairlead.annotators.human import human_groups_of
from fairlead.engine.human.tasks import KEEP
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.store.answer_files.choose import Form, read_answers
from fairlead.store.answer_files.label_studio import write_label_studio
from fairlead.store.answer_files.mturk import write_mturk
from fairlead.store.answer_files.plain import write_plain
from fairlead.store.answer_files.records import Expected
from fairlead.store.human import HumanStore
from fairlead.store.label_writing import noted_labels, write_about, write_labels
from fairlead.store.leave_out import LeaveOut, read_leave_out
from fairlead.types.answers import Task

Place = str | Path
# Clocks of several machines differ by seconds.
_SKEW = timedelta(minutes=5)
Out = Literal["answers", "label-studio", "mturk", "labels"]


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
    # Nothing is made before the answers are read: a file that is refused must leave no store.
    fresh = bool(groups) and not Path(store).expanduser().exists()
    tasks, made = dict[str, Task](), None
    if not fresh:
        with HumanStore(store) as there:
            tasks = dict(there.tasks())
    if groups and attribute is not None and attribute not in tasks:
        made = tasks[attribute] = Task(attribute, tuple(groups))
    if attribute is not None and attribute not in tasks:
        raise unknown_name("task", attribute, tasks)
    read = read_answers(path, Expected(tasks, time, attribute, item_field), form)
    out = read_leave_out(leave_out) or LeaveOut()
    gone = out.items([answer.item for answer in read.answers])
    answers = [a for a, left in zip(read.answers, gone, strict=True) if not left]
    skipped = dict(read.skipped)
    if gone.any():
        skipped["left out on request"] = int(gone.sum())
    if not answers:
        raise DataError(f"{Path(path).name} holds no answer.", _left_out(skipped))
    with HumanStore(store, create=fresh) as opened:
        if fresh:
            opened.keep(keep, time)
        if made is not None:
            opened.define(made, time)
        added = opened.add(answers, now=time)
    return Imported(
        added.new, added.known, skipped, tuple(dict.fromkeys(a.attribute for a in answers))
    )


def _left_out(skipped: Mapping[str, int]) -> str:
    """How many answers were left out, by reason; empty where none was."""
    if not skipped:
        return ""
    return f"Left out: {', '.join(f'{count} {reason}' for reason, count in skipped.items())}."


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
        labels = dict[str, Any]()
        sources = dict.fromkeys(tasks, "answers of people")
        if form == "labels":
            labels = {n: human_groups_of(opened, n, None, aggregate) for n in tasks}
            sources = {name: groups.source for name, (_, groups) in labels.items()}
        with noted_labels(out) as (file, note):
            if form == "labels":
                written = {"items": write_labels(file, labels)}
            else:
                written = {"answers": _write_answers(opened, file, tasks, form, raters, history)}
            # A copy outlives its store, so it says itself how long it may be kept.
            made = time or datetime.now(UTC)
            write_about(note, out, sources, made, **written, keep_days=opened.kept())
        return sum(written.values())


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


def forget(
    store: Place,
    time: datetime,
    *,
    rater: str | None = None,
    item: str | None = None,
    days: int | None = None,
    expired: bool = False,
    yes: bool = False,
) -> int:
    """Forget answers for good: of a rater, about an item, older than some days or than the file
    says they are kept. Returns how many.

    Args:
        store: The file of human labels.
        time: The time by the clock.
        rater: Whose answers go.
        item: About what they go.
        days: Older ones go.
        expired: Those go that are older than the file says they are kept.
        yes: Go by the clock also where it is behind the newest answer.
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
    before = None
    if days is not None:
        before = time - timedelta(days=days)
        if not yes:
            _refuse_clock(store, time)
    return remove(store, time, rater=rater, item=item, before=before)


def _refuse_clock(store: Place, time: datetime) -> None:
    """Refuse to tell old answers by a clock that is behind the newest: it cannot be right."""
    with HumanStore(store) as opened:
        newest = opened.newest()
    if newest is not None and newest > time + _SKEW:
        raise UsageError(
            f"It is {time:%Y-%m-%d %H:%M} by the clock, and {Path(store).name} has an answer of "
            f"{newest:%Y-%m-%d %H:%M}: one of them is wrong. Nothing was forgotten.",
            "Set the clock right, or say --yes to go by it as it is.",
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
        # A row that is deleted leaves its bytes in the file and in its log.
        opened.vacuum()
        return count
