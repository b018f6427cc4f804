"""``annotate human import``: answers from files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.human import answers as human_answers
from fairlead.engine.human.answers import Imported
from fairlead.protocols import Progress


class ImportPlan(fields.Plan):
    """Read answers into the file of human labels: a table, Label Studio's JSON or MTurk's batch
    results.

    A table has item, attribute, rater, answer, and where known time, id, version, seconds. Each
    file is read whole or not at all. Reading a file again changes nothing. Predictions, skipped
    tasks and rejected work are left out.
    """

    positional = ("store", "files")

    store: fields.HumanStore
    files: Annotated[
        fields.Several[fields.Path],
        Field(description="Files of answers.", examples=["answers.csv"]),
        fields.Cli(argument=True, file=True),
    ]
    form: Annotated[
        Literal["answers", "label-studio", "mturk"] | None,
        Field(
            default=None,
            description="Form of the files; told by their content by default.",
            examples=["mturk"],
        ),
        fields.Cli(flags=("--format",)),
    ]
    attribute: Annotated[
        str | None,
        Field(
            default=None,
            description=(
                "Read this attribute only; also names the answers of a file with one question."
            ),
            examples=["gender"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    groups: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="Make the task --attribute with these groups, where there is none.",
            examples=["female"],
        ),
        fields.Cli(flags=("--group",), metavar="NAME"),
    ]
    item_field: Annotated[
        str | None,
        Field(
            default=None,
            description="The field that names the item, where it cannot be guessed.",
            examples=["image_url"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    leave_out: fields.LeaveOut


def run(plan: ImportPlan, progress: Progress | None = None) -> tuple[Imported, ...]:
    """What each file brought."""
    # One time for all files: answers without a time of their own count as given together.
    now = datetime.now(UTC)
    return tuple(
        human_answers.import_answers(
            plan.store,
            file,
            now,
            form=plan.form,
            attribute=plan.attribute,
            groups=plan.groups,
            item_field=plan.item_field,
            leave_out=plan.leave_out,
        )
        for file in plan.files
    )


import_answers = as_function("import_answers", ImportPlan, run)
