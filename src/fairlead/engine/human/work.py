"""Work for people: what to label next, what it costs, and the files that hand it out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from fairlead.engine.run_items import first_of, without
from fairlead.errors import DataError, UsageError
from fairlead.statistics.sampling import By
from fairlead.store import lines
from fairlead.store.answer_files.label_studio import write_tasks
from fairlead.store.atomic import atomic
from fairlead.store.cells import write_cells
from fairlead.store.formats import locate
from fairlead.store.human import HumanStore
from fairlead.store.leave_out import LeaveOut, read_leave_out
from fairlead.store.runs import ITEM_ALIASES
from fairlead.store.tables import Header
from fairlead.studies.human_plan import NextLabels, plan_of
from fairlead.types import Ranking

Place = str | Path


def plan(
    store: Place,
    attribute: str,
    *,
    run: Any = None,
    items: Place | None = None,
    k: int = 20,
    budget: int | None = None,
    by: By = "interval",
    leave_out: Any = None,
    seed: int = 0,
) -> NextLabels:
    """What to label next, and what it costs: of the first k of a run's queries, of a table of
    items, or of what is in the queue.

    What is on the list to leave out is not put before anybody.
    """
    if run is not None and items is not None:
        raise UsageError(
            "A run and a table of items were given.", "Give one: the run has its items."
        )
    with HumanStore(store) as opened:
        task, answers = opened.task(attribute), opened.answers(attribute)
        named = list(opened.asked(attribute))
    out = read_leave_out(leave_out) or LeaveOut()
    if items is not None:
        named = list(item_fields(items))
    ids = [name for name, gone in zip(named, out.items(named), strict=True) if not gone]
    # A table and the queue have no queries: they are one list, whose every item counts alike.
    lists = Ranking.of([range(len(ids))])
    if run is not None:
        _, lists, ids = first_of(without(run, out)[0], k)
    if not ids:
        raise UsageError(
            f"There is nothing to choose from for '{attribute}'.", "Give --run RUN or --items FILE."
        )
    return plan_of(task, answers, lists, ids, budget=budget, by=by, seed=seed)


def ask(store: Place, made: NextLabels, time: datetime) -> int:
    """Put the items of a plan in the queue of its task. Returns how many are new there."""
    with HumanStore(store) as opened:
        return opened.ask(made.attribute, made.items, time)


def write_work(store: Place, made: NextLabels, out: Place, items: Place | None = None) -> None:
    """Write the items of a plan as work to hand out: tasks of Label Studio (.json), or a table
    (.csv), as MTurk takes it.
    """
    fields = dict[str, dict[str, str]]()
    if items is not None:
        fields = item_fields(items)
    with HumanStore(store) as opened, atomic(out) as file:
        if Path(out).suffix.lower() == ".json":
            write_tasks(file, opened.task(made.attribute), made.items, fields)
            return
        columns = list(dict.fromkeys(name for about in fields.values() for name in about))
        with file.open("w", encoding="utf-8", newline="") as stream:
            cells = (fields.get(item, {}) for item in made.items)
            rows = (
                (item, *map(about.get, columns))
                for item, about in zip(made.items, cells, strict=True)
            )
            write_cells(stream, ("item", *columns), rows)


def item_fields(path: Place) -> dict[str, dict[str, str]]:
    """The items of a table with the rest of its columns, e.g. where the picture is."""
    file = locate(path, None)
    if file.format == "parquet":
        raise UsageError(f"{file.name} is Parquet.", "Give items as .csv, .tsv or .jsonl.")
    names, _ = lines.header(file)
    item = Header(file.name, names).need("item", ITEM_ALIASES)
    found: dict[str, dict[str, str]] = {}
    for line, values in lines.records(file, names):
        texts = map(_text, values)
        cells = dict(zip(names, texts, strict=True))
        name, fault = cells.pop(item).strip(), ""
        if not name:
            fault = "the item is empty"
        elif name in found:
            fault = f"the item '{name}' stands there twice"
        if fault:
            raise DataError(f"{file.name}, line {line}: {fault}.", "Every line is one item.")
        found[name] = cells
    return found


def _text(value: Any) -> str:
    """A cell as text: JSON lines hold numbers, and null for nothing."""
    if value is None:
        return ""
    return str(value)
