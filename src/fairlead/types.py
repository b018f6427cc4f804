"""The nouns: frozen values over numpy arrays, validated once when made. No I/O, no torch.

Items are addressed by row number inside and by id outside; queries likewise. Ragged data is an ``offsets`` array
(queries + 1) and flat arrays: the entries of query ``q`` are ``flat[offsets[q]:offsets[q + 1]]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.errors import DataError, unknown_name

Array = NDArray[Any]
UNKNOWN, NOT_APPLICABLE = -1, -2
"""Codes of a hard label that is missing, and of an item the attribute does not apply to (no person, a drawing)."""

_SLICE_CELLS = 1 << 21
"""How many cells (queries x positions x groups) one slice of evidence may hold; bounds the memory of every kernel."""


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
        if codes.ndim != 1 or (codes.size and (codes.min() < NOT_APPLICABLE or codes.max() >= len(self.names))):
            raise DataError(f"Codes of '{self.attribute}' must be one per item, in -2..{len(self.names) - 1}.")
        object.__setattr__(self, "codes", _frozen(codes, np.int16))
        object.__setattr__(self, "not_applicable", _frozen(codes == NOT_APPLICABLE, np.bool_))

    def _check_soft(self, soft: Array) -> None:
        if soft.ndim != 2 or soft.shape[1] != len(self.names):
            raise DataError(f"Shares of '{self.attribute}' must be (items, {len(self.names)}), got {soft.shape}.")
        absent = np.zeros(len(soft), np.bool_) if self.not_applicable is None else np.asarray(self.not_applicable, np.bool_)
        if absent.shape != (len(soft),):
            raise DataError(f"not_applicable of '{self.attribute}' must be one per item, got {absent.shape}.")
        with np.errstate(invalid="ignore"):
            wrong = ~((soft >= 0).all(1) & (soft.sum(1) <= 1 + 1e-6)) | (absent & (soft.sum(1) > 0))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise DataError(
                f"Shares of '{self.attribute}' in row {row} are {soft[row].tolist()}.",
                "Shares lie in [0, 1] and sum to at most 1 (the rest is unknown); not applicable has none.",
            )
        over = np.maximum(soft.sum(1, keepdims=True), 1.0)
        object.__setattr__(self, "soft", _frozen(soft / over, np.float64))
        object.__setattr__(self, "not_applicable", _frozen(absent, np.bool_))

    @classmethod
    def of(
        cls, attribute: str, labels: Sequence[str | None], *, names: Sequence[str] | None = None, source: str = "label"
    ) -> Groups:
        """Hard groups from one label per item; None is unknown, ``"not-applicable"`` is itself.

        >>> Groups.of("gender", ["female", None, "male"]).codes.tolist()
        [0, -1, 1]
        """
        special = {None: UNKNOWN, "not-applicable": NOT_APPLICABLE}
        known = tuple(names) if names is not None else tuple(sorted({x for x in labels if x not in special} - {None}))  # type: ignore[type-var]
        codes = {**special, **{name: code for code, name in enumerate(known)}}
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
        return self.soft if self.soft is not None else one_hot(self.codes, len(self.names))  # type: ignore[arg-type]

    @cached_property
    def unknown(self) -> Array:
        """(items,) the unknown mass of each item; 0 where the attribute does not apply."""
        if self.codes is not None:
            return (self.codes == UNKNOWN).astype(np.float64)
        assert self.soft is not None and self.not_applicable is not None
        missing = 1 - self.soft.sum(1)
        return np.where(self.not_applicable | (missing < 1e-9), 0.0, missing)

    def take(self, rows: Array) -> Groups:
        """The groups of some rows, in that order."""
        if self.codes is not None:
            return replace(self, codes=self.codes[rows], not_applicable=None)
        assert self.soft is not None and self.not_applicable is not None
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
    soft = (a.share[:, :, None] * b.share[:, None, :]).reshape(len(a), -1) * ~absent[:, None]
    return Groups(attribute, names, soft=soft, not_applicable=absent, source=f"{source} (independence assumed)")


@dataclass(frozen=True, eq=False)
class Sets:
    """Ragged sets of rows, one per query; a single set is shared by all queries."""

    offsets: Array
    rows: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", _frozen(self.offsets, np.int64))
        object.__setattr__(self, "rows", _frozen(self.rows, np.int32))
        _check_offsets(self.offsets, len(self.rows))

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
        gains = np.ones(len(self.rows)) if len(self.gains) != len(self.rows) else np.asarray(self.gains, np.float64)
        if not (np.isfinite(gains) & (gains > 0)).all():
            raise DataError("Gains of relevant items must be finite and above 0.", "Leave out items that are not relevant.")
        object.__setattr__(self, "gains", _frozen(gains, np.float64))


@dataclass(frozen=True, eq=False)
class Ranking:
    """Ranked rows of each query, best first. Ragged, no padding.

    Attributes:
        offsets: (queries + 1,) start of each query's entries.
        rows: (entries,) item rows in ranked order.
        scores: (entries,) float32, higher is better; kept from the first-stage ranking, so a reranked list need not be sorted by it.
        positions: (entries,) 1-based rank in the full list, where only a part of it is stored; None means 1, 2, 3, ...
    """

    offsets: Array
    rows: Array
    scores: Array
    positions: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", _frozen(self.offsets, np.int64))
        object.__setattr__(self, "rows", _frozen(self.rows, np.int32))
        object.__setattr__(self, "scores", _frozen(self.scores, np.float32))
        _check_offsets(self.offsets, len(self.rows))
        if len(self.scores) != len(self.rows):
            raise DataError(f"A ranking has one score per row, got {len(self.scores)} for {len(self.rows)} rows.")
        if not np.isfinite(self.scores).all():
            raise DataError(f"The score at entry {int(np.flatnonzero(~np.isfinite(self.scores))[0])} is not a finite number.")
        if self.positions is not None:
            object.__setattr__(self, "positions", _frozen(self.positions, np.int64))
            if self.positions.shape != self.rows.shape or (self.positions < 1).any():
                raise DataError("Positions are one per entry, counted from 1.")

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], scores: Sequence[Sequence[float]] | None = None) -> Ranking:
        """A ranking from one list of rows per query; without scores the order itself gives them (-1, -2, ...)."""
        sizes = np.array([len(r) for r in rows], np.int64)
        flat_scores = -(within(offsets_of(sizes)) + 1.0) if scores is None else _flat(scores, np.float64)
        return cls(offsets_of(sizes), _flat(rows, np.int64), flat_scores)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Array:
        """(queries,) number of entries of each query."""
        return np.diff(self.offsets)

    @cached_property
    def query_of(self) -> Array:
        """(entries,) the query of each entry."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def ranks(self) -> Array:
        """(entries,) 1-based rank of each entry in the full list."""
        return self.positions if self.positions is not None else within(self.offsets) + 1

    def take(self, entries: Array, sizes: Array) -> Ranking:
        """A new ranking from entry numbers, ``sizes[q]`` of them for each query in turn."""
        return Ranking(offsets_of(sizes), self.rows[entries], self.scores[entries])

    def select(self, queries: Array) -> Ranking:
        """The ranking of some queries, in that order."""
        entries, sizes = self._entries_of(queries)
        positions = None if self.positions is None else self.positions[entries]
        return Ranking(offsets_of(sizes), self.rows[entries], self.scores[entries], positions)

    def _entries_of(self, queries: Array) -> tuple[Array, Array]:
        sizes = self.lengths[queries]
        return within(offsets_of(sizes)) + np.repeat(self.offsets[:-1][queries], sizes), sizes


@dataclass(frozen=True, eq=False)
class Target:
    """The group shares a list is measured against: a stated choice, per query or one for all.

    Attributes:
        name: ``uniform``, ``pool``, ``relevant`` or where it was given; printed beside every number.
        shares: (queries or 1, groups), each row sums to 1.
    """

    name: str
    shares: Array

    def __post_init__(self) -> None:
        shares = np.atleast_2d(np.asarray(self.shares, np.float64))
        with np.errstate(invalid="ignore"):
            wrong = ~((shares >= 0).all(1) & (np.abs(shares.sum(1) - 1) < 1e-6)) & ~np.isnan(shares).all(1)
        if wrong.any():
            row = shares[np.flatnonzero(wrong)[0]]
            raise DataError(f"The target {self.name} has shares {row.tolist()}.", "Shares lie in [0, 1] and sum to 1.")
        object.__setattr__(self, "shares", _frozen(shares / shares.sum(1, keepdims=True), np.float64))

    def rows(self, queries: Array) -> Array:
        """(len(queries), groups) the target of some queries; NaN where a query has none."""
        return np.broadcast_to(self.shares, (len(queries), self.shares.shape[1])) if len(self.shares) == 1 else self.shares[queries]


@dataclass(frozen=True, eq=False)
class Labelled:
    """One attribute as an algorithm sees it: the labels and the target.

    ``aligned`` labels describe the entries of the ranking (labels that depend on the query), others the items.
    """

    groups: Groups
    target: Target
    aligned: bool = False


@dataclass(frozen=True, eq=False)
class Lists:
    """A rectangular slice of evidence: what a kernel works on. Padding counts as not applicable.

    Attributes:
        queries: (q,) query numbers of the slice.
        lengths: (q,) entries of each list within the cut-off.
        target: (q, groups).
        codes: (q, m) hard labels; None for soft.
        soft: (q, m, groups) soft shares; None for hard.
    """

    queries: Array
    lengths: Array
    target: Array
    codes: Array | None = None
    soft: Array | None = None

    @property
    def width(self) -> int:
        """The longest list of the slice."""
        return int((self.codes if self.codes is not None else self.soft).shape[1])  # type: ignore[union-attr]

    @cached_property
    def share(self) -> Array:
        """(q, m, groups) shares, one-hot for hard labels."""
        return self.soft if self.soft is not None else one_hot(self.codes, self.target.shape[1])  # type: ignore[arg-type]

    @cached_property
    def complete(self) -> bool:
        """Whether every list is hard, of full width and without unknown or not applicable entries."""
        return self.codes is not None and bool((self.codes >= 0).all())

    def totals(self, weights: Array | None = None) -> Array:
        """(q, groups) sum of shares over positions, each position weighted by ``weights`` (m,)."""
        if self.codes is None:
            assert self.soft is not None
            return self.soft.sum(1) if weights is None else np.einsum("qmg,m->qg", self.soft, weights)
        groups = self.target.shape[1]
        known = self.codes >= 0
        cells = (np.arange(len(self.codes))[:, None] * groups + self.codes)[known]
        flat = None if weights is None else np.broadcast_to(weights, self.codes.shape)[known]
        return np.bincount(cells, flat, len(self.codes) * groups).reshape(-1, groups).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Evidence:
    """A ranking with all that an algorithm may know of it. The only thing metrics and rerankers see.

    Attributes:
        ranking: Ranked rows of each query.
        queries: Query ids; the names of random streams.
        attributes: Labels and target of each attribute.
        relevant: Relevant rows of each query, where known.
        pool: The rows each query ranks over: the collection, or the candidates a protocol fixes; None where unknown.
        blocks: (items,) matched set of each item (images drawn from one seed), where there are any.
    """

    ranking: Ranking
    queries: tuple[str, ...]
    attributes: Mapping[str, Labelled] = field(default_factory=dict)
    relevant: Relevant | None = None
    pool: Sets | None = None
    blocks: Array | None = None

    def __post_init__(self) -> None:
        if len(self.queries) != len(self.ranking):
            raise DataError(f"{len(self.queries)} query ids for a ranking of {len(self.ranking)} queries.")
        for name, labelled in self.attributes.items():
            size = len(self.ranking.rows) if labelled.aligned else None
            if size is not None and len(labelled.groups) != size:
                raise DataError(f"'{name}' labels {len(labelled.groups)} entries, the ranking has {size}.")
            if len(labelled.target.shares) not in (1, len(self.ranking)):
                raise DataError(f"The target of '{name}' has {len(labelled.target.shares)} rows for {len(self.ranking)} queries.")

    def __len__(self) -> int:
        return len(self.queries)

    def on(self, attribute: str) -> Evidence:
        """This evidence with one attribute only."""
        if attribute not in self.attributes:
            raise unknown_name("attribute", attribute, self.attributes)
        return replace(self, attributes={attribute: self.attributes[attribute]})

    @property
    def attribute(self) -> Labelled:
        """The attribute of evidence that has exactly one."""
        if len(self.attributes) != 1:
            raise DataError(f"This needs evidence on one attribute, got {len(self.attributes)}.", "Narrow it: evidence.on(name).")
        return next(iter(self.attributes.values()))

    @cached_property
    def labels(self) -> Groups:
        """The labels of the one attribute, one per entry of the ranking."""
        labelled = self.attribute
        return labelled.groups if labelled.aligned else labelled.groups.take(self.ranking.rows)

    @cached_property
    def gains(self) -> Array:
        """(entries,) gain of each entry, 0 where not relevant."""
        if self.relevant is None:
            raise DataError("This needs relevance judgements.", "Give them with --qrels.")
        gains = np.zeros(len(self.ranking.rows))
        found = locate(self.ranking.offsets, self.ranking.rows, self.relevant.offsets, self.relevant.rows)
        gains[found[found >= 0]] = self.relevant.gains[found >= 0]
        return gains

    def only(self, keep: Array) -> Evidence:
        """The entries where ``keep`` is True, as lists of their own (their order stays, their positions are counted anew)."""
        sizes = np.add.reduceat(np.append(keep, False).astype(np.int64), self.ranking.offsets[:-1]) * (self.ranking.lengths > 0)
        entries = np.flatnonzero(keep)
        aligned = {n: _aligned(a, entries) for n, a in self.attributes.items()}
        return replace(self, ranking=self.ranking.take(entries, sizes), attributes=aligned)

    def with_ranking(self, ranking: Ranking) -> Evidence:
        """The same evidence about another order of the same candidates (a mitigated variant)."""
        attributes = dict(self.attributes)
        if any(a.aligned for a in attributes.values()):
            entries = locate(self.ranking.offsets, self.ranking.rows, ranking.offsets, ranking.rows)
            if (entries < 0).any():
                raise DataError("The new ranking holds items that were no candidates, so their query-dependent labels are unknown.")
            attributes = {n: _aligned(a, entries) for n, a in attributes.items()}
        return replace(self, ranking=ranking, attributes=attributes)

    def select(self, queries: Array) -> Evidence:
        """The evidence of some queries, in that order."""
        queries = np.asarray(queries)
        entries, _ = self.ranking._entries_of(queries)
        attributes = {
            n: replace(_aligned(a, entries), target=Target(a.target.name, a.target.rows(queries)))
            for n, a in self.attributes.items()
        }
        relevant, pool = self.relevant, self.pool
        if relevant is not None:
            at, sizes = _ragged(relevant.offsets, queries)
            relevant = Relevant(offsets_of(sizes), relevant.rows[at], relevant.gains[at])
        if pool is not None and len(pool) > 1:
            at, sizes = _ragged(pool.offsets, queries)
            pool = Sets(offsets_of(sizes), pool.rows[at])
        names = tuple(self.queries[q] for q in queries)
        return replace(
            self, ranking=self.ranking.select(queries), queries=names, attributes=attributes, relevant=relevant, pool=pool
        )

    def lists(self, k: int | None = None) -> Iterator[Lists]:
        """Rectangular slices of the one attribute's labels, the first ``k`` of each list; queries of like length together."""
        labels, target = self.labels, self.attribute.target
        shown = self.ranking.lengths if k is None else np.minimum(self.ranking.lengths, k)
        order = np.argsort(shown, kind="stable")
        cells = 1 if labels.hard else len(labels.names)
        start = 0
        while start < len(order):
            stop = _slice_end(shown[order], start, cells)
            queries = order[start:stop]
            yield self._slice(queries, shown[queries], labels, target.rows(queries))
            start = stop

    def _slice(self, queries: Array, lengths: Array, labels: Groups, target: Array) -> Lists:
        width = int(lengths.max(initial=0))
        entries = self.ranking.offsets[:-1][queries][:, None] + np.arange(width)
        ragged = bool((lengths < width).any())
        outside = np.arange(width) >= lengths[:, None] if ragged else None
        if ragged:
            entries[outside] = 0
        if labels.codes is not None:
            codes = labels.codes[entries] if len(labels) else np.empty(entries.shape, np.int16)
            if ragged:
                codes[outside] = NOT_APPLICABLE
            return Lists(queries, lengths, target, codes=codes)
        assert labels.soft is not None
        soft = labels.soft[entries]
        if ragged:
            soft[outside] = 0.0
        return Lists(queries, lengths, target, soft=soft)


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
class Embeddings:
    """Vectors of texts or images; with offsets, many vectors per item (late interaction)."""

    vectors: Array
    offsets: Array | None = None

    def __len__(self) -> int:
        return len(self.vectors) if self.offsets is None else len(self.offsets) - 1


def one_hot(codes: Array, groups: int) -> Array:
    """(..., groups) float64 indicator of non-negative codes."""
    return (codes[..., None] == np.arange(groups)).astype(np.float64)


def offsets_of(sizes: Array) -> Array:
    """Offsets of ragged parts of the given sizes."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def within(offsets: Array) -> Array:
    """(entries,) 0-based place of each entry within its own part."""
    return np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], np.diff(offsets))


def locate(offsets: Array, rows: Array, other_offsets: Array, other_rows: Array) -> Array:
    """For each entry of the other ragged rows, its entry number in the first ones, or -1: a join on (query, row)."""
    span = 1 + max(int(rows.max(initial=0)), int(other_rows.max(initial=0)))
    keys = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * span + rows
    sought = np.repeat(np.arange(len(other_offsets) - 1), np.diff(other_offsets)) * span + other_rows
    if not len(keys):
        return np.full(len(sought), -1)
    order = np.argsort(keys, kind="stable")
    place = np.minimum(np.searchsorted(keys, sought, sorter=order), len(keys) - 1)
    return np.where(keys[order[place]] == sought, order[place], -1)


def _aligned(labelled: Labelled, entries: Array) -> Labelled:
    return replace(labelled, groups=labelled.groups.take(entries)) if labelled.aligned else labelled


def _ragged(offsets: Array, parts: Array) -> tuple[Array, Array]:
    sizes = np.diff(offsets)[parts]
    return within(offsets_of(sizes)) + np.repeat(offsets[:-1][parts], sizes), sizes


def _slice_end(lengths: Array, start: int, cells: int) -> int:
    """The furthest end of a slice of lists sorted by length that stays within the cell limit."""
    room = np.arange(1, len(lengths) - start + 1) * np.maximum(lengths[start:], 1) * cells
    return start + max(1, int(np.searchsorted(room, _SLICE_CELLS, side="right")))


def _check_offsets(offsets: Array, size: int) -> None:
    if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != size or (np.diff(offsets) < 0).any():
        raise DataError(f"Offsets must rise from 0 to {size}, one more than there are queries.")


def _flat(parts: Sequence[Sequence[Any]], dtype: Any) -> Array:
    return np.array([x for part in parts for x in part], dtype)


def _frozen(values: Any, dtype: Any) -> Array:
    """A read-only array of the given type; the caller's own array is never made read-only."""
    array = np.asarray(values, dtype).view()
    array.flags.writeable = False
    return array
