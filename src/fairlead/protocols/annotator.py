"""Annotators: which group items appear to belong to."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from fairlead.protocols.encoder import Encoder
from fairlead.types import Collection, Groups, Queries, Sets
from fairlead.types.ragged import Array


class Annotator(Protocol):
    """Says which group items appear to belong to, and who says so.

    ``needs`` names what it looks at: ``labels`` or ``captions`` of the collection, an ``encoder``,
    or ``pictures``, which it opens with ``encoder.open`` (see ``Sight``). ``attributes`` names what
    it can label in a collection; asked for anything else, it raises a UsageError that says so. The
    order of the items does not matter.
    """

    needs: ClassVar[frozenset[str]]

    def attributes(self, collection: Collection) -> tuple[str, ...]: ...
    def __call__(
        self, collection: Collection, attribute: str, encoder: Encoder | None = None
    ) -> Groups: ...


@runtime_checkable
class DetectingAnnotator(Annotator, Protocol):
    """An annotator that looks for faces first, and can say where it found one."""

    def detected(self, collection: Collection) -> Array: ...
    def missing(self, collection: Collection) -> int: ...


@runtime_checkable
class ModelAnnotator(Annotator, Protocol):
    """An annotator that may name the model it sees with; an empty name is the model that is asked
    anyway.
    """

    @property
    def sees_with(self) -> str: ...


@runtime_checkable
class QueryAnnotator(Annotator, Protocol):
    """An annotator whose labels may depend on the query.

    It gives one label for each candidate of each query, in their order.
    """

    def of_candidates(
        self,
        collection: Collection,
        attribute: str,
        queries: Queries,
        candidates: Sets,
        encoder: Encoder | None = None,
    ) -> Groups: ...
