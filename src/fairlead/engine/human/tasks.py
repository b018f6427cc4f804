"""Tasks of people: what they are asked, how every task stands, how long its answers are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, UsageError
from fairlead.statistics.cells import SMALLEST
from fairlead.store.human import HumanStore
from fairlead.studies.human import TaskStatus, status_of
from fairlead.types.answers import Task

Place = str | Path
KEEP = 365
"""Days that answers are kept, where nobody says otherwise."""


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
        about = dict(vars(self))
        if self.oldest is not None:
            about["oldest"] = self.oldest.isoformat(timespec="seconds")
        return about


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
    text = None
    if instructions is not None:
        text = _text(Path(instructions).expanduser())
    told = {
        "groups": tuple(groups) or None,
        "instructions": text,
        "raters": raters,
        "price": price,
        "seconds": seconds,
    }
    given: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    fresh = not Path(store).expanduser().exists()
    # What is refused is refused before a file is made.
    if fresh:
        _task(attribute, given)
        if keep is None:
            keep = KEEP
    with HumanStore(store, create=True) as opened:
        if keep is not None:
            opened.keep(keep, time)
        last = opened.tasks().get(attribute)
        if last is None:
            return opened.define(_task(attribute, given), time)
        return opened.define(replace(last, **given), time)


def _task(attribute: str, given: Mapping[str, Any]) -> Task:
    """A new task; one without groups is refused."""
    return Task(attribute, **{"groups": (), **given})


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


def retention(store: Place, time: datetime) -> Retention:
    """How long answers are kept, and how many are older than that at a time."""
    with HumanStore(store) as opened:
        days, (count, oldest), expired = opened.kept(), opened.age(), 0
        # 0 days is without end.
        if days:
            expired = opened.older(time - timedelta(days=days))
        return Retention(days, count, oldest, expired)


def _text(path: Path) -> str:
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", "Give a text file of instructions.")
    try:
        # Text editors on Windows begin a file with a mark that no rater should see.
        return path.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        raise DataError(f"{path.name} is not UTF-8 text.", "Save the file as UTF-8.") from None
