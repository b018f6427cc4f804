"""Sources that lie on a server with their vectors: searched and audited there, never written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from fairlead.protocols.index import LiveIndex
from fairlead.types import Collection


@dataclass(frozen=True, eq=False)
class LiveCollection:
    """What lies on a server, as it was when it was opened.

    Attributes:
        collection: The items, with the labels that columns hold. They are few bytes, so they are
            read; the vectors are not.
        index: Searches the vectors where they lie; its rows are the items in their order.
        skipped: How many are not items, by reason.
        cosine: Whether scores are cosines; else they are inner products.
    """

    collection: Collection
    index: LiveIndex
    skipped: Mapping[str, int] = field(default_factory=dict)
    cosine: bool = False


@runtime_checkable
class LiveSource(Protocol):
    """Names what lies on a server; opened, it is a collection that brings its own index.

    Its text form never holds a password: credentials come from the environment. What is opened
    writes nothing, and says so to the server where the server can hold it to that.
    """

    def open_live(self) -> LiveCollection: ...
