"""The labels of a search: read for what is searched, held against their targets, for those who
measure and those who mitigate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairlead.engine.galleries import Gallery
from fairlead.engine.labels import named, told
from fairlead.engine.plan import SearchPlan
from fairlead.engine.recorded import one_group, with_named
from fairlead.engine.sight import sight_of_gallery
from fairlead.errors import DataError, unknown_name
from fairlead.protocols import Progress
from fairlead.statistics import targets
from fairlead.store.labels import read_item_groups
from fairlead.store.targets import read_target
from fairlead.types import Groups, Sets
from fairlead.types.evidence import Labelled

Read = Callable[[Any, Mapping[str, Groups], Any], dict[str, Groups]]
"""Reads the labels of a source: its own so far, and what is asked for."""


def labels_of(
    plan: SearchPlan, gallery: Gallery, mitigating: bool, read: Read, *, optional: bool = False
) -> tuple[dict[str, Labelled], tuple[str, Labelled] | None, list[str]]:
    """What metrics see, what rerankers see of the first attribute, and notes; labels are
    ``optional`` where projections alone mitigate.

    An attribute of which one group alone is known is refused where it was asked for or is to be
    mitigated, and else not measured.
    """
    own = dict(gallery.collection.groups)
    known = own if plan.groups is None else read(plan.groups, own, plan.attribute)
    for name in () if optional and not known else plan.attribute or ():
        if name not in known:
            raise unknown_name("labelled attribute", name, known) if known else _unlabelled()
    wanted = {name: known[name] for name in plan.attribute or known if name in known}
    if mitigating and not wanted:
        raise _unlabelled()
    first = next(iter(wanted), None) if mitigating else None
    measure, notes = dict[str, Labelled](), list[str]()
    for name, one in _with_targets(plan, wanted, gallery).items():
        if len(one.groups.names) > 1:
            measure[name] = one
        elif name == first or plan.attribute is not None or plan.groups is not None:
            raise one_group(one.groups)
        else:
            notes.append(
                f"'{name}' has one group only ('{one.groups.names[0]}'), so it is not measured."
            )
    if first is None:
        return measure, None, notes
    seen = {first: wanted[first]}
    if plan.mitigate_groups is not None:
        seen = read(plan.mitigate_groups, seen, (first,))
    mitigate = _with_targets(plan, {first: seen[first]}, gallery)[first]
    if len(mitigate.groups.names) < 2:
        raise one_group(mitigate.groups)
    return measure, (first, mitigate), notes


def present(groups: Groups) -> tuple[str, ...]:
    """The groups that somebody is of; a target may name more."""
    return tuple(
        name for name, count in zip(groups.names, groups.mass()[0], strict=True) if count > 0
    )


def reader_of(plan: SearchPlan, encoder: Any, gallery: Gallery, progress: Progress | None) -> Read:
    """Reads labels from a file or a data frame, or as an annotator tells them."""

    def read(source: Any, own: Mapping[str, Groups], attributes: Any) -> dict[str, Groups]:
        who = named(source) if isinstance(source, str) else source
        if callable(who):
            items = replace(gallery.collection, groups=own)
            return told(
                who,
                items,
                attributes,
                sight_of_gallery(who, plan.collection, encoder, gallery, progress),
            )
        found = read_item_groups(who, gallery.collection.ids, attributes, progress=progress)
        label = who.name if isinstance(who, Path) else "given"
        return {name: replace(groups, source=label) for name, groups in found.items()}

    return read


def _unlabelled() -> DataError:
    return DataError(
        "No item of the collection is labelled, so nothing can be mitigated.",
        "Give labels with --groups FILE.",
    )


def _with_targets(
    plan: SearchPlan, groups: Mapping[str, Groups], gallery: Gallery
) -> dict[str, Labelled]:
    """Labels with their targets; groups that a target alone names are there, with nobody in them."""
    everything = Sets(np.array([0, len(gallery.collection)]), np.arange(len(gallery.collection)))
    shares = (
        None
        if isinstance(plan.target, str) and plan.target in ("uniform", "pool")
        else read_target(plan.target)
    )

    def labelled(one: Groups) -> Labelled:
        if shares is None:
            return Labelled(
                one,
                targets.uniform(one) if plan.target == "uniform" else targets.pool(one, everything),
            )
        if one.attribute not in shares:
            raise DataError(
                f"The target has no rows for attribute '{one.attribute}'.",
                f"It has {', '.join(shares)}.",
            )
        stated = {
            (query, group): share
            for (query, group), share in shares[one.attribute].items()
            if query == "*"
        }
        if not stated:
            raise DataError(
                f"The target has no rows for '{one.attribute}' that hold for every query.",
                "Add rows with query *.",
            )
        one = with_named(one, [group for _, group in stated])
        return Labelled(
            one,
            targets.given(
                one,
                (),
                stated,
                name=str(plan.target) if isinstance(plan.target, (str, Path)) else "given",
            ),
        )

    return {name: labelled(one) for name, one in groups.items()}
