"""Intervals of a frontier: a dozen clusters of bounded, skewed values are covered, neighbours read
alike, equal values are equal.
"""

from __future__ import annotations

import numpy as np
import pytest

from fairlead.statistics.intervals import interval
from fairlead.studies.frontier import FLOOR, PLAIN, Frontier, Measured, MethodSetting

CLUSTERS, EACH = 11, 5
MEMBERS = np.repeat(np.arange(CLUSTERS), EACH)
APART = np.array([0.76, 0.82, 0.30, 0.78, 0.56, 0.82, 0.82, 0.76, 0.50, 0.76, 0.80])
"""Mean AbsBias@20 of held-out occupations with pbm(theta=0.5): one lies apart."""


def skewed(rng: np.random.Generator, first: float, second: float) -> np.ndarray:
    """Values like AbsBias@10: tenths, alike within a cluster, most of them near one."""
    return rng.binomial(10, np.repeat(rng.beta(first, second, CLUSTERS), EACH)) / 10


def span(
    values: np.ndarray, floor: float, seed: int = 0, draws: int = 1_999
) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    found = interval(
        values, np.ones(len(values)), rng=rng, clusters=MEMBERS, floor=floor, draws=draws
    )
    return found.low, found.high


@pytest.mark.parametrize(("first", "second"), [(8, 1), (4, 2)])
def test_floored_interval_of_few_skewed_clusters_covers_as_often_as_it_says(
    first, second, count, bar
):
    rng, truth, tried = np.random.default_rng(3), first / (first + second), count(400, 4_000)
    spans = np.array([span(skewed(rng, first, second), FLOOR, seed, 499) for seed in range(tried)])
    share = float(((spans[:, 0] <= truth) & (truth <= spans[:, 1])).mean())
    assert 0.915 < share < 0.985
    bar("coverage of a frontier's 95 % intervals, 11 clusters", f"{share:.3f}", "0.95")


def test_floored_interval_does_not_run_away_where_one_cluster_lies_apart():
    values = np.repeat(APART, EACH)
    low, high = span(values, FLOOR)
    assert 0.45 < low < 0.60 and 0.77 < high < 0.80
    assert span(values, 0.0)[0] < 0.35  # what the plain studentised bootstrap makes of it


def test_floor_of_many_clusters_changes_nothing():
    rng = np.random.default_rng(2)
    values, members = rng.beta(4, 2, 400), np.arange(400)
    both = [
        interval(values, np.ones(400), rng=np.random.default_rng(1), clusters=members, floor=floor)
        for floor in (0.0, FLOOR)
    ]
    assert both[0] == both[1]


def made(*values: np.ndarray) -> Frontier:
    methods = (
        MethodSetting(PLAIN, None),
        *(MethodSetting(f"m{n}", None) for n in range(1, len(values))),
    )
    measured = tuple(Measured({"nDCG": 1 - v / 4, "AbsBias": v}) for v in values)
    chance = np.full(len(MEMBERS), 0.2)
    return Frontier(
        methods,
        measured,
        MEMBERS,
        "nDCG",
        "AbsBias",
        chance,
        ranges={"AbsBias": (0.0, 1.0), "nDCG": (0.0, 1.0)},
    )


def test_frontier_rows_of_equal_values_have_equal_intervals_and_lie_in_the_range_of_the_metric():
    rng = np.random.default_rng(4)
    plain, other = np.clip(skewed(rng, 20, 1) + 0.05, 0, 1), skewed(rng, 4, 2)
    found = made(plain, other, other.copy())
    first, second = found.points()[1:]
    assert first.spans == second.spans and found.paired(1, "AbsBias") == found.paired(2, "AbsBias")
    gaps = found.gaps("m1")
    assert [g.method for g in gaps] == ["m2"] and gaps[0].difference == pytest.approx(0)
    for point in found.points():
        assert all(
            0 <= low <= point.means[name] <= high <= 1 for name, (low, high) in point.spans.items()
        )


def test_frontier_gaps_by_another_measure_are_at_equal_values_of_it_and_have_no_bounds():
    rng = np.random.default_rng(5)
    found = made(np.full(len(MEMBERS), 0.9), skewed(rng, 4, 2), skewed(rng, 3, 2))
    turned = [
        Measured({**m.values, "NDKL_excess": m.values["AbsBias"] ** 2}) for m in found.measured
    ]
    bounds = {"same labels": np.array([[0.1, 0.5], [0.9, 1.0]])}
    whole = Frontier(found.methods, tuple(turned), MEMBERS, "nDCG", "AbsBias", found.chance, bounds)
    (gap,), (by,) = whole.gaps("m2"), whole.gaps("m2", by="NDKL_excess")
    assert (
        by.bias == pytest.approx(turned[1].values["NDKL_excess"].mean())
        and by.bounds == {}
        and gap.bounds
    )
    assert by.difference != pytest.approx(gap.difference)
