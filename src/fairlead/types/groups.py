"""Group membership of items, for one attribute.

Groups have names, and no number anywhere may depend on the order in which they are listed: what
algorithms see, and what a collection holds, is in the one order of ``name_order``. Two values of
one attribute are joined by ``types.joining``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.types.arrays import frozen, one_hot, slack_of_rounding
from fairlead.types.ragged import Array

NOBODY = -1
"""In place of a source: nobody has labelled the item yet."""
UNKNOWN, NOT_APPLICABLE = -1, -2
"""Codes of a hard label that is missing, and of an item the attribute does not apply to."""
ABSENT = "not-applicable"
"""The label of an item that the attribute does not apply to."""
NO_LABEL = frozenset({"", "NA", "N/A", "n/a", "null", "unknown"})
"""Words in the place of a label that say that there is none."""


def in_range(codes: Array, groups: int) -> bool:
    """Whether every whole number is the code of a group, of unknown or of not applicable.

    >>> in_range(np.array([0, 1, -2]), 2), in_range(np.array([2]), 2)
    (True, False)
    """
    if not codes.size:
        return True
    if codes.dtype.kind == "u":
        return bool(codes.max() < groups)
    # As unsigned numbers those below the least are above all others: one look instead of two.
    shifted = codes.astype(np.int64) - NOT_APPLICABLE
    return bool(shifted.view(np.uint64).max() < groups - NOT_APPLICABLE)


@lru_cache(maxsize=1024)
def name_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """The one order of group names: by spelling, and what stands for no group at the end.

    >>> name_order(("woman", "unknown", "man"))
    ('man', 'woman', 'unknown')
    """
    return tuple(sorted(names, key=lambda name: (name == "unknown", name)))


def no_shares(soft: Array, absent: Array) -> Array:
    """Which rows of (items, groups) are no shares: negative, undefined, of more than one in sum
    (but for rounding), or above 0 where the attribute does not apply.
    """
    total = soft.sum(1)
    suspects = np.flatnonzero(~((soft >= 0).all(1) & (total <= 1 + 1e-6)) | (absent & (total > 0)))
    some, over = soft[suspects], total[suspects] - 1
    with np.errstate(invalid="ignore"):
        fine = (some >= 0).all(1) & (over <= slack_of_rounding(some) + 1e-9)
    return suspects[~fine | (absent[suspects] & (total[suspects] > 0))]


@dataclass(frozen=True, eq=False)
class Groups:
    """Group membership of items for one attribute: known, predicted, soft and unknown in one form.

    Attributes:
        attribute: What is labelled, e.g. ``"gender"``: perceived presentation in the image, never
            identity.
        names: The groups, in order.
        codes: (items,) group number of hard labels, ``UNKNOWN`` or ``NOT_APPLICABLE``; None for
            soft labels.
        soft: (items, groups) shares in [0, 1]; a row sums to at most 1 and what is missing is
            unknown; None for hard labels.
        not_applicable: (items,) True where the attribute does not apply; for hard labels read from
            the codes.
        source: Who says so: ``"label"`` or the spec of an annotator; printed beside every number.
        sources: Whose labels these are, where several say so together.
        given_by: (items,) which of the ``sources`` labelled each item, ``NOBODY`` where none did;
            None where one source labelled all.
    """

    attribute: str
    names: tuple[str, ...]
    codes: Array | None = None
    soft: Array | None = None
    not_applicable: Array | None = None
    source: str = "label"
    sources: tuple[str, ...] = ()
    given_by: Array | None = None

    def __post_init__(self) -> None:
        if not self.names or len(set(self.names)) != len(self.names):
            raise DataError(
                f"Attribute '{self.attribute}' needs distinct group names, got {list(self.names)}."
            )
        if (self.codes is None) == (self.soft is None):
            raise DataError(
                f"Attribute '{self.attribute}' needs hard codes or soft shares, one of the two."
            )
        if self.codes is not None:
            self._check_codes(np.asarray(self.codes))
        else:
            self._check_soft(np.asarray(self.soft, dtype=np.float64))
        if self.given_by is not None:
            self._check_sources(np.asarray(self.given_by))

    def _check_sources(self, given_by: Array) -> None:
        known = range(NOBODY, len(self.sources))
        if given_by.shape != (len(self),) or not np.isin(given_by, known).all():
            raise DataError(
                f"'{self.attribute}' needs one of its {len(self.sources)} sources for each of its "
                f"{len(self)} items."
            )
        object.__setattr__(self, "given_by", frozen(given_by, np.int16))

    def _check_codes(self, codes: Array) -> None:
        whole = codes.dtype.kind in "iu" or not codes.size
        if codes.ndim != 1 or not whole or not in_range(codes, len(self.names)):
            raise DataError(
                f"Codes of '{self.attribute}' must be one whole number per item, in "
                f"-2..{len(self.names) - 1}."
            )
        kept = frozen(codes, np.int16 if len(self.names) < 1 << 15 else np.int32)
        absent = codes == NOT_APPLICABLE
        absent.setflags(write=False)
        self.__dict__.update(codes=kept, not_applicable=absent)

    def _check_soft(self, soft: Array) -> None:
        if soft.ndim != 2 or soft.shape[1] != len(self.names):
            raise DataError(
                f"Shares of '{self.attribute}' must be (items, {len(self.names)}), got "
                f"{soft.shape}."
            )
        stated = self.not_applicable is not None
        absent = np.zeros(len(soft), np.bool_)
        if stated:
            absent = np.asarray(self.not_applicable, np.bool_)
        if absent.shape != (len(soft),):
            raise DataError(
                f"not_applicable of '{self.attribute}' must be one per item, got {absent.shape}."
            )
        # A product is many times quicker than sums of short rows.
        mass = soft @ np.ones(soft.shape[1])
        most = mass.max(initial=0.0)
        suspect = not (soft.min(initial=0.0) >= 0 and most <= 1 + 1e-6)
        if suspect or (stated and mass[absent].any()):
            self._refuse_no_shares(soft, absent)
        # A sum of 1 but for floating error stays as it is, so that copies are identical.
        if most > 1 + 1e-12:
            total = soft.sum(1)
            soft = soft / np.where(total > 1 + 1e-12, total, 1.0)[:, None]
        object.__setattr__(self, "soft", frozen(soft, np.float64))
        object.__setattr__(self, "not_applicable", frozen(absent, np.bool_))

    def _refuse_no_shares(self, soft: Array, absent: Array) -> None:
        """Refuse the first row of shares that are none; rounding explains a little."""
        wrong = no_shares(soft, absent)
        if not len(wrong):
            return
        row = int(wrong[0])
        raise DataError(
            f"Shares of '{self.attribute}' in row {row} are {soft[row].tolist()}.",
            "Shares lie in [0, 1] and sum to at most 1 (the rest is unknown); not applicable has "
            "none.",
        )

    @classmethod
    def of(
        cls,
        attribute: str,
        labels: Sequence[str | None],
        *,
        names: Sequence[str] | None = None,
        source: str = "label",
    ) -> Groups:
        """Hard groups from one label per item; None is unknown, ``"not-applicable"`` is itself.

        >>> Groups.of("gender", ["female", None, "male"]).codes.tolist()
        [0, -1, 1]
        """
        special: dict[str | None, int] = {None: UNKNOWN, ABSENT: NOT_APPLICABLE}
        known = (
            tuple(names)
            if names is not None
            else tuple(sorted({x for x in labels if x is not None} - {ABSENT}))
        )
        codes: dict[str | None, int] = {
            **special,
            **{name: code for code, name in enumerate(known)},
        }
        for label in labels:
            if label not in codes:
                raise unknown_name(f"group of '{attribute}'", str(label), map(str, known))
        return cls(
            attribute, known, codes=np.array([codes[x] for x in labels], np.int16), source=source
        )

    def __len__(self) -> int:
        if self.codes is not None:
            return len(self.codes)
        return len(self.soft)  # type: ignore[arg-type]

    @property
    def hard(self) -> bool:
        """Whether every label is a single group, unknown or not applicable."""
        return self.codes is not None

    @cached_property
    def share(self) -> Array:
        """(items, groups) shares in [0, 1], one-hot for hard labels."""
        if self.soft is not None:
            return self.soft
        assert self.codes is not None
        return frozen(one_hot(self.codes, len(self.names)), np.float64)

    @cached_property
    def unknown(self) -> Array:
        """(items,) the unknown mass of each item; 0 where the attribute does not apply."""
        if self.codes is not None:
            return frozen(self.codes == UNKNOWN, np.float64)
        assert self.soft is not None
        assert self.not_applicable is not None
        missing = 1 - self.soft.sum(1)
        return frozen(np.where(self.not_applicable | (missing < 1e-9), 0.0, missing), np.float64)

    def without(self, at: Array) -> Groups:
        """The groups, with unknown wherever ``at`` is True."""
        if self.codes is not None:
            return replace(self, codes=np.where(at, UNKNOWN, self.codes), not_applicable=None)
        assert self.not_applicable is not None
        return replace(
            self,
            soft=np.where(at[:, None], 0.0, self.share),
            not_applicable=self.not_applicable & ~at,
        )

    def take(self, rows: Array) -> Groups:
        """The groups of some rows, in that order."""
        assert self.not_applicable is not None
        absent = self.not_applicable.take(rows)
        given_by = None if self.given_by is None else self.given_by.take(rows)
        if self.codes is not None:
            return self.with_items(absent, codes=self.codes.take(rows), given_by=given_by)
        assert self.soft is not None
        return self.with_items(absent, soft=self.soft.take(rows, axis=0), given_by=given_by)

    def with_items(
        self,
        not_applicable: Array,
        *,
        codes: Array | None = None,
        soft: Array | None = None,
        given_by: Array | None = None,
    ) -> Groups:
        """The same groups of other items, whose labels are known to be lawful: parts of labels that
        were checked. They are not checked again, and become read-only.
        """
        for array in (not_applicable, codes, soft, given_by):
            if array is not None:
                array.setflags(write=False)
        other = object.__new__(Groups)
        other.__dict__.update(
            attribute=self.attribute,
            names=self.names,
            codes=codes,
            soft=soft,
            not_applicable=not_applicable,
            source=self.source,
            sources=self.sources,
            given_by=given_by,
        )
        return other

    def labels_by_source(self, rows: Array | None = None) -> dict[str, int]:
        """How many items, of some rows or all, each source labelled, and ``nobody``."""
        if self.given_by is None:
            return {self.source: len(self) if rows is None else len(rows)}
        given_by = self.given_by if rows is None else self.given_by[rows]
        names = (*self.sources, "nobody")
        counts = np.bincount(given_by % len(names), minlength=len(names))
        return dict(zip(names, counts.tolist(), strict=True))

    def in_order(self, names: Sequence[str]) -> Groups:
        """The same labels with their groups listed in another order; itself where that is theirs.

        >>> labels = Groups("gender", ("woman", "man"), codes=np.array([0, 1, -1]))
        >>> labels.in_order(("man", "woman")).codes.tolist()
        [1, 0, -1]
        """
        names = tuple(names)
        if names == self.names:
            return self
        if sorted(names) != sorted(self.names):
            raise DataError(
                f"'{self.attribute}' has the groups {', '.join(self.names)}, "
                f"not {', '.join(names)}."
            )
        if self.codes is not None:
            # Codes -2 and -1 read their own value from the end.
            place = [names.index(name) for name in self.names] + [NOT_APPLICABLE, UNKNOWN]
            return replace(self, names=names, codes=np.array(place)[self.codes])
        assert self.soft is not None
        columns = [self.names.index(name) for name in names]
        # Rows stay together in memory: sums over them depend on that in their last digit.
        return replace(self, names=names, soft=np.ascontiguousarray(self.soft[:, columns]))

    @property
    def by_name(self) -> Groups:
        """The same labels in ``name_order``."""
        return self.in_order(name_order(self.names))

    def mapped(self, rename: Mapping[str, str]) -> Groups:
        """The same labels under other names; groups that get the same name become one.

        >>> Groups.of("gender", ["woman", "man"]).mapped({"woman": "female"}).names
        ('female', 'man')
        """
        new = [rename.get(name, name) for name in self.names]
        names = name_order(tuple(dict.fromkeys(new)))
        place = [names.index(name) for name in new]
        if self.codes is not None:
            codes = np.array([*place, NOT_APPLICABLE, UNKNOWN])[self.codes]
            return replace(self, names=names, codes=codes)
        assert self.soft is not None
        soft = np.zeros((len(self), len(names)))
        for column, at in enumerate(place):
            soft[:, at] += self.soft[:, column]
        return replace(self, names=names, soft=soft)

    def mass(self, rows: Array | None = None) -> tuple[Array, float]:
        """Expected count of each group, and of unknown, among rows (all by default)."""
        part = self if rows is None else self.take(rows)
        if part.codes is not None:
            return np.bincount(part.codes[part.codes >= 0], minlength=len(self.names)).astype(
                float
            ), float(part.unknown.sum())
        return part.share.sum(0), float(part.unknown.sum())


def cross(a: Groups, b: Groups) -> Groups:
    """The intersection of two attributes. Of soft labels it assumes independence within an item,
    and its source says so.
    """
    if len(a) != len(b):
        raise DataError(
            f"'{a.attribute}' labels {len(a)} items and '{b.attribute}' {len(b)}; they "
            "must be the same items."
        )
    names = tuple(f"{x}*{y}" for x in a.names for y in b.names)
    attribute = f"{a.attribute}*{b.attribute}"
    source = a.source if a.source == b.source else f"{a.source}*{b.source}"
    if a.codes is not None and b.codes is not None:
        codes = a.codes.astype(np.int32) * len(b.names) + b.codes
        codes[(a.codes == UNKNOWN) | (b.codes == UNKNOWN)] = UNKNOWN
        codes[(a.codes == NOT_APPLICABLE) | (b.codes == NOT_APPLICABLE)] = NOT_APPLICABLE
        return Groups(attribute, names, codes=codes, source=source)
    absent = a.not_applicable | b.not_applicable  # type: ignore[operator]
    soft = (a.share[:, :, None] * b.share[:, None, :]).reshape(len(a), len(names)) * ~absent[
        :, None
    ]
    return Groups(
        attribute,
        names,
        soft=soft,
        not_applicable=absent,
        source=f"{source} (independence assumed)",
    )
