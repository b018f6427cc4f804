"""What every reader of answers needs: what to expect, what was read, and where a fault is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from fairlead.errors import DataError, FairleadError, UsageError, unknown_name
from fairlead.types.answers import Answer, Task, content_id

# Python reads names of months and zones by the settings of the machine it runs on, so that one file
# would have other times elsewhere. These are read alike everywhere.
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ZONES = {
    "UTC": 0,
    "GMT": 0,
    "PST": -8,
    "PDT": -7,
    "MST": -7,
    "MDT": -6,
    "CST": -6,
    "CDT": -5,
    "EST": -5,
    "EDT": -4,
}
# MTurk writes times as "Fri May 01 10:00:00 PDT 2026".
_CLOCK = re.compile(
    r"\w{3} (?P<month>\w{3}) (?P<day>\d{1,2}) (?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d) "
    r"(?P<zone>\w+) (?P<year>\d{4})"
)
_ITEM_FIELDS = ("item", "item_id", "id", "image_id", "image", "image_url", "img_url", "url")


@dataclass(frozen=True)
class Expected:
    """What a file of answers is read against.

    Attributes:
        tasks: The tasks, by attribute.
        time: When the answers count as given, where the file does not say.
        attribute: The only attribute to read; all by default.
        item: The field that names the item, where it cannot be guessed.
    """

    tasks: Mapping[str, Task]
    time: datetime
    attribute: str | None = None
    item: str | None = None

    def fields(self, found: Sequence[str], name: str) -> dict[str, str]:
        """Which fields of a file answer which task: ``{field: attribute}``.

        Raises:
            DataError: Where none does.
        """
        if self.attribute is not None:
            named_alike = [f for f in found if f == self.attribute] or _only(found)
            named = dict.fromkeys(named_alike, self.attribute)
        else:
            named = {f: f for f in found if f in self.tasks}
        if not named:
            expected = self.attribute or ", ".join(self.tasks) or "no task"
            raise DataError(
                f"{name} answers {', '.join(found) or 'nothing'}; asked is {expected}.",
                (
                    "Name the fields like the attributes; a file with one field needs "
                    "--attribute only."
                ),
            )
        return named

    def task(self, attribute: str, place: str) -> Task:
        """The task of an attribute."""
        if attribute not in self.tasks:
            raise DataError(f"{place}: {unknown_name('task', attribute, self.tasks)}")
        return self.tasks[attribute]

    def answer(self, place: str, attribute: str, answer: str, values: Mapping[str, Any]) -> Answer:
        """An answer, checked against its task; ``values`` are the other fields of ``Answer``.

        An answer without an id gets one that follows from its content.
        """
        try:
            task = self.task(attribute, place)
            checked = Answer(
                attribute=attribute,
                answer=task.read(answer.strip()),
                **{"time": self.time, **values},
            )
        except DataError as error:
            raise at_place(error, place) from error
        if checked.id is not None:
            return checked
        return replace(checked, id=content_id(checked, timed="time" in values))


@dataclass
class Read:
    """The answers of a file, and how many of its entries were left out, by reason."""

    answers: list[Answer] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def at_place(error: FairleadError, place: str) -> FairleadError:
    """The same error, with its place in front."""
    if error.message.startswith(place):
        return error
    return type(error)(f"{place}: {error.message}", error.hint)


def item_field(expected: Expected, found: Collection[str], name: str) -> str:
    """The field that names the item: the one asked for, one of the usual names, or the only one."""
    if expected.item is not None:
        if expected.item not in found:
            raise unknown_name(f"field in {name}", expected.item, found)
        return expected.item
    usual = [f for f in _ITEM_FIELDS if f in found] or _only(found)
    if not usual:
        raise UsageError(
            f"{name} does not say which field names the item: it has {', '.join(found) or 'none'}.",
            "Name it: --item-field.",
        )
    return usual[0]


def _only(names: Collection[str]) -> list[str]:
    """The one name there is; of several, none can be meant without being named."""
    if len(names) == 1:
        return list(names)
    return []


def read_time(text: str, place: str) -> datetime:
    """A time as ISO 8601 (UTC where no zone is given) or as MTurk writes it."""
    try:
        time = datetime.fromisoformat(text.strip())
        if time.tzinfo is not None:
            return time
        return time.replace(tzinfo=UTC)
    except ValueError:
        match = _CLOCK.fullmatch(text.strip())
    if match is not None and match["month"] in _MONTHS and match["zone"] in _ZONES:
        year, day, hour, minute, second = (
            int(match[part]) for part in ("year", "day", "h", "m", "s")
        )
        zone = timezone(timedelta(hours=_ZONES[match["zone"]]))
        try:
            return datetime(
                year, _MONTHS.index(match["month"]) + 1, day, hour, minute, second, tzinfo=zone
            )
        except ValueError:
            pass  # the 31st of a short month is told like any other time that is none
    raise DataError(
        f"{place}: the time {text!r} cannot be read.", "Write times as 2026-05-01T10:00:00Z."
    )


def read_seconds(value: Any, place: str) -> float | None:
    """A number of seconds, or None where there is none."""
    if value is None or str(value).strip() == "":
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise DataError(
            f"{place}: {value!r} is no number of seconds.", "Write 4.5, or leave it empty."
        ) from None


def seconds_text(seconds: float | None) -> str:
    """A number of seconds as the text that reads back to it; empty where there is none."""
    if seconds is None:
        return ""
    return repr(seconds)
