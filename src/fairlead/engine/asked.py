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

    @property
    def names(self) -> tuple[str, ...]:
        """What each query is called: what was asked, or its id."""
        pairs = zip(self.ids, self.words, strict=True)
        return tuple(name if word is None else word for name, word in pairs)

    def select(self, queries: Array) -> Asked:
        """Some of the queries, in that order."""
        relevant, candidates, clusters = self.relevant, self.candidates, self.clusters
        if clusters is not None:
            clusters = clusters[queries]
        if relevant is not None:
            entries, sizes = entries_of(relevant.offsets, queries)
            relevant = Relevant(offsets_of(sizes), relevant.rows[entries], relevant.gains[entries])
        # One set of candidates is that of all queries, however many are left.
        if candidates is not None and len(candidates) > 1:
            entries, sizes = entries_of(candidates.offsets, queries)
            candidates = Sets(offsets_of(sizes), candidates.rows[entries])
        return replace(
            self,
            ids=tuple(self.ids[q] for q in queries),
            words=tuple(self.words[q] for q in queries),
            relevant=relevant,
            candidates=candidates,
            clusters=clusters,
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
    if texts is None:
        texts = tuple(map(_read, ids))
    return Asked(tuple(ids), tuple(texts))


def of_study(study: Study) -> Asked:
    """The queries of a benchmark, with its clusters and the tags it is split by."""
    queries = study.queries
    words: tuple[str | None, ...] = (None,) * len(queries)
    if queries.texts is not None:
        words = queries.texts
    clusters, silent = None, "no-words"
    if queries.images is not None:
        silent = "picture"
    if study.clusters:
        # Only which queries go together matters, so the tag's values are numbered.
        clusters = np.unique(queries.tags[study.clusters], return_inverse=True)[1]
    return Asked(
        queries.ids,
        words,
        silent=silent,
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
    # The id names the random stream of a query: asked twice, it is drawn for twice.
    seen: dict[str, int] = {}
    ids = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = f"{name} ({seen[name]})"
        ids.append(name)
    return tuple(ids)


def _read(name: str) -> str | None:
    """What an id says was asked; None where it is no text."""
    if not is_text(name):
        return None
    # ``photo_of_a_nurse`` is words; in a text that has spaces an underscore is only a sign.
    if len(name.split()) > 1:
        return name
    return name.replace("_", " ")
