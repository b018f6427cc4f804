"""detgreedy as a dozen lines of plain Python: the strongest peer of a single list."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor


def detgreedy(
    ids: Sequence[str],
    scores: Sequence[float],
    labels: Sequence[str | None],
    target: dict[str, float],
    k: int,
) -> list[str]:
    """The k ids to show, of candidates in any order; unknown ones are woven in by score."""
    ranked = sorted(range(len(ids)), key=scores.__getitem__, reverse=True)
    queues: dict[str | None, list[tuple[int, int]]] = {group: [] for group in (*target, None)}
    for rank, item in enumerate(ranked):
        queues[labels[item]].append((rank, item))
    rest = {group: iter(queue) for group, queue in queues.items()}
    head = {group: next(queue, None) for group, queue in rest.items()}
    shown, count, n = [], dict.fromkeys(target, 0), 1
    while len(shown) < k and any(head.values()):
        live = [g for g in target if head[g]]
        due = [g for g in live if count[g] < floor(n * target[g] + 1e-9)]
        may = due or [g for g in live if count[g] < ceil(n * target[g] - 1e-9)] or live
        best = min(may, key=head.__getitem__, default=None)
        if best is None or (head[None] and head[None] < head[best]):
            best = None
        else:
            count[best], n = count[best] + 1, n + 1
        shown.append(ids[head[best][1]])
        head[best] = next(rest[best], None)
    return shown


def most_probable(rows: Sequence[Sequence[float]], names: Sequence[str]) -> list[str]:
    """The group of the largest share of each row."""
    return [names[row.index(max(row))] for row in rows]
