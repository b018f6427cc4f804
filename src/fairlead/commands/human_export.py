"""``annotate human export``: answers, or the labels made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.human import answers as human_answers
from fairlead.protocols import Progress


class ExportPlan(fields.Plan):
    """Write answers, or the labels made of them, to a file.

    Names of raters are not written unless you say --raters: they are replaced by hashes that nobody
    can trace without the file of human labels. Beside the file stands FILE.about.json: who gave the
    labels, when, and how long they are kept.
    """

    positional = ("store", "out")

    store: fields.HumanStore
    out: Annotated[
        fields.Path,
        Field(description="Where to write.", examples=["labels.csv"]),
        fields.Cli(flags=("-o", "--out"), metavar="FILE", file=True, writes=True, about=True),
    ]
    form: Annotated[
        Literal["answers", "labels", "label-studio", "mturk"] | None,
        Field(
            default=None,
            description=(
                "answers: a table of who said what; labels: one line per item, for "
                "--groups. By default label-studio for .json, answers else."
            ),
            examples=["labels"],
        ),
        fields.Cli(flags=("--format",)),
    ]
    attributes: Annotated[
        fields.Several[str],
        Field(default=(), description="The task; all by default.", examples=["gender"]),
        fields.Cli(flags=("--attribute",), metavar="NAME"),
    ]
    raters: Annotated[
        bool,
        Field(
            default=False,
            description="With the names of raters. Without it raters and ids are hashed.",
            examples=[True],
        ),
    ]
    history: Annotated[
        bool,
        Field(
            default=False, description="With answers that were corrected later.", examples=[True]
        ),
    ]
    aggregate: Annotated[
        str,
        Field(
            default="dawid-skene",
            description="How labels are made: dawid-skene (soft) or majority.",
            examples=["majority"],
        ),
        fields.Cli(metavar="SPEC"),
    ]

    @property
    def chosen_form(self) -> human_answers.Out:
        """The form that was asked for, or that the name of the file says."""
        if self.form is not None:
            return self.form
        # Of the forms, Label Studio's alone is JSON.
        is_json = Path(self.out).suffix.lower() == ".json"
        return "label-studio" if is_json else "answers"


def run(plan: ExportPlan, progress: Progress | None = None) -> int:
    """How many answers, or labelled items, were written."""
    return human_answers.export_answers(
        plan.store,
        plan.out,
        form=plan.chosen_form,
        attributes=plan.attributes,
        raters=plan.raters,
        history=plan.history,
        aggregate=plan.aggregate,
    )


export_answers = as_function("export_answers", ExportPlan, run)
