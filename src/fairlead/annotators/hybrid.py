"""A program and people together: people label where the program answers too seldom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from fairlead.annotators.human import Human
from fairlead.errors import UsageError
from fairlead.protocols import DetectingAnnotator, ModelAnnotator, QueryAnnotator, registry
from fairlead.protocols.reach import Reach
from fairlead.protocols.spec import Configured
from fairlead.types import Collection, Groups, Queries, Sets
from fairlead.types.groups import NOBODY
from fairlead.types.joining import joined
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Hybrid(Configured):
    """A program first, people where it answers too seldom:
    ``hybrid:labels.db(auto="mlp:gender.npz")``.

    A list (a query's candidates, or the collection) goes to people where the annotator ``auto``
    sees too few of its items, less than ``threshold``: its items without an answer
    (``scope=rest``), or all of them (``scope=all``, as in the paper). ``by=detected`` counts items
    in which it found a face, as the paper does, ``by=answered`` those it gave an answer of at least
    ``confident``; ``auto`` takes the former where the annotator looks for faces. Human labels come
    from the file of human labels; what nobody has labelled yet is unknown, and ``wanted``.
    """

    store: str = ""
    auto: str = "zeroshot_embedding"
    threshold: float = 0.5
    confident: float = 0.5
    scope: Literal["rest", "all"] = "rest"
    aggregate: str = "dawid-skene"
    by: Literal["auto", "detected", "answered"] = "auto"

    name: ClassVar[str] = "hybrid"
    addressed: ClassVar[str | None] = "store"
    reaches: ClassVar[Reach] = Reach(nests={"auto": "annotator"})
    source: ClassVar[str] = "Feng and Shah 2022, their hybrid labelling"
    blind_spot: ClassVar[str] = (
        "A program that always answers is never doubted, however wrong; see confident."
    )

    def validate(self) -> None:
        for name in ("threshold", "confident"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(
                    f"hybrid({name}={getattr(self, name):g}) is no share.",
                    "Give a number between 0 and 1.",
                )
        # A hybrid of people would ask people where people have not answered.
        if self._auto.name in ("hybrid", "human"):
            raise UsageError(
                f"hybrid(auto={self.auto}) is not a program.",
                "Name another annotator, e.g. zeroshot_embedding.",
            )
        if self.by == "detected" and not isinstance(self._auto, DetectingAnnotator):
            raise UsageError(
                f"hybrid(by=detected): {self.auto} does not say where it found a face.",
                "Write by=answered, or name one that does, e.g. rekognition:faces.jsonl.",
            )

    @cached_property
    def _auto(self) -> Any:
        return registry.make("annotator", self.auto)

    @property
    def needs(self) -> frozenset[str]:
        """What its program needs."""
        return frozenset(self._auto.needs)

    @property
    def sees_with(self) -> str:
        """The model that the program names."""
        if isinstance(self._auto, ModelAnnotator):
            return self._auto.sees_with
        return ""

    def attributes(self, collection: Collection) -> tuple[str, ...]:
        """The attributes of the program."""
        return tuple(self._auto.attributes(collection))

    def __call__(self, collection: Collection, attribute: str, encoder: Any = None) -> Groups:
        """Labels of the collection, treated as one list."""
        whole = Sets(np.array([0, len(collection)]), np.arange(len(collection)))
        return self._joined(
            collection, attribute, whole, self._auto(collection, attribute, encoder)
        )[0]

    def of_candidates(
        self,
        collection: Collection,
        attribute: str,
        queries: Queries,
        candidates: Sets,
        encoder: Any = None,
    ) -> Groups:
        """Labels of the candidates of each query, in their order."""
        return self._joined(
            collection,
            attribute,
            candidates,
            self._by_program(collection, attribute, queries, candidates, encoder),
        )[0]

    def wanted(
        self,
        collection: Collection,
        attribute: str,
        queries: Queries,
        candidates: Sets,
        encoder: Any = None,
    ) -> tuple[str, ...]:
        """Ids of the items that people should label next, in the order of the lists."""
        program = self._by_program(collection, attribute, queries, candidates, encoder)
        rows = candidates.rows[self._joined(collection, attribute, candidates, program)[1]]
        return tuple(dict.fromkeys(collection.ids[row] for row in rows))

    def _by_program(
        self,
        collection: Collection,
        attribute: str,
        queries: Queries,
        candidates: Sets,
        encoder: Any,
    ) -> Groups:
        """The program's labels of each candidate."""
        if isinstance(self._auto, QueryAnnotator):
            return self._auto.of_candidates(collection, attribute, queries, candidates, encoder)
        labels: Groups = self._auto(collection, attribute, encoder)
        return labels.take(candidates.rows)

    def _joined(
        self, collection: Collection, attribute: str, lists: Sets, program: Groups
    ) -> tuple[Groups, Array]:
        """Labels of the entries of lists, and which entries people should label next."""
        assert program.not_applicable is not None
        has_answer = (program.share.max(1) >= self.confident) & (
            program.share.max(1) > program.unknown
        )
        # Whether a list goes to people is one question, which of its items another: a face may be
        # found and nothing said about it.
        counts, how = has_answer, "answered"
        if self.by != "answered" and isinstance(self._auto, DetectingAnnotator):
            counts = self._auto.detected(collection)[lists.rows]
            how = "detected"
        owner = np.repeat(np.arange(len(lists)), np.diff(lists.offsets))
        # An empty list has no share; it is handed over and asks for nothing.
        sizes = np.maximum(np.diff(lists.offsets), 1)
        handed = np.bincount(owner, counts, len(lists)) / sizes < self.threshold
        ask = handed[owner] & (~has_answer | (self.scope == "all"))
        human = self._human(collection, attribute, program.names).take(lists.rows)
        assert human.not_applicable is not None
        labelled = human.not_applicable | (human.share.sum(1) > 0)
        soft = np.where(ask[:, None], human.share, program.share)
        absent = np.where(ask, human.not_applicable, program.not_applicable)
        # The program stands in our own text form already; what it saw with is said after it.
        model = ""
        if program.source.startswith(str(self._auto)):
            model = program.source.removeprefix(str(self._auto))
        went = f"{int(handed.sum())} of {len(lists)} lists went to people, by what was {how}"
        groups = Groups(
            attribute,
            program.names,
            soft=soft,
            not_applicable=absent,
            source=f"{self}{model}: {went}",
            sources=(program.source, "people"),
            given_by=np.where(ask, np.where(labelled, 1, NOBODY), 0),
        )
        return groups, ask & ~labelled

    def _human(self, collection: Collection, attribute: str, names: Sequence[str]) -> Groups:
        """What people said of the collection, in the program's order of groups."""
        # Without a file nobody has answered yet: what is handed over is unknown, and wanted.
        if not self.store:
            return Groups(attribute, tuple(names), soft=np.zeros((len(collection), len(names))))
        people = Human(self.store, self.aggregate)(collection, attribute)
        groups, _ = joined(people, names, whole=True, others=self.auto)
        return groups
