"""MTurk: the CSV file with the results of a batch, read and written.

It has columns ``Input.*`` and ``Answer.*``, WorkerId and AssignmentId.

A question named like its attribute is read in the three ways batches write it: ``Answer.gender``
holds the choice, ``Answer.gender.label`` holds it (classifier widget), or ``Answer.gender.female``
and its like hold true and false (radio buttons). Rejected work is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlead.errors import DataError
from fairlead.store import lines
from fairlead.store.answer_files.records import (
    Expected,
    Read,
    item_field,
    read_seconds,
    read_time,
    seconds_text,
)
from fairlead.store.cells import write_cells
from fairlead.store.formats import locate
from fairlead.store.tables import Header
from fairlead.types.answers import Answer

OWN_ID, OWN_VERSION = "FairleadId", "FairleadVersion"
"""Columns of our own, so that what we wrote is known again."""
_INPUT, _ANSWER = "Input.", "Answer."
_FALSE = frozenset({"", "false", "0", "no", "off"})


def read_mturk(path: Path, expected: Expected) -> Read:
    """Read the results of a batch.

    Raises:
        DataError: With file and line.
    """
    file = locate(path, None)
    names, _ = lines.header(file)
    header = Header(file.name, names)
    worker = header.need("WorkerId", ())
    assignment = header.need("AssignmentId", ())
    inputs = {n.removeprefix(_INPUT): n for n in names if n.startswith(_INPUT)}
    item = inputs[item_field(expected, inputs, file.name)]
    questions: dict[str, list[str]] = {}
    for name in (n for n in names if n.startswith(_ANSWER)):
        questions.setdefault(name.removeprefix(_ANSWER).partition(".")[0], []).append(name)
    fields = expected.fields(list(questions), file.name)
    answers = Read()
    for line, values in lines.records(file, names):
        place = f"{file.name}, line {line}"
        cells = {n: str(v or "").strip() for n, v in zip(names, values, strict=True)}
        if cells.get("AssignmentStatus", "").lower() == "rejected" or cells.get("Reject"):
            answers.skipped["rejected"] += 1
            continue
        if not cells[worker] or not cells[item] or not cells[assignment]:
            raise DataError(
                f"{place}: WorkerId, AssignmentId or {item} is empty.",
                "Download the results of the batch again.",
            )
        for question, attribute in fields.items():
            answer = _chosen(cells, questions[question], question, place)
            if not answer:
                answers.skipped["no answer"] += 1
                continue
            record = {"item": cells[item], "rater": cells[worker], **_when(cells, place)}
            # an assignment is one worker's work on one item: read again, it is known by its number
            record["id"] = cells.get(OWN_ID) or f"mturk:{cells[assignment]}:{attribute}"
            record["version"] = None
            if (version := cells.get(OWN_VERSION, "")).isdecimal():
                record["version"] = int(version)
            answers.answers.append(expected.answer(place, attribute, answer, record))
    return answers


def _chosen(cells: Mapping[str, str], columns: Sequence[str], question: str, place: str) -> str:
    """What the worker chose; empty where nothing was chosen."""
    for plain in (f"{_ANSWER}{question}", f"{_ANSWER}{question}.label"):
        if plain in columns:
            return cells[plain]
    choices = [
        c.removeprefix(f"{_ANSWER}{question}.") for c in columns if cells[c].lower() not in _FALSE
    ]
    if len(choices) > 1:
        raise DataError(
            f"{place}: '{question}' has {len(choices)} answers: {', '.join(choices)}.",
            "Ask for one: radio buttons.",
        )
    if choices:
        return choices[0]
    return ""


def _when(cells: Mapping[str, str], place: str) -> dict[str, Any]:
    times: dict[str, Any] = {"seconds": read_seconds(cells.get("WorkTimeInSeconds"), place)}
    if cells.get("SubmitTime"):
        times["time"] = read_time(cells["SubmitTime"], place)
    return times


def write_mturk(path: Path, answers: Iterable[Answer], prices: Mapping[str, float]) -> None:
    """Write answers as the results of a batch, one line each.

    The question is named like the attribute.
    """
    rows = list(answers)
    attributes = list(dict.fromkeys(a.attribute for a in rows))
    head = (
        "HITId",
        "Reward",
        "AssignmentId",
        "WorkerId",
        "AssignmentStatus",
        "SubmitTime",
        "WorkTimeInSeconds",
        OWN_ID,
        OWN_VERSION,
    )
    with path.open("w", encoding="utf-8", newline="") as stream:
        named = (_ANSWER + name for name in attributes)
        columns = (*head, f"{_INPUT}item", *named, "Approve", "Reject")
        write_cells(stream, columns, _lines(rows, attributes, prices), quoted=True)


def _lines(
    rows: Iterable[Answer], attributes: Sequence[str], prices: Mapping[str, float]
) -> Iterator[tuple[Any, ...]]:
    """The lines of a batch, one an answer."""
    for a in rows:
        given = {a.attribute: a.answer}
        answers_by_column = [given.get(name, "") for name in attributes]
        price = f"${prices.get(a.attribute, 0.0):.2f}"
        about = (
            a.item,
            price,
            a.id,
            a.rater,
            "Approved",
            a.time.isoformat(),
            seconds_text(a.seconds),
            a.id,
            a.version or "",
        )
        # MTurk reads an x under Approve or Reject as what becomes of the assignment
        yield (*about, a.item, *answers_by_column, "x", "")
