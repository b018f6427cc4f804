"""Group membership of items, for one attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairlead.errors import DataError, unknown_name
from fairlead.types.arrays import frozen, one_hot
from fairlead.types.ragged import Array

UNKNOWN, NOT_APPLICABLE = -1, -2
"""Codes of a hard label that is missing, and of an item the attribute does not apply to."""
ABSENT = "not-applicable"
"""The label of an item that the attribute does not apply to."""
NO_LABEL = frozenset({"", "NA", "N/A", "n/a", "null", "unknown"})
"""Words in the place of a label that say that there is none."""
_ROUNDED, _MOST_ROUNDED = 5e-4, 0.02
"""What a share of three decimals may be off by, and what a row of many of them may be off by."""


def most_mass(groups: int) -> float:
    """The largest sum of an item's shares that rounding to three decimals explains.

    >>> most_mass(3)
    1.0015
    """
    return 1 + min(_ROUNDED * groups, _MOST_ROUNDED)


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
    """

    attribute: str
    names: tuple[str, ...]
    codes: Array | None = None
    soft: Array | None = None
    not_applicable: Array | None = None
    source: str = "label"

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
        lawful = soft.min(initial=0.0) >= 0 and most <= most_mass(len(self.names)) + 1e-9
        if not lawful or (stated and mass[absent].any()):
            raise self._unlawful(soft, mass, absent)
        # A sum of 1 but for floating error stays as it is, so that copies are identical.
        if most > 1 + 1e-12:
            total = soft.sum(1)
            soft = soft / np.where(total > 1 + 1e-12, total, 1.0)[:, None]
        object.__setattr__(self, "soft", frozen(soft, np.float64))
        object.__setattr__(self, "not_applicable", frozen(absent, np.bool_))

    def _unlawful(self, soft: Array, total: Array, absent: Array) -> DataError:
        """The error for the first row of shares that are none."""
        with np.errstate(invalid="ignore"):
            within = (soft >= 0).all(1) & (total <= most_mass(len(self.names)) + 1e-9)
        row = int(np.flatnonzero(~within | (absent & (total > 0)))[0])
        return DataError(
            f"Shares of '{self.attribute}' in row {row} are {soft[row].tolist()}.",
            (
                "Shares lie in [0, 1] and sum to at most 1 (the rest is unknown); not "
                "applicable has none."
            ),
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
        return len(self.codes) if self.codes is not None else len(self.soft)  # type: ignore[arg-type]

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

    def take(self, rows: Array) -> Groups:
        """The groups of some rows, in that order."""
        assert self.not_applicable is not None
        absent = self.not_applicable.take(rows)
        if self.codes is not None:
            return self.with_items(absent, codes=self.codes.take(rows))
        assert self.soft is not None
        return self.with_items(absent, soft=self.soft.take(rows, axis=0))

    def with_items(
        self, not_applicable: Array, *, codes: Array | None = None, soft: Array | None = None
    ) -> Groups:
        """The same groups of other items, whose labels are known to be lawful: parts of labels that
        were checked. They are not checked again, and become read-only.
        """
        for array in (not_applicable, codes, soft):
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
        )
        return other

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
