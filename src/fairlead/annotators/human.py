"""Labels that people gave, from a file of human labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.statistics.panel import human_groups, method_of
from fairlead.store.human import HumanStore
from fairlead.types import Collection, Groups
from fairlead.types.answers import Answers


def human_groups_of(
    store: HumanStore, attribute: str, ids: Sequence[str] | None, aggregate: str
) -> tuple[tuple[str, ...], Groups]:
    """The items and their groups by the joint answers of raters; without ids, all items with
    answers.
    """
    answers = Answers.of(store.task(attribute), store.answers(attribute), ids)
    return answers.items, human_groups(answers, method_of(aggregate))


@dataclass(frozen=True)
class Human(Configured):
    """Labels that people gave, from a file of human labels: ``human:labels.db``."""

    path: str
    aggregate: str = "dawid-skene"

    name: ClassVar[str] = "human"
    addressed: ClassVar[str | None] = "path"
    reaches: ClassVar[Reach] = Reach()
    source: ClassVar[str] = "a panel of people"
    needs: ClassVar[frozenset[str]] = frozenset()
    blind_spot: ClassVar[str] = (
        "Tells how people appear to the raters asked, with their instructions; other "
        "raters may differ."
    )

    def validate(self) -> None:
        method_of(self.aggregate)

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """The tasks of the file."""
        with HumanStore(self.path) as opened:
            return tuple(opened.tasks())

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """The groups of a collection's items; those nobody answered about are unknown."""
        with HumanStore(self.path) as opened:
            return human_groups_of(opened, attribute, collection.ids, self.aggregate)[1]
