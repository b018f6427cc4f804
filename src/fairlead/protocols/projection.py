"""Projections: mitigations on vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from fairlead.types import Embeddings
from fairlead.types.ragged import Array

# for types alone: contracts stand below what meets them
if TYPE_CHECKING:
    from fairlead.projections.reference import Reference


@runtime_checkable
class Projection(Protocol):
    """A mitigation on vectors.

    ``needs`` names what it is fitted on (``items``, ``prompts``, ``pairs``), and ``wordings`` if
    queries must come in the words of each group.
    """

    name: ClassVar[str]
    needs: ClassVar[frozenset[str]]

    def fit(self, reference: Reference) -> Projected: ...
    def restore(self, arrays: Mapping[str, Array]) -> Projected: ...


class Projected(Protocol):
    """A fitted projection: queries in, queries out.

    The new queries are for the items as they are stored, so that no index is built anew.

    ``variants`` (queries, groups, dimensions) are vectors of the queries worded for each group, for
    projections that need ``wordings``.
    """

    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def dimensions(self) -> int: ...
    def __call__(self, queries: Embeddings, variants: Array | None = None) -> Embeddings: ...
    def arrays(self) -> dict[str, Array]: ...
