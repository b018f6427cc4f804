"""``index``: an index of a collection, kept where the next search finds it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.commands.search import build_index
from fairlead.engine import plan as fields
from fairlead.protocols import Progress


class IndexPlan(fields.Plan):
    """Build an index of a collection and keep it: the next search finds it."""

    positional = ("collection",)

    collection: Annotated[
        fields.Data,
        Field(
            description=(
                "What is indexed: a folder of images, a table, an archive, or what "
                "'fairlead embed' wrote."
            ),
            examples=["~/photos"],
        ),
        fields.Cli(argument=True, file=True),
    ]
    model: fields.Encoding
    index: fields.Indexing
    groups: Annotated[
        fields.Labels | None,
        Field(
            default=None,
            description="Labels to fetch by; the collection's own by default.",
            examples=["labels.csv"],
        ),
        fields.Cli(metavar="FILE|SPEC"),
    ]
    attribute: Annotated[
        str | None,
        Field(default=None, description="Attribute to fetch by.", examples=["gender"]),
        fields.Cli(metavar="NAME"),
    ]
    recall: Annotated[
        int | None,
        Field(
            default=None,
            description="Also report recall of the first N against exact search, group by group.",
            examples=[100],
        ),
        fields.Cli(metavar="N"),
    ]
    trust: fields.Trust


def run(plan: IndexPlan, progress: Progress | None = None) -> dict[str, Any]:
    """What was built, and where it is kept."""
    return build_index(
        plan.collection,
        model=plan.model,
        index=plan.index,
        groups=plan.groups,
        attribute=plan.attribute,
        recall=plan.recall,
        progress=progress,
    )


index = as_function("index", IndexPlan, run)
