"""``orthogonal``: queries lose the directions of texts that name the groups.

    q -> P q / |P q|,   P = I - A (A'A)^-1 A'
    the columns of A are the vectors of the prompts ("a photo of a woman", ...)

Chuang, Jampani, Li, Torralba, Jegelka: vision-language models via biased prompts (arXiv
2302.00070), the orthogonal projection, which acts on texts alone. With ``span=differences`` (ours)
only what differs between the groups' prompts is removed, not what they share. P is symmetric and
idempotent: mapping items too would change no score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairlead.errors import UsageError
from fairlead.projections.linear import Linear
from fairlead.projections.reference import Reference, off
from fairlead.protocols.spec import Configured
from fairlead.types.ragged import Array

Span = Literal["prompts", "differences"]


@dataclass(frozen=True)
class Orthogonal(Configured):
    """Queries lose the directions of texts that name the groups.

    ``prompts`` (``a photo of a woman|a photo of a man``) are texts of your own; ``span`` is all of
    them, or their differences only.
    """

    prompts: str = ""
    span: Span = "prompts"

    name: ClassVar[str] = "orthogonal"
    summary: ClassVar[str] = "Queries lose the directions of texts that name the groups."
    source: ClassVar[str] = (
        "Chuang et al., vision-language models via biased prompts (arXiv 2302.00070), "
        "orthogonal projection"
    )
    blind_spot: ClassVar[str] = (
        "Sees texts only: how pictures of the groups differ need not lie in the same "
        "directions, and on some models bias rises. "
        "A query that asks for a group is heard less."
    )
    promise: ClassVar[str] = (
        "Queries have unit length and no part along the removed directions. Query alone: exact."
    )
    needs: ClassVar[frozenset[str]] = frozenset({"prompts"})

    def validate(self) -> None:
        refuse_bad_texts(self, "prompts")

    def fit(self, reference: Reference) -> Linear:
        """The projection off the prompts."""
        return Linear(projection_of(reference.texts(self), self.span), unit=True)

    def restore(self, arrays: Mapping[str, Array]) -> Linear:
        """The map that a file keeps."""
        return Linear.restored(arrays)


def projection_of(prompts: Array, span: Span) -> Array:
    """(dimensions, dimensions) the projection off (texts, dimensions) prompts, or off their
    differences.
    """
    return off(
        prompts if span == "prompts" else np.asarray(prompts[1:] - prompts[:1]), prompts.shape[1]
    )


def refuse_bad_texts(projection: Configured, name: str) -> None:
    """Refuse ``one|two`` lists with an empty part, or with one text alone."""
    given = getattr(projection, name)
    parts = [part.strip() for part in given.split("|")] if given else ["a", "b"]
    if "" in parts or len(set(parts)) < len(parts) or len(parts) < 2:
        raise UsageError(
            f"{projection.name}({name}=...) has an empty part, one twice, or one alone.",
            "Write them as one|two.",
        )
