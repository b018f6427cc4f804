"""What people answered: tasks, answers, and all answers to one task as arrays.

No I/O and no clock: the caller gives the times.

An answer is a group of the task, ``not-applicable`` (no person, a drawing) or ``unsure``. The
second is a value of its own. The third means that somebody is there but the rater cannot say; it
counts as unknown mass and is never guessed. Answers are about perceived presentation in the
picture, never identity.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

import numpy as np

from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.types.ragged import Array

UNSURE, NOT_APPLICABLE = "unsure", "not-applicable"
RATERS = 3
"""How many people are asked about an item, unless a task says otherwise."""
_LONGEST = 1_000
_UNSURE_CODE = -1
_OTHER_WORDS = {
    "na": NOT_APPLICABLE,
    "notapplicable": NOT_APPLICABLE,
    "unsure": UNSURE,
    "notsure": UNSURE,
    "cannotsay": UNSURE,
}


@dataclass(frozen=True)
class Task:
    """What people are asked.

    Attributes:
        attribute: What is labelled, e.g. ``gender``.
        groups: The groups to choose from; ``unsure`` and ``not-applicable`` can always be answered.
        instructions: What raters are told.
        raters: How many people answer for each item.
        price: What one answer costs, fees included.
        seconds: How long one answer takes.
        version: Number of these instructions; every answer keeps the one it was given under.
    """

    attribute: str
    groups: tuple[str, ...]
    instructions: str = ""
    raters: int = RATERS
    price: float = 0.0
    seconds: float = 0.0
    version: int = 1

    def __post_init__(self) -> None:
        _refuse_text("attribute", self.attribute)
        for group in self.groups:
            _refuse_text("group", group)
            if _word(group) in _OTHER_WORDS:
                raise UsageError(
                    (
                        f"The group '{group}' of '{self.attribute}' cannot be told from an "
                        "answer that every task has."
                    ),
                    _ALWAYS,
                )
        if len({_word(g) for g in self.groups}) < max(2, len(self.groups)):
            raise UsageError(
                f"The task '{self.attribute}' has the groups {', '.join(self.groups) or 'none'}.",
                "It needs two or more that differ.",
            )
        if self.raters < 1 or not (
            0 <= self.price < float("inf") and 0 <= self.seconds < float("inf")
        ):
            raise UsageError(
                (
                    f"The task '{self.attribute}' asks {self.raters} raters at {self.price:g} "
                    f"and {self.seconds:g} s an answer."
                ),
                "It needs one rater or more; price and seconds are 0 or more.",
            )

    @property
    def values(self) -> tuple[str, ...]:
        """What an answer can say: the groups, then not applicable."""
        return (*self.groups, NOT_APPLICABLE)

    def read(self, answer: str) -> str:
        """An answer as the task spells it; case, spaces, ``-`` and ``_`` do not matter."""
        if answer in self.groups:
            return answer
        word = _word(answer)
        value = _OTHER_WORDS.get(word) or next((g for g in self.groups if _word(g) == word), None)
        if value is None:
            raise DataError(
                f"'{answer}' is no answer to '{self.attribute}'.",
                unknown_name("answer", answer, (*self.groups, NOT_APPLICABLE, UNSURE)).hint,
            )
        return value


@dataclass(frozen=True)
class Answer:
    """What one person said about one item.

    Attributes:
        item: The item.
        attribute: The task.
        rater: Who said so.
        answer: A group, ``not-applicable`` or ``unsure``.
        time: When, with its zone; of several answers of one rater about one item the latest counts.
        id: The caller's own id: the same id again is a retry and counts once. None: it follows from
            the content.
        version: Version of the instructions; None for the newest.
        seconds: How long the answer took, where known.
        counts_as: The time by which it counts as the latest, where a clock that was behind gave it
            one before that of the answer it corrects.
    """

    item: str
    attribute: str
    rater: str
    answer: str
    time: datetime
    id: str | None = None
    version: int | None = None
    seconds: float | None = None
    counts_as: datetime | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in ("item", "attribute", "rater", "answer"):
            _refuse_text(name, getattr(self, name))
        if self.id is not None:
            _refuse_text("id", self.id)
        # without a zone the order of two raters' answers would depend on the machine
        if self.time.tzinfo is None:
            raise DataError(
                f"The time {self.time.isoformat()} of an answer has no zone.",
                "Give it with one, e.g. 2026-05-01T10:00:00Z.",
            )
        object.__setattr__(self, "time", self.time.astimezone(UTC))
        if self.seconds is not None and not 0 <= self.seconds < float("inf"):
            raise DataError(
                f"An answer took {self.seconds:g} seconds.", "Give 0 or more, or leave it out."
            )


def content_id(answer: Answer, *, timed: bool = True) -> str:
    """The id of an answer that came without one, made from its content.

    With ``timed`` the time is part of it, so the same answer given later is another answer.
    """
    parts = [
        answer.attribute,
        answer.item,
        answer.rater,
        answer.answer,
        as_text(answer.time) if timed else "",
    ]
    return "c-" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def as_text(time: datetime) -> str:
    """A time as text of fixed length, so that sorting the text sorts by time."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers to one task, at most one of each rater about each item.

    Attributes:
        task: What was asked.
        items: Ids of the items.
        raters: Names of the raters.
        item: (answers,) row of the item.
        rater: (answers,) row of the rater.
        value: (answers,) number of the value among ``task.values``, -1 for unsure.
    """

    task: Task
    items: tuple[str, ...]
    raters: tuple[str, ...]
    item: Array
    rater: Array
    value: Array

    @classmethod
    def of(
        cls, task: Task, answers: Sequence[Answer], items: Sequence[str] | None = None
    ) -> Answers:
        """Collect single answers; of several by one rater about one item the latest counts.

        ``items`` fixes the rows, and answers about other items are left out.
        """
        if items is not None and len(set(items)) < len(items):
            raise DataError("Item ids must be distinct.")
        # sorted is stable: of answers at the same time the one given last counts
        by_time = sorted(answers, key=lambda a: a.counts_as or a.time)
        latest = {(a.item, a.rater): a for a in by_time}
        rows = {
            name: row
            for row, name in enumerate(
                items if items is not None else sorted({item for item, _ in latest})
            )
        }
        counted = [a for _, a in sorted(latest.items()) if a.item in rows]
        raters = {name: row for row, name in enumerate(sorted({a.rater for a in counted}))}
        codes = {name: code for code, name in enumerate(task.values)} | {UNSURE: _UNSURE_CODE}
        columns = [
            [rows[a.item] for a in counted],
            [raters[a.rater] for a in counted],
            [codes[task.read(a.answer)] for a in counted],
        ]
        return cls(
            task, tuple(rows), tuple(raters), *(np.array(column, np.int64) for column in columns)
        )

    def __len__(self) -> int:
        return len(self.item)

    @property
    def sure(self) -> Array:
        """(answers,) whether an answer names a value."""
        return self.value != _UNSURE_CODE

    @cached_property
    def counts(self) -> Array:
        """(items, values) how many raters said what of each item; unsure is in no column."""
        width = len(self.task.values)
        cells = (self.item * width + self.value)[self.sure]
        return np.bincount(cells, minlength=len(self.items) * width).reshape(-1, width)

    @cached_property
    def unsure(self) -> Array:
        """(items,) how many raters were unsure."""
        return np.bincount(self.item[~self.sure], minlength=len(self.items))

    @property
    def given(self) -> Array:
        """(items,) how many answers each item has, unsure ones too."""
        return self.counts.sum(1) + self.unsure


_ALWAYS = f"'{UNSURE}' and '{NOT_APPLICABLE}' can always be answered."


def _refuse_text(what: str, text: str) -> None:
    if not text or text != text.strip() or len(text) > _LONGEST or not text.isprintable():
        shown = text[:60] + ("…" if len(text) > 60 else "")
        raise DataError(
            (
                f"The {what} {shown!r} is empty, too long, or has white space around it or "
                "line breaks in it."
            ),
            f"At most {_LONGEST} letters.",
        )


def _word(text: str) -> str:
    return re.sub(r"[\s_/-]+", "", text).casefold()
