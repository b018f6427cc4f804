"""The nouns: frozen values over numpy arrays, validated once when made. No I/O, no torch.

Items are addressed by row number inside and by id outside; queries likewise. Ragged data is an ``offsets`` array
(queries + 1) and flat arrays: the entries of query ``q`` are ``flat[offsets[q]:offsets[q + 1]]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.ragged import Array, entries_of, offsets_of, places, within

UNKNOWN, NOT_APPLICABLE = -1, -2
"""Codes of a hard label that is missing, and of an item the attribute does not apply to (no person, a drawing)."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Group membership of items for one attribute: known, predicted, soft and unknown in one form.

    Attributes:
        attribute: What is labelled, e.g. ``"gender"``: perceived presentation in the image, never identity.
        names: The groups, in order.
        codes: (items,) group number of hard labels, ``UNKNOWN`` or ``NOT_APPLICABLE``; None for soft labels.
        soft: (items, groups) shares in [0, 1]; a row sums to at most 1 and what is missing is unknown; None for hard labels.
        not_applicable: (items,) True where the attribute does not apply; for hard labels read from the codes.
        source: Who says so: ``"label"`` or the spec of an annotator; printed beside every number.
    """

    attribute: str
    names: tuple[str, ...]
    codes: Array | None = None
    soft: Array | None = None
    not_applicable: Array | None = None
    source: str = "label"

    def __post_init__(self) -> None:
        if not self.names or len(set(self.names)) != len(self.names):
            raise DataError(f"Attribute '{self.attribute}' needs distinct group names, got {list(self.names)}.")
        if (self.codes is None) == (self.soft is None):
            raise DataError(f"Attribute '{self.attribute}' needs hard codes or soft shares, one of the two.")
        if self.codes is not None:
            self._check_codes(np.asarray(self.codes))
        else:
            self._check_soft(np.asarray(self.soft, dtype=np.float64))

    def _check_codes(self, codes: Array) -> None:
        whole = codes.dtype.kind in "iu" or not codes.size
        if codes.ndim != 1 or not whole or (codes.size and (codes.min() < NOT_APPLICABLE or codes.max() >= len(self.names))):
            raise DataError(f"Codes of '{self.attribute}' must be one whole number per item, in -2..{len(self.names) - 1}.")
        object.__setattr__(self, "codes", frozen(codes, np.int16 if len(self.names) < 1 << 15 else np.int32))
        object.__setattr__(self, "not_applicable", frozen(codes == NOT_APPLICABLE, np.bool_))

    def _check_soft(self, soft: Array) -> None:
        if soft.ndim != 2 or soft.shape[1] != len(self.names):
            raise DataError(f"Shares of '{self.attribute}' must be (items, {len(self.names)}), got {soft.shape}.")
        absent = np.zeros(len(soft), np.bool_) if self.not_applicable is None else np.asarray(self.not_applicable, np.bool_)
        if absent.shape != (len(soft),):
            raise DataError(f"not_applicable of '{self.attribute}' must be one per item, got {absent.shape}.")
        total = soft.sum(1, keepdims=True)
        if soft.size and not (soft.min() >= 0 and total.max() <= 1 + 1e-6 and not (absent[:, None] & (total > 0)).any()):
            with np.errstate(invalid="ignore"):
                row = int(np.flatnonzero(~((soft >= 0).all(1) & (total[:, 0] <= 1 + 1e-6)) | (absent & (total[:, 0] > 0)))[0])
            raise DataError(
                f"Shares of '{self.attribute}' in row {row} are {soft[row].tolist()}.",
                "Shares lie in [0, 1] and sum to at most 1 (the rest is unknown); not applicable has none.",
            )
        over = np.where(total > 1 + 1e-12, total, 1.0)  # a sum of 1 but for rounding stays as it is, so that copies are identical
        object.__setattr__(self, "soft", frozen(soft / over, np.float64))
        object.__setattr__(self, "not_applicable", frozen(absent, np.bool_))

    @classmethod
    def of(cls, attribute: str, labels: Sequence[str | None], *, names: Sequence[str] | None = None, source: str = "label") -> Groups:
        """Hard groups from one label per item; None is unknown, ``"not-applicable"`` is itself.

        >>> Groups.of("gender", ["female", None, "male"]).codes.tolist()
        [0, -1, 1]
        """
        special: dict[str | None, int] = {None: UNKNOWN, "not-applicable": NOT_APPLICABLE}
        known = tuple(names) if names is not None else tuple(sorted({x for x in labels if x is not None} - {"not-applicable"}))
        codes: dict[str | None, int] = {**special, **{name: code for code, name in enumerate(known)}}
        for label in labels:
            if label not in codes:
                raise unknown_name(f"group of '{attribute}'", str(label), map(str, known))
        return cls(attribute, known, codes=np.array([codes[x] for x in labels], np.int16), source=source)

    def __len__(self) -> int:
        return len(self.codes) if self.codes is not None else len(self.soft)  # type: ignore[arg-type]

    @property
    def hard(self) -> bool:
        """Whether every label is a single group, unknown or not applicable."""
        return self.codes is not None

    @cached_property
    def share(self) -> Array:
        """(items, groups) shares in [0, 1], one-hot for hard labels."""
        return self.soft if self.soft is not None else frozen(one_hot(self.codes, len(self.names)), np.float64)  # type: ignore[arg-type]

    @cached_property
    def unknown(self) -> Array:
        """(items,) the unknown mass of each item; 0 where the attribute does not apply."""
        if self.codes is not None:
            return frozen(self.codes == UNKNOWN, np.float64)
        assert self.soft is not None
        assert self.not_applicable is not None
        missing = 1 - self.soft.sum(1)
        return frozen(np.where(self.not_applicable | (missing < 1e-9), 0.0, missing), np.float64)

    def take(self, rows: Array) -> Groups:
        """The groups of some rows, in that order."""
        if self.codes is not None:
            return replace(self, codes=self.codes.take(rows), not_applicable=None)
        assert self.soft is not None
        assert self.not_applicable is not None
        return replace(self, soft=self.soft[rows], not_applicable=self.not_applicable[rows])

    def mass(self, rows: Array | None = None) -> tuple[Array, float]:
        """Expected count of each group, and of unknown, among rows (all by default)."""
        part = self if rows is None else self.take(rows)
        if part.codes is not None:
            return np.bincount(part.codes[part.codes >= 0], minlength=len(self.names)).astype(float), float(part.unknown.sum())
        return part.share.sum(0), float(part.unknown.sum())


def cross(a: Groups, b: Groups) -> Groups:
    """The intersection of two attributes. Of soft labels it assumes independence within an item, and its source says so."""
    if len(a) != len(b):
        raise DataError(f"'{a.attribute}' labels {len(a)} items and '{b.attribute}' {len(b)}; they must be the same items.")
    names = tuple(f"{x}*{y}" for x in a.names for y in b.names)
    attribute = f"{a.attribute}*{b.attribute}"
    source = a.source if a.source == b.source else f"{a.source}*{b.source}"
    if a.codes is not None and b.codes is not None:
        codes = a.codes.astype(np.int32) * len(b.names) + b.codes
        codes[(a.codes == UNKNOWN) | (b.codes == UNKNOWN)] = UNKNOWN
        codes[(a.codes == NOT_APPLICABLE) | (b.codes == NOT_APPLICABLE)] = NOT_APPLICABLE
        return Groups(attribute, names, codes=codes, source=source)
    absent = a.not_applicable | b.not_applicable  # type: ignore[operator]
    soft = (a.share[:, :, None] * b.share[:, None, :]).reshape(len(a), len(names)) * ~absent[:, None]
    return Groups(attribute, names, soft=soft, not_applicable=absent, source=f"{source} (independence assumed)")


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
            raise DataError(f"{len(gains)} gains for {len(self.rows)} relevant rows.", "Give one per row, or none for binary judgements.")
        if not (np.isfinite(gains) & (gains > 0)).all():
            raise DataError("Gains of relevant items must be finite and above 0.", "Leave out items that are not relevant.")
        object.__setattr__(self, "gains", frozen(gains, np.float64))


@dataclass(frozen=True, eq=False)
class Ranking:
    """Ranked rows of each query, best first. Ragged, no padding.

    Attributes:
        offsets: (queries + 1,) start of each query's entries.
        rows: (entries,) item rows in ranked order.
        scores: (entries,) float32, higher is better; a reranked list keeps its first-stage scores and need not be sorted.
        positions: (entries,) 1-based rank in the full list, where only a part of it is stored; None means 1, 2, 3, ...
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
            raise DataError(f"A ranking has one score per row, got {len(self.scores)} for {len(self.rows)} rows.")
        if not np.isfinite(self.scores).all():
            raise DataError(f"The score at entry {int(np.flatnonzero(~np.isfinite(self.scores))[0])} is not a finite number.")
        if self.positions is not None:
            object.__setattr__(self, "positions", frozen(self.positions, np.int64))
            if self.positions.shape != self.rows.shape or (self.positions < 1).any():
                raise DataError("Positions are one per entry, counted from 1.")

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], scores: Sequence[Sequence[float]] | None = None) -> Ranking:
        """A ranking from one list of rows per query; without scores the order itself gives them (-1, -2, ...)."""
        sizes = np.array([len(r) for r in rows], np.int64)
        flat_scores = -(within(offsets_of(sizes)) + 1.0) if scores is None else _flat(scores, np.float64)
        return cls(offsets_of(sizes), _flat(rows, np.int64), flat_scores)

    @classmethod
    def of_relevant(cls, scores: Array, relevant: Sets, *, seed: int = 0) -> Ranking:
        """The relevant items of each query at their true positions among all items, from dense scores (queries, items).

        The rest of the list is not stored: enough for the relevance metrics at any cut-off and for ``NDKL(over=relevant)``, at a
        fraction of the cost of the whole order. Equal scores stand in a random order of the items, drawn from the seed.

        >>> ranking = Ranking.of_relevant(np.array([[0.1, 0.9, 0.5]]), Sets(np.array([0, 2]), np.array([0, 2])))
        >>> ranking.rows.tolist(), ranking.positions.tolist()
        ([2, 0], [2, 3])
        """
        if scores.ndim != 2 or len(scores) != len(relevant):
            raise DataError(f"Scores are (queries, items), got {scores.shape} for the relevant items of {len(relevant)} queries.")
        if relevant.rows.max(initial=-1) >= scores.shape[1]:
            raise DataError(f"Row {int(relevant.rows.max())} is relevant, but scores are given for {scores.shape[1]} items.")
        if np.isnan(scores).any():
            at = np.argwhere(np.isnan(scores))[0]
            raise DataError(f"The score of row {at[1]} for query {at[0]} is not a number.", "Leave no score out; -inf stands last.")
        positions = places(scores, relevant.offsets, relevant.rows, seed=seed)
        query = np.repeat(np.arange(len(relevant)), np.diff(relevant.offsets))
        order = np.argsort(query * (scores.shape[1] + 1) + positions)
        rows = relevant.rows[order]
        return cls(relevant.offsets, rows, scores[query, rows], positions[order])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Array:
        """(queries,) number of entries of each query."""
        return frozen(np.diff(self.offsets), np.int64)

    @cached_property
    def query_of(self) -> Array:
        """(entries,) the query of each entry."""
        return frozen(np.repeat(np.arange(len(self)), self.lengths), np.int64)

    @cached_property
    def ranks(self) -> Array:
        """(entries,) 1-based rank of each entry in the full list."""
        return self.positions if self.positions is not None else frozen(within(self.offsets) + 1, np.int64)

    def take(self, entries: Array, sizes: Array) -> Ranking:
        """A new ranking from entry numbers, ``sizes[q]`` of them for each query in turn."""
        return Ranking(offsets_of(sizes), self.rows[entries], self.scores[entries])

    def select(self, queries: Array) -> Ranking:
        """The ranking of some queries, in that order."""
        entries, sizes = entries_of(self.offsets, queries)
        positions = None if self.positions is None else self.positions[entries]
        return Ranking(offsets_of(sizes), self.rows[entries], self.scores[entries], positions)

    def replaced(self, queries: Array, other: Ranking, numbers: Array) -> Ranking:
        """The ranking with other lists for some queries: those of these numbers of another ranking."""
        parts = [(self, q) for q in range(len(self))]
        for q, number in zip(queries.tolist(), numbers.tolist(), strict=True):
            parts[q] = (other, number)
        spans = [(r, slice(int(r.offsets[q]), int(r.offsets[q + 1]))) for r, q in parts]
        rows, scores = (np.concatenate([getattr(r, name)[s] for r, s in spans]) for name in ("rows", "scores"))
        return Ranking(offsets_of(np.array([s.stop - s.start for _, s in spans])), rows, scores)


@dataclass(frozen=True, eq=False)
class Collection:
    """Items: a gallery of images, of captions, or both. Rows inside, ids outside; grows only by appending."""

    ids: tuple[str, ...]
    images: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    groups: Mapping[str, Groups] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {"images": self.images, "texts": self.texts, **self.groups}
        for name, part in sizes.items():
            if part is not None and len(part) != len(self.ids):
                raise DataError(f"{len(part)} {name} for {len(self.ids)} items.")
        if len(set(self.ids)) != len(self.ids):
            raise DataError("Item ids must be distinct.")

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Array) -> Collection:
        """Some of the items, in that order."""
        images, texts = (None if part is None else tuple(part[row] for row in rows) for part in (self.images, self.texts))
        return Collection(tuple(self.ids[row] for row in rows), images, texts, {name: one.take(rows) for name, one in self.groups.items()})


@dataclass(frozen=True, eq=False)
class Queries:
    """A batch of queries; one query is a batch of one.

    ``candidates`` are the rows to rank where a protocol fixes them (triplets, SISPI's own pool);
    ``tags`` hold occupation, language, culture, pair id and the like, one value per query.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...] | None = None
    images: tuple[str, ...] | None = None
    relevant: Relevant | None = None
    candidates: Sets | None = None
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, part in {"texts": self.texts, "images": self.images, **self.tags}.items():
            if part is not None and len(part) != len(self.ids):
                raise DataError(f"{len(part)} {name} for {len(self.ids)} queries.")
        if len(set(self.ids)) != len(self.ids):
            raise DataError("Query ids must be distinct.")

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Study:
    """What a benchmark asks: who is searched, with what, and how the answer is measured.

    Attributes:
        name: The benchmark's text form.
        collection: The items, with their labels.
        queries: The queries, with their relevant items and, where the protocol fixes them, their candidates.
        metrics: Text forms of the protocol's metrics.
        k: How many items a mitigated list shows.
        target: The text form of the target.
        blocks: (items,) matched set of each item, where there are any.
        modality: What is asked with what.
        roles: Labels that depend on the query, by attribute: one for each of ``queries.candidates``, in their order.
        attributes: The attributes looked at by default; all where there are none.
        by: Tags of the queries by whose values the results are also told apart.
        clusters: Tag of the queries that do not stand for themselves: those of one value share what they rank; "" where all do.
        kinds: Kinds of injected bias that the study can see, where its world is the phantom's.
        card: Name, revision, licence, citation, how to obtain.
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

    def __post_init__(self) -> None:
        for name in (*self.by, *filter(None, (self.clusters,))):
            if name not in self.queries.tags:
                raise unknown_name(f"tag of the queries of {self.name}", name, self.queries.tags)
        for name in self.attributes:
            if name not in (*self.collection.groups, *self.roles):
                raise unknown_name(f"attribute of {self.name}", name, (*self.collection.groups, *self.roles))
        candidates = self.queries.candidates
        fixed = len(candidates.rows) if candidates is not None and len(candidates) == len(self.queries) else 0
        for name, groups in self.roles.items():
            if len(groups) != fixed:
                raise DataError(f"'{name}' of {self.name} labels {len(groups)} candidates, the queries have {fixed} of their own.")


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Vectors of texts or images; with offsets, many vectors per item (late interaction)."""

    vectors: Array
    offsets: Array | None = None

    def __len__(self) -> int:
        return len(self.vectors) if self.offsets is None else len(self.offsets) - 1

    def take(self, rows: Array) -> Embeddings:
        """The vectors of some texts or images, in that order."""
        if self.offsets is None:
            return Embeddings(self.vectors[rows])
        entries, sizes = entries_of(self.offsets, np.asarray(rows))
        return Embeddings(self.vectors[entries], offsets_of(sizes))


def one_hot(codes: Array, groups: int) -> Array:
    """(..., groups) float64 indicator of non-negative codes."""
    return (codes[..., None] == np.arange(groups)).astype(np.float64)


def _check_offsets(offsets: Array, size: int) -> None:
    if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != size or (np.diff(offsets) < 0).any():
        raise DataError(f"Offsets must rise from 0 to {size}, one more than there are queries.")


def _check_rows(rows: Array) -> None:
    if rows.min(initial=0) < 0:
        raise DataError(f"Row {int(rows.min())} is not a row: rows count from 0.")


def _flat(parts: Sequence[Sequence[Any]], dtype: Any) -> Array:
    return np.array([x for part in parts for x in part], dtype)


def frozen(values: Any, dtype: Any) -> Array:
    """A read-only array of the given type; the caller's own array is never made read-only."""
    array = np.asarray(values, dtype).view()
    array.flags.writeable = False
    return array
