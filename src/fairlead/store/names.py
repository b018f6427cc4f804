"""Names of files matched to the ids of items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from fairlead.store.sources.captions import spelled


def rows_of(names: Sequence[str], ids: Sequence[str]) -> list[int]:
    """The row of each file name among ids, -1 where none fits.

    Names are spelled alike or, where none is, share their last part with exactly one item.
    """
    exact = {spelled(name): row for row, name in enumerate(ids)}
    if any(spelled(name) in exact for name in names):
        return [exact.get(spelled(name), -1) for name in names]
    last: dict[str, int] = {}
    for row, name in enumerate(ids):
        part = spelled(name).rpartition("/")[2]
        last[part] = -1 if part in last else row
    return [last.get(spelled(name).rpartition("/")[2], -1) for name in names]


def rows_of_answers(names: Sequence[str], ids: Sequence[str]) -> list[int]:
    """The same for names of answers, which may lack the suffix of their picture."""
    rows = rows_of(names, ids)
    if any(row >= 0 for row in rows):
        return rows
    return rows_of(
        names,
        [str(PurePosixPath(name).with_suffix("")) if name.strip("./") else name for name in ids],
    )
