"""Lists that already meet the target stay as they are, where the algorithm promises it; and what
interleaving promises.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from fairlead.protocols import registry
from fairlead.rerankers.mtables import adjusted_table
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
SEEDS = range(600 if FULL else 60)


def build(labels: list[int], shares: np.ndarray) -> Evidence:
    names = tuple(f"g{g}" for g in range(len(shares)))
    labelled = Labelled(Groups("a", names, codes=np.array(labels)), Target("given", shares[None]))
    return Evidence(Ranking.of([range(len(labels))]), ("q",), {"a": labelled})


def within_bounds(
    rng: np.random.Generator, shares: np.ndarray, size: int, *, upper: bool
) -> list[int] | None:
    """A random list every prefix of which lies above the floors, and below the ceilings if asked;
    None when it gets stuck.
    """
    counts, labels = np.zeros(len(shares)), []
    for n in range(1, size + 1):
        low, high = np.floor(n * shares + 1e-9), np.ceil(n * shares - 1e-9)
        fits = [
            g
            for g in range(len(shares))
            if (counts + np.eye(len(shares))[g] >= low).all() and (not upper or counts[g] < high[g])
        ]
        if not fits:
            return None
        labels.append(int(rng.choice(fits)))
        counts[labels[-1]] += 1
    return labels


def test_detgreedy_keeps_lists_between_floor_and_ceiling() -> None:
    kept = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        shares = rng.dirichlet(np.ones(rng.integers(2, 6)))
        labels = within_bounds(rng, shares, 30, upper=True)
        if labels is not None:
            kept += 1
            mixed = [*labels[:7], -1, -2, *labels[7:], -1]
            assert registry.make("reranker", "detgreedy")(
                build(mixed, shares), 25, 0
            ).rows.tolist() == list(range(25))
    assert kept > 10


def test_detconstsort_keeps_lists_above_their_floors_where_the_target_is_whole_at_k() -> None:
    kept = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        weights = rng.integers(1, 6, rng.integers(2, 6))
        shares, k = weights / weights.sum(), int(weights.sum() * rng.integers(1, 3))
        labels = within_bounds(rng, shares, k, upper=False)
        if labels is not None:
            kept += 1
            tail = rng.integers(0, len(weights), 20).tolist()
            assert registry.make("reranker", "detconstsort")(
                build(labels + tail, shares), k, 0
            ).rows.tolist() == list(range(k))
    assert kept > 10


@pytest.mark.parametrize("adjust", ["none", "conservative", "nearest"])
def test_fair_topk_keeps_lists_that_pass_its_table(adjust: str) -> None:
    kept = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        p = float(rng.uniform(0.2, 0.6))
        labels = rng.choice(3, 40, p=[p, (1 - p) / 2, (1 - p) / 2])
        table = adjusted_table(40, p, 0.1, adjust)  # type: ignore[arg-type]
        passes = bool(((labels == 0).cumsum() >= np.array(table)).all())
        reranker = registry.make("reranker", f'fair_topk(p={p},protected=g0,adjust="{adjust}")')
        result = reranker(
            build([*labels.tolist(), *[0] * 40], np.full(3, 1 / 3)), 40, 0
        ).rows.tolist()
        assert (result == list(range(40))) == passes
        kept += passes
    assert 0 < kept < len(SEEDS)


@pytest.mark.parametrize("name", ["interleave", "pbm"])
def test_uniform_target_gives_round_robin_in_score_order(name: str) -> None:
    labels = np.random.default_rng(3).integers(0, 4, 200)
    result = registry.make("reranker", name)(build(labels.tolist(), np.full(4, 0.25)), 80, 0).rows
    for start in range(0, 80, 4):
        assert sorted(labels[result[start : start + 4]].tolist()) == [0, 1, 2, 3]
        assert (np.diff(result[start : start + 4]) > 0).all()
