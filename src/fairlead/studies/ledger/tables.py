"""The tables the papers print, as shipped with the package."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from fairlead.studies.ledger.rows import Claim, LedgerRow, needs_data

Record = dict[str, str]


@cache
def table(name: str) -> tuple[Record, ...]:
    """The records of one transcribed table; a blank cell is illegible or not printed."""
    # As printed, misprints included; what is wrong in them has rows of its own (erratum).
    text = (files("fairlead.studies.ledger") / "published" / f"{name}.csv").read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def numbers(record: Record, columns: tuple[str, ...]) -> list[float]:
    """Some columns of a record as numbers."""
    return [float(record[c]) for c in columns]


def line(record: Record) -> str:
    """The printed cells of a record in one line, without its first column."""
    return ", ".join(f"{name} {value}" for name, value in list(record.items())[1:] if value)


def unavailable(paper: str, where: str, name: str, *, method: str, what: str) -> list[LedgerRow]:
    """One ``needs-data`` row for each line of a table."""
    return [
        needs_data(Claim(paper, where, next(iter(r.values())), line(r), method=method), what)
        for r in table(name)
    ]
