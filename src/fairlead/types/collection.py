"""Items: what is searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairlead.errors import DataError
from fairlead.types.groups import Groups
from fairlead.types.ragged import Array


@dataclass(frozen=True, eq=False)
class Collection:
    """Items: a gallery of images, of captions, or both.

    Items are rows inside and ids outside. A collection only grows at its end. The groups of each
    attribute stand in ``name_order``.
    """

    ids: tuple[str, ...]
    images: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    groups: Mapping[str, Groups] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {"images": self.images, "texts": self.texts, **self.groups}
        for name, part in sizes.items():
            if part is not None and len(part) != len(self.ids):
                raise DataError(f"{len(part)} {name} for {len(self.ids)} items.")
        # labels and runs are joined by id, so an id must mean one item
        if len(set(self.ids)) != len(self.ids):
            raise DataError("Item ids must be distinct.")
        ordered = {name: groups.by_name for name, groups in self.groups.items()}
        object.__setattr__(self, "groups", ordered)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Array) -> Collection:
        """Some of the items, in that order."""
        images, texts = (
            None if part is None else tuple(part[row] for row in rows)
            for part in (self.images, self.texts)
        )
        return Collection(
            tuple(self.ids[row] for row in rows),
            images,
            texts,
            {name: one.take(rows) for name, one in self.groups.items()},
        )
