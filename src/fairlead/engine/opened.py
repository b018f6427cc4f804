"""What a live plan opens: a collection with vectors, and who says which group its items show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fairlead.annotators.asked import refuse_unseen
from fairlead.engine.labels import labelled, named, told
from fairlead.engine.live import MEASURING, Labels, Sighted
from fairlead.engine.mitigations import Mitigation
from fairlead.engine.setup import Setup
from fairlead.engine.targets import one_group, stated_shares, with_named
from fairlead.errors import DataError, UsageError, unknown_name
from fairlead.protocols import QueryAnnotator
from fairlead.store.leave_out import LeaveOut
from fairlead.types import Embeddings, Groups, Study
from fairlead.types.joining import matched, refuse_idle

Sight = Callable[[Any], Any]
"""What an annotator sees a collection with."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A collection with its vectors and its labels, without what is left out.

    Attributes:
        study: The items and, where a benchmark asks, its queries.
        embeddings: Vectors of the items.
        encoder: The model that ranks.
        source: What is asked, by name: projections are fitted beside it.
        labels: Who says which group an item shows.
        mitigating: Who says so to rerankers: an annotator, a file, or None for those who measure.
        own: Labels of single mitigations, by their text form.
        coverage: How much of the items each attribute of a file labels.
        inputs: Files of labels with their fingerprints.
        warnings: What a reader must know of the labels.
        leave_out: What was left out.
        left: How much that was; None where no list was given.
    """

    study: Study
    embeddings: Embeddings | None
    encoder: Any
    source: Any
    labels: Labels
    mitigating: Any = None
    coverage: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    leave_out: LeaveOut = field(default_factory=LeaveOut)
    left: Mapping[str, int] | None = None

    def source_of(self, mitigation: Mitigation) -> str:
        """Under which name the labels stand that the reranker of a mitigation sees."""
        if mitigation.reranker is None:
            return ""
        own = mitigation.groups
        return self.labels.attribute if own is None else f"{self.labels.attribute} by {own}"


def labels_of(
    study: Study,
    setup: Setup,
    mitigations: Sequence[Mitigation],
    sight: Sight,
    *,
    strict: bool,
) -> tuple[Study, Labels, dict[str, Any]]:
    """Who says which group an item shows: to metrics, and to rerankers.

    Args:
        study: The items and queries.
        setup: What was asked for.
        mitigations: What lists are made besides the plain one.
        sight: What an annotator sees the items with.
        strict: Whether an attribute with a single known group is refused even where nobody named
            it; else it is not measured, and a note says so.

    Returns:
        The study with the attributes that are measured, the labels, and what a manifest says of
        them: ``coverage``, ``inputs``, ``warnings``.
    """
    measuring, mitigating = named(setup.groups), named(setup.mitigate_groups)
    labels = labelled(study, measuring, setup.attribute, sight(measuring), setup.rename)
    known = {**labels.study.collection.groups, **labels.study.roles}
    reordering = any(one.reranker is not None for one in mitigations)
    optional = bool(mitigations) and not reordering and not known
    wanted = _wanted(labels.study, known, setup, optional=optional)
    if reordering and not wanted:
        raise unlabelled()
    shares = stated_shares(setup.target)
    notes = list(labels.warnings)
    measure, roles = dict[str, Groups](), dict[str, Groups]()
    for name in wanted:
        groups = known[name]
        if shares is not None and name in shares:
            groups = with_named(groups, [group for _, group in shares[name]])
        if len(groups.names) < 2:
            asked = setup.attribute is not None or setup.groups is not None
            if strict or asked or (reordering and name == wanted[0]):
                raise one_group(groups)
            notes.append(
                f"'{name}' has one group only ('{groups.names[0]}'), so it is not measured."
            )
            continue
        (roles if name in labels.study.roles else measure)[name] = known[name]
    first = wanted[0] if wanted else next(iter(setup.attribute or ()), "")
    sources = dict[str, Groups | Sighted]()
    if reordering:
        if first in roles:
            raise UsageError(
                f"'{first}' of {study.name} depends on the query: it is the answer of a forced "
                "choice, so no list can be mitigated by it.",
                "Leave out --mitigate.",
            )
        mitigators = {first: mitigating}
        for one in mitigations:
            if one.reranker is not None and one.groups is not None:
                mitigators[f"{first} by {one.groups}"] = named(one.groups)
        for name, source in mitigators.items():
            sources[name], remarks = _seen(study, known[first], source, setup.rename, sight)
            notes += remarks
    refuse_idle(setup.rename, [*known.values(), *_groups(sources)], study.name)
    narrowed = replace(
        labels.study,
        collection=replace(labels.study.collection, groups=measure),
        roles=roles,
        attributes=(),
    )
    about = {"coverage": labels.coverage, "inputs": labels.inputs, "warnings": notes}
    return narrowed, Labels(measure, roles, first, sources, setup.target, shares), about


def _wanted(
    study: Study, known: Mapping[str, Groups], setup: Setup, *, optional: bool
) -> tuple[str, ...]:
    """The attributes that are looked at: those asked for, the benchmark's own, or all."""
    asked = setup.attribute or ()
    for name in () if optional else asked:
        if name not in known:
            if not known:
                raise unlabelled()
            raise unknown_name(f"attribute of {study.name}", name, known)
    return tuple(name for name in asked or study.attributes or known if name in known)


def _groups(sources: Mapping[str, Groups | Sighted]) -> list[Groups]:
    """The labels of those sources that label items whatever was asked."""
    return [one for one in sources.values() if isinstance(one, Groups)]


def _seen(
    study: Study, measuring: Groups, source: Any, rename: Mapping[str, str], sight: Sight
) -> tuple[Groups | Sighted, list[str]]:
    """What rerankers see, and notes: an annotator's labels, those of a file or, where nobody else
    is named, the labels that also measure. Their groups are joined by name to those that measure.
    """
    attribute = measuring.attribute
    if source is None:
        return measuring, []
    own = study.collection.groups.get(attribute, measuring)
    items = replace(study.collection, groups={attribute: own})
    if isinstance(source, QueryAnnotator):
        refuse_unseen(source, attribute)
        return Sighted(source, items, sight(source), measuring.names, rename), []
    if callable(source):
        seen = told(source, items, (attribute,), sight(source), rename)[attribute]
        return matched(seen, measuring.names, others=MEASURING)
    labels = labelled(study, source, (attribute,), None, rename).study.collection.groups
    if attribute not in labels:
        raise DataError(
            f"{source} labels items for single queries.",
            "Rerankers need labels of the items: no 'query' column.",
        )
    groups = labels[attribute]
    if len(groups.names) < 2:
        raise one_group(groups)
    return matched(groups, measuring.names, others=MEASURING)


def unlabelled() -> DataError:
    """The error for a collection of which nobody says who is shown."""
    return DataError(
        "No item of the collection is labelled, so nothing can be mitigated.",
        "Give labels with --groups FILE.",
    )
