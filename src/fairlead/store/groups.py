"""Columns of a label table as groups: hard codes from one column, or soft shares from several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.store.tables import Header, LoadedTable
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups
from fairlead.types.groups import ABSENT, NO_LABEL, no_shares
from fairlead.types.ragged import Array

# A column with more values was hardly made to hold groups; who names it gets it all the same.
_DOUBTFUL = 50
LABELLED = "labelled"
"""The one group of a column that labels nobody."""
MOST_GROUPS = 32_767
"""Hard labels are kept as 16-bit codes."""


@dataclass(frozen=True)
class LabelColumns:
    """What the columns of a label table are.

    Attributes:
        name: What the table is called in messages.
        item: Column of item ids.
        query: Column of query ids, where the labels depend on the query.
        blocks: Column of matched sets, where asked for.
        plain: Attributes with a column of their own.
        soft: Attributes with a column per group: ``{attribute: {group: column}}``.
    """

    name: str
    item: str
    query: str | None
    blocks: str | None
    plain: tuple[str, ...]
    soft: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, header: Header, item: str, query: str | None, blocks: str | None) -> LabelColumns:
        """Read the layout off the column names."""
        plain: list[str] = []
        soft: dict[str, dict[str, str]] = {}
        for column in header.plain:
            attribute, _, group = (part.strip() for part in column.partition("="))
            if column in (item, query, blocks):
                continue
            if attribute and group:
                soft.setdefault(attribute, {})[group] = column
            else:
                plain.append(column)
        mixed = sorted(set(plain) & set(soft))
        if mixed:
            group = next(iter(soft[mixed[0]].values()))
            raise DataError(
                f"{header.name} labels '{mixed[0]}' both in a column of its own and in '{group}'.",
                "Keep one of the two.",
            )
        if not plain and not soft:
            raise DataError(
                (
                    f"{header.name} has no column of labels: its columns are "
                    f"{', '.join(header.columns)}."
                ),
                "Add one column per attribute, e.g. gender, or one per group, e.g. gender=female.",
            )
        return cls(header.name, item, query, blocks, tuple(plain), soft)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes of the table."""
        return (*self.plain, *self.soft)

    def columns(self, attribute: str) -> tuple[str, ...]:
        """The columns that label an attribute."""
        if attribute in self.soft:
            return tuple(self.soft[attribute].values())
        return (attribute,)


def groups_of(
    table: LoadedTable,
    layout: LabelColumns,
    attribute: str,
    keys: Array,
    records: Array,
    *,
    limited: bool,
    blank: bool = False,
) -> Groups:
    """The groups of one attribute.

    Args:
        table: The label table.
        layout: What its columns are.
        attribute: The attribute.
        keys: (table records,) what a record labels; records of the same key must agree.
        records: (items or entries,) the record that labels each, or -1.
        limited: Whether to doubt a column with very many groups, because nobody asked for it by
            name.
        blank: Whether the attribute may label nobody.
    """
    if attribute in layout.soft:
        shares, absent = _shares(table, layout, attribute)
        _refuse_conflict(table, layout, attribute, keys, np.column_stack([shares, absent]))
        listed = records >= 0
        soft = np.where(listed[:, None], shares[records], 0.0)
        return Groups(
            attribute,
            tuple(sorted(layout.soft[attribute])),
            soft=soft,
            not_applicable=listed & absent[records],
        )
    names, codes = _codes(table, attribute, limited=limited, blank=blank)
    _refuse_conflict(table, layout, attribute, keys, codes[:, None])
    return Groups(attribute, names, codes=np.where(records >= 0, codes[records], UNKNOWN))


def block_numbers(table: LoadedTable, column: str) -> Array:
    """(records,) the number of each record's matched set, -1 where the column is empty."""
    encoded = _texts(table.any[column]).dictionary_encode()
    numbers = [
        -1 if name in NO_LABEL else number
        for number, name in enumerate(encoded.dictionary.to_pylist())
    ]
    return np.array(numbers, np.int64)[encoded.indices.to_numpy()]


def _codes(
    table: LoadedTable, attribute: str, *, limited: bool, blank: bool
) -> tuple[tuple[str, ...], Array]:
    encoded = _texts(table.any[attribute]).dictionary_encode()
    values = encoded.dictionary.to_pylist()
    names = sorted(set(values) - NO_LABEL - {ABSENT})
    if not names and not blank:
        raise DataError(
            f"The column '{attribute}' of {table.name} holds no label.",
            "Name the attributes to use, or fill it.",
        )
    most = MOST_GROUPS
    if limited:
        most = _DOUBTFUL
    if len(names) > most:
        raise DataError(
            (
                f"The column '{attribute}' of {table.name} has {len(names):,} different "
                "values; that is no attribute."
            ),
            "Name the attributes to use.",
        )
    code = (
        {name: number for number, name in enumerate(names)}
        | dict.fromkeys(NO_LABEL, UNKNOWN)
        | {ABSENT: NOT_APPLICABLE}
    )
    # A column without any label still has a group, which nobody is in.
    return tuple(names) or (LABELLED,), np.array([code[v] for v in values], np.int16)[
        encoded.indices.to_numpy()
    ]


def _shares(table: LoadedTable, layout: LabelColumns, attribute: str) -> tuple[Array, Array]:
    """(records, groups) soft shares by sorted name, and (records,) where the attribute does not
    apply.
    """
    columns = layout.soft[attribute]
    names = sorted(columns)
    if ABSENT in columns or "unknown" in columns:
        raise DataError(
            f"{table.name} has a column '{columns.get(ABSENT) or columns['unknown']}'.",
            (
                f"What shares lack to one is unknown; write {ABSENT} into the cells of items "
                "without the attribute."
            ),
        )
    shares = np.empty((table.size, len(names)))
    absent = np.zeros(table.size, np.bool_)
    for number, name in enumerate(names):
        # one cell that says "not applicable" is enough for the whole record
        shares[:, number], says = _numbers(table, columns[name])
        absent |= says
    wrong = no_shares(shares, absent)
    if len(wrong):
        at = int(wrong[0])
        listed = ", ".join(
            f"{name} {share:g}" for name, share in zip(names, shares[at], strict=True)
        )
        raise DataError(
            f"{table.place(at)}: the shares of '{attribute}' are {listed}.",
            (
                f"Shares lie in [0, 1] and sum to at most 1 (the rest is unknown); {ABSENT} "
                "stands without shares."
            ),
        )
    return shares, absent


def _numbers(table: LoadedTable, column: str) -> tuple[Array, Array]:
    """(records,) numbers of a column, and where the attribute does not apply.

    An empty cell is 0.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values = table.any[column]
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return np.nan_to_num(
            values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), nan=0.0
        ), np.zeros(len(values), np.bool_)
    texts = _texts(values)
    absent = pc.equal(texts, ABSENT)
    empty = pc.or_(absent, pc.is_in(texts, value_set=pa.array(sorted(NO_LABEL))))
    texts = pc.if_else(empty, "0", texts)
    try:
        numbers = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:
        at = next(i for i, text in enumerate(texts.to_pylist()) if not _is_number(text))
        raise DataError(
            f"{table.place(at)}: the share '{texts[at]}' of '{column}' is not a number.",
            "Write shares as 0.25, or leave them empty.",
        ) from None
    return numbers.to_numpy(), absent.to_numpy(zero_copy_only=False)


def _refuse_conflict(
    table: LoadedTable, layout: LabelColumns, attribute: str, keys: Array, values: Array
) -> None:
    # stable, so that the message names the two records in the order of the file
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    if not same.any():
        return
    first, second = order[:-1][same], order[1:][same]
    differ = (values[first] != values[second]).any(1)
    if differ.any():
        at = int(np.flatnonzero(differ)[0])
        a, b = int(first[at]), int(second[at])
        names, rows = table.ids[layout.item]
        raise DataError(
            (
                f"{table.name} labels item '{names[int(rows[a])]}' twice for '{attribute}', "
                f"differently: {table.pair(a, b)}."
            ),
            "Keep one of the two.",
        )


def _texts(column: Any) -> Any:
    """A column as text without white space around it; what is missing is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # data frames write what is missing as NaN, which would become a group called "nan"
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    return pc.utf8_trim_whitespace(pc.fill_null(column.cast(pa.string()), ""))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    # Python reads 1_000 as a number, Arrow does not
    return "_" not in text
