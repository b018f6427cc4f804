"""Assembly of a comparison of labellers: a run, what people say, and labellers by name or by file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairlead.commands.human import first_of, without
from fairlead.engine.labels import named
from fairlead.errors import UsageError
from fairlead.statistics.cells import SMALLEST
from fairlead.store.labels import read_item_groups
from fairlead.store.leave_out import left_notes
from fairlead.studies.labellers import Comparison, Labeller, compare_labellers
from fairlead.types import Collection, Groups, Sets
from fairlead.words.counts import agreeing, part_of

K, THRESHOLD = 200, 0.5
"""How many items of a query are looked at, and the share detected from which on it is trusted, as
in the paper.
"""


def compare(
    run: Any,
    human: Any,
    labellers: Sequence[Any],
    *,
    attribute: str | None = None,
    group: str | None = None,
    k: int = K,
    threshold: float = THRESHOLD,
    leave_out: Any = None,
    least: int = SMALLEST,
    seed: int = 0,
) -> Comparison:
    """Compare labellers with people on the first items of every query.

    Args:
        run: A ranking.
        human: What people say: ``human:labels.db``, or a table of labels.
        labellers: Whom to compare: tables of labels, or annotators that read files
            (``rekognition:faces.jsonl``).
        attribute: What is labelled; what people label, where that is one thing.
        group: The group whose ratio is compared; the first by default.
        k: How many items of a query.
        threshold: The share of detected items from which on a query is trusted.
        leave_out: Items and queries that are not looked at: a file, or a list of lines.
        least: Queries with fewer items that people labelled are not told; 0 tells all.
        seed: Seed of every random choice.
    """
    if not 0 <= threshold <= 1:
        raise UsageError(
            f"The threshold {threshold:g} is no share.", "Give a number between 0 and 1."
        )
    if not labellers:
        raise UsageError("There is nobody to compare with people.", "Name labellers with --with.")
    kept, left = without(run, leave_out)
    queries, lists, ids = first_of(kept, k)
    items = Collection(tuple(ids))
    name, people = _human(human, items, attribute)
    told = [_labeller(labeller, items, name) for labeller in labellers]
    sets = Sets(lists.offsets, lists.rows)
    found = compare_labellers(
        queries,
        sets,
        people,
        _apart(told),
        k=k,
        group=group,
        threshold=threshold,
        least=least,
        seed=seed,
    )
    return replace(found, notes=(*found.notes, *left_notes(left)))


def _human(source: Any, items: Collection, attribute: str | None) -> tuple[str, Groups]:
    """The attribute, and what people say of it."""
    who = _who(source)
    known = (
        tuple(who.attributes(items)) if callable(who) else tuple(read_item_groups(who, items.ids))
    )
    if attribute is None and len(known) != 1:
        raise UsageError(
            f"{source} labels {', '.join(known) or 'nothing'}.", "Say which with --attribute."
        )
    name = attribute or known[0]
    return name, _told(who, items, name)


def _labeller(source: Any, items: Collection, attribute: str) -> Labeller:
    """One labeller: its labels, where it found faces, and what its file does not know."""
    who = _who(source)
    groups = _told(who, items, attribute)
    name = getattr(who, "title", None) or (
        who.stem if isinstance(who, Path) else str(who) if callable(who) else "given"
    )
    if not hasattr(who, "detected"):
        return Labeller(name, groups)
    missing = who.missing(items)
    words = agreeing(
        missing, "was never asked about and counts", "were never asked about and count"
    )
    notes = (f"{part_of(missing, len(items), 'item')} {words} as not detected.",) if missing else ()
    return Labeller(name, groups, who.detected(items), notes)


def _apart(labellers: Sequence[Labeller]) -> list[Labeller]:
    """Labellers whose short names are the same are called by what they are in full."""
    names = [labeller.name for labeller in labellers]
    return [
        one
        if names.count(one.name) == 1
        else Labeller(one.groups.source, one.groups, one.detected, one.notes)
        for one in labellers
    ]


def _who(source: Any) -> Any:
    """An annotator that reads a file, a table, or a data frame."""
    who = named(str(source)) if isinstance(source, (str, Path)) else source
    if set(getattr(who, "needs", ())):
        hint = (
            f"Label them first: fairlead annotate COLLECTION --with {str(who)!r} -o FILE, and "
            "compare the file."
        )
        raise UsageError(
            f"{who} looks at the items themselves, and a run has their names alone.", hint
        )
    return who


def _told(who: Any, items: Collection, attribute: str) -> Groups:
    if callable(who):
        groups: Groups = who(items, attribute)
        return groups
    label = str(who) if isinstance(who, Path) else "given"
    return replace(read_item_groups(who, items.ids, (attribute,))[attribute], source=label)
