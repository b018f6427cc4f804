"""Merge of group queues under release times, deadlines and priorities.

It is the one engine of all rerankers with prefix rules. Item j of group g has a deadline (the first
n at which a lower bound asks for it), a release (the first n at which an upper bound allows it) and
a priority. At step n comes the best-ranked head that is due. If none is due, it is the released
head of smallest priority (ties by rank). If every group that may come has run out, it is the
best-ranked head of any. n counts labelled items.

Three kernels give the same answer. ``_one`` follows one query by events and is fast alone.
``_in_time`` does so where all items may come at any time. ``_many`` steps through all queries at
once and is fast in batches. They compare single integers: level (due, released, held back, run
out), priority, entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from fairlead.rerankers.queues import END, Queues, queue_up, rerank
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

# From this many queries on, stepping through all of them at once is faster than one after the other
_BATCH = 24

_ENTRY_BITS, _LEVEL_BITS = 34, 60
_RELEASED, _HELD, _OUT = 1 << _LEVEL_BITS, 2 << _LEVEL_BITS, 3 << _LEVEL_BITS


@dataclass(frozen=True, eq=False)
class MergeRule:
    """When each item of each group may and must come.

    Arrays are (queries or 1, groups, items) of whole numbers. There are as many items as a list has
    places, or one more than the longest queue.

    Attributes:
        due: Deadline of each item, ``width + 1`` for never.
        release: First step at which each item may come, ``width + 1`` for never; None for always.
        priority: Order of each item among the released, in 0 .. groups * width; None for rank
            alone.
    """

    due: Array
    release: Array | None = None
    priority: Array | None = None

    @cached_property
    def tables(self) -> tuple[Array, Array, Array]:
        """Due, release and the high bits of a released item's value, all of one shape."""
        release = np.ones_like(self.due) if self.release is None else self.release
        priority = np.zeros_like(self.due) if self.priority is None else self.priority
        return self.due, release, _RELEASED | priority << _ENTRY_BITS

    @cached_property
    def lists(self) -> list[tuple[list[int], list[int], list[int]]]:
        """The tables as plain lists over (group, item), one triple per query or one for all."""
        due = self.due.reshape(len(self.due), -1).tolist()
        if self.release is None and self.priority is None:
            return [(one, [], []) for one in due]
        release, released = (table.reshape(len(table), -1).tolist() for table in self.tables[1:])
        return list(zip(due, release, released, strict=True))


RuleOf = Callable[[Array, int], MergeRule]
"""Makes the rule of (queries, groups) target shares for lists of a width. A module function, so
that rules can be kept.
"""


def merged(evidence: Evidence, k: int, rule_of: RuleOf) -> Ranking:
    """The evidence's candidates merged under the rule of their targets, unknown ones woven in."""
    queues = queue_up(evidence, k)

    def order(first: int, last: int, width: int) -> Array:
        part = queues.part(first, last)
        if len(part.target) == 1:
            rule = _kept(rule_of, part.target.tobytes(), width)
        else:
            rule = rule_of(part.target, width)
        return part.weave(merge(part, rule, width))

    return rerank(evidence, k, order, columns=3 * queues.target.shape[1])


@lru_cache(maxsize=32)
def _kept(rule_of: RuleOf, target: bytes, width: int) -> MergeRule:
    return rule_of(np.frombuffer(target)[None], width)


def whole(steps: Array, width: int) -> Array:
    """Steps as whole numbers, ``width + 1`` for all that lie beyond the list."""
    return np.minimum(steps, width + 1).astype(np.int64)


def dense(priority: Array) -> Array:
    """(rows, groups, width) priorities as 0, 1, 2, ... per row.

    Values that differ by floating error alone stay tied.
    """
    flat = priority.reshape(len(priority), -1)
    order = flat.argsort(axis=1, kind="stable")
    ordered = np.take_along_axis(flat, order, axis=1)
    with np.errstate(invalid="ignore"):
        rises = ordered[:, 1:] - ordered[:, :-1] > 1e-9 * np.abs(ordered[:, :-1])
    ranks = np.hstack([np.zeros((len(flat), 1), np.int64), rises.cumsum(axis=1)])
    result = np.empty_like(ranks)
    np.put_along_axis(result, order, ranks, axis=1)
    return result.reshape(priority.shape)


def merge(queues: Queues, rule: MergeRule, width: int) -> Array:
    """(queries, width) entries of labelled items in merged order, padded with ``END``."""
    if len(queues) >= _BATCH:
        return _many(queues, rule, width)
    result = np.full((len(queues), width), END)
    items = rule.due.shape[2]
    heads = queues.heads(items).reshape(len(queues), -1).tolist()
    free = rule.release is None and rule.priority is None
    for query, entries in enumerate(heads):
        tables = rule.lists[query if len(rule.lists) > 1 else 0]
        if free:
            order = _in_time(entries, tables[0], items, width)
        else:
            order = _one(entries, tables, items, width)
        result[query, : len(order)] = order
    return result


def _in_time(heads: list[int], due: list[int], items: int, width: int) -> list[int]:
    """The merged order of one query whose items may come at any time.

    The best-ranked head that is due comes next, else the best-ranked of all.
    """
    never = width + 1
    at = list(range(0, len(heads), items))
    top = [heads[p] for p in at]
    when = [due[p] if heads[p] < END else never for p in at]
    heads.append(END)
    order: list[int] = []
    groups = range(len(at))
    for n in range(1, never):
        if min(when) <= n:
            best = min([top[g] for g in groups if when[g] <= n])
        else:
            best = min(top)
            if best == END:
                break
        order.append(best)
        g = top.index(best)
        p = at[g] = at[g] + 1
        entry = top[g] = heads[p]
        when[g] = due[p] if entry < END else never
    return order


def _one(
    heads: list[int], tables: tuple[list[int], list[int], list[int]], items: int, width: int
) -> list[int]:
    """The merged order of one query.

    Only the group that was just served, and those with a head that is released or due now, are
    looked at again. All lists run over (group, item); ``at`` points to the head of each group.
    """
    due, release, released = tables
    at = list(range(0, len(heads), items))
    value = [_OUT] * len(at)
    waiting = [0] * len(at)
    events: list[list[int]] = [[] for _ in range(width + 2)]
    order: list[int] = []
    changed = list(range(len(at)))
    for n in range(1, width + 1):
        for g in changed:
            p = at[g]
            entry = heads[p]
            if entry == END:
                value[g] = _OUT
                continue
            step = due[p]
            if step <= n:
                value[g] = entry
                continue
            if release[p] <= n:
                value[g] = released[p] | entry
            else:
                value[g] = _HELD | entry
                step = release[p]
            if waiting[g] != step:
                waiting[g] = step
                events[step].append(g)
        best = min(value)
        if best >= _OUT:
            break
        g = value.index(best)
        order.append(best & END)
        at[g] += 1
        changed = events[n + 1]
        changed.append(g)
    return order


def _many(queues: Queues, rule: MergeRule, width: int) -> Array:
    """All queries of a batch, one step at a time."""
    queries = len(queues)
    groups = queues.sizes.shape[1] - 1
    due, release, released = (table.ravel() for table in rule.tables)
    cell = np.arange(queries * groups)
    items = rule.due.shape[2]
    table = np.arange(groups) * items + (
        0 if len(rule.due) == 1 else np.arange(queries)[:, None] * groups * items
    )
    table = np.broadcast_to(table, (queries, groups)).ravel()
    place = queues.starts[:, :-1].ravel()
    sizes = queues.sizes[:, :-1].ravel()
    first = cell[:: max(groups, 1)]
    result = np.full((width, queries), END)
    head, head_due, head_release, head_value = (
        np.empty(queries * groups, np.int64) for _ in range(4)
    )
    taken = np.zeros(queries * groups, np.int64)
    changed = cell
    for n in range(1, width + 1):
        j = taken[changed]
        entry = queues.entries[np.where(j < sizes[changed], place[changed] + j, -1)]
        at = table[changed] + np.minimum(j, items - 1)
        out = entry == END
        head[changed] = np.where(out, _OUT, entry)
        head_due[changed] = np.where(out, width + 1, due[at])
        head_release[changed] = release[at]
        head_value[changed] = np.where(out, _OUT, released[at] | entry)
        value = np.where(head_due <= n, head, np.where(head_release <= n, head_value, head + _HELD))
        changed = first + value.reshape(queries, groups).argmin(axis=1)
        result[n - 1] = np.minimum(head[changed], END)
        taken[changed] += 1
    return result.T
