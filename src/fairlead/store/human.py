"""Human labels on disk: tasks, the queue of items, and every answer. Rows are only ever added.

An answer is acknowledged when ``add`` returns: it is on disk then. The same id again is a retry and
counts once. A correction is a new row; of several answers of one rater about one item the latest
counts. Any number of processes may read and write at once; one store object belongs to one thread.
The clock is the caller's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fairlead.errors import BackendError, DataError, UsageError, unknown_name
from fairlead.store.human_file import KEEPING, connect, decoding, telling, transaction
from fairlead.store.json_text import parsed
from fairlead.store.shapes import COUNT, misfit
from fairlead.types.answers import Answer, Task, as_text, content_id

_WAIT = 30.0
# No task has so many versions; larger numbers do not fit where they are counted.
_VERSIONS = 1 << 31
_COLUMNS = "item, attribute, rater, answer, time, id, version, seconds, counts_as"
# By when an answer was given, not by when it came: files are imported in any order. Of several
# answers of one moment, the last to come counts; one that is given now is never of an earlier
# moment than those that are there.
_LATEST = f"""SELECT {_COLUMNS}, alias FROM (
    SELECT *, row_number() OVER (
        PARTITION BY item, rater ORDER BY coalesce(counts_as, time) DESC, seq DESC) AS age
    FROM answer WHERE attribute = ?)
    WHERE age = 1 ORDER BY seq"""
_ALL = f"SELECT {_COLUMNS}, alias FROM answer WHERE attribute = ? ORDER BY seq"


@dataclass(frozen=True)
class Added:
    """How many answers were new, and how many were there already."""

    new: int
    known: int


@dataclass(frozen=True)
class Removal:
    """A removal on request: when, by what, and how many answers; not whose they were."""

    time: datetime
    by: str
    answers: int


class HumanStore:
    """A file of human labels.

    Args:
        path: The file.
        create: Make it where there is none.
        wait: Seconds to wait for other processes.
    """

    def __init__(self, path: str | Path, *, create: bool = False, wait: float = _WAIT) -> None:
        self.path, self._wait = Path(path).expanduser(), wait
        self._connection = connect(self.path, create=create, wait=wait)
        with decoding(self.path):
            self._secret = bytes(memoryview(self._rows("SELECT secret FROM schema")[0][0]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def define(self, task: Task, time: datetime) -> Task:
        """Make a task, or a new version of one that changed. Groups can only be added.

        Returns:
            The task with its version.
        """
        with telling(self.path, self._wait), transaction(self._connection):
            last = self.tasks().get(task.attribute)
            if last is not None and replace(task, version=last.version) == last:
                return last
            if last is not None and task.groups[: len(last.groups)] != last.groups:
                raise UsageError(
                    (
                        f"'{task.attribute}' has the groups {', '.join(last.groups)}; answers "
                        "were given under them."
                    ),
                    (
                        "Groups can be added behind them. For other groups take another "
                        "attribute or another file."
                    ),
                )
            version = replace(task, version=1)
            if last is not None:
                version = replace(task, version=last.version + 1)
            row = (
                version.attribute,
                version.version,
                json.dumps(version.groups),
                version.instructions,
                version.raters,
                version.price,
                version.seconds,
            )
            self._connection.execute(
                "INSERT INTO task VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, as_text(time))
            )
        return version

    def tasks(self) -> dict[str, Task]:
        """The newest version of every task, by attribute."""
        return {task.attribute: task for task in self._versions(None)}

    def task(self, attribute: str) -> Task:
        """The newest version of a task."""
        tasks = self.tasks()
        if attribute not in tasks:
            hint = unknown_name("task", attribute, tasks).hint if tasks else "It has none yet."
            raise UsageError(
                f"{self.path.name} has no task '{attribute}'.",
                f"{hint} Make one with: fairlead annotate human task",
            )
        return tasks[attribute]

    def versions(self, attribute: str) -> dict[int, Task]:
        """Every version of a task."""
        return {task.version: task for task in self._versions(attribute)}

    def _versions(self, attribute: str | None) -> list[Task]:
        columns = "attribute, groups, instructions, raters, price, seconds, version"
        rows = self._rows(
            (
                f"SELECT {columns} FROM task WHERE ? IS NULL OR attribute = ? ORDER BY "
                "attribute, version"
            ),
            attribute,
            attribute,
        )
        with decoding(self.path):
            return [_task(row) for row in rows]

    def ask(self, attribute: str, items: Iterable[str], time: datetime) -> int:
        """Add items to the queue of a task, in this order, and return how many are new."""
        self.task(attribute)
        rows = [(attribute, item, as_text(time)) for item in items]
        with telling(self.path, self._wait), transaction(self._connection):
            before = self._connection.total_changes
            self._connection.executemany(
                "INSERT INTO asked (attribute, item, time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                rows,
            )
            return self._connection.total_changes - before

    def asked(self, attribute: str) -> tuple[str, ...]:
        """The queue of a task, in its order."""
        rows = self._rows("SELECT item FROM asked WHERE attribute = ? ORDER BY seq", attribute)
        with decoding(self.path):
            return tuple(_texts(row)[0] for row in rows)

    def add(self, answers: Sequence[Answer], *, now: datetime | None = None) -> Added:
        """Add answers, all or none; they are on disk when this returns.

        The pseudonym of a rater stands for the rater.

        Args:
            answers: What is added.
            now: The time by the clock. Answers of this very time come after all that are there,
                also where the clock was put back.

        Raises:
            DataError: For an answer that its task does not have, a version that is not there, or an
                id used for another answer.
            UsageError: For a task that is not there.
        """
        new = 0
        with telling(self.path, self._wait), transaction(self._connection):
            versions = {name: self.versions(name) for name in {a.attribute for a in answers}}
            # answers that were given out without names must find their raters when they come back
            names = {self.pseudonym(name): name for name in self._raters()}
            for answer in answers:
                new += self._add(
                    replace(answer, rater=names.get(answer.rater, answer.rater)),
                    versions[answer.attribute],
                    now,
                )
        return Added(new, len(answers) - new)

    def _add(self, new: Answer, versions: dict[int, Task], now: datetime | None) -> bool:
        task = versions[max(versions)] if versions else self.task(new.attribute)
        if new.version is not None and new.version not in versions:
            raise DataError(
                f"'{task.attribute}' has no version {new.version} of its instructions.",
                f"It has 1 to {task.version}.",
            )
        answer = replace(
            new,
            answer=task.read(new.answer),
            version=new.version or task.version,
            id=new.id or content_id(new),
        )
        # the alias is the id that the answer has where names are not shown
        here = self._connection.execute(
            f"SELECT {_COLUMNS} FROM answer WHERE id = ? OR alias = ?", (answer.id, answer.id)
        ).fetchone()
        if here is not None:
            with decoding(self.path):
                there = _answer(here)
            if any(
                getattr(there, name) != getattr(answer, name)
                for name in ("item", "attribute", "rater", "answer")
            ):
                raise DataError(
                    (
                        f"The id '{new.id}' of an answer about item '{new.item}' was used "
                        "for another answer."
                    ),
                    "A correction is a new answer with an id of its own.",
                )
            return False
        if answer.time == now:
            answer = replace(answer, counts_as=self._overtaken(answer))
        self._connection.execute(
            f"INSERT INTO answer ({_COLUMNS}, alias) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*_row(answer), self._hashed("a", str(answer.id))),
        )
        return True

    def _overtaken(self, answer: Answer) -> datetime | None:
        """The latest time of the same rater's answers about the item, where the clock is behind
        it.
        """
        ((latest,),) = self._rows(
            "SELECT max(coalesce(counts_as, time)) FROM answer "
            "WHERE attribute = ? AND item = ? AND rater = ?",
            answer.attribute,
            answer.item,
            answer.rater,
        )
        if latest is None or latest <= as_text(answer.time):
            return None
        return datetime.fromisoformat(latest)

    def answers(self, attribute: str, *, history: bool = False, named: bool = True) -> list[Answer]:
        """The answers that count, or all that were ever given, in the order they arrived.

        Args:
            attribute: The task.
            history: Earlier answers of a rater about an item too.
            named: With the names of raters; else raters and ids are hashed with a secret of this
                file.
        """
        statement = _LATEST
        if history:
            statement = _ALL
        with decoding(self.path):
            rows = [
                (_answer(row[:-1]), _texts(row[-1:])[0]) for row in self._rows(statement, attribute)
            ]
        if named:
            return [answer for answer, _ in rows]
        return [
            replace(answer, rater=self.pseudonym(answer.rater), id=alias) for answer, alias in rows
        ]

    def pseudonym(self, rater: str) -> str:
        """The name of a rater where names must not be shown.

        It is the same throughout this file, and cannot be traced without the file.
        """
        return self._hashed("r", rater)

    def _hashed(self, kind: str, text: str) -> str:
        if (
            text.startswith(f"{kind}-")
            and len(text) == 18
            and all(c in "0123456789abcdef" for c in text[2:])
        ):
            # another file has hashed it already
            return text
        digest = hashlib.blake2b(
            text.encode(), key=self._secret, person=kind.encode(), digest_size=8
        )
        return f"{kind}-{digest.hexdigest()}"

    def keep(self, days: int, time: datetime) -> None:
        """Record for how many days answers are kept; 0 means without end. This removes nothing."""
        if days < 0:
            raise UsageError(
                f"Answers cannot be kept for {days} days.",
                "Give a number of days, or 0 to keep them without end.",
            )
        with telling(self.path, self._wait), transaction(self._connection):
            self._connection.execute(KEEPING)
            if self.kept() != days:
                self._connection.execute(
                    "INSERT INTO keeping (time, days) VALUES (?, ?)", (as_text(time), days)
                )

    def kept(self) -> int | None:
        """For how many days answers are kept (0: without end); None where nothing is recorded."""
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'keeping'"):
            return None
        days = self._rows("SELECT days FROM keeping ORDER BY seq DESC LIMIT 1")
        with decoding(self.path):
            return int(days[0][0]) if days else None

    def age(self) -> tuple[int, datetime | None]:
        """How many answers there are, corrected ones too, and when the oldest was given."""
        ((count, oldest),) = self._rows("SELECT count(*), min(time) FROM answer")
        if oldest is None:
            return count, None
        with decoding(self.path):
            return count, datetime.fromisoformat(oldest)

    def newest(self) -> datetime | None:
        """When the newest answer was given; None where there is none."""
        ((newest,),) = self._rows("SELECT max(time) FROM answer")
        if newest is None:
            return None
        return datetime.fromisoformat(newest)

    def older(self, time: datetime) -> int:
        """How many answers were given before a time."""
        return int(self._rows("SELECT count(*) FROM answer WHERE time < ?", as_text(time))[0][0])

    def remove(
        self,
        time: datetime,
        *,
        rater: str | None = None,
        item: str | None = None,
        before: datetime | None = None,
    ) -> int:
        """Remove the answers of a rater, about an item, or given before a time; one of the three.

        A rater goes by name or by pseudonym.

        The item also leaves the queue. What is gone is overwritten; call ``vacuum`` to empty the
        log too. Returns how many answers went.
        """
        by = [
            name
            for name, value in (("rater", rater), ("item", item), ("before", before))
            if value is not None
        ]
        if len(by) != 1:
            raise UsageError(
                "Say whose answers are to be removed.",
                "Give one of: a rater, an item, a time before which answers go.",
            )
        with telling(self.path, self._wait), transaction(self._connection):
            values: tuple[str, ...]
            if before is not None:
                where, values = "time < ?", (as_text(before),)
            elif item is not None:
                where, values = "item = ?", (item,)
            else:
                raters = [name for name in self._raters() if rater in (name, self.pseudonym(name))]
                where = f"rater IN ({', '.join('?' * len(raters))})"
                values = tuple(raters)
            # a trigger refuses to delete answers while there is no permit
            self._connection.execute("INSERT INTO permit VALUES (1)")
            count = self._connection.execute(f"DELETE FROM answer WHERE {where}", values).rowcount
            self._connection.execute("DELETE FROM permit")
            if item is not None:
                self._connection.execute("DELETE FROM asked WHERE item = ?", (item,))
            self._connection.execute(
                "INSERT INTO removal (time, by, answers) VALUES (?, ?, ?)",
                (as_text(time), by[0], count),
            )
        return count

    def removals(self) -> list[Removal]:
        """What has been removed so far."""
        rows = self._rows("SELECT time, by, answers FROM removal ORDER BY seq")
        with decoding(self.path):
            return [Removal(datetime.fromisoformat(time), by, int(n)) for time, by, n in rows]

    def vacuum(self) -> None:
        """Shrink the file to what it holds and empty its log, so that nothing removed is left in
        either.
        """
        with telling(self.path, self._wait):
            self._connection.execute("VACUUM")
            (busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise BackendError(
                (
                    f"What was removed is gone from {self.path.name}, but another process "
                    "reads it, and the log beside it still holds it."
                ),
                "Close the other program, and do the same again.",
            )

    def _raters(self) -> list[str]:
        rows = self._rows("SELECT DISTINCT rater FROM answer")
        with decoding(self.path):
            return [_texts(row)[0] for row in rows]

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with telling(self.path, self._wait):
            return self._connection.execute(statement, values).fetchall()


def _row(answer: Answer) -> tuple[Any, ...]:
    return (
        answer.item,
        answer.attribute,
        answer.rater,
        answer.answer,
        as_text(answer.time),
        answer.id,
        answer.version,
        answer.seconds,
        None if answer.counts_as is None else as_text(answer.counts_as),
    )


def _answer(row: tuple[Any, ...]) -> Answer:
    item, attribute, rater, answer, time, name = _texts(row[:6])
    version, seconds, counts_as = row[6:]
    if not isinstance(version, int) or not isinstance(seconds, (int, float, type(None))):
        raise ValueError("a version or a duration is no number")
    if counts_as is not None:
        counts_as = datetime.fromisoformat(*_texts((counts_as,)))
    given = datetime.fromisoformat(time)
    return Answer(item, attribute, rater, answer, given, name, version, seconds, counts_as)


def _task(row: tuple[Any, ...]) -> Task:
    attribute, groups, instructions = _texts(row[:3])
    raters, price, seconds, version = row[3:]
    fault = misfit([raters, version], [COUNT], "its numbers")
    if fault or version > _VERSIONS:
        raise ValueError(fault or "its version is none")
    return Task(attribute, tuple(parsed(groups)), instructions, raters, price, seconds, version)


def _texts(cells: tuple[Any, ...]) -> tuple[str, ...]:
    # a column of SQLite holds values of any type, whatever it was made for
    if not all(isinstance(cell, str) for cell in cells):
        raise ValueError("a text is none")
    return cells
