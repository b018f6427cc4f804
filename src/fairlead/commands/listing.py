"""``list``: what there is to choose from."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.errors import unknown_name
from fairlead.protocols import Progress
from fairlead.protocols.registry import card, entries

KINDS = {
    "metrics": ("metric",),
    "rerankers": ("reranker",),
    "projections": ("projection",),
    "trainings": ("training",),
    "mitigations": ("reranker", "projection", "training"),
    "encoders": ("encoder",),
    "annotators": ("annotator",),
    "benchmarks": ("benchmark",),
    "indexes": ("index",),
    "sources": ("source",),
}
"""What a word stands for; mitigations act on lists, on vectors or on weights."""


class ListPlan(fields.Plan):
    """List what there is, one line each; or all about one of them.

    A kind is metrics, rerankers, projections, trainings, mitigations (the last three together),
    encoders, annotators, benchmarks, indexes, sources or all. A name is one of theirs.
    """

    positional = ("what",)

    what: Annotated[
        str,
        Field(
            default="all", description="A kind, a name, or all.", examples=["metrics", "levelled"]
        ),
        fields.Cli(argument=True, metavar="[KIND|NAME]", kinds=("*",)),
    ]

    @property
    def is_name(self) -> bool:
        """Whether one is asked about, and not a kind."""
        return self.what != "all" and self.what not in KINDS


def run(plan: ListPlan, progress: Progress | None = None) -> tuple[dict[str, Any], ...]:
    """The cards of all, of a kind or of a name, which several kinds may have."""
    # Kinds stand under several words (mitigations); each is listed once.
    every = tuple(dict.fromkeys(kind for kinds in KINDS.values() for kind in kinds))
    if not plan.is_name:
        kinds = KINDS.get(plan.what, every)
        return tuple(card(kind, name) for kind in kinds for name in entries(kind))
    named = [kind for kind in every if plan.what in entries(kind)]
    if not named:
        names = [name for kind in every for name in entries(kind)]
        raise unknown_name("kind or name", plan.what, {*KINDS, *names})
    return tuple(card(kind, plan.what) for kind in named)


entries_of = as_function("entries", ListPlan, run)
