"""Decides by suffix and first line which form a file of answers has."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from fairlead.errors import UsageError
from fairlead.store import lines
from fairlead.store.answer_files.label_studio import read_label_studio
from fairlead.store.answer_files.mturk import read_mturk
from fairlead.store.answer_files.plain import read_plain
from fairlead.store.answer_files.records import Expected, Read
from fairlead.store.formats import locate

Form = Literal["answers", "label-studio", "mturk"]


def read_answers(path: str | Path, expected: Expected, form: Form | None = None) -> Read:
    """Read a file of answers, in the form asked for or the one it seems to have.

    Raises:
        DataError: With file and line where the content is at fault.
        UsageError: Where the path is.
    """
    place = Path(path).expanduser()
    readers = {"answers": read_plain, "label-studio": read_label_studio, "mturk": read_mturk}
    return readers[form or form_of(place)](place, expected)


def form_of(path: Path) -> Form:
    """The form a file seems to have."""
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", "Check the path.")
    # Of the three forms only this one is JSON, and JSON has no header to look at.
    if path.suffix.lower() == ".json":
        return "label-studio"
    file = locate(path, None)
    # Parquet has no line to look at either; the plain reader refuses it and says what is read.
    if file.format == "parquet":
        return "answers"
    names, _ = lines.header(file)
    # Questions are named by whoever made the batch; these two stand in every result.
    if "WorkerId" in names and "AssignmentId" in names:
        return "mturk"
    return "answers"
