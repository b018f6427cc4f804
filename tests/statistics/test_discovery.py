"""The bar on many looks: one planted query among 194 is found, and nothing is found where nothing
is planted.
"""

from __future__ import annotations

import numpy as np

from fairlead.measuring.score import Settings, score
from fairlead.protocols import registry
from fairlead.statistics import targets
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Evidence, Labelled

QUERIES, SIZE = 194, 256


def run_of(seed: int, planted: bool) -> tuple[float, np.ndarray]:
    """The planted query's own NDKL, and q of every query."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (QUERIES, SIZE))
    if planted:  # almost all of one group: NDKL about .5, where chance is .036
        codes[0] = rng.random(SIZE) < 0.052
    groups = Groups("gender", ("female", "male"), codes=codes.ravel())
    ranking = Ranking.of(np.arange(QUERIES * SIZE).reshape(QUERIES, SIZE).tolist())
    evidence = Evidence(
        ranking,
        tuple(f"q{i}" for i in range(QUERIES)),
        {"gender": Labelled(groups, targets.uniform(groups))},
    )
    result = score(evidence, [registry.make("metric", "NDKL")], settings=Settings(seed=seed))
    return float(result.values[0].value[0]), result.values[0].q


def test_one_planted_query_among_194_is_found(count, bar) -> None:
    seeds = count(12, 100)
    found, strength = 0, []
    for seed in range(seeds):
        value, q = run_of(seed, planted=True)
        strength.append(value)
        found += q[0] < 0.05
    bar(
        f"planted query (NDKL {np.mean(strength):.2f}) among 194 found",
        f"{found} of {seeds} seeds",
        ">= 95 of 100",
    )
    assert abs(np.mean(strength) - 0.5) < 0.05
    assert found >= 0.95 * seeds


def test_nothing_planted_raises_no_alarm(count, bar) -> None:
    seeds = count(12, 100)
    quiet = sum(not (run_of(1_000 + seed, planted=False)[1] < 0.05).any() for seed in range(seeds))
    bar("no false alarm among 194 queries at chance", f"{quiet} of {seeds} seeds", ">= 94 of 100")
    assert quiet >= (0.94 if seeds >= 100 else 0.75) * seeds
