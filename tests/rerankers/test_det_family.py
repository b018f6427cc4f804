"""DetGreedy, DetCons, DetRelaxed, DetConstSort and interleave against slow references written from
the paper's text.
"""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np
import pytest

from fairlead.protocols import registry
from fairlead.rerankers.bounds import violations
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target
from fairlead.types.ragged import offsets_of

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
INSTANCES = 3000 if FULL else 150
BATCH = 40


def build(labels: np.ndarray, weights: np.ndarray) -> Evidence:
    """Lists of equal length, one row of codes and one of target weights per query."""
    queries, size = labels.shape
    ranking = Ranking(
        offsets_of(np.full(queries, size)),
        np.arange(labels.size),
        -np.arange(labels.size, dtype=float),
    )
    names = tuple(f"g{g}" for g in range(weights.shape[1]))
    target = Target("given", weights / weights.sum(1, keepdims=True))
    return Evidence(
        ranking,
        tuple(map(str, range(queries))),
        {"a": Labelled(Groups("a", names, codes=labels.ravel()), target)},
    )


def ranks(ranking: Ranking, size: int) -> list[list[int]]:
    """Plain ranks (0-based) of each new list."""
    return [
        [int(r) - q * size for r in ranking.rows[ranking.offsets[q] : ranking.offsets[q + 1]]]
        for q in range(len(ranking))
    ]


def shares(weights: np.ndarray) -> list[Fraction]:
    return [Fraction(int(w), int(weights.sum())) for w in weights]


def woven(labels: list[int], k: int, choose) -> list[int]:  # type: ignore[no-untyped-def]
    """Serve the chosen labelled head, unless an unknown item ranks above it."""
    queues = {g: [i for i, c in enumerate(labels) if c == g] for g in set(labels) if g >= 0}
    unknown = [i for i, c in enumerate(labels) if c < 0]
    counts = dict.fromkeys(queues, 0)
    order: list[int] = []
    while len(order) < min(k, len(labels)):
        heads = {g: q[counts[g]] for g, q in queues.items() if counts[g] < len(q)}
        group = choose(heads, counts) if heads else None
        if unknown and (group is None or unknown[0] < heads[group]):
            order.append(unknown.pop(0))
        else:
            order.append(heads[group])
            counts[group] += 1
    return order


def slow_det(labels: list[int], target: list[Fraction], k: int, kind: str) -> list[int]:
    """Algorithms 1 and 2: below the floor first; then below the ceiling, by score, by ceil(nt)/t,
    or by its ceiling.
    """

    def choose(heads: dict[int, int], counts: dict[int, int]) -> int:
        n = sum(counts.values()) + 1
        low = [g for g in heads if counts[g] < math.floor(n * target[g])]
        if low:
            return min(low, key=heads.__getitem__)
        high = [g for g in heads if counts[g] < math.ceil(n * target[g])]
        if not high:
            return min(heads, key=heads.__getitem__)
        if kind == "detgreedy":
            return min(high, key=heads.__getitem__)
        value = {g: math.ceil(n * target[g]) / target[g] for g in high}
        return min(
            high, key=lambda g: (value[g] if kind == "detcons" else math.ceil(value[g]), heads[g])
        )

    return woven(labels, k, choose)


def slow_interleave(labels: list[int], target: list[Fraction], k: int) -> list[int]:
    def choose(heads: dict[int, int], counts: dict[int, int]) -> int:
        place = {
            g: (counts[g] + Fraction(1, 2)) / target[g] if target[g] else math.inf for g in heads
        }
        return min(heads, key=lambda g: (place[g], heads[g]))

    return woven(labels, k, choose)


def slow_detconstsort(labels: list[int], target: list[Fraction], k: int) -> list[int]:
    """Algorithm 3 with 1-based places: an item goes down from place p to p + 1 only if its limit
    allows p + 1.
    """
    queues = {g: [i for i, c in enumerate(labels) if c == g] for g in set(labels) if g >= 0}
    order: list[tuple[int, float]] = []

    def put(item: int, limit: float) -> None:
        order.append((item, limit))
        p = len(order)
        while p > 1 and order[p - 2][0] > item and order[p - 2][1] >= p:
            order[p - 2], order[p - 1] = order[p - 1], order[p - 2]
            p -= 1

    def left() -> list[int]:
        return sorted(q[0] for g, q in queues.items() if q and target[g] > 0)

    n = 0
    while len(order) < k and left():
        n += 1
        risen = [
            g
            for g, q in queues.items()
            if q and math.floor(n * target[g]) > math.floor((n - 1) * target[g])
        ]
        for g in sorted(risen, key=lambda g: queues[g][0]):
            put(queues[g].pop(0), n)
    if len(order) < k:
        for item in sorted(i for q in queues.values() for i in q):
            put(item, math.inf)
    # Unknown items are woven into the finished order by rank.
    known, unknown, result = (
        [item for item, _ in order[:k]],
        [i for i, c in enumerate(labels) if c < 0],
        [],
    )
    while len(result) < k and (known or unknown):
        result.append(
            unknown.pop(0) if unknown and (not known or unknown[0] < known[0]) else known.pop(0)
        )
    return result


def slow(name: str, labels: list[int], target: list[Fraction], k: int) -> list[int]:
    if name == "interleave":
        return slow_interleave(labels, target, k)
    return (
        slow_detconstsort(labels, target, k)
        if name == "detconstsort"
        else slow_det(labels, target, k, name)
    )


def instances(
    seed: int, groups: int, *, unknown: bool, one_target: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 40))
    # Skewed supplies, so that groups run out.
    labels = rng.choice(groups, (BATCH, size), p=rng.dirichlet(np.full(groups, 0.7)))
    labels = np.where(rng.random(labels.shape) < 0.3, -1, labels) if unknown else labels
    weights = rng.integers(0, 7, (1 if one_target else BATCH, groups))
    weights[:, 0] += weights.sum(1) == 0
    return labels, weights, int(rng.integers(1, size + 3))


@pytest.mark.parametrize(
    "name", ["detgreedy", "detcons", "detrelaxed", "detconstsort", "interleave"]
)
@pytest.mark.parametrize("unknown", [False, True], ids=["labelled", "partly unknown"])
def test_both_kernels_equal_the_slow_reference(name: str, unknown: bool) -> None:
    reranker = registry.make("reranker", name)
    for seed in range(INSTANCES // 10):
        labels, weights, k = instances(
            seed, 1 + seed % 8, unknown=unknown, one_target=seed % 3 == 0
        )
        evidence = build(labels, weights)
        got = ranks(reranker(evidence, k, 0), labels.shape[1])
        for q in range(BATCH):
            want = slow(name, labels[q].tolist(), shares(weights[q % len(weights)]), k)
            assert got[q] == want
            if q % 8 == 0:
                alone = evidence.select(np.array([q]))
                assert (reranker(alone, k, 0).rows - q * labels.shape[1]).tolist() == want


def supplied(labels: np.ndarray, target: np.ndarray, k: int) -> bool:
    """Whether every group has the items its floors ask for up to k."""
    return bool((np.bincount(labels, minlength=len(target)) >= np.floor(k * target + 1e-9)).all())


@pytest.mark.parametrize(
    ("name", "most"), [("detconstsort", 8), ("detgreedy", 3), ("detcons", 3), ("detrelaxed", 3)]
)
def test_every_prefix_meets_its_floor_while_supply_lasts(name: str, most: int) -> None:
    checked = 0
    for seed in range(INSTANCES // 5):
        rng = np.random.default_rng(seed)
        groups, k = int(rng.integers(2, most + 1)), int(rng.integers(1, 60))
        target = rng.dirichlet(np.full(groups, rng.choice([0.5, 3])), BATCH)
        labels = np.array([rng.choice(groups, 150) for _ in range(BATCH)])
        evidence = build(labels, target)
        result = evidence.with_ranking(registry.make("reranker", name)(evidence, k, 0))
        for q, broken in enumerate(violations(result)):
            if supplied(labels[q], target[q], k):
                checked += 1
                assert not len(broken)
    assert checked > INSTANCES


def test_detgreedy_with_four_groups_misses_prefix_three_and_it_is_reported() -> None:
    labels = np.array([[2, 3] + [0] * 10 + [1] * 10 + [2, 3] * 10])
    evidence = build(labels, np.array([[8, 7, 2, 4]]))
    result = evidence.with_ranking(registry.make("reranker", "detgreedy")(evidence, 21, 0))
    assert violations(result)[0].tolist() == [3]
    assert not len(
        violations(
            evidence.with_ranking(registry.make("reranker", "detconstsort")(evidence, 21, 0))
        )[0]
    )


def test_shares_with_floating_error_count_as_whole() -> None:
    labels = np.array([[1] * 30 + [0] * 30])
    evidence = build(labels, np.array([[0.1, 0.9]]))
    for name in (
        "detgreedy",
        "detconstsort",
    ):  # 0.1 * 30 is 3.0000000000000004 or 2.9999999999999996
        result = registry.make("reranker", name)(evidence, 30, 0)
        assert (labels[0][result.rows] == 0).sum() == 3
        assert np.flatnonzero(labels[0][result.rows] == 0).tolist() == [9, 19, 29]
