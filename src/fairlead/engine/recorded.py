"""The bench: all files of a plan read into evidence, and what a reader must know of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from fairlead.engine.plan import LabelPlan
from fairlead.engine.targets import Shares, labelled, one_group, stated_shares
from fairlead.errors import DataError, FairleadError, UsageError, together
from fairlead.protocols import Progress
from fairlead.store.labels import RunLabels, given_groups, read_groups
from fairlead.store.leave_out import LeaveOut, left_notes, read_leave_out
from fairlead.store.qrels import read_qrels
from fairlead.store.runs import Run, read_run
from fairlead.types import Groups, Ranking, Relevant, Sets
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.joining import read_map
from fairlead.types.ragged import Array, offsets_of
from fairlead.words.counts import agreeing, counted, part_of


@dataclass(frozen=True, eq=False)
class Bench:
    """What a plan's files hold, ready to be measured; ``left`` counts what is left out,
    ``untouched`` are queries to keep as they are.
    """

    run: Run
    labels: RunLabels
    evidence: Evidence
    items: Sequence[str]
    ties: str = "hash"
    unranked: int = 0
    leave_out: LeaveOut = field(default_factory=LeaveOut)
    left: Mapping[str, int] | None = None
    untouched: frozenset[str] = frozenset()


def open_bench(plan: LabelPlan, progress: Progress | None = None, *, ranked: bool = False) -> Bench:
    """Read all files of a plan into evidence. What is left out is not there or, where all must stay
    ``ranked``, not labelled.
    """
    if plan.groups is None and (ranked or plan.qrels is None):
        raise UsageError(
            "No labels were given.",
            "Name them with --groups FILE; only a run that was saved with its labels has its own.",
        )
    shares, out = stated_shares(plan.target), read_leave_out(plan.leave_out) or LeaveOut()
    whole = read_run(plan.run, ties=plan.ties, seed=plan.seed, progress=progress)
    asked = out.queries(whole.queries)
    # A list that is ranked anew keeps every item; those left out are only without labels.
    run = whole
    if out and not ranked:
        run = whole.without(out.items(whole.items), asked)
    labels = _labels_in(plan, run, whole, progress, blank=ranked)
    if out:
        labels = labels.without(out.items(labels.items), run)
    items, relevant, unranked = labels.items, None, 0
    if plan.qrels is not None:
        judgements = read_qrels(plan.qrels, run, items=labels.items)
        relevant, items, unranked = judgements.relevant, judgements.items, judgements.others
        if out and not ranked:
            relevant = _judged(relevant, out.items(items))
    # Judgements may know items that are neither ranked nor labelled; they count as unknown.
    groups, blocks = dict(labels.attributes), labels.blocks
    if not labels.aligned:
        groups = {name: _grown(one, len(items)) for name, one in groups.items()}
    if blocks is not None:
        blocks = np.append(blocks, np.full(len(items) - len(blocks), -1))
    # A list of one group is ranked as it is, and says so; a number about it would mislead.
    least = 2
    if ranked or shares is not None:
        least = 1
    with_target = partial(
        _with_target, plan, run=run, labels=labels, relevant=relevant, shares=shares, least=least
    )
    attributes = _all_of(groups, with_target)
    evidence = Evidence(
        run.ranking, run.queries, attributes, relevant, _pool(plan, labels, run.ranking), blocks
    )
    left, every, untouched = None, list[str](), frozenset[str]()
    if out:
        every = list(dict.fromkeys([*whole.items, *labels.items[len(run.items) :]]))
    if plan.leave_out is not None:
        left = out.left(every, [whole.queries])
    if ranked:
        untouched = frozenset(q for q, gone in zip(whole.queries, asked, strict=True) if gone)
    return Bench(run, labels, evidence, items, plan.ties, unranked, out, left, untouched)


def _labels_in(
    plan: LabelPlan, run: Run, whole: Run, progress: Progress | None, *, blank: bool
) -> RunLabels:
    """The labels of a plan; measuring relevance alone needs none.

    Args:
        plan: What was asked for.
        run: The run without what is left out.
        whole: The run as it was read, whose items objects label one by one.
        progress: Told the bytes read.
        blank: Whether labels may name nobody's group.
    """
    if plan.groups is None:
        return RunLabels.none(run)
    rename = read_map(plan.map)
    given: Any = plan.groups
    if isinstance(given, Groups):
        given = {given.attribute: given}
    if isinstance(given, Mapping) and all(isinstance(one, Groups) for one in given.values()):
        return given_groups(given, run, plan.attribute, whole=whole, rename=rename)
    return read_groups(
        given,
        run,
        plan.attribute,
        blocks=plan.blocks,
        rename=rename,
        blank=blank,
        progress=progress,
    )


def _sourced(groups: Groups, plan: LabelPlan) -> Groups:
    """The labels with who made them: as the plan says or, where it does not, as they say."""
    stated = plan.source != type(plan).model_fields["source"].default
    if isinstance(plan.groups, (Groups, Mapping)) and not stated:
        return groups
    return replace(groups, source=plan.source)


def _judged(relevant: Relevant, gone: Array) -> Relevant:
    """The judgements without those of items that are left out."""
    kept = np.flatnonzero(~gone[relevant.rows])
    owner = np.repeat(np.arange(len(relevant)), np.diff(relevant.offsets))
    return Relevant(
        offsets_of(np.bincount(owner[kept], minlength=len(relevant))),
        relevant.rows[kept],
        relevant.gains[kept],
    )


def _pool(plan: LabelPlan, labels: RunLabels, ranking: Ranking) -> Sets | None:
    """The collection: what the labels list, where that is more than is ranked; with what is ranked,
    where the user asks for the gallery.
    """
    if getattr(plan, "null", None) != "gallery" or labels.aligned:
        return labels.pool
    rows = np.union1d(np.flatnonzero(labels.listed), ranking.rows)
    return Sets(np.array([0, len(rows)]), rows)


def labelled_bench(plan: LabelPlan, progress: Progress | None, *, ranked: bool = False) -> Bench:
    """The bench of a plan, refused where an attribute has no known label among all that is ranked:
    a number would say nothing. Lists that are only ranked anew then stay as they are.
    """
    bench = open_bench(plan, progress, ranked=ranked)
    if ranked:
        return bench
    faults: list[FairleadError] = [
        DataError(
            f"Nothing that {bench.run.name} ranks has a known label for '{name}'.",
            "Label it, or name the attributes to use.",
        )
        for name, coverage in bench.labels.coverage.items()
        if coverage.known <= 0
    ]
    if faults:
        raise together(faults)
    return bench


def _all_of(
    groups: Mapping[str, Groups], make: Callable[[Groups], Labelled]
) -> dict[str, Labelled]:
    """What is made of every attribute, or all that is wrong with them, told together."""
    made, faults = dict[str, Labelled](), list[FairleadError]()
    for name, one in groups.items():
        try:
            made[name] = make(one)
        except FairleadError as error:
            faults.append(error)
    if faults:
        raise together(faults)
    return made


def _with_target(
    plan: LabelPlan,
    groups: Groups,
    run: Run,
    labels: RunLabels,
    relevant: Relevant | None,
    shares: Shares | None,
    least: int,
) -> Labelled:
    """The labels of one attribute with their target; ``pool`` is the collection where it is known,
    and else what is ranked. Fewer than the ``least`` groups are refused.
    """
    if len(groups.names) < least:
        raise one_group(groups)
    # Labels that depend on the query stand by entry, all others by item.
    rows = run.ranking.rows
    if labels.aligned:
        rows = np.arange(len(rows))
    return labelled(
        _sourced(groups, plan),
        plan.target,
        shares,
        queries=run.queries,
        pool=labels.pool or Sets(run.ranking.offsets, rows),
        relevant=relevant,
        aligned=labels.aligned,
    )


def _grown(groups: Groups, size: int) -> Groups:
    """The groups of more items: those that only the judgements know are unknown."""
    more = size - len(groups)
    if not more:
        return groups
    if groups.codes is not None:
        return replace(
            groups, codes=np.append(groups.codes, np.full(more, -1)), not_applicable=None
        )
    assert groups.not_applicable is not None
    return replace(
        groups,
        soft=np.vstack([groups.share, np.zeros((more, len(groups.names)))]),
        not_applicable=np.append(groups.not_applicable, np.zeros(more, np.bool_)),
    )


def warnings_of(bench: Bench) -> list[str]:
    """What a reader must know of the files before quoting a number."""
    # Shares below .0005 are not told: they would read as 0.0 %.
    notes, name = [], bench.run.name
    if bench.run.ties >= 0.0005:
        order = "they stand as in the file"
        if bench.ties == "hash":
            order = "their order is by a seeded hash"
        notes.append(
            f"{100 * bench.run.ties:.1f} % of the entries of {name} are tied with a "
            f"neighbour; {order}."
        )
    for attribute, coverage in bench.labels.coverage.items():
        if coverage.missing >= 0.0005:
            share = f"{100 * coverage.missing:.1f} % of the entries of {name}"
            notes.append(
                f"{share} have no row in {bench.labels.name} for '{attribute}' and count "
                "as unknown."
            )
        notes += twins(bench.evidence.attributes[attribute].groups)
    notes += left_notes(bench.left)
    if bench.unranked:
        are = agreeing(bench.unranked, "is", "are")
        notes.append(
            f"{counted(bench.unranked, 'judged query')} {are} not in {name} and {are} left out."
        )
    pool = bench.evidence.pool
    if pool is not None and len(pool) == 1:
        items = (
            f"The {counted(len(pool.rows), 'item')} of {bench.labels.name} "
            f"{agreeing(len(pool.rows), 'is', 'are')}"
        )
        notes.append(
            f"{items} taken as the collection; 'gallery' draws chance from "
            f"{agreeing(len(pool.rows), 'it', 'them')}."
        )
    return notes


def twins(groups: Groups) -> list[str]:
    """A note where groups differ in case only: somebody may have meant one."""
    names = groups.names
    alike = [n for n in names if sum(n.casefold() == other.casefold() for other in names) > 1]
    if not alike:
        return []
    return [
        f"Groups of '{groups.attribute}' differ in case only: {', '.join(alike)}. They "
        "are measured as different groups."
    ]


def shallow(metrics: Sequence[Any], bench: Bench) -> list[str]:
    """Cut-offs that some lists of a run do not reach."""
    return short_lists(metrics, bench.evidence.ranking.lengths, f" of {bench.run.name}")


def short_lists(metrics: Sequence[Any], lengths: Array, of: str = "") -> list[str]:
    """The same of (queries,) lengths of lists."""
    notes = []
    for k in sorted({metric.k for metric in metrics if metric.k is not None}):
        short = int((lengths < k).sum())
        if short:
            share = f"{part_of(short, len(lengths), 'query')}{of} {agreeing(short, 'has', 'have')}"
            as_is = agreeing(short, "it is measured as it is", "they are measured as they are")
            notes.append(
                f"{share} fewer than k = {k} results (least {int(lengths.min())}); {as_is}."
            )
    return notes
