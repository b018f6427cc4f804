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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairlead.errors import UsageError
from fairlead.rerankers.birkhoff import drawn
from fairlead.rerankers.described import DescribedReranker
from fairlead.rerankers.programs import Solved, linear, scipy
from fairlead.rerankers.single import SingleLists, kinds, one_by_one
from fairlead.rerankers.streams import stream_keys, uniforms
from fairlead.types import Ranking
from fairlead.types.evidence import Evidence
from fairlead.types.ragged import Array

# What an expected item beyond the bounds costs, in units of relevance
_PENALTY = 1e3
_LEAST, _ROUNDS = 1e-7, 50


@dataclass(frozen=True)
class NoisyFair(DescribedReranker):
    """The best list whose expected counts keep to the target at the end of every block."""

    slack: float = 0.0
    block: int = 10

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
        if not 0 <= self.slack <= 1:
            raise UsageError(
                f"{self.name}(slack={self.slack}) is not a share.", "Accepted: 0 to 1."
            )
        if self.block < 1:
            raise UsageError(
                f"{self.name}(block={self.block}) holds no place.", "Accepted: 1 or more."
            )

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking:
        coins = uniforms(stream_keys(seed, str(self), evidence.queries), 1)[:, 0]

        def order(case: SingleLists) -> Array:
            blocks = Blocks.of(case, self.block, self.slack)
            if blocks.kept(case.plain):
                return case.plain
            at, shares, _ = solved(blocks)
            return _ordered(blocks, at, _rounded(shares, blocks.sizes, float(coins[case.number])))

        return one_by_one(evidence, k, order)


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


def solved(blocks: Blocks) -> tuple[Array, Array, Solved]:
    """Places of the items looked at, their (items, blocks) probabilities, and the program's answer.

    The answer is over these items, its bound over all.
    """
    case = blocks.case
    apart = np.ones(len(case.relevance), np.bool_)
    apart[case.foremost] = False
    looked = np.zeros(len(case.relevance), np.bool_)
    # to begin with: the best items, and those that help each group most
    looked[: 2 * case.k] = True
    for g in range(len(case.target)):
        looked[np.argsort(-case.excess[:, g], kind="stable")[: case.k]] = True
    looked &= ~apart
    for _ in range(_ROUNDS):
        at = np.flatnonzero(looked)
        answer = _program(blocks, at)
        gain = np.where((looked | apart)[:, None], 0.0, _priced(blocks, answer.duals))
        wanted = gain.max(1) > _LEAST
        if not wanted.any():
            break
        more = min(int(wanted.sum()), 2 * case.k)
        looked[np.argsort(-gain.max(1), kind="stable")[:more]] = True
    items = len(at)
    count = len(blocks.sizes)
    return at, answer.x[: items * count].reshape(items, count), answer


def _program(blocks: Blocks, at: Array) -> Solved:
    """The program over some items.

    Its variables are x (items, blocks), then how far beyond its limit each group is at each block,
    over and under.
    """
    sparse = scipy("sparse")
    case = blocks.case
    count = len(blocks.sizes)
    items = len(at)
    groups = len(case.target)
    # Prefixes up to a block: its own and all before it.
    up_to = np.tril(np.ones((count, count)))
    counts = sparse.kron(
        sparse.csr_matrix(case.excess[at].T), sparse.csr_matrix(up_to), format="csr"
    )
    beyond = sparse.identity(groups * count, format="csr")
    nothing = sparse.csr_matrix((items + count, 2 * groups * count))
    once = sparse.kron(sparse.identity(items), np.ones((1, count)), format="csr")
    filled = sparse.kron(np.ones((1, items)), sparse.identity(count), format="csr")
    over = sparse.hstack([counts, -beyond, 0 * beyond])
    under = sparse.hstack([-counts, 0 * beyond, -beyond])
    rows = sparse.vstack(
        [sparse.hstack([sparse.vstack([once, filled]), nothing]), over, under], format="csr"
    )
    limits = np.tile(blocks.limits, 2 * groups)
    high = np.concatenate([np.ones(items), blocks.sizes, limits])
    low = np.concatenate([np.full(items, -np.inf), blocks.sizes, np.full(len(limits), -np.inf)])
    worth = np.concatenate(
        [
            np.outer(case.relevance[at], blocks.weights).ravel(),
            np.full(2 * groups * count, -_PENALTY),
        ]
    )
    return linear(worth, rows, low, high, np.full(len(worth), np.inf))


def _priced(blocks: Blocks, duals: Array) -> Array:
    """(n, blocks) what each item would add in each block at the prices of the program."""
    case = blocks.case
    count = len(blocks.sizes)
    groups = len(blocks.case.target)
    prices = duals[-2 * groups * count :].reshape(2, groups, count)
    # An item in a block counts in every prefix from there on.
    price = np.cumsum((prices[0] - prices[1])[:, ::-1], axis=1)[:, ::-1]
    filled = duals[-2 * groups * count - count : -2 * groups * count]
    return np.outer(case.relevance, blocks.weights) - case.excess @ price - filled


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
