"""Writes labels as a table that every command reads, one line per item.

A hard attribute has one column, a soft one a column for each group.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from fairlead.errors import UsageError
from fairlead.store.atomic import atomic, settle
from fairlead.store.cells import write_cells
from fairlead.store.manifest_file import read_manifest
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups
from fairlead.words.visible import visible

ABOUT = ".about.json"
"""What is added to the name of a file of labels to say where its date and its source stand."""
_MEANS = (
    "How people in pictures appear to whoever labelled them: perceived presentation, never "
    "identity."
)
_WORDS = {UNKNOWN: "unknown", NOT_APPLICABLE: "not-applicable"}


def write_labels(path: Path, labels: Mapping[str, tuple[Sequence[str], Groups]]) -> int:
    """Write labels as CSV: ``{attribute: (item ids, groups)}``.

    An item that one attribute does not list is unknown there.

    Returns:
        How many items were written, in the order of their ids.
    """
    # attributes may list different items, and share the lines of the file
    items = sorted({item for ids, _ in labels.values() for item in ids})
    columns: dict[str, dict[str, str]] = {}
    for attribute, (ids, groups) in labels.items():
        for place, name in enumerate(_columns(attribute, groups)):
            columns[name] = {item: _cells(groups, row)[place] for row, item in enumerate(ids)}
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = ((item, *(column.get(item, "") for column in columns.values())) for item in items)
        write_cells(stream, ("item", *columns), rows)
    return len(items)


def write_candidate_labels(path: Path, pairs: Sequence[tuple[str, str]], groups: Groups) -> int:
    """Write labels that depend on the query as CSV, one line per query and item.

    Returns how many lines were written.
    """
    names = _columns(groups.attribute, groups)
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = ((*pair, *_cells(groups, row)) for row, pair in enumerate(pairs))
        write_cells(stream, ("query", "item", *names), rows)
    return len(pairs)


@contextmanager
def noted_labels(path: str | Path) -> Iterator[tuple[Path, Path]]:
    """The temporary paths of a file of labels and of the note beside it, ``labels.csv.about.json``
    for ``labels.csv``: both are moved to their places when both are complete.

    Raises:
        UsageError: Where either cannot be written, or a file of the user's has the name of the
            note.
    """
    with atomic(path) as file, atomic(about_place(path)) as note:
        yield file, note
        # Before the note is moved: beside no table, or an earlier one, it would be of other labels.
        settle(file)


def write_about(
    note: Path, path: str | Path, sources: Mapping[str, str], time: datetime, **more: Any
) -> None:
    """Write who gave the labels of a file, for each attribute, and when."""
    about = {
        "file": Path(path).name,
        "made": time.isoformat(timespec="seconds"),
        "sources": dict(sources),
        "means": _MEANS,
        **more,
    }
    text = visible(json.dumps(about, indent=1, ensure_ascii=False))
    note.write_text(text + "\n", encoding="utf-8")


def about_place(path: str | Path) -> Path:
    """Where the note on a file of labels stands.

    Raises:
        UsageError: Where a file of that name is none that ``write_about`` wrote.
    """
    place = Path(f"{Path(path).expanduser()}{ABOUT}")
    if not place.exists():
        return place
    try:
        about = read_manifest(place)
    except (OSError, ValueError, RecursionError):
        about = {}
    # Nobody asked for the note by its name: a file of the user's is no earlier note.
    if about.get("means") != _MEANS or not {"file", "made", "sources"} <= about.keys():
        raise UsageError(
            f"{place} would be replaced by the note that goes with {path}, and it is no such note.",
            "Move it away, or choose another path for the labels.",
        )
    return place


def _columns(attribute: str, groups: Groups) -> list[str]:
    """The columns of an attribute: one, or one for each group where labels are soft."""
    if groups.hard:
        return [attribute]
    return [f"{attribute}={name}" for name in groups.names]


def _cells(groups: Groups, row: int) -> list[str]:
    """The cells of one item in the columns of an attribute."""
    if groups.codes is not None:
        code = int(groups.codes[row])
        return [_WORDS.get(code) or groups.names[code]]
    assert groups.not_applicable is not None
    if groups.not_applicable[row]:
        return [_WORDS[NOT_APPLICABLE]] * len(groups.names)
    return [f"{share:.9g}" for share in groups.share[row]]
