"""Ragged rows of queries: sets, relevant items, and rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.types.arrays import frozen
from fairlead.types.ragged import Array, entries_of, offsets_of, places, within


@dataclass(frozen=True, eq=False)
class Sets:
    """Ragged sets of rows, one per query; a single set is shared by all queries."""

    offsets: Array
    rows: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", frozen(self.offsets, np.int64))
        object.__setattr__(self, "rows", frozen(self.rows, np.int32))
        _check_offsets(self.offsets, len(self.rows))
        _check_rows(self.rows)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, query: int) -> Array:
        """The rows of one query."""
        q = query if len(self) > 1 else 0
        return self.rows[self.offsets[q] : self.offsets[q + 1]]


@dataclass(frozen=True, eq=False)
class Relevant(Sets):
    """The relevant rows of each query, with gains above 0 (1 for binary judgements)."""

    gains: Array = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        super().__post_init__()
        gains = np.asarray(self.gains, np.float64) if len(self.gains) else np.ones(len(self.rows))
        if gains.shape != self.rows.shape:
            raise DataError(
                f"{len(gains)} gains for {len(self.rows)} relevant rows.",
                "Give one per row, or none for binary judgements.",
            )
        if not (np.isfinite(gains) & (gains > 0)).all():
            raise DataError(
                "Gains of relevant items must be finite and above 0.",
                "Leave out items that are not relevant.",
            )
        object.__setattr__(self, "gains", frozen(gains, np.float64))


@dataclass(frozen=True, eq=False)
class Ranking:
    """Ranked rows of each query, best first. Ragged, no padding.

    Attributes:
        offsets: (queries + 1,) start of each query's entries.
        rows: (entries,) item rows in ranked order.
        scores: (entries,) float32, higher is better; a reranked list keeps its first-stage scores
            and need not be sorted.
        positions: (entries,) 1-based rank in the full list, where only a part of it is stored; None
            means 1, 2, 3, ...
    """

    offsets: Array
    rows: Array
    scores: Array
    positions: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", frozen(self.offsets, np.int64))
        object.__setattr__(self, "rows", frozen(self.rows, np.int32))
        object.__setattr__(self, "scores", frozen(self.scores, np.float32))
        _check_offsets(self.offsets, len(self.rows))
        _check_rows(self.rows)
        if len(self.scores) != len(self.rows):
            raise DataError(
                f"A ranking has one score per row, got {len(self.scores)} for "
                f"{len(self.rows)} rows."
            )
        if not np.isfinite(self.scores).all():
            raise DataError(
                f"The score at entry {int(np.flatnonzero(~np.isfinite(self.scores))[0])} "
                "is not a finite number."
            )
        if self.positions is not None:
            object.__setattr__(self, "positions", frozen(self.positions, np.int64))
            if self.positions.shape != self.rows.shape or (self.positions < 1).any():
                raise DataError("Positions are one per entry, counted from 1.")

    @classmethod
    def of(
        cls, rows: Sequence[Sequence[int]], scores: Sequence[Sequence[float]] | None = None
    ) -> Ranking:
        """A ranking from one list of rows per query.

        Without scores the order itself gives them: -1, -2, ...
        """
        sizes = np.array([len(r) for r in rows], np.int64)
        if scores is None:
            flat_scores = -(within(offsets_of(sizes)) + 1.0)
        else:
            flat_scores = _flat(scores, np.float64)
        return cls(offsets_of(sizes), _flat(rows, np.int64), flat_scores)

    @classmethod
    def of_relevant(cls, scores: Array, relevant: Sets, *, seed: int = 0) -> Ranking:
        """The relevant items of each query, at their true positions among all items.

        Positions follow from dense scores (queries, items). The rest of the list is not stored:
        this is enough for the relevance metrics at any cut-off and for ``NDKL(over=relevant)``, at
        a fraction of the cost of the whole order. Equal scores stand in a random order of the
        items, drawn from the seed.

        >>> relevant = Sets(np.array([0, 2]), np.array([0, 2]))
        >>> ranking = Ranking.of_relevant(np.array([[0.1, 0.9, 0.5]]), relevant)
        >>> ranking.rows.tolist(), ranking.positions.tolist()
        ([2, 0], [2, 3])
        """
        if scores.ndim != 2 or len(scores) != len(relevant):
            raise DataError(
                f"Scores are (queries, items), got {scores.shape} for the relevant items "
                f"of {len(relevant)} queries."
            )
        if relevant.rows.max(initial=-1) >= scores.shape[1]:
            raise DataError(
                f"Row {int(relevant.rows.max())} is relevant, but scores are given for "
                f"{scores.shape[1]} items."
            )
        # NaN compares with nothing, so it would take an arbitrary place
        if np.isnan(scores).any():
            at = np.argwhere(np.isnan(scores))[0]
            raise DataError(
                f"The score of row {at[1]} for query {at[0]} is not a number.",
                "Leave no score out; -inf stands last.",
            )
        positions = places(scores, relevant.offsets, relevant.rows, seed=seed)
        query = np.repeat(np.arange(len(relevant)), np.diff(relevant.offsets))
        # by query, then by position: one sort instead of one for each query
        order = np.argsort(query * (scores.shape[1] + 1) + positions)
        rows = relevant.rows[order]
        return cls(relevant.offsets, rows, scores[query, rows], positions[order])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Array:
        """(queries,) number of entries of each query."""
        return frozen(self.offsets[1:] - self.offsets[:-1], np.int64)

    @cached_property
    def query_of(self) -> Array:
        """(entries,) the query of each entry."""
        return frozen(np.repeat(np.arange(len(self)), self.lengths), np.int64)

    @cached_property
    def ranks(self) -> Array:
        """(entries,) 1-based rank of each entry in the full list."""
        if self.positions is not None:
            return self.positions
        return frozen(within(self.offsets) + 1, np.int64)

    def take(self, entries: Array, sizes: Array) -> Ranking:
        """A new ranking from entry numbers, ``sizes[q]`` of them for each query in turn."""
        return self._part(offsets_of(sizes), entries)

    def head(self, k: int) -> Ranking:
        """The first ``k`` of each list."""
        return self.take(np.flatnonzero(self.ranks <= k), np.minimum(self.lengths, k))

    def select(self, queries: Array) -> Ranking:
        """The ranking of some queries, in that order."""
        entries, sizes = entries_of(self.offsets, queries)
        positions = None if self.positions is None else self.positions[entries]
        return self._part(offsets_of(sizes), entries, positions)

    def _part(self, offsets: Array, entries: Array, positions: Array | None = None) -> Ranking:
        """A ranking of some of these entries: rows and scores were checked with this one."""
        if offsets[-1] != len(entries):
            _check_offsets(offsets, len(entries))
        rows, scores = self.rows.take(entries), self.scores.take(entries)
        return Ranking.of_checked(offsets, rows, scores, positions)

    @classmethod
    def of_checked(
        cls, offsets: Array, rows: Array, scores: Array, positions: Array | None = None
    ) -> Ranking:
        """A ranking of arrays that are known to be lawful and of the right types: they are not
        checked again, and become read-only.
        """
        for array in (offsets, rows, scores, positions):
            if array is not None:
                array.setflags(write=False)
        ranking = object.__new__(cls)
        ranking.__dict__.update(offsets=offsets, rows=rows, scores=scores, positions=positions)
        return ranking

    def replaced(self, queries: Array, other: Ranking, numbers: Array) -> Ranking:
        """The ranking with lists of another ranking in place of those of some queries.

        Query ``queries[i]`` gets the list of query ``numbers[i]`` of the other ranking.
        """
        parts = [(self, q) for q in range(len(self))]
        for q, number in zip(queries.tolist(), numbers.tolist(), strict=True):
            parts[q] = (other, number)
        spans = [(r, slice(int(r.offsets[q]), int(r.offsets[q + 1]))) for r, q in parts]
        rows, scores = (
            np.concatenate([getattr(r, name)[s] for r, s in spans]) for name in ("rows", "scores")
        )
        return Ranking(offsets_of(np.array([s.stop - s.start for _, s in spans])), rows, scores)


def _check_offsets(offsets: Array, size: int) -> None:
    if (
        offsets.ndim != 1
        or not len(offsets)
        or offsets[0] != 0
        or offsets[-1] != size
        or (offsets[1:] < offsets[:-1]).any()
    ):
        raise DataError(f"Offsets must rise from 0 to {size}, one more than there are queries.")


def _check_rows(rows: Array) -> None:
    if rows.min(initial=0) < 0:
        raise DataError(f"Row {int(rows.min())} is not a row: rows count from 0.")


def _flat(parts: Sequence[Sequence[Any]], dtype: Any) -> Array:
    return np.array([x for part in parts for x in part], dtype)
