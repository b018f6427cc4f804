"""Cuts: metrics that look at whole lists, and lists that are not whole.

NDKL over the relevant items of a run cut at rank 20 is another number than that of the whole run,
and nothing in it says so. A list is known to be cut where the evidence says how many items could
have been ranked, or where judged items that are relevant do not stand in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array
from fairlead.words.counts import agreeing, counted, part_of


def cut_note(metric: Any, evidence: Evidence) -> str:
    """What to say of a metric that looks beyond the end of lists; empty where it looks at none.

    A metric of the first k items needs no more than k, one of relevant items as many of these.
    """
    # Metrics of relevance say themselves how deep they look, and a forced choice is always whole.
    if "groups" not in metric.needs or metric.shape == "roles":
        return ""
    missing = _relevant_missing(evidence)
    if "relevant" in metric.needs:
        if missing is None:
            return ""
        return _note(metric, evidence, _short_of_relevant(metric, evidence, missing), missing)
    if metric.k is not None:
        return ""
    # What the evidence says of its own lists comes before what judgements let us guess.
    left = evidence.left
    if left is None:
        left = missing
    if left is None:
        return ""
    return _note(metric, evidence, left > 0, missing)


def _relevant_missing(evidence: Evidence) -> Array | None:
    """(queries,) relevant items that do not stand in the list; None where nothing is judged."""
    relevant = evidence.relevant
    if relevant is None:
        return None
    owner = np.repeat(np.arange(len(evidence)), np.diff(relevant.offsets))
    # A gain of 0 says that somebody looked, not that an item is relevant.
    judged = np.bincount(owner, relevant.gains > 0, len(evidence))
    return np.asarray(judged - _relevant_shown(evidence))


def _relevant_shown(evidence: Evidence) -> Array:
    return np.bincount(evidence.ranking.query_of, evidence.gains > 0, len(evidence))


def _short_of_relevant(metric: Any, evidence: Evidence, missing: Array) -> Array:
    """(queries,) whether fewer relevant items are shown than the metric looks at."""
    if metric.k is None:
        return missing > 0
    return (missing > 0) & (_relevant_shown(evidence) < metric.k)


def _note(metric: Any, evidence: Evidence, cut: Array, missing: Array | None) -> str:
    """The note about the lists that are cut: how many, where the first one ends, and what to do."""
    if not cut.any():
        return ""
    query = int(np.argmax(cut))
    length, left = int(evidence.ranking.lengths[query]), evidence.left
    end = f"'{evidence.queries[query]}' ends at rank {length:,}"
    if left is not None and left[query] > 0:
        end += f" of {length + int(left[query]):,}"
    if missing is not None and missing[query] > 0:
        lost = int(missing[query])
        end += f", and {counted(lost, 'relevant item')} {agreeing(lost, 'is', 'are')} not in it"
    count = int(cut.sum())
    lists = f"{part_of(count, len(evidence), 'list')} {agreeing(count, 'is', 'are')} cut"
    todo = "store whole lists"
    if metric.k is None:
        todo += f", or measure at a depth, e.g. {metric}@{int(evidence.ranking.lengths.min())}"
    return f"needs whole lists, and {lists}: {end}; {todo}"
