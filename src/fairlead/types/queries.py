"""Queries: always a batch; one query is a batch of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairlead.errors import DataError
from fairlead.types.ranking import Relevant, Sets


@dataclass(frozen=True, eq=False)
class Queries:
    """A batch of queries; one query is a batch of one.

    ``candidates`` are the rows to rank where a protocol fixes them (triplets, SISPI's own pool);
    ``tags`` hold occupation, language, culture, pair id and the like, one value per query.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...] | None = None
    images: tuple[str, ...] | None = None
    relevant: Relevant | None = None
    candidates: Sets | None = None
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, part in {"texts": self.texts, "images": self.images, **self.tags}.items():
            if part is not None and len(part) != len(self.ids):
                raise DataError(f"{len(part)} {name} for {len(self.ids)} queries.")
        # ids name random streams and join runs, so an id must mean one query
        if len(set(self.ids)) != len(self.ids):
            raise DataError("Query ids must be distinct.")

    def __len__(self) -> int:
        return len(self.ids)
