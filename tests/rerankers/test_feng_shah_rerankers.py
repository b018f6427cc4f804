"""Epsilon-greedy, relevance-aware swapping and fairness-greedy against slow references; the
published numbers.
"""

from __future__ import annotations

import os
from fractions import Fraction

import numpy as np
import pytest

from fairlead.errors import UsageError
from fairlead.rerankers.epsilon_greedy import EpsilonGreedy
from fairlead.rerankers.fairness_greedy import FairnessGreedy
from fairlead.rerankers.relevance_swap import RelevanceSwap
from fairlead.rerankers.streams import stream_keys, uniforms
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled, Target

FULL = os.environ.get("FAIRLEAD_BARS") == "full"


def build(labels: list[list[int]], weights: np.ndarray) -> Evidence:
    names = tuple(f"g{g}" for g in range(weights.shape[1]))
    rows, start = [], 0
    for row in labels:
        rows.append(range(start, start + len(row)))
        start += len(row)
    codes = np.array([c for row in labels for c in row], np.int16)
    target = Target("given", weights / weights.sum(1, keepdims=True))
    return Evidence(
        Ranking.of(rows),
        tuple(map(str, range(len(labels)))),
        {"x": Labelled(Groups("x", names, codes=codes), target)},
    )


def slow_swaps(
    size: int, k: int, chances: list[float], draws: np.ndarray, partner: str
) -> list[int]:
    order = list(range(size))
    for i in range(min(size, k)):
        low = i + 1 if partner == "after" else i
        if draws[2 * i] < chances[i] and low < size:
            j = low + int(draws[2 * i + 1] * (size - low))
            order[i], order[j] = order[j], order[i]
    return order[:k]


def slow_fairness_greedy(labels: list[int], target: list[Fraction], k: int) -> list[int]:
    """Exact shares; groups by p - t, ties as listed; the earliest item of the first group that has
    one.
    """
    rest = list(range(len(labels)))
    order = rest[:1]
    rest = rest[1:]
    while rest and len(order) < k:
        share = [
            Fraction(sum(labels[i] == g for i in order), len(order)) for g in range(len(target))
        ]
        visit = sorted(range(len(target)), key=lambda g: share[g] - target[g])
        chosen = next((i for g in visit for i in rest if labels[i] == g), rest[0])
        order.append(chosen)
        rest.remove(chosen)
    return order[:k]


def prefix_bias(labels: np.ndarray) -> float:
    """Mean over prefixes of KL(target || prefix), zero shares replaced by 1e-4; two equal groups."""
    counts = np.stack([(labels == g).cumsum() for g in (0, 1)]) / np.arange(1, len(labels) + 1)
    return float((0.5 * np.log(0.5 / np.where(counts > 0, counts, 1e-4))).sum(0).mean())


@pytest.mark.parametrize("partner", ["after", "from"])
@pytest.mark.parametrize("relevance", [False, True])
def test_swaps_equal_the_slow_reference(partner: str, relevance: bool) -> None:
    for seed in range(500 if FULL else 40):
        rng = np.random.default_rng(seed)
        sizes, k, level = rng.integers(0, 40, 5), int(rng.integers(1, 45)), float(rng.random())
        spec = RelevanceSwap(level, partner) if relevance else EpsilonGreedy(level, partner)  # type: ignore[arg-type]
        evidence = build([[0] * s for s in sizes], np.ones((1, 2)))
        result = spec(evidence, k, seed)
        draws = uniforms(stream_keys(seed, str(spec), evidence.queries), 90)
        for q, size in enumerate(sizes):
            chances = [
                level * (1 - (1 - i / size) / np.log2(i + 1)) if relevance else level
                for i in range(1, size + 1)
            ]
            want = slow_swaps(int(size), k, chances, draws[q], partner)
            assert (
                result.rows[result.offsets[q] : result.offsets[q + 1]] - sizes[:q].sum()
            ).tolist() == want


def test_fairness_greedy_equals_the_slow_reference_in_both_kernels() -> None:
    for seed in range(300 if FULL else 25):
        rng = np.random.default_rng(seed)
        groups, queries = int(rng.integers(1, 9)), 40
        weights = rng.integers(0, 6, (queries, groups))
        weights[:, 0] += weights.sum(1) == 0
        labels = [
            rng.choice(
                np.arange(-2, groups), rng.integers(0, 25), p=rng.dirichlet(np.ones(groups + 2))
            ).tolist()
            for _ in range(queries)
        ]
        k = int(rng.integers(1, 28))
        evidence = build(labels, weights + 0.0)
        result = FairnessGreedy()(evidence, k, 0)
        for q in range(queries):
            target = [Fraction(int(w), int(weights[q].sum())) for w in weights[q]]
            want = slow_fairness_greedy(labels[q], target, k)
            start = sum(map(len, labels[:q]))
            assert (result.rows[result.offsets[q] : result.offsets[q + 1]] - start).tolist() == want
            if q % 10 == 0:
                assert (
                    FairnessGreedy()(evidence.select(np.array([q])), k, 0).rows - start
                ).tolist() == want


@pytest.mark.parametrize("heads", [0, 1], ids=["heavy-headed", "heavy-tailed"])
def test_fairness_greedy_reaches_the_published_floor(heads: int) -> None:
    labels = np.repeat([heads, 1 - heads], 100)
    assert prefix_bias(labels) == pytest.approx(2.0462599852323775)
    result = FairnessGreedy()(build([labels.tolist()], np.ones((1, 2))), 200, 0)
    assert prefix_bias(labels[result.rows]) == pytest.approx(0.02015777624135783, abs=1e-12)


@pytest.mark.parametrize(
    ("reranker", "mean", "sd"),
    [
        (EpsilonGreedy(0.2), 0.426, 0.189),
        (EpsilonGreedy(0.4), 0.203, 0.107),
        (EpsilonGreedy(0.6), 0.105, 0.063),
        (RelevanceSwap(0.2), 0.553, 0.222),
        (RelevanceSwap(0.4), 0.316, 0.143),
        (RelevanceSwap(0.6), 0.198, 0.095),
    ],
)
def test_random_swaps_reproduce_table_one_within_noise(
    reranker: EpsilonGreedy | RelevanceSwap, mean: float, sd: float
) -> None:
    runs = 4000 if FULL else 1000
    labels = np.repeat([0, 1], 100)
    evidence = build([labels.tolist()] * runs, np.ones((1, 2)))
    result = reranker(evidence, 200, 5).rows.reshape(runs, 200) % 200
    biases = np.array([prefix_bias(labels[row]) for row in result])
    error = np.sqrt(
        biases.var() / runs + sd**2 / 1000
    )  # the paper's own thousand runs are noisy too
    assert abs(biases.mean() - mean) < 3 * error + 0.0005


@pytest.mark.parametrize(
    "wrong",
    [lambda: EpsilonGreedy(1.5), lambda: RelevanceSwap(-0.1), lambda: EpsilonGreedy(0.1, "before")],
)
def test_impossible_parameters_are_refused(wrong) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=r"epsilon_greedy|relevance_swap"):
        wrong()
