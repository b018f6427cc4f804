"""Fair ranking with noisy attributes: a linear program on expected counts of every prefix.

    maximise    sum over i, b of relevance_i V_b x_ib
    subject to  0 <= x_ib,  sum over b of x_ib <= 1,  sum over i of x_ib = size of b,
                | sum over i, c <= b of (share_ig - t_g m_i) x_ic | <= slack n_b
                for each group g and block b

x_ib is the probability that item i stands in block b, a run of ``block`` places that ends at place
n_b; V_b is the mean of 1 / log2(n + 1) over it, and m_i the labelled mass of an item. Mehrotra,
Vishnoi: Fair ranking with noisy protected attributes (NeurIPS 2022). Where a group is in short
supply, the lists fall as little short of the bounds as can be.

The answer is a corner: it leaves few items undecided. These are drawn, so that every item stands in
every block with the probability the program gave it (``birkhoff``). So expected counts, over labels
and draws, are the program's at every block. Within a block, and between items of equal shares, the
better one comes first. Items that the program would not take at its prices are never looked at.

Written as above, a program has about items * groups * blocks^2 numbers. Where these are too many it
is written by what each block adds to the counts before it, which takes items * groups * blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.protocols.reranker import CutShort
from fairlead.rerankers.birkhoff import drawn
from fairlead.rerankers.deadline import NEVER, Deadline, OutOfTimeError
from fairlead.rerankers.programs import Solved, linear, scipy
from fairlead.rerankers.single import SingleLists, kinds
from fairlead.rerankers.streams import stream_keys, uniforms
from fairlead.rerankers.timed import LimitedReranker
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

# What an expected item beyond the bounds costs, in units of relevance
_PENALTY = 1e3
_LEAST, _ROUNDS = 1e-7, 50
# How many numbers a program may hold that is written out in full
_FULL_CELLS = 10_000_000


@dataclass(frozen=True)
class NoisyFair(LimitedReranker):
    """The best list whose expected counts keep to the target at the end of every block."""

    slack: float = 0.0
    block: int = 10
    seconds: float | None = None

    name: ClassVar[str] = "noisy_fair"
    summary: ClassVar[str] = (
        "The best list whose expected counts keep to the target at every block; a linear "
        "program, rounded."
    )
    source: ClassVar[str] = (
        "Mehrotra, Vishnoi: Fair ranking with noisy protected attributes (NeurIPS 2022)"
    )
    blind_spot: ClassVar[str] = (
        "Takes shares as calibrated and the errors of different items as independent. Bounds "
        "hold for expected counts at the ends of "
        "blocks, not within them; a single draw is off by the few items the program leaves "
        "undecided. Needs the extra lp; slow."
    )
    promise: ClassVar[str] = (
        "Over draws, expected counts at the end of every block within slack of the target, "
        "or as near as can be, at no less relevance "
        "than any list that keeps to it; a list that keeps to the bounds stays as it is."
    )
    reads_shares: ClassVar[bool] = True
    knob: ClassVar[tuple[str, tuple[float, ...]]] = (
        "slack",
        (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4),
    )

    def validate(self) -> None:
        super().validate()
        if not 0 <= self.slack <= 1:
            raise UsageError(
                f"{self.name}(slack={self.slack}) is not a share.", "Accepted: 0 to 1."
            )
        if self.block < 1:
            raise UsageError(
                f"{self.name}(block={self.block}) holds no place.", "Accepted: 1 or more."
            )

    def timed(self, evidence: Evidence, k: int, seed: int) -> tuple[Ranking, tuple[CutShort, ...]]:
        coins = uniforms(stream_keys(seed, self.unlimited, evidence.queries), 1)[:, 0]

        def order(case: SingleLists, deadline: Deadline) -> tuple[Array, float]:
            blocks = Blocks.of(case, self.block, self.slack)
            if blocks.kept(case.plain):
                return case.plain, 0.0
            try:
                at, shares, answer = solved(blocks, deadline)
            except OutOfTimeError:
                return case.plain, np.inf
            block = _rounded(shares, blocks.sizes, float(coins[case.number]))
            return _ordered(blocks, at, block), answer.gap

        return self._one_by_one(evidence, k, order)


@dataclass(frozen=True, eq=False)
class Blocks:
    """A list and the blocks of places it is to fill.

    Attributes:
        case: The candidates.
        sizes: (blocks,) places of each block.
        weights: (blocks,) mean discount of its places.
        limits: (blocks,) how far counts may be off at its end.
    """

    case: SingleLists
    sizes: Array
    weights: Array
    limits: Array

    @classmethod
    def of(cls, case: SingleLists, block: int, slack: float) -> Blocks:
        """The blocks of one list."""
        starts = np.arange(0, case.k, block)
        sizes = np.diff(np.append(starts, case.k))
        weights = np.add.reduceat(1 / np.log2(np.arange(2, case.k + 2)), starts) / sizes
        return cls(case, sizes, weights, slack * np.cumsum(sizes))

    def kept(self, places: Array) -> bool:
        """Whether a list keeps to the bounds at the end of every block."""
        off = np.cumsum(self.case.excess[places], axis=0)[np.cumsum(self.sizes) - 1]
        return bool((np.abs(off).max(1) <= self.limits + _LEAST).all())


def solved(blocks: Blocks, deadline: Deadline = NEVER) -> tuple[Array, Array, Solved]:
    """Places of the items looked at, their (items, blocks) probabilities, and the program's answer.

    The answer is over these items, its bound over all.

    Raises:
        OutOfTimeError: Where the deadline came before the first answer.
    """
    case = blocks.case
    answer = None
    apart = np.ones(len(case.relevance), np.bool_)
    apart[case.foremost] = False
    looked = np.zeros(len(case.relevance), np.bool_)
    # to begin with: the best items, and those that help each group most
    looked[: 2 * case.k] = True
    for g in range(len(case.target)):
        looked[np.argsort(-case.excess[:, g], kind="stable")[: case.k]] = True
    looked &= ~apart
    for _ in range(_ROUNDS):
        wider = np.flatnonzero(looked)
        try:
            better, prices = _program(blocks, wider, deadline)
        except OutOfTimeError:
            if answer is None:
                raise
            break
        at, answer = wider, better
        gain = np.where((looked | apart)[:, None], 0.0, _priced(blocks, prices)).max(1)
        # each item not looked at could add its gain at most, since it stands once
        answer = replace(answer, bound=answer.bound + float(np.maximum(gain, 0.0).sum()))
        wanted = gain > _LEAST
        if not wanted.any():
            break
        more = min(int(wanted.sum()), 2 * case.k)
        looked[np.argsort(-gain, kind="stable")[:more]] = True
    assert answer is not None
    items = len(at)
    count = len(blocks.sizes)
    return at, answer.x[: items * count].reshape(items, count), answer


def _program(blocks: Blocks, at: Array, deadline: Deadline) -> tuple[Solved, Array]:
    """The program over some items, and what one unit more of each group costs in each block.

    Its first variables are x (items, blocks), and its first rows are one for each item and one for
    each block. The (groups + 1, blocks) prices end with that of a place.
    """
    count, groups = len(blocks.sizes), len(blocks.case.target)
    cells = groups * count
    whole = len(at) * groups * count * (count + 1) <= _FULL_CELLS
    rows, low, high, worth, upper = (_in_full if whole else _by_steps)(blocks, at)
    answer = linear(worth, rows, low, high, upper, deadline)
    filled = answer.duals[len(at) : len(at) + count]
    if whole:
        prices = answer.duals[-2 * cells :].reshape(2, groups, count)
        # An item in a block counts in every prefix from there on.
        price = np.cumsum((prices[0] - prices[1])[:, ::-1], axis=1)[:, ::-1]
    else:
        price = answer.duals[-cells:].reshape(groups, count)
    return answer, np.vstack([price, filled])


_Parts = tuple[Any, Array, Array, Array, Array]
"""Rows, their lower and upper bounds, and the worth and the upper bounds of variables."""


def _in_full(blocks: Blocks, at: Array) -> _Parts:
    """Every prefix by the items in it. After x comes how far beyond its limit each group is at each
    block, over and under.
    """
    sparse = scipy("sparse")
    case = blocks.case
    count = len(blocks.sizes)
    groups = len(case.target)
    # Prefixes up to a block: its own and all before it.
    up_to = np.tril(np.ones((count, count)))
    counts = sparse.kron(
        sparse.csr_matrix(case.excess[at].T), sparse.csr_matrix(up_to), format="csr"
    )
    beyond = sparse.identity(groups * count, format="csr")
    over = sparse.hstack([counts, -beyond, 0 * beyond])
    under = sparse.hstack([-counts, 0 * beyond, -beyond])
    limits = np.tile(blocks.limits, 2 * groups)
    rows = sparse.vstack([_places(blocks, at, 2 * groups * count), over, under], format="csr")
    low, high = _place_bounds(blocks, at)
    low = np.concatenate([low, np.full(len(limits), -np.inf)])
    worth = _worth(blocks, at, 2 * groups * count)
    return rows, low, np.append(high, limits), worth, np.full(len(worth), np.inf)


def _by_steps(blocks: Blocks, at: Array) -> _Parts:
    """Every prefix by the one before it. After x comes, for each group and block, how far the count
    of the prefix is off: beyond the limit, over and under, and within it, over and under.
    """
    sparse = scipy("sparse")
    case = blocks.case
    count = len(blocks.sizes)
    groups = len(case.target)
    cells = groups * count
    own = sparse.kron(sparse.csr_matrix(case.excess[at].T), sparse.identity(count), format="csr")
    grown = sparse.identity(count) - sparse.eye(count, k=-1)
    step = sparse.kron(sparse.identity(groups), grown, format="csr")
    rows = sparse.vstack(
        [_places(blocks, at, 4 * cells), sparse.hstack([own, -step, step, -step, step])],
        format="csr",
    )
    bounds = [np.append(ends, np.zeros(cells)) for ends in _place_bounds(blocks, at)]
    worth = np.append(_worth(blocks, at, 2 * cells), np.zeros(2 * cells))
    upper = np.full(len(worth), np.inf)
    upper[-2 * cells :] = np.tile(blocks.limits, 2 * groups)
    return rows, *bounds, worth, upper


def _places(blocks: Blocks, at: Array, others: int) -> Any:
    """Rows that let each item stand once and fill each block; other variables do not count."""
    sparse = scipy("sparse")
    count, items = len(blocks.sizes), len(at)
    once = sparse.kron(sparse.identity(items), np.ones((1, count)), format="csr")
    filled = sparse.kron(np.ones((1, items)), sparse.identity(count), format="csr")
    nothing = sparse.csr_matrix((items + count, others))
    return sparse.hstack([sparse.vstack([once, filled]), nothing])


def _place_bounds(blocks: Blocks, at: Array) -> tuple[Array, Array]:
    """The bounds of these rows."""
    low = np.concatenate([np.full(len(at), -np.inf), blocks.sizes])
    return low, np.concatenate([np.ones(len(at)), blocks.sizes])


def _worth(blocks: Blocks, at: Array, beyond: int) -> Array:
    """What x is worth, and what so many variables cost that say how far beyond counts are."""
    own = np.outer(blocks.case.relevance[at], blocks.weights).ravel()
    return np.append(own, np.full(beyond, -_PENALTY))


def _priced(blocks: Blocks, prices: Array) -> Array:
    """(n, blocks) what each item would add in each block at the prices of the program."""
    case = blocks.case
    return np.outer(case.relevance, blocks.weights) - case.excess @ prices[:-1] - prices[-1]


def _rounded(shares: Array, sizes: Array, coin: float) -> Array:
    """(items,) the block of each item, or the number of blocks for none.

    Each is drawn with the probability that (items, blocks) shares give it.
    """
    count = len(sizes)
    shares = np.clip(shares, 0.0, 1.0)
    # what the solver leaves by rounding must not be drawn
    shares[shares < _LEAST] = 0.0
    result = np.where(shares.max(1) > 1 - _LEAST, shares.argmax(1), count)
    unsure = np.flatnonzero((shares.max(1) <= 1 - _LEAST) & shares.any(1))
    if not len(unsure):
        return result
    free = sizes - np.bincount(result, minlength=count + 1)[:count]
    columns = np.repeat(np.arange(count + 1), np.append(free, len(unsure) - free.sum()))
    wanted = np.column_stack([shares[unsure], 1 - shares[unsure].sum(1)])
    result[unsure] = columns[drawn(_spread(wanted, columns), coin)]
    return result


def _spread(shares: Array, columns: Array) -> Array:
    """(items, items) doubly stochastic: the mass of each block laid out over its places.

    It goes one after the other, in the order of the items.
    """
    matrix = np.zeros((len(shares), len(columns)))
    for block in np.unique(columns):
        places = np.flatnonzero(columns == block)
        ends = np.cumsum(shares[:, block]) * (len(places) / max(shares[:, block].sum(), _LEAST))
        edges = np.arange(len(places))
        starts = np.append(0.0, ends[:-1])
        matrix[:, places] = np.maximum(
            np.minimum(ends[:, None], edges + 1) - np.maximum(starts[:, None], edges), 0.0
        )
    return matrix


def _ordered(blocks: Blocks, at: Array, block: Array) -> Array:
    """(k,) places by block, then rank.

    Items of equal shares take their common places in the order of their rank.
    """
    shown = np.flatnonzero(block < len(blocks.sizes))
    order = at[shown[np.argsort(block[shown], kind="stable")]]
    kind = kinds(blocks.case.shares[at])
    own_kind = kind[np.searchsorted(at, order)]
    for same in np.unique(own_kind):
        places = np.flatnonzero(own_kind == same)
        order[places] = at[kind == same][: len(places)]
    return order
