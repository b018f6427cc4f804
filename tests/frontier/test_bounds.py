"""What could be had, against slow references: every choice tried, every outcome of the labels
weighed.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.protocols.registry import make
from fairlead.statistics import targets
from fairlead.studies.bounds import Options, _counts, _expected, _posterior, bound, options
from fairlead.types import Groups, Ranking, Relevant
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import offsets_of

SEEDS = st.integers(0, 100_000)


def worlds(seed: int, queries: int = 3, size: int = 12) -> tuple[Evidence, Evidence]:
    """Labels that err one time in five, and the true ones, of small random lists."""
    rng = np.random.default_rng(seed)
    true = (rng.random(size) < 0.7).astype(int)
    told = np.where(rng.random(size) < 0.2, 1 - true, true)
    soft = np.where(told[:, None] == np.arange(2), 0.8, 0.2)
    ranking = Ranking.of(
        [rng.permutation(size).tolist() for _ in range(queries)],
        [np.linspace(1, 0, size).tolist()] * queries,
    )
    rows = [np.flatnonzero(rng.random(size) < 0.5).tolist() or [0] for _ in range(queries)]
    relevant = Relevant(offsets_of(np.array([len(r) for r in rows])), np.concatenate(rows))
    ids = tuple(f"q{q}" for q in range(queries))
    both = Groups("g", ("a", "b"), soft=soft), Groups("g", ("a", "b"), codes=true)
    first, second = (
        Evidence(ranking, ids, {"g": Labelled(g, targets.uniform(g))}, relevant) for g in both
    )
    return first, second


def measure(text: str):
    metric = make("metric", text)

    def values(evidence: Evidence) -> np.ndarray:
        numerator, denominator = metric(evidence)
        return numerator / denominator

    return values


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_bound_is_never_beaten_by_any_choice_of_lists(seed: int) -> None:
    seen, true = worlds(seed)
    found = options(seen, true, measure("nDCG@3"), measure("AbsBias@3"), 3)
    assert found is not None and found.bias.shape == (3, 4)
    curve = bound([found])
    assert curve is not None
    for chosen in product(range(4), repeat=3):
        bias, relevance = (
            float(part[np.arange(3), list(chosen)].mean()) for part in (found.bias, found.relevance)
        )
        if bias >= curve[0, 0] - 1e-12:
            assert relevance <= np.interp(bias, curve[:, 0], curve[:, 1]) + 1e-9
    assert curve[-1, 1] == pytest.approx(found.relevance.max(1).mean())


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_expected_gap_weighs_every_outcome_of_the_labels(seed: int) -> None:
    seen, true = worlds(seed, queries=1)
    chance = _posterior(seen.labels.share[:, 0], true.labels.share[:, 0], 20)
    codes = seen.labels.share.argmax(1)
    queues = [[np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)]]
    found = _expected(seen, true, queues, 4, 20)[0]
    for count in range(5):
        own = min(count, len(queues[0][0]))
        shown = np.concatenate([queues[0][0][:own], queues[0][1][: 4 - own]])
        slow = 0.0
        for outcome in product((0, 1), repeat=len(shown)):
            weight = np.prod(
                [p if o else 1 - p for o, p in zip(outcome, chance[shown], strict=True)]
            )
            slow += weight * abs(2 * sum(outcome) - len(shown)) / len(shown)
        assert found[count] == pytest.approx(slow)


def test_posterior_with_equal_groups_around_is_the_label_itself() -> None:
    real = np.tile([1.0, 0.0], 20)
    assert _posterior(np.full(40, 0.8), real, 40) == pytest.approx(np.full(40, 0.8))


def test_counts_are_the_distribution_of_a_sum() -> None:
    found = _counts(np.array([0.5, 1.0, 0.0]))
    assert [part.tolist() for part in found] == [
        [1.0],
        [0.5, 0.5],
        [0.0, 0.5, 0.5],
        [0.0, 0.5, 0.5, 0.0],
    ]


def test_bound_by_what_is_to_be_expected_is_below_hindsight() -> None:
    parts = [
        options(*worlds(seed), measure("nDCG@3"), measure("AbsBias@3"), 3, guess=True)
        for seed in range(30)
    ]
    guess, hindsight = bound(parts, guess=True), bound(parts)
    assert guess is not None and hindsight is not None
    levels = np.linspace(max(guess[0, 0], hindsight[0, 0]), 1, 20)
    gap = np.interp(levels, hindsight[:, 0], hindsight[:, 1]) - np.interp(
        levels, guess[:, 0], guess[:, 1]
    )
    assert (gap >= -1e-9).all() and gap.max() > 0.005


def test_bound_of_more_than_two_groups_is_none() -> None:
    labels = Groups("g", ("a", "b", "c"), codes=np.array([0, 1, 2]))
    evidence = Evidence(
        Ranking.of([[0, 1, 2]], [[3.0, 2.0, 1.0]]),
        ("q",),
        {"g": Labelled(labels, targets.uniform(labels))},
    )
    assert options(evidence, evidence, measure("AbsBias@2"), measure("AbsBias@2"), 2) is None
    assert bound([None, Options(np.zeros((1, 3)), np.zeros((1, 3)))]) is None
