"""A plain table of answers, as CSV, TSV or JSON lines.

Its columns are ``item, attribute, rater, answer`` and, where known, ``time, id, version, seconds``,
and ``counts_as`` where a clock was put back.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, UsageError
from fairlead.store import lines
from fairlead.store.answer_files.records import (
    Expected,
    Read,
    read_seconds,
    read_time,
    seconds_text,
)
from fairlead.store.cells import write_cells
from fairlead.store.formats import locate
from fairlead.store.runs import ITEM_ALIASES
from fairlead.store.tables import Header
from fairlead.types.answers import Answer

COLUMNS = ("item", "attribute", "rater", "answer", "time", "id", "version", "seconds")
_COUNTS_AS = "counts_as"
_ALIASES: dict[str, tuple[str, ...]] = {
    "item": ITEM_ALIASES,
    "rater": ("annotator", "worker", "worker_id", "user", "labeller", "labeler"),
    "answer": ("label", "value", "choice"),
}


def read_plain(path: Path, expected: Expected) -> Read:
    """Read a plain table.

    A file that tells no times states each answer once: read again, or after its answers were
    corrected, it changes nothing.

    Raises:
        DataError: With file and line.
    """
    file = locate(path, None)
    if file.format == "parquet":
        raise UsageError(f"{file.name} is Parquet.", "Give answers as .csv, .tsv or .jsonl.")
    names, _ = lines.header(file)
    header = Header(file.name, names)
    at = {role: header.need(role, _ALIASES[role]) for role in ("item", "rater", "answer")}
    at |= {
        role: column
        for role in (*COLUMNS, _COUNTS_AS)
        if role not in at and (column := header.find(role, ())) is not None
    }
    if expected.item is not None:
        at["item"] = header.need(expected.item, ())
    if "attribute" not in at and expected.attribute is None:
        raise DataError(
            f"{file.name} has no column 'attribute'.",
            "Add it, or name the attribute of all answers: --attribute.",
        )
    answers = Read()
    for line, values in lines.records(file, names):
        cells = {role: values[names.index(column)] for role, column in at.items()}
        _take(answers, cells, expected, f"{file.name}, line {line}")
    return answers


def _take(answers: Read, cells: dict[str, Any], expected: Expected, place: str) -> None:
    texts = {role: lines.cell_text(value) for role, value in cells.items()}
    attribute = texts.get("attribute") or expected.attribute or ""
    if expected.attribute is not None and attribute != expected.attribute:
        answers.skipped["other attributes"] += 1
        return
    # "unsure" is an answer that a rater gives, so an empty cell cannot stand for it
    hints = {"answer": "Write 'unsure' where a rater could not say."}
    for role in ("item", "rater", "answer"):
        if not texts[role]:
            raise DataError(f"{place}: the {role} is empty.", hints.get(role, ""))
    values: dict[str, Any] = {role: texts[role] for role in ("item", "rater")}
    values |= {
        "seconds": read_seconds(texts.get("seconds"), place),
        "version": _version(texts.get("version"), place),
    }
    # no key at all where there is no time: the id then follows from the content alone, so that the
    # same file read later adds nothing
    if texts.get("time"):
        values["time"] = read_time(texts["time"], place)
    if texts.get(_COUNTS_AS):
        values[_COUNTS_AS] = read_time(texts[_COUNTS_AS], place)
    answers.answers.append(
        expected.answer(place, attribute, texts["answer"], values | {"id": texts.get("id") or None})
    )


def _version(text: str | None, place: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal():
        raise DataError(
            f"{place}: the version '{text}' is no whole number.",
            "Leave it empty for the newest instructions.",
        )
    return int(text)


def write_plain(path: Path, answers: Iterable[Answer]) -> None:
    """Write a plain table."""
    answers = list(answers)
    # A column that is empty nearly always is there only where it is not.
    more = [_COUNTS_AS] if any(a.counts_as for a in answers) else []
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = (
            (
                a.item,
                a.attribute,
                a.rater,
                a.answer,
                a.time.isoformat(),
                a.id or "",
                a.version or "",
                seconds_text(a.seconds),
                *("" if a.counts_as is None else a.counts_as.isoformat() for _ in more),
            )
            for a in answers
        )
        write_cells(stream, (*COLUMNS, *more), rows)
