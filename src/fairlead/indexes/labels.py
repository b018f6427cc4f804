"""Hard labels of the rows of an index, attribute by attribute, growing as rows are added."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups
from fairlead.types.ragged import Array

UNKNOWN_NAME = "unknown"
"""How the rows whose group is not known are called where groups are named."""


class RowLabels:
    """One code per row and attribute: a group number, ``UNKNOWN`` or ``NOT_APPLICABLE``.

    Soft labels count as their largest share, the unknown mass being one of them. Rows added without
    an attribute are unknown there.
    """

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, ...]] = {}
        self._parts: dict[str, list[Array]] = {}
        self._size = 0
        self._cells: dict[str, Array] = {}

    def __len__(self) -> int:
        return self._size

    @property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The groups of each attribute, in the order they were first named."""
        return self._names

    def append(self, size: int, groups: Mapping[str, Groups] | None) -> None:
        """Add the labels of more rows.

        Raises:
            DataError: If labels are not one per row.
        """
        new = groups or {}
        refuse_other_sizes(size, new)
        self._cells = {}
        for attribute, labels in new.items():
            if attribute not in self._names:
                self._names[attribute] = ()
                self._parts[attribute] = [np.full(self._size, UNKNOWN, np.int32)]
            self._names[attribute], codes = coded(self._names[attribute], labels)
            self._parts[attribute].append(codes)
        for attribute in self._names.keys() - new.keys():
            self._parts[attribute].append(np.full(size, UNKNOWN, np.int32))
        self._size += size

    def codes(self, attribute: str) -> Array:
        """(rows,) the codes of an attribute.

        Raises:
            DataError: If no row was ever labelled with it.
        """
        refuse_attribute(attribute, self._names)
        if len(self._parts[attribute]) > 1:
            self._parts[attribute] = [np.concatenate(self._parts[attribute])]
        return self._parts[attribute][0]

    def cells(self, attribute: str) -> tuple[Array, int]:
        """(rows,) group numbers, with unknown as the last group, and the number of groups.

        That number also stands for rows that are left out.
        """
        codes = self.codes(attribute)
        groups = len(self._names[attribute]) + 1
        if attribute not in self._cells:
            numbers = np.where(
                codes == UNKNOWN, groups - 1, np.where(codes == NOT_APPLICABLE, groups, codes)
            )
            self._cells[attribute] = numbers.astype(np.intp)
        return self._cells[attribute], groups

    def cells_by(self, attribute: str | None) -> tuple[Array, int] | None:
        """The same for the attribute that a search is to keep apart; None where it names none."""
        if attribute is None:
            return None
        return self.cells(attribute)

    def saved(self) -> dict[str, Any]:
        """The names, for a manifest; the codes are arrays of their own."""
        return {attribute: list(names) for attribute, names in self._names.items()}

    @classmethod
    def loaded(
        cls, names: Mapping[str, list[str]], codes: Mapping[str, Array], size: int
    ) -> RowLabels:
        """Labels from names and codes."""
        labels = cls()
        labels._names = {attribute: tuple(n) for attribute, n in names.items()}
        labels._parts = {attribute: [np.asarray(codes[attribute], np.int32)] for attribute in names}
        labels._size = size
        return labels


def coded(known: tuple[str, ...], labels: Groups) -> tuple[tuple[str, ...], Array]:
    """The names so far, extended by the new ones, and (items,) hard codes by these names."""
    names = known + tuple(n for n in labels.names if n not in known)
    number = {name: code for code, name in enumerate(names)}
    # codes -2 and -1 index the last two entries
    table = np.array([number[n] for n in labels.names] + [NOT_APPLICABLE, UNKNOWN], np.int32)
    return names, table[hard(labels)]


def refuse_attribute(attribute: str, known: Collection[str]) -> None:
    """Refuse an attribute with which no row was ever labelled."""
    if attribute not in known:
        raise DataError(
            f"The index has no labels of '{attribute}'.", f"It has {', '.join(known) or 'none'}."
        )


def refuse_other_sizes(size: int, groups: Mapping[str, Groups]) -> None:
    """Refuse labels that are not one for each added row."""
    for attribute, labels in groups.items():
        if len(labels) != size:
            raise DataError(
                f"'{attribute}' labels {len(labels)} items, {size} are added.",
                "Give the labels of the new items only.",
            )


def refuse_depth(depth: int) -> None:
    """Refuse a search for no items."""
    if depth < 1:
        raise UsageError(f"depth got {depth}.", "Fetch at least one item.")


def refuse_rows(rows: Array, size: int) -> Array:
    """(rows,) whole numbers, refused where the index has no such row."""
    numbers = np.asarray(rows, np.int64)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= size):
        wrong = int(numbers[(numbers < 0) | (numbers >= size)][0])
        raise DataError(f"The index has no row {wrong}.", f"It holds {size} rows, counted from 0.")
    return numbers


def hard(groups: Groups) -> Array:
    """(items,) one code per item."""
    if groups.codes is not None:
        return groups.codes
    best = np.column_stack([groups.share, groups.unknown]).argmax(1)
    assert groups.not_applicable is not None
    return np.where(
        groups.not_applicable, NOT_APPLICABLE, np.where(best == len(groups.names), UNKNOWN, best)
    )
