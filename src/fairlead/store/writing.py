"""Writes rankings to files, in the format of the suffix; reading gives the same order back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.store.atomic import atomic, atomic_folder
from fairlead.store.cells import write_cells
from fairlead.store.formats import SUFFIXES, Format
from fairlead.store.ids import Universe
from fairlead.types import Ranking

__all__ = ["atomic", "atomic_folder", "format_for", "write_ranking"]

COLUMNS = ("query", "item", "rank", "score", "plain_score")
_CHUNK = 1 << 18
Tables = Iterator[Any]


def write_ranking(
    path: str | Path,
    ranking: Ranking,
    queries: Sequence[str],
    items: Sequence[str],
    *,
    tag: str = "fairlead",
) -> None:
    """Write a ranking as a TREC run, CSV, TSV, JSON lines or Parquet, whole or not at all.

    Columns: ``query, item, rank, score, plain_score``. A reranked list is not sorted by its
    first-stage scores, so ``score`` falls by one from entry to entry and says the order alone;
    ``plain_score`` keeps the first-stage score. A TREC run has no place for it.

    Args:
        path: Where to; the suffix chooses the format.
        ranking: What to write.
        queries: Query ids.
        items: Item ids, by row.
        tag: The run's name, last on every line of a TREC run.

    Raises:
        UsageError: For a suffix of no known format, or a place that cannot be written.
        DataError: For ids that a TREC run cannot hold.
    """
    writers: dict[str, Callable[[Path, Tables, str], None]] = {
        "trec": _trec,
        "jsonl": _json,
        "parquet": _parquet,
        "csv": _csv,
        "tsv": _tsv,
    }
    write = writers[format_for(path)]
    universe = items
    if not isinstance(universe, Universe):
        universe = _universe(items)
    with atomic(path) as partial:
        write(partial, _tables(ranking, queries, universe), tag)


def format_for(path: str | Path) -> Format:
    """The format a ranking is written in, by the suffix; refused where that names none."""
    suffix = Path(path).suffix.lower()
    # .qrels is read in the TREC way as well, but a ranking holds no judgements
    if suffix not in SUFFIXES or suffix == ".qrels":
        accepted = ", ".join(s for s in SUFFIXES if s != ".qrels")
        raise UsageError(
            f"A ranking cannot be written to '{Path(path).name}': its suffix names no format.",
            f"Accepted: {accepted}.",
        )
    return SUFFIXES[suffix]


def _universe(items: Sequence[str]) -> Universe:
    import pyarrow as pa

    return Universe(pa.array([str(i) for i in items], pa.string()))


def _tables(ranking: Ranking, queries: Sequence[str], items: Universe) -> Tables:
    """Yield the ranking as Arrow tables of some hundred thousand entries each; at least one."""
    import pyarrow as pa

    names = pa.array([str(q) for q in queries], pa.string())
    for start in range(0, max(len(ranking.rows), 1), _CHUNK):
        part = slice(start, start + _CHUNK)
        entries = np.arange(start, min(start + _CHUNK, len(ranking.rows)))
        query = np.searchsorted(ranking.offsets, entries, side="right") - 1
        columns = {
            "query": names.take(pa.array(query)),
            "item": items.take(ranking.rows[part]),
            "rank": pa.array(ranking.ranks[part]),
            "score": pa.array(ranking.offsets[1:][query] - entries),
            "plain_score": pa.array(ranking.scores[part]),
        }
        yield pa.table(columns)


def _csv(path: Path, tables: Tables, tag: str) -> None:
    _separated(path, tables, ",")


def _tsv(path: Path, tables: Tables, tag: str) -> None:
    _separated(path, tables, "\t")


def _separated(path: Path, tables: Tables, separator: str) -> None:
    rows = chain.from_iterable(map(_rows, tables))
    with path.open("w", encoding="utf-8", newline="") as stream:
        write_cells(stream, COLUMNS, rows, separator=separator, ranked=True)


def _rows(table: Any) -> Iterator[tuple[str, str, int, str, str]]:
    """Query, item, rank, score and first-stage score of each entry, the scores as text."""
    import pyarrow as pa

    columns = [table.column(name) for name in COLUMNS]
    # Arrow writes a 32-bit score in its short form, 0.1; Python would write 0.10000000149
    texts = [column.cast(pa.string()) for column in columns[3:]]
    return zip(*(column.to_pylist() for column in columns[:3] + texts), strict=True)


def _trec(path: Path, tables: Tables, tag: str) -> None:
    # white space would part the tag into more values than a line may have
    word = "-".join(tag.split()) or "run"
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for table in tables:
            _refuse_white(table)
            stream.writelines(
                f"{query} Q0 {item} {rank} {score} {word}\n"
                for query, item, rank, score, _ in _rows(table)
            )


def _refuse_white(table: Any) -> None:
    import pyarrow.compute as pc

    for name in ("query", "item"):
        bad = pc.match_substring_regex(table.column(name), r"\s|^$")
        if (at := pc.index(bad, True).as_py()) >= 0:
            raise DataError(
                (
                    f"The {name} id '{table.column(name)[at]}' cannot stand in a TREC run: "
                    "white space separates its values."
                ),
                "Write .csv, .jsonl or .parquet instead.",
            )


def _json(path: Path, tables: Tables, tag: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for table in tables:
            stream.writelines(
                (
                    f'{{"query": {_quoted(query)}, "item": {_quoted(item)}, "rank": {rank}, '
                    f'"score": {score}, "plain_score": {first}}}\n'
                )
                for query, item, rank, score, first in _rows(table)
            )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _parquet(path: Path, tables: Tables, tag: str) -> None:
    import pyarrow.parquet as pq

    first = next(tables)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)
