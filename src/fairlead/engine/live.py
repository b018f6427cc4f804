"""The road of searches and audits: candidates come from an index, or are fixed by a protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairlead.engine.asked import Asked, queries_of
from fairlead.engine.candidates import (
    Candidates,
    fetch,
    fetch_plain,
    fixed,
    given,
    with_background,
)
from fairlead.engine.shelf import Shelf
from fairlead.engine.targets import Shares, labelled
from fairlead.engine.treatments import Treatment
from fairlead.protocols import QueryAnnotator
from fairlead.types import Collection, Embeddings, Groups, Ranking, Sets
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.joining import mapped, matched
from fairlead.types.ragged import locate

MEASURING = "the labels that measure"
"""What those labels are called in messages to which the labels that mitigate are joined."""


@dataclass(frozen=True, eq=False)
class Sighted:
    """An annotator whose labels depend on the query, with what it sees by.

    Attributes:
        annotator: Who labels.
        collection: The items.
        sight: What it sees them with.
        names: The groups of the labels that measure; none where its own are taken as they are.
        rename: New names of its groups.
    """

    annotator: QueryAnnotator
    collection: Collection
    sight: Any
    names: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)

    def labels(self, attribute: str, asked: Asked, ranking: Ranking) -> Groups:
        """A label for each entry of a ranking."""
        lists = Sets(ranking.offsets, ranking.rows)
        groups = self.annotator.of_candidates(
            self.collection, attribute, queries_of(asked), lists, self.sight
        )
        groups = mapped(groups, self.rename)
        if not self.names:
            return groups
        return matched(groups, self.names, others=MEASURING)[0]


@dataclass(frozen=True, eq=False)
class Labels:
    """Who says which group an item shows.

    Attributes:
        measure: The labels that metrics see, by attribute; of the items.
        roles: The same of the candidates that a protocol fixes, where they depend on the query.
        attribute: What is mitigated; empty where nothing is.
        mitigate: The labels that rerankers see, by the name of their source.
        target: As the user gave it.
        shares: What the user states of it.
    """

    measure: Mapping[str, Groups]
    roles: Mapping[str, Groups] = field(default_factory=dict)
    attribute: str = ""
    mitigate: Mapping[str, Groups | Sighted] = field(default_factory=dict)
    target: Any = "uniform"
    shares: Shares | None = None


@dataclass(frozen=True)
class Depths:
    """How far lists reach.

    Attributes:
        k: Items shown.
        plain: Entries of the plain lists that are measured; None for all there are.
        candidates: Candidates fetched of each group at first.
        limit: The deepest fetch where a target is out of reach.
    """

    k: int
    plain: int | None
    candidates: int
    limit: int


@dataclass(frozen=True, eq=False)
class Live:
    """Queries asked of a shelf."""

    shelf: Shelf
    asked: Asked
    vectors: Embeddings
    labels: Labels
    depths: Depths
    background: bool = False
    _kept: dict[tuple[Embeddings, str], Candidates] = field(default_factory=dict)

    @property
    def attribute(self) -> str:
        """What is mitigated."""
        return self.labels.attribute

    @property
    def pool(self) -> Sets:
        """What chance draws from: the candidates that a protocol fixes, or the collection."""
        return self.asked.candidates or self.shelf.pool

    def plain(self, treatment: Treatment | None = None) -> Ranking:
        """The lists that nothing reorders, as deep as they are measured: those of the queries as
        they were asked, or as a treatment's projection asks them.

        Where candidates are fetched anyway and reach as deep, their best are the plain lists: the
        index is asked once, whatever the number of variants.
        """
        vectors = self.vectors
        if treatment is not None and treatment.vectors is not None:
            vectors = treatment.vectors
        if self.asked.candidates is not None:
            return self._fixed(vectors).ranking
        depth = self.depths.plain
        if depth is None:
            return self._whole(vectors)
        for source, labels in self.labels.mitigate.items():
            if isinstance(labels, Groups) and depth <= self.depths.candidates:
                return self._fetched(vectors, source).ranking.head(depth)
        return fetch_plain(self.shelf, vectors, depth).ranking

    def candidates(self, treatment: Treatment) -> tuple[Candidates, Labelled | None]:
        """What a treatment chooses from, with the labels it sees."""
        vectors = self.vectors
        if treatment.vectors is not None:
            vectors = treatment.vectors
        if treatment.reranker is None:
            return whole_lists(self.plain(treatment)), None
        source = treatment.labels
        candidates = self._fetched(vectors, source)
        return candidates, self._seen(source, candidates.ranking)

    def evidence(self, ranking: Ranking) -> Evidence:
        """Rankings as metrics see them."""
        attributes = {name: self._labelled(groups) for name, groups in self.labels.measure.items()}
        # Roles stand by the fixed candidates; a ranking has them in another order.
        for name, groups in self.labels.roles.items():
            entries = locate(self.pool.offsets, self.pool.rows, ranking.offsets, ranking.rows)
            attributes[name] = self._labelled(groups.take(entries), aligned=True)
        return Evidence(
            ranking,
            self.asked.ids,
            attributes,
            self.asked.relevant,
            self.pool,
            self.shelf.blocks,
        )

    def _labelled(self, groups: Groups, *, aligned: bool = False) -> Labelled:
        return labelled(
            groups,
            self.labels.target,
            self.labels.shares,
            queries=self.asked.ids,
            pool=self.pool,
            relevant=self.asked.relevant,
            aligned=aligned,
        )

    def _seen(self, source: str, ranking: Ranking) -> Labelled:
        """The labels that rerankers see, with their target."""
        labels = self.labels.mitigate[source]
        if isinstance(labels, Groups):
            return self._labelled(labels)
        groups = labels.labels(self.attribute, self.asked, ranking)
        return self._labelled(groups, aligned=True)

    def _fetched(self, vectors: Embeddings, source: str) -> Candidates:
        """The candidates of each group of a source of labels, fetched once."""
        # By the very object, which is held here: an ``id`` is given anew when its vectors are gone.
        key = (vectors, source)
        if key not in self._kept:
            candidates = self._fetch(vectors, source)
            if self.background and self.asked.candidates is None:
                candidates = with_background(candidates, self.shelf, vectors)
            self._kept[key] = candidates
        return self._kept[key]

    def _fetch(self, vectors: Embeddings, source: str) -> Candidates:
        if self.asked.candidates is not None:
            return self._fixed(vectors)
        labels, depths = self.labels.mitigate[source], self.depths
        if not isinstance(labels, Groups):
            # Who depends on the query labels what was found: there is nothing to fetch by. As many
            # are fetched as by groups, so that each has its chance to be among them.
            count = next((len(one.names) for one in self.labels.measure.values()), 2)
            return fetch_plain(self.shelf, vectors, depths.candidates * count)
        return fetch(
            self.shelf,
            vectors,
            self.asked,
            self._labelled(labels),
            by=source,
            k=depths.k,
            depth=depths.candidates,
            limit=depths.limit,
        )

    def _whole(self, vectors: Embeddings) -> Ranking:
        """Every item, for protocols that measure whole lists; asked once."""
        # A key that no source of labels has.
        key = (vectors, "*")
        if key not in self._kept:
            every = len(self.shelf.collection)
            self._kept[key] = fetch_plain(self.shelf, vectors, every)
        return self._kept[key].ranking

    def _fixed(self, vectors: Embeddings) -> Candidates:
        """The candidates that a protocol fixes, scored once."""
        key = (vectors, "")
        if key not in self._kept:
            self._kept[key] = fixed(self.shelf, vectors, self.asked)
        return self._kept[key]


def whole_lists(ranking: Ranking) -> Candidates:
    """Recorded lists as candidates: all there is of them."""
    return given(ranking, int(np.max(ranking.lengths, initial=1)))
