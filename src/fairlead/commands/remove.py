"""``remove``: items taken out of an embedded collection for good."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.kept.removal import RemoveResult
from fairlead.engine.kept.removal import remove as removed
from fairlead.errors import DataError
from fairlead.protocols import Progress


class RemovePlan(fields.Plan):
    """Remove items from an embedded collection for good, e.g. after a takedown.

    The folder is what 'fairlead embed' wrote; ids are spelled as they are there. Nothing else is
    embedded anew. The vectors are gone from every file and every kept index, and a later
    'fairlead embed' does not bring them back, even where the source still has the picture.
    """

    positional = ("folder", "ids")

    folder: Annotated[
        fields.Path,
        Field(description="What 'fairlead embed' wrote.", examples=["photos.fairlead"]),
        fields.Cli(argument=True, file=True),
    ]
    ids: Annotated[
        fields.Several[str],
        Field(default=(), description="Ids of items.", examples=["holiday/0012.jpg"]),
        fields.Cli(argument=True, metavar="[ID]..."),
    ]
    listed: Annotated[
        fields.Path | None,
        Field(
            default=None,
            description="A file of ids, one on each line.",
            examples=["takedown.txt"],
        ),
        fields.Cli(flags=("--list",), metavar="FILE", file=True),
    ]
    trust: fields.Trust


def run(plan: RemovePlan, progress: Progress | None = None) -> RemoveResult:
    """What was removed."""
    # Lists are typed by hand or come from elsewhere: blank lines and spaces around an id are not
    # part of it.
    lines: list[str] = []
    if plan.listed is not None:
        try:
            lines = Path(plan.listed).expanduser().read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(
                f"{plan.listed} cannot be read as text.", "Give a file of ids, one on each line."
            ) from error
    return removed(plan.folder, [*plan.ids, *(line.strip() for line in lines if line.strip())])


remove = as_function("remove", RemovePlan, run)
