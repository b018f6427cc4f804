"""Everything that is wrong with one's own data, all together, with file and line.

Readers stop at their first fault. Here every table is read to its end, what it says is held against
the other tables, and the readers are asked last, for faults that are found nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlead.benchmarks.own import tables
from fairlead.errors import FairleadError
from fairlead.store.faults import Checked, FileFault, read_checked
from fairlead.store.formats import TREC_QRELS, Trec
from fairlead.store.queries import read_queries
from fairlead.store.sources.entries import SourceEntry

if TYPE_CHECKING:
    from fairlead.benchmarks.own.data import OwnData

Check = Callable[[Checked, tables.KnownNames], None]


def check_data(data: OwnData) -> tuple[FileFault, ...]:
    """Every fault of the files, grave ones first; objects that are not files are not checked."""
    # Collection and queries first: the other tables are held against their ids.
    names = tables.KnownNames()
    faults = [*_collection(data, names), *_queries(data, names)]
    steps: tuple[tuple[Any, Trec | None, Check], ...] = (
        (data.groups, None, tables.check_labels),
        (data.candidates, None, tables.check_candidates),
        (data.qrels, TREC_QRELS, tables.check_qrels),
    )
    for source, trec, check in steps:
        faults += _table(source, trec, check, names)
    names.rename(data.rename)
    if isinstance(data.target, Path):
        faults += _table(data.target, None, tables.check_targets, names)
    faults += [FileFault(note.partition(" ")[0], None, note, grave=False) for note in data.strays]
    # Put together, tables with faults give the same ones again, in other words and without a line.
    if not any(fault.grave for fault in faults):
        faults += _whole(data)
    # The sort is stable: among the grave ones the order of the files stays.
    return tuple(sorted(faults, key=lambda fault: not fault.grave))


def _collection(data: OwnData, names: tables.KnownNames) -> Iterable[FileFault]:
    """What in the collection cannot be used; its ids go into ``names``."""
    name = _name(data.collection)
    try:
        collection, faulty = data.items
    except FairleadError as error:
        yield FileFault.of(error, name)
        return
    names.items = dict.fromkeys(collection.ids)
    if not len(collection):
        yield FileFault(name, None, f"{name} has no item that can be used.", _USABLE)
    for entry in faulty:
        # A picture that cannot be read stops no search, so it stops no audit.
        yield FileFault(name, None, f"{name}: {_why(entry)}", grave=False)


_USABLE = "Give pictures that can be read, or captions."


def _why(entry: SourceEntry) -> str:
    if entry.fault is not None:
        return f"'{entry.id}' is left out: {entry.fault[1]}"
    why = "there is no such file" if entry.size < 0 else "the file is empty"
    return f"'{entry.id}' is left out: {why}."


def _queries(data: OwnData, names: tables.KnownNames) -> Iterable[FileFault]:
    """What is wrong with the queries; their ids go into ``names``."""
    source = data.queries
    if not _is_file(source):
        names.queries = dict.fromkeys(data.asked.ids)
        return ()
    # A text file has no columns; its lines are the queries.
    if Path(source).suffix != ".txt":
        checked = read_checked(source)
        if checked.records:
            tables.check_queries(checked, names, Path(source))
        return checked.faults
    try:
        names.queries = dict.fromkeys(read_queries(source).ids)
    except FairleadError as error:
        return [FileFault.of(error, _name(source))]
    return ()


def _table(
    source: Any, trec: Trec | None, check: Check, names: tables.KnownNames
) -> list[FileFault]:
    """What is wrong with one table; nothing where there is none, or it is no file."""
    if not _is_file(source):
        return []
    checked = read_checked(source, trec)
    if checked.records:
        check(checked, names)
    return checked.faults


def _whole(data: OwnData) -> list[FileFault]:
    """Faults that only show when the tables are put together."""
    try:
        data.assembled()
    except FairleadError as error:
        return [FileFault.of(error, data.name)]
    return []


def _is_file(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike))


def _name(source: Any) -> str:
    if _is_file(source):
        return Path(source).name
    return "the collection"
