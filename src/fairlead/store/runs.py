"""Runs: saved rankings from any kind of file or object, in one order."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.protocols import Progress
from fairlead.store import order
from fairlead.store.formats import TREC_RUN
from fairlead.store.ids import Universe
from fairlead.store.lines import Kind
from fairlead.store.objects import scored
from fairlead.store.saved_run import place_of, read_saved
from fairlead.store.tables import Header, LoadedTable, read_table
from fairlead.types import Ranking
from fairlead.types.ragged import Array, offsets_of, within

Ties = Literal["hash", "stable"]

QUERY_ALIASES = ("query_id", "qid", "q_id")
ITEM_ALIASES = ("item_id", "docid", "doc_id", "docno", "corpus_id", "image_id")
SCORE_ALIASES = ("sim", "similarity")


@dataclass(frozen=True, eq=False)
class Run:
    """A saved ranking with the ids of its queries and items.

    Attributes:
        ranking: Ranked rows of each query; a row is a place in ``items``.
        queries: Query ids, in the order of their first entry.
        items: Item ids, a sequence of text; labels and judgements may append to a copy of it.
        ties: Share of entries whose score equals that of a neighbour in the same list.
        name: What the run is called in messages and tables.
        rank_given: Whether the source gave ranks.
        path: The file, or None for an object.
    """

    ranking: Ranking
    queries: tuple[str, ...]
    items: Universe
    ties: float = 0.0
    name: str = "run"
    rank_given: bool = False
    path: Path | None = None

    def of(self, query: str) -> list[str]:
        """The item ids of one query, best first."""
        number = self.queries.index(query)
        start, stop = self.ranking.offsets[number : number + 2]
        ids: list[str] = self.items.take(self.ranking.rows[start:stop]).to_pylist()
        return ids

    def without(self, items: Array, queries: Array) -> Run:
        """The run without some items and queries, (items,) and (queries,); empty queries go too.

        Raises:
            DataError: Where nothing is left.
        """
        entries = np.flatnonzero(~items[self.ranking.rows] & ~queries[self.ranking.query_of])
        sizes = np.bincount(self.ranking.query_of[entries], minlength=len(self.queries))
        if not len(entries):
            raise DataError(
                f"Nothing of {self.name} is left to look at.",
                "The list of what to leave out names all of it.",
            )
        rows, places = np.unique(self.ranking.rows[entries], return_inverse=True)
        ranking = Ranking(offsets_of(sizes[sizes > 0]), places, self.ranking.scores[entries])
        return replace(
            self,
            ranking=ranking,
            queries=tuple(q for q, n in zip(self.queries, sizes, strict=True) if n),
            items=Universe(self.items.take(rows)),
        )


def read_run(
    source: Any, *, ties: Ties = "hash", seed: int = 0, progress: Progress | None = None
) -> Run:
    """Read a run.

    Entries are ordered by score, best first. Equal scores keep the order of their ranks where ranks
    are given; what is still equal is put in the order of a hash of (seed, query, item), or with
    ``ties="stable"`` in the order of the file. A ``rank`` without a ``score`` orders alone. In a
    TREC file the rank is advice, the score decides; elsewhere a rank that contradicts the scores is
    an error.

    Args:
        source: A TREC run; a CSV, TSV, JSON-lines or Parquet file with ``query, item, score``; a
            data frame with these columns; ``{query: {item: score}}``; a ``ranx.Run``; an iterable
            of ir_measures' scored documents; a saved run or the folder it is in, of which the
            plain lists are read; or a ``Run``, returned as it is.
        ties: ``hash`` or ``stable``.
        seed: Seed of the hash.
        progress: Told the bytes read.

    Raises:
        DataError: For a malformed line, a score that is not finite, an item twice in one query, a
            missing column, no data.
        UsageError: For a path that cannot be read.
    """
    if isinstance(source, Run):
        return source
    if ties not in ("hash", "stable"):
        raise UsageError(f"ties got {ties!r}.", "Accepted: hash, stable.")
    if not isinstance(source, (str, os.PathLike)):
        source = scored(source, value="score")
    elif (place := place_of(source)) is not None:
        return _plain_of(place)
    table = read_table(source, _pick, trec=TREC_RUN, progress=progress)
    return _ranked(table, ties, seed)


def _plain_of(place: Path) -> Run:
    """The plain lists of a saved run, in the order in which they were saved."""
    saved = read_saved(place)
    ranking = next(iter(saved.lists.values()))
    rows, places = np.unique(ranking.rows, return_inverse=True)
    items = Universe.of([saved.items[row] for row in rows.tolist()])
    return Run(
        Ranking(ranking.offsets, places, ranking.scores),
        saved.queries,
        items,
        order.share_tied(order.tied(ranking.query_of, ranking.scores)),
        place.name,
        path=place,
    )


def _pick(header: Header) -> dict[str, Kind]:
    picked: dict[str, Kind] = {
        header.need("query", QUERY_ALIASES): "id",
        header.need("item", ITEM_ALIASES): "id",
    }
    rank, score = header.find("rank", ()), header.find("score", SCORE_ALIASES)
    # either orders alone; a table with neither is told to give the scores
    if rank is None:
        score = header.need("score", SCORE_ALIASES)
    picked |= {column: "number" for column in (rank, score) if column is not None}
    return picked


def _ranked(table: LoadedTable, ties: Ties, seed: int) -> Run:
    header = table.header
    queries, query = table.ids[header.need("query", QUERY_ALIASES)]
    items, item = table.ids[header.need("item", ITEM_ALIASES)]
    scores = _numbers(table, header.find("score", SCORE_ALIASES))
    ranks = _numbers(table, header.find("rank", ()))
    # in a TREC run the score decides, whatever the ranks say
    advice = _is_trec(header)
    if ranks is not None and not advice and (ranks != np.floor(ranks)).any():
        at = int(np.flatnonzero(ranks != np.floor(ranks))[0])
        raise DataError(
            f"{table.place(at)}: the rank {ranks[at]:g} is not a whole number.",
            "Ranks count 1, 2, 3, ...",
        )
    _refuse_twice(table, query, item, queries, items)
    if scores is None:
        assert ranks is not None
        keys = -ranks
        entries = order.descending(query, keys, None)
    else:
        keys = scores
        entries = order.descending(query, keys, ranks)
    query, item, keys = query[entries], item[entries], keys[entries]
    if ranks is not None:
        ranks = ranks[entries]
    if ranks is not None and scores is not None and not advice:
        _refuse_contradiction(table.name, query, item, keys, ranks, queries, items)
    share = order.share_tied(order.tied(query, keys))
    if ties == "hash" and share:
        mixed = order.shuffled(
            order.tied(query, keys, ranks), query, item, queries=queries, items=items, seed=seed
        )
        item = item[mixed]
    offsets = offsets_of(np.bincount(query, minlength=len(queries)))
    positions = None
    if ranks is not None and not advice:
        positions = _positions(ranks, offsets)
    ranking = Ranking(offsets, item, keys.astype(np.float32), positions)
    return Run(ranking, tuple(queries[:]), items, share, table.name, ranks is not None, table.path)


def _numbers(table: LoadedTable, column: str | None) -> Array | None:
    """A column of finite numbers, or None where there is none."""
    if column is None:
        return None
    numbers = table.numbers[column]
    # scores are kept in 32 bits, where what is too large becomes infinite
    with np.errstate(over="ignore"):
        wrong = ~np.isfinite(numbers.astype(np.float32))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        query, item = _ids_at(table, at)
        raise DataError(
            (
                f"{table.place(at)}: the {column} of item '{item}' for query '{query}' is "
                f"{numbers[at]:g}, which is not a finite number."
            ),
            "Leave the entry out, or give it a number.",
        )
    return numbers


def _ids_at(table: LoadedTable, record: int) -> tuple[str, str]:
    (queries, query), (items, item) = table.ids.values()
    return queries[int(query[record])], items[int(item[record])]


def _is_trec(header: Header) -> bool:
    return tuple(header.columns) == TREC_RUN.columns


def _refuse_twice(
    table: LoadedTable, query: Array, item: Array, queries: Universe, items: Universe
) -> None:
    keys = query.astype(np.int64) * len(items) + item
    ordered = np.sort(keys)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        first, second = np.flatnonzero(keys == twice[0])[:2]
        number, row = divmod(int(twice[0]), len(items))
        raise DataError(
            (
                f"{table.name} lists item '{items[row]}' twice for query '{queries[number]}': "
                f"{table.pair(int(first), int(second))}."
            ),
            "Keep one of the two.",
        )


def _refuse_contradiction(
    name: str,
    query: Array,
    item: Array,
    scores: Array,
    ranks: Array,
    queries: Universe,
    items: Universe,
) -> None:
    wrong = (query[1:] == query[:-1]) & (ranks[1:] < ranks[:-1])
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        a, b = (
            f"'{items[int(item[i])]}' (score {scores[i]:g}, rank {ranks[i]:g})"
            for i in (at, at + 1)
        )
        raise DataError(
            (
                f"In {name}, query '{queries[int(query[at])]}', ranks and scores contradict "
                f"each other: {a} and {b}."
            ),
            "Higher scores must have smaller ranks; drop the column that is wrong.",
        )


def _positions(ranks: Array, offsets: Array) -> Array | None:
    """Ranks as places in a fuller list, counted from 1.

    None where they are simply 1, 2, 3, ..., or do not rise within every query.
    """
    places = ranks
    # some programs count from 0
    if ranks.min() == 0:
        places = ranks + 1
    starts = np.zeros(len(ranks), np.bool_)
    starts[offsets[:-1][np.diff(offsets) > 0]] = True
    rising = starts[1:] | (places[1:] > places[:-1])
    plain = bool((places == within(offsets) + 1).all())
    if plain or places.min() < 1 or not rising.all():
        return None
    return places.astype(np.int64)
