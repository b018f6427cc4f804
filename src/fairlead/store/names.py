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
        # of several items with one last part, nobody can say which is meant
        if last.setdefault(part, row) != row:
            last[part] = -1
    return [last.get(spelled(name).rpartition("/")[2], -1) for name in names]


def rows_of_answers(names: Sequence[str], ids: Sequence[str]) -> list[int]:
    """The same for names of answers, which may lack the suffix of their picture."""
    rows = rows_of(names, ids)
    if any(row >= 0 for row in rows):
        return rows
    return rows_of(names, [_without_suffix(name) for name in ids])


def _without_suffix(name: str) -> str:
    # a path of dots and slashes alone has no name, which pathlib refuses to change
    if not name.strip("./"):
        return name
    return str(PurePosixPath(name).with_suffix(""))
