"""The best of each query (or of each of its groups) from blocks of scores seen only once.

A cell is a query and a group. Each has a limit, the score that its ``depth``-th best so far has;
what does not reach it is dropped by one comparison. So the work beside the scoring is one pass over
a block that is still in the cache, whatever the number of groups.
"""

from __future__ import annotations

import numpy as np

from fairlead.types.ragged import Array, offsets_of

CELLS = (1 << 16) - 1
"""Cells that one selection may have: their numbers fit 16 bits, which numpy sorts without
comparing.
"""
_FEW, _MANY = 1 << 14, 1 << 21


class Selection:
    """The candidates so far that may be among the best.

    Args:
        queries: How many queries.
        groups: How many groups; rows of group number ``groups`` are left out.
        depth: How many of each cell.
        slack: (queries,) how far a score may be from the true one, for vectors of length 1.
    """

    def __init__(self, queries: int, groups: int, depth: int, slack: Array) -> None:
        self._shape = (groups, queries)
        self._depth = depth
        self._slack = slack
        self._level = np.full((groups, queries), -np.inf, np.float32)
        self._limit = np.full((groups + 1, queries), np.inf, np.float32)
        self._limit[:-1] = -np.inf
        self._pending, self._kept = 0, 0
        self._parts: list[tuple[Array, Array]] = []
        self.reach = 0.0
        """The largest length of a vector so far."""
        self.overrun = False
        """Whether so many scores lie within the slack that it is better to start again with final
        ones.
        """

    def offer(self, scores: Array, first: int, groups: Array | None, reach: float) -> None:
        """Look at a block of scores (rows, queries), of rows from ``first`` on, in rising order.

        Args:
            scores: The block.
            first: Its first row.
            groups: (rows,) the group number of each row; None where there is one group.
            reach: The largest length of a vector in the block.
        """
        if reach > self.reach:
            self.reach = reach
            self._set_limits()
        limit = self._limit[0]
        if groups is not None:
            limit = self._limit.take(groups, axis=0, mode="clip")
        at = np.flatnonzero(scores >= limit)
        if not len(at):
            return
        row, query = np.divmod(at, self._shape[1])
        cell = query * self._shape[0]
        if groups is not None:
            cell += groups[row]
        self._parts.append((cell.astype(np.uint16), keys(scores.ravel()[at], row + first)))
        self._pending += len(at)
        if self._pending > max(_FEW, self._kept):
            self._compress()

    def found(self) -> tuple[Array, Array, Array]:
        """(entries,) query, group and row of the candidates.

        A cell has more than ``depth`` of them where scores are within the slack.
        """
        self._compress()
        cell, key = self._parts[0]
        query, group = np.divmod(cell, np.uint16(self._shape[0]))
        return query, group, rows_of(key)

    def _compress(self) -> None:
        """Raise the levels and drop what lies below them."""
        cell, key = (
            np.concatenate([p[i] for p in self._parts]) if self._parts else np.empty(0, t)
            for i, t in ((0, "u2"), (1, "u8"))
        )
        falling = key >> np.uint64(32)
        sizes = np.bincount(cell, minlength=self._shape[0] * self._shape[1])
        full = np.flatnonzero(sizes >= self._depth)
        # a number holds a cell and a score, so that one sort of numbers is enough
        in_order = np.sort(cell.astype(np.uint64) << np.uint64(32) | falling)
        least = in_order[offsets_of(sizes)[full] + self._depth - 1] & np.uint64(0xFFFFFFFF)
        self._level.T.flat[full] = scores_of(least << np.uint64(32))
        self._set_limits()
        keep = np.flatnonzero(scores_of(key) >= self._limit[:-1].T.ravel()[cell])
        self._parts = [(cell[keep], key[keep])]
        self._pending = 0
        self._kept = len(keep)
        self.overrun = self._kept > _MANY + 4 * int(np.minimum(sizes, self._depth).sum())

    def _set_limits(self) -> None:
        # One of the true best may be scored too low, and the rows that set the level too high.
        lowest = self._level - 2 * self._slack * self.reach
        self._limit[:-1] = np.nextafter(lowest.astype(np.float32), np.float32(-np.inf))


def keys(scores: Array, rows: Array) -> Array:
    """(entries,) uint64 that sort by (-score, row): the bits of the score above those of the row.

    Scores must not be negative zeros.
    """
    bits = scores.view(np.int32)
    falling = np.where(bits < 0, bits, ~bits & 0x7FFFFFFF).view(np.uint32)
    return falling.astype(np.uint64) << np.uint64(32) | rows.astype(np.uint64)


def scores_of(key: Array) -> Array:
    """(entries,) float32 scores of keys."""
    falling = (key >> np.uint64(32)).astype(np.uint32).view(np.int32)
    return np.where(falling < 0, falling, ~falling & 0x7FFFFFFF).view(np.float32)


def rows_of(key: Array) -> Array:
    """(entries,) rows of keys."""
    return (key & np.uint64(0xFFFFFFFF)).astype(np.int64)


def by_cell(cell: Array, key: Array) -> Array:
    """The order by (cell, key)."""
    order = np.argsort(key)
    return order[np.argsort(cell[order], kind="stable")]


def places(cell: Array, cells: int) -> tuple[Array, Array]:
    """Where each cell starts in sorted cell numbers, and (entries,) the place within its cell."""
    starts = offsets_of(np.bincount(cell, minlength=cells))
    return starts, np.arange(len(cell)) - starts[cell]
