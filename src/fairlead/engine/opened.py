"""What a live plan opens: a collection with vectors, and who says which group its items show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fairlead.annotators.asked import refuse_unseen
from fairlead.engine.labels import labelled, named, told
from fairlead.engine.live import MEASURING, Labels, Sighted
from fairlead.engine.mitigations import Mitigation
from fairlead.engine.recorded import twins
from fairlead.engine.setup import Setup
from fairlead.engine.targets import Shares, one_group, shares_of, stated_shares, with_named
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
        return _source_name(self.labels.attribute, mitigation.groups)


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
    reranked = [one for one in mitigations if one.reranker is not None]
    # Projections alone can go without labels: some look at texts only, some were fitted before.
    optional = bool(mitigations) and not reranked and not known
    wanted = _wanted(labels.study, known, setup, optional=optional)
    if reranked and not wanted:
        raise unlabelled()
    shares = stated_shares(setup.target)
    # What somebody named must not be passed over with a note; nor what is to be mitigated.
    refused: Sequence[str] = ()
    if strict or setup.attribute is not None or setup.groups is not None:
        refused = wanted
    elif reranked:
        refused = wanted[:1]
    told_apart, notes = _told_apart(known, wanted, shares, refused)
    notes = [*labels.warnings, *notes]
    notes += [note for one in told_apart.values() for note in twins(one)]
    roles = {name: one for name, one in told_apart.items() if name in labels.study.roles}
    measure = {name: one for name, one in told_apart.items() if name not in roles}
    # Without labels the first attribute asked for still names what projections mitigate.
    first = next(iter(wanted or setup.attribute or ()), "")
    sources = dict[str, Groups | Sighted]()
    if reranked:
        if first in roles:
            raise _answered(study, first)
        # The common labels stand first: what a manifest tells of who mitigates is the first.
        for name, source in {first: mitigating, **_beside(first, reranked)}.items():
            sources[name], remarks = _seen(study, known[first], source, setup.rename, sight)
            notes += remarks
    # Only here is it known which names there are, of those who measure and who mitigate.
    refuse_idle(setup.rename, [*known.values(), *_groups(sources)], study.name)
    narrowed = replace(
        labels.study,
        collection=replace(labels.study.collection, groups=measure),
        roles=roles,
        attributes=(),
    )
    about = {"coverage": labels.coverage, "inputs": labels.inputs, "warnings": notes}
    return narrowed, Labels(measure, roles, first, sources, setup.target, shares), about


def _told_apart(
    known: Mapping[str, Groups],
    wanted: Sequence[str],
    shares: Shares | None,
    refused: Sequence[str],
) -> tuple[dict[str, Groups], list[str]]:
    """The attributes that have groups to tell apart, and notes on those that have not, but for
    those that are ``refused`` then.
    """
    told_apart, notes = dict[str, Groups](), list[str]()
    for name in wanted:
        groups = known[name]
        # A group that the target names counts, though nobody shows it: its absence is the finding.
        stated = None if shares is None else shares_of(shares, name)
        if stated is not None:
            groups = with_named(groups, [group for _, group in stated])
        if len(groups.names) >= 2:
            told_apart[name] = known[name]
            continue
        if name in refused:
            raise one_group(groups)
        notes.append(f"'{name}' has one group only ('{groups.names[0]}'), so it is not measured.")
    return told_apart, notes


def _beside(attribute: str, reranked: Sequence[Mitigation]) -> dict[str, Any]:
    """Who labels for single mitigations, by the name their labels stand under."""
    return {
        _source_name(attribute, one.groups): named(one.groups)
        for one in reranked
        if one.groups is not None
    }


def _answered(study: Study, attribute: str) -> UsageError:
    """The error for an attribute whose labels are the answer of the query."""
    return UsageError(
        f"'{attribute}' of {study.name} depends on the query: it says what a candidate is to "
        "that query, so no list can be mitigated by it.",
        "Name an attribute of the items with --attribute, or leave out --mitigate.",
    )


def _source_name(attribute: str, own: str | None) -> str:
    """Under which name labels stand: those of a single mitigation beside the common ones."""
    if own is None:
        return attribute
    return f"{attribute} by {own}"


def _wanted(
    study: Study, known: Mapping[str, Groups], setup: Setup, *, optional: bool
) -> tuple[str, ...]:
    """The attributes that are looked at: those asked for, the benchmark's own, or all."""
    asked = setup.attribute or ()
    missing = [name for name in asked if name not in known]
    if missing and not optional:
        # With no labels at all, a list of the attributes there are would be empty.
        if not known:
            raise unlabelled()
        raise unknown_name(f"attribute of {study.name}", missing[0], known)
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
    # An annotator sees the benchmark's own labels, not those that measure: ``noisy`` draws its
    # errors over the truth, and errors over another file's labels would be errors twice.
    own = study.collection.groups.get(attribute, measuring)
    items = replace(study.collection, groups={attribute: own})
    if isinstance(source, QueryAnnotator):
        # It labels what a query found, so it is asked when there are candidates.
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
