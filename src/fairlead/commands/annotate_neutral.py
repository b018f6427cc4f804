"""``annotate neutral``: captions without words that name a gender."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fairlead.commands.annotate import neutralise as neutralised
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.protocols import Progress


class NeutralPlan(fields.Plan):
    """Rewrite captions without words that name a gender, as queries of the COCO and Flickr30k
    protocols need them. English.
    """

    positional = ("collection", "out")

    collection: Annotated[
        fields.Path,
        Field(description="The collection with captions.", examples=["photos"]),
        fields.Cli(argument=True, file=True),
    ]
    out: Annotated[
        fields.Path,
        Field(description="Where to write: item,caption (CSV).", examples=["queries.csv"]),
        fields.Cli(flags=("-o", "--out"), metavar="FILE", file=True, writes=True),
    ]


def run(plan: NeutralPlan, progress: Progress | None = None) -> tuple[int, int]:
    """How many captions changed, and how many there are."""
    return neutralised(plan.collection, plan.out)


neutralise = as_function("neutralise", NeutralPlan, run)
