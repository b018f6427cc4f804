"""Coverage and shape of intervals over queries."""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.protocols import registry
from fairlead.statistics.intervals import interval
from fairlead.types.evidence import Lists

BOUNDED = [
    "NDKL@20",
    "NDKL@100",
    "AbsBias@10",
    "TV@20",
    "JS@20",
    "AWRF@20",
    "ExposureRatio@20",
    "Bias(positive=a)@10",
]


def population(
    spec: str, groups: int, spread: float, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Values of queries whose group mix is exactly uniform (spread 0) or varies from query to
    query.
    """
    metric = registry.make("metric", spec)
    mix = (
        rng.dirichlet(np.full(groups, 1 / spread), size)
        if spread
        else np.full((size, groups), 1 / groups)
    )
    codes = (
        (rng.random((size, metric.k))[..., None] > mix.cumsum(1)[:, None, :-1])
        .sum(-1)
        .astype(np.int16)
    )
    lists = Lists(
        np.arange(size),
        np.full(size, metric.k),
        np.full((size, groups), 1 / groups),
        tuple("abcd"[:groups]),
        codes=codes,
    )
    numerator, denominator = metric.measure(lists)
    return numerator / denominator


@pytest.mark.parametrize("spec", BOUNDED)
@pytest.mark.parametrize(("groups", "spread"), [(2, 0.0), (2, 0.125), (4, 0.0)])
def test_studentised_interval_covers_at_24_queries(
    spec: str, groups: int, spread: float, count, bar
) -> None:
    rng = np.random.default_rng(12)
    values = population(spec, groups, spread, 60_000 if "100" not in spec else 20_000, rng)
    truth, seeds = values.mean(), count(200, 2_000)
    covered = 0
    for seed in range(seeds):
        sample = np.random.default_rng(seed).choice(values, 24)
        found = interval(
            sample, np.ones(24), rng=np.random.default_rng(seed), draws=count(499, 1_999)
        )
        covered += found.low <= truth <= found.high
    share, slack = covered / seeds, 0.0 if seeds >= 2_000 else 3 * np.sqrt(0.05 * 0.95 / seeds)
    bar(
        f"coverage at 24 queries, {spec}, {groups} groups, spread {spread:g}",
        f"{share:.4f} over {seeds} seeds",
        ".93 to .97",
    )
    assert 0.93 - slack <= share <= 0.97 + slack


def test_percentile_interval_is_narrower_at_few_queries() -> None:
    rng = np.random.default_rng(0)
    sample = rng.gamma(1.0, 1.0, 24)
    studentised = interval(sample, np.ones(24), rng=np.random.default_rng(1))
    percentile = interval(sample, np.ones(24), rng=np.random.default_rng(1), method="percentile")
    assert percentile.high - percentile.low < studentised.high - studentised.low


def test_ratio_interval_covers_a_pooled_ratio(count) -> None:
    seeds, covered = count(300, 2_000), 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        size = rng.integers(5, 60, 40).astype(float)
        found = rng.binomial(size.astype(int), np.clip(rng.normal(0.4, 0.1, 40), 0, 1)).astype(
            float
        )
        bounds = interval(found, size, rng=rng, draws=499)
        covered += bounds.low <= 0.4 <= bounds.high
    assert covered / seeds == pytest.approx(0.95, abs=0.02 + (0 if seeds >= 2_000 else 0.03))


def test_cluster_interval_is_wider_when_queries_of_a_cluster_agree() -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(20), 10)
    values = rng.normal(size=20)[clusters] + 0.01 * rng.normal(size=200)
    alone = interval(values, np.ones(200), rng=np.random.default_rng(1))
    grouped = interval(values, np.ones(200), rng=np.random.default_rng(1), clusters=clusters)
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)


def test_few_queries_are_called_unreliable() -> None:
    assert (
        "unreliable: only 5 queries"
        in interval(np.arange(5.0), np.ones(5), rng=np.random.default_rng(0)).note
    )
    assert interval(np.arange(12.0), np.ones(12), rng=np.random.default_rng(0)).note == ""


@pytest.mark.parametrize("values", [[], [1.0], [np.inf, 1.0]])
def test_nothing_to_resample_gives_no_interval(values: list[float]) -> None:
    found = interval(np.array(values), np.ones(len(values)), rng=np.random.default_rng(0))
    assert np.isnan(found.low) and found.note


def test_equal_values_give_no_interval_without_a_range_and_wilsons_with_one() -> None:
    found = interval(np.full(20, 0.3), np.ones(20), rng=np.random.default_rng(0))
    assert np.isnan(found.low) and "same value" in found.note
    bounded = interval(
        np.full(20, 0.3), np.ones(20), rng=np.random.default_rng(0), within=(0.0, 1.0)
    )
    assert bounded.low < 0.3 < bounded.high and "Wilson" in bounded.note
