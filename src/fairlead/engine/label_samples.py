"""Assembly of label samples: a file of what people say of some of the ranked items, laid against
the labels that are audited.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairlead.engine.inputs import file_behind
from fairlead.engine.recorded import Bench
from fairlead.errors import DataError, UsageError
from fairlead.measuring.correct import Sample, predictions_of
from fairlead.store.fingerprints import fingerprint
from fairlead.store.labels import RunLabels, read_groups
from fairlead.types import NOT_APPLICABLE, UNKNOWN, Groups
from fairlead.types.joining import joined, mapped
from fairlead.types.ragged import Array


def read_sample(
    source: Any, bench: Bench, rename: Mapping[str, str] | None = None
) -> tuple[Sample, list[str]]:
    """The sample of every attribute of the bench that it labels, and what a reader must know of it.

    Args:
        source: The file of the sample.
        bench: What is measured.
        rename: New names of groups, where the sample has the old ones.

    Raises:
        UsageError: For a sample that labels none of the attributes.
        DataError: For a group that the labels do not have, or one item with two labels.
    """
    truths, unsure, notes, missing, name = {}, {}, list[str](), list[UsageError](), "sample"
    for attribute, labelled in bench.evidence.attributes.items():
        try:
            found = read_groups(source, bench.run, (attribute,), items=_universe(bench))
        except UsageError as error:
            missing.append(error)
            continue
        # A sample may still list who was left out, and must teach nothing about them.
        if bench.leave_out:
            found = found.without(bench.leave_out.items(found.items), bench.run)
        name = found.name
        sample = mapped(found.attributes[attribute], rename or {})
        codes, spelling = _codes(sample, labelled.groups, found.name)
        notes += spelling
        # What people saw and could not label is counted apart from what nobody was shown.
        asked = _asked(found)
        unsure[attribute] = int((asked & (codes == UNKNOWN)).sum())
        truths[attribute] = _laid(codes, found, bench, labelled.aligned, len(labelled.groups))
    if not truths:
        raise missing[0]
    skipped = [a for a in bench.evidence.attributes if a not in truths]
    if skipped:
        notes.append(f"{name} does not label {', '.join(skipped)}: no correction is made there.")
    return Sample(truths, name, unsure), notes + _same_file(source, bench)


def _universe(bench: Bench) -> Any:
    """The item ids of the bench, so that rows mean the same."""
    if hasattr(bench.items, "extend"):
        return bench.items
    return bench.labels.items


def _asked(found: RunLabels) -> Array:
    """(items or entries,) what the sample lists."""
    if not found.aligned:
        return found.listed
    # Of labels for single queries nobody notes which were asked; an unknown one counts as not.
    groups = next(iter(found.attributes.values()))
    return np.ones(len(groups), np.bool_) & (groups.codes != UNKNOWN)


def _codes(sample: Groups, labels: Groups, name: str) -> tuple[Array, list[str]]:
    """(items or entries,) what the sample says, as group numbers of the labels, and notes. A soft
    label counts as its largest share, unless the unknown part is larger.
    """
    try:
        sample, notes = joined(sample, labels.names, whose=name, others="the labels")
    except DataError as error:
        hint = f"{error.hint} A group the labeller never names can be named in a target file."
        raise DataError(error.message, hint) from error
    told, count = predictions_of(sample), len(sample.names)
    place = np.array([*range(count), UNKNOWN, NOT_APPLICABLE])
    return place[np.where(told > count, count + 1, told)], notes


def _laid(codes: Array, found: RunLabels, bench: Bench, aligned: bool, size: int) -> Array:
    """(labels,) the truth of each label of the bench."""
    rows = bench.evidence.ranking.rows
    if aligned and found.aligned:
        return codes
    if aligned:
        return codes[rows]
    if not found.aligned:
        return codes[:size]
    # The labels do not depend on the query, so answers query by query have to agree.
    known = np.flatnonzero(codes != UNKNOWN)
    truth = np.full(size, UNKNOWN, np.int64)
    truth[rows[known]] = codes[known]
    differ = known[truth[rows[known]] != codes[known]]
    if len(differ):
        item = bench.items[int(rows[differ[0]])]
        raise DataError(
            f"{found.name} labels item '{item}' differently in two queries.",
            "Keep one, or leave out the column 'query'.",
        )
    return truth


def _same_file(source: Any, bench: Bench) -> list[str]:
    path, own = file_behind(source), bench.labels.path
    if path is None or own is None or fingerprint(path)["sha256"] != fingerprint(own)["sha256"]:
        return []
    return [
        (
            f"{path.name} is the file of the labels themselves: a labeller that is checked "
            "against itself makes no errors."
        )
    ]
