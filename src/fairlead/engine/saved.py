"""What is saved of a live run, so that it can be measured and mitigated again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from fairlead.engine.asked import of_ids
from fairlead.engine.engine import Engine, Outcome
from fairlead.engine.galleries import open_collection
from fairlead.engine.inputs import inputs_of, refuse_changed
from fairlead.engine.labels import labelled, named
from fairlead.engine.live import Sighted
from fairlead.engine.mitigations import mitigation_of
from fairlead.engine.plan import is_object
from fairlead.engine.questions import asked_in, study_of
from fairlead.engine.sight import sight
from fairlead.engine.targets import with_named
from fairlead.engine.treatments import PLAIN
from fairlead.errors import DataError, FairleadError, UsageError, unknown_name
from fairlead.protocols import QueryAnnotator, registry
from fairlead.protocols.trust import reading
from fairlead.store.saved_run import read_saved
from fairlead.types import Groups, Queries, Study
from fairlead.types.evidence import Labelled
from fairlead.types.joining import matched, read_map
from fairlead.types.ragged import Array, entries_of, locate, offsets_of
from fairlead.types.saved import SavedRun


def saved_run(engine: Engine, outcome: Outcome, manifest: Mapping[str, Any]) -> SavedRun:
    """The lists of a run with all that they were made from.

    The manifest is kept with the names of what was measured, so that scoring the file again asks
    the same questions.
    """
    plain, lists = outcome.evidence[PLAIN], outcome.lists
    mitigate: tuple[str, Labelled] | None = None
    candidates, background = None, None
    if lists.labels is not None and lists.candidates is not None:
        mitigate = engine.opened.labels.attribute, lists.labels
        candidates, background = lists.candidates.ranking, lists.candidates.background
    return SavedRun(
        outcome.asked.ids,
        outcome.asked.words,
        engine.shelf.collection.ids,
        {name: one.ranking for name, one in outcome.evidence.items()},
        dict(plain.attributes),
        mitigate,
        candidates,
        background,
        outcome.asked.relevant,
        outcome.asked.candidates,
        engine.shelf.blocks,
        outcome.asked.clusters,
        dict(outcome.asked.by),
        {**manifest, "metrics": [str(metric) for metric in engine.metrics]},
        silent=outcome.asked.silent,
    )


def opened_run(path: Any, map: Sequence[str] = ()) -> SavedRun:
    """A saved run with its labels: those in the file, or read again from where they came.

    Raises:
        DataError: Where a source of labels says something else than it did.
        UsageError: For new names of groups: a saved run keeps those it was measured with.
    """
    if map:
        raise UsageError(
            "A saved run keeps the names of its groups.",
            "Give the labels with --groups, or leave out --map.",
        )
    run = read_saved(path)
    if run.labelled:
        return run
    # Its manifest names models, annotators and places of labels, and nobody knows who wrote it.
    with reading(path):
        return relabelled(run)


def relabelled(run: SavedRun) -> SavedRun:
    """A saved run with its labels read again from the sources that its manifest names."""
    plan: Mapping[str, Any] = run.manifest.get("plan", {})
    _refuse_objects(plan)
    study, groups = _study(plan)
    refuse_changed(run.manifest.get("inputs", {}), inputs_of(SimpleNamespace(**plan), study.files))
    encoder = plan.get("model")
    measuring, mitigating = named(groups), named(_mitigating(plan))
    names = tuple(run.attributes)
    rename = read_map(plan.get("map", ()))
    labels = labelled(study, measuring, names, _sight(measuring, encoder), rename).study
    rows = _rows(run, labels)
    attributes = {
        name: replace(one, groups=_again(_known(labels, name), one, rows, run, labels))
        for name, one in run.attributes.items()
    }
    mitigate = run.mitigate
    if mitigate is not None:
        name, one = mitigate
        if mitigating is None:
            groups = attributes[name].groups
        elif isinstance(mitigating, QueryAnnotator) and run.candidates is not None:
            known = attributes[name].groups.names
            eyes = _sight(mitigating, encoder)
            sight_of = Sighted(mitigating, study.collection, eyes, known, rename)
            groups = sight_of.labels(name, of_ids(run.queries, run.words), run.candidates)
        else:
            eyes = _sight(mitigating, encoder)
            seen = labelled(study, mitigating, (name,), eyes, rename).study
            groups, _ = matched(_known(seen, name), attributes[name].groups.names)
            groups = _again(groups, one, rows, run, labels)
        mitigate = name, replace(one, groups=groups)
    return replace(run, attributes=attributes, mitigate=mitigate, labelled=True)


def _refuse_objects(plan: Mapping[str, Any]) -> None:
    """Refuse to look for labels that a program brought as objects: a file can only name them."""
    for name in ("groups", "mitigate_groups", "benchmark", "collection", "queries"):
        if is_object(plan.get(name)):
            raise UsageError(
                f"The run was made with {name} given as an object ({plan[name]['object']}), which "
                "a saved run cannot bring along.",
                "Give the labels with --groups, or save the run with its labels.",
            )


def _mitigating(plan: Mapping[str, Any]) -> Any:
    """Who labelled the items for the first reranker, whose candidates are the saved ones."""
    for text in plan.get("mitigate", ()):
        try:
            one = mitigation_of(text, own_labels=True)
        except FairleadError:
            # An object that a caller brought: the manifest holds its type alone.
            break
        if one.reranker is not None:
            return one.groups or plan.get("mitigate_groups")
    return plan.get("mitigate_groups")


def _study(plan: Mapping[str, Any]) -> tuple[Study, Any]:
    """What was asked, by the names the plan gives it, and who measures."""
    if "benchmark" in plan:
        names = ("benchmark", "collection", "queries", "qrels", "groups", "target")
        benchmark, groups = asked_in(SimpleNamespace(**{name: plan.get(name) for name in names}))
        return study_of(benchmark), groups
    if "collection" in plan:
        collection = open_collection(plan["collection"])
        return Study(str(plan["collection"]), collection, Queries(()), ()), plan.get("groups")
    raise UsageError(
        "The saved run does not say where its labels came from.", "Give labels with --groups."
    )


def _sight(annotator: Any, encoder: Any) -> Any:
    if not callable(annotator):
        return None
    if encoder is None:
        return sight(annotator, None)
    return sight(annotator, registry.make("encoder", encoder))


def _known(study: Study, name: str) -> Groups:
    known = {**study.collection.groups, **study.roles}
    if name not in known:
        raise unknown_name(f"attribute of {study.name}", name, known)
    return known[name]


def _entries(run: SavedRun, study: Study, rows: Array) -> Array:
    """(entries of the plain lists,) where each stands among the candidates that the protocol fixes:
    labels that depend on the query are given in that order.
    """
    fixed = study.queries.candidates
    ranking = next(iter(run.lists.values()))
    place = {name: number for number, name in enumerate(study.queries.ids)}
    gone = [name for name in run.queries if name not in place]
    if fixed is None or gone:
        what = f"query '{gone[0]}'" if gone else "its candidates"
        raise DataError(
            f"{study.name} no longer has {what}.",
            "The run can be measured with labels of your own: --groups.",
        )
    numbers, sizes = entries_of(fixed.offsets, np.array([place[name] for name in run.queries]))
    found = locate(offsets_of(sizes), fixed.rows[numbers], ranking.offsets, rows[ranking.rows])
    if (found < 0).any():
        raise DataError(
            f"{study.name} no longer has all candidates that the run ranks.",
            "The run can be measured with labels of your own: --groups.",
        )
    return numbers[found]


def _rows(run: SavedRun, study: Study) -> Any:
    """(items,) the row of each saved item among those that are labelled again."""
    place = {name: row for row, name in enumerate(study.collection.ids)}
    missing = [name for name in run.items if name not in place]
    if missing:
        raise DataError(
            f"{study.name} no longer has item '{missing[0]}' ({len(missing)} are gone).",
            "The run can be measured with labels of your own: --groups.",
        )
    return np.array([place[name] for name in run.items], np.int64)


def _again(groups: Groups, before: Labelled, rows: Array, run: SavedRun, study: Study) -> Groups:
    """Labels that were read again, in the order of a run."""
    at = rows
    if before.aligned:
        at = _entries(run, study, rows)
    groups = groups.take(at)
    # The file may have changed since: other names or another source mean other numbers.
    if set(groups.names) <= set(before.groups.names):
        groups = with_named(groups, before.groups.names)
    if groups.source != before.groups.source or groups.names != before.groups.names:
        raise DataError(
            f"The labels of '{groups.attribute}' are not those the run was saved with: they came "
            f"from '{before.groups.source}' ({', '.join(before.groups.names)}), now they come from "
            f"'{groups.source}' ({', '.join(groups.names)}).",
            "Give labels with --groups.",
        )
    return groups
