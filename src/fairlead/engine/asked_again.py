"""A saved run as a plan asks for it: what the plan gives is honoured or refused, and all else is as
it was when the run was saved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np

from fairlead.engine.labels import labelled, named
from fairlead.engine.saved import opened_run
from fairlead.engine.targets import COUNTED, stated_shares
from fairlead.engine.targets import labelled as with_target
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.store.ids import Universe
from fairlead.store.leave_out import LeaveOut, read_leave_out
from fairlead.store.qrels import read_qrels
from fairlead.store.runs import Run
from fairlead.store.saved_run import read_saved
from fairlead.types import Collection, Groups, Queries, Ranking, Relevant, Sets, Study, cross
from fairlead.types.evidence import Labelled
from fairlead.types.joining import read_map
from fairlead.types.ragged import Array
from fairlead.types.saved import SavedRun

TAKEN = ("null", "unknown", "interval", "seed", "target", "trigger", "leave", "attribute", "metric")
"""Choices that a saved run brings along, and a plan may give anew."""
_FIXED = {
    "ties": "its lists stand in the order in which they were made",
    "blocks": "its matched sets were saved with it",
}
"""Choices about reading a file of results, which a saved run has behind it."""


def chosen(plan: Any, before: Mapping[str, Any], name: str) -> Any:
    """A choice of the plan where it was given, else the one a run was saved with."""
    if name in plan.model_fields_set:
        return getattr(plan, name)
    return before.get(name, type(plan).model_fields[name].default)


def taken(plan: Any, run: SavedRun) -> dict[str, Any]:
    """The choices of a plan as text, with what was taken from a saved run in their place."""
    before: Mapping[str, Any] = run.manifest.get("plan", {})
    about: dict[str, Any] = plan.described()
    names = set(TAKEN) & before.keys() & type(plan).model_fields.keys() - plan.model_fields_set
    if plan.groups is not None:
        # New labels say themselves what they label.
        names.discard("attribute")
    return about | {name: before[name] for name in TAKEN if name in names}


def run_in(plan: Any, place: Any) -> SavedRun:
    """The saved run that a plan names, with the labels, target and judgements that the plan gives,
    or else with its own.

    Raises:
        UsageError: For a choice that a saved run cannot follow.
    """
    for name, reason in _FIXED.items():
        if name in plan.model_fields_set:
            raise UsageError(
                f"A saved run cannot be read with --{name}: {reason}.",
                f"Leave out --{name}, or give the run as a table of query, item and score.",
            )
    if plan.groups is None:
        run = _with_attributes(opened_run(place, plan.map), plan)
        run = _judged(run, plan)
        if "target" in plan.model_fields_set:
            run = _with_target(run, plan.target)
    else:
        run = _labelled_anew(_judged(read_saved(place), plan), plan)
    if "source" in plan.model_fields_set:
        run = _with_source(run, plan.source)
    return run


def left_out(run: SavedRun, plan: Any) -> tuple[LeaveOut, Array, Array]:
    """What a plan leaves out of a saved run: its list, and (items,) and (queries,) that are on it.

    A query is named by its id or by its words.
    """
    out = read_leave_out(plan.leave_out) or LeaveOut()
    words = [word or name for word, name in zip(run.words, run.queries, strict=True)]
    return out, out.items(run.items), out.queries(run.queries, words)


def _judged(run: SavedRun, plan: Any) -> SavedRun:
    """The run with the judgements that a plan gives, as far as they are of its collection."""
    if plan.qrels is None:
        return run
    lists = Run(_plain(run), run.queries, Universe.of(run.items), name="the saved run")
    judged = read_qrels(plan.qrels, lists).relevant
    owner = np.repeat(np.arange(len(judged)), np.diff(judged.offsets))
    kept = judged.rows < len(run.items)
    sizes = np.bincount(owner[kept], minlength=len(judged))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return replace(run, relevant=Relevant(offsets, judged.rows[kept], judged.gains[kept]))


def _labelled_anew(run: SavedRun, plan: Any) -> SavedRun:
    """The run with the labels that a plan gives. Their target is the plan's, or else the saved one
    of the same attribute.
    """
    study = Study("the saved run", Collection(tuple(run.items)), Queries(run.queries), ())
    names = plan.attribute or None
    labels = labelled(study, named(plan.groups), names, None, read_map(plan.map))
    attributes = {}
    for name, groups in labels.study.collection.groups.items():
        target = plan.target
        before = run.attributes.get(name)
        if before is not None and "target" not in plan.model_fields_set:
            target = before.target.name
            same = sorted(groups.names) == sorted(before.groups.names)
            if target not in COUNTED and same:
                target = replace(before.target, groups=before.groups.names)
            elif target not in COUNTED:
                raise UsageError(
                    f"The target {target} of the saved run is of {', '.join(before.groups.names)}, "
                    f"the labels are of {', '.join(groups.names)}.",
                    "Say what the lists are held against: --target.",
                )
        attributes[name] = _held(run, groups, target)
    # What rerankers saw belongs to the labels the run was saved with, so it goes with them.
    return replace(run, attributes=attributes, mitigate=None, labelled=True)


def _with_attributes(run: SavedRun, plan: Any) -> SavedRun:
    """The run with the attributes that a plan names; all that it has by default."""
    if not plan.attribute:
        return run
    attributes = {name: _attribute(run, name) for name in plan.attribute}
    mitigate = run.mitigate
    if mitigate is not None and mitigate[0] not in attributes:
        mitigate = None
    return replace(run, attributes=attributes, mitigate=mitigate)


def _attribute(run: SavedRun, name: str) -> Labelled:
    """An attribute of a run, or an intersection of its attributes."""
    if name in run.attributes:
        return run.attributes[name]
    parts = [part.strip() for part in name.split("*")]
    missing = [part for part in parts if part not in run.attributes]
    if missing:
        raise unknown_name("attribute of the saved run", missing[0], run.attributes)
    crossed = [run.attributes[part] for part in parts]
    stated = {one.target.name for one in crossed}
    if any(one.aligned for one in crossed) or len(stated) > 1 or not stated < {*COUNTED}:
        raise UsageError(
            f"The saved run has no target for '{name}'.",
            "Give labels and a target: --groups FILE --target FILE.",
        )
    return _held(run, reduce(cross, (one.groups for one in crossed)), stated.pop())


def _with_target(run: SavedRun, target: Any) -> SavedRun:
    """The run held against another target, what rerankers see too."""
    attributes = {
        name: _held(run, one.groups, target, aligned=one.aligned)
        for name, one in run.attributes.items()
    }
    mitigate = run.mitigate
    if mitigate is not None:
        name, one = mitigate
        held = _held(run, one.groups, target, aligned=one.aligned, ranking=run.candidates)
        mitigate = name, held
    return replace(run, attributes=attributes, mitigate=mitigate)


def _held(
    run: SavedRun,
    groups: Groups,
    target: Any,
    *,
    aligned: bool = False,
    ranking: Ranking | None = None,
) -> Labelled:
    """Labels with a target, counted in what the run could have shown."""
    pool = run.fixed or Sets(np.array([0, len(run.items)]), np.arange(len(run.items)))
    if aligned:
        # Labels that depend on the query stand by entry: what is counted is the list itself.
        lists = ranking or _plain(run)
        pool = Sets(lists.offsets, np.arange(len(lists.rows)))
    return with_target(
        groups,
        target,
        stated_shares(target),
        queries=run.queries,
        pool=pool,
        relevant=run.relevant,
        aligned=aligned,
    )


def _with_source(run: SavedRun, source: str) -> SavedRun:
    """The run with another name for who made its labels."""
    renamed = partial(_from, source)
    attributes = {name: renamed(one) for name, one in run.attributes.items()}
    return replace(run, attributes=attributes)


def _from(source: str, one: Labelled) -> Labelled:
    return replace(one, groups=replace(one.groups, source=source))


def _plain(run: SavedRun) -> Ranking:
    """The plain lists: they are saved first."""
    return next(iter(run.lists.values()))


def refuse_nothing(run: SavedRun) -> None:
    """Refuse a run of which everything is left out."""
    if not any(len(ranking.rows) for ranking in run.lists.values()):
        raise DataError(
            "Nothing of the saved run is left to look at.",
            "The list of what to leave out names all of it.",
        )
