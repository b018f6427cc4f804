"""Judgements: which items are relevant to which query, and how much."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError
from fairlead.protocols import Progress
from fairlead.store.formats import TREC_QRELS
from fairlead.store.ids import Universe
from fairlead.store.lines import Kind
from fairlead.store.objects import scored
from fairlead.store.runs import ITEM_ALIASES, QUERY_ALIASES, Run
from fairlead.store.tables import Header, LoadedTable, read_table
from fairlead.types import Relevant
from fairlead.types.ragged import offsets_of

GAIN_ALIASES = ("relevance", "rel")


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgements for the queries of a run.

    Attributes:
        relevant: Relevant rows and gains of each query of the run; a row is a place in ``items``.
        items: Item ids: those of the run first, then relevant ones that it did not find.
        judged: Number of the run's queries with at least one relevant item.
        others: Number of judged queries that the run does not have; they are left out.
        name: What the judgements are called in messages.
        path: The file, or None for an object.
    """

    relevant: Relevant
    items: Universe
    judged: int
    others: int
    name: str = "qrels"
    path: Path | None = None


def read_qrels(
    source: Any, run: Run, *, items: Universe | None = None, progress: Progress | None = None
) -> Qrels:
    """Read judgements. Gains of 0 and below are not relevant and are left out.

    Args:
        source: TREC qrels (``query 0 item gain``); a CSV, TSV, JSON-lines or Parquet file or a data
            frame with ``query, item, gain``; ``{query: {item: gain}}``; ``ranx.Qrels``; an iterable
            of ir_measures' judgements.
        run: The run that is judged.
        items: The item ids so far, where something has already added to the run's.
        progress: Told the bytes read.

    Raises:
        DataError: For a gain that is no finite number, conflicting judgements, judgements of no
            query of the run, missing columns.
    """
    if not isinstance(source, (str, os.PathLike)):
        source = scored(source, value="gain")
    table = read_table(source, _pick, trec=TREC_QRELS, progress=progress)
    base = run.items
    if items is not None:
        base = items
    return _relevant(table, run, base)


def _pick(header: Header) -> dict[str, Kind]:
    ids: dict[str, Kind] = {
        header.need("query", QUERY_ALIASES): "id",
        header.need("item", ITEM_ALIASES): "id",
    }
    return ids | {header.need("gain", GAIN_ALIASES): "number"}


def _relevant(table: LoadedTable, run: Run, base: Universe) -> Qrels:
    (query_ids, asks), (names, codes) = table.ids.values()
    (gains,) = table.numbers.values()
    if not np.isfinite(gains).all():
        at = int(np.flatnonzero(~np.isfinite(gains))[0])
        raise DataError(
            f"{table.place(at)}: the gain {gains[at]:g} is not a finite number.",
            "Write 0 for what is not relevant.",
        )
    _refuse_conflict(table)
    query = Universe.of(run.queries).rows(query_ids.values)
    if (query < 0).all():
        raise DataError(
            (
                f"{table.name} judges no query of {run.name}: it has '{query_ids[0]}', the run "
                f"has '{run.queries[0]}'."
            ),
            "The query ids of both must be spelled alike.",
        )
    # only what is kept joins the items: a file may judge thousands of queries that the run lacks
    keep = np.flatnonzero((query[asks] >= 0) & (gains > 0))
    distinct, where = np.unique(codes[keep], return_inverse=True)
    items, rows = base.extend(names.take(distinct))
    query_of, row_of = query[asks[keep]].astype(np.int64), rows[where]
    # a judgement that stands twice counts once; two that differ were refused above
    _, first = np.unique(query_of * max(len(items), 1) + row_of, return_index=True)
    sizes = np.bincount(query_of[first], minlength=len(run.queries))
    relevant = Relevant(offsets_of(sizes), row_of[first], gains[keep][first])
    return Qrels(
        relevant, items, int((sizes > 0).sum()), int((query < 0).sum()), table.name, table.path
    )


def _refuse_conflict(table: LoadedTable) -> None:
    (query_ids, asks), (names, codes) = table.ids.values()
    (gains,) = table.numbers.values()
    keys = asks.astype(np.int64) * len(names) + codes
    order = np.argsort(keys, kind="stable")
    wrong = (keys[order[1:]] == keys[order[:-1]]) & (gains[order[1:]] != gains[order[:-1]])
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        a, b = int(order[at]), int(order[at + 1])
        raise DataError(
            (
                f"{table.name} judges item '{names[int(codes[a])]}' twice for query "
                f"'{query_ids[int(asks[a])]}', differently: {table.pair(a, b)}."
            ),
            "Keep one of the two.",
        )
