"""Labels from a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from fairlead.annotators.asked import cannot
from fairlead.errors import UsageError
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.store.labels import read_item_groups
from fairlead.types import Collection, Groups


@dataclass(frozen=True)
class TableLabels(Configured):
    """Labels from a file: ``table:labels.csv`` with ``item`` and a column for each attribute.

    A soft attribute has a column for each group (``gender=female``).

    Items that the file does not list are unknown; two rows that say different things of one item
    are refused.
    """

    path: str

    name: ClassVar[str] = "table"
    addressed: ClassVar[str | None] = "path"
    reaches: ClassVar[Reach] = Reach()
    source: ClassVar[str] = "whoever made the file"
    needs: ClassVar[frozenset[str]] = frozenset()
    blind_spot: ClassVar[str] = "As good as the file; it cannot say how the labels were made."

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """The attributes of the file."""
        return tuple(read_item_groups(self._file, collection.ids))

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """The labels of the collection's items."""
        try:
            groups = read_item_groups(self._file, collection.ids, (attribute,))
        except UsageError as error:
            raise cannot(self, attribute, self.attributes(collection)) from error
        return replace(groups[attribute], source=str(self))

    @property
    def _file(self) -> Path:
        path = Path(self.path).expanduser()
        if not path.is_file():
            raise UsageError(
                f"{self}: there is no file {path}.",
                "Give a table of labels: .csv, .tsv, .jsonl or .parquet.",
            )
        return path
