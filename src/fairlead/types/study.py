"""What a benchmark asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from fairlead.errors import DataError, unknown_name
from fairlead.types.collection import Collection
from fairlead.types.groups import Groups
from fairlead.types.queries import Queries
from fairlead.types.ragged import Array


@dataclass(frozen=True, eq=False)
class Study:
    """What a benchmark asks: who is searched, with what, and how the answer is measured.

    Attributes:
        name: The benchmark's text form.
        collection: The items, with their labels.
        queries: The queries, with their relevant items and, where the protocol fixes them, their
            candidates.
        metrics: Text forms of the protocol's metrics.
        k: How many items a mitigated list shows.
        target: The text form of the target; the name of the file where the shares are ``stated``.
        blocks: (items,) matched set of each item, where there are any.
        modality: What is asked with what.
        roles: Labels that depend on the query, by attribute: one for each of
            ``queries.candidates``, in their order.
        attributes: The attributes looked at by default; all where there are none.
        by: Tags of the queries by whose values the results are also told apart.
        clusters: Tag of the queries that do not stand for themselves: those of one value share what
            they rank; "" where all do.
        kinds: Kinds of injected bias that the study can see, where its world is the phantom's.
        card: Name, revision, licence, citation, how to obtain.
        whole: The study that this one is a part of, where items or queries were left out: vectors
            are made and kept of the whole.
        stated: Target shares by attribute, ``{(query id or "*", group): share}``, where a user
            states them; such a target is none of ``uniform``, ``pool`` and ``relevant``.
        notes: What a reader must know of the data, in sentences.
        files: The files behind it, by what they say: queries, groups, qrels, target, candidates.
        follows_k: Whether its metrics look as deep as lists are shown, whatever that is; those of a
            protocol keep their own depth.
    """

    name: str
    collection: Collection
    queries: Queries
    metrics: tuple[str, ...]
    k: int = 20
    target: str = "uniform"
    blocks: Array | None = None
    modality: Literal["text-to-image", "image-to-text"] = "text-to-image"
    roles: Mapping[str, Groups] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    clusters: str = ""
    kinds: tuple[str, ...] = ()
    card: Mapping[str, str] = field(default_factory=dict)
    whole: Study | None = None
    stated: Mapping[str, Mapping[tuple[str, str], float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    follows_k: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", {n: g.by_name for n, g in self.roles.items()})
        for name in (*self.by, *filter(None, (self.clusters,))):
            if name not in self.queries.tags:
                raise unknown_name(f"tag of the queries of {self.name}", name, self.queries.tags)
        for name in self.attributes:
            if name not in (*self.collection.groups, *self.roles):
                raise unknown_name(
                    f"attribute of {self.name}", name, (*self.collection.groups, *self.roles)
                )
        candidates = self.queries.candidates
        if candidates is not None and len(candidates) == len(self.queries):
            fixed = len(candidates.rows)
        else:
            fixed = 0
        for name, groups in self.roles.items():
            if len(groups) != fixed:
                raise DataError(
                    f"'{name}' of {self.name} labels {len(groups)} candidates, the "
                    f"queries have {fixed} of their own."
                )
