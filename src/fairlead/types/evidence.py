"""Evidence: a ranking with labels, targets, judgements and pool.

It is the only thing that metrics and rerankers see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.types import NOT_APPLICABLE, Groups, Ranking, Relevant, Sets, frozen, one_hot
from fairlead.types.groups import name_order
from fairlead.types.ragged import Array, entries_of, locate, offsets_of

# How many cells (queries x positions x groups) one slice of evidence may hold; bounds the memory of
# every kernel
_SLICE_CELLS = 1 << 21


@dataclass(frozen=True, eq=False)
class Target:
    """The group shares a list is measured against: a stated choice, per query or one for all.

    Attributes:
        name: ``uniform``, ``pool``, ``relevant`` or where it was given; printed beside every
            number.
        shares: (queries or 1, groups), each row sums to 1.
        groups: (groups,) whose shares they are; None leaves that to the labels it is put beside.
    """

    name: str
    shares: Array
    groups: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        shares = np.atleast_2d(np.asarray(self.shares, np.float64))
        with np.errstate(invalid="ignore"):
            sound = (shares >= 0).all(1) & (np.abs(shares.sum(1) - 1) < 1e-6)
        # a query may have no target at all: then its whole row is NaN
        wrong = ~sound & ~np.isnan(shares).all(1)
        if wrong.any():
            row = shares[np.flatnonzero(wrong)[0]]
            raise DataError(
                f"The target {self.name} has shares {row.tolist()}.",
                "Shares lie in [0, 1] and sum to 1.",
            )
        total = shares.sum(1, keepdims=True)
        # a sum of 1 but for rounding stays as it is, so that a copy of a target is identical
        total = np.where(np.abs(total - 1) < 1e-12, 1.0, total)
        object.__setattr__(self, "shares", frozen(shares / total, np.float64))

    def in_order(self, names: tuple[str, ...]) -> Target:
        """The same shares with their groups listed in another order."""
        if self.groups is None or names == self.groups:
            return replace(self, groups=names)
        if sorted(names) != sorted(self.groups):
            raise DataError(
                f"The target {self.name} is of {', '.join(self.groups)}, the labels are of "
                f"{', '.join(names)}.",
                "A target has a share for every group of the labels, and for no other.",
            )
        return replace(
            self, shares=self.shares[:, [self.groups.index(n) for n in names]], groups=names
        )

    def rows(self, queries: Array) -> Array:
        """(len(queries), groups) the target of some queries; NaN where a query has none."""
        if len(self.shares) == 1:
            return np.broadcast_to(self.shares, (len(queries), self.shares.shape[1]))
        return self.shares[queries]


@dataclass(frozen=True, eq=False)
class Labelled:
    """One attribute as an algorithm sees it: the labels and the target.

    Labels that are ``aligned`` describe the entries of the ranking (they depend on the query),
    others describe the items.

    ``aligned`` labels describe the entries of the ranking (labels that depend on the query), others
    the items. The groups stand in ``name_order``, so that neither a tie nor a random draw depends
    on how somebody listed them. A target that names its groups is joined to the labels by name.
    """

    groups: Groups
    target: Target
    aligned: bool = False

    def __post_init__(self) -> None:
        given, order = self.groups.names, name_order(self.groups.names)
        if given == order == self.target.groups:
            return
        _check_shares(self.groups, self.target)
        target = self.target if self.target.groups else replace(self.target, groups=given)
        object.__setattr__(self, "groups", self.groups.in_order(order))
        object.__setattr__(self, "target", target.in_order(order))


@dataclass(frozen=True, eq=False)
class Lists:
    """A rectangular slice of evidence: what a kernel works on. Padding counts as not applicable.

    Attributes:
        queries: (q,) query numbers of the slice.
        lengths: (q,) entries of each list within the cut-off.
        target: (q, groups).
        codes: (q, m) hard labels; None for soft.
        soft: (q, m, groups) soft shares; None for hard.
        names: The groups.
    """

    queries: Array
    lengths: Array
    target: Array
    names: tuple[str, ...]
    codes: Array | None = None
    soft: Array | None = None

    @property
    def width(self) -> int:
        """The longest list of the slice."""
        labels = self.codes if self.codes is not None else self.soft
        assert labels is not None
        return int(labels.shape[1])

    @cached_property
    def share(self) -> Array:
        """(q, m, groups) shares, one-hot for hard labels."""
        if self.soft is not None:
            return self.soft
        assert self.codes is not None
        return one_hot(self.codes, self.target.shape[1])

    @cached_property
    def complete(self) -> bool:
        """Whether every list is hard, of full width, and without unknown or not applicable."""
        return self.codes is not None and bool((self.codes >= 0).all())

    def totals(self, weights: Array | None = None) -> Array:
        """(q, groups) sum of shares over positions, each position weighted by ``weights`` (m,)."""
        if self.codes is None:
            assert self.soft is not None
            if weights is None:
                return self.soft.sum(1)
            return np.einsum("qmg,m->qg", self.soft, weights)
        groups = self.target.shape[1]
        known = self.codes >= 0
        # one count of (list, group) cells is faster than one pass for each group
        cells = (np.arange(len(self.codes))[:, None] * groups + self.codes)[known]
        flat = None
        if weights is not None:
            flat = np.broadcast_to(weights, self.codes.shape)[known]
        totals = np.bincount(cells, flat, len(self.codes) * groups)
        return totals.reshape(-1, groups).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Evidence:
    """A ranking with all that an algorithm may know of it.

    Attributes:
        ranking: Ranked rows of each query.
        queries: Query ids; the names of random streams.
        attributes: Labels and target of each attribute.
        relevant: Relevant rows of each query, where known.
        pool: The rows each query ranks over: the collection, or the candidates a protocol fixes;
            None where unknown.
        blocks: (items,) matched set of each item (images drawn from one seed), where there are any.
        background: (queries,) mean score of the collection's items, which says what a score is
            worth; None where unknown.
        cut: (queries,) how many items that could have been ranked are missing at the end of each
            list; None where nobody said. See ``left``.
    """

    ranking: Ranking
    queries: tuple[str, ...]
    attributes: Mapping[str, Labelled] = field(default_factory=dict)
    relevant: Relevant | None = None
    pool: Sets | None = None
    blocks: Array | None = None
    background: Array | None = None
    cut: Array | None = None

    def __post_init__(self) -> None:
        if len(self.queries) != len(self.ranking):
            raise DataError(
                f"{len(self.queries)} query ids for a ranking of {len(self.ranking)} queries."
            )
        for name, labelled in self.attributes.items():
            self._check_attribute(name, labelled)
        if self.relevant is not None and len(self.relevant) != len(self.ranking):
            raise DataError(
                f"Relevance judgements of {len(self.relevant)} queries for a ranking of "
                f"{len(self.ranking)}."
            )
        if self.pool is not None and len(self.pool) not in (1, len(self.ranking)):
            raise DataError(
                f"Pools of {len(self.pool)} queries for a ranking of {len(self.ranking)}."
            )
        if self.background is not None and len(self.background) != len(self.ranking):
            raise DataError(
                f"Background scores of {len(self.background)} queries for a ranking of "
                f"{len(self.ranking)}."
            )

        if self.cut is not None and len(self.cut) != len(self.ranking):
            raise DataError(
                f"Cuts of {len(self.cut)} queries for a ranking of {len(self.ranking)}."
            )

    def _check_attribute(self, name: str, labelled: Labelled) -> None:
        labels = len(labelled.groups)
        entries = len(self.ranking.rows)
        target = labelled.target.shares
        if labelled.aligned and labels != entries:
            raise DataError(f"'{name}' labels {labels} entries, the ranking has {entries}.")
        if not labelled.aligned and self.ranking.rows.max(initial=-1) >= labels:
            raise DataError(
                f"'{name}' labels {labels} items, but the ranking holds row "
                f"{int(self.ranking.rows.max())}."
            )
        if len(target) not in (1, len(self.ranking)):
            raise DataError(
                f"The target of '{name}' has {len(target)} rows for {len(self.ranking)} queries."
            )

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
            raise DataError(
                f"This needs evidence on one attribute, got {len(self.attributes)}.",
                "Narrow it: evidence.on(name).",
            )
        return next(iter(self.attributes.values()))

    @cached_property
    def labels(self) -> Groups:
        """The labels of the one attribute, one per entry of the ranking."""
        labelled = self.attribute
        if labelled.aligned:
            return labelled.groups
        return labelled.groups.take(self.ranking.rows)

    @cached_property
    def supply(self) -> Array:
        """(queries, groups) expected candidates of each group of the one attribute."""
        labels, queries, groups = self.labels, len(self), len(self.labels.names)
        if labels.codes is not None:
            # Two columns more, for the codes of unknown and not applicable.
            columns = groups - NOT_APPLICABLE
            cells = labels.codes - NOT_APPLICABLE
            if queries > 1:
                cells = self.ranking.query_of * columns + cells
            counts = np.bincount(cells, minlength=queries * columns)
            return counts.reshape(queries, columns)[:, -groups:].astype(np.float64)
        lengths = self.ranking.lengths
        if queries and lengths.all():
            return np.add.reduceat(labels.share, self.ranking.offsets[:-1])
        mass, filled = np.zeros((queries, groups)), lengths > 0
        if filled.any():
            mass[filled] = np.add.reduceat(labels.share, self.ranking.offsets[:-1][filled])
        return mass

    @cached_property
    def gains(self) -> Array:
        """(entries,) gain of each entry, 0 where not relevant."""
        if self.relevant is None:
            raise DataError("This needs relevance judgements.", "Give them with --qrels.")
        gains = np.zeros(len(self.ranking.rows))
        entries = locate(
            self.ranking.offsets, self.ranking.rows, self.relevant.offsets, self.relevant.rows
        )
        gains[entries[entries >= 0]] = self.relevant.gains[entries >= 0]
        return gains

    @cached_property
    def left(self) -> Array | None:
        """(queries,) how many items are missing at the end of each list, as stated or else by the
        pool; None where neither is known.
        """
        if self.cut is not None:
            return self.cut
        if self.pool is None:
            return None
        return np.maximum(np.diff(self.pool.offsets) - self.ranking.lengths, 0)

    def only(self, keep: Array) -> Evidence:
        """The entries where ``keep`` is True, as lists of their own.

        Their order stays, and their positions are counted anew.
        """
        sizes = np.add.reduceat(
            np.append(keep, False).astype(np.int64), self.ranking.offsets[:-1]
        ) * (self.ranking.lengths > 0)
        entries = np.flatnonzero(keep)
        aligned = {n: _aligned(a, entries) for n, a in self.attributes.items()}
        return replace(self, ranking=self.ranking.take(entries, sizes), attributes=aligned)

    def with_ranking(self, ranking: Ranking) -> Evidence:
        """The same evidence about another order of the same candidates (a mitigated variant)."""
        attributes = dict(self.attributes)
        # labels that depend on the query belong to entries, so they move with the items
        if any(a.aligned for a in attributes.values()):
            entries = locate(self.ranking.offsets, self.ranking.rows, ranking.offsets, ranking.rows)
            if (entries < 0).any():
                raise DataError(
                    "The new ranking holds items that were no candidates, so their "
                    "query-dependent labels are unknown."
                )
            attributes = {n: _aligned(a, entries) for n, a in attributes.items()}
        cut, shorter = self.cut, self.ranking.lengths - ranking.lengths
        if cut is not None:
            cut = np.maximum(cut + shorter, 0)
        elif self.pool is None and (shorter > 0).any():
            # Of the plain list nobody said whether it is whole; of this one it is known that it
            # lacks at least what the plain one has.
            cut = np.maximum(shorter, 0)
        return replace(self, ranking=ranking, attributes=attributes, cut=cut)

    def select(self, queries: Array) -> Evidence:
        """The evidence of some queries, in that order."""
        queries = np.asarray(queries)
        entries, _ = entries_of(self.ranking.offsets, queries)
        attributes = {
            n: replace(
                _aligned(a, entries), target=replace(a.target, shares=a.target.rows(queries))
            )
            for n, a in self.attributes.items()
        }
        relevant = self.relevant
        pool = self.pool
        if relevant is not None:
            entry_numbers, sizes = entries_of(relevant.offsets, queries)
            relevant = Relevant(
                offsets_of(sizes), relevant.rows[entry_numbers], relevant.gains[entry_numbers]
            )
        if pool is not None and len(pool) > 1:
            entry_numbers, sizes = entries_of(pool.offsets, queries)
            pool = Sets(offsets_of(sizes), pool.rows[entry_numbers])
        return Evidence(
            self.ranking.select(queries),
            tuple(self.queries[q] for q in queries),
            attributes,
            relevant,
            pool,
            self.blocks,
            None if self.background is None else self.background[queries],
            None if self.cut is None else self.cut[queries],
        )

    def lists(self, k: int | None = None) -> Iterator[Lists]:
        """Rectangular slices of the labels of the first ``k`` of each list.

        Queries with lists of similar length come together, so that little is padding. The evidence
        must have exactly one attribute.
        """
        labels = self.labels
        target = self.attribute.target
        shown = self.ranking.lengths if k is None else np.minimum(self.ranking.lengths, k)
        # lists of like length share a rectangle with little padding
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
        starts = self.ranking.offsets[:-1][queries]
        ragged = bool((lengths < width).any())
        # lists of one length that lie one after the other need no copy: a view is enough
        if (
            labels.codes is not None
            and not ragged
            and len(queries)
            and (np.diff(starts) == width).all()
        ):
            codes = labels.codes[starts[0] : starts[0] + len(queries) * width].reshape(
                len(queries), width
            )
            return Lists(queries, lengths, target, labels.names, codes=codes)
        entries = starts[:, None] + np.arange(width)
        outside = np.arange(width) >= lengths[:, None] if ragged else None
        if ragged:
            entries[outside] = 0
        if labels.codes is not None:
            codes = labels.codes[entries] if len(labels) else np.empty(entries.shape, np.int16)
            if ragged:
                codes[outside] = NOT_APPLICABLE
            return Lists(queries, lengths, target, labels.names, codes=codes)
        assert labels.soft is not None
        soft = labels.soft[entries]
        if ragged:
            # padding has no mass in any group
            soft[outside] = 0.0
        return Lists(queries, lengths, target, labels.names, soft=soft)


def _check_shares(groups: Groups, target: Target) -> None:
    shares = target.shares.shape[1]
    if shares != len(groups.names):
        raise DataError(
            f"The target of '{groups.attribute}' has {shares} shares for "
            f"{len(groups.names)} groups."
        )


def _aligned(labelled: Labelled, entries: Array) -> Labelled:
    if labelled.aligned:
        return replace(labelled, groups=labelled.groups.take(entries))
    return labelled


def _slice_end(lengths: Array, start: int, cells: int) -> int:
    """The furthest end of a slice of lists sorted by length that stays within the cell limit."""
    room = np.arange(1, len(lengths) - start + 1) * np.maximum(lengths[start:], 1) * cells
    return start + max(1, int(np.searchsorted(room, _SLICE_CELLS, side="right")))
