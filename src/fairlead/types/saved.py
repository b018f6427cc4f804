"""A run with all that is needed to measure and to mitigate it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fairlead.types.evidence import Labelled
from fairlead.types.ragged import Array
from fairlead.types.ranking import Ranking, Relevant, Sets


@dataclass(frozen=True, eq=False)
class SavedRun:
    """The lists of several variants, and what they were made from.

    Attributes:
        queries: Query ids.
        words: (queries,) what was asked in words; None where it had none.
        items: Item ids, by row: all that could be ranked.
        lists: The lists that were measured, by variant; the plain one is the first.
        attributes: What metrics saw: labels of the items, or of the fixed candidates where they
            depend on the query, with their targets.
        mitigate: What the first reranker saw of its attribute; None where lists were only measured.
        candidates: What rerankers chose from; None where that was not kept.
        background: (queries,) mean score of the collection; None where it was not looked up.
        relevant: Relevant rows of each query, where judged.
        fixed: Candidates that a protocol fixed.
        blocks: (items,) matched set of each item, where there are any.
        clusters: (queries,) queries of one number do not stand for themselves.
        by: Tags by whose values results are also told apart.
        manifest: How the lists came about.
        labelled: Whether labels of single items are in it; else the labels are all unknown, and
            their sources say where to read them again.
    """

    queries: tuple[str, ...]
    words: tuple[str | None, ...]
    items: Any
    lists: Mapping[str, Ranking]
    attributes: Mapping[str, Labelled]
    mitigate: tuple[str, Labelled] | None = None
    candidates: Ranking | None = None
    background: Array | None = None
    relevant: Relevant | None = None
    fixed: Sets | None = None
    blocks: Array | None = None
    clusters: Array | None = None
    by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)
    labelled: bool = True
