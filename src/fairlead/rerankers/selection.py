"""The best k items whose expected counts keep to a target: a whole-numbered program.

    maximise    sum of relevance_i x_i
    subject to  sum of x_i = k,  x_i in {0, 1},
                | sum over i of (share_ig - t_g m_i) x_i | <= slack   for each group g,
                m_i = sum over g of share_ig

Counts are compared with the labelled mass m of the list, so that unknown items neither count nor
are shut out. Where no list keeps to the slack, the least slack that some list keeps to is taken.

There are three ways: the plain list where it fits; counts of each group where labels are hard; else
HiGHS. Items of equal shares count alike, so only the first k of them are looked at. Up to forty
items are decided in one go. With more, the linear program is solved and its answer made whole by
``exchanges``. Where that lies below the bound by more than 1e-4 (two groups) or 1e-3, a search of
limited size goes on among the items that the bound does not rule out. The bound comes with the
answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.rerankers.deadline import NEVER, Deadline, OutOfTimeError
from fairlead.rerankers.exchanges import Exchange
from fairlead.rerankers.programs import Solved, linear, whole
from fairlead.rerankers.single import SingleLists
from fairlead.types.ragged import Array

# Up to how many items are decided in one go, and how many nodes that search visits at most
_FEW, _ALL = 40, 5_000
# Of two groups, and of more: how far below its bound a set may be, relative, and how many nodes a
# further search visits at most
_TWO, _MORE = (1e-4, 2_000), (1e-3, 20)
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Selected:
    """The chosen places.

    Attributes:
        places: (k,) in rank order.
        slack: What the counts were allowed to be off by: as asked, or the least that can be met.
        value: The sum of relevance.
        bound: No list that keeps to the slack is worth more.
    """

    places: Array
    slack: float
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """How far below the bound the set is, relative to the bound."""
        return (self.bound - self.value) / max(1.0, abs(self.bound))


def select(case: SingleLists, excess: Array, slack: float, deadline: Deadline = NEVER) -> Selected:
    """The best k whose excess adds up to at most ``slack`` either way.

    ``excess`` is (n, groups), any labels; a row follows from the shares.
    """
    relevance = case.relevance
    k = case.k
    foremost = case.foremost
    if (np.abs(excess[:k].sum(0)) <= slack + _ROUNDING).all():
        return _selected(np.arange(k), relevance, slack)
    chosen, slack, bound = _solved(relevance[foremost], excess[foremost], k, slack, deadline)
    return _selected(foremost[np.flatnonzero(chosen)], relevance, slack, bound)


def select_hard(
    relevance: Array, codes: Array, target: Array, k: int, slack: float, *, whole: bool = False
) -> Selected:
    """The same for hard labels: (n,) codes, -1 for unknown.

    Every number of labelled items is tried, each with its best counts. These are held against the
    ``whole`` list or, by default, against the labelled items.
    """
    groups = len(target)
    supply = np.bincount(codes[codes >= 0], minlength=groups)
    fewest = max(0, k - int((codes < 0).sum()))
    most = min(k, int(supply.sum()))
    labelled = np.arange(fewest, most + 1)
    places = np.full(len(labelled), k) if whole else labelled
    due = places[:, None] * target
    low, high, fits = _counts(labelled, due, supply, slack)
    if not fits.any():
        slack = _least(labelled, due, supply, slack, k)
        low, high, fits = _counts(labelled, due, supply, slack)
    low = low[fits]
    high = high[fits]
    total = labelled[fits]
    nth = _nth(codes, groups)
    owner = np.where(codes < 0, 0, codes)
    known = codes >= 0
    must = known & (nth < low[:, owner])
    may = known & (nth < high[:, owner]) & ~must
    may &= np.cumsum(may, axis=1) <= (total - low.sum(1))[:, None]
    free = ~known & (nth < (k - total)[:, None])
    chosen = must | may | free
    best = int((chosen @ relevance).argmax())
    return _selected(np.flatnonzero(chosen[best]), relevance, slack)


def _selected(
    places: Array, relevance: Array, slack: float, bound: float | None = None
) -> Selected:
    value = float(relevance[places].sum())
    return Selected(places, slack, value, value if bound is None else bound)


def _nth(codes: Array, groups: int) -> Array:
    """(n,) how many items of the same code come before each."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(-1, groups))
    result = np.empty(len(codes), np.int64)
    result[order] = np.arange(len(codes)) - starts[codes[order] + 1]
    return result


def _counts(labelled: Array, due: Array, supply: Array, slack: float) -> tuple[Array, Array, Array]:
    """(numbers, groups) fewest and most of each group for each number of labelled items.

    The third value says, (numbers,), whether that can be filled. ``due`` are the (numbers, groups)
    counts that the target asks for.
    """
    low = np.maximum(np.ceil(due - slack - _ROUNDING), 0).astype(np.int64)
    high = np.minimum(np.floor(due + slack + _ROUNDING), supply).astype(np.int64)
    fits = (low <= high).all(1) & (low.sum(1) <= labelled) & (high.sum(1) >= labelled)
    return low, high, fits


def _least(labelled: Array, due: Array, supply: Array, slack: float, k: int) -> float:
    """The least slack that some list keeps to, to within a billionth."""
    low = slack
    high = float(k)
    while high - low > _ROUNDING:
        middle = (low + high) / 2
        low, high = (
            (low, middle) if _counts(labelled, due, supply, middle)[2].any() else (middle, high)
        )
    return high


def _solved(
    relevance: Array, excess: Array, k: int, slack: float, deadline: Deadline
) -> tuple[Array, float, float]:
    """(n,) which items are chosen, the slack they keep to, and the bound on their worth."""
    program = _Program(relevance, excess, k, slack, deadline)
    try:
        exact = program.exactly() if len(relevance) <= _FEW else None
        if exact is not None:
            return exact
        least = program.least()
        relaxed = program.relaxed(least)
    except OutOfTimeError:
        return _exchanged(program)
    near = np.argsort(np.abs(relaxed.spare[:-1]), kind="stable")
    exchange = Exchange(relevance, excess, slack + least, near)
    start = np.zeros(len(relevance), np.bool_)
    # the k items that the linear program takes most of
    start[np.argsort(-relaxed.x[:-1], kind="stable")[:k]] = True
    chosen = exchange.improved(start)
    beyond = exchange.beyond(chosen)
    value = float(relevance[chosen].sum())
    enough, nodes = _TWO if excess.shape[1] == 2 else _MORE
    if beyond > _ROUNDING or relaxed.bound - value <= enough * abs(relaxed.bound):
        return chosen, slack + least + beyond, max(relaxed.bound, value)
    # To change a variable away from the linear program's answer costs its spare: where that is more
    # than the gap, nobody would.
    open_ = np.abs(relaxed.spare[:-1]) <= relaxed.bound - value + _ROUNDING
    better = program.restricted(np.round(relaxed.x[:-1]), open_, least, value, nodes)
    if better is None or better.value < value:
        return chosen, slack + least, relaxed.bound
    return better.x > 0.5, slack + least, max(better.value, min(better.bound, relaxed.bound))


def _exchanged(program: _Program) -> tuple[Array, float, float]:
    """The same without a program to start from: the plain list after exchanges at its end.

    No k items are worth more than those of the plain list, which is all that is known.
    """
    items = np.arange(len(program.relevance))
    near = np.argsort(np.abs(items - program.k + 0.5), kind="stable")
    exchange = Exchange(program.relevance, program.excess, program.slack, near)
    chosen = exchange.improved(items < program.k)
    bound = float(program.relevance[: program.k].sum())
    return chosen, program.slack + exchange.beyond(chosen), bound


@dataclass(frozen=True, eq=False)
class _Program:
    """The program of one list; its last variable is how far beyond the slack the counts go."""

    relevance: Array
    excess: Array
    k: int
    slack: float
    deadline: Deadline = NEVER

    def exactly(self) -> tuple[Array, float, float] | None:
        """The answer for few items: the least that can be met, then the best set that meets it.

        None where the nodes were too few.
        """
        integral = np.append(np.ones(len(self.relevance), np.bool_), False)
        search: dict[str, Any] = {"gap": 0.0, "nodes": _ALL, "deadline": self.deadline}
        answer = whole(*self._parts(self._worth, 0.0), integral, **search)
        beyond = 0.0
        if answer is None:
            nearest = whole(*self._parts(self._nearness, np.inf), integral, **search)
            beyond = 0.0 if nearest is None else -nearest.value
            answer = nearest and whole(
                *self._parts(self._worth, beyond + _ROUNDING), integral, **search
            )
        if answer is None:
            return None
        chosen = answer.x[:-1] > 0.5
        return chosen, self.slack + beyond, max(answer.bound, float(self.relevance @ chosen))

    def least(self) -> float:
        """How far beyond the slack even divided items have to go."""
        return max(0.0, -linear(*self._parts(self._nearness, np.inf), self.deadline).value)

    def relaxed(self, beyond: float) -> Solved:
        """The linear program."""
        return linear(
            *self._parts(self._worth, beyond * (1 + 1e-9) + (_ROUNDING if beyond else 0.0)),
            self.deadline,
        )

    def restricted(
        self, fixed: Array, open_: Array, beyond: float, worth: float, nodes: int
    ) -> Solved | None:
        """The best set that differs from a given one in open items only.

        It has at least the given worth; the search goes as far as the nodes allow.
        """
        c, rows, low, high, upper = self._parts(self._worth, beyond + _ROUNDING)
        closed = np.where(open_, 0.0, fixed)
        at = np.append(open_, True)
        base = rows[:, :-1] @ closed
        value = float(self.relevance @ closed)
        rows = np.vstack([rows[:, at], c[at]])
        low = np.append(low - base, worth - value - _ROUNDING)
        high = np.append(high - base, np.inf)
        integral = np.append(np.ones(int(open_.sum()), np.bool_), False)
        part = whole(
            c[at], rows, low, high, upper[at], integral, nodes=nodes, deadline=self.deadline
        )
        if part is None:
            return None
        x = closed.copy()
        x[open_] = part.x[:-1]
        return Solved(x, float(self.relevance @ x), part.bound + value, part.duals, part.spare)

    @property
    def _worth(self) -> Array:
        return np.append(self.relevance, 0.0)

    @property
    def _nearness(self) -> Array:
        return np.append(np.zeros(len(self.relevance)), -1.0)

    def _parts(self, c: Array, beyond: float) -> tuple[Array, Array, Array, Array, Array]:
        size, groups = self.excess.shape
        count = np.append(np.ones(size), 0.0)
        over, under = (
            np.column_stack([sign * self.excess.T, -np.ones(groups)]) for sign in (1, -1)
        )
        high = np.concatenate([[self.k], np.full(2 * groups, self.slack)])
        low = np.concatenate([[self.k], np.full(2 * groups, -np.inf)])
        return c, np.vstack([count, over, under]), low, high, np.append(np.ones(size), beyond)
