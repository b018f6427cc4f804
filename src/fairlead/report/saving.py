"""Results to files, whole or not at all. A place that cannot be written is refused before any work
is done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from fairlead.engine.manifest import MADE_BY
from fairlead.errors import FairleadError, UsageError
from fairlead.protocols import registry
from fairlead.protocols.spec import parse
from fairlead.report.small_panels import Page
from fairlead.report.small_panels import page as panel_page
from fairlead.report.strips import Strip
from fairlead.results.rerank import RerankResult
from fairlead.results.score import ScoreResult
from fairlead.store.atomic import atomic, atomic_folder
from fairlead.store.cells import write_cells
from fairlead.store.manifest_file import MANIFEST, write_manifest
from fairlead.store.saved_run import write_saved
from fairlead.store.writing import format_for, write_ranking
from fairlead.types.saved import SavedRun
from fairlead.words.visible import visible

PAGES = (".html", ".htm")
_FORMAT = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,6}")
"""A suffix that looks like that of a format; a folder's name may have other dots, as in v0.5."""


def save_score(result: ScoreResult, path: str | Path) -> Path:
    """Write a result: a ``.html`` page, a ``.json`` file, or a folder with manifest, scores, values
    per query and page.
    """
    with score_place(path, str(result.manifest.get("command", "score"))) as write:
        write(result)
    return Path(path)


def save_ranking(result: RerankResult, path: str | Path) -> Path:
    """Write a mitigated ranking in the format of the suffix."""
    write_ranking(path, result.ranking, result.queries, result.items, tag=result.reranker)
    return Path(path)


def save_run(run: SavedRun, path: str | Path) -> Path:
    """Write the lists of a search: all variants with what is needed to repeat them to ``.parquet``,
    the last variant alone to other formats.
    """
    if Path(path).suffix.lower() == ".parquet":
        write_saved(path, run)
    else:
        # A run file has one list a query.
        variant, ranking = list(run.lists.items())[-1]
        write_ranking(path, ranking, run.queries, run.items, tag=variant)
    return Path(path)


@contextmanager
def result_place(
    path: str | Path | None,
    page: Callable[[Any], str],
    folder: Callable[[Any, Path], None] | None = None,
    command: str = "",
) -> Iterator[Callable[[Any], None]]:
    """A function that writes a result to its place, which is checked on entering; None writes
    nothing.

    An earlier folder is replaced where it is of the same ``command`` and holds nothing else.

    Args:
        path: A ``.html`` page, a ``.json`` file, or a folder.
        page: Draws the page of a result.
        folder: Fills a folder with a result; None where results go into single files alone.
        command: What made the result, as the manifest of its folder says.

    Raises:
        UsageError: For a suffix of no known format or a place that cannot be written.
    """
    if path is None:
        yield lambda result: None
        return
    suffix = Path(path).suffix.lower()
    if suffix in (*PAGES, ".json"):
        with atomic(path) as file:
            yield lambda result: _write_file(file, result, page)
        return
    if folder is None:
        raise UsageError(
            f"The result cannot be written to '{path}'.", "Give a .html page or a .json file."
        )
    check_folder_name(path)
    with atomic_folder(path, {"command": command}) as place:
        yield lambda result: folder(result, place)


def score_place(
    path: str | Path | None, command: str = "score"
) -> AbstractContextManager[Callable[[ScoreResult], None]]:
    """The place of a result of ``score``: a page, a JSON file or a folder."""
    return result_place(path, score_page, write_folder, command)


def panel_place(
    path: str | Path | None, drawn: Callable[[Any], Page]
) -> AbstractContextManager[Callable[[Any], None]]:
    """The place of a result that is drawn as small panels: a page or a JSON file.

    Args:
        path: A ``.html`` page or a ``.json`` file.
        drawn: Makes a page of the result.
    """
    return result_place(path, lambda result: panel_page(drawn(result)))


def check_folder_name(path: str | Path) -> None:
    """Refuse a name that looks like that of a file of no known format: a folder of that name is
    hardly what was meant.
    """
    if _FORMAT.fullmatch(Path(path).suffix) and not Path(path).is_dir():
        raise UsageError(
            f"A result cannot be written to '{path}': its suffix names no format.",
            "Give a folder, a .html page or a .json file.",
        )


def check_ranking_place(path: str | Path) -> None:
    """Refuse a place for a ranking that has no known format or cannot be written."""
    format_for(path)
    # Left by an error on purpose: what fails puts nothing in its place.
    try:
        with atomic(path):
            raise _OnlyLooking
    except _OnlyLooking:
        return


class _OnlyLooking(Exception):
    """Leaves a place as it was."""


def _write_file(file: Path, result: Any, page: Callable[[Any], str]) -> None:
    is_json = file.suffix.lower() == ".json"
    text = dumps(result.to_dict()) if is_json else page(result)
    file.write_text(text, encoding="utf-8")


def write_folder(result: ScoreResult, folder: Path, strips: Sequence[Strip] = ()) -> None:
    """Manifest, scores, values per query and page of a result, with pictures where there are any,
    into a folder.
    """
    # Values of single queries are complete here; the page, which may be handed on, withholds some.
    answer = result.to_dict()
    (folder / "scores.json").write_text(dumps(answer), encoding="utf-8")
    # What the result says of itself goes before what is said here.
    manifest = {**MADE_BY, "command": "score", **answer["manifest"]}
    write_manifest(folder / MANIFEST, manifest)
    (folder / "report.html").write_text(score_page(result, strips), encoding="utf-8")
    write_records(folder / "per_query.csv", answer["per_query"])


def score_page(result: ScoreResult, strips: Sequence[Strip] = ()) -> str:
    """The page of a result for others, with what the registry says of its metrics, and pictures
    where there are any.
    """
    from fairlead.report.score_page import score_page as drawn
    from fairlead.report.withheld import for_others

    return drawn(for_others(result), cards=_cards(result), strips=strips)


def _cards(result: ScoreResult) -> list[dict[str, Any]]:
    """The cards of the metrics used; those the registry does not know say nothing of themselves."""
    cards: dict[str, dict[str, Any]] = {}
    for row in result.rows:
        try:
            name = parse(row.metric).name
            cards.setdefault(name, registry.card("metric", name))
        except FairleadError:
            continue
    return list(cards.values())


def dumps(value: Any) -> str:
    """JSON text, the same for the same value."""
    # NaN is no JSON: one that slipped through fails here, not in the program that reads it.
    return visible(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False))


def write_records(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Records as CSV; undefined is empty."""
    columns = list(dict.fromkeys(key for record in records for key in record))
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = ([record.get(name) for name in columns] for record in records)
        write_cells(file, columns, rows, end="\r\n")
