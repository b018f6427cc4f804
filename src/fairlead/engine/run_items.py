"""What a run ranks first, and what is left of it without a list of what is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fairlead.errors import UsageError
from fairlead.store.leave_out import read_leave_out
from fairlead.store.runs import read_run
from fairlead.types import Ranking


def first_of(run: Any, k: int) -> tuple[tuple[str, ...], Ranking, list[str]]:
    """The queries of a run, the first k of each, and the items these rank."""
    if k < 1:
        raise UsageError(f"-k is {k}.", "Give 1 or more.")
    found = read_run(run)
    ranks = np.arange(len(found.ranking.rows)) - found.ranking.offsets[:-1][found.ranking.query_of]
    kept = np.flatnonzero(ranks < k)
    top = found.ranking.take(kept, np.minimum(found.ranking.lengths, k))
    rows, inside = np.unique(top.rows, return_inverse=True)
    return found.queries, replace(top, rows=inside), [found.items[int(row)] for row in rows]


def without(run: Any, leave_out: Any) -> tuple[Any, dict[str, int] | None]:
    """A run without what is left out, and how much that is; as it is where there is no list."""
    out = read_leave_out(leave_out)
    if out is None:
        return run, None
    found = read_run(run)
    return found.without(out.items(found.items), out.queries(found.queries)), out.left(
        found.items, [found.queries]
    )
