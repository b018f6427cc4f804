"""Labels: the groups of items, from a table with a column per attribute, or per group if soft."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.protocols import Progress
from fairlead.store.groups import MOST_GROUPS, LabelColumns, block_numbers, groups_of
from fairlead.store.ids import Universe
from fairlead.store.lines import Kind
from fairlead.store.runs import ITEM_ALIASES, QUERY_ALIASES, Run
from fairlead.store.sources.columns import column_texts
from fairlead.store.sources.entries import IMAGE_ALIASES
from fairlead.store.tables import Header, LoadedTable, read_table
from fairlead.types import Groups, Ranking, Sets, cross
from fairlead.types.joining import renamed
from fairlead.types.ragged import Array


@dataclass(frozen=True)
class Coverage:
    """Shares of a run's entries: labelled, unknown, not applicable, not in the file. They sum to
    one.
    """

    known: float
    unknown: float
    not_applicable: float
    missing: float


@dataclass(frozen=True, eq=False)
class RunLabels:
    """Group labels for a run.

    Attributes:
        attributes: Groups of each attribute: of the items, or of the ranking's entries where
            ``aligned``.
        aligned: Whether the labels depend on the query, so that there is one per entry of the
            ranking.
        items: Item ids: those of the run first, then those only the labels know.
        listed: (items,) whether the table lists the item.
        coverage: How much of the run each attribute labels.
        collection_known: Whether the table lists the whole collection: every item of the run, and
            more.
        blocks: (items,) number of each item's matched set, -1 for items in none; None where no such
            column was asked for.
        name: What the labels are called in messages.
        path: The file, or None for an object.
    """

    attributes: Mapping[str, Groups]
    aligned: bool
    items: Universe
    listed: Array
    coverage: Mapping[str, Coverage]
    collection_known: bool = False
    blocks: Array | None = None
    name: str = "labels"
    path: Path | None = None

    @classmethod
    def none(cls, run: Run) -> RunLabels:
        """No labels, for runs where only relevance is measured."""
        return cls({}, False, run.items, np.zeros(len(run.items), np.bool_), {}, name="no labels")

    @property
    def pool(self) -> Sets | None:
        """The rows of the collection, one set for all queries, where the collection is known."""
        rows = np.flatnonzero(self.listed)
        if self.collection_known:
            return Sets(np.array([0, len(rows)]), rows)
        return None

    def without(self, gone: Array, run: Run) -> RunLabels:
        """The labels without those of some items, (items,): these are not listed, and unknown if
        ranked.
        """
        listed = self.listed & ~gone
        at = gone
        if self.aligned:
            at = gone[run.ranking.rows]
        groups = {name: one.without(at) for name, one in self.attributes.items()}
        if self.aligned:
            return replace(self, attributes=groups, listed=listed)
        weights = np.bincount(run.ranking.rows, minlength=len(self.items))
        return replace(
            self,
            attributes=groups,
            listed=listed,
            coverage={n: _coverage(g, listed, weights) for n, g in groups.items()},
        )


def read_groups(
    source: Any,
    run: Run,
    attributes: Sequence[str] | None = None,
    *,
    items: Universe | None = None,
    blocks: str | None = None,
    rename: Mapping[str, str] | None = None,
    blank: bool = False,
    progress: Progress | None = None,
) -> RunLabels:
    """Read the group labels of a run's items.

    A column per attribute holds one group per item; empty, ``NA`` or ``unknown`` is unknown,
    ``not-applicable`` is a value of its own. Columns ``gender=female``, ``gender=male`` hold soft
    shares instead. With a ``query`` column the labels depend on the query.

    Args:
        source: A CSV, TSV, JSON-lines or Parquet file, a data frame, a mapping of columns, or
            ``{item: {attribute: label}}``, where a label is a group or ``{group: share}``.
        run: The run whose items are labelled.
        attributes: Attributes to read, all by default; ``gender*skin`` is the intersection.
        items: The item ids so far, where judgements have already added to the run's.
        blocks: Column that names matched sets.
        rename: New names of groups, as ``types.joining.read_map`` gives them.
        blank: Whether an attribute may label nobody.
        progress: Told the bytes read.

    Raises:
        DataError: For labels of no item of the run, conflicting labels, shares that are none,
            missing columns.
        UsageError: For an attribute that is not there, or a new name of a group that is not.
    """
    if (
        isinstance(source, Mapping)
        and source
        and all(isinstance(v, Mapping) for v in source.values())
    ):
        source = _records(source)
    layout: LabelColumns | None = None
    wanted: list[tuple[str, ...]] = []

    def pick(header: Header) -> dict[str, Kind]:
        nonlocal layout, wanted
        layout = _layout(header, blocks)
        wanted = _wanted(layout, attributes, header.nested)
        columns = [
            c
            for name in dict.fromkeys(n for parts in wanted for n in parts)
            for c in layout.columns(name)
        ]
        # columns that nobody asked for are not read, and may hold anything
        kinds: dict[str, Kind] = {layout.item: "id"}
        if layout.query is not None:
            kinds[layout.query] = "id"
        kinds |= dict.fromkeys(columns, "any")
        if blocks is not None:
            kinds[blocks] = "any"
        return kinds

    table = read_table(source, pick, progress=progress)
    assert layout is not None
    base = run.items
    if items is not None:
        base = items
    ask = _Ask(wanted, attributes is None, rename or {}, blank)
    if layout.query is None:
        return _of_items(table, layout, run, base, ask)
    return _of_entries(table, layout, run, base, ask)


def read_label_columns(path: str | Path) -> dict[str, list[str | None]]:
    """Every column of a table of labels by name, None where a cell is empty: for those who need the
    columns that describe the items too.
    """
    table = read_table(Path(path).expanduser(), lambda header: dict.fromkeys(header.plain, "any"))
    return column_texts(table, Counter())


def item_column(name: str, columns: Mapping[str, Sequence[str | None]]) -> str:
    """The column that names items or files.

    Raises:
        DataError: Where there is none, or it leaves a cell empty or names something twice.
    """
    header = Header(name, list(columns))
    column = header.find("item", ITEM_ALIASES) or header.need("image", IMAGE_ALIASES)
    earlier: set[str] = set()
    for row, value in enumerate(columns[column], start=1):
        if value is None:
            raise DataError(f"{name}, row {row}: '{column}' is empty.", "Every row is one item.")
        if value in earlier:
            raise DataError(
                f"{name}, row {row}: '{column}' '{value}' stands there twice.",
                "Every row is one item.",
            )
        earlier.add(value)
    return column


@dataclass(frozen=True)
class _Ask:
    """What to read from a table.

    Attributes:
        wanted: The attributes, an intersection as its parts.
        limited: Whether to doubt a column with very many groups, because nobody asked for it.
        rename: New names of groups.
        blank: Whether an attribute may label nobody.
    """

    wanted: list[tuple[str, ...]]
    limited: bool
    rename: Mapping[str, str]
    blank: bool = False


def given_groups(
    groups: Mapping[str, Groups],
    run: Run,
    attributes: Sequence[str] | None = None,
    *,
    whole: Run,
    rename: Mapping[str, str] | None = None,
) -> RunLabels:
    """Labels that a caller brings as objects, one for each item of a run.

    Args:
        groups: Labels of each attribute, in the order in which the run first names its items.
        run: The run whose items are labelled.
        attributes: Attributes to use, all by default; ``gender*skin`` is the intersection.
        whole: The run with all its items, of which ``run`` may lack some.
        rename: New names of groups, as ``types.joining.read_map`` gives them.

    Raises:
        DataError: For another number of labels than items.
        UsageError: For an attribute that is not there.
    """
    for name, one in groups.items():
        if len(one) != len(whole.items):
            raise DataError(
                f"'{name}' labels {len(one)} items, {whole.name} ranks {len(whole.items)}.",
                "Give one label for each item, in the order in which the run first names them.",
            )
    rows = whole.items.rows(run.items[:])
    single = renamed({n: g.take(rows) for n, g in groups.items()}, rename or {}, "the labels")
    wanted = {name: (name,) if name in single else name.split("*") for name in attributes or single}
    for part in (part for parts in wanted.values() for part in parts):
        if part not in single:
            raise unknown_name("attribute in the labels", part, single)
    labels = {name: reduce(cross, (single[p] for p in parts)) for name, parts in wanted.items()}
    listed = np.ones(len(run.items), np.bool_)
    weights = np.bincount(run.ranking.rows, minlength=len(run.items))
    coverage = {name: _coverage(one, listed, weights) for name, one in labels.items()}
    return RunLabels(labels, False, run.items, listed, coverage, name="the labels")


def _records(labels: Mapping[Any, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a table with a column per attribute, or per group where labels are soft."""
    soft: dict[str, dict[str, None]] = {}
    for one in labels.values():
        for attribute, label in one.items():
            if isinstance(label, Mapping):
                soft.setdefault(attribute, {}).update(dict.fromkeys(map(str, label)))
    rows = []
    for item, one in labels.items():
        row = {"item": str(item), **one}
        for attribute, groups in soft.items():
            shares = _cells(row.pop(attribute, None), groups)
            row |= {f"{attribute}={group}": share for group, share in shares.items()}
        rows.append(row)
    return rows


def _cells(label: Any, groups: Mapping[str, None]) -> dict[str, str]:
    """A label of a soft attribute as the cells of its groups, which may also hold words."""
    if isinstance(label, Mapping):
        shares = {str(group): str(share) for group, share in label.items()}
        return {group: shares.get(group, "") for group in groups}
    # labels of one attribute may be soft for some items and hard for others
    if label in groups:
        return {group: "1" if group == label else "" for group in groups}
    return dict.fromkeys(groups, "" if label is None else str(label))


def _layout(header: Header, blocks: str | None) -> LabelColumns:
    item = (
        header.find("item", ITEM_ALIASES)
        or header.find("image", IMAGE_ALIASES)
        or header.need("item", ITEM_ALIASES)
    )
    query = header.find("query", QUERY_ALIASES)
    if blocks is not None and blocks not in header.columns:
        raise unknown_name(f"column for matched sets in {header.name}", blocks, header.columns)
    return LabelColumns.of(header, item, query, blocks)


def _wanted(
    layout: LabelColumns, attributes: Sequence[str] | None, nested: frozenset[str]
) -> list[tuple[str, ...]]:
    """The attributes asked for, an intersection as its parts."""
    names = layout.attributes
    if attributes is None:
        return [(name,) for name in names]
    wanted: list[tuple[str, ...]] = []
    for name in dict.fromkeys(attributes):
        parts = (name,) if name in names else tuple(p.strip() for p in name.split("*"))
        for part in parts:
            if part in nested:
                raise DataError(
                    f"The column '{part}' of {layout.name} holds lists, records or bytes.",
                    "Give the name of one group in each cell.",
                )
            if part not in names:
                raise unknown_name(f"attribute in {layout.name}", part, names)
        if len(set(parts)) < len(parts):
            raise UsageError(
                f"'{name}' names an attribute twice.",
                "An intersection is of different attributes, e.g. gender*skin.",
            )
        wanted.append(parts)
    return wanted


def _of_items(
    table: LoadedTable, layout: LabelColumns, run: Run, base: Universe, ask: _Ask
) -> RunLabels:
    names, codes = table.ids[layout.item]
    items, rows = base.extend(names.values)
    keys = rows[codes]
    records = np.full(len(items), -1, np.int64)
    # written backwards, so that the first record of an item counts
    records[keys[::-1]] = np.arange(table.size)[::-1]
    if (records[: len(run.items)] < 0).all():
        raise _no_item(table, run, names)
    groups = _attributes(table, layout, keys, records, ask)
    weights = np.bincount(run.ranking.rows, minlength=len(items))
    listed = records >= 0
    # a table of the run's own items says nothing of a collection; one that has more of them does
    whole_collection = bool(listed[: len(run.items)].all() and listed[len(run.items) :].any())
    coverage = {name: _coverage(g, listed, weights) for name, g in groups.items()}
    return RunLabels(
        groups,
        False,
        items,
        listed,
        coverage,
        whole_collection,
        _blocks(table, layout, records),
        table.name,
        table.path,
    )


def _of_entries(
    table: LoadedTable, layout: LabelColumns, run: Run, base: Universe, ask: _Ask
) -> RunLabels:
    assert layout.query is not None
    if run.queries == ("*",):
        raise DataError(
            f"{table.name} labels items for single queries.",
            "Give labels of the items: no 'query' column.",
        )
    names, codes = table.ids[layout.item]
    query_ids, asks = table.ids[layout.query]
    query = Universe.of(run.queries).rows(query_ids.values)[asks].astype(np.int64)
    row = base.rows(names.values)[codes]
    # what the run lacks gets numbers that no pair has, each its own, so that none contradict
    keys = np.where((query < 0) | (row < 0), -1 - np.arange(table.size), query * len(base) + row)
    order = np.argsort(keys, kind="stable")
    # a pair of query and item is one number, so that sorting finds all pairs at once
    sought = run.ranking.query_of * len(base) + run.ranking.rows
    place = np.minimum(np.searchsorted(keys, sought, sorter=order), table.size - 1)
    records = np.where(keys[order[place]] == sought, order[place], -1)
    if (records < 0).all():
        raise _no_item(table, run, names)
    groups = _attributes(table, layout, keys, records, ask)
    listed = np.zeros(len(base), np.bool_)
    listed[row[row >= 0]] = True
    coverage = {
        name: _coverage(g, records >= 0, np.ones(len(records))) for name, g in groups.items()
    }
    by_item = np.full(len(base), -1, np.int64)
    by_item[row[row >= 0]] = np.flatnonzero(row >= 0)
    return RunLabels(
        groups,
        True,
        base,
        listed,
        coverage,
        False,
        _blocks(table, layout, by_item),
        table.name,
        table.path,
    )


def _attributes(
    table: LoadedTable, layout: LabelColumns, keys: Array, records: Array, ask: _Ask
) -> dict[str, Groups]:
    """The groups of every wanted attribute; each column is read once."""
    single = {
        name: groups_of(table, layout, name, keys, records, limited=ask.limited, blank=ask.blank)
        for parts in ask.wanted
        for name in parts
    }
    single = renamed(single, ask.rename, table.name)
    for parts in ask.wanted:
        if (count := math.prod(len(single[p].names) for p in parts)) > MOST_GROUPS:
            raise DataError(
                f"'{'*'.join(parts)}' has {count:,} groups.",
                f"At most {MOST_GROUPS:,} can be told apart; cross fewer attributes.",
            )
    return {"*".join(parts): reduce(cross, (single[p] for p in parts)) for parts in ask.wanted}


def _coverage(groups: Groups, listed: Array, weights: Array) -> Coverage:
    total = max(float(weights.sum()), 1.0)
    assert groups.not_applicable is not None
    if groups.codes is not None:
        labelled = (groups.codes >= 0).astype(np.float64)
    else:
        labelled = groups.share.sum(1)
    unlisted = float(weights[~listed].sum())
    unknown = float(weights @ groups.unknown) - unlisted
    return Coverage(
        float(weights @ labelled) / total,
        unknown / total,
        float(weights @ groups.not_applicable) / total,
        unlisted / total,
    )


def _blocks(table: LoadedTable, layout: LabelColumns, records: Array) -> Array | None:
    if layout.blocks is None:
        return None
    return np.where(records >= 0, block_numbers(table, layout.blocks)[records], -1)


def _no_item(table: LoadedTable, run: Run, names: Universe) -> DataError:
    whose = "the collection" if run.queries == ("*",) else "the run"
    return DataError(
        (
            f"{table.name} labels no item of {run.name}: it has '{names[0]}', {whose} has "
            f"'{run.items[0]}'."
        ),
        "The item ids of both must be spelled alike.",
    )


def read_item_groups(
    source: Any,
    ids: Sequence[str],
    attributes: Sequence[str] | None = None,
    *,
    rename: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Groups]:
    """The labels of a collection's items, in the order of its ids.

    Items that the source does not list are unknown.

    ``source``, ``attributes`` and ``rename`` are as in ``read_groups``; labels that depend on a
    query are refused.
    """
    size = len(ids)
    # one list of everything, for a query that no run has: by its "*" messages know what it is
    whole = Run(
        Ranking(np.array([0, size]), np.arange(size), np.zeros(size)),
        ("*",),
        Universe.of(ids),
        name="the collection",
    )
    labels = read_groups(source, whole, attributes, rename=rename, progress=progress)
    if labels.aligned:
        raise DataError(
            f"{labels.name} labels items for single queries.",
            "Give labels of the items: no 'query' column.",
        )
    return {name: groups.take(np.arange(size)) for name, groups in labels.attributes.items()}
