"""What was asked: the queries of a command as every road takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairlead.trigger.query_ids import is_text
from fairlead.types import Queries, Relevant, Sets, Study
from fairlead.types.ragged import Array, entries_of, offsets_of


@dataclass(frozen=True, eq=False)
class Asked:
    """Queries with what may be judged, ranked and measured by.

    Attributes:
        ids: Query ids; the names of random streams.
        words: (queries,) what was asked in words; None for pictures and for ids that say nothing.
        silent: The trigger's rule for queries without words: ``picture`` or ``no-words``.
        relevant: Relevant rows of each query, where judged.
        candidates: Rows to rank, where a protocol fixes them.
        clusters: (queries,) queries of one number do not stand for themselves; None where all do.
        by: Tags by whose values results are also told apart.
    """

    ids: tuple[str, ...]
    words: tuple[str | None, ...]
    silent: str = "no-words"
    relevant: Relevant | None = None
    candidates: Sets | None = None
    clusters: Array | None = None
    by: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def select(self, queries: Array) -> Asked:
        """Some of the queries, in that order."""
        relevant, candidates = self.relevant, self.candidates
        if relevant is not None:
            entries, sizes = entries_of(relevant.offsets, queries)
            relevant = Relevant(offsets_of(sizes), relevant.rows[entries], relevant.gains[entries])
        if candidates is not None and len(candidates) > 1:
            entries, sizes = entries_of(candidates.offsets, queries)
            candidates = Sets(offsets_of(sizes), candidates.rows[entries])
        return replace(
            self,
            ids=tuple(self.ids[q] for q in queries),
            words=tuple(self.words[q] for q in queries),
            relevant=relevant,
            candidates=candidates,
            clusters=None if self.clusters is None else self.clusters[queries],
            by=tuple((tag, tuple(values[q] for q in queries)) for tag, values in self.by),
        )


def of_texts(texts: Sequence[str], images: Sequence[object] = ()) -> Asked:
    """Queries in words and by picture, in that order; each is called what it says."""
    words = (*texts, *(None for _ in images))
    return Asked(distinct([*texts, *map(str, images)]), words, silent="picture")


def of_ids(ids: Sequence[str], texts: Sequence[str | None] | None = None) -> Asked:
    """The queries of a run. Where their texts are not known, ids are read as what was asked.

    Ids that are plainly no text, such as numbers and hashes, say nothing of what was asked.
    """
    if texts is not None:
        return Asked(tuple(ids), tuple(texts))
    return Asked(tuple(ids), tuple(_spaced(name) if is_text(name) else None for name in ids))


def of_study(study: Study) -> Asked:
    """The queries of a benchmark, with its clusters and the tags it is split by."""
    queries = study.queries
    words: tuple[str | None, ...] = (None,) * len(queries)
    if queries.texts is not None:
        words = queries.texts
    clusters = None
    if study.clusters:
        clusters = np.unique(queries.tags[study.clusters], return_inverse=True)[1]
    return Asked(
        queries.ids,
        words,
        silent="picture" if queries.images is not None else "no-words",
        relevant=queries.relevant,
        candidates=queries.candidates,
        clusters=clusters,
        by=tuple((tag, queries.tags[tag]) for tag in study.by),
    )


def queries_of(asked: Asked) -> Queries:
    """The queries as annotators take them: an id stands where there are no words."""
    texts = tuple(word or name for word, name in zip(asked.words, asked.ids, strict=True))
    return Queries(asked.ids, texts=texts)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Query ids: the names, numbered where one is asked twice."""
    seen: dict[str, int] = {}
    ids = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        ids.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(ids)


def _spaced(name: str) -> str:
    """An id with spaces between its words."""
    return name if len(name.split()) > 1 else name.replace("_", " ")
